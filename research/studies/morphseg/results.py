"""Reads a run of the generalizability study, and the committed scores of its settings.

Everything is in the order of the plan, without times, so that the same results give the same report
whoever computed them.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from builders.morphseg import scores as committed
from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FOLDER, MeasuredSetting, SplitRow, setting_of
from builders.morphseg.sources import languages
from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import Holds, holds, winner_agreement
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score
from research.engine.loop import FAILURES, Row
from research.engine.store import Store
from research.studies.morphseg import plan as plans
from research.studies.morphseg.jobs import METRICS, SCHEMAS
from research.studies.study import Run
from research.systems.morphology.morphological_segmenters import SEGMENTERS

LOWER_IS_BETTER = ("distance",)
LEAST_DATA_SETS = 10
LEVEL = 0.95


@dataclass(frozen=True)
class StoredRun:
    """A plan with its stores: a folder per setting, in it a store per kind and one of failures."""

    plan: plans.Plan
    run: Run

    def __len__(self) -> int:
        return len(self.plan.settings)

    def store(self, setting: Setting, kind: plans.Kind) -> Store:
        """Results of one kind in one setting."""
        return self.run.store(f"{plans.setting_name(setting)}/{kind}", SCHEMAS[kind])

    def failures(self, setting: Setting) -> Store:
        """Errors of a setting."""
        return self.run.store(f"{plans.setting_name(setting)}/failures", FAILURES)


class Scores(NamedTuple):
    """The scores of the models that are complete in a setting; `incomplete` ones lack some.

    Rows are one per model, data set and split, in the order of the plan.
    """

    setting: Setting
    rows: list[Row]
    models: list[str]
    incomplete: list[str]


def read_scores(run: StoredRun, setting: Setting) -> Scores:
    """Reads the scores of a setting; models with failed or missing jobs are set aside."""
    rows = list(_rows(run, plans.score_tasks(run.plan, setting), "scores", setting))
    order = list(itertools.product(range(1, run.plan.n_data_sets + 1), SPLITS))
    by_model: dict[str, dict[tuple[int, str], Row]] = {model: {} for model in run.plan.models}
    for row in rows:
        by_model[row["model"]][row["data_set"], row["split"]] = row
    complete = [model for model, found in by_model.items() if len(found) == len(order)]
    ordered = [by_model[model][member] for model in complete for member in order]
    return Scores(setting, ordered, complete, [m for m in run.plan.models if m not in complete])


def planned_new_tests(run: StoredRun, setting: Setting) -> Iterator[plans.Bundle]:
    """Yields the tasks on new test sets of the models that are asked for."""
    for model in new_test_models(run, setting):
        if model in SEGMENTERS:
            yield from plans.new_test_tasks(run.plan, setting, model)


def new_test_models(run: StoredRun, setting: Setting) -> list[str]:
    """The models that new test sets are asked for, without networks, which are not kept."""
    names = [
        best_model(run, setting) if name == plans.BEST else name for name in run.plan.new_tests
    ]
    return [model for model in dict.fromkeys(names) if model is not None]


def read_new_tests(run: StoredRun, setting: Setting) -> list[Row]:
    """Reads the scores on new test sets: a row per model, data set and split."""
    return list(_rows(run, planned_new_tests(run, setting), "new_tests", setting))


def read_failures(run: StoredRun, setting: Setting) -> list[Row]:
    """Errors of jobs that no later try has done, in the order of the plan."""
    errors = {row["key"]: row["error"] for row in run.failures(setting).read().to_pylist()}
    if not errors:
        return []
    done = set().union(*(run.store(setting, kind).keys() for kind in SCHEMAS))
    bundles = itertools.chain(
        plans.score_tasks(run.plan, setting),
        plans.characteristics_tasks(run.plan, setting),
        planned_new_tests(run, setting),
    )
    return [
        {"model": bundle.model, "data_set": job.data_set, "split": job.split}
        | {"error": errors[job.key]}
        for bundle in bundles
        for job in bundle.jobs
        if job.key in errors and job.key not in done
    ]


def compare(scores: Scores, metric: str) -> dict[str, Any]:
    """Compares models over data sets (`ranking_generalizability`); a ValueError under two."""
    names = ("model", "data_set", "split", metric)
    values = [[row[name] for row in scores.rows] for name in names]
    columns = dict(zip(("system", "unit", "repeat", "score"), values, strict=True))
    return score(columns, read_options(first=1, higher_is_better=metric not in LOWER_IS_BETTER))


def is_comparable(scores: Scores) -> bool:
    """Says whether there is anything to compare: two models and two data sets."""
    return len(scores.models) > 1 and len({row["data_set"] for row in scores.rows}) > 1


def best_model(run: StoredRun, setting: Setting) -> str | None:
    """The model with the best mean F1 over data sets; None if no model is complete."""
    scores = read_scores(run, setting)
    totals = dict.fromkeys(scores.models, 0.0)
    for row in scores.rows:
        totals[row["model"]] += row["f1"]
    return max(totals, key=totals.__getitem__, default=None)


def language_name(code: str) -> str:
    """The name of a studied or invented language."""
    if code in languages():
        return languages()[code].name
    return code.replace("_", " ").capitalize()


def setting_title(setting: Setting) -> str:
    """A setting as a heading, such as "Russian, 2,000 words without replacement"."""
    size = f"{setting.size:,} words {setting.method} replacement"
    return f"{language_name(setting.language)}, {size}"


def as_shown(metric: str, value: float) -> float:
    """A score as it is printed: percent, the distance in characters."""
    return value if metric == "distance" else 100 * value


def _rows(
    run: StoredRun, tasks: Iterator[plans.Bundle], kind: plans.Kind, setting: Setting
) -> Iterator[Row]:
    found = {row["key"]: row for row in run.store(setting, kind).read().to_pylist()}
    return (found[job.key] for task in tasks for job in task.jobs if job.key in found)


@dataclass(frozen=True)
class SettingScores:
    """The scores of one setting, of the first data sets, which every model has whole.

    A row per model, data set and split, in this order, with the split's characteristics if known.
    """

    setting: Setting
    n_data_sets: int
    rows: Sequence[Row]

    @property
    def scores(self) -> Scores:
        """The same for `report`."""
        return Scores(self.setting, list(self.rows), list(plans.FAST_MODELS), [])

    @cached_property
    def means(self) -> Mapping[str, Mapping[str, FloatArray]]:
        """By metric and model the mean over splits of each data set: percent, or characters."""
        shape = (len(plans.FAST_MODELS), self.n_data_sets, len(SPLITS))
        found = {}
        for metric in METRICS:
            values = np.array([as_shown(metric, row[metric]) for row in self.rows])
            by_model = values.reshape(shape).mean(axis=2)
            found[metric] = dict(zip(plans.FAST_MODELS, by_model, strict=True))
        return found

    def unit_scores(self, metric: str) -> FloatArray:
        """Data sets by models in alphabetical order, more is better; rounded, so that ties tie."""
        sign = -1 if metric in LOWER_IS_BETTER else 1
        names = sorted(plans.FAST_MODELS)
        scores: FloatArray = np.column_stack([self.means[metric][name] for name in names])
        return np.asarray(np.round(sign * scores, 9))

    def holds(self, metric: str) -> Holds:
        """How the other data sets agree with the first."""
        return holds(self.unit_scores(metric), 0, LEVEL)

    def agreement(self, metric: str) -> float:
        """The chance that two data sets name the same winner."""
        return winner_agreement(self.unit_scores(metric), LEVEL).value

    def in_order(self, metric: str) -> list[str]:
        """The models, the best mean over data sets first."""
        names = sorted(plans.FAST_MODELS)
        return [names[place] for place in np.argsort(-self.unit_scores(metric).mean(axis=0))]


def whole_settings(folder: Path = FOLDER) -> list[SettingScores]:
    """The settings of the paper in which the six models have ten data sets or more, in order."""
    measured = committed.read_scores(folder)
    wanted = {MeasuredSetting(*keys, "paper", 0) for keys in plans.published_settings()}
    by_setting: dict[MeasuredSetting, dict[tuple[str, int, str], Row]] = {}
    for row in measured.scores:
        if (keys := setting_of(row)) in wanted:
            at = (row.model, row.data_set, row.split)
            by_setting.setdefault(keys, {})[at] = asdict(row)
    splits: dict[tuple[MeasuredSetting, int, str], SplitRow] = {
        (setting_of(row), row.data_set, row.split): row for row in measured.splits
    }
    found = [_whole(keys, rows, splits) for keys, rows in by_setting.items()]
    return [one for one in found if one.n_data_sets >= LEAST_DATA_SETS]


def _whole(
    keys: MeasuredSetting,
    rows: Mapping[tuple[str, int, str], Row],
    splits: Mapping[tuple[MeasuredSetting, int, str], SplitRow],
) -> SettingScores:
    n = 0
    while all((m, n + 1, split) in rows for m in plans.FAST_MODELS for split in SPLITS):
        n += 1
    ordered = [
        rows[m, data_set, split] | _characteristics(splits.get((keys, data_set, split)))
        for m in plans.FAST_MODELS
        for data_set in range(1, n + 1)
        for split in SPLITS
    ]
    of = {**asdict(keys), "pool_size": languages()[keys.language].n_types}
    return SettingScores(Setting(**of), n, ordered)


def _characteristics(split: SplitRow | None) -> dict[str, float]:
    return {name: getattr(split, name) for name in FEATURES} if split else {}
