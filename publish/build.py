"""Builds a suite or stages a metric into `hub/`: a new folder replaces the old one when whole."""

import dataclasses
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tqdm import tqdm

from builders.views import too_small
from dataset_scripts.content import combined_hash, content_hash_of_files
from dataset_scripts.options import other_than_default
from dataset_scripts.ratings import agreement, of_question, read_ratings
from dataset_scripts.registry import builder_for, suite_builder
from dataset_scripts.suite import SuiteBuilder, config_canary
from ground.downloads import download
from ground.paths import ROOT
from publish.benchmark import stage_benchmark
from publish.boards import stage_board
from publish.cards import render_dataset_card, render_metric_card, results_folder
from publish.commitment import check_private, without_seed, write_commitment
from publish.exchange import replacing
from publish.manifest import PROVENANCE, write_manifest
from publish.metric_files import metric_files, metric_version
from publish.metrics import source_hash
from publish.pages import stage_space
from publish.parquet import PUBLISHED, FileLayout, count_rows, read_groups, write_split
from publish.rows import repeated_problems

OF_RATINGS = ("ratings", "question", "raters")  # about the rows; they draw nothing
DOWNLOAD = "download"


def build_suite(
    name: str,
    out: Path,
    options: Mapping[str, Any],
    *,
    views: bool = False,
    is_private: bool = False,
    layout: FileLayout = PUBLISHED,
) -> dict[str, Any]:
    """Builds all configs of a suite into `out/<name>`.

    Args:
        name: The suite.
        out: Where the built folders lie.
        options: The draw: `seed`, `size`, `released` and the suite's own; only those that differ
            from the defaults.
        views: Whether the training views are built too.
        is_private: Whether the seed is a secret: nothing that is written has it, and a commitment
            to the rows is written beside the folder.
        layout: Sizes of row groups and files.

    Returns:
        The provenance that is written beside the files: VERSION, options, rows and content hash per
            split.

    Raises:
        ValueError: An option is unknown or the tables cannot fill the draw; or training views are
            wanted of another draw than the published one, which they must not know.
    """
    builder = suite_builder(name)
    if is_private:
        check_private(name, options, views=views)
    options = fetch_released(name, builder, other_than_default(builder, options))
    drawing = sorted(set(options) - {*OF_RATINGS, "released", builder.LOCAL_OPTION})
    if views and drawing:
        raise ValueError(
            f"{name}: --views, got it with {', '.join(drawing)}; expected the published draw: "
            "training views are what it does not have"
        )
    with (
        tempfile.TemporaryDirectory() as cache
    ):  # a builder reuses its cache when code changed but VERSION did not
        provenance = _replace(
            out / name,
            lambda folder: _write_suite(
                name,
                builder,
                folder,
                options,
                cache,
                builder.config_names(
                    options.get("released"),
                    views=views,
                    local=bool(options.get(builder.LOCAL_OPTION)),
                ),
                is_private=is_private,
                layout=layout,
            ),
        )
    if is_private:
        write_commitment(provenance["commitment"], out)
    return provenance


def fetch_released(
    name: str, builder: type[SuiteBuilder], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Options with the folder of the authors' files, downloaded where `released` says `download`.

    Downloads go to `released/<name>` of the repository; a suite without released configs has none.

    Raises:
        ValueError: The suite has released configs, but no recorded addresses and checksums; or the
            folder has the files of none of them.
    """
    released = options.get("released")
    if released is None:
        return options
    generated, configs = builder.config_names(), builder.BUILDER_CONFIGS
    if str(released) != DOWNLOAD:
        if builder.config_names(Path(released)) == generated:
            known = [config.name for config in configs if config.is_released]
            expected = f"the files of one of {', '.join(known)}" if known else "none to be given"
            raise ValueError(f"{name}: released, got {released}; expected {expected}")
        return options
    sources = builder.released_sources()
    if not sources and any(config.is_released for config in configs):
        raise ValueError(
            f"{name}: released, got {DOWNLOAD!r}; expected the folder of the authors' files, "
            "since none is pinned"
        )
    others = {option: value for option, value in options.items() if option != "released"}
    return (
        {**others, "released": download(sources, ROOT / "released" / name)} if sources else others
    )


def stage_metric(name: str, out: Path) -> dict[str, Any]:
    """Stages a metric into `out/<name>` as its Space has it: .py files, card, requirements."""
    return _replace(out / name, lambda folder: _write_metric(name, folder))


def _write_suite(
    name: str,
    builder: type[SuiteBuilder],
    folder: Path,
    options: Mapping[str, Any],
    cache: str,
    configs: Sequence[str],
    *,
    is_private: bool,
    layout: FileLayout,
) -> dict[str, Any]:
    rows: dict[str, int] = {}
    hashes: dict[str, str] = {}
    dropped: list[str] = []
    for config in tqdm(configs, desc=f"{name}: configs", unit="config", leave=False):
        instance = builder_for(builder, name, config, options, cache)
        reason, written = _write_config(name, instance, folder, layout)
        dropped += [reason] if reason else []
        for key, n, digest in written:
            rows[key], hashes[key] = n, digest
    stamped = {k: h for k, h in hashes.items() if k.split("/")[0] in builder.stamped_configs()}
    provenance = {
        "suite": name,
        "version": str(builder.VERSION),
        "options": recorded_options(options, builder.LOCAL_OPTION),
        "ratings": rating_record(name, folder, options) if "ratings" in options else None,
        "rows": rows,
        "content_hashes": hashes,
        "dropped_views": dropped,
        "content_hash": combined_hash(stamped),
        "source_hash": source_hash(name),
    }
    if is_private:
        provenance = without_seed(provenance, options)
    _copy_plots(name, folder)
    card = render_dataset_card(name, folder, str(builder.DEFAULT_CONFIG_NAME), provenance)
    (folder / "README.md").write_text(card, encoding="utf-8")
    stage_benchmark(name, folder)
    stage_board(name, folder, provenance)
    return provenance


def recorded_options(options: Mapping[str, Any], local: str) -> dict[str, Any]:
    """Options of a draw as its provenance has them: without paths, ratings and what is `local`."""
    return {
        option: value.name if isinstance(value, Path) else value
        for option, value in sorted(options.items())
        if option not in (*OF_RATINGS, local)
    }


def _write_config(
    name: str, instance: SuiteBuilder, folder: Path, layout: FileLayout
) -> tuple[str, list[tuple[str, int, str]]]:
    """Why a training view is left out, or ""; name, rows and content hash of each split written.

    Rows are written as they are drawn: a large draw has one batch in memory at a time.
    """
    config, batches = instance.config, instance.rated_batches()
    if config.is_training:
        n_rows = sum(table.num_rows for table in batches["train"])
        if reason := too_small(config.name, n_rows):
            return reason, []
    written = []
    for split, tables in batches.items():
        canary = config_canary(name, config)
        paths = write_split(tables, config.features, folder / config.name, split, canary, layout)
        if problems := repeated_problems(paths, instance.distinct_columns()):
            raise ValueError(f"{name}: {config.name}/{split}: {problems[0]}")
        digest = content_hash_of_files(paths, config.features)
        written.append((f"{config.name}/{split}", count_rows(paths), digest))
    return "", written


def rating_record(name: str, folder: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a build says of its ratings: the file, who rated, and how the raters agree.

    Args:
        name: The suite.
        folder: Its built Parquet files, in which every rated row must be.
        options: `ratings`, `raters` and, where given, `question`.

    Raises:
        ValueError: A rated id is that of no row.
    """
    ratings = read_ratings(options["ratings"])
    known: set[str] = set()
    paths = [p for p in folder.glob("*/*.parquet") if "id" in pq.read_schema(p).names]
    rated = {rating.id for rating in ratings}
    for table in read_groups(paths, ["id"]):
        known.update(rated.intersection(table["id"].to_pylist()))
    if unknown := [rating.id for rating in ratings if rating.id not in known]:
        raise ValueError(
            f"{name}: {options['ratings']}: id, got {unknown[0]!r}; expected that of a built row"
        )
    filled = of_question(ratings, options.get("question"))[0].question
    return {
        "file": Path(options["ratings"]).name,
        "raters": options["raters"],
        "question": filled,
        "agreement": [_without_nan(dataclasses.asdict(row)) for row in agreement(ratings)],
    }


def _without_nan(record: Mapping[str, Any]) -> dict[str, Any]:
    """Record with None for nan, which JSON does not have."""
    return {name: None if value != value else value for name, value in record.items()}


def _copy_plots(name: str, folder: Path) -> None:
    plots = sorted(results_folder(name).glob("*.png"))
    for plot in plots:
        (folder / "plots").mkdir(exist_ok=True)
        shutil.copyfile(plot, folder / "plots" / plot.name)


def _write_metric(name: str, folder: Path) -> dict[str, Any]:
    version = metric_version(name)
    for file, text in metric_files(name).items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    for path in sorted((ROOT / "metrics" / name).glob("*.txt")):
        shutil.copyfile(path, folder / path.name)
    module = hashlib.sha256(
        b"".join(
            path.name.encode() + b"\0" + path.read_bytes() for path in sorted(folder.glob("*.py"))
        )
    ).hexdigest()
    (folder / "README.md").write_text(render_metric_card(name, version), encoding="utf-8")
    stage_space(name, folder)
    return {
        "metric": name,
        "version": version,
        "content_hash": module,
        "source_hash": source_hash(name),
    }


def _replace(target: Path, write: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Has a folder written and puts it in the place of an older build when it is whole."""
    with replacing(target) as folder:
        provenance = write(folder)
        text = json.dumps(provenance, indent=1, ensure_ascii=False) + "\n"
        (folder / PROVENANCE).write_text(text, encoding="utf-8", newline="\n")
        write_manifest(folder)
    return provenance
