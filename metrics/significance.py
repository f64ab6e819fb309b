"""P values of paired differences, and Holm's correction where several are claimed at once.

Source: Fisher (1935) on random signs; Edwards (1948) on McNemar's test; Holm (1979).
"""

import functools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .resampling import in_chunks

LARGEST_EXACT_SIGN_FLIP = 16


def sign_flip_test(differences: npt.ArrayLike, n_flips: int = 10_000, seed: int = 0) -> float:
    """Two-sided p value of the mean of paired differences under random signs.

    Args:
        differences: One difference per independent pair (a sentence, not a row), shape (n,).
        n_flips: Number of random sign patterns for n > 16; up to 16 pairs all 2^n patterns are
            used.
        seed: Seed of the random patterns.

    Returns:
        p in (0, 1]; nan for no pairs. Differences of zero keep their place (they say nothing either
        way).
    """
    values = np.asarray(differences, float)
    n = len(values)
    if n == 0:
        return math.nan
    observed = abs(values.sum()) - 1e-12 * np.abs(values).sum()
    if n <= LARGEST_EXACT_SIGN_FLIP:
        return float(np.mean(np.abs(_half_of_all_signs(n) @ values) >= observed))
    generator = np.random.default_rng(seed)
    hits = in_chunks(
        lambda start, stop: (
            np.abs((1.0 - 2.0 * generator.integers(0, 2, (stop - start, n))) @ values) >= observed
        ),
        n_flips,
        n,
    )
    return float((hits.sum() + 1) / (n_flips + 1))


@functools.cache
def _half_of_all_signs(n: int) -> npt.NDArray[np.float64]:
    """Patterns whose last sign is plus, shape (2^(n-1), n); the others give the same sizes."""
    bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
    return (1 - 2 * bits).astype(np.float64)


def mcnemar_test(n_first_only: int, n_second_only: int) -> float:
    """Exact two-sided p value of McNemar's test; it assumes independent pairs.

    Args:
        n_first_only: Pairs where only the first member is right.
        n_second_only: Pairs where only the second member is right.

    Returns:
        p in (0, 1]; 1 where there are no discordant pairs.
    """
    n, k = n_first_only + n_second_only, min(n_first_only, n_second_only)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    terms = (
        log_factorial[n]
        - log_factorial[: k + 1]
        - log_factorial[n - np.arange(k + 1)]
        - n * math.log(2)
    )
    return float(min(1.0, 2 * np.exp(terms).sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """P values that are right for several claims at once: the chance of any false one is bounded.

    Args:
        p_values: Values in [0, 1]; nan for a claim that could not be tested, which does not count.

    Returns:
        Adjusted values in the order given, in [0, 1], never below the given ones; nan stays nan.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    tested = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    adjusted, largest = [math.nan] * len(p_values), 0.0
    for rank, (p, i) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[i] = largest
    return adjusted
