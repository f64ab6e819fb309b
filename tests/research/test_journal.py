"""Answers that cost money are on the disk as they come: what a kill loses, and what it does not."""

import http.server
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ground.paths import ROOT
from research.engine.journal import ENDING, Journal, recover
from research.engine.loop import Loop, Stage, Task
from research.engine.store import Store, make_key
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
    assert store.read().to_pydict() == {
        "key": ["a", "b", "e"],
        "text": ["ja", "nein", "x"],
        "n": [1, None, 2],
    }
    assert [path.name for path in store.folder.glob("*journal*")] == ["0a1b.journal.odd"]
    assert (
        "n of row f, got 'two'; expected int64; kept in 0a1b.journal.odd" in capsys.readouterr().err
    )


def test_a_journal_is_empty_once_a_shard_holds_its_rows(tmp_path):
    store = Store(tmp_path / "store", SCHEMA)
    with store.alone(), Journal(store) as journal:
        journal.add({"a": {"text": "ja", "n": 1}})
        journal.clear()
        assert journal.path.stat().st_size == 0
    assert not list(tmp_path.rglob("*journal*"))


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


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers each question after a moment, and counts how often it was asked."""

    asked: ClassVar[Counter[str]] = Counter()
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked[body["messages"][-1]["content"]] += 1
        time.sleep(0.01)
        message = {"message": {"content": "the dog"}, "finish_reason": "stop"}
        answer = json.dumps({"choices": [message]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Endpoint.asked = Counter()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("n_kills", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_a_kill_costs_the_requests_under_way_and_no_more(n_kills, address, tmp_path):
    pytest.importorskip("httpx")
    command = [sys.executable, "-m", "research", "centerbench", "answers", "--config"]
    command += ["questions_lite", "--systems", "chat:toy", "--base-url", address]
    command += ["--concurrency", str(CONCURRENCY), "--store", str(tmp_path), "--limit", "2"]
    draws = random.Random(0)
    n_killed = 0
    for _ in range(n_kills):
        before = sum(Endpoint.asked.values())
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            while sum(Endpoint.asked.values()) <= before and process.poll() is None:
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
    again = sum(Endpoint.asked.values()) - n_answers
    assert again <= n_killed * CONCURRENCY
    assert not list(tmp_path.rglob("*journal*"))
