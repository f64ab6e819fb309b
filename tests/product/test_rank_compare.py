"""Two results of one metric, item by item: by hand, and every metric's own rows."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from garden_path.__main__ import main
from garden_path.rank.comparison import KINDS, compare, comparison_text
from ground.tables import read_table
from metrics._shared.paired_items import ItemRows, PairedItems, compared_row, doubts_of
from metrics._shared.paradigms import FAMILIES
from metrics._shared.uncertainty import sign_flip_test
from metrics.garden_path_accuracy.comparison import with_added_signs
from metrics.morpheme_segmentation.options import read_options as segmentation_options
from metrics.morpheme_segmentation.scoring import score as score_segmentation
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.generated_inputs import examples, metric_class

SIGNATURE = "system:{}|metric:matched_pair_accuracy|version:2.0.0|seed=0"


def result(system: str, values: list[float | None], **changes: object) -> dict:
    rows = [
        {"id": str(i), "pair_id": f"p{i // 2}", "level": 1 + i // 4, "correct": value}
        | {"is_middle": True}
        for i, value in enumerate(values)
    ]
    return {"signature": SIGNATURE.format(system), "per_item": rows, **changes}


def written(path: Path, found: dict) -> Path:
    path.write_text(json.dumps(found))
    return path


FIRST = [1.0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1]
SECOND = [1.0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1]


def test_differences_are_those_of_clusters():
    found = compare(result("x", FIRST), result("y", SECOND))
    sums = [1, 1, 0, 1, 1, 1, 1, 0]  # sentence pairs of two questions each
    row = found["overall"]
    interval = with_added_signs(np.array(sums) / 2, np.ones(8), 0.95)  # half a cluster each
    assert (row["first"], row["second"], row["difference"]) == (13 / 16, 7 / 16, 6 / 16)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(interval[:2])
    assert interval.low < 6 / 16 < interval.high
    assert row["p"] == sign_flip_test(sums) == 2 / 2**6  # six that differ, all one way
    assert (found["n"], found["n_clusters"], found["cluster"]) == (16, 8, "pair_id")
    assert [r["difference"] for r in found["by_level"]] == [0.5, 0.25, 0.5, 0.25]
    assert found["systems"] == ["x", "y"]


def test_rows_are_matched_by_id_and_undefined_scores_left_out():
    a, b = result("x", FIRST), result("y", SECOND)
    assert compare(a, b | {"per_item": b["per_item"][::-1]}) == compare(a, b)
    found = compare(a, result("y", [*SECOND[:-1], None]))
    assert (found["n"], found["n_left_out"]) == (15, 1)


def test_the_text_says_what_is_shown(tmp_path, capsys):
    many = np.random.default_rng(0)
    better = [float(v) for v in many.random(80) < 0.9]
    worse = [float(v) for v in many.random(80) < 0.4]
    a = written(tmp_path / "a", result("x", better))
    b = written(tmp_path / "b", result("y", worse))
    out = tmp_path / "out.json"
    assert main(["compare", str(a), str(b), "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("`x` scores more than `y` in accuracy_middle: 87.5 % against 32.5 %")
    assert "80 items in 40 clusters (pair_id)." in shown
    assert json.loads(out.read_text())["overall"]["difference"] > 0.3
    assert main(["compare", str(a), str(written(b, result("x", better)))]) == 0
    assert f"`{a}` is not shown to differ from `{b}`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "cluster", "n_clusters"),
    [("", "family", len(set(FAMILIES[:39]))), ("|cluster=paradigm", "paradigm_id", 39)],
)
def test_paradigms_of_eras_weigh_the_same_and_those_that_share_a_word_are_one(
    option, cluster, n_clusters
):
    """As in the metric's own intervals; paradigm 1 has three pairs here, the others one."""
    assert (FAMILIES[:39] == FAMILIES[0]).sum() > 1
    results = [
        {
            "signature": f"system:{name}|metric:garden_path_accuracy|version:2.0.0{option}|seed=0",
            "per_item": [
                {"paradigm_id": i, "is_pair_correct": name == "a" and i == 1}
                for i in (1, 1, *range(1, 40))
            ],
        }
        for name in "ab"
    ]
    found = compare(*results)
    assert (found["cluster"], found["n_clusters"]) == (cluster, n_clusters)
    assert found["overall"]["difference"] == pytest.approx(1 / 39)


@pytest.mark.parametrize(*cases("rank/what_cannot_be_compared_is_refused"))
def test_what_cannot_be_compared_is_refused(changes, message, tmp_path, capsys):
    first = result("x", FIRST, signature="draw:0|" + SIGNATURE.format("x"))
    a = written(tmp_path / "a", first)
    b = written(tmp_path / "b", result("y", SECOND, **changes))
    assert main(["compare", str(a), str(b)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.parametrize(*cases("rank/a_row_that_cannot_be_is_refused_with_its_place"))
def test_a_row_that_cannot_be_is_refused_with_its_place(change, message):
    found = result("y", SECOND)
    found["per_item"][2] = change and found["per_item"][2] | change
    with pytest.raises(ValueError, match=re.escape(message)):
        compare(result("x", FIRST), SimpleNamespace(whole=found, system="b"))


def test_a_headline_without_the_column_that_it_goes_by_is_refused():
    results = [result(name, FIRST) for name in "ab"]
    for row in (row for found in results for row in found["per_item"]):
        row.pop("is_middle")
    with pytest.raises(ValueError, match="item 0: is_middle, got none; expected it in every row"):
        compare(*results)
    assert compare(*results, ["correct"])["n"] == 16


@pytest.mark.parametrize(*cases("rank/what_is_no_result_is_refused"))
def test_what_is_no_result_is_refused(text, message, tmp_path):
    (tmp_path / "b").write_text(text)
    with pytest.raises(ValueError, match=message):
        compare(result("x", FIRST), tmp_path / "b")


def test_no_file_a_folder_and_the_same_file_are_refused(tmp_path, capsys):
    a = written(tmp_path / "a", result("x", FIRST))
    for wrong, error, message in (
        (tmp_path / "none", FileNotFoundError, "none: result, got no such file; expected the JSON"),
        (tmp_path, ValueError, "result, got a folder; expected the JSON"),
        (tmp_path / "." / "a", ValueError, "got the first one's file; expected another"),
    ):
        with pytest.raises(error, match=message):
            compare(a, wrong)
        assert main(["compare", str(a), str(wrong)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line


def test_other_items_and_scores_are_refused():
    a, b = result("x", FIRST), result("y", SECOND)
    with pytest.raises(ValueError, match="score, got 'las'; expected of correct"):
        compare(a, b, ["las"])
    b["per_item"][3]["pair_id"] = "elsewhere"
    with pytest.raises(ValueError, match="item 3: pair_id, got 'elsewhere'; expected 'p1'"):
        compare(a, b)
    b["per_item"][3]["id"] = "elsewhere"
    with pytest.raises(ValueError, match="id, got none that is '3'"):
        compare(a, b)


@pytest.mark.parametrize("kind", read_table(KINDS, ItemRows), ids=lambda kind: kind.metric)
def test_columns_are_those_that_the_metric_writes(kind):
    sources = "".join(p.read_text() for p in (ROOT / "metrics" / kind.metric).glob("*.py"))
    ends = ("subject", "object", "right")  # of names made of parts, is_{role}_right
    for name in (*kind.score, kind.cluster, *kind.by):
        written = f'"{name}"' in sources or f"{name}:" in sources
        assert written or (name.startswith("is_") and name.split("_")[1] in ends), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", read_table(KINDS, ItemRows), ids=lambda kind: kind.metric)
def test_results_of_every_metric_are_compared(kind, tmp_path):
    """Every computation of its docstring, with itself under another name."""
    metric = metric_class(kind.metric)()
    for number, (columns, options) in enumerate(examples(kind.metric)):
        paths = []
        for system in ("x", "y"):
            run = {"system": system}
            found = metric.compute(**columns, **options, per_item=True, run=run)
            paths.append(written(tmp_path / f"{system}{number}", found))
        headline = found.get(kind.headline)
        if headline is None:
            assert kind.metric == "gper"  # a diagnosis has no headline
        elif np.isnan(headline):
            with pytest.raises(ValueError, match=f"{kind.headline}, got no items that it counts"):
                compare(*paths)
        else:
            assert compare(*paths)["overall"]["first"] == pytest.approx(headline)
        if not {*kind.score} <= found[kind.rows][0].keys():
            continue  # rows of another of its functions
        row = compare(*paths, kind.score)
        assert row["systems"] == ["x", "y"]
        assert row["overall"]["difference"] == 0
        assert row["overall"]["first"] == row["overall"]["second"]
        assert row["n_clusters"] <= row["n"] == len(found[kind.rows]) - row["n_left_out"]
    assert examples(kind.metric)


def test_rows_that_nothing_groups_are_clusters_of_their_own():
    first, second = result("x", FIRST), result("y", SECOND)
    for row in (*first["per_item"], *second["per_item"]):
        row.pop("pair_id")
    found = compare(first, second)
    assert (found["cluster"], found["n_clusters"]) == ("item", 16)
    second["per_item"][0]["pair_id"] = "p0"
    with pytest.raises(ValueError, match=r"item 0: pair_id, got 'p0'; expected None as in"):
        compare(first, second)
    with pytest.raises(ValueError, match="item 1: pair_id, got none; expected one in every row"):
        compare(second, dict(second))


def test_the_headline_of_sorts_counts_items_with_both_orders():
    """An item has the number of its right clauses less 1; one that meaning alone decides is out."""
    orders = {"SVO": "VF[S]LK[V]MF[O]", "OVS": "VF[O]LK[V]MF[S]"}  # as the suite names them
    rows = [("a", "SVO", 1, "case"), ("a", "OVS", 1, "case"), ("b", "SVO", 1, "case")]
    rows += [("b", "OVS", 0, "case"), ("c", "SVO", 1, "case"), ("d", "SVO", 1, "none")]
    rows += [("d", "OVS", 1, "case"), ("e", "SVO", 0, "case"), ("e", "OVS", 1, "case")]
    per_item = [
        {
            **{"id": i, "item_id": item, "triple_id": item, "word_order": orders[order]},
            **{"resolved_by": by, "is_subject_right": bool(right), "is_object_right": True},
        }
        for i, (item, order, right, by) in enumerate(rows)
    ]
    signature = "system:{}|metric:subject_object_las|version:2.0.0|seed=0"
    results = [{"signature": signature.format(name), "per_item": per_item} for name in "xy"]
    found = compare(*results)
    assert (found["score"], found["n"]) == ("informedness", 3)
    assert found["overall"]["first"] == pytest.approx(1 / 3)  # a 1, b and e 0
    assert "by_word_order" not in found  # an item has both
    assert compare(*results, ["is_subject_right"])["n"] == len(rows)


def test_an_interval_near_the_ceiling_is_defined():
    """Where nothing differs, the clusters that a study missed might."""
    row = compare(*(result(name, [1.0] * 40) for name in "ab"))["overall"]
    assert row["difference"] == 0
    assert row["difference_low"] == -row["difference_high"]
    assert 0.05 < row["difference_high"] < 0.15


def test_one_large_cluster_among_small_ones_is_said():
    rows = [
        {"id": str(i), "pair_id": f"p{max(0, i - 993)}", "is_middle": True} for i in range(1001)
    ]
    results = []
    for name, share in (("x", 0.7), ("y", 0.5)):
        hits = np.random.default_rng(len(results)).random(len(rows)) < share
        per_item = [row | {"correct": bool(hit)} for row, hit in zip(rows, hits, strict=True)]
        results.append(result(name, [], per_item=per_item))
    found = compare(*results)
    told = "The largest of 8 clusters has 99% of the weight: together they tell as much"
    assert found["warnings"][0].startswith(told)
    assert told in found.summary()


def test_the_sentence_goes_by_the_interval_and_p_stands_beside():
    row = {"first": 0.6, "second": 0.5, "difference": 0.1, "difference_low": 0.01}
    row |= {"difference_high": 0.19, "p": 0.06}
    found = {"systems": ["x", "y"], "score": "f1", "overall": row, "n": 9, "n_clusters": 9}
    found |= {"n_left_out": 0, "warnings": [], "cluster": "item"}
    assert comparison_text(found).startswith("`x` scores more than `y` in f1: 60.0 % against 50.0")


def test_the_f1_of_a_corpus_is_not_the_mean_of_words():
    gold = [["un", "do", "ing"], ["cat", "s"], ["a"]]
    found = [
        score_segmentation(
            {"predictions": predictions, "references": gold},
            segmentation_options(per_item=True, average="corpus", run={"system": name}),
        )
        for name, predictions in (("x", gold), ("y", [["undo", "ing"], ["cats"], ["a"]]))
    ]
    assert compare(*found)["score"] == "mean f1 of words"
    assert "mean f1 of words: 100.0 % against" in compare(*found).summary()


def test_a_word_whose_golds_differ_in_size_is_one_item():
    """Each system is scored by the gold that is nearest to it."""
    gold = [[["un", "do", "ing"], ["undo", "ing"]], [["cat", "s"]]]
    found = [
        score_segmentation(
            {"predictions": predictions, "references": gold},
            segmentation_options(per_item=True, run={"system": name}),
        )
        for name, predictions in (
            ("x", [["un", "do", "ing"], ["cat", "s"]]),
            ("y", [["undo", "ing"], ["cats"]]),
        )
    ]
    assert compare(*found)["overall"]["difference"] == pytest.approx(0.5)
    assert [row["n_gold"] for row in compare(*found)["by_n_gold"]] == [2, "2 or 3"]


def test_what_one_result_alone_says_of_its_items_is_said():
    first = result("x", FIRST, signature="config:c|draw:0|" + SIGNATURE.format("x"))
    said = "y does not say its config, draw: taken as that of result."
    second = SimpleNamespace(whole=result("y", SECOND), system="y")
    assert said in compare(first, second).summary()
    assert compare(result("x", FIRST), result("y", SECOND))["warnings"] == []


def test_a_family_is_the_cluster_where_the_option_says_so():
    (kind,) = (kind for kind in read_table(KINDS, ItemRows) if kind.metric.startswith("pp_"))
    assert kind.cluster_of({"clusters": "family"}) == "family"
    assert kind.cluster_of({}) == "item_id"


def test_triples_that_share_nouns_are_no_independent_ones():
    """Ten triples of each of eight verbs: the interval is that of about eight clusters."""
    score = np.repeat([1.0, 0, 1, 0, 1, 1, 0, 1], 10)
    scores, clusters = np.array([score, 0 * score]), np.arange(80)
    intervals = []
    for of in (80, 8):
        rows = [{"lexemes": f"NOUN n{i}|VERB v{i * of // 80}"} for i in range(80)]
        (kind,) = (k for k in read_table(KINDS, ItemRows) if k.metric == "subject_object_las")
        ones = np.ones(80)
        paired = PairedItems(kind, ("x", "y"), scores, "triple_id", clusters, ones, rows, 0)
        row = compared_row(paired, np.ones(80, bool))
        intervals.append(row["difference_high"] - row["difference_low"])
        assert doubts_of(paired) == []
    assert intervals[1] > 3 * intervals[0]
    rows = [{}] * 80
    paired = PairedItems(kind, ("x", "y"), scores, "triple_id", clusters, ones, rows, 0)
    assert "do not say which nouns and verbs clusters share" in doubts_of(paired)[0]
