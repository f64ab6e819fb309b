"""The committed scores of the study, setting by setting: where all six fast models are complete."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FOLDER, MeasuredSetting, SplitRow, read_scores, setting_of
from builders.morphseg.sources import languages
from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import Holds, holds, winner_agreement
from research.engine.loop import Row
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.plan import FAST_MODELS, published_settings
from research.studies.morphseg.results import LOWER_IS_BETTER, Scores, as_shown

LEAST_DATA_SETS = 10
LEVEL = 0.95


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
        return Scores(self.setting, list(self.rows), list(FAST_MODELS), [])

    @cached_property
    def means(self) -> Mapping[str, Mapping[str, FloatArray]]:
        """By metric and model the mean over splits of each data set: percent, or characters."""
        shape = (len(FAST_MODELS), self.n_data_sets, len(SPLITS))
        found = {}
        for metric in METRICS:
            values = np.array([as_shown(metric, row[metric]) for row in self.rows])
            by_model = values.reshape(shape).mean(axis=2)
            found[metric] = dict(zip(FAST_MODELS, by_model, strict=True))
        return found

    def unit_scores(self, metric: str) -> FloatArray:
        """Data sets by models in alphabetical order, more is better; rounded, so that ties tie."""
        sign = -1 if metric in LOWER_IS_BETTER else 1
        names = sorted(FAST_MODELS)
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
        names = sorted(FAST_MODELS)
        return [names[place] for place in np.argsort(-self.unit_scores(metric).mean(axis=0))]


def whole_settings(folder: Path = FOLDER) -> list[SettingScores]:
    """The settings of the paper in which the six models have ten data sets or more, in order."""
    measured = read_scores(folder)
    wanted = {MeasuredSetting(*keys, "paper", 0) for keys in published_settings()}
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
    while all((m, n + 1, split) in rows for m in FAST_MODELS for split in SPLITS):
        n += 1
    ordered = [
        rows[m, data_set, split] | _characteristics(splits.get((keys, data_set, split)))
        for m in FAST_MODELS
        for data_set in range(1, n + 1)
        for split in SPLITS
    ]
    of = {**asdict(keys), "pool_size": languages()[keys.language].n_types}
    return SettingScores(Setting(**of), n, ordered)


def _characteristics(split: SplitRow | None) -> dict[str, float]:
    return {name: getattr(split, name) for name in FEATURES} if split else {}
