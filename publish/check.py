"""Checks what was built.

Files against provenance, rows against the suite's rules, cards against the Hub's lists, and a load
from outside.

Every problem is one line: where, what, got, expected. No problems: an empty list.
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dataset_scripts.content import content_hash_of_files
from dataset_scripts.registry import builder_for, suite_builder, suite_names
from dataset_scripts.suite import SuiteBuilder, canary, config_canary
from ground.tables import read_settings
from publish.benchmark import benchmark_problems
from publish.cards import FRONT_MATTER, read_card, stale_results
from publish.completeness import gaps
from publish.manifest import draw_problems, manifest_problems, read_provenance
from publish.metrics import metric_names, source_hash
from publish.parquet import canary_of, count_rows, features_of, split_paths
from publish.reload import reload_problems
from publish.rows import read_units, repeated_problems
from publish.training_views import parallel_problems, view_problems
from publish.verified import is_verified, remember
from publish.viewer import failing_statistics, viewer_problems


def check(out: Path, names: list[str], *, reuses_record: bool = False) -> list[str]:
    """Checks built suites and metrics: manifest, schema, rows, cards, viewer's rules, and a load.

    Args:
        out: Where built folders lie.
        names: Suites and metrics.
        reuses_record: Whether a build whose manifest passed before is only compared with it.

    Returns:
        One line for each problem; empty if there is none.
    """
    problems: list[str] = []
    with tqdm(names, desc="check", unit="folder", leave=False) as bar:
        for name in bar:
            bar.set_postfix_str(name)
            problems += check_folder(name, out / name, reuses_record=reuses_record)
    problems += draw_problems([out / name for name in names])
    if problems:
        return problems
    fresh = [name for name in names if not (reuses_record and is_verified(out / name))]
    problems = _load(out, fresh)
    if not problems:
        remember([out / name for name in fresh])
    return problems


def check_folder(name: str, folder: Path, *, reuses_record: bool = False) -> list[str]:
    """Checks one built suite or staged metric but for the load; gives the problems."""
    if problems := manifest_problems(folder):
        return problems
    try:
        if problems := _source_problems(name, folder, read_provenance(folder)):
            return problems
        if reuses_record and is_verified(folder):
            return []
        return check_suite(name, folder) if name in suite_names() else check_metric(name, folder)
    except ValueError as error:  # a card or provenance that is no card or provenance
        return [str(error)]


def _load(out: Path, names: list[str]) -> list[str]:
    if not names:
        return []
    rows = {
        out / name: read_provenance(out / name)["rows"] for name in names if name in suite_names()
    }
    metrics = [out / name for name in names if name in metric_names()]
    with tqdm(total=1, desc="load in a fresh process", bar_format="{desc} {elapsed}", leave=False):
        return reload_problems(rows, metrics)


def check_suite(name: str, folder: Path) -> list[str]:
    """Checks one built suite but for the reload."""
    builder, provenance = suite_builder(name), read_provenance(folder)
    card, is_default = folder / "README.md", not provenance["options"]
    problems = card_problems(card, "dataset", canary(name))
    problems += gaps(card, "dataset", has_figures=is_default)
    problems += benchmark_problems(folder)
    viewer = viewer_problems(folder, builder.CLOSED_SETS)
    problems += viewer or _statistics_problems(
        builder, folder, is_default=not provenance["options"] and not provenance["ratings"]
    )
    problems += _config_problems(folder, str(builder.DEFAULT_CONFIG_NAME), provenance)
    for key in provenance["rows"]:
        problems += _split_problems(name, builder, folder, key, provenance)
    if not provenance["options"]:
        problems += stale_results(name, provenance)
    return problems + ([] if problems else view_problems(name, folder))


def _statistics_problems(
    builder: type[SuiteBuilder], folder: Path, *, is_default: bool
) -> list[str]:
    """Columns that the viewer cannot count: problems of the default draw, warnings for other rows.

    Other draws, the authors' rows and those of a user's texts have the values that they have.
    """
    found = {c.name for c in builder.BUILDER_CONFIGS if c.is_released or c.is_local}
    problems = []
    for config, line in failing_statistics(folder):
        if is_default and config not in found:
            problems.append(line)
        else:
            print(f"warning: {line}", file=sys.stderr)
    return problems


def check_metric(name: str, folder: Path) -> list[str]:
    """Checks one staged metric but for the load."""
    card = folder / "README.md"
    problems = card_problems(card, "metric") + gaps(card, "metric")
    if not read_provenance(folder)["version"]:
        problems.append(
            f'metrics/{name}: VERSION, got none; expected a line VERSION = "x.y.z" in its'
            " scoring.py"
        )
    return problems


def card_problems(path: Path, kind: str, canary_text: str = "") -> list[str]:
    """Checks a card's front matter against the lists of fields and values.

    That its prose was rendered and carries the canary.
    """
    front, _ = read_card(path)
    text = path.read_text(encoding="utf-8")
    settings = read_settings(FRONT_MATTER)
    required, optional = settings[kind]["required"], settings[kind]["optional"]
    problems = [
        f"{path}: {field}, got none; expected one" for field in required if field not in front
    ]
    problems += [
        f"{path}: field, got {field!r}; expected one of the Hub's"
        for field in front
        if field not in required + optional
    ]
    for field, allowed in settings["values"].items():
        values = front.get(field, [])
        for value in [values] if isinstance(values, str) else values:
            if value not in allowed:
                problems.append(
                    f"{path}: {field}, got {value!r}; expected one of {', '.join(allowed)}"
                )
    problems += [
        f"{path}: text, got {mark!r}; expected a finished card"
        for mark in ("{{", "TODO", "More Information Needed")
        if mark in text
    ]
    if canary_text not in text:
        problems.append(f"{path}: canary, got none; expected {canary_text}")
    return problems


def _source_problems(name: str, folder: Path, provenance: Mapping[str, Any]) -> list[str]:
    if not provenance:
        return [f"{folder}: build, got none; expected a folder made by push.py build {name}"]
    found, expected = provenance["source_hash"], source_hash(name)
    if found == expected:
        return []
    return [f"{folder}: source hash, got {found[:12]}; expected {expected[:12]}: build it again"]


def _config_problems(folder: Path, default_config: str, provenance: Mapping[str, Any]) -> list[str]:
    front, _ = read_card(folder / "README.md")
    problems = [
        f"{path}: file, got a loading script; expected none" for path in folder.glob("*.py")
    ]
    listed = {
        f"{entry['config_name']}/{file['split']}"
        for entry in front["configs"]
        for file in entry["data_files"]
    }
    built = {f"{path.parent.name}/{path.name.split('-')[0]}" for path in folder.glob("*/*.parquet")}
    if not listed == built == set(provenance["rows"]):
        problems.append(
            f"{folder}: splits, got {sorted(built)}; expected those of the card and of the build,"
            f" {sorted(provenance['rows'])}"
        )
    defaults = [entry["config_name"] for entry in front["configs"] if entry.get("default")]
    if defaults != [default_config]:
        problems.append(
            f"{folder}/README.md: default config, got {defaults}; expected [{default_config!r}]"
        )
    counts = {
        f"{i['config_name']}/{split['name']}": split["num_examples"]
        for i in front["dataset_info"]
        for split in i["splits"]
    }
    if counts != dict(provenance["rows"]):
        problems.append(
            f"{folder}/README.md: dataset_info, got {counts}; expected {provenance['rows']}"
        )
    return problems


def _split_problems(
    name: str, builder: type[SuiteBuilder], folder: Path, key: str, provenance: Mapping[str, Any]
) -> list[str]:
    config, split = key.split("/")
    paths = split_paths(folder / config, split)
    where = str(paths[0] if len(paths) == 1 else folder / config / f"{split}-*.parquet")
    switches = {
        option: value for option, value in provenance["options"].items() if isinstance(value, bool)
    }
    with tempfile.TemporaryDirectory() as cache:
        instance = builder_for(builder, name, config, switches, cache)
    features = instance.config.features
    for path in paths:
        if features_of(path) != features:
            return [f"{path}: features, got {features_of(path)}; expected {features}"]
    marked = config_canary(name, instance.config)
    problems = [
        f"{path}: canary, got {canary_of(path)!r}; expected {marked!r}"
        for path in paths
        if canary_of(path) != marked
    ]
    found, expected = content_hash_of_files(paths, features), provenance["content_hashes"][key]
    if found != expected:
        problems.append(f"{where}: content hash, got {found[:12]}; expected {expected[:12]}")
    if count_rows(paths) == 0:
        problems.append(f"{where}: rows, got none; expected at least one")
    problems += [
        f"{where}: {line}" for line in repeated_problems(paths, instance.distinct_columns())
    ]
    rules = parallel_problems if instance.config.is_training else instance.problems
    unit = "" if instance.config.is_training else builder.UNIT
    rows = read_units(paths, unit)
    return problems + [f"{where}: {problem}" for table in rows for problem in rules(table)]
