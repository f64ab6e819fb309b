"""python -m research shallow: the command line of the search."""

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builders.shallow import CLUSTERS, READERS, ClusterRow, Shallow, table_text
from builders.suites import FOLDER, settings_of, suites_with
from ground.files import write_whole
from ground.markdown import percent
from ground.paths import ROOT
from ground.tables import read_table
from research.shallow import search


def main(arguments: Sequence[str] | None = None) -> int:
    """Searches the configs that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m research shallow", description=search.__doc__)
    parser.add_argument("suite", nargs="?", help="a suite; all by default")
    parser.add_argument("config", nargs="?", default="", help="one of its configs")
    parser.add_argument("--hub", type=Path, default=ROOT / "hub", help="where they are built")
    parser.add_argument("--most", type=int, default=0, help="also show so many of the best readers")
    parser.add_argument("--write", action="store_true", help="into builders/SUITE/data")
    options = parser.parse_args(arguments)
    for suite in [options.suite] if options.suite else suites_with("headline"):
        start = time.monotonic()
        found = search_suite(suite, options)
        if options.write:
            write(suite, *found, only=options.config)
        print(f"{suite}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    return 0


def search_suite(suite: str, options: argparse.Namespace) -> tuple[list[Shallow], list[ClusterRow]]:
    """Searches the configs of a suite and prints what is found."""
    best: list[Shallow] = []
    clusters: list[ClusterRow] = []
    told = settings_of(suite)
    has_parts = "parts" in told["headline"]  # else no result is told apart by cluster
    tested = {f"{one['config']}/{one['split']}" for one in told.get("tests", ()) if has_parts}
    for problem in search.problems_of(suite, options.hub, options.config):
        found = search.search(problem)
        best += found.best
        if problem.config in tested and problem.score == told["headline"]["score"]:
            clusters += found.clusters
        for one in found.best:
            print(line_of(suite, one), flush=True)
        for says, value in found.ranked[: options.most]:
            print(f"    {percent(value):.1f} {says}")
    return best, clusters


def write(
    suite: str, best: Sequence[Shallow], clusters: Sequence[ClusterRow], only: str = ""
) -> None:
    """Leaves what was found beside the suite's tables.

    Args:
        suite: Which.
        best: The readers that were found.
        clusters: What the best of them has in each cluster.
        only: The config that was searched; lines of the others stay. "" for all of the suite.
    """
    version = str(importlib.import_module(f"builders.{suite}").VERSION)
    folder = FOLDER / suite / "data"
    for name, row, key, found in (
        (READERS, Shallow, search.KEY, best),
        (CLUSTERS, ClusterRow, search.CLUSTER_KEY, clusters),
    ):
        path = folder / name
        before: Sequence[Any] = read_table(path, row) if only and path.is_file() else ()
        rows = [*(one for one in before if one.config.partition("/")[0] != only), *found]
        if rows:
            write_whole(path, table_text(rows, version, key))


def line_of(suite: str, found: Shallow) -> str:
    """What was found, in one line."""
    bound = "-" if found.bound is None else f"{percent(found.bound):.1f}"
    return (
        f"{suite}/{found.config} {found.score} {found.kind}:"
        f" {percent(found.value):.1f} [{percent(found.low):.1f}, {percent(found.high):.1f}]"
        f" held out {percent(found.held_out):.1f}, chance {percent(found.chance):.1f},"
        f" bound {bound}{' EXCEEDED' if found.is_over else ''}, n {found.n}: {found.reader}"
    )


if __name__ == "__main__":
    sys.exit(main())
