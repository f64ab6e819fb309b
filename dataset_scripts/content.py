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
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from builders.columns import RATING_FIELDS

RATED = {field.name for field in RATING_FIELDS}
LIST_ITEMS = "list.element"  # how Parquet calls what is in a list
Read = Callable[[str], Iterable[pa.Array]]
"""Chunks of a column, of which at least what Parquet has under a path is there."""


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


def combined_hash(hashes: dict[str, str]) -> str:
    """One hash of a suite from those of its splits, named `config/split`."""
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()


def _hash(schema: pa.Schema, n_rows: int, read: Read) -> str:
    digest = hashlib.sha256()
    for field in schema:
        digest.update(f"{field.name}:{field.type}:{n_rows};".encode())
        # nobody's ratings: what the suite itself says, whoever rated it since
        own = _below(read, _unrated) if field.name in RATED else read
        _update(digest, field.type, field.name, own)
    return digest.hexdigest()


def _unrated(chunk: pa.Array) -> pa.Array:
    return pa.nulls(len(chunk), chunk.type)


def _update(digest: Any, type: pa.DataType, path: str, read: Read) -> None:
    """Feeds nulls, lengths and values of a column to the digest, level by level."""

    def chunks() -> Iterator[pa.Array]:
        """The values, from the first; of what is nested no more than tells its lengths."""
        for chunk in read(_first_leaf(path, type)):
            yield chunk if pa.types.is_nested(type) else chunk.cast(type)

    has_nulls = any(chunk.null_count for chunk in chunks())
    for part in _null_bits(chunks()) if has_nulls else (b"-",):
        digest.update(part)
    if pa.types.is_list(type):
        for chunk in chunks():
            digest.update(_int64(pc.fill_null(pc.list_value_length(chunk), 0)))
        items = _below(read, methodcaller("flatten"))
        _update(digest, type.value_type, f"{path}.{LIST_ITEMS}", items)
    elif pa.types.is_struct(type):
        for field in type:
            values = _below(read, partial(pc.struct_field, indices=field.name))  # null as structs
            _update(digest, field.type, f"{path}.{field.name}", values)
    elif pa.types.is_string(type):
        for chunk in chunks():
            digest.update(_int64(pc.binary_length(pc.fill_null(chunk, ""))))
        for chunk in chunks():
            digest.update(_text(pc.fill_null(chunk, "")))
    else:
        empty = False if pa.types.is_boolean(type) else 0
        for chunk in chunks():
            values = pc.fill_null(chunk, empty).to_numpy(zero_copy_only=False)
            digest.update(np.ascontiguousarray(values).tobytes())


def _below(read: Read, step: Callable[[pa.Array], pa.Array]) -> Read:
    """What reads the level inside of a column."""
    return lambda path: map(step, read(path))


def _first_leaf(path: str, type: pa.DataType) -> str:
    """The first column of Parquet that is under a path."""
    while pa.types.is_nested(type):
        if pa.types.is_list(type):
            path, type = f"{path}.{LIST_ITEMS}", type.value_type
        else:
            path, type = f"{path}.{type.field(0).name}", type.field(0).type
    return path


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


def _text(array: pa.StringArray) -> Any:
    """Strings one after the other in UTF-8, as they lie in Arrow's buffer; none of them is null."""
    if not len(array):
        return b""
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, dtype=np.int32)[[array.offset, array.offset + len(array)]]
    return memoryview(data or b"")[edges[0] : edges[1]]
