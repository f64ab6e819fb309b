"""The regression of 7.3: which data characteristics go with higher scores.

As published, one regression per language has all metrics of all models of all splits as its
response, rows taken for independent though 35 of them share a split and 175 a data set. Beside it
stands one regression per metric with cluster-robust errors over data sets. As in R's `lm` on the
authors' formulas: treatment coding, first level in alphabetical order, interactions with sampling
method and size; overlaps as shares, scores in percent, and 1 minus the edit distance.

Source: Liu & Prud'hommeaux (2022), 7.3 and Table 3.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import Setting
from ground.markdown import markdown_table
from metrics._shared.columns import FloatArray
from research.engine.loop import Row
from research.studies.morphseg.clustered_regression import (
    ClusteredFit,
    ClusteredRows,
    fit_clustered,
)
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.results import (
    StoredRun,
    read_characteristics,
    read_new_tests,
    read_scores,
)

OVERLAPS = ("word_overlap", "morph_overlap")
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
ROWS_OF_A_SETTING = 10**6  # more than it has data sets: their numbers are made of both


@dataclass(frozen=True)
class Regression:
    """A regression of the paper.

    Attributes:
        about: Whose scores are the response.
        features: Data characteristics, its main effects.
        sizes: Numeric factors that they are crossed with, and the column that holds each.
        rows: The rows of a setting: characteristics, scores, sizes; numbers or arrays of numbers.
    """

    about: str
    features: tuple[str, ...]
    sizes: dict[str, str]
    rows: Callable[[StoredRun, Setting], Sequence[Row]]

    def fits(self, run: StoredRun, language: str) -> dict[str, ClusteredFit]:
        """The fit of a language as `published` over all metrics, and one of each metric."""
        settings = [s for s in run.plan.settings if s.language == language]
        return self.fits_of({setting: self.rows(run, setting) for setting in settings})

    def fits_of(self, by_setting: Mapping[Setting, Sequence[Row]]) -> dict[str, ClusteredFit]:
        """The same of the rows of a language's settings."""
        settings = list(by_setting)
        merged = {number: list(_merged(rows)) for number, rows in enumerate(by_setting.values())}
        models = sorted(
            {name for found in merged.values() for row in found for name in row["model"]}
        )
        titles: dict[str, tuple[str, ...]] = {"published": METRICS, **{m: (m,) for m in METRICS}}
        fits = {}
        for title, metrics in titles.items():
            levels = [("Model", name) for name in models[1:]]
            levels += [("Metric", name) for name in sorted(metrics)[1:]]
            parts = (
                self._part(row, settings[number], metrics, levels, number * ROWS_OF_A_SETTING)
                for number, found in merged.items()
                for row in found
            )
            names = [*self._names(), *(" ".join(level) for level in levels)]
            fits[title] = fit_clustered(names, parts)
        return fits

    def _names(self) -> list[str]:
        crossed = ("Replacement without", *self.sizes)
        products = (f"{feature}:{factor}" for factor in crossed for feature in self.features)
        return ["(Intercept)", *self.features, *crossed, *products]

    def _part(
        self,
        rows: Row,
        setting: Setting,
        metrics: Sequence[str],
        levels: Sequence[tuple[str, str]],
        first: int,
    ) -> ClusteredRows:
        """The columns of `_names` and of the levels; the metrics stacked as rows."""
        n = len(rows["data_set"])
        features = np.column_stack(
            [rows[name] / (100 if name in OVERLAPS else 1) for name in self.features]
        )
        crossed = [np.full(n, float(setting.method == "without"))]
        crossed += [rows[column].astype(float) for column in self.sizes.values()]
        products = [features * factor[:, None] for factor in crossed]
        common = np.column_stack([np.ones(n), features, *crossed, *products])
        parts = []
        for metric in metrics:
            own = {"Model": rows["model"], "Metric": np.full(n, metric)}
            parts.append(np.column_stack([common, *(own[what] == name for what, name in levels)]))
        response = np.concatenate([_response(metric, rows[metric]) for metric in metrics])
        return ClusteredRows(
            np.vstack(parts), response, np.tile(first + rows["data_set"], len(metrics))
        )


def _split_rows(run: StoredRun, setting: Setting) -> list[Row]:
    described = read_characteristics(run, setting)
    scored = [{**row, "size": setting.size} for row in read_scores(run, setting).rows]
    places = [(row["data_set"], row["split"]) for row in scored]
    return [described[at] | row for at, row in zip(places, scored, strict=True) if at in described]


def _new_test_rows(run: StoredRun, setting: Setting) -> list[Row]:
    """As `_split_rows`, with an entry per new test set; models are not told apart."""
    return [{**row, "size": setting.size, "model": ""} for row in read_new_tests(run, setting)]


def _merged(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows of each data set as arrays under their names."""
    by_number: dict[int, list[Row]] = {}
    for row in rows:
        by_number.setdefault(row["data_set"], []).append(row)
    for own in by_number.values():
        lengths = [np.size(row[METRICS[0]]) for row in own]
        yield {name: _joined([row[name] for row in own], lengths) for name in own[0]}


def _joined(values: Sequence[Any], lengths: Sequence[int]) -> FloatArray:
    """Lists one after the other; single values as often as their row has entries."""
    if isinstance(values[0], list | np.ndarray):
        return np.concatenate(values)
    joined: FloatArray = np.repeat(np.array(values), lengths)
    return joined


def _response(metric: str, values: FloatArray) -> FloatArray:
    return 1 - values if metric == "distance" else 100 * values


REGRESSIONS = (
    Regression("splits", FEATURES, {"Sample": "size"}, _split_rows),
    # no word of a new test set was seen in training
    Regression(
        "new test sets", FEATURES[1:], {"Sample": "size", "Test_size": "sizes"}, _new_test_rows
    ),
)


def regression_table(fits: dict[str, ClusteredFit], features: Sequence[str]) -> str:
    """Main effects as published, then by metric with the stars of cluster-robust errors."""
    rows = []
    for feature in features:
        published = fits["published"].coefficients[feature]
        row: dict[str, Any] = {"characteristic": feature.replace("_", " ")}
        row["all metrics, as published"] = _starred(published.value, published.plain_p)
        for metric in METRICS:
            own = fits[metric].coefficients[feature]
            row[f"{metric}, clustered"] = _starred(own.value, own.p)
        rows.append(row)
    return markdown_table(rows)


def _starred(value: float, p: float) -> str:
    stars = next((stars for limit, stars in STARS if p < limit), "")
    return "–" if value != value else f"{value:.2f}{stars}"
