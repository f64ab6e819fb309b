"""Expected regret: the score that is lost by trusting the winner of one unit.

True regret is the mean of the best system less that of a unit's winner, over units. No estimator of
a largest mean is unbiased at ties. Taking the best observed mean for the best true one (the
plug-in value) is too large, the more so the nearer the systems tie: it picks the luckiest. Choosing
the best system on one half of the units and taking its mean from the other (the cross-fitted value)
is too small: it sometimes picks a worse one. The headline lies between: as far from the
cross-fitted value towards the plug-in value as the observed differences are likely to be real.

Source: Cawley & Talbot (2010) on what selection adds; Chernozhukov et al. (2018) on cross-fitting.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

from ..columns import FloatArray
from ..distributions import student_quantile
from ..uncertainty import Interval, undefined_interval, wilson_interval
from .agreement import winner_weights
from .pairs import FEW_UNITS
from .prior import Posterior, flat_posterior, shrinkage_of

N_HALVES = 200
LARGEST_NUMBER_OF_PATTERNS = 200  # units whose noise is put to the test of other means
DRAWS_OF_PATTERNS = 1000


@dataclass(frozen=True)
class Regret:
    """Expected regret in points of the score, from 0.

    Attributes:
        value: Shrunken estimate, the headline.
        plug_in: Upper end of the bracket: the best observed mean is taken for the best true one.
        cross_fitted: Lower end of the bracket; below 0 where the choice does not carry over.
        interval: Confidence interval of the true regret; it begins at 0 where the units do not
            show that any system is better than another.
    """

    value: float
    plug_in: float
    cross_fitted: float
    interval: Interval


def expected_regret(unit_scores: FloatArray, confidence: float, seed: int) -> Regret:
    """Regret of trusting one unit.

    Args:
        unit_scores: Shape (U, S), higher is better.
        confidence: Two-sided level in (0, 1).
        seed: Seed of the halves and of the simulated means.

    Returns:
        The headline is between the two ends of the bracket, and not negative. For fewer than three
        units it is nan: one unit would be judged by one other.
    """
    unit_scores = unit_scores[np.lexsort(unit_scores.T)]  # whatever the order of the rows
    plug_in = plug_in_regret(unit_scores)
    if len(unit_scores) < 3:
        reason = undefined_interval("fewer than three units")
        return Regret(math.nan, plug_in, math.nan, reason)
    cross_fitted = min(plug_in, cross_fitted_regret(unit_scores, seed))
    shrinkage = shrinkage_of(unit_scores)
    value = max(0.0, cross_fitted + shrinkage * (plug_in - cross_fitted))
    interval = regret_interval(unit_scores, confidence, seed)
    if not math.isnan(interval.low):
        interval = interval._replace(low=min(interval.low, value), high=max(interval.high, value))
    return Regret(value, plug_in, cross_fitted, interval)


def plug_in_regret(unit_scores: FloatArray) -> float:
    """Best mean less the mean of the unit's winner, both from the other units, mean over units."""
    others = _other_means(unit_scores)
    return float(others.max(axis=1).mean()) - _value_of_winners(unit_scores, others)


def cross_fitted_regret(unit_scores: FloatArray, seed: int) -> float:
    """The same with the best system chosen on one half of the units and judged on the other."""
    n_units = len(unit_scores)
    in_half = _halves(seed, n_units)
    half = in_half @ unit_scores / (n_units // 2)
    rest = (unit_scores.sum(axis=0) - in_half @ unit_scores) / (n_units - n_units // 2)
    rows = np.arange(N_HALVES)
    best = (rest[rows, half.argmax(axis=1)] + half[rows, rest.argmax(axis=1)]).mean() / 2
    return float(best) - _value_of_winners(unit_scores, _other_means(unit_scores))


@functools.lru_cache(maxsize=4)
def _halves(seed: int, n_units: int) -> FloatArray:
    order = np.random.default_rng([seed, 2]).random((N_HALVES, n_units)).argsort(axis=1)
    return (order < n_units // 2).astype(float)


def regret_interval(unit_scores: FloatArray, confidence: float, seed: int) -> Interval:
    """Interval of the true regret.

    True regret is the largest, over systems b, of b's mean less the mean of a unit's winner. Each
    of these has an interval by its influence function. The lower end is the largest lower bound,
    and all lower bounds hold at once; the upper end is the largest upper bound, and only that of
    the true best need hold. Where units agree so well that no influence is left, the means that
    are plausible under normal noise bound what other units could name.
    """
    n_units, n_systems = unit_scores.shape
    weights, means = winner_weights(unit_scores), unit_scores.mean(axis=0)
    shares = weights.mean(axis=0)
    values = means - shares @ means
    own = unit_scores - (unit_scores @ shares)[:, None]
    chosen = weights @ means - shares @ means
    errors = _standard_errors(own - chosen[:, None])
    # were all means equal, only the first part would vary: nothing smaller shows a difference
    cautious = np.maximum(errors, _standard_errors(own))
    tail = (1 - confidence) / 2
    at_once = student_quantile(1 - tail / n_systems, n_units - 1)
    low = max(0.0, float((values - at_once * cautious).max()))
    # one-sided from 0 where 0 is not excluded, unless the units are too few to know their noise by
    upper = 1 - tail if low > 0 or n_units < FEW_UNITS else confidence
    high = float((values + student_quantile(upper, n_units - 1) * errors).max())
    plausible = flat_posterior(unit_scores, seed, DRAWS_OF_PATTERNS)
    losses = losses_under(plausible, unit_scores)
    plausible_low, plausible_high = np.quantile(losses, [tail, upper]).tolist()
    high = max(high, plausible_high)
    if high > 1e-9 * float(np.ptp(unit_scores)):  # more than rounding
        note = f"largest of {n_systems} bounds over {n_units} units"
        return Interval(min(low, plausible_low) if low > 0 else 0.0, high, note)
    return _interval_of_agreement(unit_scores, confidence)


def _interval_of_agreement(unit_scores: FloatArray, confidence: float) -> Interval:
    """Bound where all units name one system: how many might not, times what that could cost."""
    n_units, means = len(unit_scores), unit_scores.mean(axis=0)
    best = int(means.argmax())
    reach = student_quantile(confidence, n_units - 1)
    behind = unit_scores[:, [best]] - unit_scores
    cost = float((behind.mean(axis=0) + reach * _standard_errors(behind)).max())
    unseen = 1 - wilson_interval(n_units, n_units, confidence).low
    if not cost > 0:
        return undefined_interval("no spread between units")
    return Interval(0.0, unseen * cost, f"Wilson over {n_units} units that all name one system")


def losses_under(posterior: Posterior, unit_scores: FloatArray) -> FloatArray:
    """Regret if the means were as drawn and units had noise such as these have; shape (d,)."""
    n_units = len(unit_scores)
    noise = unit_scores - unit_scores.mean(axis=1, keepdims=True)
    noise = noise - noise.mean(axis=0)
    observed = math.sqrt(float((noise**2).sum()) / ((n_units - 1) * (noise.shape[1] - 1)))
    if not observed > 0:
        return np.zeros(1)
    noise *= math.sqrt(n_units / (n_units - 1)) / observed
    step = math.ceil(n_units / LARGEST_NUMBER_OF_PATTERNS)
    means, sds = posterior.means, posterior.noise_sd
    rows, patterns = np.arange(len(means)), noise[::step]
    weights = _pattern_weights(len(means), len(patterns))
    found = np.zeros(len(means))
    for pattern, weight in zip(patterns, weights, strict=True):
        found += weight * means[rows, (means + sds[:, None] * pattern).argmax(axis=1)]
    losses: FloatArray = means.max(axis=1) - found
    return losses


@functools.lru_cache(maxsize=4)
def _pattern_weights(n_draws: int, n_patterns: int) -> FloatArray:
    """How often further units have each pattern of noise, by the Bayesian bootstrap, shape (p, d).

    Source: Rubin (1981).
    """
    drawn = np.random.default_rng([0, 4]).standard_exponential((n_patterns, n_draws))
    weights: FloatArray = drawn / drawn.sum(axis=0)
    return weights


def _other_means(unit_scores: FloatArray) -> FloatArray:
    means: FloatArray = (unit_scores.sum(axis=0) - unit_scores) / (len(unit_scores) - 1)
    return means


def _value_of_winners(unit_scores: FloatArray, others: FloatArray) -> float:
    return float((winner_weights(unit_scores) * others).sum(axis=1).mean())


def _standard_errors(values: FloatArray) -> FloatArray:
    n = len(values)
    centred = values - values.mean(axis=0)
    errors: FloatArray = np.sqrt((centred**2).sum(axis=0) / (n * (n - 1)))
    return errors
