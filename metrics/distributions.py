"""Student's t, chi-square and beta in the standard library and numpy alone."""

import functools
import math
from statistics import NormalDist

import numpy as np

LARGEST_EXACT_DEGREES = 2000  # of Student's t
LARGEST_SERIES = 1000.0  # degrees of freedom of chi-square


@functools.cache
def student_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t distribution.

    Args:
        probability: Level in (0, 1).
        degrees: Degrees of freedom, a whole number from 1.

    Returns:
        The exact quantile, up to rounding (relative error below 1e-9 for levels in
        [0.0001, 0.9999]).

    Raises:
        ValueError: The level or the number of degrees is out of range.

    Source: the finite series of Abramowitz & Stegun (1964), 26.7.3 and 26.7.4, inverted by Newton's
        method: beyond 0 the distribution function is concave, so that the steps never overshoot.

    Example:
        >>> round(student_quantile(0.975, 1), 4), round(student_quantile(0.975, 2), 4)
        (12.7062, 4.3027)
    """
    if not 0 < probability < 1 or degrees < 1 or degrees != int(degrees):
        raise ValueError(
            f"student_quantile: got probability {probability}, degrees {degrees}; "
            "expected a level in (0, 1) and a whole number from 1"
        )
    if probability <= 0.5:
        return -student_quantile(1 - probability, degrees) if probability < 0.5 else 0.0
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    scale = math.exp(log_scale) / math.sqrt(degrees * math.pi)
    t, step = NormalDist().inv_cdf(probability), math.inf
    while step > 1e-14 * t:
        density = scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)
        step = (probability - 0.5 - _student_between(t, degrees) / 2) / density
        t += max(0.0, step)
    return t


def student_probability(t: float, degrees: int) -> float:
    """Probability that Student's t is below `t`, in [0, 1].

    Exact up to rounding for up to 2,000 degrees of freedom; from there on, where t is nearly
    normal, within 1e-7.

    Example:
        >>> round(student_probability(12.7062, 1), 4)
        0.975
    """
    if not math.isfinite(t) or t == 0:
        return 0.5 if t == 0 else float(t > 0)
    if degrees > LARGEST_EXACT_DEGREES:  # Wallace (1959)
        factor = (8 * degrees + 1) / (8 * degrees + 3)
        z = factor * math.sqrt(degrees * math.log1p(t * t / degrees))
        return NormalDist().cdf(math.copysign(z, t))
    return 0.5 + math.copysign(_student_between(abs(t), degrees), t) / 2


def chi_square_quantile(probability: float, degrees: float) -> float:
    """Quantile of chi-square with any number of degrees of freedom above 0.

    Example:
        >>> round(chi_square_quantile(0.95, 2), 4)  # -2 log(0.05)
        5.9915

    Source: the series of the incomplete gamma function, inverted by bisection from the bracket that
        Wilson & Hilferty (1931) give.
    """
    if not 0 < probability < 1 or not degrees > 0:
        raise ValueError(
            f"chi_square_quantile: got probability {probability}, degrees {degrees}; "
            "expected a level in (0, 1) and a number above 0"
        )
    spread = 2 / (9 * degrees)
    guess = 1 - spread + NormalDist().inv_cdf(probability) * math.sqrt(spread)
    if degrees > LARGEST_SERIES:
        return float(degrees * guess**3)
    low, high = 0.0, max(degrees * guess**3, 0.1)
    while _chi_square_below(high, degrees) < probability:
        high *= 1.5
    for _ in range(100):
        middle = (low + high) / 2
        is_below = _chi_square_below(middle, degrees) < probability
        low, high = (middle, high) if is_below else (low, middle)
    return high


@functools.cache
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution.

    Example:
        >>> round(beta_quantile(0.5, 1, 2), 4)  # 1 - sqrt(0.5)
        0.2929

    Source: the continued fraction of Abramowitz & Stegun (1964), 26.5.8, inverted by bisection.
    """
    if not 0 < probability < 1 or not min(a, b) > 0:
        raise ValueError(
            f"beta_quantile: got probability {probability}, a {a}, b {b}; "
            "expected a level in (0, 1) and numbers above 0"
        )
    low, high = 0.0, 1.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        is_below = _beta_below(middle, a, b) < probability
        low, high = (middle, high) if is_below else (low, middle)
    return high


def _beta_below(x: float, a: float, b: float) -> float:
    """Probability that beta is below x in (0, 1)."""
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1 - _beta_below(1 - x, b, a)
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    scale = math.exp(log_scale + a * math.log(x) + b * math.log1p(-x)) / a
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = lower
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = fraction
        for step in (even, odd):  # Lentz's way from above
            upper, lower = 1 + step / upper, 1 / (1 + step * lower)
            fraction *= upper * lower
        if abs(fraction - before) < 1e-15 * abs(fraction):
            break
    return scale * fraction


def _chi_square_below(x: float, degrees: float) -> float:
    """Probability that chi-square is below x > 0."""
    half = degrees / 2
    n_terms = int(x + degrees) + 60
    terms = np.cumprod(x / 2 / (half + np.arange(1, n_terms)))
    log_first = half * math.log(x / 2) - x / 2 - math.lgamma(half + 1)
    return math.exp(log_first) * (1 + float(terms.sum()))


def _student_between(t: float, degrees: int) -> float:
    """Probability that Student's t lies between -t and t, for t > 0."""
    cosine_squared = degrees / (degrees + t * t)
    sine = t / math.sqrt(degrees + t * t)
    if degrees % 2 == 0:
        k = np.arange(1, degrees // 2)
        return sine * (1 + float(np.cumprod((2 * k - 1) / (2 * k) * cosine_squared).sum()))
    angle = 2 / math.pi * math.atan(t / math.sqrt(degrees))
    if degrees == 1:
        return angle
    k = np.arange(1, (degrees - 1) // 2)
    series = 1 + float(np.cumprod(2 * k / (2 * k + 1) * cosine_squared).sum())
    return angle + 2 / math.pi * sine * math.sqrt(cosine_squared) * series
