"""Worlds of the occlusion effect: what they draw, what the study claims, that draws repeat."""

from dataclasses import replace

import numpy as np
import pytest

from metrics.gper.inputs import read_pairs
from metrics.gper.occlusion import IS_DEGENERATE, SIGNS, paradigm_effects
from research.studies.__main__ import main
from research.worlds.occlusion_effect import WORLDS, OcclusionWorld, draw_ratings, score_draw

NAMES = [world.name for world in WORLDS]


def effects_of(world, seed=0):
    ratings, ids = draw_ratings(world, np.random.default_rng(seed))
    return paradigm_effects(read_pairs(ratings, ids, "logit"))


def test_a_world_without_noise_has_exactly_its_effect():
    world = OcclusionWorld("exact", effect=0.3, noise=0.0, shift=-2.0)
    assert effects_of(world).effect == pytest.approx(np.full(39, 0.3))
    assert effects_of(world).minus_placebo == pytest.approx(np.full(39, 0.3))


def test_masks_that_shrink_leave_a_part_of_the_wording_and_the_placebo_takes_it_away():
    world = OcclusionWorld("shrinking", noise=0.0, kept=0.5, polarity=0.4, wording=0.0)
    assert effects_of(world).effect == pytest.approx(np.full(39, 0.2))
    assert effects_of(world).minus_placebo == pytest.approx(np.zeros(39), abs=1e-12)


def test_control_words_lie_on_the_side_of_the_true_word():
    control = effects_of(replace(WORLDS[0], noise=0.0)).control
    signs = SIGNS[1 : len(control) + 1]  # of the 39 published paradigms
    assert control[signs > 0].mean() > 0.5 > -0.5 > control[signs < 0].mean()
    assert IS_DEGENERATE.sum() == 6


def test_a_draw_is_a_function_of_world_and_seed():
    first, again, other = (score_draw(WORLDS[3], seed) for seed in (1, 1, 2))
    assert repr(first) == repr(again)
    assert first.keys() == other.keys()


def test_a_strong_effect_is_claimed_and_its_interval_holds():
    strong = WORLDS[NAMES.index("effect .3, masks keep .8")]
    draws = [score_draw(strong, seed) for seed in range(1, 9)]
    assert all(draw["family"] and draw["paradigm"] for draw in draws)
    assert sum(draw["covers"] for draw in draws) >= 5


def test_the_study_prints_a_row_per_world(tmp_path, capsys):
    command = ["eras", "occlusion_effect", "--draws", "1", "--store", str(tmp_path / "store")]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert [line.split(" | ")[0].removeprefix("| ") for line in printed.splitlines()[2:13]] == NAMES
    assert "Percent of 1 draws" in printed
    assert main([*command, "--write"]) == 1
