"""Cues and symbols that any choice of texts has: place, copying, length, alphabet, repetition.

Where the options are about a sentence, words are compared by their first letters, so that
"galloped" is found for "gallop" and "rocked" for "rock".
"""

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

WORD = re.compile(r"\w+")
STEM = 5  # letters
SHORTEST = 3
NOWHERE = -1e6
GERMAN_ARTICLES = (
    *("der", "die", "das", "den", "dem", "des"),
    *("ein", "eine", "einen", "einem", "einer"),
)
ARTICLES = frozenset(("the", *GERMAN_ARTICLES, "de", "het", "een"))
WHO = ("what", "who", "wer", "wen", "wem", "wie")
ASKING = frozenset((*WHO, "did", "do", "was", "were", "the", "that", "entit", "entity"))


def words_of(text: str) -> list[str]:
    """Words of a text in small letters."""
    return WORD.findall(text.lower())


def stems_of(text: str) -> list[str]:
    """First letters of its words; of a verb in any form mostly the same."""
    return [word[: min(STEM, max(3, len(word) - 2))] for word in words_of(text)]


def text_cues(options: Sequence[str]) -> list[dict[str, float]]:
    """What options have without anything that is asked of them."""
    lowered = [text.lower() for text in options]
    found: list[dict[str, float]] = []
    for place, text in enumerate(options):
        words = words_of(text)
        found.append(
            {
                "place among the options": place,
                "number of characters": len(text),
                "number of words": len(words),
                "place in the alphabet": sum(other < text.lower() for other in lowered),
                "different words": len(set(words)),
                "repeated words": len(words) - len(set(words)),
                "capital letters": sum(letter.isupper() for letter in text),
                "longest word": max(map(len, words), default=0),
                "words that other options have": sum(
                    word in words_of(other)
                    for word in set(words)
                    for k, other in enumerate(options)
                    if k != place
                ),
            }
        )
    return found


def context_cues(context: str, question: str, options: Sequence[str]) -> list[dict[str, float]]:
    """Where options stand in a sentence, and how near to what the question names there, if any."""
    lower, stems = context.lower(), stems_of(context)
    n_phrases = sum(word in ARTICLES for word in stems)
    of_question = stems_of(question)
    noun, verb = noun_place(of_question, stems), verb_place(of_question, stems)
    found = []
    for text in options:
        own = stems_of(text)
        at, n = longest_match(own, stems)
        own_noun, own_verb = noun_place(own, stems), verb_place(own, stems)
        phrase = -1 if own_noun is None else phrase_of(own_noun, stems)
        cues = {
            "copies from the sentence": float(text.lower().strip(" .?!") in lower),
            "words in the sentence": sum(word in stems for word in set(own)),
            "share of words in the sentence": sum(w in stems for w in own) / max(len(own), 1),
            "words in the question": sum(word in of_question for word in set(own)),
            "longest string of words in the sentence": n,
            "place in the sentence": at if n else NOWHERE,
            "place of its noun": phrase,
            "place of its noun from the end": n_phrases - phrase if phrase >= 0 else -1,
            "place of its verb": -1 if own_verb is None else own_verb,
            "names no noun": float(phrase < 0),
            "question names the first noun": -1.0 if noun is None else float(noun == 0),
            "question names the last noun": (
                -1.0 if noun is None else float(phrase_of(noun, stems) == n_phrases - 1)
            ),
        }
        if noun is not None:
            step = phrase - phrase_of(noun, stems)
            cues["nouns after that of the question"] = step if phrase >= 0 else NOWHERE
            for name, wanted in (("next", 1), ("previous", -1), ("same", 0)):
                is_it = float(phrase >= 0 and step == wanted)
                cues[f"names the {name} noun"] = is_it
                cues[f"names the {name} noun, or none"] = 0.5 if phrase < 0 else is_it
            if own_verb is not None:
                cues["words from the question's noun to its verb"] = abs(own_verb - noun)
        if verb is not None:
            cues["words from the question's verb to its verb"] = (
                NOWHERE if own_verb is None else own_verb - verb
            )
            cues["words from the question's verb to its noun"] = (
                NOWHERE if own_noun is None else own_noun - verb
            )
        found.append(cues)
    return found


def noun_place(words: Sequence[str], text: Sequence[str]) -> int | None:
    """Where the longest string that begins with an article stands in a text; None for nowhere."""
    found = [
        longest_match(words[i : i + 4], text, is_from_start=True)
        for i, word in enumerate(words[:-1])
        if word in ARTICLES
    ]
    at, n = max(found, key=lambda one: one[1], default=(0, 0))
    return at if n > 1 else None


def verb_place(words: Sequence[str], text: Sequence[str]) -> int | None:
    """Where the words before the first article stand in a text; None for nowhere."""
    first = next((i for i, word in enumerate(words) if word in ARTICLES), len(words))
    if words[:first] and words[0] in ASKING:
        own = [word for word in words[:first] if word not in ASKING]
    else:
        own = list(words[:first])
    at, n = longest_match(own, text)
    return at if n else None


def phrase_of(place: int, text: Sequence[str]) -> int:
    """Number of the noun phrase whose article stands at a place."""
    return sum(word in ARTICLES for word in text[:place])


def longest_match(
    words: Sequence[str], text: Sequence[str], *, is_from_start: bool = False
) -> tuple[int, int]:
    """Place and length of the longest string of words that stands in a text, the first of them.

    Example:
        >>> longest_match(["elude", "the", "snake"], ["the", "bird", "that", "the", "snake"])
        (3, 2)
    """
    for n in range(len(words), 0, -1):
        for start in range(1 if is_from_start else len(words) - n + 1):
            piece = list(words[start : start + n])
            if n == 1 and piece[0] in ARTICLES:
                continue
            for at in range(len(text) - n + 1):
                if all(map(is_alike, text[at : at + n], piece)):
                    return at, n
    return 0, 0


def is_alike(one: str, other: str) -> bool:
    """Whether two beginnings of words may be of one word: "roc" of rock, "rock" of rocked."""
    if one == other:
        return True
    return min(len(one), len(other)) >= SHORTEST and (
        one.startswith(other) or other.startswith(one)
    )


def merged(*tables: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Cues of each option out of several lists."""
    return [
        dict(item for cues in rows for item in cues.items()) for rows in zip(*tables, strict=True)
    ]


def text_symbols(options: Sequence[str]) -> dict[str, list[list[str]]]:
    """Words, their pairs, endings and strings of characters of each option."""
    words = [words_of(text) for text in options]
    padded = [["^", *own, "$"] for own in words]
    return {
        "words": words,
        "pairs of words": [[f"{a} {b}" for a, b in itertools.pairwise(own)] for own in padded],
        "first and last word": [[f"^{own[1]}", f"{own[-2]}$"] for own in padded],
        "endings of words": [[word[-k:] for word in own for k in (1, 2, 3)] for own in words],
        "strings of characters": [
            [f"^{text}$"[i : i + k] for k in (2, 3, 4) for i in range(len(text) + 3 - k)]
            for text in options
        ],
    }


def with_options(
    told: Mapping[str, Sequence[str]], options: Sequence[object] = (0, 1)
) -> dict[str, list[list[str]]]:
    """Symbols of a row by family, each with every option, such as a label."""
    return {
        family: [[f"{option} {one}" for one in symbols] for option in options]
        for family, symbols in told.items()
    }


def sampled(rows: Sequence[Mapping[str, Any]], key: str, most: int) -> list[Mapping[str, Any]]:
    """Rows of whole clusters, drawn by hash, of which there are at most about `most` rows."""
    if len(rows) <= most:
        return list(rows)
    share = most / len(rows)
    drawn = {
        name: drawn_number(f"sample|{name}") < share for name in {str(row[key]) for row in rows}
    }
    return [row for row in rows if drawn[str(row[key])]]


def drawn_number(text: str) -> float:
    """A number in [0, 1) that the text alone decides, by its hash."""
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
