"""Intervals over sentence pairs, which were drawn within their level, and the trend of the gap.

All questions of a sentence pair stand and fall together; how many pairs a level has is fixed by the
design. Pairs are resampled within their level and studentised (`stratified`). Where too few pairs
differ for a bootstrap, a gap has a conservative interval instead of none.

Source: our own; the rule for few differing pairs bounds their share by Wilson's interval and each
one's difference by the largest seen, or by two questions of a sentence.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray
from ..significance import sign_flip_test
from ..stratified import stratified_intervals
from ..uncertainty import Interval, undefined_interval, wilson_interval

LARGEST_ACCURACY = 0.97  # of a condition, for its log-odds to be worth a slope
LEAST_ABOVE_CHANCE = 0.05
MOST_ENDS = 2  # questions of a sentence that a pair may differ in where no pair does


class Resampling(NamedTuple):
    """How intervals are computed."""

    confidence: float
    n_resamples: int
    seed: int


def share_interval(
    sums: tuple[FloatArray, FloatArray], strata: IntArray, how: Resampling
) -> Interval:
    """Interval of a share in [0, 1] over sentence pairs, on the logit scale.

    Args:
        sums: Right answers and answers per sentence pair, each of shape (c,).
        strata: Level of each sentence pair, shape (c,).
        how: Confidence, number of resamples, seed.

    Returns:
        Wilson's interval where all sentence pairs have one value, which is conservative for values
        between 0 and 1.
    """
    top, bottom = (column[sums[1] > 0, None] for column in sums)
    found = stratified_intervals(top, bottom, strata[sums[1] > 0], **how._asdict())[0]
    values = (top / bottom)[:, 0]
    if math.isnan(found.low) and len(values) > 1 and np.ptp(values) < 1e-9:
        return wilson_interval(float(values[0]) * len(values), len(values), how.confidence)
    return found


def gap_intervals(
    tops: FloatArray, bottoms: FloatArray, strata: IntArray, how: Resampling
) -> list[Interval]:
    """Intervals of k gaps in [-1, 1] that hold together, from the same resamples.

    Args:
        tops: Sum of differences per sentence pair and gap, shape (c, k).
        bottoms: Number of complete question pairs, shape (c, k); 0 where a sentence pair is not
            part of a gap.
        strata: Level of each sentence pair, shape (c,).
        how: Confidence of all together, number of resamples, seed.
    """
    is_simultaneous = tops.shape[1] > 1
    found = stratified_intervals(
        tops, bottoms, strata, bounds=(-1.0, 1.0), is_simultaneous=is_simultaneous, **how._asdict()
    )
    each = how.confidence ** (1 / tops.shape[1])
    return [
        interval
        if not math.isnan(interval.low) and np.ptp(top[bottom > 0] / bottom[bottom > 0]) > 1e-9
        else _few_differ(top[bottom > 0], bottom[bottom > 0], each, interval)
        for interval, top, bottom in zip(found, tops.T, bottoms.T, strict=True)
    ]


def _few_differ(
    top: FloatArray, bottom: FloatArray, confidence: float, found: Interval
) -> Interval:
    """Conservative interval of a gap to which hardly any sentence pair contributes."""
    n = len(top)
    if n < 2:
        return found
    differences = top / bottom
    gap = float(top.sum() / bottom.sum())
    if np.ptp(differences) < 1e-9 and abs(gap) > 1e-9:  # Wilson's interval of its size
        bound = wilson_interval(abs(gap) * n, n, confidence)
        ends = (bound.low, bound.high) if gap > 0 else (-bound.high, -bound.low)
        return Interval(*ends, bound.note)
    n_differing = int((np.abs(differences) > 1e-9).sum())
    largest = max(float(np.abs(differences).max()), float(MOST_ENDS / bottom.mean()))
    reach = wilson_interval(n_differing, n, confidence).high * min(1.0, largest)
    note = f"{n_differing} of {n} sentence pairs differ: conservative bound"
    return Interval(max(-1.0, gap - reach), min(1.0, gap + reach), note)


def trend(
    levels: list[int],
    rights: FloatArray,
    asked: FloatArray,
    strata: IntArray,
    chances: list[float],
    how: Resampling | None,
    seed: int,
    n_flips: int = 10_000,
) -> dict[str, Any]:
    """Slope of the gap over levels, each level counting alike, in points and in log-odds.

    Args:
        levels: The levels, ascending.
        rights: Right answers of each sentence pair in either condition, shape (c, 2).
        asked: Answers of each sentence pair in either condition, shape (c, 2), both above 0.
        strata: Index in `levels` of each sentence pair, shape (c,).
        chances: Accuracy of the best reader without structure at each level.
        how: How the intervals are computed; None for none.
        seed: Seed of the sign flips.
        n_flips: Their number.

    Returns:
        `trend_points` (per level, in [-1, 1]), `trend_log_odds`, each with `_p` and its interval,
        and `trend`: "grows with depth" or "shrinks with depth" where both intervals lie on one
        side of 0, else "open". nan, with the reason in `trend_note`, for fewer than two levels of
        two sentence pairs, or where a level has a condition above .97 or within .05 of chance.
    """
    names = ("trend_points", "trend_log_odds")
    if reason := _unfit(levels, rights, asked, strata, chances):
        nothing: dict[str, Any] = {f"{name}{end}": math.nan for name in names for end in ("", "_p")}
        for name in names if how else ():
            nothing.update(undefined_interval(reason).as_fields(name))
        return nothing | {"trend": "open", "trend_note": reason}
    found: dict[str, Any] = {}
    sides = []
    slopes = slope_weights(levels)
    for name, values in zip(names, _values(rights, asked, strata), strict=True):
        means = np.bincount(strata, values) / np.bincount(strata)
        found[name] = float(means @ slopes)
        shares = slopes[strata] / np.bincount(strata)[strata]
        found[f"{name}_p"] = sign_flip_test(shares * (values - means.mean()), n_flips, seed)
        if how:
            interval = stratified_intervals(
                values[:, None],
                np.ones((len(values), 1)),
                strata,
                bounds=None,
                contrast=slopes,
                **how._asdict(),
            )[0]
            found.update(interval.as_fields(name))
            sides.append((interval.low > 0) - (interval.high < 0))
    return found | {"trend": _said(sides), "trend_note": ""}


def _said(sides: list[int]) -> str:
    """What two intervals on one side of 0 say."""
    if len(sides) == 2 and sides[0] == sides[1] != 0:
        return "grows with depth" if sides[0] > 0 else "shrinks with depth"
    return "open"


def slope_weights(levels: list[int]) -> FloatArray:
    """Weight of each level's value in the least-squares slope over the levels."""
    centred = np.array(levels, float) - np.mean(levels)
    weights: FloatArray = centred / (centred**2).sum()
    return weights


def _unfit(
    levels: list[int],
    rights: FloatArray,
    asked: FloatArray,
    strata: IntArray,
    chances: list[float],
) -> str:
    if len(levels) < 2 or min(np.bincount(strata, minlength=len(levels))) < 2:
        return "fewer than two levels with two complete sentence pairs each"
    for i, (level, chance) in enumerate(zip(levels, chances, strict=True)):
        shares = rights[strata == i].sum(axis=0) / asked[strata == i].sum(axis=0)
        if max(shares) > LARGEST_ACCURACY:
            return f"level {level}: a condition is right in {max(shares):.1%}, no gap can show"
        if min(shares) < chance + LEAST_ABOVE_CHANCE:
            return f"level {level}: a condition is right in {min(shares):.1%}, close to chance"
    return ""


def _values(
    rights: FloatArray, asked: FloatArray, strata: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Value of each sentence pair whose level means are the level's gap, in points and log-odds.

    The log-odds of a level are linearised: each sentence pair has their value plus its influence.
    """
    totals, rows = np.zeros((2, strata.max() + 1, 2)), np.bincount(strata)[strata][:, None]
    np.add.at(totals[0], strata, rights)
    np.add.at(totals[1], strata, asked)
    share = (totals[0] / totals[1])[strata]
    influence = rows * (rights - share * asked) / totals[1][strata]
    points = share + influence
    odds = np.log(share / (1 - share)) + influence / (share * (1 - share))
    return points[:, 0] - points[:, 1], odds[:, 0] - odds[:, 1]
