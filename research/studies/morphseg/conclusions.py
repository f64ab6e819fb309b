"""Which conclusions of Liu & Prud'hommeaux (2022) hold on what we measured, settings as they come.

    python -m research morphseg conclusions

It reads the committed scores of `morphseg_scores` and what `python -m research morphseg splits` and
`morfessor` wrote; nothing is trained, so that it takes a minute. A setting
counts where the six fast models have ten data sets or more; seq2seq has lines of its own, on as
many as it was trained on.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import Setting
from builders.morphseg.sources import languages
from ground.markdown import markdown_table, percent
from research.engine.loop import Row
from research.studies.morphseg import claims
from research.studies.morphseg.clustered_regression import (
    ClusteredFit,
    ClusteredRows,
    fit_clustered,
)
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.plan import FAST_MODELS, published_settings
from research.studies.morphseg.report import published_row, table_2_row
from research.studies.morphseg.results import SettingScores, compare, setting_title, whole_settings
from research.studies.report import Shown, committed_figures, new_figure, png, score_plot
from research.studies.study import Options, Run, Study

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

    As published, all metrics of all models of all splits are the response, rows taken for
    independent though 35 of them share a split and 175 a data set. Beside it stands one fit per
    metric with cluster-robust errors over data sets. As in R's `lm` on the authors' formulas:
    treatment coding, first level in alphabetical order, interactions with sampling method and size;
    overlaps as shares, scores in percent, and 1 minus the edit distance. Source: Liu &
    Prud'hommeaux (2022), 7.3 and Table 3.
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
    response = np.concatenate([1 - rows[m] if m == "distance" else 100 * rows[m] for m in metrics])
    data_sets = np.tile(first + rows["data_set"], len(metrics))
    return ClusteredRows(np.vstack(parts), response, data_sets)


def _merged(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows of each data set as arrays under their names."""
    by_number: dict[int, list[Row]] = {}
    for row in rows:
        by_number.setdefault(row["data_set"], []).append(row)
    for own in by_number.values():
        yield {name: np.array([row[name] for row in own]) for name in own[0]}


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


def example_plot(measured: Sequence[SettingScores]) -> bytes | None:
    """Figure 1a: F1 of every data set of the example; None where it is not measured."""
    own = [one for one in measured if claims.is_example(one.setting.language, one.setting.size)]
    scores = [{model: v.tolist() for model, v in one.means[claims.F1].items()} for one in own]
    titles = [setting_title(one.setting) for one in own]
    return score_plot(dict(zip(titles, scores, strict=True)))


def range_plot(measured: Sequence[SettingScores]) -> bytes | None:
    """Figures 2a, 2b and 3: ranges and first-data-set differences of F1; None without settings."""
    if not measured:
        return None
    figure = new_figure(8, 7)
    parts: Any = figure.subfigures(2, 1, height_ratios=[1, 1.4])
    top, bottom = parts
    left, right = top.subplots(1, 2)
    scores = {model: [one.means[claims.F1][model] for one in measured] for model in FAST_MODELS}
    ranges = {model: [float(np.ptp(v)) for v in own] for model, own in scores.items()}
    gaps = {model: [float(abs(v[0] - v.mean())) for v in own] for model, own in scores.items()}
    for axes, points, title in (
        (left, ranges, "range over data sets"),
        (right, gaps, "first data set to mean"),
    ):
        axes.hist([y for of_model in points.values() for y in of_model], bins=20)
        axes.set_xlabel(f"F1 in points, {title}")
        axes.set_ylabel("settings x models")
    panels = bottom.subplots(2, 3, sharex=True, sharey=True).flat
    sizes = [one.setting.size for one in measured]
    for axes, model in zip(panels, FAST_MODELS, strict=True):
        axes.plot(sizes, ranges[model], "o", alpha=0.6)
        axes.plot(sizes, gaps[model], "^", alpha=0.6)
        axes.set_title(model, fontsize=9)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    bottom.supxlabel("words of a data set", fontsize=9)
    bottom.supylabel("circles: range, triangles: first to mean", fontsize=9)
    return png(figure)


LEAST_CELLS = 0.95
POINT = 1.0
MORFESSOR = "morfessor-annotations"
SIGNIFICANT = 0.05
FEATURE_NAMES = {"morph_overlap": "morpheme overlap", "ave_num_morph_ratio": "morphemes per word"}


class ComparedMean(NamedTuple):
    """A published mean beside ours: F1 in percent, data sets, standard errors between them."""

    setting: str
    model: str
    published: float
    ours: float
    n_data_sets: int
    errors: float


class Conclusions(NamedTuple):
    """What the pages are made of: whole settings, cells of Table 2, fits, committed records."""

    measured: Sequence[SettingScores]
    cells: Sequence[ComparedMean]
    fits: Mapping[str, Mapping[str, ClusteredFit]]
    splits: Mapping[str, Any]
    ways: Mapping[str, float]
    networks: Sequence[claims.NetworkScores] = ()
    new_tests: claims.Tested = MappingProxyType({})


def conclude(measured: Sequence[SettingScores], run: Run) -> Conclusions:
    """Compares what was measured with what was published."""
    cells, fits = table_2_cells(measured), characteristic_fits(measured)
    records = (committed_figures("morphseg/splits"), committed_figures("morphseg/morfessor"))
    return Conclusions(
        measured, cells, fits, *records, claims.network_settings(), claims.settings_tested()
    )


def table_2_cells(measured: Sequence[SettingScores]) -> list[ComparedMean]:
    """The means of Table 2 that have ours beside them."""
    cells = []
    for one, model in itertools.product(measured, FAST_MODELS):
        published, own = published_row(one.setting, model), one.means[claims.F1][model]
        if published is not None:
            errors = (
                published.sd / math.sqrt(claims.N_PUBLISHED),
                own.std(ddof=1) / math.sqrt(len(own)),
            )
            off = float((own.mean() - published.mean) / math.hypot(*errors))
            title = setting_title(one.setting)
            cells.append(ComparedMean(title, model, published.mean, own.mean(), len(own), off))
    return cells


def characteristic_fits(measured: Sequence[SettingScores]) -> dict[str, dict[str, ClusteredFit]]:
    """The regression of 7.3 of each language that has both ways of sampling, by language."""
    fits = {}
    for language in dict.fromkeys(one.setting.language for one in measured):
        own = [one for one in measured if one.setting.language == language]
        own = [one for one in own if all(FEATURES[0] in row for row in one.rows)]
        if len({one.setting.method for one in own}) == 2:
            rows = {one.setting: one.rows for one in own}
            fits[languages()[language].name] = characteristic_fit(rows)
    return fits


def show(found: Conclusions, options: Options) -> list[Shown]:
    """Table 2 and Figure 1, Table 3, Figures 2 and 3, and the page of conclusions."""
    numbers = {
        "settings": len(found.measured),
        "planned": len(list(published_settings())),
        "cells": len(found.cells),
        "cells_within": sum(abs(cell.errors) <= claims.ERRORS for cell in found.cells),
    }
    cells = {f"{cell.setting}/{cell.model}": cell._asdict() for cell in found.cells}
    plots = partial(example_plot, found.measured), partial(range_plot, found.measured)
    return [
        Shown(conclusions_text(found), numbers),
        Shown(example_text(found), cells, plots[0], name="conclusions_example"),
        Shown(characteristics_text(found.fits), {}, name="conclusions_characteristics"),
        Shown(ranges_text(found.measured), {}, plots[1], name="conclusions_ranges"),
    ]


def conclusions_text(found: Conclusions) -> str:
    """The page: how much is measured, and a line for each conclusion."""
    n, planned = len(found.measured), len(list(published_settings()))
    names = ", ".join(claims.language_names(found.measured)) or "none"
    counts = sorted({one.n_data_sets for one in found.measured})
    data_sets = " or ".join(map(str, counts)) or "no"
    rows = [
        means_line(found),
        morfessor_line(found),
        *(claim.judged(found.measured) for claim in claims.CLAIMS),
        *characteristic_lines(found.fits),
        *claims.split_lines(found.splits),
        *claims.new_test_lines(found.new_tests),
        *claims.network_lines(found.networks),
    ]
    return (
        f"{n} of the {planned} settings of the study are measured whole: six models (all but"
        f" seq2seq) on {data_sets} data sets of five splits each, where the paper has seven on 50."
        f" Languages with a setting: {names}. Verdicts speak of these; `so far` stands where a"
        " conclusion is about settings that are still to come.\n\n"
        f"{markdown_table(rows)}"
    )


def means_line(found: Conclusions) -> dict[str, object]:
    """Whether the CRFs' means of Table 2 come out again."""
    cells = [cell for cell in found.cells if cell.model != MORFESSOR]
    within = [abs(cell.errors) <= claims.ERRORS for cell in cells]
    fifty = [cell for cell in cells if cell.n_data_sets >= claims.N_PUBLISHED]
    off = max((abs(cell.ours - cell.published) for cell in fifty), default=math.nan)
    evidence = f"{sum(within)} of {len(cells)} cells within {claims.ERRORS} standard errors"
    if fifty:
        evidence += f"; over {claims.N_PUBLISHED} data sets of our own {off:.2f} points off at most"
        evidence += f" ({len(fifty)} cells)"
    is_near = not off > POINT
    agrees = None if not cells else bool(np.mean(within) >= LEAST_CELLS and is_near)
    n, verdict = f"{len({cell.setting for cell in cells})} of 2", claims.Finding(agrees, evidence)
    return claims.line("Table 2", "mean F1 of the CRFs", verdict, n, is_whole=len(cells) == 10)


def morfessor_line(found: Conclusions) -> dict[str, object]:
    """What is known of the published Morfessor, whose program is not public."""
    ours = [cell for cell in found.cells if cell.model == MORFESSOR]
    shown = ", ".join(f"{cell.ours:.1f} for {cell.published:.1f}" for cell in ours)
    evidence = (
        f"{shown or 'not measured yet'}; **unexplained**: the program that trained it is not public"
    )
    if found.ways:
        values = found.ways.values()
        evidence += (
            f", and {len(found.ways)} ways of training it give {percent(min(values)):.1f} to"
            f" {percent(max(values)):.1f}, among them a lighter weight of the annotations"
        )
    verdict = claims.Finding(False if ours else None, evidence)
    n = f"{len(ours)} of 2"
    return claims.line("Table 2", "mean F1 of Morfessor", verdict, n, is_whole=len(ours) == 2)


def characteristic_lines(fits: Mapping[str, Mapping[str, ClusteredFit]]) -> list[dict[str, object]]:
    """What 7.3 says of morpheme overlap, morphemes per word and size."""
    lines = []
    for feature, name in FEATURE_NAMES.items():
        starred = [f["published"].coefficients[feature] for f in fits.values()]
        clustered = [f["f1"].coefficients[feature] for f in fits.values()]
        n = sum(c.plain_p < SIGNIFICANT for c in starred)
        n_positive = sum(c.plain_p < SIGNIFICANT and c.value > 0 for c in starred)
        n_clustered = sum(c.p < SIGNIFICANT for c in clustered)
        evidence = (
            f"significant, tested as published, in {n} of {len(fits)} languages, positive in"
            f" {n_positive}; of F1 with data sets as units in {n_clustered}"
        )
        agrees = n > len(fits) / 2 if fits else None
        lines.append(
            _language_line(f"{name} goes with scores", claims.Finding(agrees, evidence), fits)
        )
    sizes = {name: f["published"].coefficients["Sample"] for name, f in fits.items()}
    raised = [name for name, c in sizes.items() if c.plain_p < SIGNIFICANT and c.value > 0]
    evidence = f"significantly positive in {', '.join(raised) or 'none'} of {len(fits)} languages"
    agrees = len(raised) < len(fits) if fits else None
    text = "size alone does not raise scores in all languages"
    return [*lines, _language_line(text, claims.Finding(agrees, evidence), fits)]


def _language_line(text: str, found: claims.Finding, fits: Mapping[str, Any]) -> dict[str, object]:
    of = f"{len(fits)} of {len(languages())} languages"
    return claims.line("7.3", text, found, of, is_whole=len(fits) == len(languages()))


def example_text(found: Conclusions) -> str:
    """Table 2 beside ours, with how far the means are off."""
    own = [o for o in found.measured if claims.is_example(o.setting.language, o.setting.size)]
    parts = []
    for one in own:
        result = compare(one.scores, claims.F1)
        rows = [
            table_2_row(r, published_row(one.setting, r["system"])) for r in result["by_system"]
        ]
        title = setting_title(one.setting)
        errors = {cell.model: cell.errors for cell in found.cells if cell.setting == title}
        rows = [row | {"errors off": errors[str(row["model"])]} for row in rows]
        parts.append(
            f"**{title}**, ours over {one.n_data_sets} data sets, published"
            f" over {claims.N_PUBLISHED}, F1 in percent; the last column counts standard errors of"
            f" the difference of the means:\n\n{markdown_table(rows, digits=2)}"
        )
    if not parts:
        return "Table 2 is of Russian data sets of 2,000 words, which are not measured whole yet.\n"
    parts.append("Seq2seq, on fewer data sets, has lines of its own among the conclusions.\n")
    return "\n".join(parts)


def characteristics_text(fits: Mapping[str, Mapping[str, ClusteredFit]]) -> str:
    """Table 3 as we have it, a table a language."""
    if not fits:
        return "No language has its characteristics measured under both ways of sampling yet.\n"
    parts = []
    for name, found in fits.items():
        all_ = found["published"]
        parts.append(
            f"**{name}**, {all_.n:,} scores of {all_.n_clusters} data sets:\n\n"
            f"{regression_table(found)}"
        )
    return (
        "Main effects on scores in percent (distance: 1 minus characters), as in 7.3; stars: p <"
        " 0.05, 0.01, 0.001. As published every score counts as independent; clustered, only data"
        " sets do. An effect is that of one unit (overlaps: from none to all) at the reference"
        " levels, sampling with replacement and size 0. The coefficients of Table 3 are a picture"
        " in the paper and are not repeated here.\n\n" + "\n".join(parts)
    )


def ranges_text(measured: Sequence[SettingScores]) -> str:
    """Figures 2 and 3 in numbers, and what the first data set is worth in each setting."""
    if not measured:
        return "No setting is measured whole yet.\n"
    by_size = [_size_row(measured, size) for size in sorted({o.setting.size for o in measured})]
    by_setting = [
        {
            "setting": setting_title(one.setting),
            "data sets": one.n_data_sets,
            "best on average": one.in_order(claims.F1)[0],
            "best holds": percent(one.holds(claims.F1).best_of_others.value),
            "ranking holds": percent(one.holds(claims.F1).ranking_of_others.value),
            "two agree": percent(one.agreement(claims.F1)),
        }
        for one in measured
    ]
    return (
        "Scores of a model over the data sets of a setting, F1 in points, mean of models and"
        " settings; the paper's ranges are of 50 data sets, which spread half as far again as ten:"
        f"\n\n{markdown_table(by_size, digits=2)}\nWhat the first data set's winner and ranking are"
        f" worth, percent of the other data sets:\n\n{markdown_table(by_setting)}"
    )


def _size_row(measured: Sequence[SettingScores], size: int) -> dict[str, object]:
    own = [one for one in measured if one.setting.size == size]
    scores = [values for one in own for values in one.means[claims.F1].values()]
    return {
        "words": size,
        "settings": len(own),
        "range": float(np.mean([np.ptp(values) for values in scores])),
        "largest range": max(float(np.ptp(values)) for values in scores),
        "sd": float(np.mean([values.std(ddof=1) for values in scores])),
        "first to mean": float(np.mean([abs(values[0] - values.mean()) for values in scores])),
    }


STUDY = Study.of(
    __name__,
    rows=lambda options: whole_settings(),
    score=conclude,
    packages=("scipy", "statsmodels"),
    metrics=("morpheme_segmentation", "ranking_generalizability"),
)
