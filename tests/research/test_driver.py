"""The process that is started: it loads no system that others run, and holds few rows at a time."""

import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from dataset_scripts.registry import split_table
from garden_path.models.segmenters import Segmenter
from metrics.garden_path_accuracy import scoring
from research.engine.store import Store, make_key
from research.engine.work import Workers
from research.studies.answer_batches import Batches
from research.studies.eras.segmentation import COLUMNS, SIDES, STUDY, cuts_of, join_cuts
from research.studies.study import Run
from research.systems.described import LaterSystem, described
from research.systems.registry import load
from tests.support.cases import cases
from tests.support.study_runs import run_of, scored

pytestmark = pytest.mark.clock
SCHEMA = pa.schema([("words", pa.list_(pa.list_(pa.string()))), ("seconds", pa.float64())])
SENTENCE = ["他", "喜欢", "上海", "。"]


def cut(segmenter: Any, batch: Sequence[str]) -> dict[str, Any]:
    """The same words for whatever is given."""
    return {"words": [SENTENCE] * len(batch), "seconds": 1.0}


def answered(n: int, folder: Path) -> tuple[Batches, Segmenter, list[str], Run]:
    """A store that holds what a segmenter gave for n sentences, a hundred in a batch."""
    batches = Batches(SCHEMA, lambda system, rows: rows, cut)
    segmenter = Segmenter("same", "1", lambda batch: [SENTENCE] * len(batch), batch_size=100)
    run = run_of(STUDY, folder)
    rows = [f"{i:06d}" for i in range(n)]
    store = run.store(batches.store, SCHEMA)
    tasks = batches.tasks(segmenter, rows)
    for some in (tasks[i : i + 30] for i in range(0, len(tasks), 30)):
        found = cut(segmenter, rows[:100])
        keys = [task.name for task in some]
        store.append(keys, {name: [value] * len(keys) for name, value in found.items()})
    return batches, segmenter, rows, run


@pytest.mark.slow
def test_scoring_holds_a_few_batches_at_a_time(tmp_path):
    """Ten times the rows: the peak of what Python holds grows by what is kept, two bytes a word."""
    found = {}
    for n in (10_000, 100_000):
        batches, segmenter, rows, run = answered(n, tmp_path / str(n))
        tracemalloc.start()
        kept = batches.answers(segmenter, rows, run, keep=cuts_of)
        found[n] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(kept) == len(batches.tasks(segmenter, rows))
        assert join_cuts(kept).words(n - 1, ["他喜欢上海。"]) == [SENTENCE]
    # a list of four words takes 88 bytes, without the words
    assert (found[100_000] - found[10_000]) / 90_000 < 40
    assert found[100_000] < 100_000 * 60


def test_rows_come_one_after_the_other_each_once(tmp_path):
    schema = pa.schema([("score", pa.float64())])
    store, other = Store(tmp_path, schema), Store(tmp_path, schema)
    for first in range(0, 60, 20):
        store.append([f"{i:02d}" for i in range(first, first + 20)], {"score": [float(first)] * 20})
    store.append(["07"], {"score": [0.0]})  # done twice
    wanted = [f"{i:02d}" for i in range(5, 50)]
    found: list[str] = []
    for key, row in store.each([*wanted, "not done"]):
        if not found:
            other.compact(1)  # another process unites the shards meanwhile
        assert row == {"score": float(int(key) // 20 * 20)}
        found.append(key)
    assert sorted(found) == wanted
    assert list(store.each([])) == []


@pytest.mark.slow
def test_scores_of_parts_are_those_of_the_whole(tmp_path):
    (result,) = scored(STUDY, tmp_path, "--systems", "jieba", "--config", "simplified_lite")
    table, segmenter = split_table("eras", "simplified_lite", "test"), load("segmenter", "jieba")
    words = zip(*(segmenter.predict(table[side].to_pylist()) for side in SIDES), strict=True)
    options = scoring.Options(lexicon=segmenter.lexicon)
    whole = scoring.score({"predictions": list(words), "references": table}, options)
    for name in set(whole) - {"signature", "run", "options"}:
        assert str(result[name]) == str(whole[name]), name


def test_columns_are_those_of_the_whole_table():
    whole = split_table("eras", "traditional_lite", "test")
    few = split_table("eras", "traditional_lite", "test", {}, COLUMNS)
    assert few.equals(whole.select(COLUMNS))


@pytest.mark.parametrize(
    *cases("driver/a_described_system_is_told_of_and_loaded_when_it_is_called")
)
def test_a_described_system_is_told_of_and_loaded_when_it_is_called(kind, name, given):
    system, told = load(kind, name, batch_size=7), described(kind, name, {"batch_size": 7})
    for field in ("name", "version", "n_parameters", "batch_size", "script", "mask_token"):
        assert getattr(told, field, None) == getattr(system, field, None)
    later = getattr(told.predict, "func", None)
    if later is not None and isinstance(getattr(later, "__self__", None), LaterSystem):
        assert "system" not in vars(later.__self__)
    assert list(told.predict(given)) == list(system.predict(given))
    assert getattr(told, "lexicon", None) == getattr(system, "lexicon", None)


def test_a_driver_loads_nothing_where_others_work(tmp_path, monkeypatch):
    def refuse(*_: Any, **__: Any) -> Iterator[Any]:
        raise AssertionError("loaded in the driver")

    monkeypatch.setattr("research.studies.study.load", refuse)
    monkeypatch.setattr("research.systems.described.load", refuse)
    run = run_of(STUDY, tmp_path, "--systems", "jieba", workers=Workers(2))
    assert run.system("jieba").version == load("segmenter", "jieba").version
    with pytest.raises(AssertionError, match="loaded in the driver"):
        run_of(STUDY, tmp_path, workers=Workers(2)).system("no-such-system")


def test_errors_are_those_of_loading_here():
    with pytest.raises(ValueError, match="segmenter, got 'no-such-system'; expected one of"):
        described("segmenter", "no-such-system", {})


def test_the_same_cuts_have_one_key():
    one = cuts_of({"words": [["学生", "留心"], ["机"]], "seconds": 1.0})
    other = cuts_of({"words": [["學生", "留心"], ["機"]], "seconds": 2.0})
    moved = cuts_of({"words": [["学生"], ["留心", "机"]], "seconds": 1.0})
    assert one.key() == other.key() != moved.key()
    assert make_key() != one.key()
