"""Writes a split as Parquet the way the Hub's viewer likes it, and reads it again piece by piece.

zstd, page index, row groups and files of at most 20,000 rows, files of at most 250 MB, a dictionary
only for columns whose values repeat, and the metadata from which `datasets` reads the features.
Rows are written as they come: memory does not grow with a split.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dataset_scripts.order import gathered

ROWS_PER_GROUP = 20_000
ROWS_PER_SHARD = 20_000
LARGEST_SHARD = 250_000_000
SLACK = 0.1  # share of a file kept free for its footer, and for a group larger than others
SAMPLE = 50_000  # rows by which columns are judged to repeat
LARGEST_DICTIONARY_SHARE = 0.1
FEWEST_ROWS = 5_000  # that are checked at a time where there are so many: as Python's objects


def write_split(
    batches: Iterable[pa.Table],
    features: datasets.Features,
    folder: Path,
    split: str,
    canary: str,
) -> list[Path]:
    """Writes one split as `<split>-00000-of-0000N.parquet` and so on; gives the paths.

    No file exceeds the two bounds, but one that a single row group fills. The files depend on the
    rows and on the edges of the batches. Columns come in any order,
    castable to the features; the canary goes into the metadata.
    """
    plain = features.arrow_schema
    schema = plain.with_metadata({**plain.metadata, b"canary": canary.encode()})
    tables: Iterator[pa.Table] = (
        table.select(schema.names).cast(plain).replace_schema_metadata(schema.metadata)
        for table in batches
    )
    folder.mkdir(parents=True, exist_ok=True)
    head = [schema.empty_table()]  # the first rows, by which columns are judged
    for table in tables:
        head.append(table)
        if sum(one.num_rows for one in head) >= SAMPLE:
            break
    judged = pa.concat_tables(head)
    repeating = [name for name in schema.names if _repeats(judged[name])]
    del judged
    groups = _row_groups(chain(head, tables), schema)
    return _write_groups(groups, folder, split, schema, repeating)


def _write_groups(
    groups: Iterable[pa.Table],
    folder: Path,
    split: str,
    schema: pa.Schema,
    repeating: list[str],
) -> list[Path]:
    """Writes row groups into files, whose names say at the end how many they are."""
    options = {"use_dictionary": repeating, "compression": "zstd", "write_page_index": True}
    paths: list[Path] = []
    size = growth = n_rows = 0
    with ExitStack() as file:  # a new one where the next group might not fit into the last
        for group in groups:
            is_full = size + 2 * growth > (1 - SLACK) * LARGEST_SHARD
            if not paths or is_full or n_rows + group.num_rows > ROWS_PER_SHARD:
                file.close()
                paths.append(folder / f"{split}-{len(paths):05d}.parquet")
                writer = file.enter_context(pq.ParquetWriter(paths[-1], schema, **options))
                size = n_rows = 0
            writer.write_table(group, row_group_size=max(1, group.num_rows))
            n_rows += group.num_rows
            before, size = size, paths[-1].stat().st_size  # without what the writer still holds
            growth = max(growth, size - before)
    ends = [f"{number:05d}-of-{len(paths):05d}.parquet" for number in range(len(paths))]
    return [path.rename(folder / f"{split}-{end}") for path, end in zip(paths, ends, strict=True)]


def split_paths(folder: Path, split: str) -> list[Path]:
    """Files of a split of a config's folder, in order; a ValueError unless all are there."""
    paths = sorted(folder.glob(f"{split}-*.parquet"))
    expected = [f"{split}-{i:05d}-of-{len(paths):05d}.parquet" for i in range(len(paths))]
    if not paths or [path.name for path in paths] != expected:
        found = ", ".join(path.name for path in paths) or "none"
        raise ValueError(f"{folder}: files of {split}, got {found}; expected all that they count")
    return paths


def count_rows(paths: Iterable[Path]) -> int:
    """Number of rows of Parquet files."""
    return sum(int(pq.read_metadata(path).num_rows) for path in paths)


def read_groups(paths: Iterable[Path], columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Rows of a split's files, a table for each row group."""
    for path in paths:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                yield file.read_row_group(number, columns=columns)


def take_rows(
    paths: Sequence[Path], places: Sequence[int], columns: Sequence[str] | None = None
) -> pa.Table:
    """Rows at ascending 0-based places of a split; row groups that have none are not read."""
    found, start = [], 0
    for path in paths:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                end = start + file.metadata.row_group(number).num_rows
                here = [place - start for place in places if start <= place < end]
                if here:
                    found.append(file.read_row_group(number, columns=columns).take(here))
                start = end
    empty = pq.read_schema(paths[0]).empty_table()
    return pa.concat_tables(found or [empty if columns is None else empty.select(columns)])


def features_of(path: Path) -> datasets.Features:
    """Features that a Parquet file declares in its metadata."""
    return datasets.Features.from_arrow_schema(pq.read_schema(path))


def canary_of(path: Path) -> str:
    """Canary in a Parquet file's metadata, or an empty string."""
    return str((pq.read_schema(path).metadata or {}).get(b"canary", b"").decode())


def _row_groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows in tables of one size, a last one that may be smaller, or an empty one."""
    rest, is_first = schema.empty_table(), True
    for table in tables:
        rest = pa.concat_tables([rest, table])
        while rest.num_rows >= ROWS_PER_GROUP:
            yield rest.slice(0, ROWS_PER_GROUP)
            rest, is_first = rest.slice(ROWS_PER_GROUP), False
    if rest.num_rows or is_first:
        yield rest


def _repeats(column: pa.ChunkedArray) -> bool:
    while pa.types.is_list(column.type) or pa.types.is_struct(column.type):
        if pa.types.is_list(column.type):
            column = pc.list_flatten(column)
        else:
            column = pa.chunked_array([column.combine_chunks().field(0)])
    head = column.slice(0, SAMPLE)
    most = LARGEST_DICTIONARY_SHARE * len(head)
    return len(head) > 0 and bool(pc.count_distinct(head).as_py() <= most)


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
            if end := _start_of_last_unit(rows[column]):
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
