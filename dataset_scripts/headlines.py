"""The one score that leads every table of a suite, and what a system that knows nothing has of it.

A system whose score is not above that null is shown as such: for a small parser or language model
that is a finding, not a failure. `gper` has no headline: it is a diagnosis, and has no winner.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ground.markdown import percent, percent_with_interval

Result = Mapping[str, Any]
NOT_ABOVE = "not above NULL"
COIN_ON_TWO_CLAUSES = 0.25  # both clauses of a pair right by a coin


@dataclass(frozen=True)
class Headline:
    """The headline of a suite.

    Attributes:
        metric: The metric that returns it.
        score: Its name in the metric's result, a share in [0, 1]; more is better.
        title: How it is called in tables.
        null: Gives what knowing nothing is worth, from a result.
        null_is: What that is, in words, for the text above a table.
    """

    metric: str
    score: str
    title: str
    null: Callable[[Result], float]
    null_is: str

    def is_above(self, result: Result) -> bool:
        """Whether a result is above the null.

        The interval of the score, or of what it has above it.
        """
        above = result.get(f"{self.score}_above_chance_low")
        if above is not None:
            return bool(above > 0)
        return bool(result[f"{self.score}_low"] > self.null(result))

    def cell(self, result: Result) -> str:
        """The score in percent with its interval, and whether it is not above the null.

        A dash where the score is undefined.
        """
        if math.isnan(result[self.score]):
            return "–"
        text = percent_with_interval(result, self.score)
        return text if self.is_above(result) else f"{text}, {NOT_ABOVE}"

    def columns(self, result: Result) -> dict[str, object]:
        """The first columns of a system's row: the score and its null, in percent."""
        return {self.title: self.cell(result), "NULL": percent(self.null(result))}

    @property
    def sentence(self) -> str:
        """What stands above a table that it leads."""
        return (
            f"The headline is {self.title} with its 95 % interval; NULL is {self.null_is}, and"
            f" “{NOT_ABOVE}” says that the interval reaches down to it."
        )


def _largest_chance(result: Result) -> float:
    """The best of the readers without structure whose score the metric computes from the rows."""
    names = [name for name in result if name.startswith("chance_") and name.endswith("_core")]
    return max(float(result[name]) for name in names)


HEADLINES: Mapping[str, Headline] = {
    "eras": Headline(
        "garden_path_accuracy",
        "pair_accuracy",
        "pair accuracy",
        lambda result: float(result["pair_accuracy_chance"]),
        "what the same cuts would score if they did not depend on the sentence",
    ),
    "sorts": Headline(
        "subject_object_las",
        "svo_ovs_score",
        "SVO and OVS",
        lambda result: float(result.get("svo_ovs_score_chance", COIN_ON_TWO_CLAUSES)),
        "a coin for each clause (readers of word order have 0)",
    ),
    "pp_attachment": Headline(
        "pp_attachment_accuracy",
        "topology_pair_accuracy",
        "topology pairs",
        lambda result: float(result["topology_pair_accuracy_chance"]),
        "the best reader of word order alone (always the verb and always the nearest noun have 0)",
    ),
    "centerbench": Headline(
        "matched_pair_accuracy",
        "accuracy_core",
        "core",
        _largest_chance,
        "the best reader of the words in their order",
    ),
    "morphseg": Headline(
        "morpheme_segmentation",
        "f1",
        "F1",
        lambda result: float(result["f1_null"]),
        "the better of cutting everywhere and cutting nowhere",
    ),
}
