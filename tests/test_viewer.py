"""The viewer's rules: a wrong build for each lies in tests/invalid/viewer with the message it gives; what we build breaks none."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import publish.statistics
from publish.build import build_suite
from publish.statistics import column_statistics, is_shown_as_labels
from publish.viewer import LARGEST_ROW_GROUP, viewer_problems
from tests.conftest import ROOT
from tests.publishing import SUITE

INVALID = ROOT / "tests" / "invalid" / "viewer"
CLOSED_SETS = ("kind",)


@pytest.mark.parametrize(
    "name", sorted(path.name for path in INVALID.iterdir() if path.name != "valid")
)
def test_a_wrong_build_gives_its_message(name: str) -> None:
    problems = viewer_problems(INVALID / name, CLOSED_SETS)
    expected = (INVALID / name / "expected.txt").read_text(encoding="utf-8").strip()
    assert any(expected in problem for problem in problems), problems
    assert all(
        problem.startswith(f"{INVALID / name}") and "got " in problem and "; expected " in problem
        for problem in problems
    )


def test_a_right_build_gives_none() -> None:
    assert viewer_problems(INVALID / "valid", CLOSED_SETS) == []


def test_a_card_without_front_matter_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# no front matter\n", encoding="utf-8")
    assert viewer_problems(tmp_path) == [
        f"{tmp_path / 'README.md'}: front matter, got none; expected YAML between two lines of ---"
    ]


def test_a_built_suite_breaks_no_rule(tmp_path: Path) -> None:
    build_suite(SUITE, tmp_path, {"size": 390})
    assert (
        viewer_problems(tmp_path / SUITE, ("branching", "true_sentiment", "canary_sentiment")) == []
    )


def test_a_statistic_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise pa.ArrowInvalid("no kernel")

    monkeypatch.setattr("publish.viewer.column_statistics", fail)
    problems = viewer_problems(INVALID / "valid")
    assert problems[0].endswith(
        "id: statistics, got ArrowInvalid: no kernel; expected a column that they can be computed of"
    )


def test_the_large_row_group_is_large() -> None:
    text = json.dumps(viewer_problems(INVALID / "large_row_group"))
    assert f"expected at most {LARGEST_ROW_GROUP:,}" in text


def column(values: list[object], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind)])


@pytest.mark.parametrize(
    ("values", "kind", "counts", "summary", "n_missing"),
    [
        (
            ["a", "a", "a", "a", "b", "a", "a", "a", "a", "a"],
            "string_label",
            {"a": 9, "b": 1},
            "2 values: a 90 %, b 10 %",
            0,
        ),
        (
            ["a", "词词词"],
            "string_text",
            {"1": 1, "3": 1},
            "1 to 3 characters",
            0,
        ),  # characters, not bytes
        (
            [True, False, True, None],
            "bool",
            {"true": 2, "false": 1},
            "2 values: true 67 %, false 33 %",
            1,
        ),
        ([3, 3, 3], "int", {"3": 3}, "3 to 3", 0),
        ([0.0, 1.0, float("nan"), None], "float", None, "0 to 1", 1),
        ([None, None], "float", {}, "no values", 2),
        ([[1, 2], [], None], "list", None, "0 to 2 items", 1),
        ([{"a": 1}, None], "struct", {}, "1 fields", 1),
    ],
)
def test_statistics_are_those_of_the_viewer(
    values: list[object],
    kind: str,
    counts: dict[str, int] | None,
    summary: str | None,
    n_missing: int,
) -> None:
    found = column_statistics(column(values, pa.float64() if values == [None, None] else None))
    assert (found.kind, found.n_missing) == (kind, n_missing)
    assert summary in (None, found.summary)
    if counts is not None:
        assert found.counts == counts
    else:
        assert sum(found.counts.values()) == len(values) - n_missing - sum(
            value != value for value in values
        )


def test_labels_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_shown_as_labels(column(["a"] * 4 + ["b"] * 6))
    assert not is_shown_as_labels(column(["a", "b", "c", "d"]))
    monkeypatch.setattr(publish.statistics, "MOST_LABELS", 1)
    assert not is_shown_as_labels(column(["a"] * 4 + ["b"] * 6))
