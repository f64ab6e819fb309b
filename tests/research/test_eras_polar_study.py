"""The study of polar paradigms: its sets, and that more clusters of one world narrow intervals."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from builders.eras.extended import read_extended
from metrics.gper.occlusion import SIGNS
from metrics.gper.scoring import score
from research.studies.eras.polar import (
    BOTH,
    EXTENDED,
    PUBLISHED,
    STUDY,
    ratios,
    read_sets,
    result_text,
)

POLAR = [p.templates.row.paradigm_id for p in read_extended() if p.is_polar]
IDS = {PUBLISHED: np.arange(1, 40), EXTENDED: np.array(POLAR)}
IDS[BOTH] = np.concatenate([*IDS.values()])


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
    for seed, (which, ids) in itertools.product(range(5), IDS.items()):
        result = score({"predictions": rated(ids, 0.5, seed), "references": ids})
        systems.append({"system": f"made {seed}", "set": which, "n_paradigms": len(ids)} | result)
    return systems


def test_sets_have_25_pairs_of_each_paradigm_with_a_sentiment():
    sets = read_sets(STUDY.parser().parse_args([]))
    counts = {name: Counter(table["paradigm_id"].to_pylist()) for name, table in sets.items()}
    assert {*counts[PUBLISHED]} == {*range(1, 40)}
    assert sorted(counts[EXTENDED]) == POLAR
    assert {*counts[PUBLISHED].values(), *counts[EXTENDED].values()} == {25}


def test_three_times_the_clusters_of_one_world_narrow_the_interval(known):
    found = [ratio for name, ratio in ratios(known) if name == "occlusion_effect"]
    assert len(found) == 5
    # 19 families and 63: sqrt(19 / 63) is .55
    assert 0.4 < np.median(found) < 0.75
    text = result_text(known)
    assert re.search(r"occlusion effect is 0\.\d\d times as wide", text)
    assert "39 in 19 families" in text
    assert f"{len(POLAR)} in 46 families" in text


def test_without_intervals_no_width_is_told():
    rows = []
    for which, ids in IDS.items():
        result = score({"predictions": np.full((len(ids), 4), 0.5), "references": ids})
        rows.append({"system": "constant", "set": which, "n_paradigms": len(ids)} | result)
    assert "No classifier has intervals on both." in result_text(rows)


def test_the_study_runs(tmp_path, capsys):
    from research.studies.study import run

    arguments = ["--systems", "random", "--store", str(tmp_path / "store"), "--out", str(tmp_path)]
    assert run(STUDY, arguments) == 0
    shown = capsys.readouterr().out
    assert "| random | both | 109 | 63 |" in shown
    assert (tmp_path / "polar.md").read_text("utf-8").startswith("#### With three times")
