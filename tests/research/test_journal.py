"""Answers that cost money are on the disk as they come: what a kill loses, and what it does not."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ground.paths import ROOT
from research.engine.journal import ENDING, Journal, recover
from research.engine.loop import Loop, Stage, Task
from research.engine.store import Store, make_key
from tests.product.test_chat_endpoint import completion, serve  # noqa: F401
from tests.support.processes import captured

pytestmark = pytest.mark.clock

SCHEMA = pa.schema([("text", pa.string()), ("n", pa.int64())])
CONCURRENCY = 3


def test_rows_of_a_dead_process_go_into_a_shard(tmp_path, capsys):
    store = Store(tmp_path / "store", SCHEMA)
    with store.alone(), Journal(store) as journal:
        journal.add({"a": {"text": "ja", "n": 1}})
        journal.add({"b": {"text": "nein", "n": None}})
        path = journal.path
    whole = path.read_bytes()
    with path.open("ab") as file:
        file.write(whole.replace(b"ja", b"ya").replace(b'"a"', b'"d"'))  # bits that flipped
        file.write(b'deadbeef {"key": "c", "text": "hal')  # cut off while it was written
    older = path.with_name("0a1b.journal")  # as a version wrote it that had no checksums
    older.write_bytes(b'{"key": "e", "text": "x", "n": 2}\n{"key": "f", "text": "y", "n": "two"}\n')
    path.with_name("0a1b.journal.lock").touch()
    assert recover(store) == 3
    rows = [("a", "ja", 1), ("b", "nein", None), ("e", "x", 2)]
    assert store.read().to_pylist() == [
        dict(zip(("key", "text", "n"), row, strict=True)) for row in rows
    ]
    assert [path.name for path in store.folder.glob("*journal*")] == ["0a1b.journal.odd"]
    told = "n of row f, got 'two'; expected int64; kept in 0a1b.journal.odd"
    assert told in capsys.readouterr().err


def test_a_loop_leaves_shards_and_no_journal(tmp_path):
    store = Store(tmp_path / "store", SCHEMA)
    keys = tuple(make_key(i=i) for i in range(3))
    seen: list[int] = []

    def call(given: None, parts: tuple[int, ...]) -> Iterator[tuple[int, dict[str, object]]]:
        for place, part in enumerate(parts):
            yield place, {"text": str(part), "n": part}
            [journal] = store.folder.glob(f"*{ENDING}")
            seen.append(journal.read_bytes().count(b"\n"))

    Loop().fill(Stage("three", store, lambda: [Task(keys, (0, 1, 2))], call, is_costly=True))
    assert seen == [1, 2, 3]
    assert store.keys() == set(keys)
    assert not list(tmp_path.rglob("*journal*"))


@pytest.mark.slow
def test_a_kill_costs_the_requests_under_way_and_no_more(serve, tmp_path):  # noqa: F811
    pytest.importorskip("httpx")

    def after_a_moment(number: int, body: object) -> tuple[int, dict[str, str], object]:
        time.sleep(0.01)
        return 200, {}, completion("the dog")

    server = serve(after_a_moment)
    command = [sys.executable, "-m", "research", "centerbench", "answers", "--config"]
    command += ["questions_lite", "--systems", "chat:toy", "--base-url", server.url]
    command += ["--concurrency", str(CONCURRENCY), "--store", str(tmp_path), "--limit", "2"]
    draws = random.Random(0)
    n_killed = 0
    for _ in range(20):
        before = len(server.requests)
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            while len(server.requests) <= before and process.poll() is None:
                time.sleep(0.005)
            time.sleep(draws.uniform(0, 0.15))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                n_killed += 1
    done = captured(command, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert n_killed
    # some questions ask the same of two types, so that texts cannot tell what was asked again
    n_answers = sum(pq.read_metadata(path).num_rows for path in tmp_path.rglob("*.parquet"))
    assert len(server.requests) - n_answers <= n_killed * CONCURRENCY
    assert not list(tmp_path.rglob("*journal*"))
