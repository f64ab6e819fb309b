"""Checks what was built: made again and compared, rows by the suite's rules, cards by the Hub's.

Every problem is one line: where, what, got, expected.
"""

import functools
import re
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tqdm import tqdm

from builders.shallow import shallow_problems
from dataset_scripts.content import content_hash_of_files
from dataset_scripts.registry import builder_for, suite_builder, suite_names
from dataset_scripts.suite import SuiteBuilder, canary, config_canary
from ground.tables import read_settings
from metrics._shared.plain_text import lines_of
from publish.build.benchmark import benchmark_problems
from publish.build.cards import FRONT_MATTER, own_splits, read_card, split_names, stale_results
from publish.build.manifest import draw_problems, manifest_problems, read_provenance
from publish.build.metrics import LEADERBOARD, source_hash
from publish.build.parquet import (
    canary_of,
    count_rows,
    features_of,
    read_units,
    repeated_problems,
    split_paths,
)
from publish.build.processes import side_by_side
from publish.build.training_views import parallel_problems, view_problems
from publish.check.again import NOT_WRITTEN, Remade, made_again, not_written
from publish.check.order import order_problems
from publish.check.reload import loading
from publish.check.secrets import secret_problems
from publish.check.verified import is_made, is_verified, remember
from publish.check.viewer import failing_statistics, viewer_problems

EXAMPLE_ROWS = 10


def check(
    out: Path, names: list[str], *, reuses_record: bool = False, trusts: bool = True
) -> list[str]:
    """Checks built suites and metrics: made again and compared, by the Hub's rules, and loaded.

    `reuses_record`: a build whose manifest passed before is only compared with it. `trusts`: rows
    that cannot be made again are believed, with a warning; else they are problems.
    """
    problems = [line for name in names for line in _quick_problems(name, out / name)]
    problems += draw_problems([out / name for name in names])
    if problems:
        return problems
    fresh = [name for name in names if not (reuses_record and is_verified(out / name))]
    suites = [name for name in fresh if name in suite_names()]
    metrics = [name for name in fresh if name not in suites]
    judge = functools.partial(judged, out=out, reuses_record=reuses_record)
    found: dict[str, Remade] = {}
    with tqdm(total=len(names), desc="check", unit="folder", leave=False) as bar:
        bar.update(len(names) - len(fresh))
        for name in metrics:
            found[name] = judge(name)
            bar.update()
        if any(one.problems for one in found.values()):
            return _told(metrics, found, trusts=trusts)  # what is doctored is not run
        rows = {out / name: read_provenance(out / name)["rows"] for name in suites}
        modules = [out / name for name in metrics if name != LEADERBOARD]
        with loading(rows, modules) if rows or modules else nullcontext(list) as finish:
            for name, one in side_by_side(judge, suites):
                found[name] = one
                bar.update()
            problems = _told(fresh, found, trusts=trusts) or _finished(finish)
    if not problems:
        remember(out / name for name in fresh if not found[name].left)
    return problems


def judged(name: str, out: Path, *, reuses_record: bool = False) -> Remade:
    """Judges one built suite or staged metric but for its manifest and the load."""
    folder = out / name
    try:
        secrets = secret_problems(folder)
        if reuses_record and is_made(folder):
            again = Remade(same={*read_provenance(folder).get("rows", ())})
        else:
            again = made_again(name, folder)
        is_suite = name in suite_names()
        own = check_suite(name, folder, again.same) if is_suite else check_metric(name, folder)
        return Remade([*secrets, *again.problems, *own], left=again.left)
    except ValueError as error:  # a card or provenance that is no card or provenance
        return Remade([str(error)])
    except NOT_WRITTEN as error:
        return not_written(folder, error)


def check_folder(name: str, folder: Path) -> list[str]:
    """Checks one built suite or staged metric but for the load; gives the problems."""
    return _quick_problems(name, folder) or judged(name, folder.parent).problems


def _told(names: Sequence[str], found: Mapping[str, Remade], *, trusts: bool) -> list[str]:
    """Problems in the order of the names; what is believed is said on the way."""
    problems = [line for name in names for line in found[name].problems]
    left = [line for name in names for line in found[name].left]
    if not trusts:
        end = "expected rows that the tree makes, or --trust"
        return problems + [f"{line}; {end}" for line in left]
    for line in left:
        print(f"warning: {line}", file=sys.stderr)
    return problems


def _quick_problems(name: str, folder: Path) -> list[str]:
    """What the manifest and the source hash tell."""
    try:
        return manifest_problems(folder) or source_problems(name, folder, read_provenance(folder))
    except ValueError as error:  # no JSON
        return [str(error)]


def _finished(finish: Callable[[], list[str]]) -> list[str]:
    """What the load in a fresh process tells, once it has ended."""
    text = "load in a fresh process"
    with tqdm(total=1, desc=text, bar_format="{desc} {elapsed}", leave=False):
        return finish()


def check_suite(name: str, folder: Path, same: Collection[str] = ()) -> list[str]:
    """Checks one built suite by the rules of the Hub and its own; `same` are its known splits."""
    builder, provenance = suite_builder(name), read_provenance(folder)
    card, is_default = folder / "README.md", not provenance["options"]
    problems = card_problems(card, "dataset", canary(name))
    problems += gaps(card, "dataset", has_figures=is_default)
    problems += benchmark_problems(folder)
    viewer = viewer_problems(folder, builder.CLOSED_SETS)
    is_unrated = is_default and not provenance["ratings"]
    problems += viewer or _statistics_problems(builder, folder, is_default=is_unrated)
    problems += _config_problems(folder, str(builder.DEFAULT_CONFIG_NAME), provenance)
    for key in provenance["rows"]:
        problems += _split_problems(name, builder, folder, key, provenance, key in same)
    if is_default:
        problems += stale_results(name, provenance)
        problems += shallow_problems(name, str(builder.VERSION))
    return problems + ([] if problems else view_problems(name, folder))


def _statistics_problems(
    builder: type[SuiteBuilder], folder: Path, *, is_default: bool
) -> list[str]:
    """Columns that the viewer cannot count: problems of the default draw, else warnings."""
    of_others = {c.name for c in builder.CONFIGS if c.has_files or c.kind == "local"}
    problems = []
    for config, line in failing_statistics(folder):
        if is_default and config not in of_others:
            problems.append(line)
        else:
            print(f"warning: {line}", file=sys.stderr)
    return problems


def check_metric(name: str, folder: Path) -> list[str]:
    """Checks one staged metric but for the load; the leaderboard's page is compared alone."""
    if name == LEADERBOARD:
        return []
    card = folder / "README.md"
    problems = card_problems(card, "metric") + gaps(card, "metric")
    if not read_provenance(folder)["version"]:
        expected = 'a line VERSION = "x.y.z" in its scoring.py'
        problems.append(f"metrics/{name}: VERSION, got none; expected {expected}")
    return problems


def card_problems(path: Path, kind: str, canary_text: str = "") -> list[str]:
    """Checks a card's front matter by the lists, and that its prose is whole and has the canary."""
    front, _ = read_card(path)
    text = path.read_text(encoding="utf-8")
    settings = read_settings(FRONT_MATTER)
    required, optional = settings[kind]["required"], settings[kind]["optional"]
    lines = [f"{field}, got none; expected one" for field in required if field not in front]
    unknown = [field for field in front if field not in required + optional]
    lines += [f"field, got {field!r}; expected one of the Hub's" for field in unknown]
    for field, allowed in settings["values"].items():
        values = front.get(field, [])
        wrong = [v for v in ([values] if isinstance(values, str) else values) if v not in allowed]
        lines += [f"{field}, got {v!r}; expected one of {', '.join(allowed)}" for v in wrong]
    marks = [mark for mark in ("{{", "TODO", "More Information Needed") if mark in text]
    lines += [f"text, got {mark!r}; expected a finished card" for mark in marks]
    if canary_text not in text:
        lines.append(f"canary, got none; expected {canary_text}")
    return [f"{path}: {line}" for line in lines]


def source_problems(name: str, folder: Path, provenance: Mapping[str, Any]) -> list[str]:
    """A line if a folder is no build, or one of another tree."""
    if not provenance:
        return [f"{folder}: build, got none; expected a folder made by push.py build {name}"]
    found, expected = provenance["source_hash"], source_hash(name)
    if found == expected:
        return []
    return [f"{folder}: source hash, got {found[:12]}; expected {expected[:12]}: build it again"]


def _config_problems(folder: Path, default_config: str, provenance: Mapping[str, Any]) -> list[str]:
    """What a card and its folder say otherwise than the build; the viewer's rules say the rest."""
    (front, _), rows = read_card(card := folder / "README.md"), provenance["rows"]
    problems = []
    listed = {f"{config}/{split}" for config, split in own_splits(front)}
    built = {f"{config}/{split}" for config, split in split_names(folder)}
    if not listed == built == set(rows):
        expected = f"those of the card and of the build, {sorted(rows)}"
        problems.append(f"{folder}: splits, got {sorted(built)}; expected {expected}")
    defaults = [entry["config_name"] for entry in front["configs"] if entry.get("default")]
    if defaults != [default_config]:
        problems.append(f"{card}: default config, got {defaults}; expected [{default_config!r}]")
    return problems


def _split_problems(
    name: str,
    builder: type[SuiteBuilder],
    folder: Path,
    key: str,
    provenance: Mapping[str, Any],
    is_made: bool,
) -> list[str]:
    config, split = key.split("/")
    paths = split_paths(folder / config, split)
    where = str(paths[0] if len(paths) == 1 else folder / config / f"{split}-*.parquet")
    options = provenance["options"].items()
    switches = {option: value for option, value in options if isinstance(value, bool)}
    with tempfile.TemporaryDirectory() as cache:
        instance = builder_for(builder, name, config, switches, cache)
    expected = provenance["content_hashes"][key]
    problems = [] if is_made else _file_problems(name, instance, where, paths, expected)
    is_view = instance.config.kind == "training"
    rules = parallel_problems if is_view else instance.problems
    has_units = not is_view and builder.UNIT in instance.record.schema.names
    unit = builder.UNIT if has_units else ""
    rows = read_units(paths, unit, is_mixed=instance.is_mixed and unit != "id")
    found = [problem for table in rows for problem in rules(table)]
    if instance.is_mixed:
        found += order_problems(paths, instance.record.together)
    return problems + [f"{where}: {problem}" for problem in found]


def _file_problems(
    name: str, instance: SuiteBuilder, where: str, paths: list[Path], expected: str
) -> list[str]:
    """What files of a split tell that are not the very bytes that the tree makes."""
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
    found = content_hash_of_files(paths, features)
    if found != expected:
        problems.append(f"{where}: content hash, got {found[:12]}; expected {expected[:12]}")
    if count_rows(paths) == 0:
        problems.append(f"{where}: rows, got none; expected at least one")
    return problems + [
        f"{where}: {line}" for line in repeated_problems(paths, instance.distinct_columns())
    ]


def gaps(card: Path, kind: str, *, has_figures: bool = True) -> list[str]:
    """What a rendered card of a `dataset` or `metric` lacks; figures are of the default draw."""
    _, prose = read_card(card)
    headings = "\n".join(re.findall(r"^#{1,4} (.+)$", prose, re.MULTILINE))
    lines = [
        f"section, got none for {what}; expected a heading such as {what!r}"
        for what, pattern in read_settings(FRONT_MATTER)["sections"][kind].items()
        if not re.search(pattern, headings, re.IGNORECASE)
    ]
    if "```bibtex" not in prose:
        lines.append("citation, got none; expected the paper as a bibtex block")
    if kind == "dataset":
        lines += _dataset_gaps(prose, has_figures=has_figures)
    return [f"{card}: {line}" for line in lines]


def _dataset_gaps(prose: str, *, has_figures: bool) -> Iterator[str]:
    tables = re.findall(r"(?:^\|.*\|\n)+", prose, re.MULTILINE)
    n, wanted = max((len(lines_of(table.strip())) - 2 for table in tables), default=0), EXAMPLE_ROWS
    if n < wanted:
        yield f"example rows, got a longest table of {n}; expected one of {wanted} rows"
    if has_figures and "![" not in prose:
        yield "plot, got none; expected one from cards/results"
    unrun = re.findall(r"The study `(\w+)` has not been run", prose)
    if has_figures and unrun:
        got = f"results, got none of {', '.join(unrun)}"
        yield f"{got}; expected them written by the study with --write"
    if "CITATION.cff" not in prose:
        yield "citation of this package, got none; expected a word on CITATION.cff"
