"""Hashes of what a suite says: the values of its tables, whatever file or chunk they come in."""

import hashlib
import json
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dataset_scripts.ratings import without_ratings


def content_hash(table: pa.Table, features: datasets.Features) -> str:
    """SHA-256 of a table's names, types and values, whatever the chunks and library versions.

    People's ratings do not count: they are about the suite, not of it.
    """
    digest = hashlib.sha256()
    table = without_ratings(table.select(list(features)).cast(features.arrow_schema))
    for name in table.column_names:
        column = table[name].combine_chunks()
        digest.update(f"{name}:{column.type}:{len(column)};".encode())
        _update(digest, column.chunk(0) if isinstance(column, pa.ChunkedArray) else column)
    return digest.hexdigest()


def combined_hash(hashes: dict[str, str]) -> str:
    """One hash of a suite from those of its splits, named `config/split`."""
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()


def _update(digest: Any, array: pa.Array) -> None:
    """Feeds an array's nulls, lengths and values to the digest, level by level."""
    digest.update(
        np.packbits(array.is_null().to_numpy(zero_copy_only=False)).tobytes()
        if array.null_count
        else b"-"
    )
    if pa.types.is_list(array.type):
        digest.update(
            pc.fill_null(pc.list_value_length(array), 0)
            .to_numpy(zero_copy_only=False)
            .astype("<i8")
            .tobytes()
        )
        _update(digest, array.flatten())
    elif pa.types.is_struct(array.type):
        for i in range(array.type.num_fields):
            _update(digest, array.field(i))
    elif pa.types.is_string(array.type):
        filled = pc.fill_null(array, "")
        digest.update(
            pc.binary_length(filled).to_numpy(zero_copy_only=False).astype("<i8").tobytes()
        )
        digest.update(_text(filled))
    else:
        values = pc.fill_null(array, False if pa.types.is_boolean(array.type) else 0)
        digest.update(np.ascontiguousarray(values.to_numpy(zero_copy_only=False)).tobytes())


def _text(array: pa.StringArray) -> Any:
    """Strings one after the other in UTF-8, as they lie in Arrow's buffer; none of them is null."""
    if not len(array):
        return b""
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, dtype=np.int32)[[array.offset, array.offset + len(array)]]
    return memoryview(data or b"")[edges[0] : edges[1]]
