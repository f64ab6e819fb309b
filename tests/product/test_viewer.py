"""The viewer's rules. A wrong build for each lies in tests/invalid/viewer with the message it
gives; what we build breaks none."""

import pyarrow as pa
import pytest

import publish.check.viewer
from dataset_scripts.registry import suite_builder
from publish.check.check import _statistics_problems
from publish.check.viewer import ColumnCount, failing_statistics, viewer_problems
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.publishing import SUITE
from tests.support.record_invalid_builds import FEATURES, Build, N, rows

INVALID = ROOT / "tests" / "invalid" / "viewer"
CLOSED_SETS = ("kind",)


@pytest.mark.parametrize(
    "name", sorted(path.name for path in INVALID.iterdir() if path.name != "valid")
)
def test_a_wrong_build_gives_its_message(name):
    problems = viewer_problems(INVALID / name, CLOSED_SETS)
    expected = (INVALID / name / "expected.txt").read_text(encoding="utf-8").strip()
    assert any(expected in problem for problem in problems), problems
    assert all(
        problem.startswith(f"{INVALID / name}") and "got " in problem and "; expected " in problem
        for problem in problems
    )


def test_a_right_build_gives_none():
    assert viewer_problems(INVALID / "valid", CLOSED_SETS) == []


def test_a_card_without_front_matter_is_one_problem(tmp_path):
    (tmp_path / "README.md").write_text("# no front matter\n", encoding="utf-8")
    assert viewer_problems(tmp_path) == [
        f"{tmp_path / 'README.md'}: front matter, got none; expected YAML between two lines of ---"
    ]


def test_a_built_suite_breaks_no_rule(small):
    closed = ("branching", "true_sentiment", "canary_sentiment")
    assert viewer_problems(small / SUITE, closed) == []


def column(values: list[object], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind)])


def is_shown_as_labels(values: pa.ChunkedArray) -> bool:
    return ColumnCount([values]).is_shown_as_labels


def test_labels_are_few(monkeypatch):
    assert is_shown_as_labels(column(["a"] * 4 + ["b"] * 6))
    assert is_shown_as_labels(column(list("abcdefghij")))  # ten values are labels in any case
    assert is_shown_as_labels(column([*"abcdefghi", None]))
    assert not is_shown_as_labels(column([*"abcdefghij", None]))  # null is one of eleven
    assert is_shown_as_labels(column([str(i % 20) for i in range(100)]))
    assert not is_shown_as_labels(column([str(i % 21) for i in range(100)]))
    monkeypatch.setattr(publish.check.viewer, "MOST_LABELS", 10)
    assert not is_shown_as_labels(column([str(i % 11) for i in range(100)]))


@pytest.mark.parametrize(*cases("viewer/statistics_fail_as_the_viewers_do"))
def test_statistics_fail_as_the_viewers_do(values, expected):
    kind = pa.int32() if values == [None, None] else None
    assert ColumnCount([column(values, kind)]).failure == expected


def test_a_column_that_cannot_be_counted_is_told_and_of_other_draws_only_warned_of(
    capsys, tmp_path
):
    build = Build()
    build.replace_rows({**rows(N), "n": [2, 3] * (N // 2)}, FEATURES)
    build.write(tmp_path)
    assert viewer_problems(tmp_path, CLOSED_SETS) == []
    found = failing_statistics(tmp_path)
    assert [config for config, _ in found] == ["pairs", "pairs"]  # both splits
    got = f"{tmp_path}: pairs/validation: n: statistics, got whole numbers 2 and 3 only"
    assert found[0][1] == f"{got}; expected none or more: the viewer would show none for the split"
    builder = suite_builder(SUITE)
    assert len(_statistics_problems(builder, tmp_path, is_default=True)) == 2
    assert capsys.readouterr().err == ""
    assert _statistics_problems(builder, tmp_path, is_default=False) == []
    assert capsys.readouterr().err.count("warning: ") == 2
