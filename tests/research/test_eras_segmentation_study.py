"""The segmentation study. The real Jieba on the lite suite, resumed, printed beside the published
rows."""

from collections.abc import Sequence

import pytest

from garden_path.models.segmenters import Segmenter
from research.studies.__main__ import main
from research.studies.eras.segmentation import STUDY, segment
from research.studies.published_tables import segmentation_rows
from tests.support.study_runs import scored


def test_consistent_rows_are_means_over_23_and_16_paradigms():
    for row in segmentation_rows():
        overall = (23 * row.left_test + 16 * row.right_test) / 39
        assert (abs(overall - row.test) < 0.1) == row.is_consistent, row.system


def test_jieba_on_simplified_text_is_decided_by_the_templates(tmp_path):
    """Known from three sets of fillers. About 74.4 test and 97.4 control, 82.6 left (19 of 23
    paradigms), whatever fills the slots."""
    (result,) = scored(STUDY, tmp_path, "--systems", "jieba", "--config", "simplified_lite")
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
        scored(STUDY, tmp_path, *arguments)
    (result,) = scored(STUDY, tmp_path, *arguments)
    assert seen == [1000, 1000, 1000, 1000, 900]  # the third batch again, then the last
    assert str(scored(STUDY, tmp_path, *arguments)) == str([result])  # with nan in it
    assert len(seen) == 5


def test_words_that_lose_a_character_are_refused():
    lossy = Segmenter("lossy", "1", lambda batch: [[sentence[1:]] for sentence in batch])
    with pytest.raises(ValueError, match=r"lossy: words, got .*; expected words that make up 甲乙"):
        segment(lossy, ["甲乙"])


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
