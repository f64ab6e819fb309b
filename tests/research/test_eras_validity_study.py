"""Does ERAS predict text: outcomes against the metric, relations and choices in known worlds."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from builders.eras.assembly import pair_table
from builders.eras.draw import draw
from builders.eras.extended import read_extended
from builders.eras.gold_text import corpora
from ground.tables import read_table
from metrics._shared.uncertainty import wilson_interval
from metrics.garden_path_accuracy.scoring import score as metric_score
from research.readings.eras_natural import NaturalReading
from research.studies.eras import validity, validity_text
from research.studies.eras.pooled_choice import (
    SEEN,
    Answered,
    ItemSet,
    SeenText,
    choice,
    explained,
    known_cells,
    longer_neighbours,
    part_sentences,
    pooled,
    row_features,
    seen_texts,
    shares,
)
from research.studies.eras.pooled_choice import TEXT as TEXT_SET
from research.studies.eras.rank_agreement import Sums, agreement, stack_sums
from research.studies.eras.site_outcomes import (
    SiteOutcomes,
    clusters,
    parts_of,
    read_outcomes,
    site_scores,
    wilson_half_width,
)
from research.studies.eras.validity import name_points
from research.studies.eras.validity_text import half_widths, readings_text
from research.systems.nulls import cut_in_twos
from research.systems.registry import known
from tests.support.neighbours import has_short_neighbour

TEXT = """老师 说明 项目 的 目的 。
他 展现 代 精神 。
他们 展 现代 精神 。
我们 使用 户口 。
用户 来 。
"""


@pytest.fixture(scope="module")
def pairs() -> pa.Table:
    return pair_table(draw(0, 390), "simplified")


def test_outcomes_are_the_metrics_own(pairs):
    words = [cut_in_twos(pairs[side].to_pylist()) for side in ("test", "control")]
    result = metric_score({"predictions": list(zip(*words, strict=True)), "references": pairs})
    found = read_outcomes(pairs, *words)
    scores = site_scores(found)
    for name, theirs in (
        ("pair_accuracy", "pair_accuracy"),
        ("site_accuracy", "word_accuracy"),
        ("resolution", "resolution"),
        ("commitment", "commitment"),
    ):
        assert scores[name] == pytest.approx(result[theirs]), name
    assert scores["n_clusters"] == result["n_clusters"] == 19  # the families of the metric
    assert scores["resolution_low"] < scores["resolution"] < scores["resolution_high"]


def test_families_have_the_same_numbers_in_both_scripts(pairs):
    assert clusters(pairs).tolist() == clusters(pair_table(draw(0, 390), "traditional")).tolist()


def test_scores_of_places_have_no_controls():
    rows = {
        "corpus": ["a"] * 3,
        "test_site": ["展现代", "展现代", "项目的"],
        "site_start": [0, 1, 0],
        "branching": ["left", "right", "left"],
    }
    table = pa.table(rows)
    # 展现|代 as the gold has it; 展现|代 where the gold has 展|现代; nothing cut
    found = read_outcomes(table, [["展现", "代"], ["要", "展现", "代"], ["项目的"]])
    assert found.is_true.tolist() == [True, False, False]
    assert found.is_canary.tolist() == [False, True, False]
    scores = site_scores(found)
    assert (scores["site_accuracy"], scores["resolution"]) == (pytest.approx(1 / 3), 0.5)
    assert scores["n_clusters"] == 2
    assert "pair_accuracy" not in scores
    with pytest.raises(ValueError, match="pair_accuracy, got rows without controls"):
        parts_of(found, "pair_accuracy")


def test_agreement_is_that_of_the_scores():
    rng = np.random.default_rng(0)
    levels = np.array([0.2, 0.4, 0.5, 0.7, 0.9])
    first = Sums((rng.random((5, 400)) < levels[:, None]).astype(float), np.ones((5, 400)))
    second = Sums(
        (rng.random((5, 600)) < (0.1 + 0.5 * levels[:, None])).astype(float), np.ones((5, 600))
    )
    found = agreement(first, second)
    x, y = (part.top.mean(axis=1) for part in (first, second))
    assert found["pearson"] == pytest.approx(float(np.corrcoef(x, y)[0, 1]))
    slope, intercept = np.polyfit(x, y, 1)
    assert (found["slope"], found["intercept"]) == pytest.approx((slope, intercept))
    assert found["slope_low"] < 0.5 < found["slope_high"]  # the world's
    rest = y - slope * x - intercept
    assert found["residual_sd"] == pytest.approx(math.sqrt((rest**2).sum() / 3))
    assert found["spearman"] == 1
    turned = Sums(first.bottom - first.top, first.bottom)
    assert agreement(turned, second)["spearman"] == -1


def test_a_system_without_a_cluster_is_scored_on_the_others():
    sums = stack_sums([{1: (1.0, 2.0), 5: (0.0, 2.0)}, {5: (3.0, 4.0)}])
    assert sums.top.tolist() == [[1, 0], [0, 3]]
    assert sums.scores(np.ones((1, 2)))[0].tolist() == [0.25, 0.75]


def rows_of(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {"advantage": rng.normal(size=n), "is_left": (rng.random(n) < 0.5).astype(float)}


def outcomes_of(is_true: np.ndarray) -> SiteOutcomes:
    return SiteOutcomes(is_true, ~is_true, None, np.arange(len(is_true)) // 2)


def test_what_decides_is_found_in_worlds_where_it_is_known():
    rng = np.random.default_rng(1)
    rows = rows_of(2000, rng)
    left = choice(outcomes_of((rows["is_left"] > 0) == (rng.random(2000) < 0.8)), rows)
    assert left["base"] == pytest.approx(0.8, abs=0.03)  # the left word in four of five
    assert left["context"] == pytest.approx(0, abs=0.05)
    assert left["frequency"] == pytest.approx(0, abs=0.03)
    frequent = choice(outcomes_of(rows["advantage"] > 0), rows)
    assert frequent["context_low"] < 0 < frequent["context_high"]
    assert frequent["frequency_low"] > 0.3
    assert frequent["frequency_share"] > 0.5 > 0.05 > abs(frequent["context_share"])
    reader = choice(outcomes_of(rng.random(2000) < 0.9), rows)
    assert reader["context"] == pytest.approx(0.8, abs=0.04)  # .9 left if left, .1 if not
    assert reader["base"] == pytest.approx(0.5, abs=0.03)
    # what is not committed does not count
    half = outcomes_of(rows["advantage"] > 0)
    silent = half._replace(is_canary=np.zeros(2000, bool))
    assert math.isnan(choice(silent._replace(is_true=np.ones(2000, bool)), rows)["base"]) is False


def answered(
    is_true: np.ndarray, features: dict[str, np.ndarray], lexicon: frozenset[str] | None
) -> Answered:
    """What a system did with pairs of the true word 甲乙 and the canary word 乙丙 or 丁戊."""
    n = len(is_true)
    words = {"true_word": ["甲乙"] * n, "canary_word": ["乙丙", "丁戊"] * (n // 2)}
    part = ItemSet("ERAS", "simplified", pa.table(words))
    blank = {name: np.zeros(n) for name in ("is_longer", "is_noun", "is_verb")}
    zipf = {"true_zipf": features["advantage"], "canary_zipf": np.zeros(n)}
    outcomes = SiteOutcomes(is_true, ~is_true, None, np.arange(n) // 4)
    return Answered(outcomes, features | blank | zipf, np.array([""] * n), {}, lexicon, part)


def test_what_a_lexicon_has_is_told_from_frequency():
    """The true word comes out where the lexicon lacks the canary word, else in one of two."""
    rng = np.random.default_rng(3)
    lacks = np.arange(2000) % 2 == 1  # 丁戊
    is_true = lacks | (rng.random(2000) < 0.5)
    one = answered(is_true, rows_of(2000, rng), frozenset({"甲乙", "乙丙"}))
    cells = known_cells([one])
    assert (cells["true only"]["resolution"], cells["true only"]["n"]) == (1.0, 1000)
    assert cells["both"]["resolution"] == pytest.approx(0.5, abs=0.05)
    assert math.isnan(cells["neither"]["resolution"])
    found = pooled([one])
    assert found["known"]["has_canary"] == pytest.approx(-0.5, abs=0.05)
    assert "has_true" not in found["known"]  # it has that everywhere
    assert "is_longer" not in found["coefficients"]  # nor does that vary
    assert found["apart"]["true_zipf"] == pytest.approx(found["coefficients"]["advantage"])
    assert set(shares(one)) == {"frequency", "branching"}  # a group that is whole alone counts
    other = answered(is_true, rows_of(2000, rng), None)
    assert pooled([other])["known"] == {}
    assert known_cells([other]) == {}


def test_half_widths_are_counted_by_set_and_score():
    def scores(low: float, high: float) -> dict[str, float]:
        return {
            f"{name}{end}": value
            for name in ("pair_accuracy", "resolution")
            for end, value in (("", 0.8), ("_low", low), ("_high", high), ("_wilson", 0.05))
        }

    rows = [
        {"system": "a", "is_null": False, "sets": {"extended": scores(0.75, 0.85)}},
        {"system": "b", "is_null": False, "sets": {"extended": scores(0.6, 0.9)}},
        {"system": "c", "is_null": False, "sets": {"extended": scores(math.nan, math.nan)}},
        {"system": "d", "is_null": True, "sets": {"extended": scores(0.1, 0.9)}},
    ]
    found = half_widths(rows)
    assert set(found) == {"extended, pair_accuracy", "extended, resolution"}
    one = found["extended, resolution"]
    assert (one["median"], one["largest"], one["widest"]) == (
        pytest.approx(0.1),
        pytest.approx(0.15),
        "b",
    )
    assert (one["n_within"], one["n_systems"]) == (1, 3)
    assert one["largest_wilson"] == 0.05


def test_wilsons_half_width_is_that_of_whole_clusters():
    """Of clusters of one row each it is Wilson's for their number, up to Student's quantile."""
    top = np.repeat([1.0, 0.0], [150, 50])
    low, high, _ = wilson_interval(150, 200)
    assert wilson_half_width(top, np.ones(200)) == pytest.approx((high - low) / 2, rel=0.02)
    assert math.isnan(wilson_half_width(np.ones(9), np.ones(9)))


def test_intervals_near_the_ceiling_are_told():
    is_true = np.ones(200, bool)
    is_true[:2] = False
    scores = site_scores(SiteOutcomes(is_true, ~is_true, None, np.arange(200)))
    assert 0.9 < scores["resolution_low"] < 0.99 < scores["resolution_high"] < 1
    every = site_scores(SiteOutcomes(np.ones(9, bool), np.zeros(9, bool), None, np.arange(9)))
    assert 0.5 < every["resolution_low"] < every["resolution_high"] == 1


def test_paradigms_with_a_longer_neighbour_are_counted(pairs):
    text = ItemSet(TEXT_SET, "simplified", pa.table({"test_site": ["展现代"]}))
    assert longer_neighbours([ItemSet("ERAS", "simplified", pairs), text]) == {"ERAS": (13, 39)}


def test_shares_of_the_variance_are_shapley_values():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 500))
    y = 2 * a + b + rng.normal(size=500)
    found = explained({"a": a[:, None], "b": b[:, None]}, y)

    def r2(*columns: np.ndarray) -> float:
        x = np.column_stack([np.ones(500), *columns])
        fitted = x @ np.linalg.lstsq(x, y, rcond=None)[0]
        return 1 - ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum()

    assert found["a"] == pytest.approx((r2(a) + r2(a, b) - r2(b)) / 2)
    assert sum(found.values()) == pytest.approx(r2(a, b))
    assert math.isnan(explained({"a": a[:, None]}, np.ones(500))["a"])


def test_features_are_of_the_words_in_either_script(pairs):
    simplified = row_features(pairs, "simplified")
    traditional = row_features(pair_table(draw(0, 390), "traditional"), "traditional")
    np.testing.assert_allclose(simplified["advantage"], traditional["advantage"], atol=0.5)
    assert simplified["is_left"].tolist() == traditional["is_left"].tolist()
    assert simplified["is_left"].sum() == 230  # 23 of 39 paradigms
    # by hand: 13 templates have a longer word beside the true one, such as 信心 机动
    assert simplified["is_longer"].sum() == 130
    assert not (simplified["is_noun"] * simplified["is_verb"]).any()


def test_a_system_is_given_its_own_script(pairs):
    part = ItemSet("ERAS", "simplified", pairs)
    assert len(part_sentences(SimpleNamespace(script=None), part)) == 780
    assert part_sentences(SimpleNamespace(script="traditional"), part) == []


def test_seen_texts_name_systems_and_corpora():
    rows = read_table(SEEN, SeenText)
    kinds = {name.partition("[")[0].partition(":")[0] for name in known("segmenter")}
    for row in rows:
        assert row.key == f"{row.system}/{row.corpus}"
        assert row.corpus in corpora()
        assert row.system.partition(":")[0] in kinds
    assert seen_texts()["crf:pku"] == {"pku", "daily"}
    assert all(seen_texts()[f"crf:{name}"] >= {name} for name in corpora())


@pytest.mark.slow
def test_the_study_runs_on_a_text_of_ones_own(tmp_path, capsys):
    pytest.importorskip("rjieba")
    pytest.importorskip("statsmodels")
    text = tmp_path / "mine.txt"
    text.write_text(TEXT, encoding="utf-8")
    names = ["jieba", "jieba-no-hmm", "cut-in-twos", "cut-nowhere"]
    arguments = ["--systems", *names, "--natural", str(text), "--store", str(tmp_path / "store")]
    from research.studies.study import run

    assert run(validity.STUDY, arguments) == 0
    shown = capsys.readouterr().out
    assert "| cut-nowhere (NULL) | 0.0" in shown
    assert "| the more frequent word (NULL) |" in shown
    assert "go together (Spearman " in shown
    assert "**The extended paradigms** have intervals of " in shown
    longer = len([p for p in read_extended() if not has_short_neighbour(p)])
    assert f"In {longer} of {len(read_extended())} paradigms (13 of 39 of the published)" in shown
    assert "In the other" in shown
    assert "**Readings.**" not in shown  # they are of other texts


def test_names_of_systems_in_one_place_do_not_lie_on_each_other():
    figure = Figure(figsize=(5, 6))
    axes = figure.subplots()
    points = {"jieba": (71.5, 89.7), "jieba-no-hmm": (70.6, 89.7), "far": (10.0, 10.0)}
    points |= {f"alike {i}": (71.0, 89.9) for i in range(6)}
    axes.scatter(*zip(*points.values(), strict=True))
    figure.draw_without_rendering()
    texts = name_points(axes, points)
    assert [text.get_text() for text in texts] == list(points)
    boxes = [text.get_window_extent() for text in texts]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


def test_readings_are_counted_by_flag(monkeypatch):
    rows = [
        NaturalReading("a-1", "none", "gold", "gold", False, False),
        NaturalReading("a-2", "none", "gold", "rival", False, True),
        NaturalReading("a-3", "none", "both", "rival", True, True),
        NaturalReading("a-4", "number", "gold", "gold", True, True),
    ]
    monkeypatch.setattr(validity_text, "read_readings", lambda: rows)
    text = readings_text()
    assert "| none | 3 | 66.7 / 33.3 | 33.3 [" in text
    assert "| number | 1 | 100.0 / 100.0 | 100.0 [" in text
    # three of four alike, half by chance: (.75 - .5) / (1 - .5), for either question
    assert "Kappa 0.50 for the first, 0.50 for the second." in text
