"""The order of rows in a config's files: a fixed permutation, so that the first N are a sample.

Rows are drawn paradigm by paradigm, level by level. Who takes the first N of them, streams them or
splits them by place would meet one class and one construction. So groups of rows that belong
together (a row alone, where none is named) are numbered as they are drawn and sorted by

    sha256("<suite>|<VERSION>|<split>|<number>")

Ids, values and the order inside a group stay. Two configs with the same groups in the same order,
such as two scripts of one draw, are mixed alike, row by row.
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Order = Literal["mixed", "drawn"]
Keys = npt.NDArray[np.uint64]
KEY = "__key__"
HELD = 100_000  # rows that are sorted in memory; of more, files hold one 64th each
BUCKET_BITS = 6


def mixed(batches: Iterable[pa.Table], seed: str, together: str = "") -> Iterator[pa.Table]:
    """Rows in the order that the seed decides; a large split goes through temporary files.

    Neighbours of one value of the column `together` stay together.

    Example:
        >>> rows = pa.table({"pair": [1, 1, 2, 2, 3], "n": [1, 2, 3, 4, 5]})
        >>> [table["n"].to_pylist() for table in mixed([rows], "example|1.0.0|test", "pair")]
        [[5, 1, 2, 3, 4]]
    """

    def keyed() -> Iterator[pa.Table]:
        number, last = -1, object()
        for table in batches:
            numbers = []
            for value in table[together].to_pylist() if together else range(table.num_rows):
                number += 1 if not together or value != last else 0
                last = value
                numbers.append(number)
            yield table.append_column(KEY, pa.array(_keys(seed, numbers)))

    return _by_key(keyed())


def gathered(batches: Iterable[pa.Table], column: str) -> Iterator[pa.Table]:
    """Rows with those of one value next to each other, values in an order of their hashes."""
    return _by_key(
        table.append_column(KEY, pa.array(_keys("", table[column].to_pylist())))
        for table in batches
    )


def _by_key(keyed: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Rows sorted by their last column, which is left out."""
    held: list[pa.Table] = []
    for table in keyed:
        held.append(table)
        if sum(part.num_rows for part in held) > HELD:
            yield from _through_files(chain(held, keyed), held[0].schema)
            return
    if held:
        yield _sorted(pa.concat_tables(held)).drop_columns(KEY)


def _keys(seed: str, numbers: Iterable[object]) -> Keys:
    texts = (f"{seed}|{number}".encode() for number in numbers)
    return np.array(
        [int.from_bytes(hashlib.sha256(text).digest()[:8], "big") for text in texts], np.uint64
    )


def _sorted(table: pa.Table) -> pa.Table:
    return table.take(np.argsort(table[KEY].to_numpy(), kind="stable"))


def _through_files(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows sorted by key: each file holds those whose keys begin alike, and is sorted alone."""
    edges = np.arange(1, 2**BUCKET_BITS, dtype=np.uint64) << np.uint64(64 - BUCKET_BITS)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, str(number)) for number in range(2**BUCKET_BITS)]
        with ExitStack() as stack:
            writers = [stack.enter_context(pa.ipc.new_file(path, schema)) for path in paths]
            for table in map(_sorted, tables):
                places = np.searchsorted(table[KEY].to_numpy(), edges).tolist()
                starts = zip([0, *places], [*places, table.num_rows], writers, strict=True)
                for start, end, writer in starts:
                    writer.write_table(table.slice(start, end - start))
        for path in paths:
            with pa.ipc.open_file(path) as file:
                yield _sorted(file.read_all()).drop_columns(KEY)
