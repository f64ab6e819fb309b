"""Builds a suite or stages a metric into `hub/`: a new folder replaces the old one when whole.

A suite goes through five stages once: what is asked for, its rows, what is said of them, the files
around them, the manifest. `check` makes the same again and compares.
"""

import functools
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tqdm import tqdm

from builders.views import too_small
from dataset_scripts.content import content_hash_of_files
from dataset_scripts.ratings import agreement, of_question, read_ratings
from dataset_scripts.registry import builder_for, other_than_default, suite_builder, suite_names
from dataset_scripts.suite import SuiteBuilder, config_canary
from ground.downloads import checksum, download
from ground.paths import ROOT
from publish.build.benchmark import benchmark_files
from publish.build.boards import board_folder
from publish.build.cards import render_dataset_card, render_metric_card, results_folder
from publish.build.commitment import check_private, without_seed, write_commitment
from publish.build.exchange import at_work, replacing
from publish.build.manifest import PROVENANCE, write_manifest
from publish.build.metrics import LEADERBOARD, metric_files, metric_version, source_hash
from publish.build.pages import space_files
from publish.build.parquet import count_rows, read_groups, repeated_problems, write_split
from publish.build.processes import side_by_side

OF_RATINGS = ("ratings", "question", "raters")  # about the rows; they draw nothing
DOWNLOAD = "download"


@dataclass(frozen=True)
class SuiteBuild:
    """What a build of a suite is; of the draw's options those that differ from the defaults."""

    name: str
    builder: type[SuiteBuilder]
    options: Mapping[str, Any]
    configs: tuple[str, ...]
    is_private: bool = False


@dataclass
class WrittenRows:
    """Rows and content hash of each `config/split`, and why views were left out."""

    rows: dict[str, int] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)


def build_suite(
    name: str,
    out: Path,
    options: Mapping[str, Any],
    *,
    views: bool = False,
    is_private: bool = False,
    is_locked: bool = False,
) -> dict[str, Any]:
    """Builds all configs of a suite into `out/<name>`; gives the provenance written beside them.

    Options are only those that differ from the defaults. Nothing that is written has the seed of a
    private draw; a commitment to its rows is written beside the folder. `is_locked`: the caller
    holds the lock of `out`. A ValueError where the tables cannot fill the draw.
    """
    suite = suite_build(name, options, views=views, is_private=is_private)
    with replacing(out / name, is_locked=is_locked) as folder:
        written = write_rows(suite, folder)
        provenance = provenance_of(suite, written, rating_record(suite, folder))
        _write(folder, files_around(name, folder, provenance) | provenance_file(provenance))
    if is_private:
        write_commitment(provenance["commitment"], out)
    return provenance


def stage_metric(name: str, out: Path, *, is_locked: bool = False) -> dict[str, Any]:
    """Stages a metric, or the leaderboard, into `out/<name>` as its Space has it."""
    with replacing(out / name, is_locked=is_locked) as folder:
        files, provenance = space_folder(name)
        _write(folder, files | provenance_file(provenance))
    return provenance


def build_all(
    names: Sequence[str],
    out: Path,
    options: Mapping[str, Any],
    *,
    views: bool = False,
    is_private: bool = False,
) -> dict[str, dict[str, Any]]:
    """Builds suites side by side and stages metrics; gives each provenance, in the given order."""
    suites = [name for name in names if name in suite_names()]
    metrics = [name for name in names if name not in suites]
    build = functools.partial(
        build_suite, out=out, options=options, views=views, is_private=is_private, is_locked=True
    )
    staged = ((name, stage_metric(name, out, is_locked=True)) for name in metrics)
    with at_work(out):
        done = chain(side_by_side(build, suites), staged)
        made = dict(tqdm(done, total=len(names), desc="build", unit="folder"))
    return {name: made[name] for name in names}


def suite_build(
    name: str, options: Mapping[str, Any], *, views: bool = False, is_private: bool = False
) -> SuiteBuild:
    """What is asked for, as `build_suite` takes it; a ValueError for what no build can be."""
    builder = suite_builder(name)
    if is_private:
        check_private(name, options, views=views)
    options = fetch_released(name, builder, other_than_default(builder, options))
    drawing = sorted(set(options) - {*OF_RATINGS, "released", builder.LOCAL_OPTION})
    if views and drawing:
        expected = "the published draw: training views are what it does not have"
        raise ValueError(f"{name}: --views, got it with {', '.join(drawing)}; expected {expected}")
    has_local = bool(options.get(builder.LOCAL_OPTION))
    configs = builder.config_names(options.get("released"), views=views, local=has_local)
    return SuiteBuild(name, builder, options, tuple(configs), is_private)


def fetch_released(
    name: str, builder: type[SuiteBuilder], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Options with the folder of the authors' files, downloaded where it is to be."""
    released = options.get("released")
    if released is None:
        return options
    known = [config.name for config in builder.CONFIGS if config.has_files]
    if str(released) != DOWNLOAD:
        if builder.config_names(Path(released)) == builder.config_names():
            expected = f"the files of one of {', '.join(known)}" if known else "none to be given"
            raise ValueError(f"{name}: released, got {released}; expected {expected}")
        return options
    if sources := builder.released_sources():
        return {**options, "released": download(sources, ROOT / "released" / name)}
    if known:
        expected = "the folder of the authors' files, since none is pinned"
        raise ValueError(f"{name}: released, got {DOWNLOAD!r}; expected {expected}")
    return {option: value for option, value in options.items() if option != "released"}


def write_rows(suite: SuiteBuild, folder: Path) -> WrittenRows:
    """Draws every config of a suite and writes its Parquet files into a folder."""
    written = WrittenRows()
    text = f"{suite.name}: configs"
    with tempfile.TemporaryDirectory() as cache:  # an older cache would be taken for this draw
        for config in tqdm(suite.configs, desc=text, unit="config", leave=False):
            instance = builder_for(suite.builder, suite.name, config, suite.options, cache)
            _write_config(suite, instance, folder, written)
    return written


def _write_config(
    suite: SuiteBuild, instance: SuiteBuilder, folder: Path, written: WrittenRows
) -> None:
    """Writes a config's splits batch by batch, and what they hold into `written`."""
    config, batches = instance.config, instance.rated_batches()
    if config.kind == "training":
        n_rows = sum(table.num_rows for table in batches["train"])
        if reason := too_small(config.name, n_rows):
            written.dropped.append(reason)
            return
    canary = config_canary(suite.name, config)
    for split, tables in batches.items():
        key, place = f"{config.name}/{split}", folder / config.name
        paths = write_split(tables, config.features, place, split, canary)
        if problems := repeated_problems(paths, instance.distinct_columns()):
            raise ValueError(f"{suite.name}: {key}: {problems[0]}")
        written.rows[key] = count_rows(paths)
        written.hashes[key] = content_hash_of_files(paths, config.features)


def provenance_of(
    suite: SuiteBuild, written: WrittenRows, ratings: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What a build says of itself: suite, VERSION, options, rows and hashes."""
    configs = {key.split("/")[0] for key in written.rows}
    provenance = {
        "suite": suite.name,
        "version": str(suite.builder.VERSION),
        "options": {  # without paths, ratings and what only a person has
            option: value.name if isinstance(value, Path) else value
            for option, value in sorted(suite.options.items())
            if option not in (*OF_RATINGS, suite.builder.LOCAL_OPTION)
        },
        "ratings": ratings,
        "rows": written.rows,
        "content_hashes": written.hashes,
        "since": {name: suite.builder.version_of(name) for name in sorted(configs)},
        "dropped_views": written.dropped,
        "content_hash": suite.builder.stamp(written.hashes)["content_hash"],
        "source_hash": source_hash(suite.name),
    }
    return without_seed(provenance, suite.options) if suite.is_private else provenance


def rating_record(suite: SuiteBuild, folder: Path) -> dict[str, Any] | None:
    """What a build says of its ratings: the file, who rated, how the raters agree; or None."""
    options = suite.options
    if "ratings" not in options:
        return None
    ratings = read_ratings(options["ratings"])
    known: set[str] = set()
    paths = [p for p in folder.glob("*/*.parquet") if "id" in pq.read_schema(p).names]
    rated = {rating.id for rating in ratings}
    for table in read_groups(paths, ["id"]):
        known.update(rated.intersection(table["id"].to_pylist()))
    if unknown := [rating.id for rating in ratings if rating.id not in known]:
        where = f"{suite.name}: {options['ratings']}"
        raise ValueError(f"{where}: id, got {unknown[0]!r}; expected that of a built row")
    filled = of_question(ratings, options.get("question"))[0].question
    return {
        "file": Path(options["ratings"]).name,
        "raters": options["raters"],
        "question": filled,
        "agreement": [  # nan is None, since JSON does not have it
            {name: None if value != value else value for name, value in vars(row).items()}
            for row in agreement(ratings)
        ],
    }


def files_around(name: str, folder: Path, provenance: Mapping[str, Any]) -> dict[str, bytes]:
    """The files that lie around a suite's rows: card, plots, tasks."""
    default = str(suite_builder(name).DEFAULT_CONFIG_NAME)
    card = render_dataset_card(name, folder, default, provenance)
    plots = sorted(results_folder(name).glob("*.png"))
    return {
        **{f"plots/{plot.name}": plot.read_bytes() for plot in plots},
        "README.md": card.encode(),
        **benchmark_files(name, card),
    }


def space_folder(name: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """All files of a metric's or the leaderboard's Space, see `metric_folder`."""
    return board_folder() if name == LEADERBOARD else metric_folder(name)


def metric_folder(name: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """All files of a staged metric but what a build adds of itself, and its provenance."""
    version = metric_version(name)
    code = {file: text.encode() for file, text in metric_files(name).items()}
    module = b"".join(file.encode() + b"\0" + code[file] for file in sorted(code))
    provenance = {"metric": name, "version": version, "content_hash": checksum(module)}
    provenance["source_hash"] = source_hash(name)
    plain = {path.name: path.read_bytes() for path in (ROOT / "metrics" / name).glob("*.txt")}
    return code | plain | space_files(name, render_metric_card(name, version)), provenance


def provenance_file(provenance: Mapping[str, Any]) -> dict[str, bytes]:
    """The file that a build writes of itself, by its name."""
    return {PROVENANCE: (json.dumps(provenance, indent=1, ensure_ascii=False) + "\n").encode()}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes what lies beside the rows, the manifest last."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    write_manifest(folder)
