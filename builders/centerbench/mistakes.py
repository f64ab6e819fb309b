"""What misled an answer: the plausible one, the nearest noun."""

import re
from collections.abc import Sequence

from builders.centerbench.events import VERB_FORMS
from builders.columns import Row
from builders.mistakes import NOTHING, Mistake, Pairs, Readers

CORE = ("action_performed", "agent_identification", "nested_dependency")


def _answer(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
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
    return any(_has(text, verb[form]) for form in VERB_FORMS if form != "tail")


MISTAKES: Readers = {"matched_pair_accuracy": _answer}
