"""Figures of ERAS ranked by people: human accuracy, share ranked alike, the derived baseline.

A sentence's place in a triple is how many of the others it is ranked above, minus below. A pair
(t, c) of a positive paradigm is annotated correctly where t has at least the place in {t, c1, c2}
that c has in {c, c1, c2}, of a negative one at most; alike where both are equal. The paper does not
say how ties count; by profile, t must be so against c1 and against c2 each.

Source: Li & Hao (2025), sections 2.4 and 4; its derived baseline is in the card of `gper`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builders.eras.forms import CONTROL, TEST, Pair, form_pairs
from dataset_scripts.ratings import Rating
from metrics.gper import scoring
from research.people.answers import PersonAnswer
from research.people.rater_intervals import crossed_mean
from research.people.tables import Table, TableAnalysis, alpha, groups

PLACES = 3  # from the middle to beyond either end, so that a place is a probability within (0, 1)


class RankComparison(NamedTuple):
    """What one rater's two triples say of a pair: places of its sentences, from -2 to 2.

    `profile` is of the test minus the control sentence, against c1 and c2 each, -2 to 2.
    """

    pair: Pair
    rater: str
    test: int
    control: int
    profile: tuple[int, int]

    @property
    def sign(self) -> int:
        """1 where the true sentiment is positive, -1 where it is negative."""
        return 1 if self.pair.sentiment == "+" else -1

    @property
    def is_correct(self) -> bool:
        """Whether the test has at least the control's place, towards the true sentiment."""
        return self.sign * (self.test - self.control) >= 0

    @property
    def is_correct_by_profile(self) -> bool:
        """The same against each of the two others."""
        return all(self.sign * step >= 0 for step in self.profile)

    @property
    def is_alike(self) -> bool:
        """Whether both sentences have the same place."""
        return self.test == self.control


def analyse(answers: Sequence[PersonAnswer]) -> TableAnalysis:
    """Figures, tables and ratings of the answers to `eras-ranking`."""
    found = comparisons(answers)
    figures = rates(found) | {
        "alpha_ordinal": alpha(_places(answers), "ordinal"),
        "gper": gper_row(found),
    }
    return TableAnalysis(figures, _tables(figures, found), _ratings(found))


def comparisons(answers: Sequence[PersonAnswer]) -> list[RankComparison]:
    """Every pair of which a rater has ranked both triples."""
    pairs = {pair.id: pair for of_paradigm in form_pairs().values() for pair in of_paradigm}
    found = []
    for rater, given in groups(answers, lambda answer: answer.rater).items():
        ranked = {frozenset(answer.answer): answer.answer for answer in given}
        for triple in ranked:
            tests = [name for name in triple if name.endswith(f"/{TEST}")]
            if len(tests) == 1:
                (test,) = tests
                others = sorted(triple - {test})
                control = test.replace(f"/{TEST}", f"/{CONTROL}")
                if other := ranked.get(frozenset({control, *others})):
                    first = relations(ranked[triple], test, others)
                    second = relations(other, control, others)
                    steps = (first[0] - second[0], first[1] - second[1])
                    pair = pairs[test.split("/")[0]]
                    found.append(RankComparison(pair, rater, sum(first), sum(second), steps))
    return found


def relations(ranks: Mapping[str, int], name: str, others: Sequence[str]) -> list[int]:
    """Against each other sentence: 1 where it is ranked more positive, 0 at a tie, -1 below."""
    return [(ranks[other] > ranks[name]) - (ranks[other] < ranks[name]) for other in others]


def rates(found: Sequence[RankComparison]) -> dict[str, Any]:
    """Human accuracy, share alike, and the baseline that the paper derives; nan without pairs."""
    accuracy, alike, by_profile = (
        sum(getattr(one, name) for one in found) / len(found) if found else math.nan
        for name in ("is_correct", "is_alike", "is_correct_by_profile")
    )
    return {
        "n_pairs": len({one.pair.id for one in found}),
        "n_comparisons": len(found),
        "human_accuracy": accuracy,
        "human_accuracy_by_profile": by_profile,
        "ranked_alike": alike,
        "baseline_accuracy": accuracy - alike / 2,
        "baseline_gper": 1 - accuracy,
    }


def gper_row(found: Sequence[RankComparison]) -> dict[str, float]:
    """What `gper` says of people's places as if they were probabilities, without occlusion."""
    if not found:
        return {}
    rows = [[0.5 + place / (2 * PLACES) for place in (one.test, one.control)] for one in found]
    ids = [one.pair.paradigm_id for one in found]
    result = scoring.score({"predictions": rows, "references": ids})
    return {name: result[name] for name in ("overall_accuracy", "n_ties")}


def _places(answers: Sequence[PersonAnswer]) -> list[tuple[str, str, float]]:
    found = []
    for answer in answers:
        for name in answer.answer:
            others = [other for other in answer.answer if other != name]
            place = float(sum(relations(answer.answer, name, others)))
            found.append((f"{answer.item}:{name}", answer.rater, place))
    return found


def _tables(figures: Mapping[str, Any], found: Sequence[RankComparison]) -> list[Table]:
    rows = []
    for name, take in (("all", "+-"), ("positive paradigms", "+"), ("negative paradigms", "-")):
        some = [one for one in found if one.pair.sentiment in take]
        columns = [one.rater for one in some], [str(one.pair.paradigm_id) for one in some]
        correct = crossed_mean([float(one.is_correct) for one in some], *columns)
        alike = crossed_mean([float(one.is_alike) for one in some], *columns)
        rows.append(
            {"pairs": name, "n": len(some), "human accuracy": correct.text(100)}
            | {"ranked alike": alike.text(100)}
        )
    baseline = {
        "human accuracy by profile": 100 * figures["human_accuracy_by_profile"],
        "derived accuracy": 100 * figures["baseline_accuracy"],
        "derived GPER": 100 * figures["baseline_gper"],
        "gper: overall accuracy": 100 * figures["gper"].get("overall_accuracy", math.nan),
        "alpha (ordinal, places)": figures["alpha_ordinal"],
    }
    assumed = "Derived, assuming that half of the pairs ranked alike would be wrong, in percent"
    return [
        Table("Ranked by people, in percent with 95 % intervals", rows),
        Table(assumed, [{"figure": name, "value": value} for name, value in baseline.items()]),
    ]


def _ratings(found: Sequence[RankComparison]) -> list[Rating]:
    return [Rating(one.pair.id, one.rater, "ranked_right", float(one.is_correct)) for one in found]
