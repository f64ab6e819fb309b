"""A split that does not fit into one file or into memory: written, hashed, checked in pieces."""

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from dataset_scripts.content import content_hash, content_hash_of_files
from dataset_scripts.registry import split_table, suite_builder
from publish.build import parquet
from publish.build.build import build_suite
from publish.build.manifest import read_provenance
from publish.build.parquet import (
    count_rows,
    features_of,
    read_groups,
    read_units,
    repeated,
    repeated_problems,
    split_paths,
    take_rows,
    write_split,
)
from publish.check.check import check_folder

TINY = {"ROWS_PER_GROUP": 50, "LARGEST_SHARD": 4_000}
SUITE, CONFIG, OPTIONS = "centerbench", "questions", {"size": 1}
FEATURES = datasets.Features(
    {
        "id": datasets.Value("string"),
        "unit": datasets.Value("string"),
        "words": datasets.List({"word": datasets.Value("string"), "n": datasets.Value("int32")}),
        "rating_mean": datasets.Value("float64"),
    }
)


def rows(n: int) -> pa.Table:
    """Rows with texts, nulls and empty lists; units of three rows."""
    words = [
        [{"word": f"w{i * k}", "n": None if k == 1 else k} for k in range(i % 4)] for i in range(n)
    ]
    columns = {
        "id": [f"r{i}" for i in range(n)],
        "unit": [f"u{i // 3}" for i in range(n)],
        "words": [None if i % 7 == 3 else lists for i, lists in enumerate(words)],
        "rating_mean": [None] * n,
    }
    return pa.table(columns, schema=FEATURES.arrow_schema)


def pieces(table: pa.Table, *sizes: int) -> Iterator[pa.Table]:
    """The rows in batches of these sizes, then the rest."""
    start = 0
    for size in sizes:
        yield table.slice(start, size)
        start += size
    yield table.slice(start)


def write_tiny(batches: Iterable[pa.Table], folder: Path) -> list[Path]:
    """Writes a split `test` into many files."""
    with patch.multiple(parquet, **TINY):
        return write_split(batches, FEATURES, folder, "test", "mark")


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small draw in many files, and its folder."""
    out = tmp_path_factory.mktemp("sharded")
    with patch.multiple(parquet, **TINY):
        build_suite(SUITE, out, OPTIONS)
    return out / SUITE


def test_a_split_lies_in_files_that_count_themselves(tmp_path):
    table = rows(1_000)
    paths = write_tiny(pieces(table, 1, 0, 333, 64), tmp_path)
    assert len(paths) > 2
    assert [path.name for path in paths] == [
        f"test-{i:05d}-of-{len(paths):05d}.parquet" for i in range(len(paths))
    ]
    groups = [group.num_rows for group in read_groups(paths)]
    assert groups == [50] * 20
    assert pa.concat_tables([pq.read_table(path) for path in paths]).equals(table)
    assert all(features_of(path) == FEATURES for path in paths)
    assert split_paths(tmp_path, "test") == paths
    paths[1].unlink()
    with pytest.raises(ValueError, match=r"files of test, got .*; expected all that they count"):
        split_paths(tmp_path, "test")


def test_no_file_is_larger_than_it_may_be(tmp_path):
    texts = [random.Random(i).randbytes(500).hex() for i in range(1_000)]
    features = datasets.Features({"text": datasets.Value("string")})
    with patch.multiple(parquet, ROWS_PER_GROUP=50, LARGEST_SHARD=200_000):
        paths = write_split([pa.table({"text": texts})], features, tmp_path, "test", "")
    sizes = [path.stat().st_size for path in paths]
    assert max(sizes) <= 200_000
    assert min(sizes[:-1]) > 100_000


def test_no_rows_make_one_file(tmp_path):
    paths = write_split([], FEATURES, tmp_path, "test", "")
    assert [path.name for path in paths] == ["test-00000-of-00001.parquet"]
    assert (count_rows(paths), features_of(paths[0])) == (0, FEATURES)


@pytest.mark.parametrize("n", [0, 1, 8, 1_000])  # bits of nulls are packed by eight
def test_the_hash_of_files_is_that_of_the_table(n, tmp_path):
    table = rows(n)
    paths = write_tiny(pieces(table, n // 3), tmp_path)
    assert content_hash_of_files(paths, FEATURES) == content_hash(table, FEATURES)
    if n:
        rated = table.set_column(3, "rating_mean", pa.array([4.5] * n))
        assert content_hash(rated, FEATURES) == content_hash(table, FEATURES)
        other = write_tiny([rows(n + 1).slice(1)], tmp_path / "o")
        assert content_hash_of_files(other, FEATURES) != content_hash(table, FEATURES)


@pytest.mark.parametrize("has_statistics", [True, False])
@pytest.mark.parametrize("where", ["nowhere", "list", "struct", "word", "n"])
def test_nulls_count_in_a_files_hash_wherever_they_are(where, has_statistics, tmp_path):
    """What Parquet says of its nulls spares a reading, and never changes a hash."""
    item: dict[str, object] | None = {"word": "ä", "n": 1}
    odd = {"list": None, "struct": [item, None], "nowhere": [item, item]}.get(
        where, [item, {"word": "ä", "n": 1, where: None}]
    )
    columns = {"id": list("abcde"), "words": [[item], [], odd, [item], [item]]}
    features = datasets.Features({name: FEATURES[name] for name in columns})
    table, path = pa.table(columns, schema=features.arrow_schema), tmp_path / "file.parquet"
    pq.write_table(table, path, row_group_size=2, write_statistics=has_statistics)
    assert content_hash_of_files([path], features) == content_hash(table, features)


def test_rows_are_taken_where_they_lie(tmp_path):
    paths = write_tiny([rows(240)], tmp_path)
    places = [0, 49, 50, 51, 239]
    assert take_rows(paths, places, ["id"])["id"].to_pylist() == [f"r{i}" for i in places]
    assert take_rows(paths, []).num_rows == 0


def test_units_are_read_whole(tmp_path):
    paths = write_tiny([rows(400)], tmp_path)
    tables = list(read_units(paths, "unit", 60))
    assert pa.concat_tables(tables).equals(rows(400))
    assert [table.num_rows for table in tables] == [99, 99, 99, 102, 1]  # 100, less a unit begun
    units = [set(table["unit"].to_pylist()) for table in tables]
    assert all(first.isdisjoint(second) for first, second in pairwise(units))
    assert [table.num_rows for table in read_units(paths, "", 60)] == [400]


def test_a_unit_longer_than_a_piece_stays_whole(tmp_path):
    table = rows(200).set_column(1, "unit", pa.array(["u"] * 180 + ["v"] * 20))
    paths = write_tiny([table], tmp_path)
    assert [part.num_rows for part in read_units(paths, "unit", 60)] == [180, 20]


def test_a_value_that_comes_twice_is_found_across_files(tmp_path):
    table = pa.concat_tables([rows(300), rows(300).slice(7, 1)])
    paths = write_tiny([table], tmp_path)
    assert repeated_problems(paths, ["id"]) == [
        "id, got 'r7' twice; expected one for each of 301 rows"
    ]
    assert repeated_problems(paths[:1], ["id"]) == []


def test_values_of_one_hash_are_not_the_same():
    assert hash(-1) == hash(-2)  # in CPython
    assert list(repeated(lambda: [[-1], [-2]])) == []
    assert list(repeated(lambda: [[-1, -2], [-2]])) == [-2]


@pytest.mark.slow
def test_a_draw_in_many_files_is_the_same_draw(sharded):
    table = split_table(SUITE, CONFIG, "test", OPTIONS)
    paths = split_paths(sharded / CONFIG, "test")
    assert len(paths) > 2
    features = features_of(paths[0])
    recorded = read_provenance(sharded)
    assert recorded["rows"][f"{CONFIG}/test"] == table.num_rows
    assert recorded["content_hashes"][f"{CONFIG}/test"] == content_hash(table, features)
    assert check_folder(SUITE, sharded) == []


def test_a_draw_in_many_files_loads_outside(sharded):
    n_rows = read_provenance(sharded)["rows"][f"{CONFIG}/test"]
    assert load_dataset(str(sharded), CONFIG, split="test").num_rows == n_rows
    streamed = load_dataset(str(sharded), CONFIG, split="test", streaming=True)
    assert streamed.num_shards == len(split_paths(sharded / CONFIG, "test"))
    assert sum(1 for _ in streamed) == n_rows


def test_the_builder_streams_and_prepares_what_it_draws(tmp_path):
    builder = suite_builder(SUITE)(
        config_name="pairs", dataset_name=SUITE, cache_dir=str(tmp_path), size=1
    )
    builder.download_and_prepare()
    expected = builder.split_tables()["test"]
    assert builder.as_dataset()["test"].data.table.equals(expected)
    streamed = builder.as_streaming_dataset()["test"]
    for _ in range(2):  # an epoch, and another
        assert [row["id"] for row in streamed] == expected["id"].to_pylist()
