"""Writes tests/invalid/viewer: a small wrong build for each rule, with the message it must give.
Run after a change of the rules: `python -m tests.support.record_invalid_builds`."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from tests.conftest import ROOT

FOLDER = ROOT / "tests" / "invalid" / "viewer"
TEXT, NUMBER = datasets.Value("string"), datasets.Value("int32")
FEATURES = {"id": TEXT, "kind": TEXT, "n": NUMBER}
N = 20


class Build:
    """A valid build of one config with two splits, to be spoilt."""

    def __init__(self) -> None:
        self.tables = {name: rows(N) for name in ("validation", "test")}
        self.features = {name: dict(FEATURES) for name in self.tables}
        self.front: dict[str, Any] = {
            "configs": [
                {
                    "config_name": "pairs",
                    "data_files": [
                        {"split": name, "path": f"pairs/{name}-*.parquet"} for name in self.tables
                    ],
                    "default": True,
                }
            ]
        }
        self.more: dict[str, bytes] = {}
        self.options: dict[str, Any] = {"write_page_index": True, "compression": "zstd"}
        self.info: Callable[[list[dict[str, Any]]], None] = lambda info: None
        self.has_features = True

    @property
    def config(self) -> dict[str, Any]:
        return self.front["configs"][0]

    def replace_rows(self, columns: dict[str, Any], features: dict[str, Any]) -> None:
        for name in self.tables:
            self.tables[name], self.features[name] = columns, features

    def write(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "pairs").mkdir(parents=True)
        for name, columns in self.tables.items():
            schema = datasets.Features(self.features[name]).arrow_schema
            table = pa.table(columns, schema=schema)
            pq.write_table(
                table if self.has_features else table.replace_schema_metadata(None),
                folder / "pairs" / f"{name}-00000-of-00001.parquet",
                **self.options,
            )
        counts = [
            {"name": name, "num_examples": len(next(iter(columns.values())))}
            for name, columns in self.tables.items()
        ]
        info = [
            {
                "config_name": "pairs",
                "features": datasets.Features(next(iter(self.features.values())))._to_yaml_list(),
                "splits": counts,
            }
        ]
        self.info(info)
        front = yaml.safe_dump({**self.front, "dataset_info": info}, sort_keys=False)
        (folder / "README.md").write_text(f"---\n{front}---\n# A build\n", encoding="utf-8")
        for name, content in self.more.items():
            (folder / name).write_bytes(content)


def rows(n: int) -> dict[str, Any]:
    return {
        "id": [f"{i:03d}" for i in range(n)],
        "kind": ["left" if i % 2 else "right" for i in range(n)],
        "n": list(range(n)),
    }


def config(**fields: Any) -> Callable[[Build], None]:
    return lambda build: build.config.update(fields)


def wide_cells(build: Build) -> None:
    build.replace_rows({**rows(N), "text": ["x" * 10_100] * N}, {**FEATURES, "text": TEXT})


def wide_rows(build: Build) -> None:
    names = [f"text_{i}" for i in range(11)]
    build.replace_rows(
        {**rows(N), **{name: ["x" * 1_000] * N for name in names}},
        {**FEATURES, **dict.fromkeys(names, TEXT)},
    )


def many_columns(build: Build) -> None:
    names = [f"c{i}" for i in range(1001)]
    build.tables, build.features = (
        {"test": {name: ["x"] for name in names}},
        {"test": dict.fromkeys(names, TEXT)},
    )
    build.config["data_files"] = [{"split": "test", "path": "pairs/test-*.parquet"}]


def other_schema(build: Build) -> None:
    build.features["test"] = {**FEATURES, "n": datasets.Value("int64")}


def large_groups(build: Build) -> None:
    n = 13_000_000
    build.replace_rows(
        {"id": pa.array(["a"]).take(pa.array([0] * 1)), "n": pa.array([0])},
        {"id": TEXT, "n": datasets.Value("int64")},
    )
    zeros = pa.chunked_array([pa.array([0] * 1_000_000, pa.int64())] * 13)
    build.tables["test"] = {"id": pa.nulls(n, pa.string()), "n": zeros}
    build.options |= {"use_dictionary": False, "row_group_size": n}


def spoil_features(info: list[dict[str, Any]]) -> None:
    info[0]["features"] = info[0]["features"][:2]


def spoil_counts(info: list[dict[str, Any]]) -> None:
    info[0]["splits"][1]["num_examples"] = 19


def no_strings(build: Build) -> None:
    build.replace_rows({"n": list(range(N))}, {"n": NUMBER})


def set_field(name: str, value: Any) -> Callable[[Build], None]:
    return lambda build: setattr(build, name, value)


def split_path(split: str, path: str) -> list[dict[str, str]]:
    return [
        {"split": "validation", "path": "pairs/validation-*.parquet"},
        {"split": split, "path": path},
    ]


WRONG: dict[str, tuple[Callable[[Build], None], str]] = {
    "no_configs": (
        lambda build: build.front.pop("configs"),
        "configs, got 0; expected 1 to 4000: without them folders are merged into one split",
    ),
    "config_name": (
        config(config_name="pairs/all"),
        "config name, got 'pairs/all'; expected letters, digits, '.', '_' and '-'",
    ),
    "config_twice": (
        lambda build: build.front["configs"].append({**build.config, "default": False}),
        "config names, got ['pairs'] twice; expected each once",
    ),
    "no_default": (
        config(default=False),
        "default config, got []; expected exactly one, the first listed",
    ),
    "viewer_off": (
        lambda build: build.front.update(viewer=False),
        "viewer, got false; expected it to be on",
    ),
    "split_name": (
        config(data_files=split_path("masked-test", "pairs/test-*.parquet")),
        "pairs: split name, got 'masked-test'; expected letters, digits, '_' and single dots",
    ),
    "many_splits": (
        config(data_files=[{"split": f"s{i}", "path": "pairs/*.parquet"} for i in range(31)]),
        "pairs: splits, got 31; expected 1 to 30",
    ),
    "loading_script": (
        set_field("more", {"pairs.py": b"print('a loading script')\n"}),
        "pairs.py, got a loading script; expected none: datasets refuses the folder",
    ),
    "no_files": (
        config(data_files=split_path("train", "pairs/train-*.parquet")),
        "pairs/train: files, got none for pairs/train-*.parquet; expected at least one",
    ),
    "file_in_no_split": (
        config(data_files=split_path("x", "pairs/test-*.parquet")[:1]),
        "pairs/test-00000-of-00001.parquet: splits that hold it, got none; expected exactly one",
    ),
    "file_in_two_splits": (
        config(data_files=split_path("test", "pairs/*.parquet")),
        "splits that hold it, got ['pairs/validation', 'pairs/test']; expected exactly one",
    ),
    "empty_split": (
        lambda build: build.tables.update(test=rows(0)),
        "pairs/test: rows, got none; expected at least one",
    ),
    "schema_differs": (
        other_schema,
        (
            "pairs/test: columns and types, got others than in pairs/validation; "
            "expected the same in all files of a config"
        ),
    ),
    "no_page_index": (
        lambda build: build.options.update(write_page_index=False),
        "pairs/validation: page index of validation-00000-of-00001.parquet, got none; expected one",
    ),
    "large_row_group": (large_groups, "row group of test-00000-of-00001.parquet, got 10"),
    "no_features": (
        set_field("has_features", False),
        (
            "pairs/validation: features in validation-00000-of-00001.parquet, got none; "
            "expected the metadata key huggingface"
        ),
    ),
    "many_columns": (many_columns, "pairs/test: columns, got 1,001; expected at most 1,000"),
    "long_column_name": (
        lambda build: build.replace_rows(
            {**rows(N), "词" * 167: [1] * N}, {**FEATURES, "词" * 167: NUMBER}
        ),
        "pairs/validation: column name, got 501 bytes",
    ),
    "column_name": (
        lambda build: build.replace_rows(
            {**rows(N), "true word": [1] * N}, {**FEATURES, "true word": NUMBER}
        ),
        (
            "pairs/validation: column name, got 'true word'; "
            "expected letters, digits and '_', which Croissant needs not escape"
        ),
    ),
    "croissant_type": (
        lambda build: build.replace_rows(
            {**rows(N), "sound": [b"x"] * N}, {**FEATURES, "sound": datasets.Value("binary")}
        ),
        (
            "pairs/validation: sound: type, got binary; "
            "expected string, bool, int, float, or lists and structs of these"
        ),
    ),
    "large_cell": (
        wide_cells,
        (
            "pairs/validation: text: cell, got 10,102 bytes; "
            "expected at most 10,000, else it is cut short"
        ),
    ),
    "large_row": (wide_rows, "pairs/validation: row, got 11,"),
    "nothing_to_search": (
        no_strings,
        "pairs/validation: text to search, got no string column; expected at least one",
    ),
    "no_histogram": (
        lambda build: build.replace_rows(
            {**rows(N), "kind": [f"k{i}" for i in range(N)]}, FEATURES
        ),
        (
            "pairs/validation: kind: distinct values, got 20 in 20 rows; "
            "expected few enough to show as a histogram"
        ),
    ),
    "info_features": (
        set_field("info", spoil_features),
        (
            "README.md: dataset_info of pairs: features, got others than the Parquet files'; "
            "expected the same"
        ),
    ),
    "info_rows": (
        set_field("info", spoil_counts),
        (
            "README.md: dataset_info of pairs: rows, got {'validation': 20, 'test': 19}; "
            "expected {'validation': 20, 'test': 20}"
        ),
    ),
}


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, (spoil, message) in {"valid": (lambda build: None, ""), **WRONG}.items():
        build = Build()
        spoil(build)
        build.write(FOLDER / name)
        (FOLDER / name / "expected.txt").write_text(message + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
