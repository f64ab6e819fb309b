"""Store, journal and loop on disks that fail, under kills, beside a second process, read only.
After each fault nothing that was acknowledged is lost, nothing partial is taken for whole, and a
second run ends with the rows of an undisturbed one, byte for byte."""

import io
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ground.paths import ROOT
from research.engine.journal import NAME, recover
from research.engine.loop import FAILURES, Failed, Loop, Row, Stage, tasks_of
from research.engine.store import ASIDE, Store, StoreError
from tests.support.fault_injection import SHORT, Fault, every_fault

pytestmark = pytest.mark.clock

SCHEMA = pa.schema([("text", pa.string()), ("n", pa.int64())])
KEYS = [f"{i:032x}" for i in range(12)]
SAMPLE = {"errors": ("ENOSPC", SHORT), "stays": (True,), "step": 5}
WHOLE: dict[str, Any] = {}
TRIALS = [SAMPLE, pytest.param(WHOLE, marks=pytest.mark.slow)]


def row_of(key: str) -> Row:
    """The row of a key."""
    return {"text": f"答 {random.Random(key).randbytes(300).hex()}", "n": int(key, 16)}


def content(store: Store) -> bytes:
    """All that a reader sees of a store, as bytes."""
    sink = io.BytesIO()
    table = store.read().combine_chunks()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a run leaves that nothing disturbs."""
    work = Work(tmp_path_factory.mktemp("undisturbed") / "store")
    work.run()
    return content(work.store)


class Work:
    """Rows that are asked for one after the other; remembers which were acknowledged."""

    def __init__(self, folder: Path, *, is_costly: bool = True, fails: Sequence[str] = ()) -> None:
        self.folder, self.is_costly, self.fails = folder, is_costly, fails
        self.store = Store(folder, SCHEMA)
        self.asked: list[str] = []

    def call(self, given: object, keys: Sequence[str]) -> Iterator[tuple[int, Row | Failed]]:
        """Gives the row of each key; a row is acknowledged when the next is asked for."""
        for place, key in enumerate(keys):
            self.asked.append(key)
            yield place, Failed("too odd") if key in self.fails else row_of(key)

    def run(self, **loop: Any) -> None:
        """Does all that is left."""
        tasks = tasks_of({key: key for key in KEYS}, 4)
        failures = Store(self.folder.with_name("failures"), FAILURES)
        how = {"rows_at_once": 2, "is_costly": self.is_costly}
        Loop(**loop).fill(Stage("rows", self.store, lambda: tasks, self.call, failures, **how))


def survivors(store: Store, folder: Path) -> set[str]:
    """What a next run would find, looked up in a copy; every row must be the one of its key."""
    shutil.copytree(store.folder, folder, dirs_exist_ok=True)
    copy = Store(folder, SCHEMA)
    recover(copy)
    found = copy.rows(KEYS)
    assert found == {key: row_of(key) for key in found}
    shutil.rmtree(folder)
    return set(found)


@pytest.mark.parametrize("is_costly", [True, False])
@pytest.mark.parametrize("trial", TRIALS)
def test_a_loop_loses_nothing_and_ends_like_an_undisturbed_one(
    trial, is_costly, tmp_path, undisturbed
):
    for n, fault in enumerate(every_fault(**trial), 1):
        first = Work(tmp_path / f"{n}", is_costly=is_costly)
        with fault.injected():
            first.run()
        if is_costly and first.asked and first.folder.exists():
            # what was asked last was under way: nobody had asked for the next
            assert survivors(first.store, tmp_path / "copy") >= set(first.asked[:-1]), fault
        second = Work(first.folder, is_costly=is_costly)
        second.run()
        assert content(second.store) == undisturbed, fault
        if is_costly:
            assert len(set(first.asked) & set(second.asked)) <= 1, fault
        assert not list(first.folder.glob("*.part")), fault
        if second.asked:  # else nothing had to be written, and what lies there is in a shard
            assert not list(first.folder.glob("*.journal*")), fault
        shutil.rmtree(first.folder)


def test_failures_of_a_model_survive_a_fault_too(tmp_path):
    for n, fault in enumerate(every_fault(("rename",), ("ENOSPC",), stays=(True,)), 1):
        folder = tmp_path / f"{n}" / "rows"
        with fault.injected():
            Work(folder, fails=KEYS[:2]).run()
        again = Work(folder, fails=KEYS[:2])
        again.run()
        assert again.store.keys() == set(KEYS[2:])
        assert Store(folder.with_name("failures"), FAILURES).keys() == set(KEYS[:2])


def test_a_fault_is_injected_where_it_is_said(tmp_path):
    """The harness itself: every kind of call is met, and a short write leaves half."""
    for kind in ("open", "write", "truncate", "fsync", "rename", "mkdir", "unlink"):
        fault = Fault(kind, 1, "EIO")
        with fault.injected():
            Work(tmp_path / kind).run()
        assert fault.is_reached, kind
    with Fault("write", 1, SHORT).injected():
        (tmp_path / "half").write_bytes(b"12345678")
    assert (tmp_path / "half").read_bytes() == b"1234"
    with pytest.raises(KeyError), Fault("write", 1, "EIO").injected():
        raise KeyError("of our own")


# --- kills, interrupts, a second process
WORKER = """
import sys, time
from pathlib import Path
from tests.research import test_engine_faults as faults
work = faults.Work(Path(sys.argv[1]))
ask = work.call
def slowly(given, keys):
    for place, row in ask(given, keys):
        print(work.asked[-1], flush=True)
        time.sleep(float(sys.argv[2]))
        yield place, row
work.call = slowly
try:
    work.run()
except ValueError as error:
    sys.exit(f"refused: {error}")
"""


def started(folder: Path, seconds: float) -> "subprocess.Popen[str]":
    """A process that works on a store, some seconds a row."""
    command, pipe = [sys.executable, "-c", WORKER, str(folder), str(seconds)], subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
@pytest.mark.parametrize("n_times", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_a_process_that_is_stopped_loses_the_row_under_way(how, n_times, tmp_path, undisturbed):
    draws = random.Random(n_times)
    for n in range(n_times):
        folder, said = tmp_path / f"{n}", []
        with started(folder, 0.01) as process:
            assert process.stdout is not None
            said.append(process.stdout.readline().strip())
            time.sleep(draws.uniform(0, 0.15))
            os.kill(process.pid, how)
            said += process.stdout.read().split()
        acknowledged = set(said[:-1]) if len(said) < len(KEYS) else set(KEYS[:-1])
        assert survivors(Store(folder, SCHEMA), tmp_path / "copy") >= acknowledged
        again = Work(folder)
        again.run()
        assert content(again.store) == undisturbed
        # stopped while it united finished shards, it left nothing to do, and so to sweep
        assert not (again.asked and list(folder.glob("*.part")))


@pytest.mark.slow
def test_a_second_process_is_refused_in_one_line_and_a_reader_is_not(tmp_path, undisturbed):
    folder = tmp_path / "store"
    with started(folder, 0.3) as first:
        assert first.stdout is not None
        first.stdout.readline()
        refused = started(folder, 0)
        assert refused.wait() == 1
        assert refused.stderr is not None
        told = refused.stderr.read()
        assert told.count("\n") == 1 + told.count("to do"), told
        assert "store: store, got another process that writes to it; expected one at a t" in told
        first.stdout.readline()
        assert Store(folder, SCHEMA).keys() <= set(KEYS)  # a reader needs no leave
        assert first.wait() == 0
    assert content(Store(folder, SCHEMA)) == undisturbed


# --- what a disk does to shards
def flipped(path: Path, bit: int) -> bytes:
    """Flips a bit of a file; gives what it held before."""
    before = path.read_bytes()
    after = bytearray(before)
    after[bit // 8] ^= 1 << bit % 8
    path.write_bytes(bytes(after))
    return before


@pytest.mark.parametrize("n_flips", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_a_bit_that_flipped_is_never_another_row(n_flips, tmp_path):
    work = Work(tmp_path / "store")
    work.run()
    (shard,) = work.store.shards()
    expected, draws, n_refused = content(work.store), random.Random(1), 0
    for bit in draws.sample(range(8 * shard.stat().st_size), n_flips):
        before = flipped(shard, bit)
        other = Store(work.folder, SCHEMA)
        try:
            assert content(other) == expected, bit
        except StoreError:
            n_refused += 1
            assert list(other.unusable()) == [shard], bit
        shard.write_bytes(before)
    assert n_refused > 0.9 * n_flips  # the rest says nothing of a row


def test_a_broken_shard_is_set_aside_alone_and_paid_work_asks_first(tmp_path, capsys, undisturbed):
    costly, free = Work(tmp_path / "costly"), Work(tmp_path / "free", is_costly=False)
    for work in (costly, free):
        for start in range(0, len(KEYS), 4):
            work.store.append_rows({key: row_of(key) for key in KEYS[start : start + 4]})
        shards = work.store.shards()
        flipped(shards[0], 8 * 500)
        shutil.copy(shards[1], work.folder / "foreign.parquet")
        (work.folder / "foreign.parquet").write_bytes(b"PAR1 of somebody else")
    before = sorted(path.name for path in costly.folder.iterdir())
    told = rf"costly: shards, got {shards[0].name[:6]}-.*CRC.*foreign.parquet .*--set-aside goes on"
    with pytest.raises(StoreError, match=told):
        costly.run()
    assert costly.asked == []
    assert set(before) <= {path.name for path in costly.folder.iterdir()}
    costly.run(sets_aside=True)
    free.run()
    for work in (costly, free):
        assert work.asked == KEYS[:4]  # what the broken one held, and no more
        assert content(work.store) == undisturbed
        assert len(list((work.folder / ASIDE).iterdir())) == 2
        told = capsys.readouterr().err if work is costly else told
    assert "foreign.parquet" in told
    assert "what they held is done again" in told


def test_a_store_is_verified(tmp_path, capsys):
    from research.studies.__main__ import main  # which a process that works need not import

    for name in ("a", "b/c"):
        Work(tmp_path / name).run()
    assert main(["store", "verify", str(tmp_path)]) == 0
    assert "2 shards of 2 stores, 24 rows: all whole" in capsys.readouterr().out
    (shard,) = (tmp_path / "b" / "c").glob("*.parquet")
    flipped(shard, 8 * 500)
    assert main(["store", "verify", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert f"b/c/{shard.name}: " in shown
    assert "CRC" in shown
    assert "1 of 2 shards cannot be used" in shown
    assert main(["store", "verify", str(tmp_path / "nowhere")]) == 1
    assert "nowhere: store, got no folder; expected one" in capsys.readouterr().err


def test_a_store_that_cannot_be_written_to_is_read(tmp_path, undisturbed):
    work = Work(tmp_path / "store")
    work.run()
    names = sorted(path.name for path in work.folder.iterdir())
    with Fault("any", 1, "EROFS", stays=True).injected() as disk:
        again = Work(work.folder)
        again.run()  # nothing is left to do
        assert content(again.store) == undisturbed
    assert disk.n_calls == 0  # not even tried
    assert sorted(path.name for path in work.folder.iterdir()) == names


def test_an_odd_row_ends_nothing_that_came_before(tmp_path):
    work = Work(tmp_path / "store")
    rows = {**{key: row_of(key) for key in KEYS}, KEYS[5]: {"text": "x", "n": 2**70}}
    work.call = lambda given, keys: ((i, rows[key]) for i, key in enumerate(keys))  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=rf"n of row {KEYS[5]}, got 1180591620717411303424; expec"):
        work.run()
    assert work.store.keys() == set(KEYS[:5])
    assert not (work.folder / NAME).exists()
