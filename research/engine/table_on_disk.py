"""A table whose rows lie in a file and are read some thousand at a time.

What a study gives to systems and scores batch by batch need not be in memory meanwhile: rows are
written once, as they are drawn, into a temporary file (Arrow IPC) that goes with the object.
"""

import itertools
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

ROWS_AT_ONCE = 8192  # that are written and read together


class TableOnDisk:
    """Rows of one table or several of one schema, in a temporary file; threads may read them."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as this object lives
        self._starts = [0]
        self._lock = threading.Lock()
        self._last: tuple[int, pa.Table] | None = None
        pieces = _pieces(tables)
        first, how = next(pieces), pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(self._file, first.schema, options=how) as writer:
            for piece in itertools.chain([first], pieces):
                writer.write_table(piece.combine_chunks())  # one batch
                self._starts.append(self.num_rows + piece.num_rows)
        self._reader = pa.ipc.open_file(self._file)

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self._starts[-1]

    def slice(self, start: int, length: int) -> pa.Table:
        """Some rows; as with a table, fewer at its end."""
        end = min(start + length, self.num_rows)
        parts = [
            self._piece(number).slice(max(0, start - first), end - max(start, first))
            for number, (first, after) in enumerate(itertools.pairwise(self._starts))
            if first < end and after > start
        ]
        return pa.concat_tables([self._reader.schema.empty_table(), *parts])

    def column(self, *names: str) -> "ColumnOnDisk":
        """A column, or the values of several of one type, one column after the other."""
        return ColumnOnDisk(self, names)

    def _piece(self, number: int) -> pa.Table:
        with self._lock:  # one place in the file; most readers want what was read last
            if self._last is None or self._last[0] != number:
                self._last = None
                batch = self._reader.get_batch(number)
                self._last = number, pa.Table.from_batches([batch])
            return self._last[1]


class ColumnOnDisk(Sequence[pa.Scalar]):
    """Values of columns of a table on disk, one column after the other, read when asked for."""

    def __init__(self, table: TableOnDisk, names: Sequence[str]) -> None:
        self.table, self.names = table, tuple(names)

    def __len__(self) -> int:
        return self.table.num_rows * len(self.names)

    def __getitem__(self, place: "int | slice") -> pa.Scalar | pa.ChunkedArray:
        if not isinstance(place, slice):
            place = range(len(self))[place]
            return self[place : place + 1][0]
        start, stop, step = place.indices(len(self))
        if step != 1:
            raise ValueError(f"values of a table on disk: step, got {step}; expected 1")
        n, found = self.table.num_rows, list[pa.ChunkedArray]()
        for number, name in enumerate(self.names):
            first, after = max(start - number * n, 0), min(stop - number * n, n)
            if first < after:
                found.append(self.table.slice(first, after - first)[name])
        chunks = [chunk for part in found for chunk in part.chunks]
        return pa.chunked_array(chunks, self.table.slice(0, 0)[self.names[0]].type)


def _pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows in tables of `ROWS_AT_ONCE`; the last has fewer, none is empty but the only one."""
    waiting: list[pa.Table] = []
    n, is_any = 0, False
    for table in tables:
        waiting.append(table)
        n += table.num_rows
        while n >= ROWS_AT_ONCE:
            rows = pa.concat_tables(waiting)
            yield rows.slice(0, ROWS_AT_ONCE)
            waiting, n, is_any = [rows.slice(ROWS_AT_ONCE)], n - ROWS_AT_ONCE, True
    if n or not is_any:
        yield pa.concat_tables(waiting)
