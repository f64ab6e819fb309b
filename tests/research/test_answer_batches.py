"""Batches of a table in a temporary file."""

import pickle

import pyarrow as pa

from research.engine.table_on_disk import TableOnDisk
from research.studies.answer_batches import Batch


def test_a_batch_of_them_takes_along_its_own_rows():
    whole = pa.table({c: [f"{c[0]}{i}" for i in range(25)] for c in ("test", "control")})
    on_disk = TableOnDisk([whole])
    batch = Batch(on_disk.column("test", "control"), 23, 4)
    moved = pickle.loads(pickle.dumps(batch))
    assert moved.items() == batch.items() == ["t23", "t24", "c0", "c1"]
    assert isinstance(moved.inputs, pa.ChunkedArray)
