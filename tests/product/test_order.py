"""The order of rows: a permutation that the first rows show to be one; `test` of other splits."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import datasets
import pyarrow as pa
import pytest
from datasets import load_dataset

from dataset_scripts import order
from dataset_scripts.order import mixed
from publish.build import parquet
from publish.build.cards import is_whole, own_splits, read_card
from publish.build.parquet import read_units, write_split
from publish.check.order import order_problems
from publish.check.viewer import read_splits

SEED = "example|1.0.0|test"
N, SIZE = 3_000, 30
ROWS = pa.table(
    {
        "text": ["x" * (3 + i // 300) + str(i) for i in range(N)],
        "pair": [f"p{i // 2}" for i in range(N)],
        "level": [i // SIZE for i in range(N)],
        "label": pa.array([int(i > N / 3) for i in range(N)], pa.int64()),
        "weight": [i / N for i in range(N)],
        "tokens": [["t"] * (1 + i // 600) for i in range(N)],
    }
)
FEATURES = datasets.Features.from_arrow_schema(ROWS.schema)


def shuffled(tables: Sequence[pa.Table], together: str = "", seed: str = SEED) -> pa.Table:
    return pa.concat_tables(mixed(tables, seed, together))


def test_rows_are_permuted_and_nothing_else():
    rows = shuffled([ROWS])
    assert rows.schema == ROWS.schema
    assert rows.sort_by([("weight", "ascending")]).equals(ROWS)
    assert rows["text"].to_pylist() != ROWS["text"].to_pylist()
    assert not shuffled([ROWS], seed="example|1.0.1|test").equals(rows)


@pytest.mark.parametrize("together", ["", "pair"])
def test_neither_batches_nor_files_change_the_order(together, monkeypatch):
    rows = shuffled([ROWS], together)
    assert shuffled([ROWS.slice(0, 7), ROWS.slice(7, 0), ROWS.slice(7)], together).equals(rows)
    monkeypatch.setattr(order, "HELD", 100)
    assert shuffled([ROWS.slice(0, 501), ROWS.slice(501)], together).equals(rows)


def test_what_belongs_together_stays_together():
    pairs = shuffled([ROWS], "pair")["pair"].to_pylist()
    assert pairs[::2] == pairs[1::2]
    assert set(Counter(pairs).values()) == {2}
    assert list(mixed([], SEED)) == []


def files(rows: pa.Table, folder: Path) -> list[Path]:
    with patch.multiple(parquet, ROWS_PER_GROUP=500, ROWS_PER_SHARD=1_000):
        return write_split([rows], FEATURES, folder, "test", "")


def test_units_that_stand_apart_are_checked_whole(tmp_path):
    tables = list(read_units(files(shuffled([ROWS]), tmp_path), "pair", 700, is_mixed=True))
    assert len(tables) > 1
    for table in tables:
        assert set(Counter(table["pair"].to_pylist()).values()) == {2}
    assert pa.concat_tables(tables).sort_by([("weight", "ascending")]).equals(ROWS)


def test_first_rows_tell_an_order_from_none(tmp_path):
    assert len(files(ROWS, tmp_path)) == 3
    told = order_problems(files(ROWS, tmp_path / "drawn"))
    assert {line.split(":")[0] for line in told} == set(ROWS.column_names)
    assert "label: first 64 rows, got 0 64 times; expected about 21, as in the split" in told
    assert order_problems(files(shuffled([ROWS]), tmp_path / "mixed")) == []
    assert order_problems(files(shuffled([ROWS], "pair"), tmp_path / "pairs"), "pair") == []
    assert order_problems(files(ROWS, tmp_path / "groups"), "pair") != []


def test_a_random_order_raises_no_alarm(tmp_path):
    for seed in range(20):
        rows = shuffled([ROWS], seed=f"{seed}")
        assert order_problems(files(rows, tmp_path / str(seed))) == []


def test_papers_splits_are_one_test_split_too(hub):
    """SORTS has `amb` and `part_amb`; `test` is both, of the same files."""
    front, _ = read_card(hub / "sorts" / "README.md")
    config = next(one for one in front["configs"] if one["config_name"] == "conll_lite")
    assert [entry["split"] for entry in config["data_files"]] == ["test", "amb", "part_amb"]
    assert [is_whole(one, config["data_files"]) for one in config["data_files"]] == [1, 0, 0]
    own = own_splits(front)
    assert ("conll_lite", "test") not in own
    assert ("pairs", "test") in own
    views = [v for v in read_splits(hub / "sorts", front) if v.config == "conll_lite"]
    rows = load_dataset(str(hub / "sorts"), "conll_lite")
    assert rows["test"].num_rows == rows["amb"].num_rows + rows["part_amb"].num_rows
    assert [rows[view.name].num_rows for view in views] == [view.n_rows for view in views]
    assert rows["test"]["id"] == [*rows["amb"]["id"], *rows["part_amb"]["id"]]
    info = rows["test"].info
    assert all((info.description, info.homepage, info.license, info.citation))
