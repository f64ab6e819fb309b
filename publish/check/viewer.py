"""The rules of the Hub's dataset viewer: what of a built folder it would refuse, cut or not show.

Source: the limits and steps of the dataset viewer's workers.
"""

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from publish.build.cards import CardError, is_whole, read_card
from publish.build.parquet import features_of, read_groups, take_rows

MOST_CONFIGS, MOST_SPLITS, MOST_COLUMNS = 4000, 30, 1000
LONGEST_COLUMN_NAME = 500  # bytes
FIRST_ROWS = 100
LARGEST_ROW = 10_000  # bytes of JSON: a hundred such rows fill the viewer's first page of 1 MB
LARGEST_CELL = 10_000
LARGEST_ROW_GROUP = 100_000_000  # bytes before compression
MOST_LABELS = 1000
LARGEST_LABEL_SHARE = 0.2  # of different values among all
FEW_LABELS = 10  # so few values are labels whatever their share
CONFIG_NAME = re.compile(r"[A-Za-z0-9._-]+")
SPLIT_NAME = re.compile(r"\w+(\.\w+)*")
COLUMN_NAME = re.compile(r"[A-Za-z0-9_]+")
CROISSANT_TYPES = re.compile(r"string|large_string|bool|u?int(8|16|32|64)|float(16|32|64)")


class ColumnCount:
    """What decides how the viewer shows a column, counted part by part.

    `labels` are the distinct values of a string column, null among them, as far as they are
    counted.
    """

    def __init__(self, parts: Iterable[pa.ChunkedArray] = ()) -> None:
        """Counts all parts of a column."""
        self.n, self.labels = 0, set[str | None]()
        self._kind: pa.DataType = pa.null()
        self._n_numbers, self._low, self._high = 0, math.inf, -math.inf
        for part in parts:
            self._add(part)

    def _add(self, part: pa.ChunkedArray) -> None:
        self._kind, self.n = part.type, self.n + len(part)
        if pa.types.is_string(part.type) and len(self.labels) <= MOST_LABELS:
            self.labels |= set(pc.unique(part).to_pylist())
        numbers = _numbers(part)
        if numbers is not None and len(numbers):
            low, high = pc.min_max(numbers).as_py().values()
            self._n_numbers += len(numbers)
            self._low, self._high = min(self._low, low), max(self._high, high)

    @property
    def is_shown_as_labels(self) -> bool:
        """Whether the viewer shows a string column by its values; null counts as one of them."""
        n = len(self.labels)
        share = LARGEST_LABEL_SHARE * max(self.n, 1)
        return n <= FEW_LABELS or (n <= MOST_LABELS and n <= share)

    @property
    def failure(self) -> str:
        """Why the viewer's computation fails for the column, and so for its split; "" if not.

        It does where whole numbers (values, lengths) span exactly two, since one bin then has two
        edges that differ, and where numbers have a single value, which has no standard deviation.
        """
        if not self._n_numbers or (pa.types.is_string(self._kind) and self.is_shown_as_labels):
            return ""
        what = _name_of_numbers(self._kind)
        if self._n_numbers == 1:
            return f"a single value among {what}"
        if not pa.types.is_floating(self._kind) and self._high - self._low == 1:
            return f"{what} {self._low} and {self._high} only"
        return ""


@dataclass(frozen=True)
class ViewedSplit:
    """One split of one config: the files that the card gives it."""

    config: str
    name: str
    folder: Path
    patterns: tuple[str, ...]
    is_whole: bool = False  # `test` of the files of the config's other splits

    @property
    def where(self) -> str:
        """The split's name in messages."""
        return f"{self.config}/{self.name}"

    @cached_property
    def paths(self) -> list[Path]:
        """The files."""
        return [
            path
            for path in sorted(self.folder.rglob("*.parquet"))
            if any(fnmatch(relative(path, self.folder), pattern) for pattern in self.patterns)
        ]

    @cached_property
    def metadata(self) -> list[pq.FileMetaData]:
        """The footers of the files."""
        return [pq.read_metadata(path) for path in self.paths]

    @property
    def n_rows(self) -> int:
        """Rows in all files."""
        return sum(metadata.num_rows for metadata in self.metadata)

    @cached_property
    def features(self) -> datasets.Features:
        """Columns and types, from the first file."""
        return features_of(self.paths[0])

    def count(self, column: str) -> ColumnCount:
        """What of a column decides how it is shown."""
        return ColumnCount(group[column] for group in read_groups(self.paths, [column]))


def viewer_problems(folder: Path, closed_sets: Collection[str] = ()) -> list[str]:
    """What the viewer would refuse of a folder; `closed_sets` must show as histograms."""
    try:
        front, _ = read_card(folder / "README.md")
    except CardError as error:
        return [str(error)]
    problems = list(_config_problems(front))
    problems += [
        f"{path.name}, got a loading script; expected none: datasets refuses the folder"
        for path in sorted(folder.glob("*.py"))
    ]
    splits = [] if problems else list(read_splits(folder, front))
    problems += _file_problems(folder, splits) if splits else ()
    problems = problems or list(_parquet_problems(splits))
    if not problems:
        for split in splits:
            lines = [*_column_problems(split), *_size_problems(split)]
            lines = lines or list(_content_problems(split, closed_sets))
            problems += [f"{split.where}: {line}" for line in lines]
        problems += _info_problems(front, splits)
    return [f"{folder}: {line}" for line in problems]


def failing_statistics(folder: Path) -> list[tuple[str, str]]:
    """Configs, each with a line per column for which the viewer's statistics of the split fail."""
    front, _ = read_card(folder / "README.md")
    end = "expected none or more: the viewer would show none for the split"
    return [
        (split.config, f"{folder}: {split.where}: {name}: statistics, got {reason}; {end}")
        for split in read_splits(folder, front)
        for name, feature in split.features.items()
        if not isinstance(feature, datasets.ClassLabel)  # the viewer counts labels by their names
        if (reason := split.count(name).failure)
    ]


def read_splits(folder: Path, front: Mapping[str, Any]) -> Iterator[ViewedSplit]:
    """Splits that a card lists, in its order."""
    for config in front["configs"]:
        for files in config["data_files"]:
            patterns = [files["path"]] if isinstance(files["path"], str) else files["path"]
            split = (config["config_name"], files["split"], folder, tuple(patterns))
            yield ViewedSplit(*split, is_whole(files, config["data_files"]))


def _config_problems(front: Mapping[str, Any]) -> Iterator[str]:
    configs = front.get("configs") or []
    names = [config.get("config_name", "") for config in configs]
    if not 0 < len(names) <= MOST_CONFIGS:
        expected = f"1 to {MOST_CONFIGS}: without them folders are merged into one split"
        yield f"configs, got {len(names)}; expected {expected}"
    for name in names:
        if not CONFIG_NAME.fullmatch(name):
            yield f"config name, got {name!r}; expected letters, digits, '.', '_' and '-'"
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield f"config names, got {twice} twice; expected each once"
    defaults = [config.get("config_name") for config in configs if config.get("default")]
    if len(defaults) != 1 or defaults != names[:1]:
        yield f"default config, got {defaults}; expected exactly one, the first listed"
    if front.get("viewer") is False:
        yield "viewer, got false; expected it to be on"
    for config in configs:
        where = config.get("config_name")
        splits = [files.get("split", "") for files in config.get("data_files", [])]
        if not 0 < len(splits) <= MOST_SPLITS:
            yield f"{where}: splits, got {len(splits)}; expected 1 to {MOST_SPLITS}"
        for split in splits:
            if not SPLIT_NAME.fullmatch(split):
                expected = "letters, digits, '_' and single dots"
                yield f"{where}: split name, got {split!r}; expected {expected}"


def _file_problems(folder: Path, splits: list[ViewedSplit]) -> Iterator[str]:
    for split in splits:
        if not split.paths:
            patterns = ", ".join(split.patterns)
            yield f"{split.where}: files, got none for {patterns}; expected at least one"
    for path in sorted(folder.rglob("*.parquet")):
        own = [split for split in splits if not split.is_whole]
        owners = [split.where for split in own if path in split.paths]
        if len(owners) != 1:
            got = f"{relative(path, folder)}: splits that hold it, got {owners or 'none'}"
            yield f"{got}; expected exactly one"


def _parquet_problems(splits: list[ViewedSplit]) -> Iterator[str]:
    """Empty splits, other columns in one config, footers that the viewer cannot use."""
    for split in splits:
        if split.n_rows == 0:
            yield f"{split.where}: rows, got none; expected at least one"
    first: dict[str, ViewedSplit] = {}
    for split in splits:
        known = first.setdefault(split.config, split)
        if any(features_of(path) != known.features for path in split.paths):
            got = f"{split.where}: columns and types, got others than in {known.where}"
            yield f"{got}; expected the same in all files of a config"
    for split in splits:
        for path, metadata in zip(split.paths, split.metadata, strict=True):
            where, name = split.where, path.name
            groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
            columns = [group.column(i) for group in groups for i in range(group.num_columns)]
            if not all(column.has_offset_index for column in columns):
                expected = "one, else rows are read by whole row groups"
                yield f"{where}: page index of {name}, got none; expected {expected}"
            largest = max((group.total_byte_size for group in groups), default=0)
            if largest > LARGEST_ROW_GROUP:
                got = f"{where}: row group of {name}, got {largest:,} bytes"
                yield f"{got}; expected at most {LARGEST_ROW_GROUP:,}"
            if b"huggingface" not in (metadata.metadata or {}):
                expected = "the metadata key huggingface"
                yield f"{where}: features in {name}, got none; expected {expected}"


def _column_problems(split: ViewedSplit) -> Iterator[str]:
    names = list(split.features)
    if len(names) > MOST_COLUMNS:
        yield f"columns, got {len(names):,}; expected at most {MOST_COLUMNS:,}"
    for name in names:
        if (n := len(name.encode())) > LONGEST_COLUMN_NAME:
            got = f"column name, got {n} bytes ({name[:20]}...)"
            yield f"{got}; expected at most {LONGEST_COLUMN_NAME}"
        elif not COLUMN_NAME.fullmatch(name):
            expected = "letters, digits and '_', which Croissant needs not escape"
            yield f"column name, got {name!r}; expected {expected}"
    expected = "string, bool, int, float, or lists and structs of these, which Croissant has"
    for name, feature in split.features.items():
        for kind in leaf_types(feature):
            if not CROISSANT_TYPES.fullmatch(kind):
                yield f"{name}: type, got {kind}; expected {expected}"


def _size_problems(split: ViewedSplit) -> Iterator[str]:
    for row in take_rows(split.paths, range(min(FIRST_ROWS, split.n_rows))).to_pylist():
        size, cells = _n_bytes(row), {name: _n_bytes(cell) for name, cell in row.items()}
        name = max(cells, key=lambda column: cells[column])
        if cells[name] > LARGEST_CELL:
            got = f"{name}: cell, got {cells[name]:,} bytes"
            yield f"{got}; expected at most {LARGEST_CELL:,}, else it is cut short"
            return
        if size > LARGEST_ROW:
            yield f"row, got {size:,} bytes; expected at most {LARGEST_ROW:,}, else it is cut short"
            return


def _n_bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str).encode())


def _content_problems(split: ViewedSplit, closed_sets: Collection[str]) -> Iterator[str]:
    kinds = [kind for feature in split.features.values() for kind in leaf_types(feature)]
    if not any("string" in kind for kind in kinds):
        yield "text to search, got no string column; expected at least one"
    for name in split.features:
        if name in closed_sets and not (counted := split.count(name)).is_shown_as_labels:
            got = f"{len(counted.labels - {None}):,} in {counted.n:,} rows"
            expected = "few enough to show as a histogram"
            yield f"{name}: distinct values, got {got}; expected {expected}"


def _info_problems(front: Mapping[str, Any], splits: list[ViewedSplit]) -> Iterator[str]:
    infos = {info["config_name"]: info for info in front.get("dataset_info") or []}
    for config in dict.fromkeys(split.config for split in splits):
        if config not in infos:
            yield f"README.md: dataset_info, got none for {config}; expected one per config"
            continue
        where = f"README.md: dataset_info of {config}"
        inside = [split for split in splits if split.config == config]
        if datasets.Features._from_yaml_list(infos[config]["features"]) != inside[0].features:
            yield f"{where}: features, got others than the Parquet files'; expected the same"
        counts = {entry["name"]: entry["num_examples"] for entry in infos[config]["splits"]}
        found = {split.name: split.n_rows for split in inside}
        if counts != found:
            yield f"{where}: rows, got {counts}; expected {found} as in the Parquet files"


def leaf_types(feature: Any) -> Iterator[str]:
    """Types of the values inside a feature, through lists and structs."""
    if isinstance(feature, Mapping):
        for inner in feature.values():
            yield from leaf_types(inner)
    elif hasattr(feature, "feature"):
        yield from leaf_types(feature.feature)
    elif isinstance(feature, datasets.ClassLabel):
        yield "string"
    else:
        yield str(getattr(feature, "dtype", type(feature).__name__))


def relative(path: Path, folder: Path) -> str:
    """Path inside a folder as patterns in a card write it."""
    return path.relative_to(folder).as_posix()


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Numbers that the viewer makes a histogram of, without nulls; None where it makes none."""
    kind = column.type
    if pa.types.is_list(kind):
        return pc.list_value_length(column).drop_null()
    if pa.types.is_string(kind):
        return pc.utf8_length(column).drop_null()
    if pa.types.is_floating(kind):
        return column.filter(pc.invert(pc.is_nan(column))).drop_null()
    return column.drop_null() if pa.types.is_integer(kind) else None


def _name_of_numbers(kind: pa.DataType) -> str:
    if pa.types.is_list(kind) or pa.types.is_string(kind):
        return f"lengths of {'lists' if pa.types.is_list(kind) else 'texts'}"
    return "numbers" if pa.types.is_floating(kind) else "whole numbers"
