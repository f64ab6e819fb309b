"""Runs a study: `python -m research --list`, then `python -m research <suite> <study>`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from ground.faults import run_command
from ground.markdown import markdown_table
from research.engine.store import stores_below
from research.studies.catalogue import find_study, studies
from research.studies.claims import show_claims
from research.studies.figures import make_figures
from research.studies.overview import show_overview
from research.studies.people import analyse_people
from research.studies.shortcuts import show_shortcuts
from research.studies.study import run


def verify_store(arguments: Sequence[str]) -> int:
    """Names shards that cannot be used; 1 if there are any, a ValueError without a store."""
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


USAGE = """usage: python -m research --list
       python -m research <suite> <study> [--variant NAME] [options]
       python -m research <suite> <study> [--variant NAME] --help
       python -m research figures [SUITE ...]
       python -m research overview [--write]
       python -m research shortcuts [--write]
       python -m research claims [--write]
       python -m research people <form> ANSWERS ...
       python -m research store verify FOLDER
"""
STOPPED = "interrupted; what is finished is stored, and the same command goes on from there"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is named; 1 with a line for what can be mended, 130 where it is interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    named = 4 if given[2:3] == ["--variant"] else 2
    name = " ".join(["research", *given[:named]])
    return run_command(name, lambda: _run(given), interrupted=STOPPED)


def _run(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "--list"):
        rows = [{"study": s.place, "asks": s.title} for s in studies()]
        print(f"{USAGE}\n\n{markdown_table(rows)}")
        return 0
    commands: dict[str, Callable[[Sequence[str]], int]] = {
        **{"figures": make_figures, "overview": show_overview, "shortcuts": show_shortcuts},
        **{"claims": show_claims, "people": analyse_people, "store": verify_store},
    }
    if given[0] in commands:
        return commands[given[0]](given[1:])
    study, rest = find_study(given)
    return run(study, rest)


if __name__ == "__main__":
    sys.exit(main())
