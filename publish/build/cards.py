"""Renders a card: front matter and prose from `cards/`, numbers from the build and the studies.

No number is typed twice.
"""

import functools
import importlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import jinja2
import pyarrow.parquet as pq
import yaml

from builders.reference_lines import ScoreLine, lines_of, people_of, published_of
from builders.shallow import bar, null_of
from builders.suites import SuiteTest, tests_of
from dataset_scripts.registry import suite_builder
from dataset_scripts.suite import canary
from ground.markdown import markdown_table
from ground.paths import ROOT
from ground.references import bibtex
from ground.tables import read_settings, read_text
from metrics._shared.option_fields import ABOUT
from publish.build.parquet import count_rows, features_of, split_paths, take_rows
from publish.build.training_views import built_views, training_text

FRONT_MATTER = ROOT / "publish" / "build" / "front_matter.toml"
SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")  # between the Hub's categories
WHOLE = "test"  # the split that every tool asks for
SITE = re.compile(r"<!-- site -->\n(.*?)<!-- end of site -->\n", re.DOTALL)
"""What of a card stands on the documentation site alone: the Hub shows the rest."""
N_SYSTEMS = 3  # that a card shows
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same, ten times as fast where it is
OPTION = ("option", "values", "default", "meaning")
Splits = Mapping[tuple[str, str], Sequence[Path]]
"""Files of a built suite by config and split."""


class CardError(ValueError):
    """A card cannot be rendered; the message says which card and why."""


def render_dataset_card(
    name: str, folder: Path, default_config: str, provenance: Mapping[str, Any]
) -> str:
    """README.md of a built suite, from the text in `cards/datasets/<name>.md`."""
    front, prose = read_card(ROOT / "cards" / "datasets" / f"{name}.md")
    splits = split_files(folder)
    front["size_categories"] = [_size_category(sum(map(count_rows, splits.values())))]
    front["configs"] = _configs(splits, default_config)
    front["dataset_info"] = _dataset_info(name, splits)
    functions = dataset_functions(name, folder, splits, provenance)
    return assemble_card(front, fill_card(name, SITE.sub("", prose), functions))


def render_metric_card(name: str, version: str) -> str:
    """README.md of a metric's Space from `cards/metrics/<name>.md`."""
    path = ROOT / "cards" / "metrics" / f"{name}.md"
    front, prose = read_card(path)
    required = read_settings(FRONT_MATTER)["metric"]["required"]
    if missing := [field for field in required if field not in front]:
        got = f"{path}: front matter, got no {', '.join(missing)}"
        raise CardError(f"{got}; expected {', '.join(required)}")
    filled = fill_card(name, SITE.sub("", prose), metric_functions(name, version))
    return assemble_card(front, filled)


def metric_functions(name: str, version: str) -> dict[str, Any]:
    """Names that a metric's card may use."""
    return {
        "version": version,
        "result": result,
        "plot": lambda *_: "",
        "bibtex": bibtex,
        "options": lambda: options_table(name),
    }


def options_table(name: str) -> str:
    """Markdown table of a metric's options, from the fields that also check them; its signature."""
    module = importlib.import_module(f"metrics.{name}.options")
    rows = [
        {name: f"`{row[name]}`" if name in ("option", "default") else row[name] for name in OPTION}
        for row in module.Options.table()
    ]
    return f"Options of `compute`:\n\n{markdown_table(rows)}\n\n{ABOUT}"


def dataset_functions(
    name: str, folder: Path, splits: Splits, provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """Names that a dataset card may use: figures of the build, example rows, results."""

    def keys_of(config: str, split: str | None) -> Iterator[tuple[str, str]]:
        return (key for key in splits if key[0] == config and split in (None, key[1]))

    def rows(config: str, split: str | None = None) -> str:
        return f"{sum(count_rows(splits[key]) for key in keys_of(config, split)):,}"

    def size_mb(config: str) -> str:
        n_bytes = sum(path.stat().st_size for path in (folder / config).glob("*.parquet"))
        return f"{n_bytes / 1e6:.1f}"

    def examples(
        config: str, n: int = 10, columns: list[str] | None = None, split: str | None = None
    ) -> str:
        paths = next(splits[key] for key in keys_of(config, split))
        n_rows = count_rows(paths)
        places = [(2 * i + 1) * n_rows // (2 * n) for i in range(n)]
        return markdown_table(take_rows(paths, places, columns).to_pylist(), digits=2)

    def is_of(study: str) -> bool:
        path = results_folder(name) / f"{study}.json"
        return path.exists() and not differing_stamp(path, name, provenance)

    return {
        **provenance,
        "name": name,
        "canary": canary(name),
        "has_views": bool(built_views(name, folder)),
        "training_views": lambda: training_text(name, folder, provenance),
        "bibtex": bibtex,
        "rows": rows,
        "configs": lambda: configs_table(name, splits, rows, size_mb),
        "view_names": lambda: view_names(name, splits),
        "score_lines": functools.partial(score_lines, name),
        "shallow": functools.partial(shallow_percent, name),
        "size_mb": size_mb,
        "examples": examples,
        "ratings": lambda: ratings_text(name, provenance),
        "result": lambda study: result(name, study) if is_of(study) else not_run(study),
        "plot": lambda study, text: (
            f"![{text}](plots/{study}.png)"
            if is_of(study) and (results_folder(name) / f"{study}.png").exists()
            else ""
        ),
    }


def configs_table(
    name: str, splits: Splits, rows: Callable[[str], str], size_mb: Callable[[str], str]
) -> str:
    """Markdown table of the evaluation configs that were built."""
    built = {config for config, _ in splits}
    shown = [
        {"config": f"`{one.name}`", "rows": rows(one.name), "MB": size_mb(one.name)}
        | {"what": one.text}
        for one in suite_builder(name).CONFIGS
        if one.kind in ("draw", "view") and one.name in built
    ]
    return markdown_table(shown).strip()


def view_names(name: str, splits: Splits) -> str:
    """A sentence that names the training views that were built."""
    built = {config for config, _ in splits}
    configs = suite_builder(name).CONFIGS
    views = [f"`{c.name}`" for c in configs if c.name in built and c.kind == "training"]
    if not views:
        return "This build has no training views."
    return (
        "These configs have `train`, `validation` and `test`, and only the columns of their task."
        " The suffix says what the parts do not share: `_items`, `_words` or `_constructions`."
        f" `push.py check` verifies it on every row. {', '.join(views)}."
    )


def shallow_percent(name: str, config: str, score: str, part: str = "") -> str:
    """What the best shallow reader has in a score of a config, or of a part; behind / a split."""
    place = config if "/" in config else f"{config}/test"
    found = bar(name, f"{place}{part and f':{part}'}", score)
    if found is None:
        got = f"{name}: {config} {score}, got no shallow reader"
        raise CardError(f"{got}; expected one: make nulls")
    return f"{100 * found.value:.0f}"


def score_lines(name: str, config: str = "") -> str:
    """Markdown table of the lines that a score of a test, by default the first, is read by."""
    test = next(test for test in tests_of(name) if config in ("", test.config))
    every = lines_of(test)
    shown = [line for line in every if line.kind == "system"][:N_SYSTEMS]
    for kind in ("shortcut", "null", "rule", "ceiling"):
        shown += [line for line in every if line.kind == kind][:1]
    rows = [
        {
            f"{test.config}, {test.title}": {"null": "NULL"}.get(line.kind, line.kind),
            "name": f"`{line.name}`",
            "score": f"{100 * line.score:.1f} %",
            "what it is": line.says or "measured by this project",
        }
        for line in shown
    ]
    none = f"No system was measured on `{test.name}` yet."
    said = [markdown_table(rows).strip() if rows else none, *_bars_elsewhere(test, shown)]
    for one in published_of(test)[:1]:
        first = list(one.systems.items())[:4]
        told = ", ".join(f"{who} {100 * score:.1f} %" for who, score in first)
        said.append(f"The paper ({one.source}), in its own measure {one.title}: {told}.")
    if people := people_of(test):
        said.append(f"People: {people}")
    return "\n\n".join(said)


def _bars_elsewhere(test: SuiteTest, shown: Sequence[ScoreLine]) -> Iterator[str]:
    """What NULL and the best shortcut are on another config, where systems of a table were run."""
    systems = (line for line in shown if line.kind == "system")
    for config in sorted({line.config for line in systems} - {"", test.config}):
        place = f"{config}/{test.split}"
        null, best = (find(test.suite, place, test.score) for find in (null_of, bar))
        if null and best:
            yield (
                f"On `{config}`, where the systems were measured, NULL is {100 * null.value:.1f} %"
                f" and the best shortcut {100 * best.value:.1f} %."
            )


def ratings_text(name: str, provenance: Mapping[str, Any]) -> str:
    """Who rated the rows and how they agree, or that nobody has and how ratings come in."""
    record = provenance.get("ratings")
    if record is None:
        return (
            "Nobody has rated these rows yet: `rating_mean` and `n_raters` are null. "
            f"`python push.py build {name} --ratings FILE --raters WHO` fills them from a CSV or "
            "JSON Lines file with the columns `id`, `rater`, `question` and `value`."
        )
    rows = [
        {name.removeprefix("n_"): value for name, value in row.items()}
        for row in record["agreement"]
    ]
    return (
        f"Raters: {record['raters']} `rating_mean` is the mean for `{record['question']}`. "
        "Agreement is Krippendorff's alpha for interval data (1 perfect, 0 chance; no number: no "
        f"row has two ratings, or all are equal).\n\n{markdown_table(rows, digits=3)}"
    )


def result(suite: str, study: str) -> str:
    """The text that a study wrote with `--write`, or a line that says it has not been run."""
    path = results_folder(suite) / f"{study}.md"
    return path.read_text(encoding="utf-8").strip() if path.exists() else not_run(study)


def not_run(study: str) -> str:
    """What stands for the result of a study that was not run on these rows."""
    return f"*The study `{study}` has not been run for this version.*"


def results_folder(suite: str) -> Path:
    """Folder of a suite's results."""
    return ROOT / "cards" / "results" / suite


def stale_results(suite: str, provenance: Mapping[str, Any]) -> list[str]:
    """The results of a suite that were measured on something else than the built one."""
    paths = sorted(results_folder(suite).glob("*.json"))
    return list(filter(None, (differing_stamp(path, suite, provenance) for path in paths)))


def differing_stamp(path: Path, suite: str, provenance: Mapping[str, Any]) -> str:
    """How the stamp of a result differs from a build, "" where it does not."""
    stamp = json.loads(path.read_text(encoding="utf-8"))
    rows = suite_builder(suite).stamp(provenance["content_hashes"], stamp.get("configs", ()))
    built = {"suite": suite, "draw": provenance["options"], **rows}
    if not (differing := [name for name in built if stamp.get(name) != built[name]]):
        return ""
    found, expected = (
        ", ".join(f"{name} {str(values.get(name))[:12]}" for name in differing)
        for values in (stamp, built)
    )
    where = path.relative_to(ROOT)
    return f"{where}: stamp, got {found}; expected {expected}; run {stamp['command']}"


def read_card(path: Path) -> tuple[dict[str, Any], str]:
    """Front matter and prose of a card; a CardError where it has none or the YAML is broken."""
    if not path.exists():
        raise CardError(f"{path}: card, got none; expected a file with front matter and prose")
    try:
        return split_front_matter(read_text(path))
    except CardError as error:
        raise CardError(f"{path}: {error}") from error


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Front matter and prose of a text; a CardError where it has none or the YAML is broken."""
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise CardError("front matter, got none; expected YAML between two lines of ---")
    head, _, prose = text[4:].partition("\n---\n")
    try:
        front = yaml.load(head, Loader=LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # such as a date in month 13
        got = " ".join(str(error).split())
        raise CardError(f"front matter, got {got}; expected YAML") from error
    if not isinstance(front, dict):
        raise CardError(f"front matter, got {head[:60]!r}; expected lines such as title: Name")
    return front, prose


def fill_card(name: str, prose: str, names: Mapping[str, Any]) -> str:
    """The prose of a card with its placeholders filled; a CardError for an unknown name."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    try:
        return environment.from_string(prose).render(names)
    except (jinja2.TemplateError, StopIteration, KeyError) as error:
        got = f"cards of {name}: got {type(error).__name__}: {error}"
        raise CardError(f"{got}; expected names that the build gives") from error


def rendered_page(path: Path, names: Mapping[str, Any]) -> str:
    """A template of HTML with its names filled; what is text in them stays text."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(path.read_text(encoding="utf-8")).render(names)


def assemble_card(front: Mapping[str, Any], prose: str) -> str:
    """Front matter and prose as the text of a card."""
    head = yaml.safe_dump(dict(front), allow_unicode=True, sort_keys=False, width=1000)
    return f"---\n{head}---\n{prose}"


def split_files(folder: Path) -> Splits:
    """Files of each config and split."""
    return {(c, split): split_paths(folder / c, split) for c, split in sorted(split_names(folder))}


def split_names(folder: Path) -> set[tuple[str, str]]:
    """Config and split of all Parquet files."""
    return {(path.parent.name, path.name.split("-")[0]) for path in folder.glob("*/*.parquet")}


def _configs(splits: Splits, default_config: str) -> list[dict[str, Any]]:
    names = {config for config, _ in splits}
    entries = []
    for name in sorted(names, key=lambda name: (name != default_config, name)):
        own = {split: f"{name}/{split}-*.parquet" for config, split in splits if config == name}
        files: list[dict[str, Any]] = [{"split": s, "path": path} for s, path in own.items()]
        if WHOLE not in own:  # where a paper's splits have other names: tools ask for `test`
            paths = list(own.values())
            files.insert(0, {"split": WHOLE, "path": paths if paths[1:] else paths[0]})
        is_default = {"default": True} if name == default_config else {}
        entries.append({"config_name": name, "data_files": files, **is_default})
    return entries


def is_whole(entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an entry of a config's `data_files` is a `test` of all files of the other entries."""
    paths = [entry["path"]] if isinstance(entry["path"], str) else list(entry["path"])
    others = [other["path"] for other in entries if other is not entry]
    return entry["split"] == WHOLE and bool(others) and paths == others


def own_splits(front: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Config and split of all files that a card lists, without splits of other splits' files."""
    return [
        (config["config_name"], entry["split"])
        for config in front["configs"]
        for entry in config["data_files"]
        if not is_whole(entry, config["data_files"])
    ]


def _dataset_info(suite: str, splits: Splits) -> list[dict[str, Any]]:
    infos = []
    for name in sorted({config for config, _ in splits}):
        files = {split: paths for (config, split), paths in splits.items() if config == name}
        every = [*chain(*files.values())]
        shown = files if WHOLE in files else {WHOLE: every, **files}
        told: list[dict[str, Any]] = [
            {"name": split, "num_bytes": _memory_size(paths), "num_examples": count_rows(paths)}
            for split, paths in shown.items()
        ]
        infos.append(
            {
                "config_name": name,
                **suite_builder(suite).info_texts(name),
                "features": features_of(every[0])._to_yaml_list(),
                "splits": told,
                "download_size": sum(path.stat().st_size for path in every),
                "dataset_size": sum(one["num_bytes"] for one in told),
            }
        )
    return infos


def _memory_size(paths: Sequence[Path]) -> int:
    found = map(pq.read_metadata, paths)
    groups = (data.row_group(i) for data in found for i in range(data.num_row_groups))
    return sum(int(group.total_byte_size) for group in groups)


def _size_category(n: int) -> str:
    place = max(len(str(n)) - 3, 0)
    if place >= len(SIZES):
        return "n>1T"
    return f"{SIZES[place - 1]}<n<{SIZES[place]}" if place else "n<1K"
