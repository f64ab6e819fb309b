"""Shallow readers: the bar that a system must be above, and configs that one wins."""

import dataclasses
from pathlib import Path

import pytest

from builders import shallow
from builders.shallow import Shallow, difference, paired_difference, shallow_problems

NULL = Shallow("c/test", "accuracy", "null", "the longest", 0.5, 0.4, 0.6, 0.5, 0.25, 0.35, 90)
CUE = dataclasses.replace(NULL, kind="shortcut", reader="a cue", value=0.7, low=0.6, high=0.8)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A suite whose search found `NULL` and `CUE` for VERSION 1.0.0."""
    folder = tmp_path / "s" / "data"
    folder.mkdir(parents=True)
    leak, rule = (dataclasses.replace(CUE, kind=k, value=0.9, bound=None) for k in ("leak", "rule"))
    rows = [[field.name for field in dataclasses.fields(Shallow)]]
    rows += map(dataclasses.astuple, (leak, NULL, rule, CUE))
    lines = ["\t".join("_" if cell is None else str(cell) for cell in row) for row in rows]
    head = ["# source: a test", "# licence: CC0", "# version: 1.0.0", "# key: config score kind"]
    text = "\n".join([*head, *lines, ""])
    (folder / shallow.READERS).write_text(text, encoding="utf-8")
    monkeypatch.setattr(shallow, "FOLDER", tmp_path)
    shallow.shallow_readers.cache_clear()
    shallow.bar_clusters.cache_clear()
    return "s"


def test_the_bar_is_the_best_reader_but_a_leak_and_a_rule(suite: str) -> None:
    assert shallow.shallow_readers(suite)[1].kind == "null"
    found = shallow.bar(suite, "c/test", "accuracy")
    assert found is not None
    assert found.reader == "a cue"
    null = shallow.null_of(suite, "c/test", "accuracy")
    assert null is not None
    assert null.reader == "the longest"
    assert shallow.bar(suite, "other/test", "accuracy") is None


@pytest.mark.parametrize(
    ("known", "version", "problems"),
    [
        ([], "1.0.0", ["c/test accuracy, got 50.0 % by a shallow reader"]),
        (["c/test accuracy"], "1.0.0", []),
        (["c/test accuracy"], "2.0.0", ["version, got 1.0.0; expected 2.0.0"]),
        (["c/test accuracy", "d/test f1"], "1.0.0", ["d/test f1, got no shallow reader above"]),
    ],
)
def test_a_config_that_a_shallow_reader_wins_is_named(
    suite: str, known: list[str], version: str, problems: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shallow, "settings_of", lambda name: {"shallow": {"known": known}})
    found = shallow_problems(suite, version)
    assert len(found) == len(problems)
    assert all(part in line for part, line in zip(problems, found, strict=True))


def test_above_is_the_difference_from_the_bar_not_from_its_value(suite: str) -> None:
    """72 in [.71, .73] is above 70, but not surely above what has 70 in [.6, .8]."""
    narrow = shallow.compare_with_bar(suite, "c/test", "accuracy", (0.72, 0.71, 0.73))
    assert narrow is not None
    assert not narrow.is_above
    assert difference(0.85, 0.83, 0.87, CUE).is_above
    assert difference(0.85, 0.83, 0.87, CUE).value == pytest.approx(0.15)


def test_on_the_same_clusters_a_small_difference_is_sure() -> None:
    than = {str(i): (float(i % 7), 10.0) for i in range(40)}
    better = {name: (total + 1, n) for name, (total, n) in than.items()}
    found = paired_difference(better, than)
    assert found is not None
    assert found == pytest.approx((0.1, 0.1, 0.1))
    assert found.is_above
    assert paired_difference(better, {"other": (1.0, 2.0)}) is None


def test_a_config_without_a_search_has_the_readers_of_its_lite_config() -> None:
    """So that a score on the whole config is not above for want of a bar."""
    lite = shallow.bar("centerbench", "questions_lite/test", "accuracy_middle")
    assert lite is not None
    assert shallow.bar("centerbench", "questions/test", "accuracy_middle") == lite
    assert shallow.bar("centerbench", "nonsense/test", "accuracy_middle") is None
    own = shallow.bar("pp_attachment", "conll/test", "beyond_order_pair_accuracy")
    assert own is not None
    assert own.config == "conll/test"
