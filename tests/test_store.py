"""The store of finished work: resumable, append-only, whole shards; and what studies write for the cards."""

import json
import math
from pathlib import Path

import pyarrow as pa
import pytest

import studies.report
from ground.markdown import interval, markdown_table
from ground.store import Store, make_key
from studies.report import write_result

SCHEMA = pa.schema([("score", pa.float64())])


def test_store_resumes_where_it_was_stopped(tmp_path: Path) -> None:
    keys = [make_key(system="jieba", sentence=i) for i in range(6)]
    Store(tmp_path, SCHEMA).append(keys[:4], {"score": [0.0, 1.0, 2.0, 3.0]})
    again = Store(tmp_path, SCHEMA)
    assert again.missing(keys) == keys[4:]
    again.append(keys[4:], {"score": [4.0, 5.0]})
    assert again.missing(keys) == []
    assert sorted(again.read()["score"].to_pylist()) == [0, 1, 2, 3, 4, 5]


def test_store_counts_work_that_was_done_twice_once(tmp_path: Path) -> None:
    store = Store(tmp_path, SCHEMA)
    store.append(["a", "b"], {"score": [1.0, 2.0]})
    store.append(["b", "c"], {"score": [2.0, 3.0]})
    assert store.read().to_pydict() == {"key": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}
    assert store.read([]).column_names == ["key"]
    assert sum(shard.num_rows for shard in store.iterate()) == 4


def test_store_ignores_a_shard_that_was_cut(tmp_path: Path) -> None:
    store = Store(tmp_path, SCHEMA)
    store.append(["a"], {"score": [1.0]})
    (tmp_path / "000001-cut.part").write_bytes(b"PAR1 and then the power went")
    assert store.keys() == {"a"}


def test_store_refuses_another_schema(tmp_path: Path) -> None:
    Store(tmp_path, SCHEMA).append(["a"], {"score": [1.0]})
    with pytest.raises(
        ValueError, match=r"schema, got \['key', 'score'\]; expected \['key', 'words'\]"
    ):
        Store(tmp_path, pa.schema([("words", pa.string())]))


def test_an_empty_store_reads_as_an_empty_table(tmp_path: Path) -> None:
    store = Store(tmp_path / "none", SCHEMA)
    store.append([], {"score": []})
    assert store.read().num_rows == 0
    assert store.read().column_names == ["key", "score"]
    assert not (tmp_path / "none").exists()


def test_make_key_depends_on_values_not_on_order() -> None:
    assert make_key(a=1, b="x") == make_key(b="x", a=1)
    assert make_key(a=1) != make_key(a="1")


def test_markdown_table_aligns_numbers_and_shows_what_is_undefined() -> None:
    rows = [
        {"system": "a|b", "n": 1234, "score": 81.25},
        {"system": "c", "n": 5, "score": math.nan},
    ]
    assert markdown_table(rows) == (
        "| system | n | score |\n| --- | ---: | ---: |\n| a\\|b | 1,234 | 81.2 |\n| c | 5 | – |\n"
    )


def test_intervals_stand_behind_values_where_there_are_any() -> None:
    assert interval(7.66, 38.4) == " [7.7, 38.4]"
    assert interval(-0.04, 0.4, 0) == " [0, 0]"  # no negative zero
    assert interval(math.nan, math.nan) == ""


def test_write_result_stamps_what_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies.report, "RESULTS", tmp_path)
    path = write_result(
        "eras",
        "t",
        "| a |",
        version="1.0.0",
        content_hash="ab",
        command="python -m x",
        figures={"a": 1},
        plot=b"png",
    )
    assert path.read_text(encoding="utf-8") == "| a |\n"
    assert (
        json.loads((tmp_path / "eras" / "t.json").read_text(encoding="utf-8"))["content_hash"]
        == "ab"
    )
    assert (tmp_path / "eras" / "t.png").read_bytes() == b"png"
