"""Does the strict scorer agree with people? Share and kappa, per condition.

Judged are stored replies, each with the question and the gold, without what the scorer says. Raters
and sentence pairs are crossed in the intervals.

Source: Madhusudan, Chen and Emami (2026), section 3: 98.95 % agreement of their scorer with people.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

from builders.centerbench.forms import Reply, all_questions
from dataset_scripts.ratings import Rating
from metrics.matched_pair_accuracy.decisions import decide
from research.people.answers import PersonAnswer
from research.people.rater_intervals import crossed_mean
from research.people.tables import Table, TableAnalysis, alpha, groups
from research.readings.agreement import cohen_kappa

BOTH = ("is_right", "is_accepted")


class Judged(NamedTuple):
    """A reply, who judged it, and what the person and the scorer say."""

    reply: Reply
    rater: str
    is_right: bool
    is_accepted: bool


def analyse(answers: Sequence[PersonAnswer], replies: Sequence[Reply]) -> TableAnalysis:
    """Figures, table and marks of `centerbench-scorer-audit`; a ValueError without its replies."""
    found = judgements(answers, replies)
    rows: list[dict[str, Any]] = []
    figures: dict[str, float] = {}
    for name in ("all", "plausible", "implausible"):
        some = [one for one in found if name in ("all", _condition(one))]
        columns = [one.rater for one in some], [_pair(one) for one in some]
        agreed = crossed_mean([float(one.is_right == one.is_accepted) for one in some], *columns)
        kappa = cohen_kappa(*([getattr(one, by) for one in some] for by in BOTH))
        figures |= {f"agreement_{name}": agreed.value, f"kappa_{name}": kappa}
        rows.append(
            {"condition": name, "judgements": len(some), "agreement": agreed.text(100, 2)}
            | {"kappa": kappa, "scorer alone accepts": _only(some, accepted=True)}
            | {"people alone accept": _only(some, accepted=False)}
        )
    figures["alpha_nominal"] = alpha(
        ((one.reply.name, one.rater, float(one.is_right)) for one in found), "nominal"
    )
    between = [{"figure": "alpha of the people (nominal)", "value": figures["alpha_nominal"]}]
    title = "The strict scorer and people, percent with 95 % intervals"
    return TableAnalysis(
        figures, [Table(title, rows), Table("Among people", between)], _marks(found)
    )


def _marks(found: Sequence[Judged]) -> list[Rating]:
    """What people say of each reply: the share of its judges who call it right."""
    by_reply = groups(found, lambda one: one.reply.name).values()
    return [
        Rating(
            some[0].reply.id, some[0].reply.system, "marked_right", fmean(o.is_right for o in some)
        )
        for some in by_reply
    ]


def judgements(answers: Sequence[PersonAnswer], replies: Sequence[Reply]) -> list[Judged]:
    """Every judgement beside the scorer's decision."""
    known = {reply.name: reply for reply in replies}
    if missing := [answer.item for answer in answers if answer.item not in known]:
        raise ValueError(f"about, got no reply {missing[0]!r}; expected the file of the form")
    found = []
    for answer in answers:
        reply, is_right = known[answer.item], answer.answer["choice"] == "right"
        is_accepted = decide(reply.answer, all_questions()[reply.id]).is_right
        found.append(Judged(reply, answer.rater, is_right, is_accepted))
    return found


def _only(some: Sequence[Judged], *, accepted: bool) -> int:
    return sum(one.is_accepted == accepted != one.is_right for one in some)


def _condition(one: Judged) -> str:
    return str(all_questions()[one.reply.id]["condition"])


def _pair(one: Judged) -> str:
    return str(all_questions()[one.reply.id]["pair_id"])
