"""Checks what was built: files against provenance, rows against the suite's rules, cards against the Hub's lists, and a load from outside.

Every problem is one line: where, what, got, expected. No problems: an empty list.
"""

import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from dataset_scripts.content import content_hash
from dataset_scripts.registry import builder_for, suite_builder, suite_names
from dataset_scripts.suite import SuiteBuilder, canary
from ground.paths import ROOT
from ground.tables import read_settings
from publish.build import read_provenance
from publish.cards import CardError, read_card, stale_results
from publish.completeness import gaps
from publish.metrics import metric_names, source_hash
from publish.parquet import canary_of, features_of
from publish.viewer import viewer_problems

FRONT_MATTER = ROOT / "publish" / "front_matter.toml"


def check(out: Path, names: list[str]) -> list[str]:
    """Checks the built suites and metrics named; gives the problems."""
    problems = []
    for name in names:
        folder = out / name
        if not read_provenance(folder):
            problems.append(
                f"{folder}: build, got none; expected a folder made by push.py build {name}"
            )
            continue
        check_folder = check_suite if name in suite_names() else check_metric
        try:
            problems += check_folder(name, folder)
        except CardError as error:
            problems.append(str(error))
    return problems or reload_problems(out, names)


def check_suite(name: str, folder: Path) -> list[str]:
    """Checks one built suite but for the reload."""
    builder, provenance = suite_builder(name), read_provenance(folder)
    problems = _source_problems(name, folder, provenance)
    problems += card_problems(folder / "README.md", "dataset", canary(name)) + gaps(
        folder / "README.md", "dataset"
    )
    problems += viewer_problems(folder, builder.CLOSED_SETS)
    problems += _config_problems(folder, str(builder.DEFAULT_CONFIG_NAME), provenance)
    for key in provenance["rows"]:
        problems += _split_problems(name, builder, folder, key, provenance)
    if not provenance["options"]:
        problems += stale_results(name, provenance["version"], provenance["content_hash"])
    return problems


def check_metric(name: str, folder: Path) -> list[str]:
    """Checks one staged metric but for the load."""
    card = folder / "README.md"
    problems = (
        _source_problems(name, folder, read_provenance(folder))
        + card_problems(card, "metric")
        + gaps(card, "metric")
    )
    if not read_provenance(folder)["version"]:
        problems.append(
            f'metrics/{name}: VERSION, got none; expected a line VERSION = "x.y.z" in its scoring.py'
        )
    return problems


def card_problems(path: Path, kind: str, canary_text: str = "") -> list[str]:
    """Checks a card's front matter against the lists of fields and values, and that its prose was rendered and carries the canary."""
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


def reload_problems(out: Path, names: list[str]) -> list[str]:
    """Loads every config and metric in a fresh process outside the repository; gives what failed."""
    expected = {n: read_provenance(out / n)["rows"] for n in names if n in suite_names()}
    script = textwrap.dedent("""
        import sys, json
        rows, metrics = json.loads(sys.argv[1]), json.loads(sys.argv[2])
        if rows:
            from datasets import load_dataset
        for folder, splits in rows.items():
            for key, n in splits.items():
                config, split = key.split("/")
                got = load_dataset(folder, config, split=split).num_rows
                if got != n:
                    print(f"{folder}: {key}, got {got} rows; expected {n}")
        if metrics:
            import evaluate
        for folder in metrics:
            evaluate.load(folder)
    """)
    rows = {str((out / name).resolve()): splits for name, splits in expected.items()}
    metrics = [str((out / name).resolve()) for name in names if name in metric_names()]
    return _run_outside(script, rows, metrics)


def _run_outside(script: str, rows: Mapping[str, Any], metrics: list[str]) -> list[str]:
    import json
    import os

    with tempfile.TemporaryDirectory() as elsewhere:
        environment = {
            **os.environ,
            "HF_HOME": elsewhere,
            "HF_HUB_OFFLINE": "1",
            "HF_EVALUATE_OFFLINE": "1",
            "PYTHONPATH": "",
        }
        run = subprocess.run(
            [sys.executable, "-c", script, json.dumps(rows), json.dumps(metrics)],
            cwd=elsewhere,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    problems = [line for line in run.stdout.splitlines() if "; expected" in line]
    if run.returncode:
        problems.append(
            f"reload: process outside the repository, got {run.stderr.strip().splitlines()[-1]}; expected every load to work"
        )
    return problems


def _source_problems(name: str, folder: Path, provenance: Mapping[str, Any]) -> list[str]:
    if provenance["source_hash"] == source_hash(name):
        return []
    return [
        f"{folder}: source hash, got {provenance['source_hash'][:12]}; expected {source_hash(name)[:12]}: build it again"
    ]


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
            f"{folder}: splits, got {sorted(built)}; expected those of the card and of the build, {sorted(provenance['rows'])}"
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
    path = folder / config / f"{split}-00000-of-00001.parquet"
    switches = {
        option: value for option, value in provenance["options"].items() if isinstance(value, bool)
    }
    with tempfile.TemporaryDirectory() as cache:
        instance = builder_for(builder, name, config, switches, cache)
    if features_of(path) != instance.config.features:
        return [f"{path}: features, got {features_of(path)}; expected {instance.config.features}"]
    table = pq.read_table(path)
    problems = (
        []
        if canary_of(path) == canary(name)
        else [f"{path}: canary, got {canary_of(path)!r}; expected {canary(name)!r}"]
    )
    found, expected = (
        content_hash(table, instance.config.features),
        provenance["content_hashes"][key],
    )
    if found != expected:
        problems.append(f"{path}: content hash, got {found[:12]}; expected {expected[:12]}")
    if table.num_rows == 0:
        problems.append(f"{path}: rows, got none; expected at least one")
    if (
        "id" in table.column_names
        and pc.count_distinct(table["id"], mode="all").as_py() != table.num_rows
    ):
        problems.append(
            f"{path}: id, got a repeated one; expected one for each of {table.num_rows} rows"
        )
    return problems + [f"{path}: {problem}" for problem in instance.problems(table)]
