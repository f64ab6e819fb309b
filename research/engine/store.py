"""A resumable store of finished work: rows under string keys in append-only Parquet shards.

A shard appears whole or not at all: it is written beside its place, forced to the disk and renamed.
Its pages carry checksums, its name that of its footer, and both are verified whenever it is read.
One process writes at a time; a second one is refused. Reading needs no leave.
"""

import collections
import functools
import os
import sys
import uuid
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from ground.hashes import make_key as make_key
from metrics._shared.plain_text import lines_of

KEY = "key"
FORMAT = b"2"  # of shards and keys; a shard of another one is set aside, not read
FORMAT_NAME = b"garden_path_store"
N_TRIES = 10  # to read shards that another process unites meanwhile
ROWS_READ = 8  # at once, where rows are read one by one: each may hold thousands of answers
LARGE_SHARD = 2**19  # bytes; not written again to unite it with others
LOCK, ASIDE = ".lock", "set-aside"
NAMED = 3  # shards that a message names
Found = TypeVar("Found")


class StoreError(ValueError):
    """A store cannot be read, or not be written to by this process.

    The message names the shard. The machine's fault, never a system's.
    """


class Store:
    """Rows of one schema, each under a unique key, in a folder of Parquet shards.

    The folder is made when the first shard is written; the schema is without `key`.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.folder = folder
        self.schema = pa.schema([pa.field(KEY, pa.string()), *schema])
        self._keys_of: dict[Path, set[str]] = {}

    def shards(self) -> list[Path]:
        """Paths of the shards, the oldest first."""
        return sorted(self.folder.glob("*.parquet"))

    def keys(self) -> set[str]:
        """Keys that are done; a shard that was seen before is not read again."""

        def read(shards: list[Path]) -> set[str]:
            for shard in shards:
                if shard not in self._keys_of:
                    self._keys_of[shard] = set(self._table(shard, [KEY])[KEY].to_pylist())
            return set().union(*(self._keys_of[shard] for shard in shards))

        return self._with_shards(read)

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Keys that are not done yet, in the order given, each once."""
        done = self.keys()
        return [key for key in dict.fromkeys(keys) if key not in done]

    def append(self, keys: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Adds finished rows, by key, as one shard; when this returns it is on the disk."""
        if keys:
            self._write([pa.table({KEY: list(keys), **columns}, schema=self.schema)])

    def append_rows(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Adds finished rows, given under their keys, as one shard."""
        names = self.schema.names[1:]
        self.append(list(rows), {name: [row[name] for row in rows.values()] for name in names})

    def check_row(self, key: str, row: Mapping[str, Any]) -> None:
        """Raises a ValueError of a row that no shard could hold, before others wait beside it."""
        for field in list(self.schema)[1:]:
            try:
                pa.array([row[field.name]], field.type)
            except (KeyError, OverflowError, UnicodeError, pa.ArrowException) as error:
                got = repr(row.get(field.name))[:100]
                raise ValueError(
                    f"{self.folder}: {field.name} of row {key}, got {got}; expected {field.type}"
                ) from error

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows sorted by key, the first of each key where work was done twice."""
        chosen = [KEY, *(self.schema.names[1:] if columns is None else columns)]
        tables = self._with_shards(lambda shards: [self._table(shard, chosen) for shard in shards])
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

        def read(shards: list[Path]) -> dict[str, dict[str, Any]]:
            found: dict[str, dict[str, Any]] = {}
            for shard in shards:
                if not wanted.isdisjoint(self._keys_of.get(shard, wanted)):
                    table = self._table(shard)
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
                    for key, row in self._rows(shard, left):
                        left.discard(key)
                        yield key, row
                return
            except FileNotFoundError:
                if not tries_left:
                    raise

    def compact(self, most: int) -> None:
        """Unites small shards where there are more than `most`; killed, it loses nothing.

        Another process may read meanwhile.
        """
        shards = [shard for shard in self.shards() if shard.stat().st_size < LARGE_SHARD]
        if len(shards) > most:
            with self.alone():
                self._write(self._table(shard) for shard in shards)
                for shard in shards:
                    shard.unlink()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Holds the store, which this process may hold already, or raises a StoreError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / LOCK, thread_local=False, is_singleton=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise StoreError(
                f"{self.folder}: store, got another process that writes to it; expected one at a"
                " time: wait until it is done, or give --store another folder"
            ) from None
        try:
            yield
        finally:
            lock.release()

    def unusable(self) -> dict[Path, str]:
        """Shards that are broken or not this store's, each with what is wrong; all are read."""
        found = {shard: self._fault(shard) for shard in self.shards()}
        return {shard: fault for shard, fault in found.items() if fault}

    def set_aside(self, shards: Mapping[Path, str]) -> None:
        """Moves shards into a folder beside the others; says on stderr what is wrong with each."""
        aside = self.folder / ASIDE
        with self.alone():
            aside.mkdir(exist_ok=True)
            for shard in shards:
                os.rename(shard, aside / shard.name)
        print(
            f"{self.folder}: shards, got {named(shards)}; expected whole ones of format"
            f" {FORMAT.decode()} with {', '.join(self.schema.names)}; now in {ASIDE}, and what they"
            " held is done again",
            file=sys.stderr,
        )

    def sweep(self) -> None:
        """Removes what a killed process was writing."""
        for part in self.folder.glob("*.part"):
            part.unlink()

    def _fault(self, shard: Path) -> str:
        try:
            state = shard.stat()
            return self._difference(_verified(shard, state.st_mtime_ns, state.st_size))
        except FileNotFoundError:
            return ""  # united with others by another process
        except StoreError as error:
            return str(error.__cause__).split("\n")[0] or type(error.__cause__).__name__

    def _difference(self, found: pa.Schema) -> str:
        if (found.metadata or {}).get(FORMAT_NAME) != FORMAT:
            return "another format"
        return "" if found.remove_metadata().equals(self.schema) else "other columns"

    @contextmanager
    def _opened(self, shard: Path) -> Iterator[pq.ParquetFile]:
        """A shard of this store; what is read of it is verified."""
        with _opened(shard) as file:
            if difference := self._difference(file.schema_arrow):
                columns = ", ".join(self.schema.names)
                raise StoreError(
                    f"{shard}: shard, got {difference}; expected format {FORMAT.decode()} with"
                    f" {columns}; move it away, and what it held is done again"
                )
            yield file

    def _table(self, shard: Path, columns: Sequence[str] | None = None) -> pa.Table:
        with self._opened(shard) as file:
            table = file.read(columns).replace_schema_metadata()
            return table if columns is None else table.select(columns)

    def _rows(self, shard: Path, keys: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Rows of a shard that have one of the keys, each with its key."""
        with self._opened(shard) as file:
            for batch in file.iter_batches(ROWS_READ):
                for place, key in enumerate(batch[KEY].to_pylist()):
                    if key in keys:
                        (row,) = batch.slice(place, 1).to_pylist()
                        yield row.pop(KEY), row

    def _write(self, tables: Iterable[pa.Table]) -> None:
        schema = self.schema.with_metadata({FORMAT_NAME: FORMAT})
        with self.alone():
            numbers = [path.name.partition("-")[0] for path in self.shards()]
            number = max((int(one) for one in numbers if one.isdecimal()), default=-1) + 1
            name = f"{number:06d}-{uuid.uuid4().hex[:12]}"
            part = self.folder / f"{name}.part"
            try:
                with part.open("wb") as file:
                    _write_tables(file, schema, tables)
                os.replace(part, self.folder / f"{name}-{_footer_checksum(part)}.parquet")
            finally:
                part.unlink(missing_ok=True)
            sync_folder(self.folder)

    def _with_shards(self, read: Callable[[list[Path]], Found]) -> Found:
        """What `read` makes of the shards; looked up again where another process compacted them."""
        for _ in range(N_TRIES - 1):
            try:
                return read(self.shards())
            except FileNotFoundError:
                continue
        return read(self.shards())


def named(shards: Mapping[Path, str]) -> str:
    """Some shards with what is wrong with each, the first by name."""
    told = [f"{shard.name} ({fault})" for shard, fault in list(shards.items())[:NAMED]]
    more = len(shards) - len(told)
    return ", ".join(told) + (f" and {more:,} more" if more else "")


def stores_below(folder: Path) -> list[Store]:
    """The stores in a folder and below it, each with the columns that most of its shards have."""
    found = []
    for place in sorted({shard.parent for shard in folder.rglob("*.parquet")}):
        schemas: collections.Counter[pa.Schema] = collections.Counter()
        for shard in place.glob("*.parquet"):
            with suppress(StoreError), _opened(shard) as file:
                schemas[file.schema_arrow.remove_metadata()] += 1
        ((schema, _),) = schemas.most_common(1) or [(pa.schema([pa.field(KEY, pa.string())]), 0)]
        if place.name != ASIDE:
            found.append(Store(place, pa.schema(list(schema)[1:])))
    return found


def sync_folder(folder: Path) -> None:
    """Forces the names of a folder's files to the disk, where the system can."""
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@functools.cache
def _verified(shard: Path, modified: int, size: int) -> pa.Schema:
    """The schema of a shard of which every page was read; once in a process while it stays."""
    with _opened(shard) as file:
        for batch in file.iter_batches():
            batch.validate(full=True)
        schema: pa.Schema = file.schema_arrow
        return schema


def _write_tables(file: BinaryIO, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    """Writes a shard and forces it to the disk."""
    # nobody asks for statistics, and they have no checksum
    how = {"compression": "zstd", "write_statistics": False, "write_page_checksum": True}
    with pq.ParquetWriter(file, schema, **how) as writer:
        for table in tables:
            writer.write_table(table.replace_schema_metadata(schema.metadata))
    file.flush()
    os.fsync(file.fileno())


def _footer_checksum(shard: Path) -> str:
    """Of the end of a Parquet file, which the checksums of its pages leave out."""
    with shard.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        size = int.from_bytes(file.read(4), "little")
        file.seek(-8 - size, os.SEEK_END)
        return f"{zlib.crc32(file.read()):08x}"


@contextmanager
def _opened(shard: Path) -> Iterator[pq.ParquetFile]:
    """A shard, whatever its columns; a StoreError of what goes wrong, but not that it is gone."""
    try:
        checksum = shard.stem.split("-")[2:]  # none in a name that an older version gave
        if checksum not in ([], [_footer_checksum(shard)]):
            raise pa.ArrowInvalid("its footer has another checksum than its name says")
        with pq.ParquetFile(shard, page_checksum_verification=True) as file:
            yield file
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{shard}: shard, got a file that cannot be read ({lines_of(str(error))[0]}); expected"
            " whole Parquet; remove it, and what it held is done again"
        ) from error
