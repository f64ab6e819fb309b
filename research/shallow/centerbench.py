"""CenterBench: questions about entities, choices, pairs and the views made of them."""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.matched_pair_accuracy.inputs import MIDDLE_LEVEL, MIDDLE_TYPES
from research.shallow.cues import (
    ARTICLES,
    NOWHERE,
    context_cues,
    longest_match,
    merged,
    noun_place,
    phrase_of,
    sampled,
    stems_of,
    text_cues,
    text_symbols,
    words_of,
)
from research.shallow.decisions import Design, OptionChoice, Problem
from research.shallow.nesting import BY_ENDINGS, RULES, counts_together, mirror_cues
from research.studies.study import Rows

CORE = ("action_performed", "agent_identification", "nested_dependency")
MOST = 4000
MOST_WRITTEN = 1200
STRENGTHS = (1.0, 0.03)
TO_NOUN = "words from the question's verb to its noun"
MIRROR = "distance from the mirror of the noun"
MIRRORS = {  # nouns take more letters than verbs, by the "that the" between them
    f"{MIRROR}, whose letters count {percent} %": percent / 100 for percent in range(50, 100, 5)
}
ORDINAL = "nouns before the asked one, with the verb phrases behind"
ENDINGS = "-ed before the asked verb"
AROUND = "endings of the words around it"
OPENING = "the question's first words with the answer's first word and length"
REAL = frozenset({MIRROR, *MIRRORS})  # counts letters, and so the nests
COUNTING = RULES | {ORDINAL}


def choices(
    context: str, question: str, options: Sequence[str], gold: int, cluster: str, kind: str
) -> OptionChoice:
    """A choice of answers to a question about a sentence."""
    options = list(options)
    cues = merged(
        text_cues(options),
        context_cues(context, question, options),
        mirror_cues(context, question, options),
    )
    symbols = {**text_symbols(options), AROUND: [_around(context, text) for text in options]}
    symbols[BY_ENDINGS] = counts_together(cues)
    if before := re.match(r"which one (.+?) another\b", question.lower()):
        symbols[ENDINGS] = _endings_before(context.lower(), before[1], options)
    return OptionChoice(options, gold, cluster, f"{context} {question}", cues, symbols, kind)


def _around(context: str, text: str) -> list[str]:
    """Endings of three words on either side of where a noun or a verb stands, with their places."""
    words, stems = words_of(context), stems_of(context)
    at, n = longest_match(stems_of(text.partition(" the ")[0]), stems)  # the object is no clue
    near = [(k, at + k) for k in (-3, -2, -1, 1, 2, 3)] if n else []
    return [f"{k} {words[i][-2:] if 0 <= i < len(words) else '#'}" for k, i in near]


def _endings_before(context: str, verb: str, options: Sequence[str]) -> list[list[str]]:
    """Of each noun whether it stands first, with which of the words before the verb end in -ed."""
    ends = [word.endswith("ed") for word in context.partition(f" {verb}")[0].split()[::-1]]
    places = [context.find(option.lower()) for option in options]
    return [[f"{place == min(places)} {ends[:n]}" for n in (1, 2, 3)] for place in places]


def choice(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `choice`."""
    made = []
    for row in sampled(rows, "cluster", MOST):
        texts = (row["sentence"], row["question"], row["choices"])
        gold, kind = row["choices"].index(row["answer"]), row["construction"]
        made.append(choices(*texts, gold, row["cluster"], f"{kind} {row['question_type']}"))
    yield Problem(name, "accuracy", made, rules=RULES, strengths=STRENGTHS)


def choice_view(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `choice_*`, whose question begins with the sentence."""
    made = []
    for row in rows[:MOST]:
        sentence, _, question = row["question"].partition(". ")
        kind = _asked(row)
        made.append(choices(sentence, question, row["choices"], row["label"], _pair(row), kind))
    yield Problem(name, "accuracy", made, rules=RULES, strengths=STRENGTHS)


def squad(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `squad_*`: which of the two nouns that the question names answers it."""
    made = []
    for row in rows[:MOST]:
        nouns = row["question"].removesuffix("?").rpartition(", ")[2].split(" or ")
        gold = nouns.index(row["answers"]["text"][0])
        made.append(choices(row["context"], row["question"], nouns, gold, _pair(row), _asked(row)))
    yield Problem(name, "exact", made, rules=RULES, strengths=STRENGTHS)


def preference_view(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `preference_*`: the right answer against a wrong one."""
    made = []
    for i, row in enumerate(rows[:MOST]):
        sentence, _, question = row["prompt"].partition("\n")
        options = sorted([row["chosen"].strip(), row["rejected"].strip()])
        gold = options.index(row["chosen"].strip())
        one = choices(sentence, question, options, gold, f"{i // 12}", "")
        made.append(one._replace(cues=merged(one.cues, _counts(sentence, question, options))))
    yield Problem(name, "accuracy", made, design="training", rules=RULES)


def written_view(name: str, rows: Rows) -> Iterator[Problem]:
    """Views whose answer is written: which of all answers about the sentence is this question's?"""
    asked = [_written(row) for row in rows[:MOST_WRITTEN]]
    answers: dict[str, list[str]] = {}
    for sentence, _, answer in asked:
        answers.setdefault(sentence, []).append(answer)
    made = []
    for sentence, question, answer in asked:
        options = sorted(set(answers[sentence]))
        if len(options) > 1:
            one = choices(sentence, question, options, options.index(answer), sentence, "")
            told = merged(one.cues, _counts(sentence, question, options))
            kind = " ".join(question.split()[:2])
            symbols = {
                OPENING: [[f"{kind} {word}" for word in _openings(text)] for text in options]
            }
            made.append(one._replace(cues=told, symbols={**one.symbols, **symbols}))
    if made:
        yield Problem(name, "exact", made, design="training", rules=RULES)


def _written(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Sentence, question and answer of a row, as a prompt with an answer or as a conversation."""
    if "messages" in row:
        prompt, answer = (message["content"] for message in row["messages"])
    else:
        prompt, answer = row["prompt"], row.get("completion") or row["solution"]
    sentence, _, question = prompt.removesuffix("\nAnswer:").partition("\n")
    return sentence, question.removeprefix("Question: "), answer.strip()


def _openings(text: str) -> list[str]:
    """Its first word, or that it is a number, and how many words it has."""
    words = text.split()
    first = "9" if words[0].isdigit() else words[0]
    return [first, f"{first} {len(words)}", f"{min(len(words), 9)}"]


def _counts(sentence: str, question: str, options: Sequence[str]) -> list[dict[str, float]]:
    """Nouns around the asked one, and how numbers, chains and verbs of an answer go with them."""
    stems, told = stems_of(sentence), stems_of(question)
    asked = noun_place(told, stems)
    which = zlib.crc32(" ".join(question.split()[:2]).encode()) % 97  # kinds of questions apart
    named = [stems.index(word) for word in told if word in stems and word not in ARTICLES]
    before = -1 if asked is None else phrase_of(asked, stems)
    n_nouns = phrase_of(len(stems), stems)
    found = []
    for text in options:
        own = stems_of(text)
        starts = [i for i, word in enumerate(own) if word == "the"]
        places = [noun_place(own[i : i + 3], stems) for i in starts]
        nouns = [phrase_of(place, stems) for place in places if place is not None]
        number = int(own[0]) if own and own[0].isdigit() else NOWHERE
        inside = [stems.index(word) for word in own if word in stems and word not in ARTICLES]
        verbs = [at for at in inside if stems[at - 1] not in ARTICLES]
        found.append(
            {
                "nouns of the sentence": n_nouns,
                "nouns before the asked one": before,
                "its number less the nouns": number - n_nouns,
                "says none": float(own[:1] == ["non"] or own[:1] == ["none"]),
                "links less the nouns that follow": own.count("led") + 2 + before - n_nouns,
                "first noun after the asked one": nouns[0] - before if nouns else NOWHERE,
                "last noun after the asked one": nouns[-1] - before if nouns else NOWHERE,
                "which question": which,
                "nouns less its first one": n_nouns - nouns[0] if nouns else NOWHERE,
                "its first verb from the end": len(stems) - verbs[0] if verbs else NOWHERE,
                "its first verb from the named word": verbs[0] - named[0] if verbs and named else 0,
                "its last verb from the last named": verbs[-1] - named[-1]
                if verbs and named
                else 0,
                "the last named from the end": len(stems) - named[-1] if named else NOWHERE,
            }
        )
    return found


def questions(name: str, rows: Rows) -> Iterator[Problem]:
    """The core questions: all, those of a middle depth, and both of a sentence and its control.

    `accuracy_middle` leads, since of these its best shallow reader is far below gold and Link
    Grammar is not: the others are what it was chosen among.
    """
    core = [row for row in rows if row["question_type"] in CORE]
    nested = [row for row in core if not row.get("question_id")]
    right = [row for row in core if row.get("construction") == "right_branching"]
    inside = [row for row in nested if 0 < row["depth"] < row["level"]]
    middle = [row for row in inside if row["question_type"] in MIDDLE_TYPES]
    leads = [row for row in middle if row["level"] >= MIDDLE_LEVEL]
    for score, asked in (
        ("accuracy_middle", leads),
        ("accuracy_core", nested),
        ("core_inside", inside),
    ):
        made = [_question(row) for row in asked]
        design: Design = "headline" if asked is leads else "paper"
        yield Problem(name, score, made, "share", design, REAL, COUNTING)
    for title, chosen in (("core", nested), ("core_inside", inside), ("middle", leads)):
        ids = {row["id"] for row in chosen}
        both = [*chosen, *(row for row in right if row["question_id"] in ids)]
        made = [_question(row) for row in both]
        yield Problem(name, f"{title}_with_control", made, "units", "paper", REAL, COUNTING)


def _question(row: Mapping[str, Any]) -> OptionChoice:
    """A free question as a choice: of the nouns, or of the verb phrases as they follow."""
    sentence, kind = row["sentence"], row["question_type"]
    nouns = nouns_in(sentence)
    if kind == "agent_identification":
        options = [noun for noun in nouns if noun != f"the {row['entity']}"]
        made = choices(sentence, row["question"], options, options.index(row["answer"]), "", kind)
    else:
        form = "past" if kind == "nested_dependency" else "base"
        phrases = [f"{e['verb'][form]} {e['verb']['tail'] or ''}".strip() for e in row["events"]]
        gold = max(range(len(phrases)), key=lambda k: _shared(phrases[k], row["answer"]))
        made = choices(sentence, row["question"], phrases, gold, "", kind)
        rank = _asked_phrase(row, phrases)
        for k, cues in enumerate(made.cues):
            cues["verb phrases after the one that is named"] = k - rank if rank >= 0 else -99
            cues["is the verb phrase after the one that is named"] = float(0 <= rank == k - 1)
            cues["place among the verb phrases"] = k
            cues["place from the end"] = len(phrases) - k
            cues[MIRROR] = _from_mirror(row, phrases[k])
            cues |= {name: _from_mirror(row, phrases[k], share) for name, share in MIRRORS.items()}
        before = row["sentence"].lower().partition(f"the {row['entity']}")[0].split().count("the")
        ordinals = [[f"{before} {len(phrases) - k}"] for k in range(len(phrases))]
        made = made._replace(symbols={**made.symbols, ORDINAL: ordinals})
    for cues in made.cues:
        cues["the sentence begins with a relative clause"] = float(
            sentence.split()[2:3] == ["that"]
        )
    unit = row.get("question_id") or row["id"]
    return made._replace(cluster=row["pair_id"], unit=unit, row=row["id"])


def _from_mirror(row: Mapping[str, Any], phrase: str, share: float | None = None) -> float:
    """Characters between a verb phrase and where the asked noun is from the other end.

    With a `share` the noun's place counts so much, and the verb phrase is where it ends.
    """
    sentence = row["sentence"].lower()
    noun, verb = sentence.find(f"the {row['entity']}"), sentence.find(stems_of(phrase)[0])
    if share is None:
        return -abs(len(sentence) - int(verb) - int(noun))
    return -abs(len(sentence) - 1 - int(verb) - len(phrase) - share * int(noun))


def _asked_phrase(row: Mapping[str, Any], phrases: Sequence[str]) -> int:
    """Place of the verb that the question names, -1 for none."""
    told = row["question"].lower()
    for k, event in enumerate(row["events"]):
        verb = event["verb"]
        if any(re.search(rf"\b{re.escape(verb[form])}\b", told) for form in ("participle", "past")):
            return k
    return -1


def _shared(phrase: str, answer: str) -> int:
    return len(phrase) if answer == phrase or answer.startswith(f"{phrase} ") else -1


def nouns_in(sentence: str) -> list[str]:
    """Noun phrases of a sentence, in their order."""
    from research.systems.nulls import nouns_in as found

    return [f"the {noun}" for noun in found(sentence)]


def _pair(row: Mapping[str, Any]) -> str:
    """The pair that a row of a view is of, from its id: `items-validation-2-00000-i-0-TYPE`."""
    match = re.search(r"\d+-\d{5}", row["id"])
    return match.group() if match else row["id"]


def _asked(row: Mapping[str, Any]) -> str:
    """The type of the question in a view's id."""
    return next((kind for kind in CORE if kind in row["id"]), "")


def pairs(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `pairs`: two nouns after both members, crossed."""
    made = []
    for row in rows:
        nouns = (row["plausible_noun"], row["implausible_noun"])
        asked = row["probe"].removeprefix("The one that ")  # begins with the verb
        given = (asked, [f"the {noun}" for noun in nouns])
        members = [
            merged(text_cues(nouns), context_cues(text, *given), mirror_cues(text, *given))
            for text in (row["plausible"], row["implausible"])
        ]
        cues = [
            {key: members[0][k][key] + members[1][1 - k].get(key, 0) for key in members[0][k]}
            for k in (0, 1)
        ]
        apart = [
            [f"{one[k].get(TO_NOUN)}" for one, k in zip(members, ks, strict=True)]
            for ks in ((0, 1), (1, 0))
        ]
        symbols = {TO_NOUN: apart}
        made.append(
            OptionChoice(nouns, 0, row["cluster"], row["id"], cues, symbols, row["construction"])
        )
    yield Problem(name, "accuracy", made, rules=RULES)


BESIDE = {"questions_lite": "controls"}
"""A config whose rows, of the same questions, are read beside those of another."""
CONFIGS = {
    "choice": choice,
    "pairs": pairs,
    "questions_lite": questions,
    "choice_*": choice_view,
    "squad_*": squad,
    "preference_*": preference_view,
    **dict.fromkeys(("completion_*", "messages_*", "solution_*"), written_view),
}
