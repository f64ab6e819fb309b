"""Rows that a build wrote are read a row group at a time, from all files of a split."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from research.studies.eras.pairs import built_groups


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A split of two files, the first of two row groups."""
    folder = tmp_path / "config"
    folder.mkdir()
    for number, ids in enumerate((["a", "b", "c"], ["d"])):
        table = pa.table({"id": ids, "n": list(range(len(ids)))})
        pq.write_table(table, folder / f"test-{number:05d}-of-00002.parquet", row_group_size=2)
    return tmp_path


def test_groups_come_in_order_and_make_the_table(built):
    groups = list(built_groups(built, "config", "test", ["id"]))
    assert [group["id"].to_pylist() for group in groups] == [["a", "b"], ["c"], ["d"]]
    assert pa.concat_tables(built_groups(built, "config", "test")).to_pydict() == {
        "id": ["a", "b", "c", "d"],
        "n": [0, 1, 2, 0],
    }


def test_what_is_not_built_is_refused_before_anything_is_read(built):
    with pytest.raises(ValueError, match="without config/train; expected a folder"):
        next(built_groups(built, "config", "train"))
    with pytest.raises(ValueError, match=r"config: columns, got none named x; expected those"):
        next(built_groups(built, "config", "test", ["id", "x"]))
