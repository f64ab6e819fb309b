"""How wrong answers fail, by the kinds of the paper's section 5.5, from answers as they are stored.

The paper reads traces by hand and names examples (its Tables 14 to 16); these are markers by rule,
so that any answers can be tabulated. Nobody has compared them with hands.

Source: Madhusudan, Chen and Emami (2026), section 5.5.
"""

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ground.markdown import markdown_table, percent
from metrics.matched_pair_accuracy.decisions import decide
from research.studies.report import headings

KINDS = headings("centerbench failures")
# what people and models say instead of an answer; words of a closed class, no data of a suite
REFUSAL = re.compile(
    r"^\W*(?:the answer is\s*:?\s*)?(?:no response|no answer|nothing|no ?one|nobody|none|unknown"
    r"|n/?a|not applicable|unanswerable)\W*$"
    r"|\b(?:can ?not|can't|could not|unable to|impossible to|not possible to) (?:be )?"
    r"(?:answer|determine|tell|say|know|provide|identif|infer|give)"
    r"|\bnot (?:stated|specified|mentioned|given|said|clear|enough information)\b"
    r"|\bdoes(?: not|n't) (?:say|state|specify|mention|make sense)\b"
    r"|\b(?:no one|nobody|nothing) in (?:this|the) sentence\b",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
Row = Mapping[str, Any]


def kind_of(answer: Row, question: Row, plausible: Row | None = None) -> str:
    """The kind of an answer, one of `KINDS`; the first that fits, in their order.

    Example:
        >>> answer = {"text": "Nothing.", "reasoning": "", "finish_reason": "stop"}
        >>> kind_of(answer | {"problem": "refused: a filter"}, {})
        'refusal'
    """
    if problem := answer["problem"]:
        return "refusal" if problem.startswith("refused") else "missing"
    text, is_cut = answer["text"], answer["finish_reason"] == "length"
    decision = decide(text, question)
    if decision.is_right:
        return "right"
    if REFUSAL.search(text) or (not text and answer["reasoning"] and not is_cut):
        return "refusal"
    if plausible and is_of_plausible(text, question, plausible):
        return "interference"
    if any(
        decide(said, question).is_right
        for said in SENTENCE_END.split(answer["reasoning"] or "")
        if said.strip()
    ):
        return "overthinking"
    return "format" if is_cut or not decision.is_parsed else "other"


def is_of_plausible(text: str, question: Row, plausible: Row) -> bool:
    """Whether an answer is right of the same entity in the plausible sentence of the pair."""
    subjects = [event["subject"] for event in plausible["events"]]
    if question["condition"] != "implausible" or question["entity"] not in subjects:
        return False
    # events are listed innermost first, depth counts from the outermost
    depth = len(subjects) - 1 - subjects.index(question["entity"])
    swapped = {**question, "events": plausible["events"], "depth": depth}
    return bool(decide(text, swapped).is_right)


def count_kinds(answers: Sequence[Row], questions: Sequence[Row]) -> list[dict[str, Any]]:
    """Counts of each kind by condition, with the median words of right and of wrong reasoning."""
    plausible = {q["pair_id"]: q for q in questions if q["condition"] == "plausible"}
    found: dict[str, list[tuple[str, Row]]] = {}
    for answer, question in zip(answers, questions, strict=True):
        kind = kind_of(answer, question, plausible.get(question["pair_id"]))
        found.setdefault(question["condition"], []).append((kind, answer))
    rows = []
    for condition, own in found.items():
        counts = Counter(kind for kind, _ in own)
        row = {"condition": condition, "n": len(own)} | {kind: counts[kind] for kind in KINDS}
        for name, is_right in (("right", True), ("wrong", False)):
            answered = [answer for kind, answer in own if (kind == "right") is is_right]
            row[f"words_{name}"] = _median_words(answered)
        rows.append(row)
    return rows


def failure_text(by_system: Mapping[str, Sequence[Row]]) -> str:
    """The table of the kinds in percent, and what they are."""
    rows = [
        {"system": system, "condition": row["condition"], "n": row["n"]}
        | {kind: percent(row[kind] / row["n"]) for kind in KINDS}
        | {f"words, {name}": row[f"words_{name}"] for name in ("right", "wrong")}
        for system, of_system in by_system.items()
        for row in of_system
    ]
    said = "; ".join(f"{kind}: {text}" for kind, text in KINDS.items())
    return (
        "How answers fail, in percent, by markers that no person has checked; the first that fits"
        f" ({said}). Words: median length of the reasoning.\n\n{markdown_table(rows)}"
    )


def _median_words(answers: Sequence[Row]) -> int | None:
    lengths = [len(answer["reasoning"].split()) for answer in answers if answer["reasoning"]]
    return int(statistics.median(lengths)) if lengths else None
