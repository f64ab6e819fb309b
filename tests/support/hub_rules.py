"""What the Hub refuses of a card, `eval.yaml` and results, as its documents and its client say. The
lists stand in `hub_rules.toml`. The Hub's own messages are not public; these are of their form."""

import datetime
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import (
    DatasetCard,
    ModelCard,
    RepoCard,
    SpaceCard,
    eval_result_entries_to_yaml,
    parse_eval_result_entries,
)

from ground.tables import read_settings

RULES = read_settings(Path(__file__).with_name("hub_rules.toml"))
CARDS: dict[str, type[RepoCard]] = {"dataset": DatasetCard, "model": ModelCard, "space": SpaceCard}
FRONT_MATTER = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
RESULTS = re.compile(r"\.eval_results/[^/]+\.yaml")
TYPES = {"str": str, "list": list, "bool": bool}


def card_errors(text: str, kind: str) -> list[str]:
    """Reasons why the Hub refuses a README.md; none if it takes it.

    Args:
        text: The whole file.
        kind: Of the repository: `dataset`, `model` or `space`.
    """
    try:
        card = CARDS[kind](text)  # huggingface_hub's own model of the card
    except (ValueError, TypeError, KeyError, yaml.YAMLError) as error:
        return [f"YAML metadata: {error}".splitlines()[0]]
    block = FRONT_MATTER.match(card.content)
    front = (yaml.safe_load(block[1]) or {}) if block else {}
    errors = list(_one_of(front, kind)) + list(_matches(front, kind)) + list(_types(front, kind))
    if front.get("license") == "other" and not front.get("license_name"):
        errors.append('"license_name" is required where "license" is other')
    if kind == "space" and not front.get("sdk"):
        errors.append('"sdk" is required')
    return errors + (list(_configs(front)) if kind == "dataset" else [])


def result_errors(text: str) -> list[str]:
    """Reasons why the Hub refuses a file of `.eval_results`; none if it takes it. Fields by
    hub-docs' eval_results.yaml; huggingface_hub reads the entries."""
    try:
        entries = parse_eval_result_entries(yaml.safe_load(text))
        written = eval_result_entries_to_yaml(entries)
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError) as error:
        return [f"evaluation results: {type(error).__name__}: {error}".splitlines()[0]]
    if written != yaml.safe_load(text):
        return ["evaluation results: fields, got others than huggingface_hub writes"]
    errors = []
    for entry in entries:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", entry.dataset_id):
            errors.append('"dataset.id" must be owner/name')
        if isinstance(entry.value, bool) or not isinstance(entry.value, int | float):
            errors.append('"value" must be a number')
        elif entry.value != entry.value:
            errors.append('"value" must not be NaN')
        if entry.date is not None:
            try:
                datetime.datetime.fromisoformat(entry.date)
            except (TypeError, ValueError):
                errors.append('"date" must be an ISO 8601 string')
    return errors or ([] if entries else ["evaluation results: got no entry"])


def eval_errors(text: str) -> list[str]:
    """Reasons why the Hub refuses an `eval.yaml`; none if it takes it."""
    rules = RULES["eval"]
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [f"eval.yaml: {error}".splitlines()[0]]
    if not isinstance(content, dict):
        return ["eval.yaml must be an object"]
    errors = [f'"{field}" is required' for field in rules["fields"] if not content.get(field)]
    framework, tasks = content.get("evaluation_framework"), content.get("tasks")
    if framework not in rules["frameworks"]:
        errors.append(f'"evaluation_framework" must be one of [{", ".join(rules["frameworks"])}]')
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        return [*errors, '"tasks" must be an array of objects']
    needed = ["id", *(rules["inspect_ai"] if framework == "inspect-ai" else [])]
    errors += [
        f'"tasks[{i}].{field}" is required'
        for i, task in enumerate(tasks)
        for field in needed
        if not task.get(field)
    ]
    ids = [str(task.get("id")) for task in tasks]
    return errors + ['"tasks" must have unique ids'] * (len(set(ids)) < len(ids))


def _of(kind: str, what: str) -> Iterator[tuple[str, Any]]:
    for part in ("card", kind):
        yield from RULES.get(part, {}).get(what, {}).items()


def _values(front: Mapping[str, Any], field: str) -> list[Any]:
    found = front.get(field, [])
    return found if isinstance(found, list) else [found]


def _one_of(front: Mapping[str, Any], kind: str) -> Iterator[str]:
    for field, allowed in _of(kind, "one_of"):
        for value in _values(front, field):
            if value not in allowed:
                yield f'"{field}" must be one of [{", ".join(allowed[:3])}, ...], got {value!r}'


def _matches(front: Mapping[str, Any], kind: str) -> Iterator[str]:
    for field, pattern in _of(kind, "matches"):
        for value in _values(front, field):
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                yield f'"{field}" must match {pattern}, got {value!r}'


def _types(front: Mapping[str, Any], kind: str) -> Iterator[str]:
    for field, name in _of(kind, "types"):
        if field in front and not isinstance(front[field], TYPES[name]):
            yield f'"{field}" must be of type {name}, got {front[field]!r}'
    for tag in _values(front, "tags"):
        if not isinstance(tag, str):
            yield f'"tags" must hold strings, got {tag!r}'


def _configs(front: Mapping[str, Any]) -> Iterator[str]:
    configs = _values(front, "configs")
    names = [config.get("config_name") for config in configs if isinstance(config, dict)]
    if len(names) < len(configs) or None in names:
        yield '"configs" must hold objects with a "config_name"'
    if len(set(names)) < len(names):
        yield '"configs" must have unique names'
    if sum(bool(config.get("default")) for config in configs if isinstance(config, dict)) > 1:
        yield '"configs" must have at most one default'
