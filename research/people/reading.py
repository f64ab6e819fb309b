"""Figures of CenterBench read by people: `accuracy_core` by level and condition, reading times.

The strict scorer decides the answers. Readers and sentence pairs are crossed in the intervals.

Source: Madhusudan, Chen and Emami (2026), section 4 and Figure 6; people were marked by hand there.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from builders.centerbench.forms import all_questions
from dataset_scripts.ratings import Rating
from metrics.matched_pair_accuracy.decisions import decide
from metrics.matched_pair_accuracy.inputs import CORE_TYPES
from research.people.answers import PersonAnswer
from research.people.rater_intervals import CrossedEstimate, crossed_difference, crossed_mean
from research.people.tables import Table, TableAnalysis, alpha, groups


class Read(NamedTuple):
    """One answer to one question: its row, who, what, and what the scorer says of it."""

    row: Mapping[str, Any]
    rater: str
    text: str
    strict: float

    @property
    def cell(self) -> tuple[int, str]:
        """Level and condition."""
        return self.row["level"], self.row["condition"]


def analyse(answers: Sequence[PersonAnswer]) -> TableAnalysis:
    """Figures, tables and ratings of the answers to `centerbench-reading` or `-pilot`."""
    found = decisions(answers)
    core = [one for one in found if one.row["question_type"] in CORE_TYPES]
    rows = [_cell_row(cell, some) for cell, some in groups(core, lambda one: one.cell).items()]
    gap = _gap(core)
    figures = {
        "n_answers": len(found),
        "accuracy": _mean(found).value,
        "accuracy_core": _mean(core).value,
        "gap": gap.value,
        "alpha_nominal": alpha([(o.row["id"], o.rater, o.strict) for o in found], "nominal"),
    }
    overall: list[dict[str, Any]] = [
        {"figure": "accuracy, all six types", "strict": _mean(found).text(100)},
        {"figure": "accuracy_core", "strict": _mean(core).text(100)},
        {"figure": "plausible minus implausible, core", "strict": gap.text(100)},
        {"figure": "alpha (nominal, right or wrong)", "strict": figures["alpha_nominal"]},
    ]
    title = "Action, agent and nested questions, percent right with 95 % intervals"
    return TableAnalysis(
        figures,
        [Table(title, rows), Table("Overall", overall), Table("Reading times", _times(answers))],
        [Rating(one.row["id"], one.rater, "strict", one.strict) for one in found],
        [{"id": one.row["id"], "system": one.rater, "answer": one.text} for one in found],
    )


def decisions(answers: Sequence[PersonAnswer]) -> list[Read]:
    """Every answer to a question with what the strict scorer says."""
    questions = all_questions()
    return [
        Read(questions[name], answer.rater, text, float(decide(text, questions[name]).is_right))
        for answer in answers
        for name, text in answer.answer.items()
    ]


def _mean(some: Sequence[Read]) -> CrossedEstimate:
    return crossed_mean([one.strict for one in some], *_columns(some))


def _gap(some: Sequence[Read]) -> CrossedEstimate:
    first = [one.row["condition"] == "plausible" for one in some]
    return crossed_difference([one.strict for one in some], first, *_columns(some))


def _columns(some: Sequence[Read]) -> tuple[list[str], list[str]]:
    return [one.rater for one in some], [one.row["pair_id"] for one in some]


def _cell_row(cell: tuple[int, str], some: Sequence[Read]) -> dict[str, Any]:
    row = {"level": cell[0], "condition": cell[1], "readers": len({one.rater for one in some})}
    return row | {"answers": len(some), "strict": _mean(some).text(100)}


def _times(answers: Sequence[PersonAnswer]) -> list[dict[str, Any]]:
    """Median seconds before the reader says to have read the sentence."""
    timed = [answer for answer in answers if answer.reading_milliseconds is not None]
    cells = groups(timed, lambda answer: (int(answer.item.split("-")[0]), answer.item[-1]))
    rows = []
    for (level, letter), some in cells.items():
        seconds = median((answer.reading_milliseconds or 0) / 1000 for answer in some)
        condition = "plausible" if letter == "p" else "implausible"
        row = {"level": level, "condition": condition, "sentences": len(some)}
        rows.append(row | {"median seconds": seconds})
    return rows
