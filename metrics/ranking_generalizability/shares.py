"""Intervals of shares of units, and of the agreement that follows from them.

Source: Clopper & Pearson (1934).
"""

from ..columns import FloatArray
from ..distributions import beta_quantile
from ..uncertainty import Interval, undefined_interval, wilson_interval


def share_interval(n_units: float, n: int, confidence: float) -> Interval:
    """Exact interval of a share of units: it covers no less than it claims, however few there are.

    Args:
        n_units: Units of which it is true, in [0, n]; a fraction where tied systems share a unit.
        n: All units.
        confidence: Two-sided level in (0, 1).
    """
    if n == 0:
        return undefined_interval("no units")
    tail = (1 - confidence) / 2
    rest = n - n_units
    low = beta_quantile(tail, n_units, rest + 1) if n_units > 0 else 0.0
    high = beta_quantile(1 - tail, n_units + 1, rest) if rest > 0 else 1.0
    return Interval(low, high, f"Clopper-Pearson over {n} units")


def agreement_of_two(n_units: float, n: int, confidence: float) -> Interval:
    """Interval of the agreement of two units that can only say one of two things.

    They agree with probability p^2 + (1 - p)^2, which cannot fall below 1/2; the interval of p
    gives the values that it can have.
    """
    share = share_interval(n_units, n, confidence)
    ends = [p * p + (1 - p) ** 2 for p in share[:2]]
    low = 0.5 if share.low <= 0.5 <= share.high else min(ends)
    return Interval(low, max(ends), share.note)


def with_commonest(interval: Interval, shares: FloatArray, n: int, confidence: float) -> Interval:
    """Interval that also holds what the agreement is at either end of the commonest answer's share.

    Two units agree with probability p^2 + (1 - p)^2 q, if a share p of all units gives the
    commonest answer and two of the others agree with probability q. Near the smallest agreement
    that there can be, and where few units differ, the jackknife sees too little of it.

    Args:
        interval: That of the jackknife.
        shares: Share of the units that gives each answer, shape (k,), adding up to 1.
        n: Number of units.
        confidence: Two-sided level in (0, 1).
    """
    p = float(shares.max())
    rest = (float((shares**2).sum()) - p * p) / (1 - p) ** 2 if p < 1 else 0.0
    share = wilson_interval(min(p * n, n), n, confidence)
    ends = [end * end + (1 - end) ** 2 * rest for end in share[:2]]
    return interval._replace(low=min(interval.low, *ends), high=max(interval.high, *ends))
