"""The best shallow readers of every config, as the search found them, and what "above" means.

`python -m research shallow --write` fits a family of readers to what is built and leaves in
`builders/SUITE/data/shallow.tsv` the best that knows nothing (NULL), the best of one real cue
(shortcut) where that is better, and two that are not shallow: what was told the rule of the
construction (rule), and what knows the suite's own words or answers (leak). Scores of what leads
the tables are in `shallow_clusters.tsv` too, so that a system is compared with the best shortcut
on the same items.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from builders.suites import FOLDER, settings_of
from ground.tables import read_raw, read_table

READERS, CLUSTERS = "shallow.tsv", "shallow_clusters.tsv"
Kind = Literal["null", "shortcut", "rule", "leak"]
RESAMPLES = 1000
ABOVE = (
    "“Above” says that the 95 % interval of a system's difference from the best shortcut, or from"
    " NULL where that is better, lies above 0; the difference is taken cluster by cluster where the"
    " result keeps its clusters, else from the two intervals."
)
"""The one sentence about it, for whatever shows which systems are above."""
Sums = Mapping[str, tuple[float, float]]
"""Sum and number of the scored units of each cluster."""


@dataclass(frozen=True)
class Shallow:
    """A line of `shallow.tsv`: shares in [0, 1]."""

    config: str  # `CONFIG/SPLIT`, behind a colon a construction of it
    score: str
    kind: Kind
    reader: str
    value: float  # with a 95 % interval over clusters
    low: float
    high: float
    held_out: float  # where each half is read by the reader that is best on the other
    chance: float  # what a coin for each decision is worth
    bound: float | None  # what no shallow reader may exceed; None where its score is only said
    n: int  # decisions that were sampled

    @property
    def name(self) -> str:
        """What `[shallow] known` of `suite.toml` calls it."""
        return f"{self.config} {self.score}"

    @property
    def is_shallow(self) -> bool:
        """Whether it knows nothing or one real cue, so that a system must be above it."""
        return self.kind in ("null", "shortcut")

    @property
    def is_over(self) -> bool:
        """Whether the reader exceeds its bound, chosen on other clusters than it is scored on."""
        return self.bound is not None and self.held_out > self.bound


@dataclass(frozen=True)
class ClusterRow:
    """A line of `shallow_clusters.tsv`: what the best shortcut has in a cluster."""

    config: str
    score: str
    cluster: str
    total: float
    n: float


class Difference(NamedTuple):
    """A system's score less that of the best shortcut, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_above(self) -> bool:
        """Whether the interval lies above 0."""
        return self.low > 0


@functools.cache
def shallow_readers(suite: str) -> tuple[Shallow, ...]:
    """What the search found for a suite; () where it was never searched."""
    path = FOLDER / suite / "data" / READERS
    return tuple(read_table(path, Shallow)) if path.is_file() else ()


def bar(suite: str, config: str, score: str) -> Shallow | None:
    """Best shallow reader of a `CONFIG/SPLIT`, NULL where that is better; None if not searched."""
    found = [one for one in _readers_of(suite, config, score) if one.is_shallow]
    return max(found, key=lambda one: one.value, default=None)


def null_of(suite: str, config: str, score: str) -> Shallow | None:
    """The best reader of a score that knows nothing; None where it was not searched."""
    found = _readers_of(suite, config, score)
    return next((one for one in found if one.kind == "null"), None)


def _readers_of(suite: str, config: str, score: str) -> list[Shallow]:
    """Those of a config; one that was not searched itself has those of its lite config."""
    name, _, split = config.partition("/")
    for searched in (config, f"{name}_lite/{split}"):
        key = (searched, score)
        if found := [one for one in shallow_readers(suite) if (one.config, one.score) == key]:
            return found
    return []


@functools.cache
def bar_clusters(suite: str, config: str, score: str) -> Sums:
    """What the best shallow reader has in each cluster; {} where that was not kept."""
    path = FOLDER / suite / "data" / CLUSTERS
    rows = read_table(path, ClusterRow) if path.is_file() else []
    own = [row for row in rows if (row.config, row.score) == (config, score)]
    return {row.cluster: (row.total, row.n) for row in own}


def difference(value: float, low: float, high: float, than: Shallow) -> Difference:
    """The difference of two scores from their intervals (MOVER).

    Source: Zou & Donner (2008).

    Example:
        >>> than = Shallow("c/test", "s", "null", "", 0.5, 0.4, 0.6, 0.5, 0.5, None, 9)
        >>> difference(0.8, 0.7, 0.9, than).is_above
        True
    """
    below = math.hypot(value - low, than.high - than.value)
    above = math.hypot(high - value, than.value - than.low)
    gap = value - than.value
    return Difference(gap, gap - below, gap + above)


def paired_difference(system: Sums, than: Sums) -> Difference | None:
    """The difference of two scores on the clusters that both have; None where there are too few."""
    shared = sorted(set(system) & set(than))
    if len(shared) < 2:
        return None
    sums = np.array([[*system[name], *than[name]] for name in shared], float)
    drawn = np.random.default_rng(0).integers(0, len(shared), (RESAMPLES, len(shared)))
    resampled = sums[drawn].sum(axis=1)
    gaps = resampled[:, 0] / resampled[:, 1] - resampled[:, 2] / resampled[:, 3]
    whole = sums.sum(axis=0)
    low, high = np.quantile(gaps, (0.025, 0.975))
    value = whole[0] / whole[1] - whole[2] / whole[3]
    return Difference(float(value), float(low), float(high))


def compare_with_bar(
    suite: str, config: str, score: str, ends: tuple[float, ...], clusters: Sums | None = None
) -> Difference | None:
    """How much a system has above the best shallow reader; None where there is no bar."""
    than = bar(suite, config, score)
    if than is None or any(math.isnan(end) for end in ends):
        return None
    kept = bar_clusters(suite, config, score) if clusters else {}
    paired = paired_difference(clusters, kept) if clusters and kept else None
    value, low, high = ends
    return paired or difference(value, low, high, than)


def shallow_problems(suite: str, version: str) -> list[str]:
    """Configs that a shallow reader wins, and what is recorded of such that is so no more."""
    path = FOLDER / suite / "data" / READERS
    if not path.is_file():
        return []
    known = set(settings_of(suite).get("shallow", {}).get("known", ()))
    over = {one.name: one for one in shallow_readers(suite) if one.is_over}
    problems = [
        f"{name}, got {100 * one.held_out:.1f} % by a shallow reader ({one.reader}); expected at "
        f"most {100 * (one.bound or 0):.1f} %, or a line of [shallow] known"
        for name, one in over.items()
        if name not in known
    ]
    expected = "got no shallow reader above its bound; expected one, as [shallow] known says"
    problems += [f"{name}, {expected}" for name in sorted(known - set(over))]
    if (measured := read_raw(path).comments.get("version", "")) != version:
        expected = f"{version}: make nulls, then build again"
        problems.append(f"version, got {measured}; expected {expected}")
    return [f"{path}: {problem}" for problem in problems]
