"""Finished scores as tables that are committed, and back into a store under their keys.

    python -m studies morphseg generalizability --export-scores DIR
    python -m studies morphseg generalizability --import-scores DIR

with the options of the run. DIR is `builders/morphseg/data` for what is committed. Data sets of a
model are written when all their splits are there; rows that the tables hold already stay, so that
several stores may be exported one after the other. Networks are left out: the key of a job of
theirs is of the stack that they were trained in. The seconds that a job took are not kept.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any

from builders.morphseg.pool_characteristics import FEATURES
from builders.morphseg.sampling import Setting
from builders.morphseg.scores import (
    FILES,
    KEYS,
    Measured,
    MeasuredSetting,
    ScoreRow,
    ScoreRun,
    SplitRow,
    read_scores,
    setting_of,
)
from ground.files import write_whole
from studies.morphseg.jobs import METRICS
from studies.morphseg.plan import (
    REVISION,
    Bundle,
    Kind,
    characteristics_tasks,
    pool_hash,
    score_tasks,
)
from studies.morphseg.results import StoredRun
from systems.morphological_segmenters import SEGMENTERS, describe_segmenter

DIGITS = 16
SOURCE = (
    "# source: our own measurements, python -m studies morphseg generalizability --export-scores;"
    " after Liu & Prud'hommeaux (TACL 2022)\n"
    "# licence: CC BY 4.0\n"
)
Keyed = dict[tuple[Any, ...], Any]


def export_scores(stored: StoredRun, folder: Path) -> Measured:
    """Adds what a store has finished of a plan to the tables of a folder; gives all of them.

    Raises:
        ValueError: The folder has other scores of the same job, or scores of another version.
    """
    measured: tuple[Sequence[Any], ...] = read_scores(folder)
    tables = [_keyed(name, rows) for name, rows in zip(FILES, measured, strict=True)]
    for setting in stored.plan.settings:
        for name, table, found in zip(FILES, tables, _found(stored, setting), strict=True):
            for key, row in _keyed(name, found).items():
                if table.setdefault(key, row) != row:
                    raise ValueError(
                        f"{folder / name}.tsv: {' '.join(map(str, key))}, got"
                        f" {_differing(table[key], row)}; remove the rows that are not of this run"
                    )
    for name, table in zip(FILES, tables, strict=True):
        write_whole(folder / f"{name}.tsv", _text(name, table))
    return read_scores(folder)


def import_scores(stored: StoredRun, folder: Path) -> int:
    """Puts rows of a folder's tables into the store, those of the plan that it lacks; how many.

    Raises:
        ValueError: Rows of the plan are of another revision, word list or version of a segmenter,
            so that they are not what this plan would give.
    """
    measured = read_scores(folder)
    runs = {(setting_of(run), run.model): run for run in measured.runs}
    scores = _by_setting(measured.scores)
    splits = _by_setting(measured.splits)
    n = 0
    for setting in stored.plan.settings:
        keys = _setting_keys(setting)
        for model in {row.model for row in scores.get(keys, ())} & set(stored.plan.models):
            _check(runs[keys, model], _made_by(stored, setting, model))
        own = {(row.model, row.data_set, row.split): _scored(row) for row in scores.get(keys, ())}
        n += _put(stored, setting, "scores", _segmenter_tasks(stored, setting), own)
        own = {("", row.data_set, row.split): _described(row) for row in splits.get(keys, ())}
        n += _put(
            stored, setting, "characteristics", characteristics_tasks(stored.plan, setting), own
        )
    return n


def _found(stored: StoredRun, setting: Setting) -> tuple[list[Any], list[Any], list[Any]]:
    """Scores, runs and splits of a setting, of data sets that are whole."""
    keys, scores, splits = asdict(_setting_keys(setting)), [], []
    for _, row in _whole(stored, setting, "scores", _segmenter_tasks(stored, setting)):
        scores.append(ScoreRow(**keys, **{name: row[name] for name in _own_names(ScoreRow)}))
    models = dict.fromkeys(row.model for row in scores)
    runs = [_made_by(stored, setting, model) for model in models]
    tasks = characteristics_tasks(stored.plan, setting)
    for _, row in _whole(stored, setting, "characteristics", tasks):
        splits.append(SplitRow(**keys, **{name: row[name] for name in _own_names(SplitRow)}))
    return scores, runs, splits


def _whole(
    stored: StoredRun, setting: Setting, kind: Kind, tasks: Iterator[Bundle]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = {row["key"]: row for row in stored.store(setting, kind).read().to_pylist()}
    for task in tasks:
        if all(job.key in rows for job in task.jobs):
            yield from ((job.key, rows[job.key]) for job in task.jobs)


def _put(
    stored: StoredRun,
    setting: Setting,
    kind: Kind,
    tasks: Iterator[Bundle],
    own: Mapping[tuple[str, int, str], Mapping[str, Any]],
) -> int:
    """Appends rows under the keys of their jobs; how many were not there."""
    store = stored.store(setting, kind)
    rows = {}
    for task in tasks:
        model = task.model if kind == "scores" else ""
        for job in task.jobs:
            if (at := (model, job.data_set, job.split)) in own:
                rows[job.key] = {**own[at], "model": task.model}
    missing = store.missing(rows)
    store.append_rows({key: rows[key] for key in missing})
    return len(missing)


def _scored(row: ScoreRow) -> dict[str, Any]:
    of_job = {"data_set": row.data_set, "split": row.split, "seconds": math.nan}
    return of_job | {name: getattr(row, name) for name in METRICS}


def _described(row: SplitRow) -> dict[str, Any]:
    of_job = {"data_set": row.data_set, "split": row.split}
    return of_job | {name: getattr(row, name) for name in FEATURES}


def _segmenter_tasks(stored: StoredRun, setting: Setting) -> Iterator[Bundle]:
    return (task for task in score_tasks(stored.plan, setting) if task.model in SEGMENTERS)


def _setting_keys(setting: Setting) -> MeasuredSetting:
    return MeasuredSetting(
        setting.language, setting.size, setting.method, setting.protocol, setting.seed
    )


def _made_by(stored: StoredRun, setting: Setting, model: str) -> ScoreRun:
    """What would make a model's scores today."""
    described = describe_segmenter(model)
    return ScoreRun(
        **asdict(_setting_keys(setting)),
        model=model,
        revision=REVISION,
        pool=pool_hash(setting.language, stored.plan.folder)[:DIGITS],
        library=described["library"],
        library_version=described["version"],
    )


def _check(found: ScoreRun, today: ScoreRun) -> None:
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


def _own_names(record: Any) -> list[str]:
    shared = {field.name for field in fields(MeasuredSetting)}
    return [field.name for field in fields(record) if field.name not in shared]


def _keyed(name: str, rows: Sequence[Any]) -> Keyed:
    names = KEYS[name].split()
    return {tuple(getattr(row, key) for key in names): row for row in rows}


def _by_setting(rows: Sequence[Any]) -> dict[MeasuredSetting, list[Any]]:
    found: dict[MeasuredSetting, list[Any]] = {}
    for row in rows:
        found.setdefault(setting_of(row), []).append(row)
    return found


def _text(name: str, table: Keyed) -> str:
    """A table as a file: sorted by its key, every number as Python reads it back exactly."""
    lines = [field.name for field in fields(FILES[name])]
    rows = [list(map(str, astuple(table[key]))) for key in sorted(table)]
    body = "".join("\t".join(cells) + "\n" for cells in [lines, *rows])
    return f"{SOURCE}# key: {KEYS[name]}\n{body}"
