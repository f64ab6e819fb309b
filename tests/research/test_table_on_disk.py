"""Rows in a temporary file: the same rows as in a table, and few of them in memory."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from research.engine import table_on_disk
from research.engine.table_on_disk import TableOnDisk
from research.studies.answer_batches import Batch

pytestmark = pytest.mark.clock

N = 25
WHOLE = pa.table({"test": [f"t{i}" for i in range(N)], "control": [f"c{i}" for i in range(N)]})


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> TableOnDisk:
    """The table in pieces of four rows, written from tables of other edges, one of them empty."""
    monkeypatch.setattr(table_on_disk, "ROWS_AT_ONCE", 4)
    edges = [(0, 1), (1, 0), (1, 10), (11, 2), (13, 12)]
    return TableOnDisk(WHOLE.slice(start, n) for start, n in edges)


def test_slices_are_those_of_the_table(on_disk):
    assert on_disk.num_rows == N
    for start in range(N + 2):
        for n in (0, 1, 4, 7, N, N + 3):
            found = on_disk.slice(start, n)
            assert found.to_pylist() == WHOLE.slice(start, n).to_pylist(), (start, n)
            assert found.schema == WHOLE.schema


def test_columns_come_one_after_the_other(on_disk):
    both = on_disk.column("test", "control")
    expected = WHOLE["test"].to_pylist() + WHOLE["control"].to_pylist()
    assert len(both) == len(expected) == 2 * N
    for start in range(2 * N):
        assert both[start : start + 7].to_pylist() == expected[start : start + 7]
    assert both[3].as_py() == "t3"
    assert both[-1].as_py() == "c24"
    with pytest.raises(IndexError):
        both[2 * N]
    with pytest.raises(ValueError, match="step, got 2"):
        both[::2]


def test_threads_read_it_together(on_disk):
    places = [i % N for i in range(400)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: on_disk.slice(i, 1)["test"][0].as_py(), places))
    assert found == [f"t{i}" for i in places]


def test_no_rows_are_a_table_too():
    empty = TableOnDisk([WHOLE.slice(0, 0)])
    assert empty.num_rows == len(empty.column("test")) == 0
    assert empty.slice(0, 5).schema == WHOLE.schema


def test_rows_do_not_stay_in_memory():
    rows = pa.table({"text": [f"{i:0100d}" for i in range(10_000)]})
    before = pa.total_allocated_bytes()
    on_disk = TableOnDisk(rows for _ in range(20))
    texts = on_disk.column("text")
    for start in range(0, len(texts), 4096):
        assert texts[start : start + 1][0].as_py() == f"{start % 10_000:0100d}"
    assert pa.total_allocated_bytes() - before < 2 * rows.nbytes  # of twenty times as much


def test_a_batch_of_them_takes_along_its_own_rows():
    batch = Batch(TableOnDisk([WHOLE]).column("test", "control"), 23, 4)
    moved = pickle.loads(pickle.dumps(batch))
    assert moved.items() == batch.items() == ["t23", "t24", "c0", "c1"]
    assert isinstance(moved.inputs, pa.ChunkedArray)
