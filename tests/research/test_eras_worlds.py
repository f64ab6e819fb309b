"""ERAS in known worlds: null models, occlusion effect, more clusters, segmenters near the top."""

import itertools
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from builders.eras.extended import read_extended
from metrics._shared.paradigms import cluster_index
from metrics.garden_path_accuracy.comparison import with_added_signs
from metrics.gper.inputs import read_pairs
from metrics.gper.occlusion import IS_DEGENERATE, SIGNS, paradigm_effects
from metrics.gper.scoring import score
from research.studies.eras import polar
from research.studies.eras.nulls import MODELS, draw_logits, score_draw, scores_table
from research.worlds.garden_path_accuracy import SEGMENTERS, draw_shares, true_values
from research.worlds.gper import WORLDS, OcclusionWorld, draw_ratings
from research.worlds.gper import score_draw as draw_of_world

IDS = np.repeat(np.arange(1, 40), 50)
N_DRAWS = 10


def run(predictions, references):
    return score({"predictions": predictions, "references": references})


@pytest.fixture(scope="module")
def scores():
    draws = {
        model.name: [score_draw((model, IDS), seed) for seed in range(N_DRAWS)] for model in MODELS
    }
    return {
        name: {score: np.array([draw[score] for draw in found]) for score in found[0]}
        for name, found in draws.items()
    }


def test_null_models_have_a_gper_but_no_excess_and_no_occlusion_effect(scores):
    for name, draws in scores.items():
        assert 0.2 < draws["gper"].mean() < 0.46, name
        for score_name, holds in (
            ("gper_excess", "excess_holds_zero"),
            ("occlusion_effect", "effect_holds_zero"),
        ):
            error = draws[score_name].std(ddof=1) / np.sqrt(N_DRAWS)
            assert abs(draws[score_name].mean()) < 3 * error, name
            # 95 % but for chance; 7 of 10 or fewer have a chance of 1 %
            assert draws[holds].mean() >= 0.8, name


def test_the_published_rule_gives_noise_more_than_the_default_one(scores):
    # 39.4 on the whole suite: more than five of the seven published rows
    assert 0.33 < scores["noise"]["gper_published"].mean() < 0.42
    assert scores["noise"]["gper_published"].mean() > scores["noise"]["gper"].mean() + 0.05


def test_noise_scores_what_can_be_computed_by_hand(scores):
    # an error in half of all pairs; detected in half of them, and always in the six degenerate
    # paradigms
    assert scores["noise"]["gper"].mean() == pytest.approx(0.5 * (33 * 0.5 + 6) / 39, abs=0.005)
    assert scores["noise"]["gper_without_degenerate"].mean() == pytest.approx(0.25, abs=0.005)


def test_draws_are_seeded_and_degenerate_paradigms_have_one_occluded_sentence():
    model = MODELS[1]
    first, again, other = (
        draw_logits(model, IDS, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()
    is_same = first[:, 2] == first[:, 3]
    assert set(IDS[is_same]) == {7, 21, 22, 30, 31, 38}
    assert is_same.sum() == 6 * 50


def test_table_has_a_row_per_model_and_no_minus_zero(scores):
    text = scores_table(scores)
    assert [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()[2:]] == [
        model.name for model in MODELS
    ]
    assert "-0.0 " not in text
    assert "nan" not in text


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


def test_a_strong_effect_is_claimed_and_its_interval_holds():
    strong = WORLDS[NAMES.index("effect .3, masks keep .8")]
    draws = [draw_of_world(strong, seed) for seed in range(1, 9)]
    assert all(draw["family"] and draw["paradigm"] for draw in draws)
    assert sum(draw["covers"] for draw in draws) >= 5


POLAR = [p.templates.row.paradigm_id for p in read_extended() if p.is_polar]
OF_SET = {polar.PUBLISHED: np.arange(1, 40), polar.EXTENDED: np.array(POLAR)}
OF_SET[polar.BOTH] = np.concatenate([*OF_SET.values()])


def rated(ids: np.ndarray, effect: float, seed: int = 0) -> np.ndarray:
    """P(positive), shape (n, 4), of a world where the canary word pulls by so many logits."""
    rng = np.random.default_rng(seed)
    level = SIGNS[ids] + rng.normal(0, 0.5, len(ids))
    wording = rng.normal(0, 0.5, len(ids))
    pull = SIGNS[ids] * (effect + rng.normal(0, 0.3, len(ids)))
    logits = np.column_stack([level - wording - pull, level, level - wording, level])
    return 1 / (1 + np.exp(-logits))


@pytest.fixture(scope="module")
def known() -> list[dict[str, object]]:
    """Five classifiers."""
    systems = []
    for seed, (which, ids) in itertools.product(range(5), OF_SET.items()):
        result = score({"predictions": rated(ids, 0.5, seed), "references": ids})
        systems.append({"system": f"made {seed}", "set": which, "n_paradigms": len(ids)} | result)
    return systems


@pytest.mark.slow
def test_sets_have_25_pairs_of_each_paradigm_with_a_sentiment():
    sets = polar.read_sets(polar.STUDY.parser().parse_args([]))
    counts = {name: Counter(table["paradigm_id"].to_pylist()) for name, table in sets.items()}
    assert {*counts[polar.PUBLISHED]} == {*range(1, 40)}
    assert sorted(counts[polar.EXTENDED]) == POLAR
    assert {*counts[polar.PUBLISHED].values(), *counts[polar.EXTENDED].values()} == {25}


def test_three_times_the_clusters_of_one_world_narrow_the_interval(known):
    found = [ratio for name, ratio in polar.ratios(known) if name == "occlusion_effect"]
    assert len(found) == 5
    # 19 families and 63: sqrt(19 / 63) is .55
    assert 0.4 < np.median(found) < 0.75
    text = polar.result_text(known)
    assert re.search(r"occlusion effect is 0\.\d\d times as wide", text)
    assert "39 in 19 families" in text
    assert f"{len(POLAR)} in 46 families" in text


def test_without_intervals_no_width_is_told():
    rows = []
    for which, ids in OF_SET.items():
        result = score({"predictions": np.full((len(ids), 4), 0.5), "references": ids})
        rows.append({"system": "constant", "set": which, "n_paradigms": len(ids)} | result)
    assert "No classifier has intervals on both." in polar.result_text(rows)


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
