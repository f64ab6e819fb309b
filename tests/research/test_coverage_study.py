"""The study of coverage: counting by hand, resuming, worlds that say what the metrics return."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dataset_scripts.registry import split_table
from ground.paths import ROOT
from ground.tables import read_table
from metrics.matched_pair_accuracy.inputs import CONDITIONS, CORE_TYPES
from metrics.matched_pair_accuracy.options import read_options
from metrics.matched_pair_accuracy.scoring import score
from metrics.ranking_generalizability import scoring as ranking
from metrics.ranking_generalizability.options import read_options as ranking_options
from metrics.subject_object_las import scoring as las
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED
from metrics.subject_object_las.options import read_options as las_options
from research.studies.coverage import coverage, peers
from research.studies.coverage.coverage import (
    OUTCOMES,
    SIMULATION,
    STUDY,
    coverage_table,
    outcome_of,
    share,
)
from research.studies.published_tables import DATA
from research.studies.study import run
from research.worlds import ranking_generalizability as ranking_world
from research.worlds.matched_pair_accuracy import stated as stated_pairs
from research.worlds.subject_object_las import SCORES, stated, studied
from research.worlds.world import World, metric_names, worlds_of
from tests.support.cases import cases, cells_of
from tests.support.centerbench_draw import question_rows


@pytest.mark.parametrize(*cases("coverage_study/outcome_by_hand"))
def test_outcome_by_hand(low, high, outcome):
    assert outcome_of({"f1_low": low, "f1_high": high}, "f1", 0.5) == outcome


def test_undefined_intervals_count_as_misses():
    found = np.array([0.0] * 9 + [2.0] + [3.0] * 10)  # 9 held, 1 above, 10 undefined
    shares = [share(found, outcome) for outcome in OUTCOMES]
    assert shares == [0.45, 0.0, 0.05, 0.5]
    assert math.isnan(share(np.array([]), "held"))


@pytest.mark.slow
@pytest.mark.parametrize("metric", metric_names())
def test_worlds_have_a_truth_for_what_the_metric_returns(metric):
    name, world = next(iter(worlds_of(metric).items()))
    truth = world.true_values()
    result, again = (world.simulate(np.random.default_rng(1)) for _ in range(2))
    assert truth, name
    for quantity, value in truth.items():
        assert math.isfinite(value)
        assert outcome_of(result, quantity, value) in OUTCOMES
    lows = ([found[f"{quantity}_low"] for quantity in truth] for found in (result, again))
    assert next(lows) == pytest.approx(next(lows), nan_ok=True)


@pytest.mark.parametrize("clusters", ["items", "frames"])
def test_the_truth_of_a_weighed_headline_is_the_mean_of_its_studies(clusters):
    size = "22, 8 and 22 frames of 4 or 5 items"
    name = f"most right, frames alike, over {clusters}, {size}"
    world = worlds_of("pp_attachment_accuracy")[name]
    ((score_name, truth),) = world.true_values().items()
    studies = [world.simulate(np.random.default_rng(seed))[score_name] for seed in range(30)]
    assert np.mean(studies) == pytest.approx(truth, abs=0.015)
    assert np.std(studies) > 0.01  # so that the mean is no copy


def coin(generator: np.random.Generator) -> Mapping[str, Any]:
    """An interval that holds 0 nine times in ten."""
    off = 5 if generator.random() < 0.1 else 0
    return {"x_low": off - 1.0, "x_high": off + 1.0}


def test_study_counts_resumes_and_says_how_many(tmp_path, monkeypatch, capsys):
    world = World("a coin", "1 toss", {"x": 0.0}, coin, n_simulations=120)
    monkeypatch.setattr(coverage, "worlds_of", lambda _: {"a coin, 1 toss": world})
    # workers of their own would not know of this world
    monkeypatch.setattr(coverage, "SIMULATION", replace(SIMULATION, in_workers=False))
    arguments = ["--metrics", "morpheme_segmentation", "--store", str(tmp_path)]
    assert run(STUDY, [*arguments, "--processes", "1"]) == 0
    text = capsys.readouterr().out
    row = next(line for line in text.splitlines() if line.startswith("| a coin |"))
    cells = row.split("|")
    assert cells[-2].strip() == "120"
    assert 80 <= float(cells[5]) <= 98
    # all is stored: nothing is simulated again
    monkeypatch.setattr(coverage, "SIMULATION", replace(SIMULATION, draw=None, in_workers=False))
    assert run(STUDY, arguments) == 0
    assert row in capsys.readouterr().out


def test_a_long_table_opens_with_a_line_for_each_interval():
    rows = [
        {"world": f"world {i}", "each study has": "5 units", "interval of": name}
        | {"nominal": 95.0, "actual": 90.0 + (i * 7) % 31 / 10}
        for i in range(31)  # 90.0 to 93.0, each tenth once
        for name in ("x", "y")
    ]
    assert "<details>" not in coverage_table(rows[:60])
    shown, every = coverage_table(rows).split("<details><summary>All 62 lines</summary>\n\n")
    told = "95.0 | 31 | 90.0 | 91.5 | 93.0 | world 0; 5 units |"
    assert shown.strip().splitlines()[2:] == [f"| {name} | {told}" for name in "xy"]
    assert every.count("\n| world ") == 62


def test_unknown_metric_is_refused(tmp_path):
    with pytest.raises(ValueError, match="metrics, got 'bleu'; expected any of"):
        run(STUDY, ["--metrics", "bleu", "--store", str(tmp_path)])


def test_the_interval_of_a_simulated_parser_is_the_one_that_score_states():
    table = split_table("sorts", "conll_lite", "amb")
    trees = table.select(["heads", "deprels"]).to_pylist()
    wrong = np.random.default_rng(5).random((len(table), 2)) < 0.2
    for side, bad in zip(("subject", "object"), wrong.T, strict=True):
        for tree, place, is_wrong in zip(trees, table[side].to_pylist(), bad, strict=True):
            if is_wrong:
                tree["deprels"][place] = "advmod"
    options = las_options(per_item=True)
    result = las.score({"predictions": trees, "references": table}, options)
    rows, ids = result["per_item"], table["item_id"].to_pylist()
    given = studied("conll_lite", "amb")
    decided = [i for i, row in enumerate(rows) if row["resolved_by"] not in UNDECIDED]
    assert given.decided.tolist() == decided
    right = [rows[i]["is_subject_right"] + rows[i]["is_object_right"] for i in decided]
    n_right = Counter()
    for row in rows:
        if row["word_order"] in (SVO, OVS):
            n_right[row["item_id"]] += row["is_subject_right"] and row["is_object_right"]
    items = [n_right[ids[i]] for i in given.items.tolist()]
    assert len(items) == result["n_svo_ovs_items"]
    assert 0.25 < result["svo_ovs_score"] < result["las"] < 0.9
    found = stated(given, np.array(right), np.array(items))
    shares = {  # a study states informedness y as the share x of y = 2 x - 1
        name: 2 * value - 1 if name.startswith("informedness") else value
        for name, value in found.items()
        if not isinstance(value, str)
    }
    assert shares == pytest.approx({name: result[name] for name in shares}, abs=1e-12)
    assert {f"{score}_low" for score in SCORES} < set(found)


def test_the_intervals_of_simulated_answers_are_those_that_score_states():
    rows = question_rows()
    chances = np.random.default_rng(5).random(len(rows))
    share = {"plausible": 0.85, "implausible": 0.7}
    given = [
        row["answer"] if chance < share[row["condition"]] else "wrong"
        for row, chance in zip(rows, chances.tolist(), strict=True)
    ]
    result = score({"predictions": given, "references": rows}, read_options(scorer="exact"))
    places = {name: i for i, name in enumerate(dict.fromkeys(row["pair_id"] for row in rows))}
    sums, strata = np.zeros((2, len(places), 2)), np.zeros(len(places), int)
    for row, answer in zip(rows, given, strict=True):
        if row["question_type"] not in CORE_TYPES:
            continue
        i = places[row["pair_id"]]
        member, strata[i] = CONDITIONS.index(row["condition"]), row["level"] - 1
        sums[:, i, member] += (answer == row["answer"], 1)
    found = stated_pairs(*sums, strata)
    expected = result | {
        f"gap_core_{row['level']}{end}": row[f"gap_core{end}"]
        for row in result["by_level"]
        for end in ("_low", "_high", "_interval")
    }
    assert found["opening_level_core"] is not None
    assert found == pytest.approx({key: expected[key] for key in found if key in expected})


@pytest.mark.parametrize("share_missing", [0.0, 0.2])
def test_the_intervals_of_simulated_rankings_are_those_that_score_states(share_missing):
    generator = np.random.default_rng(3)
    scores = generator.normal(size=(9, 4)) + np.arange(4)[::-1]
    scores[3:][generator.random((6, 4)) < share_missing] = np.nan
    unit, system = np.nonzero(~np.isnan(scores))
    columns = {"system": [f"s{i}" for i in system], "unit": unit, "score": scores[unit, system]}
    expected = ranking.score(columns, ranking_options(missing="model"))
    first, last, pair = expected["by_system"][0], expected["by_system"][-1], expected["by_pair"][0]
    of_world = ranking_world.stated_of_missing if share_missing else ranking_world.stated
    found = of_world(scores)
    for end in ("low", "high"):
        expected |= {
            f"difference of the first two_{end}": pair[f"difference_{end}"],
            f"share of units that the first wins_{end}": first[f"p_best_{end}"],
            f"rank of the first_{end}": first[f"rank_{end}"],
            f"rank of the last_{end}": last[f"rank_{end}"],
        }
    assert found == pytest.approx({key: expected[key] for key in found})


@pytest.mark.parametrize("metric", metric_names())
def test_the_coverage_of_every_metric_stands_in_its_card(metric):
    card = (ROOT / "cards" / "metrics" / f"{metric}.md").read_text(encoding="utf-8")
    assert f'{{{{ result("coverage", "{metric}") }}}}' in card
    figures, worlds = committed(metric), worlds_of(metric)
    # a run that was cut short has worlds without studies, or with too few
    assert figures["simulations"] == {name: w.n_simulations for name, w in worlds.items()}
    assert all(figures["coverage"].values())


def committed(metric: str) -> dict[str, Any]:
    path = ROOT / "cards" / "results" / "coverage" / f"{metric}.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))["figures"])


DEMANDED = cells_of("coverage_demanded")[1:]


@pytest.mark.parametrize("metric", sorted({row[0] for row in DEMANDED}))
def test_intervals_cover_what_may_be_demanded(metric):
    demanded = [cells for of, *cells in DEMANDED if of == metric]
    for world, by_quantity in committed(metric)["coverage"].items():
        for name, found in by_quantity.items():
            least, most = next(
                map(float, ends)
                for in_world, in_name, *ends in demanded
                if re.search(in_world, world) and re.search(in_name, name)
            )
            assert least <= found <= most, (world, name)


def test_every_example_has_an_answer_and_the_drawn_ones_are_what_their_lines_draw():
    scores = peers.examples(None)
    answers = [row.example for row in read_table(DATA / "peer_answers.tsv", peers.PeerAnswer)]
    assert list(scores) == answers == ["autorank", "baycomp", "deepsig", "reuben"]
    generator = np.random.RandomState(42)  # what np.random.seed(42) seeds, as its example does
    drawn = generator.normal(0.2, 0.3, 50).clip(0, 1)
    first = [row.score for row in scores["autorank"] if row.system == "pop_0"]
    assert first == pytest.approx(drawn, abs=1e-6)


def test_answers_beside_each_other():
    scores = peers.examples(None)
    results = {name: peers.answer(name, scores[name]) for name in ("autorank", "deepsig", "reuben")}
    groups = [row["letters"] for row in results["autorank"]["by_system"]]
    assert groups == ["d", "c", "b", "a", "a", "a"]
    assert results["reuben"]["winner"] == "aya-expanse-8b"
    assert results["deepsig"]["winner"] == "undecided"
    (shown,) = peers.show(results, None)
    assert "**deepsig 1.2.8** says: almost stochastic order" in shown.text
    assert "Pairs with a region of practical equivalence of 0.05" in shown.text
    holm = {(r["system"], r["other"]): r["p_holm"] for r in shown.figures["reuben"]["by_pair"]}
    assert holm["Clarus-7B-v0.3", "TowerInstruct-Mistral-7B-v0.2"] == pytest.approx(0.12, abs=0.005)
