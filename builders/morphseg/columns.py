"""The columns of a pool's rows: a word, its gold segmentation, the labels of its characters."""

from collections.abc import Sequence

import pyarrow as pa

from builders.morphseg.sources import Word, bmes

POOL_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("word", pa.string()),
        ("morphemes", pa.list_(pa.string())),
        ("alternatives", pa.list_(pa.list_(pa.string()))),
        ("tags", pa.list_(pa.string())),
        ("bmes", pa.string()),
    ]
)


def pool_table(name: str, words: Sequence[Word]) -> pa.Table:
    """Rows of a pool; an id ends in the word's index, to which the sampling plan points."""
    columns = {
        "id": [f"{name}-{i:05d}" for i in range(len(words))],
        "word": [w.word for w in words],
        "morphemes": [w.morphemes for w in words],
        "alternatives": [w.alternatives for w in words],
        "tags": [w.tags for w in words],
        "bmes": [bmes(w.morphemes) for w in words],
    }
    return pa.table(columns, schema=POOL_SCHEMA)
