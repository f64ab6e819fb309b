"""`eval.yaml`, by which the Hub lists a suite as a benchmark, where it has answers to score.

A suite whose rows are questions with an answer has `cards/datasets/<name>.eval.yaml`; a build adds
name and description from the card. The other suites are scored by their metrics, which no framework
of the Hub's list runs.
"""

import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from ground.paths import ROOT
from ground.tables import read_settings
from publish.build.cards import FRONT_MATTER, CardError, split_front_matter

EVAL = "eval.yaml"
FIELDS = ("name", "description", "evaluation_framework", "tasks")
TASK_FIELDS = ("id", "config", "split", "field_spec", "solvers", "scorers")
PLACEHOLDER = "prompt"  # what a template calls the input; the rest are columns of `metadata`


def benchmark_files(name: str, card: str) -> dict[str, bytes]:
    """`eval.yaml` of a suite, where `cards/` has one for it; else no file."""
    source = ROOT / "cards" / "datasets" / f"{name}.{EVAL}"
    if not source.exists():
        return {}
    front, prose = split_front_matter(card)
    told = {"name": front["pretty_name"], "description": first_sentence(prose)}
    content = told | read_benchmark(source)
    text = yaml.dump(content, Dumper=_Plain, allow_unicode=True, sort_keys=False, width=1000)
    return {EVAL: text.encode()}


def first_sentence(prose: str) -> str:
    """First sentence of a card's text, without headings and markup."""
    paragraphs = [part.split() for part in prose.split("\n\n")]
    own = (words for words in paragraphs if words and words[0][0] not in "#>|!<")
    text = " ".join(next(own, []))
    return re.split(r"(?<=[.?!]) ", re.sub(r"[*`]", "", text))[0]


def read_benchmark(path: Path) -> dict[str, Any]:
    """Content of an `eval.yaml`; a CardError where it is no YAML, or no mapping."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise CardError(f"{path}: content, got {error}; expected YAML") from error
    if not isinstance(content, dict):
        raise CardError(f"{path}: content, got {content!r}; expected fields such as tasks")
    return content


def benchmark_problems(folder: Path) -> list[str]:
    """What the Hub or the framework would refuse of a suite's `eval.yaml`, if it has one."""
    path = folder / EVAL
    if not path.exists():
        return []
    content = read_benchmark(path)
    known = read_settings(FRONT_MATTER)["eval"]["frameworks"]
    lines = list(_field_problems(content, FIELDS))
    if (framework := content.get("evaluation_framework")) not in known:
        expected = f"one of the Hub's that is used here: {', '.join(known)}"
        lines.append(f"evaluation_framework, got {framework!r}; expected {expected}")
    tasks = content.get("tasks")
    if not isinstance(tasks, list) or not tasks:
        return [f"{path}: {line}" for line in [*lines, f"tasks, got {tasks!r}; expected a list"]]
    ids = [task.get("id") for task in tasks if isinstance(task, dict)]
    if len(set(ids)) < len(tasks):
        lines.append(f"ids of the tasks, got {ids}; expected another for each")
    for i, task in enumerate(tasks):
        lines += [f"tasks[{i}]: {line}" for line in _task_problems(folder, task)]
    return [f"{path}: {line}" for line in lines]


def _field_problems(found: Any, fields: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"got {found!r}; expected fields {', '.join(fields)}"
        return
    for field in fields:
        if not found.get(field):
            yield f"{field}, got none; expected one"
    for field in sorted(set(found) - set(fields)):
        yield f"field, got {field!r}; expected one of {', '.join(fields)}"


def _task_problems(folder: Path, task: Any) -> list[str]:
    if problems := list(_field_problems(task, TASK_FIELDS)):
        return problems
    files = sorted((folder / str(task["config"])).glob(f"{task['split']}-*.parquet"))
    if not files:
        return [f"split, got {task['config']}/{task['split']}; expected a built one"]
    spec, columns = task["field_spec"], pq.read_schema(files[0]).names
    named = [(field, spec.get(field)) for field in ("input", "target")]
    named += [("metadata", column) for column in spec.get("metadata") or []]
    problems = [
        f"field_spec: {field}, got {column!r}; expected a column of the split"
        for field, column in named
        if column not in columns
    ]
    for kind in ("solvers", "scorers"):
        known = read_settings(FRONT_MATTER)["eval"][kind]
        problems += [
            f"{kind}, got {step!r}; expected a name of {', '.join(known)}"
            for step in task[kind]
            if not isinstance(step, dict) or step.get("name") not in known
        ]
    return [*problems, *_template_problems(task)]


def _template_problems(task: Mapping[str, Any]) -> Iterator[str]:
    """Templates ask for what a row gives them: its input, and columns listed as metadata."""
    given = {PLACEHOLDER, *(task["field_spec"].get("metadata") or [])}
    asked: set[str] = set()
    for step in task["solvers"]:
        text = str((step.get("args") or {}).get("template", ""))
        names = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        asked |= names
        if unknown := sorted(names - given):
            yield f"template, got {', '.join(unknown)}; expected of {', '.join(sorted(given))}"
    if PLACEHOLDER not in asked:
        yield f"templates, got none with {{{PLACEHOLDER}}}; expected the input in one"


class _Plain(yaml.SafeDumper):
    """Writes YAML without anchors, which not every reader follows, and texts as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        """No value is written as a reference to another."""
        return True

    def represent_str(self, text: str) -> yaml.ScalarNode:
        """A text of several lines as a block."""
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Plain.add_representer(str, _Plain.represent_str)
