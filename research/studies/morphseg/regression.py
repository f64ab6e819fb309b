"""The regression of 7.3: which data characteristics go with higher scores.

As published, one regression per language has all metrics of all models of all splits as its
response, rows taken for independent though 35 of them share a split and 175 a data set. Beside it
stands one regression per metric with cluster-robust errors over data sets. As in R's `lm` on the
authors' formulas: treatment coding, first level in alphabetical order, interactions with sampling
method and size; overlaps as shares, scores in percent, and 1 minus the edit distance.

Source: Liu & Prud'hommeaux (2022), 7.3 and Table 3.
"""

from collections.abc import Iterator, Mapping, Sequence
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

OVERLAPS = ("word_overlap", "morph_overlap")
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
ROWS_OF_A_SETTING = 10**6  # more than it has data sets: their numbers are made of both
CROSSED = ("Replacement without", "Sample")
NAMES = (
    *("(Intercept)", *FEATURES, *CROSSED),
    *(f"{feature}:{factor}" for factor in CROSSED for feature in FEATURES),
)


def characteristic_fit(by_setting: Mapping[Setting, Sequence[Row]]) -> dict[str, ClusteredFit]:
    """The fit of a language as `published` over all metrics, and one of each metric.

    A row is a model's scores on a split with its characteristics.
    """
    settings = list(by_setting)
    merged = {number: list(_merged(rows)) for number, rows in enumerate(by_setting.values())}
    models = sorted({name for found in merged.values() for row in found for name in row["model"]})
    titles: dict[str, tuple[str, ...]] = {"published": METRICS, **{m: (m,) for m in METRICS}}
    fits = {}
    for title, metrics in titles.items():
        levels = [("Model", name) for name in models[1:]]
        levels += [("Metric", name) for name in sorted(metrics)[1:]]
        parts = (
            _part(row, settings[number], metrics, levels, number * ROWS_OF_A_SETTING)
            for number, found in merged.items()
            for row in found
        )
        fits[title] = fit_clustered([*NAMES, *map(" ".join, levels)], parts)
    return fits


def _part(
    rows: Row,
    setting: Setting,
    metrics: Sequence[str],
    levels: Sequence[tuple[str, str]],
    first: int,
) -> ClusteredRows:
    """The columns of NAMES and of the levels; the metrics stacked as rows."""
    n = len(rows["data_set"])
    features = np.column_stack([rows[name] / (100 if name in OVERLAPS else 1) for name in FEATURES])
    crossed = [np.full(n, float(setting.method == "without")), np.full(n, float(setting.size))]
    products = [features * factor[:, None] for factor in crossed]
    common = np.column_stack([np.ones(n), features, *crossed, *products])
    parts = []
    for metric in metrics:
        own = {"Model": rows["model"], "Metric": np.full(n, metric)}
        parts.append(np.column_stack([common, *(own[what] == name for what, name in levels)]))
    response = np.concatenate([_response(metric, rows[metric]) for metric in metrics])
    data_sets = np.tile(first + rows["data_set"], len(metrics))
    return ClusteredRows(np.vstack(parts), response, data_sets)


def _merged(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows of each data set as arrays under their names."""
    by_number: dict[int, list[Row]] = {}
    for row in rows:
        by_number.setdefault(row["data_set"], []).append(row)
    for own in by_number.values():
        yield {name: np.array([row[name] for row in own]) for name in own[0]}


def _response(metric: str, values: FloatArray) -> FloatArray:
    return 1 - values if metric == "distance" else 100 * values


def regression_table(fits: Mapping[str, ClusteredFit]) -> str:
    """Main effects as published, then by metric with the stars of cluster-robust errors."""
    rows = []
    for feature in FEATURES:
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
