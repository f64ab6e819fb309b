"""Writes tests/invalid/viewer: a small wrong build for each rule, beside the message it must give,
which stands in its `expected.txt`, there before. Run after a change of the rules:
`python -m tests.support.record_invalid_builds`."""

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
        files = [{"split": name, "path": f"pairs/{name}-*.parquet"} for name in self.tables]
        config = {"config_name": "pairs", "data_files": files, "default": True}
        self.front: dict[str, Any] = {"configs": [config]}
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
            table = table if self.has_features else table.replace_schema_metadata(None)
            path = folder / "pairs" / f"{name}-00000-of-00001.parquet"
            pq.write_table(table, path, **self.options)
        counts = [
            {"name": name, "num_examples": len(next(iter(columns.values())))}
            for name, columns in self.tables.items()
        ]
        features = datasets.Features(next(iter(self.features.values())))._to_yaml_list()
        info = [{"config_name": "pairs", "features": features, "splits": counts}]
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


WRONG: dict[str, Callable[[Build], None]] = {
    "no_configs": lambda build: build.front.pop("configs"),
    "config_name": config(config_name="pairs/all"),
    "config_twice": lambda build: build.front["configs"].append({**build.config, "default": False}),
    "no_default": config(default=False),
    "viewer_off": lambda build: build.front.update(viewer=False),
    "split_name": config(data_files=split_path("masked-test", "pairs/test-*.parquet")),
    "many_splits": config(
        data_files=[{"split": f"s{i}", "path": "pairs/*.parquet"} for i in range(31)]
    ),
    "loading_script": set_field("more", {"pairs.py": b"print('a loading script')\n"}),
    "no_files": config(data_files=split_path("train", "pairs/train-*.parquet")),
    "file_in_no_split": config(data_files=split_path("x", "pairs/test-*.parquet")[:1]),
    "file_in_two_splits": config(data_files=split_path("test", "pairs/*.parquet")),
    "empty_split": lambda build: build.tables.update(test=rows(0)),
    "schema_differs": other_schema,
    "no_page_index": lambda build: build.options.update(write_page_index=False),
    "large_row_group": large_groups,
    "no_features": set_field("has_features", False),
    "many_columns": many_columns,
    "long_column_name": lambda build: build.replace_rows(
        {**rows(N), "词" * 167: [1] * N}, {**FEATURES, "词" * 167: NUMBER}
    ),
    "column_name": lambda build: build.replace_rows(
        {**rows(N), "true word": [1] * N}, {**FEATURES, "true word": NUMBER}
    ),
    "croissant_type": lambda build: build.replace_rows(
        {**rows(N), "sound": [b"x"] * N}, {**FEATURES, "sound": datasets.Value("binary")}
    ),
    "large_cell": wide_cells,
    "large_row": wide_rows,
    "nothing_to_search": no_strings,
    "no_histogram": lambda build: build.replace_rows(
        {**rows(N), "kind": [f"k{i}" for i in range(N)]}, FEATURES
    ),
    "info_features": set_field("info", spoil_features),
    "info_rows": set_field("info", spoil_counts),
}


def main() -> None:
    for name, spoil in {"valid": lambda build: None, **WRONG}.items():
        expected = FOLDER / name / "expected.txt"
        message, build = expected.read_text(encoding="utf-8"), Build()
        spoil(build)
        build.write(FOLDER / name)
        expected.write_text(message, encoding="utf-8")


if __name__ == "__main__":
    main()
