"""Bootstrap intervals restated one resample at a time, to compare the metrics' with."""

import numpy as np
from scipy import stats


def drawn_weights(n_clusters, n_resamples, seed):
    """How often each cluster is drawn, one row per resample, counted in a loop."""
    picks = np.random.default_rng(seed).integers(0, n_clusters, (n_resamples, n_clusters))
    return [np.array([np.sum(row == k) for k in range(n_clusters)], float) for row in picks]


def bca_interval(statistic, weights, level=0.95):
    """Ends of the BCa interval with quantiles widened for few clusters (Hesterberg 2015)."""
    n = len(weights[0])
    ones = np.ones(n)
    estimate = statistic(ones)
    drawn = [statistic(w) for w in weights]
    left_out = np.array([statistic(ones - np.eye(n)[k]) for k in range(n)])
    apart = [value - estimate if abs(value - estimate) > 1e-12 else 0.0 for value in drawn]
    below = np.mean([(step < 0) + 0.5 * (step == 0) for step in apart])
    bias = stats.norm.ppf(below)
    spread = left_out.mean() - left_out
    acceleration = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    reach = np.sqrt(n / (n - 1)) * stats.t.ppf((1 + level) / 2, n - 1)
    ends = [bias + z / (1 - acceleration * z) for z in (bias - reach, bias + reach)]
    return tuple(np.quantile(drawn, stats.norm.cdf(ends)))


def studentised_interval(top, bottom, weights, level=0.95):
    """Ends of the studentised interval of a ratio of sums, standard errors by linearisation."""

    def ratio_and_error(w):
        total = (w * bottom).sum()
        ratio = (w * top).sum() / total
        residuals = top - ratio * bottom
        n = len(w)
        return ratio, np.sqrt((w * residuals**2).sum() * n / (n - 1)) / total

    estimate, error = ratio_and_error(np.ones(len(top)))
    pivots = [(ratio - estimate) / e for ratio, e in map(ratio_and_error, weights)]
    low, high = np.quantile(pivots, [(1 - level) / 2, (1 + level) / 2])
    return estimate - high * error, estimate - low * error
