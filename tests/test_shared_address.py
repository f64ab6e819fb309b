"""Two processes share a store on an S3 server, one is killed in the middle: nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from dataset_scripts.registry import split_table
from ground.addresses import Address
from ground.paths import ROOT
from ground.store import Store
from studies.eras.segmentation import BATCHES
from systems.registry import load
from tests.test_addresses import s3  # noqa: F401, a fixture

pytestmark = [pytest.mark.clock, pytest.mark.slow]
SLOW = "python:tests.engine_tasks:cut_slowly"
STUDY = ["eras", "segmentation", "--config", "simplified_lite", "--batch-size", "100"]
LONGEST = 240  # seconds until something must have happened


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the slow segmenter says which batches it begins, and in which process."""
    path = tmp_path / "batches.tsv"
    path.touch()
    monkeypatch.setenv("LOG_OF_BATCHES", str(path))
    return path


def begun(log: Path) -> list[tuple[str, int]]:
    """First sentence of each batch that was begun, with its process."""
    lines = [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines()]
    return [(line[0], int(line[1])) for line in lines if len(line) == 2]


def started(store: Address, out: Path) -> subprocess.Popen[str]:
    """The study in a process of its own."""
    place = ["--systems", SLOW, "--store", str(store), "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "studies", *STUDY, *place],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def keys_by_sentence() -> dict[str, str]:
    """The key of each batch under its first sentence."""
    segmenter = load("segmenter", SLOW, batch_size=100)
    tasks = BATCHES.tasks(segmenter, split_table("eras", "simplified_lite", "test"))
    return {task.parts[0].items()[0]: task.name for task in tasks}


def test_a_killed_process_costs_what_it_had_not_stored(
    s3: str,  # noqa: F811
    log: Path,
    tmp_path: Path,
) -> None:
    place, keys = Address(f"{s3}/shared"), keys_by_sentence()
    assert len(keys) == 39
    folder = place / "eras" / "segmentation" / "answers"
    processes = [started(place, tmp_path / name) for name in "ab"]
    killed, end = processes[0].pid, time.monotonic() + LONGEST
    while not (folder.glob("*.parquet") and killed in {process for _, process in begun(log)}):
        assert time.monotonic() < end
        assert processes[1].poll() is None, "done before the other began"
        time.sleep(0.1)
    os.kill(killed, signal.SIGKILL)
    processes[0].wait()
    stored = Store(folder, BATCHES.schema).keys()
    in_flight = {s for s, process in begun(log) if process == killed and keys[s] not in stored}
    assert len(stored) < len(keys)  # in the middle
    _, told = processes[1].communicate(timeout=LONGEST)
    assert processes[1].returncode == 0, told
    found = Store(folder, BATCHES.schema)
    assert found.keys() == set(keys.values())
    times = Counter(sentence for sentence, _ in begun(log))
    assert set(times) == set(keys)
    assert {sentence for sentence, n in times.items() if n > 1} <= in_flight
    assert max(times.values()) <= 2
    assert sum(table.num_rows for table in found.iterate()) == len(keys)
    assert not (folder / "claims").glob("*")
    assert (tmp_path / "b" / "segmentation.md").stat().st_size > 1000
