"""python -m research shallow: the command line of the search."""

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import datasets

from builders.shallow import CLUSTERS, READERS, ClusterRow, Shallow
from builders.suites import FOLDER, settings_of, suites_with
from dataset_scripts.registry import suite_builder
from dataset_scripts.suite import SuiteBuilder
from ground.files import write_whole
from ground.markdown import percent
from ground.paths import ROOT
from ground.tables import read_raw, read_table
from research.shallow import search


def main(arguments: Sequence[str] | None = None) -> int:
    """Searches the configs that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m research shallow", description=search.__doc__)
    parser.add_argument("suite", nargs="?", help="a suite; all by default")
    parser.add_argument("configs", nargs="*", help="some of its configs; all by default")
    parser.add_argument("--hub", type=Path, default=ROOT / "hub", help="where they are built")
    parser.add_argument("--most", type=int, default=0, help="also show so many of the best readers")
    parser.add_argument("--write", action="store_true", help="into builders/SUITE/data")
    options = parser.parse_args(arguments)
    for suite in [options.suite] if options.suite else suites_with("headline"):
        start = time.monotonic()
        found = search_suite(suite, options)
        if options.write:
            write(suite, *found, only=options.configs)
        print(f"{suite}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    return 0


def search_suite(suite: str, options: argparse.Namespace) -> tuple[list[Shallow], list[ClusterRow]]:
    """Searches the configs of a suite and prints what is found."""
    best: list[Shallow] = []
    clusters: list[ClusterRow] = []
    told = settings_of(suite)
    has_parts = "parts" in told["headline"]  # else no result is told apart by cluster
    tested = {f"{one['config']}/{one['split']}" for one in told.get("tests", ()) if has_parts}
    for problem in search.problems_of(suite, options.hub, options.configs):
        found = search.search(problem)
        best += found.best
        if problem.config in tested and problem.score == told["headline"]["score"]:
            clusters += found.clusters
        for one in found.best:
            print(line_of(suite, one), flush=True)
        for says, value in found.ranked[: options.most]:
            print(f"    {percent(value):.1f} {says}")
    if missing := sorted(set(options.configs) - {config_of(one) for one in best}):
        raise ValueError(
            f"{suite}: config, got {missing[0]!r}; expected one that {options.hub / suite} has and"
            " that is searched"
        )
    return best, clusters


def config_of(line: Shallow | ClusterRow) -> str:
    """The config that a line is about: lines name `CONFIG/SPLIT`."""
    return line.config.partition("/")[0]


def write(
    suite: str, best: Sequence[Shallow], clusters: Sequence[ClusterRow], only: Sequence[str] = ()
) -> None:
    """Leaves what was found beside the suite's tables; lines of configs not among `only` stay.

    Raises:
        ValueError: A line that would stay is about rows that have changed since.
    """
    builder, folder = suite_builder(suite), FOLDER / suite / "data"
    version = str(builder.VERSION)
    if only and (folder / READERS).is_file():
        check_kept(builder, folder / READERS, only)
    for name, row, key, found in (
        (READERS, Shallow, search.KEY, best),
        (CLUSTERS, ClusterRow, search.CLUSTER_KEY, clusters),
    ):
        path = folder / name
        before: Sequence[Any] = read_table(path, row) if only and path.is_file() else ()
        rows = [*(one for one in before if config_of(one) not in only), *found]
        if rows:
            write_whole(path, table_text(rows, version, key))


def table_text(rows: Sequence[Shallow | ClusterRow], version: str, key: str) -> str:
    """A table as text, sorted by its key."""
    names = [field.name for field in dataclasses.fields(rows[0])]
    places = [names.index(name) for name in key.split()]
    values = [[getattr(row, name) for name in names] for row in rows]
    lines = [
        ["_" if v is None else f"{v:.4f}" if isinstance(v, float) else str(v) for v in row]
        for row in values
    ]
    numeric = {place: all(cells[place].isdigit() for cells in lines) for place in places}
    lines.sort(key=lambda cells: [int(cells[p]) if numeric[p] else cells[p] for p in places])
    source = "# source: python -m research shallow --write\n# licence: CC BY 4.0\n"
    table = "".join("\t".join(cells) + "\n" for cells in [names, *lines])
    return f"{source}# version: {version}\n# key: {key}\n{table}"


def check_kept(builder: type[SuiteBuilder], path: Path, only: Sequence[str]) -> None:
    """Raises a ValueError where rows have changed since a line was written that would stay."""
    searched = read_raw(path).comments["version"]
    kept = {config_of(one) for one in read_table(path, Shallow)} - set(only)
    for config in sorted(kept):
        changed = builder.version_of(config)
        if datasets.Version(changed) > searched:
            raise ValueError(
                f"{path}: {config}, got a search of version {searched}, and rows of {changed};"
                f" expected {config} among the configs that are searched"
            )


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
