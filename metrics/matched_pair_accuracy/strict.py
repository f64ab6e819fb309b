"""The strict scorer: what a reply states, compared with what the row's `events` say.

A reply is cut into units (`cleaning`), and each unit is read with the words of its own sentence
(`reading`). It is right where its answer states what was asked for and nothing in it is false, and
nothing after the answer takes it back: a second noun, another number, a false sentence, "No, wait".
It does not matter how it is said: tense, voice, articles, connectors, case. Which unit is the
answer: the one after the last "no, wait", else the last one that begins with "therefore" or its
like and states an answer, else the first that states anything.
"""

import re

from .cleaning import answer_units, without_frame
from .frames import CONCLUSION, CORRECTION, HEDGE, TALK
from .reading import Reader, Sentence
from .sequences import decide_sequence
from .statements import TOKEN, VERDICTS, AskedQuestion, Decision, Verdict

SEQUENCES = ("causal_sequence", "chain_consequence")
_LIST_NUMBER = re.compile(r"^\(?\d{1,2}[.)]$")


def is_correct(
    reply: str,
    sentence: Sentence,
    depth: int,
    question_type: str,
    *,
    accept_full_chain: bool = False,
) -> bool:
    """Whether a reply answers one question of a sentence; arguments as in `judge`."""
    return judge(
        reply, sentence, depth, question_type, accept_full_chain=accept_full_chain
    ).is_right


def judge(
    reply: str,
    sentence: Sentence,
    depth: int,
    question_type: str,
    *,
    accept_full_chain: bool = False,
) -> Decision:
    """Reads a reply to one question of a sentence.

    Args:
        reply: The whole reply; `cleaning.answer_units` finds the units in it.
        sentence: The sentence's events.
        depth: Depth of the entity that is asked about, 0 = outermost.
        question_type: One of `QUESTION_TYPES`.
        accept_full_chain: Whether a consequence may go on to the end of the chain of events.

    Source: question and answer rules of CenterBench (EACL 2026), Table 9; that the answer is
        compared by structure is ours.
    """
    question = AskedQuestion(question_type, sentence.n - 1 - depth, accept_full_chain)
    units = answer_units(reply, has_items=question_type != "entity_count")
    # a word that is a noun and a verb of the sentence is read both ways
    decisions = [_decide(units, reader, question) for reader in sentence.readers]
    return Decision(any(d.is_right for d in decisions), any(d.is_parsed for d in decisions))


def _decide(units: list[str], reader: Reader, question: AskedQuestion) -> Decision:
    units = _after_corrections(units)
    if question.kind in SEQUENCES:
        return decide_sequence(units, reader, question)
    verdicts = [
        Verdict.NOTHING
        if i and _LIST_NUMBER.match(unit)  # the 1. of a list
        else VERDICTS[question.kind](without_frame(unit), reader, question)
        for i, unit in enumerate(units)
    ]
    is_parsed = any(verdict is not Verdict.NOTHING for verdict in verdicts)
    answer = _answer_place(units, verdicts)
    if answer is None or verdicts[answer] is not Verdict.RIGHT:
        return Decision(False, is_parsed)
    is_open = any(map(_takes_back, units[answer + 1 :], verdicts[answer + 1 :]))
    return Decision(not is_open, is_parsed)


def _after_corrections(units: list[str]) -> list[str]:
    """The units from the last "no, wait" on; all if there is none."""
    for i in range(len(units) - 1, 0, -1):
        if match := CORRECTION.match(units[i]):
            rest = units[i][match.end() :]
            return [rest, *units[i + 1 :]] if rest.strip(" .,!") else units[i + 1 :]
    return units


def _answer_place(units: list[str], verdicts: list[Verdict]) -> int | None:
    """Place of the answer: after the last "therefore", else the first unit that is no mere talk."""
    states = (Verdict.RIGHT, Verdict.FALSE)
    for i in range(len(units) - 1, 0, -1):
        if CONCLUSION.match(units[i]) and verdicts[i] in states:
            return i
    for i, (unit, verdict) in enumerate(zip(units, verdicts, strict=True)):
        is_talk = verdict is Verdict.NOTHING and not TALK.isdisjoint(TOKEN.findall(unit))
        is_introduction = verdict is Verdict.TRUE and i + 1 < len(units)
        if not is_talk and not is_introduction:
            return i
    return None


def _takes_back(unit: str, verdict: Verdict) -> bool:
    return verdict is Verdict.FALSE or (verdict is Verdict.NOTHING and bool(HEDGE.search(unit)))
