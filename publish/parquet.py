"""Writes a split as Parquet the way the Hub's viewer likes it, and hashes its content whatever the writer's version.

zstd, page index, row groups of at most 20,000 rows, a dictionary only for columns whose values repeat, and the `huggingface`
metadata from which `datasets` reads the features.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS_PER_GROUP = 20_000
LARGEST_DICTIONARY_SHARE = 0.1


def write_split(table: pa.Table, features: datasets.Features, path: Path, canary: str) -> None:
    """Writes one split as one Parquet file.

    Args:
        table: The rows; columns in any order, castable to the features.
        features: Columns and types; stored in the file's metadata.
        path: The file; its folder is made.
        canary: Marks the file against training-set contamination, in the metadata.
    """
    schema = features.arrow_schema
    table = table.select(schema.names).cast(schema)
    metadata = {**schema.metadata, b"canary": canary.encode()}
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table.replace_schema_metadata(metadata),
        path,
        compression="zstd",
        row_group_size=ROWS_PER_GROUP,
        use_dictionary=[name for name in schema.names if _repeats(table[name])],
        write_page_index=True,
    )


def content_hash(table: pa.Table, features: datasets.Features) -> str:
    """Gives the SHA-256 of a table's values: names, types and values count, chunks, buffers and library versions do not."""
    digest = hashlib.sha256()
    table = table.select(list(features)).cast(features.arrow_schema)
    for name in table.column_names:
        column = table[name].combine_chunks()
        digest.update(f"{name}:{column.type}:{len(column)};".encode())
        _update(digest, column.chunk(0) if isinstance(column, pa.ChunkedArray) else column)
    return digest.hexdigest()


def features_of(path: Path) -> datasets.Features:
    """Gives the features that a Parquet file declares in its metadata."""
    return datasets.Features.from_arrow_schema(pq.read_schema(path))


def canary_of(path: Path) -> str:
    """Gives the canary in a Parquet file's metadata, or an empty string."""
    return str((pq.read_schema(path).metadata or {}).get(b"canary", b"").decode())


def combined_hash(hashes: dict[str, str]) -> str:
    """Gives one hash of a suite from those of its splits, named `config/split`."""
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()


def _repeats(column: pa.ChunkedArray) -> bool:
    while pa.types.is_list(column.type) or pa.types.is_struct(column.type):
        column = pc.list_flatten(column) if pa.types.is_list(column.type) else pa.chunked_array([column.combine_chunks().field(0)])
    return len(column) > 0 and pc.count_distinct(column.slice(0, 50_000)).as_py() <= LARGEST_DICTIONARY_SHARE * min(len(column), 50_000)


def _update(digest: Any, array: pa.Array) -> None:
    """Feeds an array's nulls, lengths and values to the digest, level by level."""
    digest.update(np.packbits(array.is_null().to_numpy(zero_copy_only=False)).tobytes() if array.null_count else b"-")
    if pa.types.is_list(array.type):
        digest.update(pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False).astype("<i8").tobytes())
        _update(digest, array.flatten())
    elif pa.types.is_struct(array.type):
        for i in range(array.type.num_fields):
            _update(digest, array.field(i))
    elif pa.types.is_string(array.type):
        filled = pc.fill_null(array, "")
        digest.update(pc.binary_length(filled).to_numpy(zero_copy_only=False).astype("<i8").tobytes())
        digest.update("".join(filled.to_pylist()).encode())
    else:
        values = pc.fill_null(array, False if pa.types.is_boolean(array.type) else 0)
        digest.update(np.ascontiguousarray(values.to_numpy(zero_copy_only=False)).tobytes())
