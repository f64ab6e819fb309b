"""The one score that leads every table of a suite, and what a system that knows nothing has of it.

It is the table `[headline]` of the suite's `suite.toml`. A system is "above" by the one rule of
`builders.shallow`; one that is not is shown as such: for a small parser or language model that is a
finding, not a failure. `gper` has no headline: it is a diagnosis, and has no winner.
"""

import fnmatch
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from builders.shallow import Difference, compare_with_bar, null_of
from builders.suites import settings_of, suites_with


def cluster_sums(suite: str, score: str, result: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    """Sum and number of the parts of each cluster; {} where the result does not have them.

    `parts` of a headline in `suite.toml` names the table of the result, the columns of cluster and
    score, and values that rows must have. A ValueError where the sums do not give the headline
    again: the tables are not this result's.
    """
    parts = settings_of(suite).get("headline", {}).get("parts")
    sums: dict[str, tuple[float, int]] = {}
    for row in result.get(parts["rows"], ()) if parts else ():
        if all(row.get(name) in known for name, known in parts.get("where", {}).items()):
            total, n = sums.get(str(row[parts["cluster"]]), (0.0, 0))
            sums[str(row[parts["cluster"]])] = (total + row[parts["score"]], n + 1)
    if sums:
        mean = sum(total for total, _ in sums.values()) / sum(n for _, n in sums.values())
        if not math.isclose(mean, result[score], abs_tol=1e-9):
            raise ValueError(
                f"{score}, got {result[score]}, where its parts give {mean}; expected one result"
            )
    return dict(sorted(sums.items()))


Result = Mapping[str, Any]
NOT_ABOVE = "not above"


@dataclass(frozen=True)
class Headline:
    """The headline of a suite."""

    metric: str
    score: str  # its name in the metric's result, a share in [0, 1]; more is better
    title: str
    null: Callable[[Result], float]  # what knowing nothing is worth, from a result
    null_is: str  # in words, for the text above a table
    suite: str = ""
    place: str = ""  # `CONFIG/SPLIT` of its first test, where a result says of none

    def above_by(self, result: Result, place: str = "") -> Difference:
        """What a result has above the best shallow reader, or above NULL where none is known."""
        ends = (result[self.score], *(result[f"{self.score}_{end}"] for end in ("low", "high")))
        parts = cluster_sums(self.suite, self.score, result) if self.suite else {}
        found = compare_with_bar(self.suite, place or self.place, self.score, ends, parts)
        if found is not None:
            return found
        null = self.null(result)
        value, low, high = (end - null for end in ends)
        return Difference(value, result.get(f"{self.score}_above_chance_low", low), high)

    def is_above(self, result: Result, place: str = "") -> bool:
        """Whether a result is above: `builders.shallow.ABOVE`."""
        return self.above_by(result, place).is_above

    def worth_nothing(self, result: Result, place: str = "") -> float:
        """NULL: the best of what the result says and of the readers that know nothing."""
        found = null_of(self.suite, place or self.place, self.score)
        return self.null(result) if found is None else max(self.null(result), found.value)


def largest(names: str, without: float | None, result: Result) -> float:
    """The largest number of a result whose name fits a pattern; `without` where there is none."""
    found = [float(result[name]) for name in fnmatch.filter(result, names)]
    if not found and without is None:
        raise KeyError(names)
    return max(found, default=math.nan if without is None else without)


def _headline(suite: str, told: Mapping[str, Any]) -> Headline:
    null = functools.partial(largest, told["null"], told.get("null_without"))
    tests = settings_of(suite).get("tests", ())
    place = f"{tests[0]['config']}/{tests[0]['split']}" if tests else ""
    metric, score, title, null_is = (told[name] for name in ("metric", "score", "title", "null_is"))
    return Headline(metric, score, title, null, null_is, suite, place)


HEADLINES: Mapping[str, Headline] = {
    suite: _headline(suite, told) for suite, told in suites_with("headline").items()
}
