"""Writes a split as Parquet the way the Hub's viewer likes it.

zstd, page index, row groups of at most 20,000 rows, a dictionary only for columns whose values
repeat, and the `huggingface` metadata from which `datasets` reads the features.
"""

from pathlib import Path

import datasets
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


def features_of(path: Path) -> datasets.Features:
    """Features that a Parquet file declares in its metadata."""
    return datasets.Features.from_arrow_schema(pq.read_schema(path))


def canary_of(path: Path) -> str:
    """Canary in a Parquet file's metadata, or an empty string."""
    return str((pq.read_schema(path).metadata or {}).get(b"canary", b"").decode())


def _repeats(column: pa.ChunkedArray) -> bool:
    while pa.types.is_list(column.type) or pa.types.is_struct(column.type):
        column = (
            pc.list_flatten(column)
            if pa.types.is_list(column.type)
            else pa.chunked_array([column.combine_chunks().field(0)])
        )
    return len(column) > 0 and pc.count_distinct(
        column.slice(0, 50_000)
    ).as_py() <= LARGEST_DICTIONARY_SHARE * min(len(column), 50_000)
