"""Whether a store is whole: every page of every shard is read, and its checksum compared."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq

from research.engine.store import stores_below


def verify_store(arguments: Sequence[str]) -> int:
    """Names the shards that cannot be used; gives the exit code, 1 if there are any.

    Raises:
        ValueError: There is no such folder, or no store in it.
    """
    parser = argparse.ArgumentParser(prog="python -m research store", description=__doc__)
    parser.add_argument("verify", choices=["verify"], help="what is done")
    parser.add_argument("folder", type=Path, help="a store, or a folder of several")
    folder = parser.parse_args(arguments).folder
    if not folder.is_dir():
        raise ValueError(f"{folder}: store, got no folder; expected one")
    n_shards = n_rows = n_unusable = 0
    stores = stores_below(folder)
    if not stores:
        raise ValueError(f"{folder}: store, got a folder with none; expected one")
    for store in stores:
        unusable, shards = store.unusable(), store.shards()
        for shard, fault in unusable.items():
            print(f"{shard}: {fault}")
        n_shards, n_unusable = n_shards + len(shards), n_unusable + len(unusable)
        n_rows += sum(pq.read_metadata(one).num_rows for one in shards if one not in unusable)
    found = f"{n_unusable} of {n_shards:,} shards cannot be used"
    whole = f"{n_shards:,} shards of {len(stores):,} stores, {n_rows:,} rows: all whole"
    print(found if n_unusable else whole)
    return 1 if n_unusable else 0
