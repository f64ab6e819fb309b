"""The strict scorer on real replies, beside two readers who did not know what it decides.

    python -m research centerbench answer_readings

`data/answer_readings.tsv` holds replies of four systems to questions of `questions_lite`
and what each reader said of them: right, wrong (it commits to something else) or none (it commits
to nothing). The readers are language models. They saw sentence, question, gold answer and reply in
a shuffled order, neither system nor decision. The scorer's decision is not stored: it is made anew,
on the sentences that were read (`data/answer_sentences.tsv`, VERSION 2.0.0 of the suite).

Source: the readings are ours; kappa is Cohen's (1960), the intervals are Wilson's (1927).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal

from builders.centerbench.parser import CenterLexicon
from builders.centerbench.questions import ask_questions
from builders.centerbench.relations import KnowledgeBase
from ground.markdown import format_cell, markdown_table
from ground.tables import read_table
from metrics.matched_pair_accuracy.decisions import decide
from research.readings.agreement import cohen_kappa
from research.studies.published_tables import DATA
from research.studies.report import Shown, wilson_text
from research.studies.study import Options, Run, Study

READINGS, SENTENCES = DATA / "answer_readings.tsv", DATA / "answer_sentences.tsv"

Verdict = Literal["right", "wrong", "none"]
ALL = "all"


@dataclass(frozen=True)
class ReadReply:
    """One row of answer_readings.tsv; the reply is a JSON string.

    `, reasoning` after a system's name: it was asked to reason step by step first.
    """

    system: str
    id: str
    reply: str
    first: Verdict
    second: Verdict


@dataclass(frozen=True)
class ReadSentence:
    """One row of answer_sentences.tsv."""

    sentence_id: str
    sentence: str


@dataclass(frozen=True)
class Decided:
    """A reply, its question's row, and whether the strict scorer and each reader call it right."""

    reading: ReadReply
    row: Mapping[str, Any]
    strict: bool
    first: bool
    second: bool


def read_readings() -> list[ReadReply]:
    """Every reply that was read."""
    return read_table(READINGS, ReadReply)


def rows(options: Options) -> list[Decided]:
    """Every reply with today's decision of the strict scorer."""
    questions = {row["id"]: row for row in read_questions()}
    return [decided(reading, questions[reading.id]) for reading in read_readings()]


def read_questions() -> Iterator[Mapping[str, Any]]:
    """All questions about the sentences that were read, from what a parser finds in them."""
    knowledge = KnowledgeBase()
    lexicon = CenterLexicon(knowledge.nouns, knowledge.verbs)
    for read in read_table(SENTENCES, ReadSentence):
        (reading,) = lexicon.parse(read.sentence)
        events = reading.events(knowledge.forms)
        for asked in ask_questions(events, knowledge.people):
            yield asked._asdict() | {
                "id": f"{read.sentence_id}-{asked.depth}-{asked.question_type}",
                "sentence": read.sentence,
                "events": [event.as_row() for event in events],
            }


def decided(reading: ReadReply, row: Mapping[str, Any]) -> Decided:
    """A reply with the strict scorer's decision on it."""
    is_right = decide(json.loads(reading.reply), row).is_right
    return Decided(reading, row, is_right, reading.first == "right", reading.second == "right")


def score(found: Sequence[Decided], run: Run) -> dict[str, Any]:
    """Agreement of all replies and of each system's, and what not all say the same of."""
    parts = {ALL: list(found)}
    for name in sorted({one.reading.system for one in found}):
        parts[name] = [one for one in found if one.reading.system == name]
    return {
        "agreement": {name: agreement(part) for name, part in parts.items()},
        "disputed": [one for one in found if len({one.strict, one.first, one.second}) > 1],
    }


def agreement(found: Sequence[Decided]) -> dict[str, float | int]:
    """How many each calls right, kappas (nan where both call all the same), and the errors."""
    strict, first, second = (
        [getattr(one, name) for one in found] for name in ("strict", "first", "second")
    )
    both = [one.strict for one in found if one.first and one.second]
    neither = [one.strict for one in found if not (one.first or one.second)]
    return {
        "n": len(found),
        "strict": sum(strict),
        "first": sum(first),
        "second": sum(second),
        "kappa_readers": cohen_kappa(first, second),
        "kappa_first": cohen_kappa(strict, first),
        "kappa_second": cohen_kappa(strict, second),
        "false_accepts": sum(neither),
        "n_not_right": len(neither),
        "false_rejects": len(both) - sum(both),
        "n_right": len(both),
    }


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """The table, and the replies that are disputed."""
    text = result_text(scored["agreement"], scored["disputed"])
    figures = {
        name: {key: value for key, value in found.items() if not isnan(value)}
        for name, found in scored["agreement"].items()
    }
    return [Shown(text, figures)]


def result_text(found: Mapping[str, Mapping[str, float | int]], disputed: Sequence[Decided]) -> str:
    """The table of every system, and the replies of which not all say the same."""
    table = [{"system": name, **_shown(part)} for name, part in found.items()]
    text = (
        f"{found[ALL]['n']} replies to questions of `questions_lite`, each read by two language"
        " models, not by people, who saw sentence, question, gold answer and reply and neither the"
        " system nor the scorer's decision. Kappa is of right or not (Cohen); a dash stands where"
        " both call every reply the same. False accepts are counted among the replies that neither"
        " reader calls right, false rejects among those that both do, in percent with 95 % Wilson"
        f" intervals that take replies for independent.\n\n{markdown_table(table)}"
    )
    if not disputed:
        return text
    lines = markdown_table(map(_line, disputed))
    return f"{text}\nReplies of which not all three say the same:\n\n{lines}"


def _shown(part: Mapping[str, float | int]) -> dict[str, object]:
    return {
        "replies": part["n"],
        "right: strict / first / second": f"{part['strict']} / {part['first']} / {part['second']}",
        "kappa, readers": format_cell(part["kappa_readers"], 3),
        "strict, first": format_cell(part["kappa_first"], 3),
        "strict, second": format_cell(part["kappa_second"], 3),
        "false accepts": _share(int(part["false_accepts"]), int(part["n_not_right"])),
        "false rejects": _share(int(part["false_rejects"]), int(part["n_right"])),
    }


def _share(n: int, of: int) -> str:
    return f"{n} of {of}: {wilson_text(n, of)}" if of else "–"


def _line(one: Decided) -> dict[str, object]:
    return {
        "system": one.reading.system,
        "question": one.row["question"],
        "gold": one.row["answer"],
        "reply": f"`{one.reading.reply[1:-1]}`",
        "strict": "right" if one.strict else "not right",
        "first": one.reading.first,
        "second": one.reading.second,
    }


STUDY = Study.of(__name__, metrics=("matched_pair_accuracy",))
