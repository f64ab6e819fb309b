"""The store of finished work: resumable, append-only, whole shards. And what studies write for the
cards."""

import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import research.studies.report
from ground.markdown import interval, markdown_table
from metrics.gper import scoring
from research.engine.store import ASIDE, Store, StoreError, make_key
from research.engine.work import is_of_the_machine
from research.studies.report import Shown, result_stamp, write_result

pytestmark = pytest.mark.clock

SCHEMA = pa.schema([("score", pa.float64())])


def test_store_counts_work_that_was_done_twice_once(tmp_path):
    store = Store(tmp_path, SCHEMA)
    store.append(["a", "b"], {"score": [1.0, 2.0]})
    store.append(["b", "c"], {"score": [2.0, 3.0]})
    assert store.read().to_pydict() == {"key": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}
    assert store.read([]).column_names == ["key"]
    assert sum(pq.read_metadata(shard).num_rows for shard in store.shards()) == 4


def test_an_empty_store_reads_as_an_empty_table(tmp_path):
    store = Store(tmp_path / "none", SCHEMA)
    store.append([], {"score": []})
    assert store.read().num_rows == 0
    assert store.read().column_names == ["key", "score"]
    assert not (tmp_path / "none").exists()


def test_make_key_depends_on_values_not_on_order():
    assert make_key(a=1, b="x") == make_key(b="x", a=1)
    assert make_key(a=1) != make_key(a="1")


def test_markdown_table_aligns_numbers_and_shows_what_is_undefined():
    rows = [{"system": "a|b", "n": 1234, "score": 81.25}]
    rows.append({"system": "c", "n": 5, "score": math.nan})
    assert markdown_table(rows) == (
        "| system | n | score |\n| --- | ---: | ---: |\n| a\\|b | 1,234 | 81.2 |\n| c | 5 | – |\n"
    )


def test_intervals_stand_behind_values_where_there_are_any():
    assert interval(7.66, 38.4) == " [7.7, 38.4]"
    assert interval(-0.04, 0.4, 0) == " [0, 0]"  # no negative zero
    assert interval(math.nan, math.nan) == ""


def test_write_result_stamps_what_was_run(tmp_path, monkeypatch):
    report, stamped = research.studies.report, {"version": "1.0.0", "content_hash": "ab"}
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    monkeypatch.setattr(report.registry, "suite_stamp", lambda suite, configs=(): stamped)
    rests_on = result_stamp("eras", ["gper"])
    path = write_result("eras/t", rests_on, Shown("| a |", {"a": 1}), "python -m x", b"png")
    assert path.read_text(encoding="utf-8") == "| a |\n"
    stamp = json.loads((tmp_path / "eras" / "t.json").read_text(encoding="utf-8"))
    of_suite = {"suite": "eras", "version": "1.0.0", "content_hash": "ab", "draw": {}}
    of_run = {"command": "python -m x", "signatures": [], "systems": {}, "figures": {"a": 1}}
    assert stamp == {**of_suite, "metrics": {"gper": scoring.VERSION}, **of_run}
    assert (tmp_path / "eras" / "t.png").read_bytes() == b"png"


def test_a_broken_shard_is_named_and_is_no_wrong_input(tmp_path):
    store = Store(tmp_path, SCHEMA)
    store.append(["a"], {"score": [1.0]})
    (tmp_path / "000001-broken.parquet").write_bytes(b"PAR1 and then the power went")
    for read in (store.keys, store.read, lambda: store.rows(["b"])):
        message = r"000001-broken.parquet: shard, got a file that cannot be read"
        with pytest.raises(StoreError, match=message) as told:
            read()
        assert is_of_the_machine(told.value)


def test_a_shard_of_an_older_format_is_set_aside_alone(tmp_path, capsys):
    folder = tmp_path / "answers"
    folder.mkdir()
    old = pa.table({"key": ["a"], "score": [1.0]})  # as version 1 wrote it: no format
    pq.write_table(old, folder / "000000-x.parquet")
    store, other = Store(folder, SCHEMA), Store(folder, pa.schema([("words", pa.string())]))
    with pytest.raises(StoreError, match=r"000000-x.parquet: shard, got another format; expected"):
        store.keys()
    store.append(["b"], {"score": [2.0]})
    store.set_aside(store.unusable())
    told = "shards, got 000000-x.parquet (another format); expected whole ones of format 2 with key"
    assert told in capsys.readouterr().err
    assert pq.read_table(folder / ASIDE / "000000-x.parquet").equals(old)
    assert store.keys() == {"b"}  # the other shard is where it was
    message = r"shard, got other columns; expected format 2 with key, w"
    with pytest.raises(StoreError, match=message):
        other.read()
    assert list(other.unusable().values()) == ["other columns"]


def test_shards_are_compacted_and_nothing_is_lost(tmp_path):
    store, reader = Store(tmp_path, SCHEMA), Store(tmp_path, SCHEMA)
    for i in range(30):
        store.append([f"{i:02d}"], {"score": [float(i)]})
    assert len(reader.keys()) == 30
    store.compact(4)
    assert len(store.shards()) == 1
    expected = {"key": [f"{i:02d}" for i in range(30)], "score": [float(i) for i in range(30)]}
    assert reader.read().to_pydict() == expected
    assert reader.rows(["07"]) == {"07": {"score": 7.0}}
    store.append(["x"], {"score": [0.5]})
    assert reader.missing(["x", "07", "y"]) == ["y"]
    store.compact(4)
    assert len(store.shards()) == 2  # few enough


def test_a_reader_that_meets_a_compaction_looks_again(tmp_path, monkeypatch):
    store, reader = Store(tmp_path, SCHEMA), Store(tmp_path, SCHEMA)
    store.append(["a"], {"score": [1.0]})
    store.append(["b"], {"score": [2.0]})
    looked = reader.shards
    monkeypatch.setattr(reader, "shards", lambda: (looked(), store.compact(1))[0])
    assert reader.read()["key"].to_pylist() == ["a", "b"]


def test_large_shards_are_not_written_again(tmp_path, monkeypatch):
    store = Store(tmp_path, SCHEMA)
    store.append([f"{i}" for i in range(5000)], {"score": [float(i) for i in range(5000)]})
    (large,) = store.shards()
    for i in range(6):
        store.append([f"small {i}"], {"score": [float(i)]})
    sizes = sorted(path.stat().st_size for path in tmp_path.iterdir())
    monkeypatch.setattr("research.engine.store.LARGE_SHARD", sizes[-1])
    store.compact(4)
    assert len(store.shards()) == 2
    assert large in store.shards()
    assert len(store.read()) == 5006
