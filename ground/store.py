"""A resumable store of finished work: rows under string keys in append-only Parquet shards.

A study asks which keys are done, computes the others in batches and appends each batch as one
shard. A shard appears whole or not at all (written beside, then renamed), so a run that is killed
loses at most the batch it was computing. Several processes may append to one store.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ground.files import whole

KEY = "key"


def make_key(**parts: object) -> str:
    """Gives a key for everything that a piece of work depends on: the SHA-256 of its parts as sorted JSON, shortened to 32 hex digits."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Store:
    """Rows of one schema, each under a unique key, in a folder of Parquet shards.

    Args:
        folder: Where the shards lie; made when the first shard is written.
        schema: Columns of a row besides `key`.

    Raises:
        ValueError: The folder holds shards of another schema.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.folder = folder
        self.schema = pa.schema([pa.field(KEY, pa.string()), *schema])
        for shard in self._shards()[:1]:
            found = pq.read_schema(shard).remove_metadata()
            if not found.equals(self.schema):
                raise ValueError(
                    f"{shard}: schema, got {found.names}; expected {self.schema.names}; remove the folder to start again"
                )

    def keys(self) -> set[str]:
        """Gives the keys that are done."""
        keys: set[str] = set()
        for shard in self._shards():
            keys.update(pq.read_table(shard, columns=[KEY])[KEY].to_pylist())
        return keys

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Gives the keys that are not done yet, in the order given, each once."""
        done = self.keys()
        return [key for key in dict.fromkeys(keys) if key not in done]

    def append(self, keys: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Adds finished rows as one shard.

        Args:
            keys: One key per row.
            columns: One value per row for every column of the schema.
        """
        if not keys:
            return
        table = pa.table({KEY: list(keys), **columns}, schema=self.schema)
        name = f"{len(self._shards()):06d}-{uuid.uuid4().hex[:12]}"
        with whole(self.folder / f"{name}.parquet") as part:
            pq.write_table(table, part, compression="zstd")

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Gives all rows sorted by key, the first of each key where two processes did the same work."""
        tables = [
            pq.read_table(shard, columns=[KEY, *columns] if columns is not None else None)
            for shard in self._shards()
        ]
        if not tables:
            fields = [
                self.schema.field(name)
                for name in [KEY, *(columns if columns is not None else self.schema.names[1:])]
            ]
            return pa.schema(fields).empty_table()
        table = pa.concat_tables(tables)
        order = pc.sort_indices(table, sort_keys=[(KEY, "ascending")])
        table = table.take(order)
        keys = table[KEY].combine_chunks()
        is_first = (
            [True, *pc.not_equal(keys.slice(1), keys.slice(0, len(keys) - 1)).to_pylist()]
            if len(keys)
            else []
        )
        return table.filter(pa.array(is_first, pa.bool_()))

    def rows(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Gives the stored rows of these keys as dicts by key; keys that are not done are left out."""
        wanted, found = set(keys), {}
        for shard in self._shards():
            if wanted.intersection(pq.read_table(shard, columns=[KEY])[KEY].to_pylist()):
                found.update(
                    {
                        row.pop(KEY): row
                        for row in pq.read_table(shard, filters=[(KEY, "in", wanted)]).to_pylist()
                    }
                )
        return found

    def iterate(self) -> Iterator[pa.Table]:
        """Gives one shard after the other, so that memory stays flat however much is stored; keys may repeat between shards."""
        for shard in self._shards():
            yield pq.read_table(shard)

    def _shards(self) -> list[Path]:
        return sorted(self.folder.glob("*.parquet"))
