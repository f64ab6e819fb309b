"""Finished scores as tables that are committed, and back into a store under their keys.

    python -m research morphseg generalizability --export-scores DIR
    python -m research morphseg generalizability --import-scores DIR

with the options of the run. DIR is `builders/morphseg/data` for what is committed. Data sets of a
model are written when all their splits are there; rows that the tables hold already stay, so that
several stores may be exported one after the other. A stack of networks is taken in where all of it
and no other network is there, since its members are part of its jobs' keys. Of new test sets only
the mean, deviation and range of a trained model are written, which no store can take in. The
seconds that a job took are not kept.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from builders.morphseg import scores as committed
from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import Setting
from ground.files import write_whole
from ground.tables import NOT_APPLICABLE
from research.engine.loop import Row
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.plan import (
    REVISION,
    SEQ2SEQ,
    Bundle,
    Kind,
    Plan,
    characteristics_tasks,
    pool_hash,
    score_tasks,
)
from research.studies.morphseg.results import StoredRun, planned_new_tests
from research.systems.morphology.morphological_segmenters import describe_segmenter
from research.systems.weights import library_version

KEYS = {
    "scores": "language size method protocol seed model data_set split",
    "score_runs": "language size method protocol seed model",
    "score_splits": "language size method protocol seed data_set split",
    "new_test_scores": "language size method protocol seed model data_set split test_size",
}
DIGITS = 16
DECIMALS = 5  # of what sums new test sets up
SOURCE = (
    "# source: our own measurements, python -m research morphseg generalizability --export-scores;"
    " after Liu & Prud'hommeaux (TACL 2022)\n"
    "# licence: CC BY 4.0\n"
)
_FIGURES = ("test_size", "n_tests", "f1_mean", "f1_sd", "f1_lowest", "f1_highest")
Keyed = dict[tuple[Any, ...], Any]


def export_scores(stored: StoredRun, folder: Path) -> committed.Measured:
    """Adds what a store has finished of a plan to the tables of a folder; gives all of them."""
    measured: tuple[Sequence[Any], ...] = committed.read_scores(folder)
    tables = [_keyed(name, rows) for name, rows in zip(committed.FILES, measured, strict=True)]
    for setting in stored.plan.settings:
        for name, table, found in zip(
            committed.FILES, tables, _found(stored, setting), strict=True
        ):
            for key, row in _keyed(name, found).items():
                if table.setdefault(key, row) != row:
                    raise ValueError(
                        f"{folder / name}.tsv: {' '.join(map(str, key))}, got"
                        f" {_differing(table[key], row)}; remove the rows that are not of this run"
                    )
    for name, table in zip(committed.FILES, tables, strict=True):
        write_whole(folder / f"{name}.tsv", table_text(name, table))
    return committed.read_scores(folder)


def import_scores(stored: StoredRun, folder: Path) -> int:
    """Puts rows of a folder's tables into the store, those of the plan that it lacks; how many."""
    measured = committed.read_scores(folder)
    runs = {(committed.setting_of(run), run.model): run for run in measured.runs}
    scores = _by_setting(measured.scores)
    splits = _by_setting(measured.splits)
    n = 0
    for setting in stored.plan.settings:
        keys = _setting_keys(setting)
        for model in {row.model for row in scores.get(keys, ())} & set(stored.plan.models):
            _check(runs[keys, model], _made_by(stored.plan, setting, model))
        own = {
            (row.model, row.data_set, row.split): _kept(row, METRICS) | {"seconds": math.nan}
            for row in scores.get(keys, ())
        }
        n += _put(stored, setting, "scores", _tasks_alike(stored.plan, setting, own), own)
        own = {("", row.data_set, row.split): _kept(row, FEATURES) for row in splits.get(keys, ())}
        tasks = characteristics_tasks(stored.plan, setting)
        n += _put(stored, setting, "characteristics", tasks, own)
    return n


def _found(stored: StoredRun, setting: Setting) -> tuple[list[Any], ...]:
    """Rows of the four tables, of data sets that are whole."""
    keys, plan = asdict(_setting_keys(setting)), stored.plan
    scored = _whole(stored, setting, "scores", score_tasks(plan, setting))
    scores = [committed.ScoreRow(**keys, **_own(committed.ScoreRow, row)) for row in scored]
    described = _whole(stored, setting, "characteristics", characteristics_tasks(plan, setting))
    splits = [committed.SplitRow(**keys, **_own(committed.SplitRow, row)) for row in described]
    tested = _whole(stored, setting, "new_tests", planned_new_tests(stored, setting))
    new_tests = [of_size for row in tested for of_size in _summed_up(keys, row)]
    of_models: list[committed.MeasuredModel] = [*scores, *new_tests]
    runs = [_made_by(plan, setting, m) for m in dict.fromkeys(row.model for row in of_models)]
    return scores, runs, splits, new_tests


def _summed_up(keys: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[committed.NewTestRow]:
    """A trained model on its new test sets, a row for each size of these."""
    sizes, f1 = np.array(row["sizes"]), np.array(row["f1"], float)
    for size in dict.fromkeys(row["sizes"]):
        own = f1[sizes == size]
        figures = (own.mean(), own.std(ddof=1) if len(own) > 1 else 0.0, own.min(), own.max())
        rounded = (round(float(figure), DECIMALS) for figure in figures)
        own_keys = {name: row[name] for name in ("model", "data_set", "split")}
        found = dict(zip(_FIGURES, (size, len(own), *rounded), strict=True))
        yield committed.NewTestRow(**keys, **own_keys, **found)


def _whole(
    stored: StoredRun, setting: Setting, kind: Kind, tasks: Iterator[Bundle]
) -> Iterator[Mapping[str, Any]]:
    rows = {row["key"]: row for row in stored.store(setting, kind).read().to_pylist()}
    for task in tasks:
        if all(job.key in rows for job in task.jobs):
            yield from (rows[job.key] for job in task.jobs)


def _put(
    stored: StoredRun,
    setting: Setting,
    kind: Kind,
    tasks: Iterator[Bundle],
    own: Mapping[tuple[str, int, str], Mapping[str, Any]],
) -> int:
    """Appends rows under the keys of their jobs, of tasks that are whole; how many were new."""
    store = stored.store(setting, kind)
    rows: dict[str, Row] = {}
    for task in tasks:
        model = task.model if kind == "scores" else ""
        at = {job.key: (model, job.data_set, job.split) for job in task.jobs}
        if own.keys() >= set(at.values()):
            rows |= {key: {**own[place], "model": task.model} for key, place in at.items()}
    missing = store.missing(rows)
    store.append_rows({key: rows[key] for key in missing})
    return len(missing)


def _kept(row: committed.ScoreRow | committed.SplitRow, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("data_set", "split", *names)}


def _tasks_alike(
    plan: Plan, setting: Setting, own: Mapping[tuple[str, int, str], object]
) -> Iterator[Bundle]:
    """Tasks of the plan, without stacks that other networks were members of.

    A full stack is the same whatever follows; one that is not full ended its plan.
    """
    last = {model: max(n for m, n, _ in own if m == model) for model, _, _ in own}
    for task in score_tasks(plan, setting):
        is_full = task.model not in SEQ2SEQ or len(task.jobs) == plan.stack_size
        if is_full or last.get(task.model) == plan.n_data_sets:
            yield task


def _setting_keys(setting: Setting) -> committed.MeasuredSetting:
    return committed.MeasuredSetting(
        *(getattr(setting, field.name) for field in fields(committed.MeasuredSetting))
    )


def _made_by(plan: Plan, setting: Setting, model: str) -> committed.ScoreRun:
    """What would make a model's scores today."""
    library, version = _library(model)
    return committed.ScoreRun(
        **asdict(_setting_keys(setting)),
        model=model,
        revision=REVISION,
        pool=pool_hash(setting.language, plan.folder)[:DIGITS],
        library=library,
        library_version=version,
        n_steps=plan.n_steps if model in SEQ2SEQ else None,
        stack_size=plan.stack_size if model in SEQ2SEQ else None,
    )


def _library(model: str) -> tuple[str, str]:
    """The package that trains a model, with its version; torch's without the label of its build."""
    if model in SEQ2SEQ:
        return "torch", library_version("torch").partition("+")[0]
    described = describe_segmenter(model)
    return described["library"], described["version"]


def _check(found: committed.ScoreRun, today: committed.ScoreRun) -> None:
    if found != today:
        raise ValueError(
            f"--import-scores, {found.model} in {found.language}, {found.size} words"
            f" {found.method} replacement: got {_differing(found, today)}"
        )


def _differing(found: Any, expected: Any) -> str:
    """What two records differ in, as a message says it."""
    old, new = asdict(found), asdict(expected)
    names = [name for name in old if old[name] != new[name]]
    got, wanted = (", ".join(f"{name} {of[name]}" for name in names) for of in (old, new))
    return f"{got}; expected {wanted}"


def _own(record: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row has for the fields of a record that are not those of a setting."""
    shared = {field.name for field in fields(committed.MeasuredSetting)}
    return {field.name: row[field.name] for field in fields(record) if field.name not in shared}


def _keyed(name: str, rows: Sequence[Any]) -> Keyed:
    names = KEYS[name].split()
    return {tuple(getattr(row, key) for key in names): row for row in rows}


def _by_setting(rows: Sequence[Any]) -> dict[committed.MeasuredSetting, list[Any]]:
    found: dict[committed.MeasuredSetting, list[Any]] = {}
    for row in rows:
        found.setdefault(committed.setting_of(row), []).append(row)
    return found


def table_text(name: str, table: Keyed) -> str:
    """A table as a file: sorted by its key, every number as Python reads it back exactly."""
    lines = [field.name for field in fields(committed.FILES[name])]
    rows = [list(map(_cell, astuple(table[key]))) for key in sorted(table)]
    body = "".join("\t".join(cells) + "\n" for cells in [lines, *rows])
    return f"{SOURCE}# key: {KEYS[name]}\n{body}"


def _cell(value: object) -> str:
    return NOT_APPLICABLE if value is None else str(value)
