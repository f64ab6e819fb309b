"""Figures of what people rated on seven steps, and of "Wer ...?", whom they take for the subject.

Means by what the suite says of a row, the difference where there are two kinds of rows, and
Krippendorff's alpha. An event of CenterBench counts to the sentence that it is of: a rater's rating
of a sentence is the mean of the rater's ratings of its events, all of which are on one sheet.
"""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from builders.centerbench.columns import CONDITIONS
from builders.sorts.forms import form_clauses
from dataset_scripts.ratings import Rating
from research.people.answers import PersonAnswer
from research.people.rater_intervals import crossed_difference, crossed_mean
from research.people.tables import Table, TableAnalysis, alpha, groups


class Rated(NamedTuple):
    """One rating of one row, one to seven."""

    row: str
    rater: str
    value: float
    group: str  # what the suite says of the row
    cluster: str  # what it was sampled with
    is_first: bool  # whether it is of the first of the two kinds that are compared
    question: str  # what `rating_mean` would be of


def of_naturalness(answers: Sequence[PersonAnswer]) -> list[Rated]:
    """Test and control sentences of ERAS."""
    found = []
    for answer in answers:
        row, _, side = answer.item.partition("/")
        value = float(answer.answer["value"])
        cluster, is_test, question = row.split("-")[0], side == "test", f"naturalness_{side}"
        found.append(Rated(row, answer.rater, value, side, cluster, is_test, question))
    return found


def of_plausibility(answers: Sequence[PersonAnswer]) -> list[Rated]:
    """Sentences of CenterBench by their events, those of which all were rated."""
    found = []
    by_sentence = groups(answers, lambda answer: (answer.item.split("#")[0], answer.rater))
    for (row, rater), given in by_sentence.items():
        level = int(row.split("-")[0])
        if len(given) == level + 1:
            condition = next(name for name in CONDITIONS if name[0] == row[-1])
            value = fmean(float(answer.answer["value"]) for answer in given)
            group = f"level {level}, {condition}"
            is_first = condition == CONDITIONS[0]
            found.append(Rated(row, rater, value, group, row[:-2], is_first, "plausibility"))
    return found


def of_acceptability(answers: Sequence[PersonAnswer]) -> list[Rated]:
    """Clauses of SORTS; the two kinds are clauses with the subject first and the others."""
    rows = clauses(answers)
    found = []
    for answer in answers:
        row = rows[answer.item]
        group = f"{answer.item.split('/')[0]}, {row['resolved_by']}"
        value, is_first = float(answer.answer["value"]), row["subject"] < row["object"]
        place = (answer.item, answer.rater, value, group, row["triple_id"], is_first)
        found.append(Rated(*place, "acceptability"))
    return found


def clauses(answers: Sequence[PersonAnswer]) -> dict[str, dict[str, Any]]:
    """The clauses that the answers are about, by id."""
    seeds = sorted({answer.seed for answer in answers})
    return {row["id"]: row for seed in seeds for row in form_clauses(seed)}


READERS: dict[str, tuple[Callable[[Sequence[PersonAnswer]], list[Rated]], str]] = {
    "eras-naturalness": (of_naturalness, "test minus control"),
    "centerbench-plausibility": (of_plausibility, "plausible minus implausible"),
    "sorts-acceptability": (of_acceptability, "subject first minus object first"),
}


def analyse(form: str, answers: Sequence[PersonAnswer]) -> TableAnalysis:
    """Figures, table and ratings of the answers to a form on seven steps."""
    read, compared = READERS[form]
    found = read(answers)
    columns = [one.rater for one in found], [one.cluster for one in found]
    values = [one.value for one in found]
    difference = crossed_difference(values, [one.is_first for one in found], *columns)
    rows = [
        {"rows": name, "ratings": len(some), "mean of 1 to 7": _mean(some).text(1, 2)}
        for name, some in groups(found, lambda one: one.group).items()
    ]
    rows.append({"rows": compared, "ratings": len(found), "mean of 1 to 7": difference.text(1, 2)})
    ordinal = alpha(((f"{o.row} {o.question}", o.rater, o.value) for o in found), "ordinal")
    rows.append({"rows": "alpha (ordinal)", "ratings": len(found), "mean of 1 to 7": ordinal})
    figures = {"difference": difference.value, "alpha_ordinal": ordinal, "n_ratings": len(found)}
    ratings = [Rating(one.row, one.rater, one.question, one.value) for one in found]
    return TableAnalysis(figures, [Table("Ratings, with 95 % intervals", rows)], ratings)


def _mean(some: Sequence[Rated]) -> Any:
    columns = [one.rater for one in some], [one.cluster for one in some]
    return crossed_mean([one.value for one in some], *columns, is_share=False)


def analyse_choices(answers: Sequence[PersonAnswer]) -> TableAnalysis:
    """Figures, tables and ratings of the answers to `sorts-who`: the share that takes the subject.

    By split and what settles it; where nothing does, this is a preference, and none is wrong.
    """
    rows = clauses(answers)

    def takes(answer: PersonAnswer) -> float:
        return float(answer.answer["choice"] == str(rows[answer.item]["subject"]))

    def stratum(answer: PersonAnswer) -> tuple[str, str]:
        return answer.item.split("/")[0], rows[answer.item]["resolved_by"]

    def order(answer: PersonAnswer) -> tuple[str, str]:
        row = rows[answer.item]
        return row["resolved_by"], "subject" if row["subject"] < row["object"] else "object"

    def shown(some: Sequence[PersonAnswer]) -> dict[str, Any]:
        columns = [one.rater for one in some], [rows[one.item]["triple_id"] for one in some]
        share = crossed_mean([takes(one) for one in some], *columns)
        sure = fmean(one.answer["sureness"] for one in some)
        return {"answers": len(some), "takes the subject": share.text(100), "sureness": sure}

    by_stratum, by_order = groups(answers, stratum), groups(answers, order)
    tables = [
        [{"split": a, "resolved_by": b} | shown(some) for (a, b), some in by_stratum.items()],
        [{"resolved_by": a, "first": b} | shown(some) for (a, b), some in by_order.items()],
    ]
    shares = {" ".join(name): fmean(map(takes, some)) for name, some in by_stratum.items()}
    figures = {
        "n_answers": len(answers),
        "takes_subject": shares,
        "alpha_nominal": alpha(((one.item, one.rater, takes(one)) for one in answers), "nominal"),
    }
    agreed = [{"figure": "alpha (nominal)", "value": figures["alpha_nominal"]}]
    titles = ("By what settles it, percent, sureness from 1 to 4", "By what stands first")
    return TableAnalysis(
        figures,
        [*map(Table, titles, tables), Table("Agreement", agreed)],
        [Rating(one.item, one.rater, "takes_subject", takes(one)) for one in answers],
    )
