"""Figures of "Wer ...?": whom people take for the subject, and how sure they are.

The share that takes the suite's subject, by split and what settles it; where nothing does, this is
a preference, and no answer is wrong. Raters and triples are crossed in the intervals.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from dataset_scripts.ratings import Rating
from research.people.answers import PersonAnswer
from research.people.rater_intervals import crossed_mean
from research.people.rating import clauses
from research.people.tables import Table, TableAnalysis, alpha, groups


def analyse(answers: Sequence[PersonAnswer]) -> TableAnalysis:
    """Figures, tables and ratings of the answers to `sorts-who`."""
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
