"""Result files of other harnesses as rows: `system`, `unit`, `score`, `metric`, `lower`.

lm-evaluation-harness writes one `results_*.json` per model and one `samples_<task>_*.jsonl` per
task; every_eval_ever has one record per model. A task or benchmark is a unit. Groups of tasks are
left out: their score is the mean of others.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT.*)?$")


class ResultRow(dict[str, Any]):
    """A row of a result file, which knows its metric and direction; not a row of a user's table."""

    def shown(self) -> Row:
        """The row without what is said of all of them."""
        return {name: value for name, value in self.items() if name not in ("lower", "metric")}


def result_rows(path: Path, found: Mapping[str, Any], metric: str | None) -> list[ResultRow] | None:
    """Rows of a result file, None where it is none.

    Args:
        path: Where it lies; a harness's file may name its model by the folder alone.
        found: Its content.
        metric: Name of the score, such as `acc` or `acc,none`; None for the first of each task.

    Raises:
        ValueError: No task has the score.
    """
    if isinstance(found.get("evaluation_results"), list):
        rows = list(_evaluations(found, metric))
    elif isinstance(found.get("results"), dict) and not isinstance(found.get("signature"), str):
        rows = list(_tasks(path, found, metric))
    else:
        return None
    if not rows:
        raise ValueError(f"{path}: scores, got none named {metric!r}; expected one per task")
    return [ResultRow(row) for row in rows]


def is_sample(row: Mapping[str, Any]) -> bool:
    """Whether a row is an item of lm-evaluation-harness (`--log_samples`)."""
    return "doc_id" in row and ("filtered_resps" in row or "metrics" in row)


def sample_rows(
    path: Path, rows: Sequence[Mapping[str, Any]], metric: str | None
) -> list[ResultRow]:
    """Items of one task and model, by the first filter; the folder names the model.

    Raises:
        ValueError: An item lacks the score.
    """
    name, _, wanted = (metric or "").partition(",")
    if not name:
        names = rows[0].get("metrics") or [n for n in ("acc", "exact_match") if n in rows[0]]
        name = str(names[0]) if names else "acc"
    chosen = wanted or rows[0].get("filter")
    match = SAMPLES.match(path.stem)
    task = match[1] if match else path.stem
    of_filter = [row for row in rows if row.get("filter") == chosen]
    if not of_filter or any(not isinstance(row.get(name), int | float) for row in of_filter):
        raise ValueError(f"{path}: {name}, got none of some item; expected a number of each")
    common = {"system": path.parent.name, "unit": task, "metric": name, "lower": False}
    return [
        ResultRow(common | {"item": row["doc_id"], "score": float(row[name])}) for row in of_filter
    ]


def _tasks(path: Path, found: Mapping[str, Any], metric: str | None) -> list[Row]:
    groups = {name for name, tasks in (found.get("group_subtasks") or {}).items() if tasks}
    groups |= set(found.get("groups") or {})
    system = _model(path, found)
    rows = []
    for task, scores in found["results"].items():
        names = [n for n in scores if _is_score(n, scores[n]) and _matches(n, metric)]
        if task in groups or not names:
            continue
        name = names[0]
        better = (found.get("higher_is_better") or {}).get(task) or {}
        lower = better.get(name.split(",")[0]) is False
        row: Row = {"system": system, "unit": task, "score": float(scores[name])}
        rows.append(row | {"metric": name, "lower": lower})
    return rows


def _model(path: Path, found: Mapping[str, Any]) -> str:
    config = found.get("config") or found.get("config_general") or {}
    arguments = config.get("model_args") or ""
    named = arguments if isinstance(arguments, str) else f"pretrained={arguments.get('pretrained')}"
    match = re.search(r"pretrained=([^,]+)", named)
    name = found.get("model_name") or config.get("model_name") or (match and match[1])
    return str(name or path.parent.name)


def _is_score(name: str, value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and "_stderr" not in name and name not in ("alias", "samples")


def _matches(name: str, metric: str | None) -> bool:
    return metric is None or metric in (name, name.split(",")[0])


def _evaluations(found: Mapping[str, Any], metric: str | None) -> list[Row]:
    model = found.get("model_info") or {}
    rows = []
    seen: set[str] = set()
    for entry in found["evaluation_results"]:
        config = entry.get("metric_config") or {}
        names = [config.get("metric_id"), config.get("metric_name"), config.get("metric_kind")]
        unit = str(entry.get("evaluation_name"))
        value = (entry.get("score_details") or {}).get("score")
        is_wanted = metric in names if metric else unit not in seen
        if not is_wanted or not isinstance(value, int | float):
            continue
        seen.add(unit)
        row: Row = {"system": str(model.get("id") or model.get("name")), "unit": unit}
        row |= {"score": float(value), "metric": str(next(filter(None, names), "score"))}
        rows.append(row | {"lower": bool(config.get("lower_is_better"))})
    return rows
