"""Studies of a language model and of trained segmenters on two nodes of Ray, of which one dies."""

import importlib.util
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dataset_scripts.registry import split_table
from research.engine.journal import ENDING
from research.studies.__main__ import main
from research.studies.centerbench import answers
from research.systems import weights
from tests.support.ray_nodes import two_nodes

pytestmark = [
    pytest.mark.clock,
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed"),
]
CENTERBENCH = ["centerbench", "answers", "--systems", "gguf:smollm2", "--max-new-tokens", "4"]
MORPHSEG = ["morphseg", "generalizability", "--languages", "synthetic", "--sizes", "1000"]
AT_ONCE, N_TASKS = 6, 8  # questions of a task, so that few make several


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A Ray cluster on the loopback of two nodes of one core each, and the second of them."""
    with two_nodes() as nodes:
        yield nodes


def finished(store: Path) -> int:
    """Rows that a store holds, in shards or in a journal."""
    journals = [path for path in store.rglob(f"*{ENDING}") if path.is_file()]
    rows = sum(len(path.read_bytes().splitlines()) for path in journals)
    return rows + sum(pq.read_metadata(path).num_rows for path in store.rglob("*.parquet"))


def written(folder: Path, arguments: list[str]) -> dict[str, bytes]:
    """The files that a study writes, by name."""
    out = folder / "out"
    assert main([*arguments, "--store", str(folder / "store"), "--out", str(out)]) == 0
    return {path.name: path.read_bytes() for path in out.iterdir()}


def keys(store: Path) -> list[str]:
    """The keys of all rows of a store, sorted."""
    shards = store.rglob("*.parquet")
    return sorted(key for path in shards for key in pq.read_table(path)["key"].to_pylist())


def written_while_a_node_dies(folder: Path, arguments: list[str], cluster: Any) -> dict[str, bytes]:
    """The same on two nodes, the second of which is killed when the first rows are there."""
    made, node = cluster
    at_kill: list[int] = []

    def kill() -> None:
        while not finished(folder / "store"):
            time.sleep(0.1)
        made.remove_node(node, allow_graceful=False)
        at_kill.append(finished(folder / "store"))

    threading.Thread(target=kill, daemon=True).start()
    place = ["--engine", "ray", "--address", made.address]
    found = written(folder, [*arguments, *place])
    assert 0 < at_kill[0] < finished(folder / "store")  # in the middle
    return found


def check(arguments: list[str], cluster: Any, folder: Path) -> None:
    """The same report and the same keys, each once."""
    expected = written(folder / "one", arguments)
    assert written_while_a_node_dies(folder / "two", arguments, cluster) == expected
    found = keys(folder / "two" / "store")
    assert found == keys(folder / "one" / "store")
    assert len(found) == len(set(found)) > 0


def test_answers_of_a_language_model(cluster, tmp_path, monkeypatch):
    try:
        weights.paths("smollm2")
    except (ModuleNotFoundError, ValueError) as error:
        pytest.skip(str(error))
    monkeypatch.setattr(answers, "AT_ONCE", AT_ONCE)
    table = split_table("centerbench", "questions_lite", "test")
    monkeypatch.setattr(answers, "split_table", lambda *_: table.slice(0, AT_ONCE * N_TASKS))
    check(CENTERBENCH, cluster, tmp_path)


def test_trained_segmenters(cluster, tmp_path):
    study = [*MORPHSEG, "--data-sets", "4", "--models", "0-crf", "1-crf", "--n-new-tests", "2"]
    check(study, cluster, tmp_path)
