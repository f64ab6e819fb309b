"""Hashes of what a suite says: the values of its tables, whatever file or chunk they come in.

A column is hashed level by level (which are null, how long, what), so a level is read from its
beginning for each of the three. Files are read one row group at a time: a hash needs the same
memory at any number of rows.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from builders.columns import RATING_FIELDS

RATED = {field.name for field in RATING_FIELDS}
LIST_ITEMS = "list.element"  # how Parquet calls what is in a list
Step = Callable[[pa.Array], pa.Array]


class ColumnLevel(NamedTuple):
    """A column, or what is inside its lists and structs, which can be read again and again."""

    type: pa.DataType
    path: str  # what Parquet calls it; a reader may leave out all else
    read: Callable[[str], Iterable[pa.Array]]  # chunks of the column, with what is under a path
    steps: tuple[Step, ...] = ()  # the way from a chunk of the column to this level

    def chunks(self) -> Iterator[pa.Array]:
        """The values, from the first; of what is nested no more than tells its lengths."""
        for chunk in self.read(_first_leaf(self.path, self.type)):
            for step in self.steps:
                chunk = step(chunk)
            yield chunk if pa.types.is_nested(self.type) else chunk.cast(self.type)

    def has_nulls(self) -> bool:
        """Whether a value is null."""
        return any(chunk.null_count for chunk in self.chunks())

    def below(self, name: str, type: pa.DataType, step: Step) -> "ColumnLevel":
        """The level inside."""
        path = f"{self.path}.{name}"
        return ColumnLevel(type, path, self.read, (*self.steps, step))


def content_hash(table: pa.Table, features: datasets.Features) -> str:
    """SHA-256 of a table's names, types and values, whatever the chunks and library versions.

    People's ratings do not count: they are about the suite, not of it.
    """
    table = table.select(list(features)).cast(features.arrow_schema)
    return _hash(table.schema, table.num_rows, lambda path: table[path.split(".")[0]].chunks)


def content_hash_of_files(paths: Sequence[Path], features: datasets.Features) -> str:
    """The same of a split's Parquet files in order, which are never in memory as a whole."""

    def read(path: str) -> Iterator[pa.Array]:
        for file in paths:
            with pq.ParquetFile(file) as opened:
                for group in range(opened.num_row_groups):
                    yield from opened.read_row_group(group, columns=[path])[0].chunks

    n_rows = sum(pq.read_metadata(path).num_rows for path in paths)
    return _hash(features.arrow_schema, n_rows, read)


def _first_leaf(path: str, type: pa.DataType) -> str:
    """The first column of Parquet that is under a path."""
    while pa.types.is_nested(type):
        if pa.types.is_list(type):
            path, type = f"{path}.{LIST_ITEMS}", type.value_type
        else:
            path, type = f"{path}.{type.field(0).name}", type.field(0).type
    return path


def combined_hash(hashes: dict[str, str]) -> str:
    """One hash of a suite from those of its splits, named `config/split`."""
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()


def _hash(schema: pa.Schema, n_rows: int, read: Callable[[str], Iterable[pa.Array]]) -> str:
    digest = hashlib.sha256()
    for field in schema:
        digest.update(f"{field.name}:{field.type}:{n_rows};".encode())
        # nobody's ratings: what the suite itself says, whoever rated it since
        steps = (_nulls,) if field.name in RATED else ()
        _update(digest, ColumnLevel(field.type, field.name, read, steps))
    return digest.hexdigest()


def _update(digest: Any, level: ColumnLevel) -> None:
    """Feeds nulls, lengths and values to the digest, level by level."""
    for part in _null_bits(level.chunks()) if level.has_nulls() else (b"-",):
        digest.update(part)
    if pa.types.is_list(level.type):
        for chunk in level.chunks():
            digest.update(_int64(pc.fill_null(pc.list_value_length(chunk), 0)))
        _update(digest, level.below(LIST_ITEMS, level.type.value_type, methodcaller("flatten")))
    elif pa.types.is_struct(level.type):
        for field in level.type:
            step = partial(pc.struct_field, indices=field.name)  # null where the struct is
            _update(digest, level.below(field.name, field.type, step))
    elif pa.types.is_string(level.type):
        for chunk in level.chunks():
            digest.update(_int64(pc.binary_length(pc.fill_null(chunk, ""))))
        for chunk in level.chunks():
            digest.update(_text(pc.fill_null(chunk, "")))
    else:
        empty = False if pa.types.is_boolean(level.type) else 0
        for chunk in level.chunks():
            values = pc.fill_null(chunk, empty).to_numpy(zero_copy_only=False)
            digest.update(np.ascontiguousarray(values).tobytes())


def _null_bits(chunks: Iterable[pa.Array]) -> Iterator[bytes]:
    """Which values are null, eight to a byte, as if all were one chunk."""
    rest = np.empty(0, dtype=np.bool_)
    for chunk in chunks:
        rest = np.concatenate([rest, chunk.is_null().to_numpy(zero_copy_only=False)])
        whole = len(rest) // 8 * 8
        yield np.packbits(rest[:whole]).tobytes()
        rest = rest[whole:]
    yield np.packbits(rest).tobytes()


def _int64(array: pa.Array) -> bytes:
    return bytes(array.to_numpy(zero_copy_only=False).astype("<i8").tobytes())


def _nulls(chunk: pa.Array) -> pa.Array:
    return pa.nulls(len(chunk), chunk.type)


def _text(array: pa.StringArray) -> Any:
    """Strings one after the other in UTF-8, as they lie in Arrow's buffer; none of them is null."""
    if not len(array):
        return b""
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, dtype=np.int32)[[array.offset, array.offset + len(array)]]
    return memoryview(data or b"")[edges[0] : edges[1]]
