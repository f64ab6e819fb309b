"""Makes a built folder again from the tree, and compares: nothing that can be made is believed.

Metrics and the leaderboard are staged again, cards, plots and tasks rendered again, byte for byte.
Rows are drawn again: files of the same bytes are the same, others are compared by the hash of their
content, since another version of Arrow writes other bytes. What cannot be made again is said: rows
of files that only a person has, of a model, and of a private draw.
"""

import json
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dataset_scripts.content import RATED, content_hash_of_files
from dataset_scripts.registry import suite_builder, suite_names
from ground.command_line import file, folder, option_fields
from ground.paths import ROOT
from publish.build.build import (
    OF_RATINGS,
    SuiteBuild,
    WrittenRows,
    files_around,
    provenance_file,
    provenance_of,
    space_folder,
    suite_build,
    write_rows,
)
from publish.build.commitment import PRIVATE
from publish.build.manifest import MANIFEST, PROVENANCE, entries, read_provenance, sha256_of
from publish.build.parquet import features_of, read_groups, split_paths

SHOWN = 80  # characters of a value in a message
NOT_WRITTEN = (KeyError, TypeError, AttributeError)  # what reading such a provenance raises


@dataclass
class Remade:
    """What making a folder again told: problems, splits of the same bytes, what is left out."""

    problems: list[str] = field(default_factory=list)
    same: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)


def not_written(folder: Path, error: Exception) -> Remade:
    """What is said of a folder whose provenance is not what a build writes."""
    text = f"{folder / PROVENANCE}: content, got {type(error).__name__}: {error}"
    return Remade([f"{text}; expected what a build writes"])


def made_again(name: str, folder: Path) -> Remade:
    """Makes a suite, a metric or the leaderboard again and compares a built folder with it."""
    if name in suite_names():
        try:
            return _suite_again(name, folder)
        except NOT_WRITTEN as error:
            return not_written(folder, error)
    files, provenance = space_folder(name)
    return Remade(_differing(folder, files | provenance_file(provenance), ()))


def _suite_again(name: str, folder: Path) -> Remade:
    """Rows, then provenance, then what lies around; the first that differs is told."""
    found, provenance = Remade(), read_provenance(folder)
    try:
        suite, reasons = _suite_of(name, provenance)
    except ValueError as error:
        return Remade([f"{folder / PROVENANCE}: {error}"])
    found.left = [f"{folder}: {config}, not made again: {why}" for config, why in reasons.items()]
    with tempfile.TemporaryDirectory() as place:
        written = write_rows(suite, Path(place))
        for key in written.rows:
            if _same_bytes(folder, Path(place), key):
                found.same.add(key)
            elif problem := _rows_problem(folder, Path(place), key, written, provenance):
                found.problems.append(problem)
    if not found.problems:
        expected = _provenance_again(suite, written, provenance, reasons)
        found.problems = [
            f"{folder / PROVENANCE}: {name}, got {_short(provenance.get(name))};"
            f" expected {_short(expected.get(name))}"
            for name in dict.fromkeys([*provenance, *expected])
            if json.dumps(provenance.get(name)) != json.dumps(expected.get(name))
        ]
    if not found.problems:
        places = (key.split("/") for key in expected["rows"])
        parquet = {path for config, split in places for path in split_paths(folder / config, split)}
        around = files_around(name, folder, expected)
        found.problems = _differing(folder, around | provenance_file(expected), parquet)
    return found


def _suite_of(name: str, provenance: Mapping[str, Any]) -> tuple[SuiteBuild, dict[str, str]]:
    """The build that can be made again, and why each config of the others cannot."""
    builder, options = suite_builder(name), dict(provenance["options"])
    built = list(dict.fromkeys(key.split("/")[0] for key in provenance["rows"]))
    kinds = {config.name: config for config in builder.CONFIGS}
    whole = _why_no_draw(builder, options)
    reasons = dict.fromkeys(built, whole) if whole else {}
    released = ROOT / "released" / name
    if "released" in options and options.pop("released") == name and released.is_dir():
        options["released"] = released
    for config in built:
        if config not in kinds:
            raise ValueError(f"{name}: config, got {config!r}; expected one of {', '.join(kinds)}")
        if kinds[config].kind == "local":
            reasons[config] = "its rows are of a text that a person has"
        elif kinds[config].has_files and "released" not in options:
            reasons[config] = f"the authors' files are not at {released}"
    has_views = any(kinds[config].kind == "training" for config in built)
    views = has_views or bool(provenance["dropped_views"])
    suite = suite_build(name, {} if whole else options, views=views and not whole)
    configs = [config for config in suite.configs if config not in reasons and not whole]
    return SuiteBuild(name, builder, suite.options, tuple(configs)), reasons


def _why_no_draw(builder: Any, options: Mapping[str, Any]) -> str:
    """Why nothing of a draw can be made again, "" if it can: its options do not tell all of it."""
    if PRIVATE in options:
        return "a private draw: push.py reveal compares it"
    own = option_fields(builder.BUILDER_CONFIG_CLASS)
    for name in options:
        is_file = name in own and own[name].metadata["rule"].parse in (file, folder)
        if name == "model" or (is_file and name not in ("released", *OF_RATINGS)):
            return f"--{name.replace('_', '-')} names what only a person has"
    return ""


def _rows_problem(
    folder: Path, again: Path, key: str, written: WrittenRows, provenance: Mapping[str, Any]
) -> str:
    """A line if a split holds other rows than are drawn again."""
    config, split = key.split("/")
    try:
        theirs = split_paths(folder / config, split)
    except ValueError as error:
        return str(error)
    ours = split_paths(again / config, split)
    where = theirs[0] if len(theirs) == 1 else folder / config / f"{split}-*.parquet"
    try:
        return _content_problem(where, theirs, ours, written.hashes[key], provenance)
    except (OSError, pa.ArrowException) as error:
        why = str(error).partition("\n")[0]
        return f"{where}: Parquet, got what cannot be read ({why[:SHOWN]}); expected rows"


def _content_problem(
    where: Path, theirs: list[Path], ours: list[Path], expected: str, provenance: Mapping[str, Any]
) -> str:
    """A line if the files of a split hold other columns, rows or statistics than ours."""
    features = features_of(ours[0])
    for path in theirs:
        if features_of(path) != features:
            return f"{path}: features, got {features_of(path)}; expected {features}"
        if set(pq.read_schema(path).metadata or {}) - {*pq.read_schema(ours[0]).metadata}:
            return f"{path}: metadata, got more than a build writes; expected none"
    found = content_hash_of_files(theirs, features)
    if found != expected:
        return f"{where}: content hash, got {found[:12]}; expected {expected[:12]}, drawn again"
    rated = [name for name in features if name in RATED]
    groups = read_groups(theirs, rated) if rated and not provenance["ratings"] else ()
    if any(len(column.drop_null()) for group in groups for column in group.columns):
        return f"{where}: {rated[0]}, got ratings; expected none, as {PROVENANCE} says"
    is_cut_alike = len(theirs) == len(ours)  # a build may spread the same rows over more files
    if is_cut_alike and not provenance["ratings"] and _statistics(theirs) != _statistics(ours):
        return f"{where}: statistics, got others than those of its rows; expected these"
    return ""


def _statistics(paths: list[Path]) -> list[Any]:
    """What the files say of their columns, group by group: by it readers pass over rows."""
    found = []
    for path in paths:
        told = pq.read_metadata(path)
        for group in map(told.row_group, range(told.num_row_groups)):
            found.append(group.num_rows)
            for column in map(group.column, range(group.num_columns)):
                said = column.statistics
                bounds = (said.min, said.max) if said and said.has_min_max else None
                found.append((column.path_in_schema, said and said.null_count, bounds))
    return found


def _same_bytes(folder: Path, again: Path, key: str) -> bool:
    theirs, ours = (
        {path.name: sha256_of(path) for path in place.glob(f"{key}-*.parquet")}
        for place in (folder, again)
    )
    return theirs == ours


def _provenance_again(
    suite: SuiteBuild, written: WrittenRows, given: Mapping[str, Any], reasons: Mapping[str, str]
) -> dict[str, Any]:
    """What the build should say of itself; of what cannot be made again, what it says."""
    left = [key for key in given["rows"] if key.split("/")[0] in reasons]
    rows = {key: written.rows.get(key, given["rows"][key]) for key in given["rows"]}
    hashes = {key: written.hashes.get(key, given["content_hashes"].get(key)) for key in rows}
    whole = WrittenRows(rows, hashes, written.dropped)
    made = provenance_of(suite, whole, given["ratings"])
    if missing := sorted(set(written.rows) - set(rows)):
        made["rows"] = {**rows, **{key: written.rows[key] for key in missing}}
    if left:
        made["options"] = given["options"]
        made["dropped_views"] = given["dropped_views"]
    return made | ({"commitment": given["commitment"]} if PRIVATE in given["options"] else {})


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _differing(folder: Path, files: Mapping[str, bytes], others: Collection[Path]) -> list[str]:
    """Files that are not as they are made again, one line each, and files that nothing makes."""
    problems, made = [], {folder / name: content for name, content in files.items()}
    for path, content in made.items():
        if not path.is_file():
            problems.append(f"{path}: file, got none; expected the one that a build makes")
        elif path.read_bytes() != content:
            got = f"sha256 {sha256_of(path)[:12]}"
            problems.append(f"{path}: bytes, got {got}; expected those made again")
    known, end = {*made, *others, folder / MANIFEST}, "file, got one that no build makes"
    foreign = [path for path in entries(folder) if path not in known]
    return problems + [f"{path}: {end}; expected none" for path in foreign]
