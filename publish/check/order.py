"""Whether the first rows of a split are a sample of it: they are what `[:N]` and streams see.

For the first 64, 256 and 1,024 rows each value of each column is counted and compared with its
share in the split. Under a random order a count is hypergeometric, whose tails are below those of
the binomial; both are below exp(-n KL(count / n, share)) (Hoeffding, 1963). A count is a problem
where that bound is below `FALSE_ALARM` divided by the number of counts of the split.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publish.build.parquet import read_groups

PREFIXES = (64, 256, 1024)
FALSE_ALARM = 1e-6  # that a random order of a split has a problem
MOST_VALUES = 1000  # of a column; of one with more, the lengths or halves are counted
LARGEST_SHARE = 0.5  # of different values among all: others are names of rows


def order_problems(paths: Sequence[Path], together: str = "") -> list[str]:
    """Columns whose values come too often or too rarely in the first rows, a line for each.

    Of neighbours with one value of `together` the first row is counted.
    """
    first = None
    if together:
        values = _column(paths, together).combine_chunks().dictionary_encode("encode")
        first = np.flatnonzero(np.diff(_places(values), prepend=-1))
    columns = _columns(paths, first)
    counted = [(name, values, n) for name, values in columns for n in PREFIXES if n < len(values)]
    n_counts = sum(len(values.dictionary) for _, values, _ in counted)
    problems = []
    for name, values, n in counted:
        log_bound, place, count, expected = _least_likely(_places(values), n)
        if log_bound < math.log(FALSE_ALARM / n_counts):
            value = values.dictionary[place].as_py()
            problems.append(
                f"{name}: first {n:,} rows, got {value!r} {count} times; "
                f"expected about {expected:.0f}, as in the split"
            )
    return problems


def _columns(paths: Sequence[Path], first: Any) -> Iterator[tuple[str, pa.DictionaryArray]]:
    """Names of columns and their values, of those that can be counted."""
    for name in next(read_groups(paths)).column_names:
        for inner, column in _leaves(name, _column(paths, name)):
            values = _countable(column if first is None else column.take(first))
            if 1 < len(values.dictionary) <= LARGEST_SHARE * len(values):
                yield inner, values


def _column(paths: Sequence[Path], name: str) -> pa.ChunkedArray:
    parts = [table[name] for table in read_groups(paths, [name])]
    return pa.chunked_array([chunk for part in parts for chunk in part.chunks])


def _leaves(name: str, column: pa.ChunkedArray) -> Iterator[tuple[str, pa.ChunkedArray]]:
    if pa.types.is_struct(column.type):
        for field in column.type:
            yield from _leaves(f"{name}.{field.name}", pc.struct_field(column, field.name))
    elif pa.types.is_list(column.type):
        yield name, pc.list_value_length(column)
    else:
        yield name, column


def _countable(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Few values for each of many rows, null among them: of the column, its lengths or halves."""
    if pc.count_distinct(column, mode="all").as_py() > MOST_VALUES:
        if pa.types.is_string(column.type):
            column = pc.utf8_length(column)
        else:
            column = pc.greater(column, pc.quantile(column, 0.5)[0])
    return column.combine_chunks().dictionary_encode("encode")


def _places(values: pa.DictionaryArray) -> Any:
    return values.indices.to_numpy().astype(np.int64)


def _least_likely(codes: Any, n: int) -> tuple[float, int, int, float]:
    """Of all values the one whose count in the first `n` rows is the least likely.

    Gives the logarithm of the bound on its probability, its number, its count, what is expected.
    """
    shares = np.bincount(codes) / len(codes)
    counts = np.bincount(codes[:n], minlength=len(shares))
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(counts, counts * np.log(counts / (n * shares)), 0.0)
        outside = np.where(n - counts, (n - counts) * np.log((1 - counts / n) / (1 - shares)), 0.0)
    bounds = math.log(2) - (inside + outside)
    place = int(np.argmin(bounds))
    return float(bounds[place]), place, int(counts[place]), float(n * shares[place])
