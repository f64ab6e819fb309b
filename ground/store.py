"""A resumable store of finished work: rows under string keys in append-only Parquet shards.

A study asks which keys are done, computes the others and appends each batch as one shard. A shard
appears whole or not at all (written beside, then renamed), so a run that is killed loses at most
the batch it was computing. Several processes may append to one store; who does what they settle by
claims (`ground.claims`). At an address of `fsspec` (`ground.addresses`) shards are put as whole
objects under names that nobody else has, and readers merge them.
"""

import hashlib
import json
import os
import sys
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ground.addresses import Address, Place, whole_at

KEY = "key"
FORMAT = b"2"  # of shards and keys; a store of another one is set aside, not read
FORMAT_NAME = b"garden_path_store"
N_TRIES = 10  # to read shards that another process unites meanwhile
ROWS_READ = (
    8  # at once, where rows are read one after the other: each may hold thousands of answers
)
LARGE_SHARD = 2**19  # bytes; not written again to unite it with others
COMMIT_COST = 12  # a commit of a repository, in writes to a disk or an object store
Found = TypeVar("Found")


class StoreError(ValueError):
    """A store cannot be read.

    The message names the shard. The machine's fault, never a system's.
    """


def make_key(**parts: object) -> str:
    """Key of a piece of work.

    The SHA-256 of all that it depends on, as sorted JSON, in 32 hex digits.
    """
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Store:
    """Rows of one schema, each under a unique key, in a folder of Parquet shards.

    A folder of an older format, or with other columns, is renamed, with a line on stderr, and an
    empty store begun.

    Args:
        folder: Where the shards lie; made when the first shard is written.
        schema: Columns of a row besides `key`.

    Raises:
        StoreError: Its first shard cannot be read.
        AddressError: An address does not answer, or denies access.
    """

    def __init__(self, folder: Place, schema: pa.Schema) -> None:
        self.folder = folder
        self.schema = pa.schema([pa.field(KEY, pa.string()), *schema])
        self._keys_of: dict[Place, set[str]] = {}
        for shard in self.shards()[:1]:
            found = _intact(shard, pq.read_schema)
            is_format = (found.metadata or {}).get(FORMAT_NAME) == FORMAT
            if not (is_format and found.remove_metadata().equals(self.schema)):
                self._set_aside("another format" if not is_format else "other columns")

    @property
    def write_cost(self) -> int:
        """What a write costs, in those to a disk: rows for a repository are gathered longer."""
        is_repository = isinstance(self.folder, Address) and self.folder.is_repository
        return COMMIT_COST if is_repository else 1

    def shards(self) -> list[Place]:
        """Paths of the shards, the oldest first."""
        return sorted(self.folder.glob("*.parquet"))

    def keys(self) -> set[str]:
        """Keys that are done; a shard that was seen before is not read again."""

        def read(shards: list[Place]) -> set[str]:
            for shard in shards:
                if shard not in self._keys_of:
                    self._keys_of[shard] = set(_read(shard, [KEY])[KEY].to_pylist())
            return set().union(*(self._keys_of[shard] for shard in shards))

        return self._with_shards(read)

    def done(self, keys: Iterable[str]) -> set[str]:
        """Those of some keys that are done; cheap, since only new shards are read."""
        wanted = set(keys)
        for shard in self.shards():
            if shard not in self._keys_of:
                self.keys()
                break
        return {key for key in wanted if any(key in found for found in self._keys_of.values())}

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Keys that are not done yet, in the order given, each once."""
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
        self._write([pa.table({KEY: list(keys), **columns}, schema=self.schema)])

    def append_rows(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Adds finished rows, given under their keys, as one shard."""
        names = self.schema.names[1:]
        self.append(list(rows), {name: [row[name] for row in rows.values()] for name in names})

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows sorted by key, the first of each key where two processes did the same work."""
        chosen = [KEY, *(self.schema.names[1:] if columns is None else columns)]
        tables = self._with_shards(lambda shards: [_read(shard, chosen) for shard in shards])
        empty = pa.schema([self.schema.field(name) for name in chosen]).empty_table()
        table = pa.concat_tables([empty, *tables]).sort_by(KEY)
        keys = table[KEY].combine_chunks()
        n = len(keys)
        repeats = pc.equal(keys.slice(1), keys.slice(0, n - 1)).to_pylist() if n else []
        return table.filter(pa.array([True, *(not same for same in repeats)][:n], pa.bool_()))

    def rows(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Stored rows of these keys as dicts by key; keys that are not done are left out."""
        self.keys()
        wanted = set(keys)

        def read(shards: list[Place]) -> dict[str, dict[str, Any]]:
            found: dict[str, dict[str, Any]] = {}
            for shard in shards:
                if not wanted.isdisjoint(self._keys_of.get(shard, wanted)):
                    table = _read(shard, None)
                    kept = table.filter(pc.is_in(table[KEY], pa.array(sorted(wanted), pa.string())))
                    found.update({row.pop(KEY): row for row in kept.to_pylist()})
            return found

        return self._with_shards(read)

    def each(self, keys: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Stored rows of these keys, one after the other as they lie there, each key once.

        Only some rows are in memory; keys that are not done are left out.
        """
        left = set(keys)
        for tries_left in reversed(range(N_TRIES)):
            try:
                for shard in self.shards() if left else []:
                    for key, row in _rows(shard, left):
                        left.discard(key)
                        yield key, row
                return
            except FileNotFoundError:
                if not tries_left:
                    raise

    def iterate(self) -> Iterator[pa.Table]:
        """One shard after the other, so that memory stays flat; keys may repeat between shards."""
        for shard in self.shards():
            yield _read(shard, None)

    def compact(self, most: int) -> None:
        """Puts small shards into one where there are more than `most`; killed, it loses nothing.

        Another process may read or append meanwhile; only one should compact. In a repository
        shards are left as they are: removing each would be a commit.
        """
        if self.write_cost > 1:
            return
        shards = [shard for shard in self.shards() if _size(shard) < LARGE_SHARD]
        if len(shards) > most:
            self._write(_read(shard, None) for shard in shards)
            for shard in shards:
                shard.unlink(missing_ok=True)

    def _write(self, tables: Iterable[pa.Table]) -> None:
        schema = self.schema.with_metadata({FORMAT_NAME: FORMAT})
        number = max((int(path.name.split("-")[0]) for path in self.shards()), default=-1) + 1
        with (
            whole_at(self.folder / f"{number:06d}-{uuid.uuid4().hex[:12]}.parquet") as part,
            pq.ParquetWriter(part, schema, compression="zstd") as writer,
        ):
            for table in tables:
                writer.write_table(table.replace_schema_metadata(schema.metadata))
            writer.close()
            with part.open("rb") as file:
                os.fsync(file.fileno())

    def _with_shards(self, read: Callable[[list[Place]], Found]) -> Found:
        """What `read` makes of the shards; looked up again where another process compacted them."""
        for _ in range(N_TRIES - 1):
            try:
                return read(self.shards())
            except FileNotFoundError:
                continue
        return read(self.shards())

    def _set_aside(self, why: str) -> None:
        aside = next(
            path
            for i in range(1, 1000)
            if not (path := self.folder.with_name(f"{self.folder.name}.old-{i}")).exists()
        )
        self.folder.rename(aside)  # type: ignore[arg-type]  # of one kind with it
        columns = ", ".join(self.schema.names)
        print(
            f"{self.folder}: store, got {why}; expected format {FORMAT.decode()} with {columns};"
            f" it now lies in {aside.name}, and its work is done again",
            file=sys.stderr,
        )


def _size(shard: Place) -> int:
    return shard.size() if isinstance(shard, Address) else shard.stat().st_size


def _read(shard: Place, columns: Sequence[str] | None) -> pa.Table:
    return _intact(shard, lambda file: pq.read_table(file, columns=columns, partitioning=None))


def _rows(shard: Place, keys: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of a shard that have one of the keys, each with its key."""
    with _readable(shard) as file:
        for batch in pq.ParquetFile(file).iter_batches(ROWS_READ):
            for place, key in enumerate(batch[KEY].to_pylist()):
                if key in keys:
                    (row,) = batch.slice(place, 1).to_pylist()
                    yield row.pop(KEY), row


def _intact(shard: Place, read: Callable[[Any], Any]) -> Any:
    """What `read` makes of a shard; errors as those of `_readable`."""
    with _readable(shard) as file:
        return read(file)


@contextmanager
def _readable(shard: Place) -> Iterator[Any]:
    """A shard as pyarrow opens it.

    Raises:
        StoreError: The shard is broken; the message names it.
        FileNotFoundError: It is not there any more.
    """
    try:
        if not isinstance(shard, Address):
            yield shard
        else:
            with shard.open() as file:
                yield file
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError) as error:
        raise StoreError(
            f"{shard}: shard, got a file that cannot be read"
            f" ({str(error).splitlines()[0]}); expected whole Parquet;"
            " remove it, and what it held is done again"
        ) from error
