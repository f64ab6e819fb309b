"""Which of two systems is better, and which ranks are plausible, over units that scored both.

Source: Student's paired t; Holm (1979); Benavoli et al. (2017) on a region of practical
equivalence; Mogstad et al. (2024) on confidence sets for ranks.
"""

import functools
import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..columns import FloatArray, IntArray
from ..distributions import student_probability, student_quantile
from ..significance import holm
from ..uncertainty import (
    Interval,
    undefined_interval,
)
from .agreement import Estimate
from .noise import draw_noise, unit_noise
from .shares import share_interval

FEW_UNITS = 10
N_DRAWS = 4000


@dataclass(frozen=True)
class Comparison:
    """Two systems, the first better where the difference is positive.

    Attributes:
        first, second: Numbers of the systems.
        difference: Mean over units of the first score less the second, with its interval.
        p: Two-sided p of no difference, by the paired t test; nan without spread.
        p_holm: The same for all pairs of systems at once.
        p_better, p_equivalent, p_worse: Probabilities, adding up to 1, that the true difference is
            above, within and below the region of practical equivalence (flat prior).
        wins: Share of units in which the first scores more, ties counting half.
    """

    first: int
    second: int
    difference: Estimate
    p: float
    p_holm: float
    p_better: float
    p_equivalent: float
    p_worse: float
    wins: Estimate

    def decision(self, confidence: float) -> str:
        """What is shown with the confidence, of all pairs at once but for `equivalent`.

        Returns:
            "equivalent" where the difference is in the region of practical equivalence, else
            "better" or "worse" for the first system where Holm's p says so, else "open".
        """
        if self.p_equivalent >= confidence:
            return "equivalent"
        if not self.p_holm < 1 - confidence:
            return "open"
        return "better" if self.difference.value > 0 else "worse"


@dataclass(frozen=True)
class RankSets:
    """Ranks of the systems, 1 for the best; each set holds the true rank with the confidence.

    Attributes:
        rank: Rank of the mean over units, shape (S,); systems that tie share the best of theirs.
        low: Best plausible rank.
        high: Worst plausible rank.
        note: How they were found.
    """

    rank: IntArray
    low: IntArray
    high: IntArray
    note: str


def comparisons(unit_scores: FloatArray, rope: float, confidence: float) -> list[Comparison]:
    """All pairs of systems.

    Args:
        unit_scores: Shape (U, S), higher is better; nan where a system has no score, so that a pair
            is compared by the units of both.
        rope: Half the width of the region of practical equivalence, in points of the score, from 0.
        confidence: Two-sided level in (0, 1).
    """
    pairs = list(combinations(range(unit_scores.shape[1]), 2))
    firsts, seconds = np.array(pairs).T
    tests = paired_tests(unit_scores[:, firsts] - unit_scores[:, seconds])
    adjusted = holm([test.p for test in tests])
    found = []
    for (a, b), test, p_holm in zip(pairs, tests, adjusted, strict=True):
        better, worse = test.above(rope), test.above(rope, -1.0)
        found.append(
            Comparison(
                a,
                b,
                Estimate(test.mean, test.interval(confidence)),
                test.p,
                p_holm,
                better,
                float(np.maximum(0.0, 1 - better - worse)),
                worse,
                Estimate(
                    test.wins / test.n if test.n else math.nan,
                    share_interval(test.wins, test.n, confidence),
                ),
            )
        )
    return found


def rank_sets(unit_scores: FloatArray, confidence: float, seed: int) -> RankSets:
    """Plausible ranks of each system.

    A system's rank is bounded by the systems that are shown to be better and worse; all its
    differences hold at once with the confidence, by the largest of their t values under normal
    noise with the observed covariance.

    Args:
        unit_scores: Shape (U, S), higher is better.
        confidence: Level in (0, 1), for each system.
        seed: Seed of the simulated noise.
    """
    n, n_systems = unit_scores.shape
    means = unit_scores.mean(axis=0)
    rank = 1 + (means > means[:, None]).sum(axis=1)
    if n < 3:
        whole = np.full(n_systems, n_systems)
        return RankSets(rank, np.ones_like(rank), whole, "undefined: fewer than three units")
    noise = Noise(unit_scores, seed)
    sets = [rank_set(noise, system, confidence) for system in range(n_systems)]
    low, high = np.array(sets).T
    return RankSets(rank, low, high, f"largest t of {n_systems - 1} differences over {n} units")


@dataclass(frozen=True)
class Noise:
    """Noise of a complete table, drawn when it is asked for.

    Attributes:
        unit_scores: Shape (U, S).
        seed: Seed of the draws.
    """

    unit_scores: FloatArray
    seed: int

    @functools.cached_property
    def of_t(self) -> FloatArray:
        """Draws of the systems' noise as their t values have it, shape (d, S)."""
        normal = draw_noise(unit_noise(self.unit_scores), self.seed, N_DRAWS)
        noise: FloatArray = normal * _tails(self.seed, len(self.unit_scores) - 1, len(normal))
        return noise


@functools.lru_cache(maxsize=4)
def _tails(seed: int, degrees: int, n_draws: int) -> FloatArray:
    """What makes normal draws Student's, shape (d, 1)."""
    drawn = np.random.default_rng([seed, 3]).chisquare(degrees, (n_draws, 1))
    tails: FloatArray = np.sqrt(degrees / drawn)
    return tails


def rank_set(noise: Noise, system: int, confidence: float) -> tuple[int, int]:
    """Best and worst plausible rank of one system.

    The largest of several t values reaches at least as far as one, and no farther than Bonferroni's
    bound; it is simulated only where a difference lies between.
    """
    n, n_systems = noise.unit_scores.shape
    differences = noise.unit_scores - noise.unit_scores[:, [system]]
    spreads, gaps = differences.std(axis=0, ddof=1), differences.mean(axis=0)
    least, most = (
        student_quantile(1 - (1 - confidence) / (2 * k), n - 1) * spreads / math.sqrt(n)
        for k in (1, n_systems - 1)
    )
    reach = least
    if ((np.abs(gaps) > least) & (np.abs(gaps) <= most)).any():
        distances = np.abs(noise.of_t - noise.of_t[:, [system]])
        distances /= np.where(spreads > 0, spreads, math.inf)
        largest = np.quantile(distances.max(axis=1), confidence, method="higher")
        reach = np.clip(largest * spreads / math.sqrt(n), least, most)
    return 1 + int((gaps > reach).sum()), n_systems - int((-gaps > reach).sum())


@dataclass(frozen=True)
class PairedTest:
    """Student's paired t over n units: mean difference, its standard error, units won."""

    n: int
    mean: float
    error: float
    wins: float

    @property
    def p(self) -> float:
        """Two-sided p of no difference; nan where the units do not say."""
        if self.n < 3 or not self.error > 0:
            return math.nan
        return 2 * (1 - student_probability(abs(self.mean) / self.error, self.n - 1))

    def above(self, rope: float, sign: float = 1.0) -> float:
        """Probability that sign times the true difference is above the region."""
        distance = sign * self.mean - rope
        if self.n < 3:
            return math.nan
        if not self.error > 0:
            return 0.5 if distance == 0 else float(distance > 0)
        return student_probability(distance / self.error, self.n - 1)

    def interval(self, confidence: float) -> Interval:
        """Student's interval; its note warns of few units."""
        if self.n < 3:
            return undefined_interval("fewer than three units")
        if not self.error > 0:
            return undefined_interval("no spread between units")
        half = student_quantile(0.5 + confidence / 2, self.n - 1) * self.error
        warning = ", few for scores that are not normal" if self.n < FEW_UNITS else ""
        note = f"Student's t over {self.n} units{warning}"
        return Interval(self.mean - half, self.mean + half, note)


def partial_rank_sets(unit_scores: FloatArray, means: FloatArray, confidence: float) -> RankSets:
    """Plausible ranks where systems lack units.

    As `rank_sets`, but each pair by the units of both, and by Bonferroni.

    Args:
        unit_scores: Shape (U, S), nan where a system has no score.
        means: Means by which systems are ranked, shape (S,).
        confidence: Level in (0, 1), for each system.
    """
    n_systems = len(means)
    rank = 1 + (means > means[:, None]).sum(axis=1)
    sets = [partial_rank_set(unit_scores, system, confidence) for system in range(n_systems)]
    low, high = np.array(sets).T
    note = f"{n_systems - 1} differences by the units of both, Bonferroni"
    return RankSets(rank, low, high, note)


def partial_rank_set(unit_scores: FloatArray, system: int, confidence: float) -> tuple[int, int]:
    """Best and worst plausible rank of one system that may lack units."""
    n_systems = unit_scores.shape[1]
    level = 1 - (1 - confidence) / (n_systems - 1)
    tests = paired_tests(np.delete(unit_scores, system, axis=1) - unit_scores[:, [system]])
    ends = [test.interval(level) for test in tests]
    n_better, n_worse = sum(end.low > 0 for end in ends), sum(end.high < 0 for end in ends)
    return 1 + n_better, n_systems - n_worse


def paired_tests(differences: FloatArray) -> list[PairedTest]:
    """Tests of differences of pairs, shape (U, pairs), nan for a unit that does not count."""
    has = ~np.isnan(differences)
    counts, found = has.sum(axis=0), np.where(has, differences, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = found.sum(axis=0) / counts
        squares = (np.where(has, differences - means, 0.0) ** 2).sum(axis=0)
        errors = np.sqrt(squares / (counts - 1) / counts)
    largest = np.maximum(np.abs(found).max(axis=0, initial=0.0), 1e-300)
    errors = np.where((counts > 1) & (errors > 1e-12 * largest), errors, 0.0)
    wins = (found > 0).sum(axis=0) + ((found == 0) & has).sum(axis=0) / 2
    columns = (counts, means, errors, wins)
    return [PairedTest(*test) for test in zip(*(c.tolist() for c in columns), strict=True)]
