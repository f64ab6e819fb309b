"""Contamination: a system that knows the published rows by heart is found, an honest one is not."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataset_scripts.registry import split_table
from garden_path.models.answerers import Answer
from research.studies.__main__ import main
from research.studies.catalogue import studies
from research.studies.contamination import (
    SUITES,
    DrawResult,
    TwoDrawRows,
    TwoDraws,
    difference_fields,
    part_of,
    read_rows,
    result_text,
    two_samples,
    unpublished,
)
from research.studies.study import run
from research.systems.registry import load

CENTERBENCH, ERAS, SORTS = SUITES
SIZES = {"eras": 1950, "centerbench": 10, "sorts": 1}  # pairs; pairs a level; times 18,502 clauses


class Memoriser:
    """A system that gives the right output to rows it has seen, and else what another gives."""

    scheme = "ud"

    def __init__(self, other: Any, seen: dict[Any, Any], key: Callable[[Any], Any]) -> None:
        self.other, self.seen, self.key = other, seen, key

    def predict(self, items: Any) -> Any:
        """Outputs for items in their order."""
        outputs = self.other.predict(items)
        keys = [self.key(item) for item in items]
        return [self.seen.get(k, o) for k, o in zip(keys, outputs, strict=True)]


class ParsedByHeart(Memoriser):
    """The same for a parser, whose clauses and trees are columns."""

    def predict(self, items: Any) -> Any:
        """Trees of clauses."""
        trees = {name: list(column) for name, column in self.other.predict(items).items()}
        for i, tokens in enumerate(items["tokens"]):
            if (tree := self.seen.get(tuple(tokens))) is not None:
                trees["heads"][i], trees["deprels"][i] = tree
        return trees


def memoriser(suite: TwoDraws, public: pa.Table) -> Memoriser:
    """A null system of the suite that knows the published rows."""
    rows = public.to_pylist()
    if suite is ERAS:
        words = {row[s]: row[f"{s}_words"] for row in rows for s in ("test", "control")}
        return Memoriser(load("segmenter", "cut-in-twos"), words, str)
    if suite is CENTERBENCH:
        answers = {(row["sentence"], row["question"]): _answer(row["answer"]) for row in rows}
        other = load("answerer", "linear-order")
        return Memoriser(other, answers, lambda asked: (asked.sentence, asked.question))
    trees = {tuple(row["tokens"]): (row["heads"], row["deprels"]) for row in rows}
    return ParsedByHeart(load("parser", "subject-first"), trees, tuple)


def _answer(text: str) -> Answer:
    return Answer(text)


def drawn(suite: TwoDraws) -> TwoDrawRows:
    """Small draws of a suite."""
    return read_rows(suite, argparse.Namespace(size=SIZES[suite.suite], draw=1, rows=None))


def compared(suite: TwoDraws, system: Any, rows: TwoDrawRows) -> dict[str, Any]:
    """Difference of a system's scores on two draws."""
    parts = [part_of(suite, suite.score(system, part)) for part in (rows.public, rows.private)]
    return {"public": parts[0], "private": parts[1], **difference_fields(suite, *parts)}


@pytest.mark.parametrize(
    "suite",
    [ERAS, CENTERBENCH, pytest.param(SORTS, marks=pytest.mark.slow)],
    ids=lambda suite: suite.suite,
)
def test_a_memoriser_is_found_and_an_honest_system_is_not(suite: TwoDraws) -> None:
    rows = drawn(suite)
    planted = memoriser(suite, rows.public)
    found = compared(suite, planted, rows)
    assert found["public"].value == 1
    assert found["difference_low"] > 0.1
    assert found["p"] < 1e-3
    honest = compared(suite, planted.other, rows)
    assert not honest["difference_low"] > 0
    assert honest["p"] > 0.05
    assert honest["least"] < found["difference"] or math.isnan(honest["least"])


def table(**columns: list[Any]) -> pa.Table:
    return pa.table(columns)


def test_what_is_published_too_is_left_out_with_its_group() -> None:
    known = table(sentence=["a", "b"], pair_id=["x", "x"])
    private = table(sentence=["c", "a", "d", "e"], pair_id=["1", "1", "2", "2"])
    assert unpublished(CENTERBENCH, private, known)["sentence"].to_pylist() == ["d", "e"]
    as_lists = table(tokens=[["a", "b"], ["c"]], item_id=["1", "2"])
    assert unpublished(SORTS, as_lists, table(tokens=[["a", "b"]]))["item_id"].to_pylist() == ["2"]
    assert (
        unpublished(
            CENTERBENCH, private, table(sentence=[]).cast(pa.schema([("sentence", pa.string())]))
        ).num_rows
        == 4
    )


def test_the_published_draw_is_no_private_one() -> None:
    options = argparse.Namespace(size=10, draw=0, rows=None)
    with pytest.raises(ValueError, match="private draw, got only rows that are published"):
        read_rows(CENTERBENCH, options)


def test_rows_are_read_from_a_private_build(tmp_path: Path) -> None:
    options = argparse.Namespace(size=10, draw=0, rows=tmp_path)
    with pytest.raises(ValueError, match=r"^--rows, got .* without questions_lite/test; expected"):
        read_rows(CENTERBENCH, options)
    drawn = read_rows(CENTERBENCH, argparse.Namespace(size=10, draw=3, rows=None))
    (tmp_path / "questions_lite").mkdir()
    pq.write_table(drawn.private, tmp_path / "questions_lite" / "test-00000-of-00001.parquet")
    assert read_rows(CENTERBENCH, options).private.equals(drawn.private)


def test_mover_by_hand() -> None:
    """0.2 - sqrt(.1² + .1²) and 0.2 + sqrt(.08² + .1²)."""
    first, second = DrawResult(0.7, 0.6, 0.78, 100, {}), DrawResult(0.5, 0.4, 0.6, 100, {})
    low, high, _ = two_samples(first, second)
    assert (low, high) == pytest.approx((0.2 - math.hypot(0.1, 0.1), 0.2 + math.hypot(0.08, 0.1)))
    undefined = DrawResult(0.5, math.nan, math.nan, 3, {})
    assert two_samples(first, undefined).note == "undefined: one of the scores has none"
    fields = difference_fields(CENTERBENCH, first, undefined)
    assert fields["p"] == 1
    assert math.isnan(fields["least"])


def test_a_suite_without_the_study_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """Not morphseg: another draw of it is another language."""
    found = {study.suite for study in studies() if study.name == "contamination"}
    assert found == {"eras", "sorts", "centerbench"}
    assert main(["morphseg", "contamination"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("research morphseg contamination: study of morphseg, got 'contaminat")
    assert told.endswith("redraw shows how far languages differ)\n")


def test_readers_of_clauses_take_rows_as_they_are_drawn() -> None:
    rows = split_table("sorts", "conll_lite", "part_amb").slice(0, 60)
    scores = [SORTS.score(load("parser", name), rows)["las"] for name in SORTS.systems]
    assert scores[0] < scores[1] <= 1  # order alone, and inflection before it


def test_the_command_shows_a_line_for_every_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = next(s for s in studies() if s.place == "centerbench contamination")
    given = ["--size", "10", "--store", str(tmp_path)]
    assert run(study, given) == 0
    shown = capsys.readouterr().out
    assert run(study, given) == 0
    assert capsys.readouterr().out == shown
    lines = [line for line in shown.splitlines() if line.startswith("| ")]
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| structure", "| linear-order"]
    assert shown.count("no difference found") == 2
    assert result_text.__doc__
