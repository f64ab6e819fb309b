"""Tests of the preference for the left word."""

import math
from argparse import Namespace

import numpy as np
import pytest

from metrics._shared.uncertainty import wilson_interval
from research.studies.eras.segmentation import preference, show_preference
from research.studies.seed_intervals import mover


def a_branch(side: str, share: float, half: float = 0.1) -> dict[str, object]:
    """Shares of a branching: `share` of the test sentences, all controls."""
    found: dict[str, object] = {"branching": side}
    for score, value in (("test_accuracy", share), ("control_accuracy", 1.0)):
        found |= {score: value, f"{score}_low": value - half, f"{score}_high": value + half}
    return found


def a_result(left: float, right: float, half: float = 0.1) -> dict[str, object]:
    branches = [a_branch("right", right, half), a_branch("left", left, half)]
    ends = {"pair_accuracy": 0.5, "pair_accuracy_low": 0.4, "pair_accuracy_high": 0.6}
    return {"system": "one", "config": "extended", "by_branching": branches, **ends}


def test_left_minus_right_by_hand():
    # two independent intervals of 10 points each: the difference has 10 times the root of 2
    found, half = preference(a_result(0.9, 0.6)), 0.1 * math.sqrt(2)
    ends = (found[f"left_minus_right{end}"] for end in ("", "_low", "_high"))
    assert list(ends) == pytest.approx([0.3, 0.3 - half, 0.3 + half])
    # a side without an interval leaves the difference without
    assert math.isnan(preference(a_result(0.9, 0.6, math.nan))["left_minus_right_low"])


def test_the_table_has_a_row_per_system_and_config():
    (shown,) = show_preference([a_result(0.9, 0.6), a_result(0.5, 0.5)], Namespace())
    text = shown.text
    assert text.count("| one |") == 2
    assert "30.0 [15.9, 44.1]" in text


@pytest.mark.simulation
@pytest.mark.parametrize("shares", [(0.9, 0.7), (0.98, 0.99), (0.5, 0.5)])
@pytest.mark.parametrize("sizes", [(23, 16), (260, 249)])
def test_the_interval_covers_the_difference(shares, sizes):
    """4,000 draws of independent families: at least 93 % hold the true difference."""
    random = np.random.default_rng(1)
    n_right = [random.binomial(n, p, 4000) for n, p in zip(sizes, shares, strict=True)]
    held = 0
    for pair in zip(*n_right, strict=True):
        ends = [(k / n, *wilson_interval(int(k), n)[:2]) for k, n in zip(pair, sizes, strict=True)]
        low, high, _ = mover(*ends)
        held += low <= shares[0] - shares[1] <= high
    assert held / 4000 > 0.93
