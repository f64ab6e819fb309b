"""The leaderboard: one page for all suites that needs nothing else, with the results we measured.

`hub/leaderboard` is a static Space, which also opens from a folder. It shows what the studies wrote
into `cards/results/` for the published draw and the VERSIONs of today, and reads results that a
person chooses or that `results/index.json` beside it lists, by the rules of `push.py result`.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markupsafe import Markup

from builders import shallow
from builders.reference_lines import people_of, published_of, signed_config
from builders.shallow import ABOVE, Shallow
from builders.suites import SuiteTest, reference_kind, settings_of, tests_of
from dataset_scripts.headlines import HEADLINES, Headline
from dataset_scripts.registry import suite_builder, system_and_config
from ground.paths import ROOT
from metrics._shared.option_fields import RUN_FIELDS, Signature, read_signature
from publish.build.cards import read_card, rendered_page, results_folder
from publish.build.metrics import LEADERBOARD, metric_version, source_hash

TEMPLATE = ROOT / "publish" / "build" / "board"
LEVEL = 0.95
NEEDED = ("suite", "suite_version", "config", "split", "draw", "system")
HARMLESS = ("seed", "n_resamples", "confidence", "lexicon", "compared_with", "compare_with")
"""Options that leave the headline as it is."""


def board_folder() -> tuple[dict[str, bytes], dict[str, Any]]:
    """All files of the leaderboard but what a build adds of itself, and its provenance."""
    page = board_page(board_data()).encode()
    digest = hashlib.sha256(page).hexdigest()
    files = {"index.html": page, "README.md": (TEMPLATE / "card.md.txt").read_bytes()}
    told = {"page": LEADERBOARD, "version": digest[:12]}  # other results are another version
    return files, told | {"content_hash": digest, "source_hash": source_hash(LEADERBOARD)}


def board_page(data: Mapping[str, Any]) -> str:
    """The page as text, from what `board_data` gives."""
    style, script = (
        Markup((TEMPLATE / f"board.{end}").read_text("utf-8")) for end in ("css", "js")
    )
    inside = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    names = {"above": ABOVE, "style": style, "script": script, "data": Markup(inside)}
    return rendered_page(TEMPLATE / "board.html", names)


def board_data(entries: Iterable[Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """What the page is made from: by default the results of today's VERSIONs."""
    if entries is None:
        entries = [entry for name in HEADLINES for entry in committed_entries(name)]
    rows = list(entries)
    own = {name: [row for row in rows if row["suite"] == name] for name in HEADLINES}
    return {
        "suites": {name: _suite(name, of_suite) for name, of_suite in own.items()},
        "run_fields": [*RUN_FIELDS, "metric", "version"],
        "needed": list(NEEDED),
        "harmless": list(HARMLESS),
        "entries": [row for row in rows if not row["reference"]],
    }


def _suite(name: str, entries: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What the page must know of a suite: its rules, and the lines of each of its tasks."""
    headline, settings = HEADLINES[name], settings_of(name)
    report, builder = settings.get("report", {}), suite_builder(name)
    configs = comparable_configs(name)
    card, _ = read_card(ROOT / "cards" / "datasets" / f"{name}.md")
    return {
        "title": str(card["pretty_name"]),
        "headline": headline.title,
        "score": headline.score,
        "null": settings["headline"]["null"],
        "null_without": settings["headline"].get("null_without"),
        "null_is": headline.null_is,
        "parts": settings["headline"].get("parts"),
        "measures": report.get("measures", []),
        "tables": report.get("parts", {}),
        "expected": compared_by(name, str(builder.DEFAULT_CONFIG_NAME)),
        "configs": configs,
        "since": {config: builder.version_of(config) for config in configs},
        "tasks": _tasks(name, headline, entries),
    }


def comparable_configs(name: str) -> list[str]:
    """Configs of a suite whose results are compared."""
    return [config.name for config in suite_builder(name).CONFIGS if config.kind != "training"]


def _tasks(
    name: str, headline: Headline, entries: list[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Lines, bar and what is told of each task that was searched, is a test or has rows."""
    known = [one for one in shallow.shallow_readers(name) if one.score == headline.score]
    searched = [one for one in known if one.kind != "leak"]
    places = {task_name(one.config): one.config for one in searched}
    # of several tests of a config the first, which has the headline
    asked = reversed([*tests_of(name)] if "tests" in settings_of(name) else [])
    tests = {task_name(f"{test.config}/{test.split}"): test for test in asked}
    found = {}
    for task in sorted({*places, *tests, *(entry["task"] for entry in entries)}):
        readers = [one for one in searched if one.config == places.get(task)]
        clusters = shallow.bar_clusters(name, places[task], headline.score) if readers else {}
        bars = [one for one in readers if one.is_shallow]
        test = tests.get(task)
        own = [entry for entry in entries if entry["task"] == task and entry["reference"]]
        found[task] = {
            "asks": test.asks if test else "",
            "people": people_of(test) if test else "",
            "bar": _line(max(bars, key=lambda one: one.value)) if bars else None,
            "nothing": next((_line(one) for one in readers if one.kind == "null"), None),
            "clusters": clusters,
            "lines": [*_lines(readers, own), *(_published(headline.score, test) if test else ())],
        }
    return found


def _line(one: Shallow) -> dict[str, Any]:
    said = {key: getattr(one, key) for key in ("kind", "value", "low", "high")}
    return said | {"label": one.reader}


def _lines(readers: list[Shallow], own: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The best shortcut that was searched, the best that was measured, every rule and ceiling."""
    told = [{"kind": e["reference"], "label": e["system"], "value": e["value"]} for e in own]
    measured = [one for one in told if one["kind"] == "shortcut"]
    return [
        *(_line(one) for one in readers if one.kind in ("shortcut", "rule")),
        *sorted(measured, key=lambda one: -one["value"])[:1],
        *(one for one in told if one["kind"] in ("rule", "ceiling")),
    ]


def _published(score: str, test: SuiteTest) -> Iterator[dict[str, Any]]:
    """What papers printed for a test: a line each, or one for all of another measure, `of`."""
    for one in published_of(test):
        if one.score == score:
            for system, value in one.systems.items():
                yield {"kind": "published", "label": f"{system} ({one.source})", "value": value}
        else:
            systems = ", ".join(f"{s} {100 * value:.1f}" for s, value in one.systems.items())
            yield {"kind": "published", "label": f"{systems} ({one.source})", "of": one.title}


def committed_entries(name: str) -> list[dict[str, Any]]:
    """Rows of the results of the published draw that have the suite's headline, task by task.

    What was scored on a part of a config, or on rows of an older VERSION, stands on no board.
    """
    headline = HEADLINES[name]
    found = []
    for path in sorted(results_folder(name).glob("*.json")):
        stamp = json.loads(path.read_text(encoding="utf-8"))
        is_scored = stamp["metrics"].get(headline.metric) == metric_version(headline.metric)
        is_of_today = stamp["version"] == suite_builder(name).newest(stamp.get("configs", ()))
        if is_scored and is_of_today and stamp["draw"] == {}:
            found += list(_entries(name, path.stem, stamp))
    return sorted(found, key=lambda entry: (entry["task"], entry["system"]))


def _entries(name: str, study: str, stamp: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    headline = HEADLINES[name]
    for key, result in stamp["figures"].items():
        if not isinstance(result, dict) or f"{headline.score}_low" not in result:
            continue
        system, config = system_and_config(name, key)
        signatures = stamp.get("signatures", ())
        place = place_in(name, study, config or signed_config(signatures, system, study))
        source = _signature(signatures, system, place)
        if not source:
            continue
        ends = [result[f"{headline.score}_{end}"] for end in ("low", "high")]
        has_interval = not any(math.isnan(end) for end in ends)
        yield {
            "suite": name,
            "task": task_name(place),
            "system": system,
            "reference": reference_kind(name, system),
            "value": result[headline.score],
            "low": ends[0] if has_interval else None,
            "high": ends[1] if has_interval else None,
            "confidence": LEVEL,
            "null": headline.worth_nothing(result, place),
            "is_above": headline.is_above(result, place),
            "source": source,
            "command": stamp["command"],
            "clusters": None,
            "measures": dict(_measures(name, result)),
        }


def _signature(signatures: Iterable[str], system: str, place: str) -> str:
    """The signature of a system on all rows of a place; "" where it was scored on others."""
    for text in signatures:
        run = read_signature(text).run
        if run.get("system") == system and place == f"{run.get('config')}/{run.get('split')}":
            return text
    return ""


def _measures(name: str, result: Mapping[str, Any]) -> Iterator[tuple[str, list[float | None]]]:
    """What a row's break-down has: the measures that reports show, with their intervals."""
    for measure in settings_of(name).get("report", {}).get("measures", ()):
        ends = [result.get(f"{measure}{end}", math.nan) for end in ("", "_low", "_high")]
        if not math.isnan(ends[0]):
            yield measure, [None if math.isnan(end) else end for end in ends]


def place_in(name: str, study: str, config: str = "") -> str:
    """`CONFIG/SPLIT` of a study: its own config or the default one, the split that ends its name.

    Example:
        >>> place_in("sorts", "subject_object_part_amb")
        'conll/part_amb'
        >>> place_in("sorts", "dutch_parsers_dutch_lite_amb", "dutch_lite")
        'dutch_lite/amb'
        >>> place_in("eras", "segmentation", "traditional_lite")
        'traditional_lite/test'
    """
    config = config or str(suite_builder(name).DEFAULT_CONFIG_NAME)
    splits = {test["split"] for test in settings_of(name).get("tests", ())}
    ends = [split for split in splits if study.endswith(f"_{split}")]
    return f"{config}/{max(ends, key=len, default='test')}"


def task_name(place: str) -> str:
    """A task by `CONFIG/SPLIT`: the config, and the split where that is not `test`.

    Example:
        >>> task_name("conll/amb"), task_name("lite/test")
        ('conll_amb', 'lite')
    """
    config, _, split = place.partition("/")
    return config if split == "test" else f"{config}_{split}"


def compared_by(suite: str, config: str) -> dict[str, str]:
    """What the signature of a comparable result says, in the order in which it is asked for."""
    metric = HEADLINES[suite].metric
    return {
        "suite_version": suite_builder(suite).version_of(config),
        "draw": "0",
        "edition": "generated",
        "metric": metric,
        "version": metric_version(metric),
    }


def check_comparable(signature: Signature) -> None:
    """Raises a ValueError where a result was not made as a leaderboard's others are."""
    run = signature.run
    if missing := [name for name in NEEDED if name not in run]:
        given = ", ".join(f'"{name}": ...' for name in missing)
        raise ValueError(
            f"signature: {missing[0]}, got none; expected it of `compute(..., run={{{given}}})`"
        )
    if run["suite"] not in HEADLINES:
        raise ValueError(f"suite, got {run['suite']!r}; expected one of {', '.join(HEADLINES)}")
    if run["config"] not in (configs := comparable_configs(run["suite"])):
        raise ValueError(f"config, got {run['config']!r}; expected one of {', '.join(configs)}")
    end = "by which the suite's results are compared"
    got = {"edition": "generated", **run}
    got |= {"metric": signature.metric, "version": signature.version}
    for name, value in compared_by(run["suite"], run["config"]).items():
        if got[name] != value:
            raise ValueError(f"{name}, got {got[name]}; expected {value}, {end}")
    for name, option in signature.options.items():
        if name not in HARMLESS:
            raise ValueError(f"option, got {name}={option!r}; expected the default, {end}")
