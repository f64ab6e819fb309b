"""Right or wrong: replies and rows in, one decision per reply out, by any of the scorers.

A missing reply (None, nan) is wrong and counted; an empty one is an answer, and wrong. Every item
has the same number of runs.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..columns import BoolArray, check_lengths, check_option, shown, to_list
from .inputs import QUESTION_TYPES, check_events
from .paper import PaperScorer
from .reading import Sentence
from .statements import Decision
from .strict import judge

Replies = list[list[str | None]]

SCORERS = ("strict", "exact", "paper")
SCORER_FIELDS = {
    "strict": ("events", "depth", "question_type"),
    "exact": (),
    "paper": ("question_type",),
}


class Decisions(NamedTuple):
    """What a scorer says of n replies in r runs.

    Attributes:
        correct: Shape (n, r).
        is_parsed: Whether a reply states anything that can be read, shape (n, r); None where the
            scorer does not read.
        options: The models and settings it used.
    """

    correct: BoolArray
    is_parsed: BoolArray | None
    options: dict[str, Any]


def decide(reply: str, row: Mapping[str, Any], *, accept_full_chain: bool = False) -> Decision:
    """Decision of the strict scorer on one reply to one question row, without its pair.

    Args:
        reply: What the model wrote.
        row: A question row; `events`, `depth` and `question_type` are read.
        accept_full_chain: Whether a consequence may go on to the end of the chain of events.

    Returns:
        `is_right`, and `is_parsed`: whether anything in the reply could be read as a statement.

    Raises:
        ValueError: The row lacks a field, or its events are no chain.

    Example:
        >>> see = {"base": "see", "past": "saw", "participle": "seen", "gerund": "seeing"}
        >>> run = {"base": "run", "past": "ran", "participle": "run", "gerund": "running"}
        >>> see |= {"third": "sees", "tail": ""}
        >>> run |= {"third": "runs", "tail": ""}
        >>> events = [{"subject": "cat", "verb": see, "object": "mouse"}]
        >>> events += [{"subject": "mouse", "verb": run, "object": None}]
        >>> row = {"events": events, "depth": 0, "question_type": "agent_identification"}
        >>> decide("I think the cat did.", row).is_right
        True
        >>> decide("The cat. No, wait: the mouse.", row).is_right
        False
    """
    where = "decide: row"
    if missing := [name for name in SCORER_FIELDS["strict"] if name not in row]:
        raise ValueError(
            f"{where}: got no field {missing[0]!r}; expected events, depth, question_type"
        )
    if not isinstance(reply, str):
        raise ValueError(f"decide: reply, got {shown(reply)}; expected an answer as a string")
    check_option("decide", "question_type", row["question_type"], QUESTION_TYPES)
    sentence = _sentence(where, check_events(f"{where}: events", row["events"]), {})
    _check_depth(where, row["depth"], sentence)
    return judge(
        reply, sentence, row["depth"], row["question_type"], accept_full_chain=accept_full_chain
    )


def check_runs(where: str, replies: Replies) -> None:
    """Raises a ValueError where items have different numbers of runs, or none."""
    counts = {len(runs) for runs in replies}
    if len(counts) > 1 or 0 in counts:
        raise ValueError(
            f"{where}: got between {min(counts)} and {max(counts)} replies per item; expected "
            f"equally many, at least one"
        )


def decide_all(
    where: str,
    scorer: str,
    replies: Replies,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Decisions:
    """Decides on every reply.

    Args:
        where: What is scored, for messages.
        scorer: One of `SCORERS`.
        replies: One list of replies per row.
        columns: `answer` and the scorer's `SCORER_FIELDS`.
        options: `accept_full_chain` (strict), `paper` (a `PaperScorer`).

    Raises:
        ValueError: Unknown scorer, unequal lengths, or rows that lack what the scorer needs.
    """
    check_option(where, "scorer", scorer, SCORERS)
    values = {name: to_list(columns[name]) for name in ("answer", *SCORER_FIELDS[scorer])}
    check_lengths(where, predictions=replies, references=values["answer"])
    by_scorer: dict[str, Callable[..., Decisions]] = {
        "strict": decide_strictly,
        "exact": decide_exactly,
        "paper": decide_as_published,
    }
    return by_scorer[scorer](where, replies, values, options)


def decide_exactly(
    where: str, replies: Replies, values: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> Decisions:
    """Right if the reply equals the answer but for case and outer blanks."""
    correct = [
        [reply is not None and reply.strip().lower() == gold.strip().lower() for reply in runs]
        for runs, gold in zip(replies, values["answer"], strict=True)
    ]
    return Decisions(np.array(correct, dtype=bool), None, {})


def decide_strictly(
    where: str, replies: Replies, values: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> Decisions:
    """Right if the reply says what the row's events say (`strict`); `answer` is not compared.

    Warns of rows whose `answer` contradicts their events, so that one of the two is wrong.
    """
    sentences: dict[tuple[Any, ...], Sentence] = {}
    full = bool(options.get("accept_full_chain", False))
    decisions, contradictory = [], []
    rows = zip(
        replies, *(values[name] for name in ("answer", *SCORER_FIELDS["strict"])), strict=True
    )
    for i, (runs, gold, events, depth, kind) in enumerate(rows):
        sentence = _sentence(f"{where}: references[{i}]", events, sentences)
        _check_depth(f"{where}: references[{i}]", depth, sentence)
        by_reply = {
            reply: judge(reply, sentence, depth, kind, accept_full_chain=full)
            for reply in {gold, *runs}
            if reply is not None
        }
        contradictory += [] if by_reply[gold].is_right else [i]
        decisions.append([by_reply.get(reply, Decision(False, False)) for reply in runs])
    _warn_of_answers(where, contradictory, values["answer"])
    both = np.array(decisions, dtype=bool)
    return Decisions(both[:, :, 0], both[:, :, 1], {"accept_full_chain": full})


def _warn_of_answers(where: str, contradictory: list[int], answers: list[str]) -> None:
    if contradictory:
        first = contradictory[0]
        got = f"got {len(contradictory)} of {len(answers)} that contradict the row's events"
        warnings.warn(
            f"{where}: references: answer, {got}, the first {answers[first][:80]!r} in "
            f"references[{first}]; expected what the events say, by which scorer='strict' goes",
            stacklevel=2,
        )


def _check_depth(where: str, depth: Any, sentence: Sentence) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth < sentence.n:
        raise ValueError(
            f"{where}: depth, got {depth!r}; expected 0 to {sentence.n - 1}, it has {sentence.n} "
            "events"
        )


def decide_as_published(
    where: str, replies: Replies, values: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> Decisions:
    """Right if the published pipeline says so (`paper`)."""
    scorer: PaperScorer = options.get("paper") or PaperScorer()
    flat = [reply or "" for runs in replies for reply in runs]
    repeats = len(replies[0])
    golds = [gold for gold in values["answer"] for _ in range(repeats)]
    kinds = [kind for kind in values["question_type"] for _ in range(repeats)]
    is_given = np.array([[reply is not None for reply in runs] for runs in replies])
    correct = np.array(scorer.decide(flat, golds, kinds), dtype=bool).reshape(len(replies), repeats)
    return Decisions(correct & is_given, None, scorer.signature())


def _sentence(where: str, events: Any, sentences: dict[tuple[Any, ...], Sentence]) -> Sentence:
    if len(events) < 2:
        got = f"events, got {len(events)}"
        raise ValueError(f"{where}: {got}; expected at least two, a verb for every noun")
    key = tuple(
        [(event["subject"], event["verb"]["base"], event["verb"]["tail"]) for event in events]
    )
    if key not in sentences:
        try:
            sentences[key] = Sentence(events)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return sentences[key]
