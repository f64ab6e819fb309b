"""Items that a system got wrong, and the fact of the row that misled it.

A metric's `per_item` says what was wrong; the row's columns say what a shortcut would have read.
Nothing is guessed: where the columns tell of nothing that misleads, that is what is said.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from garden_path.scoring import Row
from metrics.minimal_pair_preference.members import WHOLE

Pairs = Mapping[str, Sequence[Row]]
Pieces = list[tuple[str, str]]

NOTHING = "Nothing in the row"
UNDECIDED = ("plausibility", "none")
CORE = ("action_performed", "agent_identification", "nested_dependency")
FORMS = ("base", "past", "participle", "gerund", "third")
FACTS = (
    ("sinan", "The subject is inanimate."),
    ("oan", "The object is animate."),
    ("invan", "The object is animate and the subject is not."),
)


class Mistake(NamedTuple):
    """An item that a system got wrong.

    Attributes:
        id: The row.
        text: The sentence in pieces, each with its mark: "", "right" or "misled".
        right, read: What is right, "" where the text is it, and what the system made of it.
        misled: What the row has that misleads.
        is_told: Whether that leads to this mistake.
        group: What is mixed in a choice of mistakes, such as the paradigm.
        asked: The question, "" where none is asked.
    """

    id: str
    text: Pieces
    right: str
    read: str
    misled: str
    is_told: bool
    group: Hashable
    asked: str = ""


def find_mistakes(
    metric: str, rows: Sequence[Row], items: Sequence[Row], limit: int
) -> tuple[int, list[Mistake]]:
    """How many items are wrong, and some of them, no text twice.

    First those in which the row itself misleads; among them one of each group in turn.

    Args:
        metric: The metric.
        rows: The rows of the test.
        items: Entries of the metric's `per_item`, one for each row.
        limit: How many mistakes are told at most.
    """
    if metric not in READERS or len(rows) != len(items):
        return 0, []
    pairs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row.get("pair_id", "")].append(row)
    read = (READERS[metric](row, item, pairs) for row, item in zip(rows, items, strict=True))
    wrong = [mistake for mistake in read if mistake is not None]
    turn: dict[Hashable, int] = defaultdict(int)
    ranked = []
    for mistake in sorted(wrong, key=lambda one: not one.is_told):
        ranked.append((not mistake.is_told, turn[mistake.group], mistake))
        turn[mistake.group] += 1
    ranked.sort(key=lambda one: one[:2])
    shown: dict[str, Mistake] = {}
    for *_, mistake in ranked:
        shown.setdefault("".join(piece for piece, _ in mistake.text), mistake)
    return len(wrong), list(shown.values())[:limit]


def _cut(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Segmented sentences: the word that a local reading forms."""
    if item["is_pair_correct"]:
        return None
    site, start, true, canary = (
        row[n] for n in ("test_site", "site_start", "true_word", "canary_word")
    )
    cuts = {true: (true, site[2]), canary: (site[0], canary)}
    if row["branching"] == "right":
        cuts = {true: (site[0], true), canary: (canary, site[2])}
    read = f"{true} is no word of its own"
    if item["is_canary"]:
        read = " | ".join(cuts[canary])
    elif item["is_true_word"]:
        read = f"{' | '.join(cuts[true])}, but the control sentence is cut otherwise"
    elif item["is_both"] or item["is_neither"]:
        read = " | ".join(site) if item["is_both"] else f"{site}, without a cut"
    misled = f"{canary} is a word too, and its characters stand side by side in {site}."
    if canary not in row["control_site"]:
        was = "right" if item["is_control_word"] else "wrong"
        misled += f" With {row['control_site']}, where it cannot form, the system was {was}."
    text, end = row["test"], start + len(site)
    pieces = [(text[:start], ""), (site, "misled"), (text[end:], "")]
    told = item["is_canary"]
    return Mistake(
        row["id"], pieces, " | ".join(cuts[true]), read, misled, told, row["paradigm_id"]
    )


def _roles(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Clauses: order and animacy."""
    lost = [name for name in ("subject", "object") if not item[f"is_{name}_right"]]
    if not lost or row["resolved_by"] in UNDECIDED:
        return None
    words, is_swapped = row["tokens"], item["is_swapped"]
    subject, target = words[row["subject"]], words[row["object"]]
    read = (
        f"subject {target}, object {subject}" if is_swapped else f"{' and '.join(lost)} not found"
    )
    is_reversed = row["object"] < row["subject"]
    order = "The subject comes first, so word order does not mislead here."
    if is_reversed:
        order = "The object comes first, where word order alone expects the subject."
    facts = [order, *(fact for name, fact in FACTS if name in row["properties"])]
    pieces = _pieces(
        words, {row["subject"]: "right", row["object"]: "misled" if is_swapped else ""}
    )
    right = f"subject {subject}, object {target}{_decided(row)}"
    group = (row["word_order"], row["resolved_by"])
    told = is_swapped and is_reversed
    return Mistake(row["id"], pieces, right, read, " ".join(facts), told, group)


def _attachment(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Phrases: the nearest noun."""
    if item["is_head_right"] or row["resolved_by"] in UNDECIDED:
        return None
    words, head, chosen = row["tokens"], row["head"], item["chosen"]
    phrase = f"{words[row['adposition']]} … {words[row['pp']]}"
    read, misled = "neither the verb nor a noun", f"{NOTHING}: no candidate was taken."
    if chosen is not None:
        before = [place for place in row["candidates"] if place < row["adposition"]]
        is_near = chosen == max(before, default=-1)
        where = "the nearest candidate before the phrase" if is_near else "further from the phrase"
        read = f"{phrase} belongs to {words[chosen]}"
        misled = f"{words[chosen]} is a {'verb' if chosen == row['verb'] else 'noun'}, {where}."
    right = f"{phrase} belongs to {words[head]}{_decided(row)}"
    pieces = _pieces(words, {chosen: "misled", head: "right"})
    group = (row["position"], row["resolved_by"], row["preposition"])
    return Mistake(row["id"], pieces, right, read, misled, chosen is not None, group)


def _decided(row: Row) -> str:
    how = row["resolved_by"]
    return f" (resolved by: {how.replace('_', ' ')})" if how else ""


def _pieces(words: Sequence[str], marks: Mapping[Any, str]) -> Pieces:
    spaced = [
        (" " if i and w not in ".,?!:;" else "", w, marks.get(i, "")) for i, w in enumerate(words)
    ]
    return [
        piece for blank, word, mark in spaced for piece in ((blank, ""), (word, mark)) if piece[0]
    ]


def _answer(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Answers: the plausible one, the nearest noun."""
    if row["question_type"] not in CORE or item["correct"]:
        return None
    text, reply = row["sentence"], str(item["prediction"] or "")
    twin = next((r for r in pairs[row["pair_id"]] if r["condition"] == "plausible"), row)
    nouns = sorted({e["subject"] for e in row["events"]}, key=text.find)
    named = [noun for noun in nouns if _has(reply, noun)]
    words = re.split(r"\b", text)
    marks = {words.index(noun): "misled" for noun in named if noun in words}
    marks |= {words.index(n): "right" for n in nouns if _has(row["answer"], n) and n in words}
    pieces = [(word, marks.get(i, "")) for i, word in enumerate(words) if word]
    misled = _plausible(row, twin, reply) or _neighbour(row, reply, nouns, named)
    told, group = not misled.startswith(NOTHING), (row["level"], row["condition"])
    read, asked = reply or "no answer", row["question"]
    return Mistake(row["id"], pieces, row["answer"], read, misled, told, group, asked)


def _plausible(row: Row, twin: Row, reply: str) -> str:
    """The reply is what the plausible sentence says of the participant that is asked about."""
    question = row["question"]
    for event in twin["events"] if row["condition"] == "implausible" else ():
        verb, other = event["verb"], event["object"]
        asked = _has(question, verb["past"]) and _has(question, other or "")
        is_done = _has(question, event["subject"]) and _has_verb(reply, verb)
        if is_done or (asked and _has(reply, event["subject"])):
            done = " ".join(filter(None, [verb["past"], verb["tail"], other and f"the {other}"]))
            return f"The plausible answer: in the plausible twin, the {event['subject']} {done}."
    return ""


def _neighbour(row: Row, reply: str, nouns: Sequence[str], named: Sequence[str]) -> str:
    """The reply names a noun next to the one that is asked about, or another event, or nothing."""
    for asked in (noun for noun in nouns if _has(row["question"], noun)):
        for name in (one for one in named if not _has(row["answer"], one)):
            if abs(nouns.index(name) - nouns.index(asked)) == 1:
                return f"The nearest noun: {name} stands next to {asked} in the sentence."
    for event in row["events"]:
        if _has_verb(reply, event["verb"]) and not _has(row["question"], event["subject"]):
            return f"Another event: it is the {event['subject']} that {event['verb']['past']}."
    return f"{NOTHING}: the reply names no nearer noun and no other event of the sentence."


def _has(text: str, word: str) -> bool:
    return bool(word) and re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def _has_verb(text: str, verb: Row) -> bool:
    return any(_has(text, verb[form]) for form in FORMS)


def _morphemes(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Words: cuts that are missing, cuts that are too many."""
    if item["is_correct"]:
        return None
    word, gold, found = row["word"], row["morphemes"], item["prediction"]
    true, cut = ({*accumulate(map(len, one[:-1]))} for one in (gold, found))
    facts = [f"No cut between {word[:i]} and {word[i:]}." for i in sorted(true - cut)]
    facts += [f"A cut inside a morpheme, after {word[:i]}." for i in sorted(cut - true)]
    right, read = " + ".join(gold), " + ".join(found)
    return Mistake(row["id"], [(word, "")], right, read, " ".join(facts), True, len(gold))


def _pair(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Texts and choices of language models: the likelier one, by how much."""
    told = f"{row.get('construction', '')}".replace("_", " ")
    if "choices" in row and "answer" in row:
        if item["right"]:
            return None
        other = next(one for one in row["choices"] if one != row["answer"])
        pieces, right, read = [(row["sentence"], "")], row["answer"], other
        misled = f"{NOTHING}: the construction is {told}."
        return Mistake(row["id"], pieces, right, read, misled, False, told, row["question"])
    names = next((two for two in WHOLE if two[0] in row and two[0] != "first"), None)
    if names is None or item["effect"] > 0:
        return None
    right, wrong = (row[name].split() for name in names)
    marks = {i: "right" for i, word in enumerate(right) if wrong[i : i + 1] != [word]}
    nats = f"{-item['effect']:.1f}".replace("-", "")
    misled = f"{NOTHING}: the construction is {told}; the other text is likelier by {nats} nats."
    pieces = _pieces(right, marks)
    return Mistake(row["id"], pieces, "", " ".join(wrong), misled, False, told)


READERS: Mapping[str, Callable[[Row, Row, Pairs], Mistake | None]] = {
    "garden_path_accuracy": _cut,
    "subject_object_las": _roles,
    "pp_attachment_accuracy": _attachment,
    "matched_pair_accuracy": _answer,
    "minimal_pair_preference": _pair,
    "morpheme_segmentation": _morphemes,
}
