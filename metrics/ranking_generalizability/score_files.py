"""Files of scores as one table: CSV, TSV, JSONL, JSON, Parquet, and result files of harnesses."""

import csv
import io
import json
import math
import os
import re
import struct
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, TypeGuard

from .._shared.columns import column_names, shown, to_list
from .._shared.plain_text import decode, json_lines, table_rows, unique_object
from .inputs import (
    METRIC,
    Table,
    arrows_of,
    grouped,
    in_code,
    is_average,
    is_blank,
    meaning_of,
    quoted,
    refusal,
    some_of,
    words_in,
)

# --- Result files of other tools as rows: lm-eval, lighteval, inspect, HELM, MTEB, every_eval_ever
#
# A task or benchmark is a unit. Groups of tasks are left out: their score is the mean of others. A
# model is told from another by its name and, where that is the same, by what else was said of it.

Row = dict[str, Any]
Told = tuple[bool | None, str]
"""Whether a higher score is better, None where nothing tells, and what tells it."""
SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT.*)?$")
MODEL_ARGUMENTS = ("peft", "delta", "pretrained", "model", "model_name", "path", "engine")
WITHOUT_EFFECT = words_in(
    "device devices batch_size max_batch_size tensor_parallel_size pipeline_parallel_size"
    " data_parallel_size gpu_memory_utilization parallelize device_map device_map_option cache_dir"
    " trust_remote_code base_url api_key num_concurrent max_retries timeout tokenizer_backend"
    " tokenized_requests offload_folder max_memory_per_gpu max_cpu_memory swap_space seed"
    " enforce_eager low_cpu_mem_usage use_accelerate accelerate token endpoint_key custom_outputs"
    " verify_certificate max_connections model_base_url eos_string"
)
"""Arguments of a model that make no other system of it."""


@dataclass(frozen=True)
class ResultOfFile:
    """One score of a result file, its metric named with the filter; `item`, where it is one item's.

    What else is said of the model and of the run, such as `n_shot`, is in `arguments` and `run`.
    """

    model: str
    task: str
    metric: str
    score: float
    file: Path
    is_higher_better: bool | None = None
    arguments: Mapping[str, str] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    item: Any = None


def result_rows(path: Path, found: Any, remarks: list[str]) -> list[ResultOfFile] | None:
    """All scores of the content of a result file, None where it is none.

    A file may name its model by the folder alone; `remarks` gets what is left out, sentences. A
    ValueError where the file is of a known tool, without a score that can be read.
    """
    said = _mapping(found)
    is_own = isinstance(said.get("signature"), str)
    readers = (
        (_is_helm(found), _helm),
        (isinstance(said.get("evaluation_results"), list), _every_eval_ever),
        (isinstance(said.get("eval"), dict) and "results" in said, _inspect),
        (isinstance(said.get("task_name"), str) and isinstance(said.get("scores"), dict), _mteb),
        (isinstance(said.get("results"), dict) and not is_own, _tasks),
    )
    read = next((read for is_of_tool, read in readers if is_of_tool), None)
    rows = list(read(path, found, remarks)) if read else None
    if rows is not None and not rows:
        raise refusal(f"{path}: scores", "none", "one per task")
    return rows


def results_table(
    results: Sequence[ResultOfFile], metric: str | None, remarks: list[str]
) -> dict[str, list[Any]]:
    """Results of all files as columns, in which `file` is the place of a row.

    A task is given by one metric, such as `acc` or `acc,none`; None for the first of all its files.
    """
    by_task = grouped((one.task, one) for one in results if _is_asked_for(one.metric, metric))
    if not by_task:
        known = ", ".join(sorted({one.metric for one in results})[:8])
        what = f"none named {metric!r}" if metric else "none that is a metric"
        raise refusal(f"{results[0].file}: scores", what, f"one per task, of {known}")
    chosen = [one for of_task in by_task.values() for one in _first_of_all(of_task)]
    columns: dict[str, list[Any]] = {"model": _told_apart(chosen, remarks)}
    columns |= {n: [getattr(one, n) for one in chosen] for n in ("task", "score", "metric")}
    columns |= {"higher_is_better": [one.is_higher_better for one in chosen]}
    if all(one.item is not None for one in chosen):
        columns["item"] = [one.item for one in chosen]
    for name in dict.fromkeys(name for one in chosen for name in one.run):
        columns[name] = [one.run.get(name) for one in chosen]
    for name in dict.fromkeys(name for one in chosen for name in one.arguments):
        columns.setdefault(name, [one.arguments.get(name) for one in chosen])
    return columns | {"file": [str(one.file) for one in chosen]}


def _is_asked_for(name: str, metric: str | None) -> bool:
    """Whether a metric of a file is a score, no count, spread or placeholder, and the one asked."""
    bare = name.split(",")[0]
    kind = meaning_of(bare).kind or meaning_of(name).kind
    is_score = kind in ("", "score", "cost", "average", "extreme")
    return is_score and metric in (None, name, bare, name.split("/")[-1])


def _first_of_all(results: Sequence[ResultOfFile]) -> list[ResultOfFile]:
    """Results of a task by the first metric that all its runs have."""
    names = [one.metric.removesuffix(",none") for one in results]  # a filter that changes nothing
    of = ((str(one.file), one.model) for one in results)
    runs = grouped(zip(of, names, strict=True)).values()
    common = next((name for name in names if all(name in has for has in runs)), None)
    if common is None:
        first, last = results[0], results[-1]
        got = f"{last.metric} where {first.file} has {first.metric}"
        raise refusal(f"{last.file}: {first.task}", got, "one metric in all: name it by `metric`")
    return [one for one, name in zip(results, names, strict=True) if name == common]


def _told_apart(results: Sequence[ResultOfFile], remarks: list[str]) -> list[str]:
    """Names of the systems, with what tells models of one name apart, which is said."""
    system: dict[int, str] = {}
    for model, of_model in grouped((one.model, one) for one in results).items():
        said = dict.fromkeys(name for one in of_model for name in one.arguments)
        varied = [n for n in said if len({one.arguments.get(n) for one in of_model}) > 1]
        names = [name for name in varied if name not in WITHOUT_EFFECT]
        for one in of_model:
            parts = [f"{n}={one.arguments[n]}" for n in names if n in one.arguments]
            system[id(one)] = f"{model} ({', '.join(parts)})" if parts else model
        if names:
            n = len({system[id(one)] for one in of_model})
            remarks.append(f"{in_code(model)} is {n} systems, told apart by {', '.join(names)}.")
    return [system[id(one)] for one in results]


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tasks(path: Path, found: Mapping[str, Any], remarks: list[str]) -> Iterator[ResultOfFile]:
    """Scores of lm-eval (all versions) and lighteval: `results` by task and metric."""
    tasks = {name: of for name, of in found["results"].items() if isinstance(of, dict)}
    if left := [name for name in found["results"] if name not in tasks]:
        remarks.append(f"{path}: {', '.join(map(str, left[:3]))} left out: no scores.")
    if groups := _groups(found, tasks):
        remarks.append(f"Groups of tasks, left out: {', '.join(sorted(groups)[:5])}.")
    model, arguments = model_of(path, found)
    better = _directions(found)
    for task, scores in tasks.items():
        if task in groups or _is_average_task(task):
            continue
        name, n_shot = _task_name(task, _at(found, "n-shot"))
        version, size = _at(found, "versions", task), _at(found, "n-samples", task, "effective")
        said = {"n_shot": n_shot, "task_version": version, "n_samples": size}
        run = {name: value for name, value in said.items() if value is not None}
        has_filters = any("," in key for key in scores)
        for metric, value in scores.items():
            if has_filters and "," not in metric:
                continue
            is_none = not isinstance(value, float) and is_blank(value)
            if is_none and meaning_of(metric.split(",")[0]).kind == "score":
                remarks.append(f"{path}: {in_code(task)} has no {metric}: {shown(value)}, a blank.")
                value = math.nan
            if not _is_number(value):
                continue
            is_higher = _at(better, task, metric.split(",")[0], kind=bool)
            yield ResultOfFile(model, name, metric, float(value), path, is_higher, arguments, run)


def _is_average_task(name: str) -> bool:
    return is_average(name.split("|")[0]) or ":_average" in name


def _groups(found: Mapping[str, Any], tasks: Mapping[str, Any]) -> set[str]:
    """Names of groups: by what the file says, and by the indents of what stands below them."""
    groups = {name for name, below in _mapping(found, "group_subtasks").items() if below}
    groups |= set(_mapping(found, "groups"))
    aliases = [str(of.get("alias") or "") for of in tasks.values()]  # such as ` - anatomy`
    bare = [alias.lstrip() for alias in aliases]
    depths = [(len(a) - len(b)) * b.startswith("- ") for a, b in zip(aliases, bare, strict=True)]
    below = zip(tasks, pairwise(depths), strict=False)
    return (groups | {name for name, (depth, next_one) in below if next_one > depth}) & set(tasks)


def _task_name(task: str, shots: Any) -> tuple[str, Any]:
    """Name of a task and its number of examples: `lighteval|arc|5`, or as the file has it."""
    parts = task.split("|")
    if len(parts) > 1 and parts[-1].isdigit():
        return "|".join(parts[:-1]), int(parts[-1])
    if len(parts) == 4:  # suite|task|shots|truncation
        return "|".join(parts[:2]), int(parts[2]) if parts[2].isdigit() else parts[2]
    return task, _at(shots, task)


def _directions(found: Mapping[str, Any]) -> Row:
    """Whether higher is better, by task and metric, as lm-eval or lighteval say it."""
    known = dict(_mapping(found, "higher_is_better"))
    for task, config in _mapping(found, "config_tasks").items():
        metrics = _at(config, "metrics") or _at(config, "metric")
        said = metrics if isinstance(metrics, list) else []
        of_task = {_at(one, "metric_name", kind=str): _at(one, "higher_is_better") for one in said}
        for name in _mapping(found, "results"):
            if name == task or name.rpartition("|")[0] == task:
                known.setdefault(name, of_task)
    return known


def model_of(path: Path, found: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Name of a result file's model, and its other arguments."""
    config = _mapping(found, "config") or _mapping(found, "config_general")
    arguments = _arguments(config.get("model_args"))
    arguments |= _arguments(config.get("model_config"))
    named = next((arguments[name] for name in MODEL_ARGUMENTS if arguments.get(name)), None)
    name = found.get("model_name") or config.get("model_name") or named or path.parent.name
    for key in ("revision", "dtype", "sha"):
        if said := _at(config, f"model_{key}", kind=str):
            arguments.setdefault(key, said)
    for key in ("system_instruction", "chat_template"):
        if (said := _at(found, f"{key}_sha", kind=str)) is not None:
            arguments[key] = said[:8]
    return str(name), {k: v for k, v in arguments.items() if v != str(name)}


def _arguments(given: Any) -> dict[str, str]:
    """Arguments of a model, written as text or as a mapping, as texts by name."""
    if isinstance(given, str):
        parts = [part.partition("=") for part in given.split(",") if "=" in part]
        return {name.strip(): value.strip() for name, _, value in parts}
    said = _mapping(given).items()
    return {str(name): str(v) for name, v in said if not isinstance(v, dict | list | None)}


def _mapping(value: Any, *keys: str) -> Mapping[str, Any]:
    """What stands below the keys if that is a mapping; else an empty one."""
    found = _at(value, *keys)
    return found if isinstance(found, Mapping) else {}


def _at(value: Any, *keys: str, kind: type = object) -> Any:
    """What stands below the keys, one in the other, if it is of the kind; else None."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, kind) else None


def sample_rows(
    path: Path, rows: Sequence[Mapping[str, Any]], metric: str | None
) -> list[ResultOfFile]:
    """Items of one task and model, by the first filter; the folder names the model."""
    name, _, wanted = (metric or "").partition(",")
    if not name:
        names = rows[0].get("metrics") or [n for n in ("acc", "exact_match") if n in rows[0]]
        numbers = [str(n) for n in names if isinstance(rows[0].get(n), int | float)]
        name = numbers[0] if numbers else "acc"
    chosen = wanted or rows[0].get("filter")
    task = match[1] if (match := SAMPLES.match(path.stem)) else path.stem
    of_filter = [row for row in rows if row.get("filter") == chosen]
    if not of_filter or any(not isinstance(row.get(name), int | float) for row in of_filter):
        raise refusal(f"{path}: {name}", "none of some item", "a number of each")
    shown = f"{name},{chosen}" if chosen else name
    return [
        ResultOfFile(path.parent.name, task, shown, float(row[name]), path, item=row["doc_id"])
        for row in of_filter
    ]


ZSTD = 93  # a way of packing that Python's own module reads from 3.14 on


def log_of_archive(path: Path, content: bytes) -> Any:
    """Header of a log that inspect wrote as an archive (`.eval`); a ValueError for no such log."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = archive.getinfo("header.json")
            if found.compress_type != ZSTD:
                return json.loads(archive.read(found))
        import pyarrow

        start = found.header_offset + 30  # of the local header, whose last two numbers are lengths
        start += sum(struct.unpack("<HH", content[start - 4 : start]))
        packed = content[start : start + found.compress_size]
        return json.loads(pyarrow.decompress(packed, found.file_size, "zstd", asbytes=True))
    except (zipfile.BadZipFile, KeyError, ValueError, RuntimeError, OSError) as error:
        raise refusal(f"{path}: log", error, "one of inspect") from None


def _inspect(path: Path, found: Mapping[str, Any], remarks: list[str]) -> Iterator[ResultOfFile]:
    """Scores of a log of inspect: the first scorer's stand first."""
    said, results = found["eval"], _mapping(found, "results")
    if found.get("status") not in (None, "success"):
        remarks.append(f"{path}: status {found.get('status')}: its scores may be of a part.")
    arguments = _arguments(said.get("model_args")) | _arguments(said.get("model_generate_config"))
    run = {f"task_arg_{k}": v for k, v in _arguments(said.get("task_args")).items()}
    if (created := _at(said, "created", kind=str)) is not None:
        run["created"] = created
    scores = results.get("scores")  # version 1 had one scorer
    scorers = scores if isinstance(scores, list) else [{"metrics": results.get("metrics")}]
    task = str(said.get("task_display_name") or said.get("task"))
    for scorer in map(_mapping, scorers):
        for unit, name, value in _metrics_of_scorer(task, _mapping(scorer, "metrics")):
            full = f"{name},{scorer['name']}" if scorer.get("name") else name
            model = str(said.get("model"))
            yield ResultOfFile(model, unit, full, float(value), path, None, arguments, run)


def _metrics_of_scorer(task: str, metrics: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Unit, name and value of the metrics of a scorer; groups are units where none is overall."""
    of_groups = {name: group for name, of in metrics.items() if (group := _at(of, "group"))}
    has_whole = any(map(is_average, of_groups))
    for name, metric in metrics.items():
        if not _is_number(value := _at(metric, "value")):
            continue
        if name not in of_groups:
            yield task, name, value
        elif is_average(name) or not has_whole:
            inner = _at(metric, "params", "metric", "name") or of_groups[name]
            yield task if has_whole else f"{task} ({name})", str(inner), value


def _is_helm(found: Any) -> bool:
    rows = [*map(_mapping, found)] if isinstance(found, list) else []
    return bool(rows) and all("count" in r and isinstance(r.get("name"), dict) for r in rows)


def _helm(path: Path, found: Sequence[Mapping[str, Any]], remarks: list[str]) -> list[ResultOfFile]:
    """Means of a run of HELM (`stats.json`), whose model stands in `run_spec.json` beside it."""
    spec = _beside(path.parent, "run_spec.json")
    name = str(spec.get("name") or path.parent.name)
    match = re.search(r"(?:^|[:,])model=([^,]+)", name)
    model = _at(spec, "adapter_spec", "model") or (match[1] if match else "")
    if not model:
        raise refusal(f"{path}: model", "none", "run_spec.json of HELM beside the file")
    task = re.sub(r"[:,]?model(_deployment)?=[^,]+", "", name) or name
    rows = []
    for row in found:
        said = row["name"]
        is_usual = said.get("split") in (None, "test", "valid") and not said.get("perturbation")
        if is_usual and _is_number(mean := row.get("mean")):
            metric, run = str(said.get("name")), {"split": said.get("split")}
            rows.append(ResultOfFile(str(model), task, metric, float(mean), path, None, {}, run))
    known = [row for row in rows if meaning_of(row.metric).kind == "score"]
    tested = [row for row in known if row.run["split"] == "test"]
    return tested or known


def _mteb(path: Path, found: Mapping[str, Any], remarks: list[str]) -> Iterator[ResultOfFile]:
    """Scores of a task of MTEB by subset, the main one first.

    model_meta.json names the model, else folders: MODEL/REVISION, or /experiments/NAME below these.
    """
    folder, arguments = path.parent, dict[str, str]()
    if folder.parent.name == "experiments":
        arguments, folder = {"experiment": folder.name}, folder.parent.parent
    meta = _beside(path.parent, "model_meta.json") or _beside(folder, "model_meta.json")
    model = folder.name
    if re.fullmatch(r"[0-9a-f]{7,40}|no_revision_available|external|main|\d+", model):
        arguments["revision"], model = model, folder.parent.name.replace("__", "/")
    model = model if (named := _at(meta, "name", kind=str)) is None else named
    if (revision := _at(meta, "revision", kind=str)) is not None:
        arguments["revision"] = revision
    for split, subsets in found["scores"].items():
        for row in map(_mapping, subsets if isinstance(subsets, list) else ()):
            subset = str(row.get("hf_subset", "default"))
            name = found["task_name"] + (f" ({subset})" if subset != "default" else "")
            for metric in dict.fromkeys(["main_score", *row]):
                if _is_number(value := row.get(metric)):
                    better, run = True if metric == "main_score" else None, {"split": split}
                    yield ResultOfFile(model, name, metric, value, path, better, arguments, run)


def _beside(folder: Path, name: str) -> Mapping[str, Any]:
    """What a JSON file of a folder says; nothing where there is none."""
    try:
        return _mapping(json.loads((folder / name).read_bytes()))
    except (OSError, ValueError, RecursionError):
        return {}


def _every_eval_ever(
    path: Path, found: Mapping[str, Any], remarks: list[str]
) -> Iterator[ResultOfFile]:
    """Scores of a record of every_eval_ever."""
    said = _mapping(found, "model_info")
    model = str(said.get("id") or said.get("name") or path.parent.name)
    details = _arguments(said.get("additional_details"))
    for entry in map(_mapping, found["evaluation_results"]):
        names = [_at(entry, "metric_config", f"metric_{name}") for name in ("id", "name", "kind")]
        unit, value = str(entry.get("evaluation_name")), _at(entry, "score_details", "score")
        lower = _at(entry, "metric_config", "lower_is_better", kind=bool)
        if not _is_number(value) or _is_average_task(unit):
            continue
        metric = str(next(filter(None, names), "score"))
        scorer, _, last = str(entry.get("evaluation_result_id") or "").rpartition(":")
        metric += f",{scorer}" if scorer and last == metric else ""  # as inspect names it
        better = None if lower is None else not lower
        result = ResultOfFile(model, unit, metric, float(value), path, better, details)
        yield result
        for other in filter(None, names[1:]):  # a metric may be asked for by any of its names
            if other != metric.split(",")[0]:
                yield replace(result, metric=f"{other}")


# --- Files of any kind as one table

SEPARATORS = {".csv": ",;\t|", ".tsv": "\t;,"}  # the first is the format's own
KINDS = (*SEPARATORS, ".jsonl", ".json", ".parquet", ".eval")
RESULTS = (".json", ".eval")
MOST_NAMED = 3


@dataclass(frozen=True)
class ScoreRows:
    """Cells of a table as they stand in it."""

    columns: Mapping[str, list[Any]]
    places: Sequence[str]  # of the rows, for messages, such as `scores.csv:3`
    is_european: bool = False  # parted by semicolons: a comma is a decimal mark there
    is_result: bool = False
    remarks: Sequence[str] = ()  # what was left out of the file, sentences

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.places)

    def chosen(self, rows: Sequence[int]) -> "ScoreRows":
        """Some of the rows."""
        columns = {name: [cells[i] for i in rows] for name, cells in self.columns.items()}
        return replace(self, columns=columns, places=[self.places[i] for i in rows])


def read_files(paths: Sequence[Path], metric: str | None) -> list[ScoreRows]:
    """Tables of files or folders, which stand for result files in them; these make one table.

    `metric` is the score to be taken from result files; None for each task's first. A ValueError
    where a file is of an unknown kind, broken or without scores.
    """
    listed = [path for path in paths if not path.is_dir()]
    for path in listed:
        if not path.exists():
            raise refusal(f"{path}: scores", "no such file or folder", "one")
        if path.suffix.lower() not in KINDS:
            raise refusal(f"{path}: format", path.suffix or "no ending", ", ".join(KINDS))
    folders = [_of_folder(folder) for folder in paths if folder.is_dir()]
    return read_contents([(path, path.read_bytes()) for path in listed], metric, folders)


def read_contents(
    files: Sequence[tuple[Path, bytes]],
    metric: str | None,
    folders: Sequence[tuple[Sequence[Path], Sequence[Path]]] = (),
) -> list[ScoreRows]:
    """Tables of files by name and content: `read_files` for what somebody uploads.

    A file that is no scores is an error; in `folders` it is left out, and it is said.
    """
    tables: list[ScoreRows] = []
    results: list[ResultOfFile] = []
    remarks: list[str] = []
    for path, content in files:
        found = read_file(path, content, metric, remarks)
        if isinstance(found, ScoreRows):
            tables.append(found)
        else:
            results += found
    for paths, others in folders:
        results += _results_of(paths, others, metric, remarks)
    if results:
        columns = results_table(results, metric, remarks)
        tables.append(ScoreRows(columns, columns["file"], False, True, remarks))
    return tables


def read_file(
    path: Path, content: bytes, metric: str | None, remarks: list[str]
) -> ScoreRows | list[ResultOfFile]:
    """Rows of one file, by its ending, or what a result file says; see `result_rows`."""
    kind = path.suffix.lower()
    if kind in SEPARATORS:
        return _read_table(path, content)
    if kind == ".parquet":
        return _of_rows(path, _parquet_rows(path, content))
    if kind == ".eval":
        return result_rows(path, log_of_archive(path, content), remarks) or []
    if kind == ".jsonl":
        return _read_lines(path, decoded(path, content), metric)
    return _read_json(path, decoded(path, content), remarks)


def _parquet_rows(path: Path, content: bytes) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        _check_doubled(path, pq.read_schema(io.BytesIO(content)).names)
        found: list[dict[str, Any]] = pq.read_table(io.BytesIO(content)).to_pylist()
    except (pa.ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise refusal(f"{path}: Parquet", said, "a whole file") from None
    return found


def _check_doubled(where: object, names: Sequence[str]) -> None:
    if doubled := [name for name in names if names.count(name) > 1]:
        raise refusal(f"{where}: column {doubled[0]!r}", "it twice", "it once")


def decoded(path: Path, content: bytes) -> str:
    """Text of a file as it stands, in UTF-8 or UTF-16; else a ValueError."""
    return decode(content, str(path), is_normalized=False).text


def _of_folder(folder: Path) -> tuple[list[Path], list[Path]]:
    """Result files of a folder, or items where it has none, and other scores; no items of these."""
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in KINDS and p.is_file())
    results = [path for path in files if path.suffix.lower() in RESULTS]
    items = [path for path in files if path.suffix == ".jsonl" and SAMPLES.match(path.stem)]
    if not (chosen := results or items):
        raise refusal(f"{folder}: result files", "none", "results*.json of a harness")
    known = {*chosen, *(path for path in items if path.parent in {one.parent for one in results})}
    return chosen, [path for path in files if path not in known]


def _results_of(
    paths: Sequence[Path], others: Sequence[Path], metric: str | None, remarks: list[str]
) -> list[ResultOfFile]:
    """Results of a folder; files that are none are left out where some are, and it is said."""
    results: list[ResultOfFile] = []
    foreign: list[ValueError] = []
    for path in paths:
        try:
            found = read_file(path, path.read_bytes(), metric, remarks)
            if isinstance(found, ScoreRows):
                raise refusal(f"{path}: JSON", "rows of a table", "a result file")
            results += found
        except ValueError as error:
            foreign.append(error)
    if not results and foreign:
        raise foreign[0]
    if foreign or others:
        names = [*map(str, others), *(str(error).split(": ")[0] for error in foreign)]
        remarks.append(f"No result files, left out: {some_of(names, MOST_NAMED)}.")
    return results


def _read_table(path: Path, content: bytes) -> ScoreRows:
    """Rows of a table, its cells as text."""
    text = decoded(path, content)
    separators, skipped = SEPARATORS[path.suffix.lower()], 0
    if declared := re.match(r"sep=(.)\r?\n", text):  # a line that spreadsheets write
        separators, text, skipped = declared[1], text[declared.end() :], 1
    header = text.lstrip("\r\n").split("\n", 1)[0]
    separator = max(separators, key=header.count)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for line, row in table_rows(text, separator):
            rows.append(row)
            lines.append(line + skipped)
            _check_cells(path, row, lines, separator)
    except csv.Error as error:
        where = f"{path}:{lines[-1] + 1 if lines else 1}: not readable as a table"
        raise ValueError(f"{where}: {error}; expected quotes that are closed") from None
    if len(rows) < 2:
        raise refusal(f"{path}: rows", max(0, len(rows) - 1), "a header and rows")
    names = [" ".join(name.split()) for name in rows[0]]
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if len(row) < len(names) or any(cell.strip() for cell in row[len(names) :]):
            expected = f"{len(names)}, as the header has"
            where = f"{path}:{line}: not readable as a table"
            raise ValueError(f"{where}: got {len(row)} cells; expected {expected}")
    columns = zip(names, zip_longest(*rows[1:], fillvalue=""), strict=False)
    named = [(name, list(c)) for name, c in columns if name or any(map(str.strip, c))]
    _check_doubled(path, [name for name, _ in named])
    return ScoreRows(dict(named), [f"{path}:{line}" for line in lines[1:]], separator == ";")


def _check_cells(path: Path, row: Sequence[str], lines: Sequence[int], separator: str) -> None:
    """Refuses a cell that holds whole rows: its quote was opened in one and closed in another."""
    for cell in row if any("\n" in cell for cell in row) else ():
        if any(line.count(separator) == len(row) - 1 > 0 for line in cell.split("\n")[1:-1]):
            where = f"{path}:{lines[-2] + 1 if len(lines) > 1 else 1}: not readable as a table"
            got = f"a cell of {cell.count(chr(10)) + 1} lines that look like rows"
            raise ValueError(f"{where}: got {got}; expected quotes that are closed")


def _read_lines(path: Path, text: str, metric: str | None) -> ScoreRows | list[ResultOfFile]:
    """Objects of JSON Lines: rows of a table, or items of a harness."""
    found = list(json_lines(text, str(path)))
    rows = [row for _, row in found]
    if rows and "doc_id" in rows[0] and ("filtered_resps" in rows[0] or "metrics" in rows[0]):
        return sample_rows(path, rows, metric)
    return _of_rows(path, rows, [line for line, _ in found])


def _read_json(path: Path, text: str, remarks: list[str]) -> ScoreRows | list[ResultOfFile]:
    """Rows of a JSON file: a list of rows, a dict of columns, or a harness's result."""
    try:
        found = json.loads(text, object_pairs_hook=unique_object)
    except (ValueError, RecursionError) as error:
        raise refusal(f"{path}: JSON", error, "rows or a result") from None
    results = result_rows(path, found, remarks)
    if results is not None:
        return results
    found = _of_pandas(found) if isinstance(found, dict) else found
    if isinstance(found, dict):
        lengths = {len(value) if isinstance(value, list) else -1 for value in found.values()}
        if len(lengths) == 1 and not lengths & {-1, 0}:
            return ScoreRows(found, _row_places(f"{path}: ", lengths.pop()))
    if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
        return _of_rows(path, found)
    keys = f" (keys {', '.join(list(map(str, found))[:5])})" if isinstance(found, dict) else ""
    tools = "lm-eval, lighteval, inspect, HELM, MTEB or every_eval_ever"
    expected = f"a list of rows, columns, or a result of {tools}{keys}"
    raise refusal(f"{path}: JSON", type(found).__name__, expected)


def _of_pandas(found: Mapping[str, Any]) -> Any:
    """Rows or columns of what pandas writes with row numbers as index; all else as it is."""
    cells, names, values = found.get("data"), found.get("columns"), list(found.values())
    rows = [*range(len(cells))] if isinstance(cells, list) else []
    if rows and isinstance(names, list) and found.get("index", rows) == rows:
        return [dict(zip(names, row, strict=True)) for row in cells or ()]
    if "schema" in found and rows:
        return cells
    is_nested = values and all(isinstance(of, dict) and of for of in values)
    if is_nested and [*found] == [*map(str, range(len(found)))]:
        return values
    if is_nested and all([*of] == [*map(str, range(len(of)))] for of in values):
        return {name: list(of.values()) for name, of in found.items()}
    return found


def _of_rows(path: Path, rows: Sequence[Row], lines: Sequence[int] = ()) -> ScoreRows:
    """A table of objects, which may lack fields."""
    if not (columns := _columns_of(rows)):
        raise refusal(f"{path}: rows", "none", "at least one")
    first = next(iter(columns))
    if all(isinstance(cell, dict) for cell in columns[first]):
        expected = "numbers and names, or a result file"
        raise refusal(f"{path}: rows", f"objects in {first!r}", expected)
    places = [f"{path}:{line}" for line in lines]
    return ScoreRows(columns, places or _row_places(f"{path}: ", len(rows)))


def _row_places(where: str, n: int) -> list[str]:
    return [f"{where}row {i + 1}" for i in range(n)]


# --- Tables in memory, and several as one


def joined(parts: Sequence[ScoreRows]) -> ScoreRows:
    """Rows of several files, one after the other; a column that one lacks is empty there."""
    if len({part.is_result for part in parts}) > 1:
        raise refusal(f"{METRIC}: files", "tables and result files", "one kind")
    names = dict.fromkeys(name for part in parts for name in part.columns)
    columns = {n: [c for p in parts for c in p.columns.get(n, [None] * p.n_rows)] for n in names}
    places = [place for part in parts for place in part.places]
    remarks = [remark for part in parts for remark in part.remarks]
    is_european = any(part.is_european for part in parts)
    return ScoreRows(columns, places, is_european, parts[0].is_result, remarks)


METRIC_COLUMNS = words_in(
    "metric metrics metricname measure scorename metricid metrik métrica métrique metriek"
    " \u6307\u6807"
)


def metric_columns(table: ScoreRows) -> list[str]:
    """Columns that name the metric of each row."""
    return [n for n in table.columns if re.sub(r"[\W_]", "", n.casefold()) in METRIC_COLUMNS]


def of_metric(table: ScoreRows, metric: str) -> ScoreRows:
    """Rows of one metric, of a table with a column of metrics."""
    named = metric_columns(table)
    if not named:
        expected = "result files of a harness, or a column of metrics: name a column by"
        expected += " columns={'score': ...}"
        raise refusal(f"{METRIC}: metric", f"{metric!r} for a table", expected)
    cells = [str(cell) for cell in table.columns[named[0]]]
    if metric not in cells:
        known = ", ".join(dict.fromkeys(cells))
        raise refusal(f"{METRIC}: metric", repr(metric), f"one of {known}")
    return table.chosen([i for i, cell in enumerate(cells) if cell == metric])


def table_of(data: Any, metric: str | None) -> ScoreRows:
    """A file, a folder or a list of these, a table in memory, or what `read_file` gave, as one.

    `metric` is the score to be taken from result files, or of a column that names metrics.
    """
    data = list(data) if isinstance(data, Iterator) else data
    listed: Any = [data] if isinstance(data, str | os.PathLike | ScoreRows) else data
    kinds = set(map(type, listed)) if isinstance(listed, list | tuple) else set()
    if kinds and all(issubclass(kind, str | os.PathLike) for kind in kinds):
        parts = read_files([Path(path) for path in listed], metric)
    elif kinds == {ScoreRows}:
        parts = list(listed)
    elif data is None:
        raise refusal(f"{METRIC}: data", "none beside columns", "a table")
    else:
        columns = _columns(data)
        parts = [ScoreRows(columns, _row_places("", len(next(iter(columns.values())))))]
    table = joined(parts)
    return table if metric is None or table.is_result else of_metric(table, metric)


def _columns(data: Any) -> dict[str, list[Any]]:
    """Columns as plain lists; rows that are dicts may lack fields."""
    data = _with_index(data)
    names = column_names(data)
    rows = list(data) if names is None and isinstance(data, Iterable) else []
    if wrong := [row for row in rows if not isinstance(row, Mapping)]:
        raise refusal(f"{METRIC}: data: row", shown(wrong[0]), "a mapping from columns")
    found = _columns_of(rows)
    _check_doubled(f"{METRIC}: data", list(map(str, names or found)))
    found |= {n: to_list(data[n], f"{METRIC}: data: {n}") for n in names or ()}
    lengths = set(map(len, found.values()))
    if len(lengths) != 1 or not max(lengths):
        got = f"columns of lengths {sorted(lengths)}" if found else type(data).__name__
        raise refusal(f"{METRIC}: data", got, "a table with columns and rows")
    return {str(name): column for name, column in found.items()}


def _columns_of(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Columns of rows that may lack fields, in the order in which these come."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _with_index(data: Any) -> Any:
    """A DataFrame or Series with its index as columns, where that says more than row numbers."""
    if not hasattr(data, "reset_index"):
        return data
    index = data.index
    is_plain = list(index.names) == [None] and index.tolist() == list(range(len(index)))
    if is_plain and hasattr(data, "columns"):
        return data
    try:
        return data.reset_index()
    except ValueError as error:
        got = f"the name of a column ({error})"
        raise refusal(f"{METRIC}: data: index", got, "another") from None


# --- Which scores of a table are the better ones: a column that says so, or names of metrics

_HIGHER, _LOWER = words_in("higher greater bigger larger"), words_in("lower smaller")
DIRECTIONS = {f"{word}isbetter": word in _HIGHER for word in _HIGHER | _LOWER}
"""Columns of truth values that say which scores are better, in small letters without blanks."""
TRUTHS = dict.fromkeys(words_in("true yes 1 1.0"), True)
TRUTHS |= dict.fromkeys(words_in("false no 0 0.0"), False)
_WAYS = dict.fromkeys(words_in("higher up max maximize maximise greater larger \u2191"), True)
_WAYS |= dict.fromkeys(words_in("lower down min minimize minimise smaller \u2193"), False)
WORDS_OF_DIRECTION = _WAYS | {f"{word} is better": told for word, told in _WAYS.items()}
AT_A_TIME = "rank the scores of one direction at a time"
ASSUMED = "assumed, since no name says what the scores are"
SAY_NOTHING = words_in("score scores value metricvalue result results points")
"""Names of scores, in small letters without blanks, to which the names of units are preferred."""


INDEX = re.compile(r"|Unnamed: .*|(?:level|__index_level)_\d+_*", re.DOTALL)


def is_index(name: str) -> bool:
    """Whether a column is the index of a table by its name, as pandas writes it out."""
    return bool(INDEX.fullmatch(name))


def plain_name(name: str) -> str:
    """Name by which a column is known: `Model name` is `model`, `data_set` is `dataset`."""
    if is_index(name):
        return "unit"
    letters = re.sub(r"[\W_]", "", unicodedata.normalize("NFC", name).casefold())
    return re.sub(r"(?<=.)(name|id)$", "", letters)


def direction_of_column(table: Table) -> tuple[bool, str] | None:
    """Whether a higher score is better by a column that says so, and its name; None for none.

    A ValueError where its cells are no truth values, or say two things.
    """
    for name in (one for one in table if plain_name(one) in ("direction", "better")):
        told = distinct(table[name])
        words = {WORDS_OF_DIRECTION.get(word) for word in told}
        if words in ({True}, {False}):
            return words == {True}, name
        if words == {True, False}:
            got = " and ".join(sorted(told)[:2])
            raise refusal(f"{METRIC}: {name}", got, f"one direction: {AT_A_TIME}")
    name = next((name for name in table if plain_name(name) in DIRECTIONS), "")
    if not name or not (cells := distinct(table[name])):
        return None
    said = {TRUTHS.get(cell) for cell in cells}
    if said not in ({True}, {False}):
        expected = f"true or false, the same in all rows: {AT_A_TIME}"
        raise refusal(f"{METRIC}: {name}", ", ".join(sorted(cells)[:4]), expected)
    return said == {DIRECTIONS[plain_name(name)]}, name


def distinct(cells: Sequence[Any]) -> set[str]:
    """What cells say that are not blank, in small letters."""
    return {str(cell).strip().casefold() for cell in cells if not is_blank(cell)}


def direction_of_labels(names: Sequence[Any], what: str) -> Told | None:
    """The direction of metrics, or of units that are such; None where no name says one."""
    labels = list(dict.fromkeys(map(str, names)))
    n_codes = sum(bool(re.fullmatch("[a-z]{2,3}", one)) for one in labels)
    if what == "unit" and 2 * n_codes > len(labels):
        return None  # codes of languages: `cer` and `wer` are two
    meanings = {label: meaning_of(label) for label in labels}
    known = {
        label: meaning.is_higher_better
        for label, meaning in meanings.items()
        if meaning.kind == "score" or meaning.is_just("cost")
    }
    lower = [label for label, better in known.items() if better is False]
    higher = [label for label, better in known.items() if better]
    if lower and higher and (len(known) == len(labels) or what == "metric"):
        got = f"{in_code(lower[0])}, of which a lower score is better, beside {in_code(higher[0])}"
        raise refusal(f"{METRIC}: {what}s", got, "scores of one kind")
    if labels and len(lower) == len(labels):
        return False, f"{quoted(lower)} by the names of the {what}s"
    if lower:
        return None, f"the {what} {in_code(lower[0])}, of which a lower score is better, and others"
    if what == "metric" and labels and len(higher) == len(labels):
        return True, f"{quoted(higher)} by the names of the metrics"
    return None


def direction_of_results(table: ScoreRows) -> Told:
    """What result files say, or the names of their metrics; None where neither does."""
    found: dict[bool | None, list[str]] = {}
    columns, told = (table.columns[n] for n in ("metric", "higher_is_better")), set[str]()
    for name, is_higher_better in dict.fromkeys(zip(*columns, strict=True)):
        told.add("by its name" if is_higher_better is None else "by the result files")
        if is_higher_better is None:
            is_higher_better = meaning_of(str(name)).is_higher_better
        found.setdefault(is_higher_better, []).append(str(name))
    if True in found and False in found:
        got = f"some of which a lower one is better ({found[False][0]}) and some of which a higher"
        got += f" one is ({found[True][0]})"
        raise refusal(f"{METRIC}: scores", got, "one kind: name it by `metric`")
    if None in found:
        return None, quoted(found[None])
    (direction,) = found
    return direction, f"{quoted(found[direction])} {' and '.join(sorted(told))}"


def direction_of(
    table: ScoreRows, columns: Mapping[str, Sequence[str]], layout: str, units: Sequence[Any]
) -> Told:
    """Whether a higher score is better; a ValueError where scores, columns or units have both."""
    if table.is_result:
        return direction_of_results(table)
    if told := direction_of_column(table.columns):
        return told[0], f"{in_code(told[1])} of the table"
    names = columns["score"]
    named = [] if set(metric_columns(table)) & set(columns["unit"]) else metric_columns(table)
    cells = (cell for name in named[:1] for cell in table.columns[name])
    metrics = list(dict.fromkeys(str(cell) for cell in cells if not is_blank(cell)))
    of_metrics = direction_of_labels(metrics, "metric")
    if of_metrics and (len(metrics) > 1 or layout != "long"):
        return of_metrics
    of_units = direction_of_labels(units, "unit")
    if layout == "long":
        constant = metrics if len(metrics) == 1 else []
        for name in [*constant, *names]:
            if of_units and plain_name(name) in SAY_NOTHING:
                return of_units
            if (better := meaning_of(name).is_higher_better) is not None:
                return better, f"{in_code(name)} by its name"
        return of_units or (None, in_code((*constant, *names)[0]))
    kinds = {name: meaning_of(name).kind for name in names if len(name) != 2}
    of_scores = [name for name, kind in kinds.items() if kind in ("score", "cost")]
    known = {name: meaning_of(name).is_higher_better for name in of_scores}
    directions = set(known.values())
    if directions == {True, False} and layout == "units":
        lower, higher = (next(n for n, of in known.items() if of is way) for way in (False, True))
        got = f"{in_code(lower)}, of which a lower one is better, beside {in_code(higher)}"
        raise refusal(f"{METRIC}: scores", got, "one kind")
    if len(known) == len(names) and len(directions) == 1 and None not in directions:
        return bool(directions.pop()), f"{in_code(names[0])} by its name"
    if False in directions or None in directions:
        return None, quoted([name for name, better in known.items() if not better])
    for name in columns["unit" if layout == "systems" else "system"]:
        of = meaning_of(name)
        if of.kind in ("score", "cost") and (of.is_whole or arrows_of(name)):
            return of.is_higher_better, f"{in_code(name)} by its name"  # a corner cell
    return of_units or (True, ASSUMED)
