"""One study, one report: in one process, in four, on one node of Ray, on two of which one dies."""

import importlib.util
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from research.engine.ray_engine import RAY_STARTS
from research.studies.__main__ import main

pytestmark = [
    pytest.mark.clock,
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed"),
]
NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20}
SLOW = "python:tests.support.engine_tasks:cut_slowly"
# 3,900 sentences in 39 batches of each segmenter
STUDY = ["eras", "segmentation", "--config", "simplified_lite", "--batch-size", "100"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the slow segmenter says which batches it begins, in whatever process."""
    path = tmp_path_factory.mktemp("log") / "batches.tsv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOG_OF_BATCHES", str(path))
        yield path


@pytest.fixture(scope="module")
def expected(log: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process writes."""
    found = written(tmp_path_factory.mktemp("one"), SLOW, "jieba")
    assert "segmentation.md" in found
    assert len(begun(log)) == 39
    return found


def written(folder: Path, systems: str, *arguments: str) -> dict[str, bytes]:
    """The files that the study writes, by name."""
    out = folder / "out"
    place = ["--store", str(folder / "store"), "--out", str(out)]
    assert main([*STUDY, "--systems", systems, *arguments, *place]) == 0
    return {path.name: path.read_bytes() for path in out.iterdir()}


def begun(log: Path) -> list[str]:
    """First sentences of the batches that were begun since the last time that this was asked."""
    lines = log.read_text(encoding="utf-8").splitlines()
    log.write_text("", encoding="utf-8")
    return [line.partition("\t")[0] for line in lines]


def test_four_processes_write_the_same(log, expected, tmp_path):
    assert written(tmp_path, SLOW, "jieba", "--processes", "4") == expected
    batches = begun(log)
    assert len(batches) == len(set(batches)) == 39


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Ray on the loopback, a node of one core; again where a busy machine was too slow for it."""
    from ray.cluster_utils import Cluster

    for left in reversed(range(RAY_STARTS)):
        try:
            made = Cluster(initialize_head=True, head_node_args=NODE | {"include_dashboard": False})
            break
        except Exception as error:
            if left == 0 or "timed out during startup" not in str(error):
                raise
    yield made
    made.shutdown()


def test_two_nodes_of_ray_of_which_one_dies_write_the_same(log, cluster, expected, tmp_path):
    node = cluster.add_node(**NODE)
    killed: list[int] = []

    def kill() -> None:
        while len(set(processes(log))) < 2 or len(processes(log)) < 12:
            time.sleep(0.05)  # until both work, and are in the middle
        cluster.remove_node(node, allow_graceful=False)
        killed.append(len(processes(log)))

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    place = ["--engine", "ray", "--address", cluster.address]
    assert written(tmp_path, SLOW, "jieba", *place) == expected
    thread.join()
    assert killed[0] < 39
    batches = begun(log)
    assert len(set(batches)) == 39
    assert len(batches) <= 39 + 1  # twice at most what the dead node was at


def processes(log: Path) -> list[str]:
    """Which process began each batch."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [line.partition("\t")[2] for line in lines]
