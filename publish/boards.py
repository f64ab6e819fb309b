"""The leaderboard of a suite: one page that needs nothing else, with the results that we measured.

`leaderboard.html` lies in every built suite. It opens from a folder or as a static Space, shows
what the studies wrote into `cards/results/` for the built draw, and reads what `push.py result`
writes: files that a person chooses, or those that `results/index.json` beside it lists.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from dataset_scripts.headlines import HEADLINES
from dataset_scripts.registry import suite_builder, system_and_config
from ground.paths import ROOT
from metrics.signature import read_signature
from publish.cards import differing_stamp, read_card, results_folder
from publish.metric_files import metric_version

TEMPLATE = ROOT / "publish" / "board"
PAGE = "leaderboard.html"
LEVEL = 0.95


def stage_board(name: str, folder: Path, provenance: Mapping[str, Any]) -> None:
    """Writes the page into a built suite with its card; a suite without a headline has none."""
    if name in HEADLINES:
        title = str(read_card(folder / "README.md")[0]["pretty_name"])
        text = board_page(name, title, committed_entries(name, provenance))
        (folder / PAGE).write_text(text, encoding="utf-8", newline="\n")


def board_page(name: str, title: str, entries: list[dict[str, Any]]) -> str:
    """The page as text."""
    headline = HEADLINES[name]
    data = {"suite": name, "headline": headline.title, "entries": entries}
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        (TEMPLATE / "board.html").read_text(encoding="utf-8")
    )
    style, script = (
        Markup((TEMPLATE / file).read_text(encoding="utf-8")) for file in ("board.css", "board.js")
    )
    inside = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return template.render(
        title=title,
        headline=headline.title,
        null_is=headline.null_is,
        style=style,
        script=script,
        entries=Markup(inside),
    )


def committed_entries(name: str, provenance: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the results of the built draw that have the suite's headline, by task and system.

    What was scored on a part of a config stands on no board.
    """
    headline = HEADLINES[name]
    found = []
    for path in sorted(results_folder(name).glob("*.json")):
        stamp = json.loads(path.read_text(encoding="utf-8"))
        is_current = stamp["metrics"].get(headline.metric) == metric_version(headline.metric)
        if is_current and not differing_stamp(path, name, provenance):
            found += list(_entries(name, path.stem, stamp, provenance))
    return sorted(found, key=lambda entry: (entry["task"], entry["system"]))


def _entries(
    name: str, study: str, stamp: Mapping[str, Any], provenance: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    splits = {key.split("/")[1] for key in provenance["rows"]}
    headline = HEADLINES[name]
    for key, result in stamp["figures"].items():
        if not isinstance(result, dict) or f"{headline.score}_low" not in result:
            continue
        system, config = system_and_config(name, key)
        signatures = stamp.get("signatures", ())
        if is_of_a_part(signatures, system):
            continue
        signed = signed_config(signatures, system, study)
        ends = [result[f"{headline.score}_{end}"] for end in ("low", "high")]
        has_interval = not any(math.isnan(end) for end in ends)
        yield {
            "suite": name,
            "task": config or task_of(name, study, splits, signed),
            "system": system,
            "value": result[headline.score],
            "low": ends[0] if has_interval else None,
            "high": ends[1] if has_interval else None,
            "confidence": LEVEL,
            "null": headline.null(result),
            "is_above": headline.is_above(result),
            "source": stamp["command"],
            "clusters": None,
        }


def signed_config(signatures: Iterable[str], system: str, study: str = "") -> str:
    """The config that a study scored a system on, by its signatures; "" for none.

    Of many it is the one that stands in the name of the study's record; "" where none does.

    Example:
        >>> end = "|system:x|metric:subject_object_las|version:2.0.0"
        >>> signed_config([f"config:dutch_lite{end}"], "x")
        'dutch_lite'
        >>> both = [f"config:{name}{end}" for name in ("dutch_lite", "released_dutch_head")]
        >>> signed_config(both, "x", "dutch_parsers_released_dutch_head_amb")
        'released_dutch_head'
    """
    runs = [read_signature(text).run for text in signatures]
    found = {run.get("config", "") for run in runs if run.get("system") == system}
    named = {config for config in found if f"_{config}_" in study}
    chosen = found if len(found) == 1 else named
    return chosen.pop() if len(chosen) == 1 else ""


def is_of_a_part(signatures: Iterable[str], system: str) -> bool:
    """Whether a system was scored on other rows than a whole config: its signature names none.

    Example:
        >>> is_of_a_part(["suite:centerbench|system:x|metric:m|version:2.0.0"], "x")
        True
    """
    runs = [read_signature(text).run for text in signatures]
    return any(run.get("system") == system and "config" not in run for run in runs)


def task_of(name: str, study: str, splits: Iterable[str], config: str = "") -> str:
    """The rows of a study whose keys name no config: its own or the default one, and its split.

    Example:
        >>> task_of("sorts", "subject_object_part_amb", ["amb", "part_amb"])
        'conll_part_amb'
        >>> task_of("sorts", "dutch_parsers_dutch_lite_amb", ["amb", "part_amb"], "dutch_lite")
        'dutch_lite_amb'
    """
    ends = [f"_{split}" for split in splits if study.endswith(f"_{split}")]
    config = config or suite_builder(name).DEFAULT_CONFIG_NAME
    return f"{config}{max(ends, key=len, default='')}"
