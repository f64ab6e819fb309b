"""Reads a Parquet file in a process of its own, with a bound on its memory and its time.

`python app_parquet.py COLUMN...`: the file comes in on standard input, the wanted columns go out
on standard output as an Arrow stream; a refusal is a line on standard error and exit code 3.

The process is there because of files that are broken or made to do harm: a few kilobytes can hold
a hundred million rows, and a changed byte of the footer can end the process that decodes it
(pyarrow 26: `Definition level histogram size mismatch`, abort).
"""

import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000
MAX_DEPTH = 50
MAX_DECODED = 200_000_000  # bytes of the columns, and of their texts written out
MAX_VALUES = 20_000_000  # in lists
MEMORY, SECONDS = 4 << 30, 60  # of the process
REFUSED = 3
EVERY = "*"  # stands for all columns


class ParquetError(ValueError):
    """A file that is too large, too deep or broken."""


def read_parquet(content: bytes, wanted: Collection[str]) -> Any:
    """Wanted columns of a Parquet file as an Arrow table; the others come out as nulls."""
    import pyarrow as pa

    command = [sys.executable, str(Path(__file__).resolve()), *sorted(wanted)]
    try:
        run = subprocess.run(
            command, input=content, capture_output=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise ParquetError(f"reading, got no end after {SECONDS} s; expected less") from None
    if run.returncode == REFUSED:
        raise ParquetError(run.stderr.decode().strip())
    if run.returncode:
        raise ParquetError("not readable as Parquet: the file is broken")
    return pa.ipc.open_stream(run.stdout).read_all()


def decode(content: bytes, wanted: Collection[str]) -> Any:
    """What `read_parquet` gives, decoded in this process."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    footer = pq.ParquetFile(pa.BufferReader(content)).metadata
    if EVERY in wanted:
        wanted = {footer.schema.column(i).path.split(".")[0] for i in range(footer.num_columns)}
    texts = check_footer(footer, wanted)
    file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
    names = file.schema_arrow.names
    table = file.read(columns=[name for name in names if name in wanted])
    if sum(text_bytes(chunk) for column in table.columns for chunk in column.chunks) > MAX_DECODED:
        raise ParquetError(f"texts, got more than {MAX_DECODED // 10**6} MB of them; expected less")
    unread = pa.nulls(footer.num_rows)
    return pa.Table.from_arrays(
        [table[name] if name in wanted else unread for name in names], names=names
    )


def check_footer(footer: Any, wanted: Collection[str]) -> list[str]:
    """Refuses what a footer says is too much; gives the paths of the columns of text."""
    at_most("rows", footer.num_rows, MAX_ROWS)
    at_most("columns", footer.num_columns, MAX_COLUMNS)
    leaves = [footer.schema.column(place) for place in range(footer.num_columns)]
    at_most("nesting in levels", max(map(depth, leaves), default=0), MAX_DEPTH)
    chunks = [
        footer.row_group(group).column(place)
        for group in range(footer.num_row_groups)
        for place, leaf in enumerate(leaves)
        if leaf.path.split(".")[0] in wanted
    ]
    at_most("values", sum(chunk.num_values for chunk in chunks), MAX_VALUES)
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    at_most("decoded size in MB", size // 10**6, MAX_DECODED // 10**6)
    return [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]


def at_most(what: str, got: int, limit: int) -> None:
    """Refuses a number over a limit."""
    if got > limit:
        raise ParquetError(f"{what}, got {got:,}; expected at most {limit:,}")


def depth(leaf: Any) -> int:
    """Levels of lists and structs above a column's values, the column included."""
    return int(leaf.path.replace(".list.element", ".list").count(".")) + 1


def text_bytes(array: Any) -> int:
    """Bytes that an array's texts need once each is written out, in lists and structs too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        lengths = pc.take(pc.binary_length(array.dictionary), array.indices)
        return int(pc.sum(lengths.cast(pa.int64())).as_py() or 0)
    if pa.types.is_struct(array.type):
        return sum(map(text_bytes, array.flatten()))
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return text_bytes(array.flatten())
    return 0


def bound_memory(limit: int) -> None:
    """Bounds this process's memory, in bytes, where the system can."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows; Spaces run on Linux
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(wanted: Iterable[str]) -> int:
    """Reads from standard input, writes to standard output; gives the exit code."""
    bound_memory(MEMORY)
    import pyarrow as pa

    try:
        table = decode(sys.stdin.buffer.read(), set(wanted))
    except ParquetError as error:
        print(error, file=sys.stderr)
        return REFUSED
    except (ValueError, OSError, LookupError, NotImplementedError, MemoryError) as error:
        print(f"not readable as Parquet: {error}", file=sys.stderr)
        return REFUSED
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
