"""The regression of 7.3.

Which data characteristics go with higher scores, as published and with errors that allow for data
sets.

As published, one regression per language has all metrics of all models of all splits as its
response, rows taken for independent though 35 of them share a split and 175 a data set. Beside it
stands one regression per metric with cluster-robust errors over data sets. As in R's `lm` on the
authors' formulas: treatment coding, first level in alphabetical order, interactions with sampling
method and size; overlaps as shares, scores in percent, and 1 minus the edit distance.

Source: Liu & Prud'hommeaux (2022), 7.3 and Table 3.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from builders.morphseg.sampling import Setting
from ground.markdown import markdown_table
from studies.morphseg.clustered_regression import Block, Coefficient, Fit, fit_clustered
from studies.morphseg.jobs import METRICS
from studies.morphseg.pool_characteristics import FEATURES
from studies.morphseg.results import (
    StoredRun,
    as_shown,
    read_characteristics,
    read_new_tests,
    read_scores,
)

FloatArray = npt.NDArray[np.float64]
NEW_TEST_FEATURES = FEATURES[1:]  # no word of a new test set was seen in training
OVERLAPS = ("word_overlap", "morph_overlap")
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def split_regressions(run: StoredRun, language: str) -> dict[str, Fit]:
    """Fits the scores of a language's splits.

    `published` over all metrics, and each metric by itself with cluster-robust errors.
    """
    settings = [s for s in run.plan.settings if s.language == language]
    models = sorted({model for s in settings for model in read_scores(run, s).models})
    fits = {}
    for title, metrics in {"published": METRICS, **{m: (m,) for m in METRICS}}.items():
        names = [
            *_names(FEATURES, ("Sample",)),
            *(f"Model {m}" for m in models[1:]),
            *(f"Metric {m}" for m in sorted(metrics)[1:]),
        ]
        blocks = functools.partial(_split_blocks, run, settings, models, metrics)
        fits[title] = fit_clustered(names, blocks)
    return fits


def new_test_regressions(run: StoredRun, language: str) -> dict[str, Fit]:
    """Fits the scores of a language's new test sets.

    As published over all metrics and for each metric by itself.
    """
    settings = [s for s in run.plan.settings if s.language == language]
    fits = {}
    for title, metrics in {"published": METRICS, **{m: (m,) for m in METRICS}}.items():
        names = [
            *_names(NEW_TEST_FEATURES, ("Sample", "Test_size")),
            *(f"Metric {m}" for m in sorted(metrics)[1:]),
        ]
        blocks = functools.partial(_new_test_blocks, run, settings, metrics)
        fits[title] = fit_clustered(names, blocks)
    return fits


def regression_table(fits: dict[str, Fit], features: Sequence[str]) -> str:
    """The main effects.

    Published with its stars, then per metric with the stars of the cluster-robust errors.
    """
    rows = []
    for feature in features:
        row: dict[str, object] = {
            "characteristic": feature.replace("_", " "),
            "all metrics, as published": _plain(fits["published"].of(feature)),
        }
        row |= {f"{metric}, clustered": _clustered(fits[metric].of(feature)) for metric in METRICS}
        rows.append(row)
    return markdown_table(rows)


def _names(features: Sequence[str], numeric: Sequence[str]) -> list[str]:
    crossed = ("Replacement without", *numeric)
    return [
        "(Intercept)",
        *features,
        *crossed,
        *(f"{feature}:{factor}" for factor in crossed for feature in features),
    ]


def _columns(
    features: FloatArray, setting: Setting, numeric: Sequence[FloatArray | float]
) -> FloatArray:
    """The columns of `_names` for features of shape (n, f)."""
    ones = np.ones(len(features))
    crossed = [ones * (setting.method == "without"), *(ones * number for number in numeric)]
    return np.column_stack(
        [ones, features, *crossed, *(features * factor[:, None] for factor in crossed)]
    )


def _split_blocks(
    run: StoredRun, settings: Sequence[Setting], models: Sequence[str], metrics: Sequence[str]
) -> Iterator[Block]:
    for number, setting in enumerate(settings):
        described, rows = read_characteristics(run, setting), read_scores(run, setting).rows
        rows = [row for row in rows if (row["data_set"], row["split"]) in described]
        if not rows:
            continue
        features = np.array(
            [_features(described[row["data_set"], row["split"]], FEATURES) for row in rows]
        )
        is_model = np.array(
            [[row["model"] == model for model in models[1:]] for row in rows], dtype=float
        ).reshape(len(rows), -1)
        x = np.column_stack([_columns(features, setting, [float(setting.size)]), is_model])
        y = {
            metric: np.array([_response(metric, row[metric]) for row in rows]) for metric in metrics
        }
        yield _block(x, y, number * 10**6 + np.array([row["data_set"] for row in rows]))


def _new_test_blocks(
    run: StoredRun, settings: Sequence[Setting], metrics: Sequence[str]
) -> Iterator[Block]:
    for number, setting in enumerate(settings):
        by_data_set: dict[int, list[dict[str, Any]]] = {}
        for row in read_new_tests(run, setting):
            by_data_set.setdefault(row["data_set"], []).append(row)
        for data_set in sorted(by_data_set):
            rows = by_data_set[data_set]
            columns = {
                name: np.concatenate([row[name] for row in rows])
                for name in (*METRICS, *FEATURES, "sizes")
            }
            features = np.column_stack(
                [
                    columns[name] / 100 if name in OVERLAPS else columns[name]
                    for name in NEW_TEST_FEATURES
                ]
            )
            x = _columns(features, setting, [float(setting.size), columns["sizes"].astype(float)])
            y = {
                metric: np.array([_response(metric, value) for value in columns[metric].tolist()])
                for metric in metrics
            }
            yield _block(x, y, np.full(len(x), number * 10**6 + data_set))


def _block(
    x: FloatArray, by_metric: dict[str, FloatArray], cluster: npt.NDArray[np.int64]
) -> Block:
    """Stacks the metrics as rows, each but the alphabetically first with a column of its own."""
    metrics = sorted(by_metric)
    parts = [
        np.column_stack([x, np.tile([float(m == other) for other in metrics[1:]], (len(x), 1))])
        for m in metrics
    ]
    return Block(
        np.vstack(parts),
        np.concatenate([by_metric[m] for m in metrics]),
        np.tile(cluster, len(metrics)),
    )


def _features(row: dict[str, Any], names: Sequence[str]) -> list[float]:
    return [row[name] / 100 if name in OVERLAPS else row[name] for name in names]


def _response(metric: str, value: float) -> float:
    return 1 - value if metric == "distance" else as_shown(metric, value)


def _plain(coefficient: Coefficient) -> str:
    return _starred(coefficient.value, coefficient.plain_p)


def _clustered(coefficient: Coefficient) -> str:
    return _starred(coefficient.value, coefficient.p)


def _starred(value: float, p: float) -> str:
    return (
        "–"
        if value != value
        else f"{value:.2f}{next((stars for limit, stars in STARS if p < limit), '')}"
    )
