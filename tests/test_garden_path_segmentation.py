"""The segmentation study: the real Jieba on the lite suite, resumed, printed beside the published rows."""

import csv
from pathlib import Path

import pytest

import studies.garden_path_segmentation as study
import studies.report
from ground.store import Store
from studies.eras_pairs import read_pairs
from studies.published import segmentation_rows
from systems.segmenters import Segmenter, load_segmenter


def test_published_rows_are_those_of_the_paper(released: Path) -> None:
    lines = (released / "published" / "eras_table1.tsv").read_text(encoding="utf-8").splitlines()
    facts = {
        row["system"]: row
        for row in csv.DictReader(
            (line for line in lines if not line.startswith("#")), delimiter="\t"
        )
    }
    ours = {row.system: row for row in segmentation_rows()}
    assert set(ours) == set(facts)
    for system, fact in facts.items():
        for column, value in fact.items():
            if column not in ("system", "script"):
                assert getattr(ours[system], column) == float(value), (system, column)


def test_consistent_rows_are_means_over_23_and_16_paradigms() -> None:
    for row in segmentation_rows():
        overall = (23 * row.left_test + 16 * row.right_test) / 39
        assert (abs(overall - row.test) < 0.1) == row.is_consistent, row.system


def test_jieba_on_simplified_text_is_decided_by_the_templates(tmp_path: Path) -> None:
    """Known from three sets of fillers: about 74.4 test and 97.4 control, 82.6 left (19 of 23 paradigms), whatever fills the slots."""
    table = read_pairs("simplified", is_lite=True)
    result = study.score_system(
        load_segmenter("jieba"), "simplified", table, Store(tmp_path, study.STORE_SCHEMA)
    )
    assert result["n"] == 39 * 50
    assert result["test_accuracy"] == pytest.approx(0.744, abs=0.01)
    assert result["control_accuracy"] == pytest.approx(0.974, abs=0.01)
    assert result["by_branching"][0]["test_accuracy"] == pytest.approx(19 / 23)
    assert result["canary_share"] == pytest.approx(
        31 / 39
    )  # 8 canary words are not in jieba's dictionary


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    sentences = [f"第{i}句" for i in range(10)]
    seen: list[str] = []
    is_interrupted = [True]

    def cut(batch: list[str]) -> list[list[str]]:
        if "第6句" in batch and is_interrupted[0]:
            raise KeyboardInterrupt
        seen.extend(batch)
        return [list(sentence) for sentence in batch]

    segmenter = Segmenter("characters", "1", cut, batch_size=3)  # type: ignore[arg-type]
    store = Store(tmp_path, study.STORE_SCHEMA)
    with pytest.raises(KeyboardInterrupt):
        study.segment_all(segmenter, "t", sentences, {"side": "test"}, store)
    seen.clear()
    is_interrupted[0] = False
    words, speed = study.segment_all(segmenter, "t", sentences, {"side": "test"}, store)
    assert words == [list(sentence) for sentence in sentences]
    assert seen == [
        *sentences[6:9],
        *sentences[6:9],
        sentences[9],
    ]  # a sample first, then the batches that were left
    assert speed > 0
    again = study.segment_all(segmenter, "t", sentences, {"side": "test"}, store)
    assert again == (words, speed)  # the times are stored with the work


def test_words_that_lose_a_character_are_refused(tmp_path: Path) -> None:
    segmenter = Segmenter("lossy", "1", lambda batch: [[sentence[1:]] for sentence in batch])
    with pytest.raises(ValueError, match=r"lossy: words, got .*; expected words that make up 甲乙"):
        study.segment_all(segmenter, "t", ["甲乙"], {}, Store(tmp_path, study.STORE_SCHEMA))


def test_the_study_prints_and_writes_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(studies.report, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(
        study, "suite_stamp", lambda name: {"version": "1.0.0", "content_hash": "ab"}
    )
    code = study.main(
        [
            "--systems",
            "jieba",
            "--scripts",
            "traditional",
            "--lite",
            "--store",
            str(tmp_path / "store"),
            "--write",
        ]
    )
    assert code == 0
    printed = capsys.readouterr().out
    assert "| jieba | traditional |" in printed
    assert (
        "| Jieba (published) | not said | 68.9 | 92.3 | 23.4 | 71.2 | 92.6 | 65.8 | 91.9 |"
        in printed
    )
    assert (
        (tmp_path / "results" / "eras" / "garden_path_segmentation_lite.png")
        .read_bytes()
        .startswith(b"\x89PNG")
    )
    assert "jieba/traditional" in (
        tmp_path / "results" / "eras" / "garden_path_segmentation_lite.json"
    ).read_text(encoding="utf-8")
