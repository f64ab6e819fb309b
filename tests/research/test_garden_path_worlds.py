"""Simulated segmenters: the interval of the difference where few sentences are wrong."""

import numpy as np

from metrics._shared.paradigms import cluster_index
from metrics.garden_path_accuracy.comparison import with_added_signs
from research.worlds.garden_path_accuracy import SEGMENTERS, draw_shares, true_values


def test_near_the_ceiling_the_interval_of_the_difference_covers():
    one = next(world for world in SEGMENTERS if world.name == "near the ceiling")
    truth = true_values(one)["difference"]
    family = cluster_index(np.arange(1, 40), "family")
    sizes, generator, n_held = np.bincount(family).astype(float), np.random.default_rng(8), 0
    for _ in range(500):
        commits, resolves, control = draw_shares(one, generator)
        wrong = generator.binomial(50, [commits * (1 - resolves), 1 - control]) / 50
        sums = np.bincount(family, weights=wrong[0] - wrong[1])
        found = with_added_signs(sums, sizes, 0.95)
        n_held += found.low <= truth <= found.high
    assert n_held >= 0.95 * 500  # the bootstrap held 85 of 100
