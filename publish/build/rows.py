"""Rows of a split of any size as its checks want them: in whole units, and each id once."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dataset_scripts.order import gathered
from publish.build.parquet import count_rows, read_groups

FEWEST_ROWS = 5_000  # that are checked at a time where there are so many: as Python's objects


def read_units(
    paths: Sequence[Path], column: str, fewest: int = FEWEST_ROWS, *, is_mixed: bool = False
) -> Iterator[pa.Table]:
    """Rows of a split's files in tables of at least `fewest` rows that part no unit.

    The column is equal in all rows of a unit, "" where all are one. `is_mixed`: rows of a unit may
    be apart in the files, and are brought together.
    """
    waiting: list[pa.Table] = []
    groups = read_groups(paths)
    pieces = (
        group.slice(start, fewest)
        for group in (gathered(groups, column) if is_mixed and column else groups)
        for start in range(0, group.num_rows, fewest)
    )
    for piece in pieces:
        waiting.append(piece)
        if column and sum(table.num_rows for table in waiting) >= fewest:
            rows = pa.concat_tables(waiting)
            end = _start_of_last_unit(rows[column])
            if end:
                yield rows.slice(0, end)
            waiting = [rows.slice(end)]
    if waiting:
        yield pa.concat_tables(waiting)


def repeated_problems(paths: Sequence[Path], columns: Iterable[str]) -> list[str]:
    """One line for each column in which a value comes twice, though none should."""
    found, n = [], count_rows(paths)
    for column in columns:
        for value in islice(repeated(partial(_values, paths, column)), 1):
            found.append(f"{column}, got {value!r} twice; expected one for each of {n} rows")
    return found


def repeated(read: Callable[[], Iterable[Sequence[Hashable]]]) -> Iterator[Hashable]:
    """Values that come more than once, at their second place and each later one.

    Hashes are compared first, eight bytes a value; `read` is called twice if some are equal.

    Example:
        >>> list(repeated(lambda: [["a", "b"], ["c", "a"]]))
        ['a']
    """
    parts = [np.fromiter(map(hash, part), np.int64, len(part)) for part in read()]
    hashes = np.concatenate([np.empty(0, np.int64), *parts])
    hashes.sort()
    suspects = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
    seen: set[Hashable] = set()
    for value in (value for part in read() for value in part) if suspects else ():
        if hash(value) in suspects:
            if value in seen:
                yield value
            seen.add(value)


def _values(paths: Sequence[Path], column: str) -> Iterator[list[Hashable]]:
    return (table[column].to_pylist() for table in read_groups(paths, [column]))


def _start_of_last_unit(column: pa.ChunkedArray) -> int:
    """Place of the first row of the unit that the last row is of."""
    values = column.combine_chunks()
    differs = pc.fill_null(pc.not_equal(values, values[len(values) - 1]), True)
    places = np.flatnonzero(differs.to_numpy(zero_copy_only=False))
    return int(places[-1]) + 1 if len(places) else 0
