"""PP attachment: which candidate a phrase belongs to, the crossed pairs, and the views."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from builders.pp_attachment.frames import contractions
from dataset_scripts.headlines import HEADLINES
from metrics.pp_attachment_accuracy.inputs import BY_ORDER, UNDECIDED
from research.shallow.cues import ARTICLES, sampled, text_symbols, with_options, words_of
from research.shallow.decisions import Design, OptionChoice, Problem
from research.shallow.token_views import head_view
from research.studies.study import Rows

MOST = 8000  # all rows
SHORT = 5  # letters; function words of a view have fewer
WINDOW = 2
WINDOWS = ("one part of speech to each side", "two parts of speech to each side")
AROUND = "parts of speech before and behind"
PLACES = "places and lengths"
ENDS = "endings of words"
LEMMAS = "lemmas"
PREPOSITIONS = "the preposition and what stands beside it"
WITH_ENDS = "the preposition with beginnings and endings"
ORDER = "order of nouns and verbs"
WORDS_BESIDE = "the preposition, words beside the phrase and their kinds"
SHAPES = "shapes of words around the phrase, and endings with the preposition"
LETTERS = "strings of kinds and endings, shapes, and strings of up to five letters"
STRINGS = "strings of up to four kinds and endings of words, the preposition with pieces of words"
PLACED = (PREPOSITIONS, *WINDOWS, AROUND, PLACES)
TOGETHER = {  # what is learnt of several families at once
    "lemmas, the preposition and windows": (LEMMAS, "preposition", *WINDOWS, AROUND),
    "prepositions in windows, places and lengths": PLACED,
    "prepositions in windows, places and endings": (*PLACED, ENDS),
    "lemmas, prepositions in windows and places": (LEMMAS, *PLACED),
    "lemmas, prepositions in windows, places and endings": (LEMMAS, *PLACED, ENDS),
    "prepositions with endings and beginnings, windows and places": (WITH_ENDS, *PLACED),
}
TREES = {"order, and words in and around the phrase": (*PLACED, LEMMAS, WITH_ENDS, ORDER)}
REAL = frozenset(
    {*WINDOWS, AROUND, "preposition", PREPOSITIONS, PLACES, ENDS, LEMMAS, WITH_ENDS, *TOGETHER}
    | {ORDER}
)
CONTENT = frozenset({"NOUN", "PROPN", "PRON", "VERB", "AUX", "SCONJ", "PUNCT"})
FINITE = frozenset({"VERB", "AUX"})


def clauses(name: str, rows: Rows) -> Iterator[Problem]:
    """Pairs that differ in the head: by order, by order or a word, and by a word alone."""
    decided = [row for row in rows if row["resolved_by"] not in UNDECIDED]
    by_pair: dict[str, list[Mapping[str, Any]]] = {}
    for row in decided:
        by_pair.setdefault(row["pair_id"], []).append(row)
    pairs = [pair for pair in by_pair.values() if len(pair) == 2]
    contrasts = [pair for pair in pairs if len({row["head"] == row["verb"] for row in pair}) == 2]
    by_topology = [pair for pair in pairs if pair[0]["pair_factor"] == "topology"]
    beyond_order = [pair for pair in contrasts if pair[0]["pair_factor"] not in BY_ORDER]
    asked: tuple[tuple[str, list[list[Mapping[str, Any]]], Design], ...] = (
        ("topology_pair_accuracy", by_topology, "paper"),
        ("contrast_pair_accuracy", contrasts, "paper"),
        ("beyond_order_pair_accuracy", beyond_order, "headline"),
    )
    for score, chosen, design in asked:
        flat = sampled([row for pair in chosen for row in pair], "family", MOST)
        sizes = Counter(row["pair_factor"] for row in flat)
        is_even = score == HEADLINES["pp_attachment"].score  # what tells the heads apart
        made = [
            _clause(row, len(flat) / len(sizes) / sizes[row["pair_factor"]] if is_even else 1.0)
            for row in flat
        ]
        if made:
            yield Problem(name, score, made, "units", design, REAL, together=TREES)
    made = [_clause(row) for row in sampled(decided, "family", MOST)]
    yield Problem(name, "accuracy", made, "share", "paper", REAL, together=TREES)


def _symbols(
    row: Mapping[str, Any],
    place: int,
    kind: str,
    tags: Sequence[str],
    left: Sequence[str],
    right: Sequence[str],
) -> dict[str, list[str]]:
    """What stands around the phrase and in it, for a candidate, by family of readers."""
    start, end, at = row["adposition"], row["pp"], row["candidates"][place]
    given, sides = row["preposition"], f"{left[0]} {right[0]}"
    found = {
        WINDOWS[0]: [f"{kind} {sides}", kind],
        WINDOWS[1]: [
            kind,
            *(f"{kind} L{i}{tag}" for i, tag in enumerate(left)),
            *(f"{kind} R{i}{tag}" for i, tag in enumerate(right)),
            f"{kind} {sides}",
            f"{kind} {left} {right}",
        ],
        AROUND: [
            *(f"{kind} before {tag}" for tag in set(tags[: start + 1])),
            *(f"{kind} behind {tag}" for tag in set(tags[end + 2 :])),
        ],
        "preposition": [f"{kind} {given}"],
        PREPOSITIONS: [
            f"{kind} {given} {side}" for side in ("", f"L{left[0]}", f"R{right[0]}", sides)
        ],
        PLACES: _places(row, place, kind),
        ENDS: [f"{kind} -{word[-2:]}" for word in sorted(set(row["tokens"]))],
        LEMMAS: [f"{given} {row['lemmas'][at]}", f"{kind} {row['lemmas'][end]}", kind],
        ORDER: _order(row, at, kind),
        WITH_ENDS: _with_ends(row, at, kind),
    }
    together = {
        name: [symbol for one in families for symbol in found[one]]
        for name, families in TOGETHER.items()
    }
    return found | together


def _with_ends(row: Mapping[str, Any], at: int, kind: str) -> list[str]:
    """Ends of a candidate and of the phrase's noun, the verb's beginning, with the preposition."""
    own = row["lemmas"][at].lower()
    candidate = [own[:n] for n in (2, 3, 4)] if kind == "verb" else [own[-n:] for n in (2, 3, 4)]
    phrase = [row["lemmas"][row["pp"]][-n:] for n in (2, 3, 4)]
    told = [f"{kind} {end}" for end in candidate] + [f"{kind} of -{end}" for end in phrase]
    return [*told, *(f"{row['preposition']} {one}" for one in told)]


def _order(row: Mapping[str, Any], at: int, kind: str) -> list[str]:
    """The order of nouns, verbs, phrase and candidate, and the preposition with the verb."""
    start, end = row["adposition"], row["pp"]
    told = [
        "+" if i == end else "C" if i == at else tag[0]
        for i, tag in enumerate(row["upos"])
        if i == end or (not start <= i < end and tag in CONTENT)
    ]
    before, behind = "".join(told).split("+")
    sides = [f"<{before[-n:]}" for n in (1, 2, 3, 9)] + [f"{behind[:n]}>" for n in (1, 2, 3, 9)]
    symbols = [f"{kind} {one}" for one in (*sides, "".join(told))]
    verb = f"{row['preposition']} {row['lemmas'][row['verb']]}"
    return [*symbols, f"{kind} {verb}", *(f"{row['preposition']} {one}" for one in symbols)]


def _places(row: Mapping[str, Any], place: int, kind: str) -> list[str]:
    """Where a candidate is and how long clause and phrase are; `place` is among the candidates."""
    start, end, at = row["adposition"], row["pp"], row["candidates"][place]
    told = (place, f"at {at - end}", f"beside {at == start - 1}", f"of {row['n_tokens']}")
    return [f"{kind} {one}" for one in (*told, end - start)]


def _clause(row: Mapping[str, Any], weight: float = 1.0) -> OptionChoice:
    start, end = row["adposition"], row["pp"]
    before = [at for at in row["candidates"] if at < start and at != row["verb"]]
    nearest = max(before, default=-1)
    tags = ["<", *row["upos"], ">"]
    tags[row["n_tokens"] + 1 :] = [">", ">"]
    left = [tags[at] if at >= 0 else "<" for at in range(start, start - WINDOW, -1)]
    right = [tags[at] if at < len(tags) else ">" for at in range(end + 2, end + 2 + WINDOW)]
    cues, kinds = [], []
    for place, at in enumerate(row["candidates"]):
        is_verb, is_nearest = at == row["verb"], at == nearest
        kinds.append("verb" if is_verb else "nearest" if is_nearest else "noun")
        cues.append(
            {
                "place among the candidates": place,
                "distance": abs(at - end),
                "words after the phrase": at - end,
                "is the verb": float(is_verb),
                "is the nearest noun before": float(is_nearest),
                "stands right before": float(at == start - 1),
                "stands before": float(at < start),
                "number of letters": len(row["tokens"][at]),
                "phrase is first": float(start == 0),
                "words before the phrase": start,
                "words behind the phrase": row["n_tokens"] - end,
                "a verb follows the phrase": float(right[0] in FINITE),
                "the phrase ends the clause": float(right[0] == "PUNCT"),
                "a noun stands before the phrase": float(left[0] == "NOUN"),
            }
        )
    told = [_symbols(row, place, kind, tags, left, right) for place, kind in enumerate(kinds)]
    symbols = {family: [one[family] for one in told] for family in told[0]}
    options = [row["tokens"][at] for at in row["candidates"]]
    gold = row["candidates"].index(row["head"])
    cluster, unit = row["family"], row["pair_id"]
    return OptionChoice(options, gold, cluster, unit, cues, symbols, row=row["id"], weight=weight)


def pairs(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `pairs`: which word goes with which order, crossed."""
    made = []
    for row in sampled(rows, "cluster", MOST):
        members = {key: _crossed(row[key]) for key in row if key[:4] in ("verb", "noun")}
        right = [members["verb_verb"], members["noun_noun"]]
        wrong = [members["verb_noun"], members["noun_verb"]]
        cues = [{key: a[key] + b[key] for key in a} for a, b in (right, wrong)]
        texts = [(row["verb_verb"], row["noun_noun"]), (row["verb_noun"], row["noun_verb"])]
        for k, two in enumerate(texts):
            cues[k]["place in the alphabet"] = float(two == max(texts))
        symbols = {
            family: [[*a, *b] for a, b in zip(found[::2], found[1::2], strict=True)]
            for family, found in text_symbols([text for two in texts for text in two]).items()
        }
        symbols["the word before the phrase and the distance of what is repeated"] = [
            [_before_and_distance(text, row["preposition"]) for text in two] for two in texts
        ]
        options = [" ".join(two) for two in texts]
        made.append(OptionChoice(options, 0, row["cluster"], row["id"], cues, symbols))
    together = {"all families of symbols": sorted(made[0].symbols)}
    yield Problem(name, "accuracy", made, together=together)


def _crossed(text: str) -> dict[str, float]:
    """Of a text, where the words that come twice stand."""
    words = words_of(text)
    twice = [at for at, word in enumerate(words) if word in words[:at] and len(word) > 3]
    first = [words.index(words[at]) for at in twice]
    return {
        "number of characters": len(text),
        "repeated words": len(twice),
        "place of the last repeated word": first[-1] if first else -1,
        "distance of the repeated words": abs(first[-1] - first[0]) if first else -1,
        "distance of the last repetition": twice[-1] - first[-1] if first else -1,
    }


def _before_and_distance(text: str, preposition: str) -> str:
    """The end of the word before the phrase, and from which to which word the repetition goes."""
    words = words_of(text)
    forms = {preposition, *(form for (p, _), form in contractions().items() if p == preposition)}
    place = next((at for at, word in enumerate(words) if word in forms), 0)
    before = words[place - 1][-2:] if place else "^"
    first = [words.index(w) for i, w in enumerate(words) if w in words[:i] and len(w) > 3]
    return f"{before} {first[-1] - first[0] if first else ''}"


def attachment(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `attachment_*`: noun or verb."""
    made = []
    for place, row in enumerate(rows):
        words, phrase = row["text"].split(), row["phrase"].split()
        n = len(phrase)
        start = next((i for i in range(len(words)) if words[i : i + n] == phrase), 0)
        left = words[start - 1] if start else "<"
        right = words[start + n] if start + n < len(words) else ">"
        cues = [{"is the verb": float(k), "words before": start} for k in (0, 1)]
        told = {
            "one word to each side": [f"{left} {right}"],
            "words": words,
            "strings of up to three words, and of the phrase": _strings(words, phrase),
            "words of the phrase": phrase,
        }
        told[WORDS_BESIDE] = _beside(phrase[0], left, right)
        told[SHAPES] = _shapes(words, start, start + n, phrase[0])
        told[STRINGS] = _strings_of_kinds(words, start, start + n)
        told[LETTERS] = [*told[STRINGS], *told[SHAPES], *_letters(words)]
        gold, told_of = row["label"], (row["phrase"], str(place), cues, with_options(told))
        made.append(OptionChoice(("noun", "verb"), gold, *told_of))
    yield Problem(name, "accuracy", made, "share", "training", REAL, strengths=(1.0, 0.3))


def _strings(words: Sequence[str], phrase: Sequence[str]) -> list[str]:
    """All strings of one to three words of a sentence, and with a mark those of its phrase."""
    return [
        mark + " ".join(text[i : i + n])
        for mark, text in (("", words), ("+", phrase))
        for n in (1, 2, 3)
        for i in range(len(text) - n + 1)
    ]


def _beside(preposition: str, left: str, right: str) -> list[str]:
    """The preposition with the words to both sides: as they are, their ends, their capitals."""
    kinds = [f"{word[0].isupper()} {word[-2:]}" for word in (left, right)]
    sides = [f"L {left}", f"R {right}", f"L {kinds[0]}", f"R {kinds[1]}"]
    together = [" ".join(kinds), f"{left[0].isupper()} {right[0].isupper()}", preposition]
    return [*sides, *together, *(f"{preposition} {one}" for one in (*sides, *together))]


def _shapes(words: Sequence[str], start: int, end: int, preposition: str) -> list[str]:
    """Kinds of words before and behind a phrase, and with the preposition ends and beginnings."""
    kinds = ["".join(map(_kind, part)) for part in (words[:start], words[end:])]
    sides = [f"<{kinds[0][-n:]}" for n in (1, 2, 3, 9)] + [f"{kinds[1][:n]}>" for n in (1, 2, 3, 9)]
    ends = [f"-{word[-n:]}" for word in words if word[0].isupper() for n in (2, 3, 4)]
    begins = [f"{word[:n]}-" for word in words if _kind(word) == "v" for n in (2, 3, 4)]
    told = [*sides, "P".join(kinds), f"<{kinds[0][-1:]} {kinds[1][:1]}>", *ends, *begins]
    return [*told, *(f"{preposition} {one}" for one in told)]


def _strings_of_kinds(words: Sequence[str], start: int, end: int) -> list[str]:
    """Strings of up to four function words, or kinds and endings, with marks around the phrase.

    Beside them the preposition with strings of four letters of other words, and with its sides.
    """
    text = [word if _is_frequent(word) else f"{_kind(word)}{word[-2:]}" for word in words]
    marked = ["^", *text[:start], "(", *text[start:end], ")", *text[end:], "$"]
    strings = [
        " ".join(marked[i : i + n]) for n in (1, 2, 3, 4) for i in range(len(marked) - n + 1)
    ]
    pieces = [
        word[i : i + 4]
        for word in words
        if _kind(word) == "v" and not _is_frequent(word)
        for i in range(len(word) - 3)
    ]
    pieces += [f"-{word[-4:]}" for word in words[:start] if word[0].isupper()]
    pieces.append(f"{marked[start]} {marked[end + 3]}")
    preposition = words[start].lower()
    return [*strings, " ".join(one[0] for one in marked), *(f"{preposition} {p}" for p in pieces)]


def _letters(words: Sequence[str]) -> list[str]:
    """Strings of two to five letters of each word, its borders among them."""
    return [
        f"#{word[i : i + n]}"
        for word in (f"^{own}$" for own in words)
        for n in (2, 3, 4, 5)
        for i in range(len(word) - n + 1)
    ]


def _is_frequent(word: str) -> bool:
    return word in ARTICLES or word in AUXILIARIES or (len(word) < SHORT and word[0].islower())


def _kind(word: str) -> str:
    """Capital, article, mark, auxiliary, or another word."""
    if word[0].isupper():
        return "N"
    if word in AUXILIARIES:
        return "A"
    return "d" if word in ARTICLES else "v" if word[0].isalpha() else ","


AUXILIARIES = frozenset(
    ["hat", "haben", "wird", "werden", "ist", "sind", "war", "waren", "hatte", "hatten", "wurde"]
)
CONFIGS = {
    "lite": clauses,
    "conll": clauses,
    "pairs": pairs,
    "attachment_*": attachment,
    "parsing_*": head_view,
}
