"""Tables and plot of joint training: the lower half of Table 2 and Figure 5, ours beside them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ground.markdown import interval, markdown_table, percent
from research.studies.eras.joint_measures import (
    ComparedConditions,
    Contrast,
    ModelScores,
    compare,
    difference_by_class,
    estimate,
    of_condition,
    shown_estimate,
)
from research.studies.eras.sentiment import CLASSES, published_row
from research.studies.published_tables import sentiment_rows
from research.studies.report import Shown, png
from research.studies.seed_intervals import CrossedMean
from research.studies.study import Options
from research.systems.classifiers.joint_training import CONDITIONS

PRIMARY = "occlusion_effect_standardised"
SHARES = {
    "GPER": "gper",
    "excess": "gper_excess",
    "accuracy": "overall_accuracy",
    "necessity": "necessity",
    "sufficiency": "sufficiency",
}
WITH_INTERVAL = ("GPER", "excess")
COLOURS = ("#4477aa", "#66ccee", "#ee6677", "#aa3377")
CLAIMS = {
    (True, True): "fails at this size: learning to segment beside sentiment raises",
    (True, False): "holds at this size: learning to segment beside sentiment lowers",
    (False, True): "stays open at this size: learning to segment beside sentiment changes",
}


def show(models: Sequence[ModelScores], options: Options) -> list[Shown]:
    """Table, comparison, verdict and plot."""
    compared = {name: compare(models, name) for name in (PRIMARY, "occlusion_effect", "gper")}
    text = (
        f"{result_text(models)}\n{comparison_text(compared, n_seeds(models))}\n\n"
        f"**{verdict(compared, n_seeds(models))}**\n\n{correlation_text(models)}"
    )
    figures = figures_of(models, compared)
    return [Shown("joint_training", text, figures, lambda: accuracy_plot(models))]


def n_seeds(models: Sequence[ModelScores]) -> int:
    """How many models each condition has."""
    return len({model.seed for model in models})


def result_text(models: Sequence[ModelScores]) -> str:
    """One line per condition, each above its published one, and how to read them."""
    published = {row.system: row for row in sentiment_rows()}
    rows: list[dict[str, object]] = []
    for condition in CONDITIONS:
        found = of_condition(models, condition.name)
        row = published[condition.name]
        test = {"seeds": None, "reviews": row.chnsenticorp}
        rows += [
            condition_row(found),
            published_row(row) | test | {"condition": f"{condition.name} (published)"},
        ]
    return (
        "#### Joint training (Table 2, lower half)\n\n"
        f"Means over {n_seeds(models)} seeds; intervals over 19 families of paradigms and seeds,"
        " both resampled. Reviews: accuracy on held-out reviews (published: ChnSentiCorp); F1: of"
        " the words of held-out sentences; both with the lowest model. Pair accuracy: as in Table"
        " 1, of the segmentation heads. The other columns as in the table of sentiment classifiers;"
        " sensitivity: logits between positive and negative control sentences, without which there"
        " is no standardised effect. WWM: pre-training hides whole words; CWS: segmentation is"
        f" learned in turn with sentiment. {pretraining_text(models)}\n\n"
        f"{markdown_table(rows, list(rows[0]))}"
    )


def pretraining_text(models: Sequence[ModelScores]) -> str:
    """How much the masked language models learned, beside a guess that reads no context."""
    by_word: dict[bool, list[float]] = {False: [], True: []}
    for model in models:
        by_word[model.condition.is_by_word].append(model.hidden_loss)
    characters, words = (float(np.mean(losses)) for losses in by_word.values())
    if math.isnan(characters):
        return "Nothing was pre-trained here."
    return (
        f"Pre-training ended at {characters:.2f} nats a hidden character, {words:.2f} where words"
        f" are hidden whole; a guess by frequency alone has {models[0].entropy:.2f}."
    )


def condition_row(models: Sequence[ModelScores]) -> dict[str, object]:
    """A condition's line, shares in percent."""
    reviews = _mean_and_lowest([model.accuracy for model in models])
    f1 = _mean_and_lowest([model.f1 for model in models])
    row: dict[str, object] = {"condition": models[0].condition.name, "seeds": len(models)}
    row |= {"reviews": reviews, "F1": f1, "pair accuracy": _cell(models, "pair_accuracy", 100)}
    row |= {
        "occlusion effect": _cell(models, "occlusion_effect", 1, 2),
        "standardised": _cell(models, PRIMARY, 1, 2),
        "sensitivity": _cell(models, "sensitivity", 1, 2),
    }
    for title, name in SHARES.items():
        value = percent(estimate(models, name).value)
        row[title] = _cell(models, name, 100) if title in WITH_INTERVAL else value
    return row | {label: percent(difference_by_class(models, label)) for label in CLASSES}


def comparison_text(compared: Mapping[str, Sequence[ComparedConditions]], seeds: int) -> str:
    """The contrasts between conditions, and what they could have shown."""
    rows = [
        {
            "contrast": primary.contrast.name,
            "standardised effect": _shown(primary.estimate, 1, 2),
            "p": _claimed_p(primary),
            "detectable": _number(primary.estimate.detectable, 1, 2),
            "effect in logits": _shown(logits.estimate, 1, 2),
            "p, logits": _claimed_p(logits),
            "detectable, logits": _number(logits.estimate.detectable, 1, 2),
            "GPER, points": _shown(gper.estimate, 100, 1),
            "GPER, published": published_difference(primary.contrast),
        }
        for primary, logits, gper in zip(
            compared[PRIMARY], compared["occlusion_effect"], compared["gper"], strict=True
        )
    ]
    return (
        f"Differences within {seeds} seeds, at equal numbers of sentiment steps; negative: less"
        " garden path. Segmentation: CWS and WWM+CWS against Sentiment Only and WWM, the claim that"
        " the verdict is about, fixed beforehand; whole words: both WWM against both others; the"
        " rest against Sentiment Only. p: Holm's for all but the first. Detectable: what four of"
        " five such studies would find.\n\n"
        f"{markdown_table(rows)}"
    )


def published_difference(contrast: Contrast) -> float:
    """A contrast in the paper's GPER, in points."""
    rates = {row.system: row.gper for row in sentiment_rows()}
    return sum(weight * rates[name] for name, weight in contrast.weights.items())


def verdict(compared: Mapping[str, Sequence[ComparedConditions]], seeds: int) -> str:
    """What has come of the paper's claim, in one sentence.

    Where the standardised effect is undefined, the claim is open, and the effect in logits is told.
    """
    found, logits = compared[PRIMARY][0].estimate, compared["occlusion_effect"][0].estimate
    if found.note:
        return (
            f"The paper's claim stays open at this size: {found.note}, so that there is no"
            " standardised effect to compare; learning to segment changes that in logits by"
            f" {_told(logits, seeds)}."
        )
    claim = CLAIMS[found.is_open is False, found.is_open or found.value > 0]
    return f"The paper's claim {claim} the standardised effect by {_told(found, seeds)}."


def correlation_text(models: Sequence[ModelScores]) -> str:
    """Figure 5 in numbers: how test accuracy goes with GPER and with ERAS accuracy."""
    ours, theirs = model_points(models), published_points()
    parts = [
        f"{_number(_correlation(points, 'gper'), 1, 2)} with GPER and"
        f" {_number(_correlation(points, 'accuracy'), 1, 2)} with accuracy on ERAS"
        for points in (theirs, ours)
    ]
    return (
        f"Figure 5: accuracy on reviews correlates {parts[0]} over the paper's {len(theirs)}"
        f" models, {parts[1]} over our {len(ours)}."
    )


def published_points() -> list[dict[str, Any]]:
    """The models of the paper's Figure 5: `name`, `reviews`, `gper` and `accuracy` in percent."""
    return [
        {
            "name": row.system,
            "reviews": row.chnsenticorp,
            "gper": row.gper,
            "accuracy": row.overall_accuracy,
        }
        for row in sentiment_rows()
        if row.chnsenticorp is not None
    ]


def model_points(models: Sequence[ModelScores]) -> list[dict[str, Any]]:
    """The same of our models."""
    return [
        {
            "name": model.condition.name,
            "reviews": percent(model.accuracy),
            "gper": percent(estimate([model], "gper").value),
            "accuracy": percent(estimate([model], "overall_accuracy").value),
        }
        for model in models
    ]


def accuracy_plot(models: Sequence[ModelScores]) -> bytes:
    """Accuracy on reviews against GPER and against accuracy on ERAS, of our models and theirs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    names = [condition.name for condition in CONDITIONS]
    titles = {"gper": "GPER", "accuracy": "accuracy on ERAS"}
    for axes, (key, title) in zip(panels, titles.items(), strict=True):
        for name, colour in zip(names, COLOURS, strict=True):
            points = [point for point in model_points(models) if point["name"] == name]
            axes.plot(*_axes_of(points, key), "o", color=colour, label=f"{name}, ours")
        axes.plot(*_axes_of(published_points(), key), "ks", markersize=4, label="published")
        for point in published_points():
            place = (point["reviews"], point[key])
            axes.annotate(point["name"], place, fontsize=6, xytext=(-4, 4),
                          textcoords="offset points", ha="right")  # fmt: skip
        axes.set(xlabel="accuracy on reviews, percent", ylabel=f"{title}, percent")
        axes.grid(alpha=0.3)
    panels[0].legend(fontsize=7, loc="upper left")
    return png(figure)


def figures_of(
    models: Sequence[ModelScores], compared: Mapping[str, Sequence[ComparedConditions]]
) -> dict[str, Any]:
    """Numbers by condition and by contrast, and the verdict."""
    names = ("pair_accuracy", "occlusion_effect", PRIMARY, "sensitivity", *SHARES.values())
    conditions: dict[str, Any] = {}
    for condition in CONDITIONS:
        found = of_condition(models, condition.name)
        conditions[condition.name] = {
            name: shown_estimate(found, name)._asdict() for name in names
        } | {"reviews": [model.accuracy for model in found], "f1": [model.f1 for model in found]}
    contrasts = {
        name: {one.contrast.name: one.estimate._asdict() | {"p_holm": one.p_holm} for one in all_}
        for name, all_ in compared.items()
    }
    text = verdict(compared, n_seeds(models))
    return {"conditions": conditions, "contrasts": contrasts, "verdict": text}


def _axes_of(points: Sequence[Mapping[str, Any]], key: str) -> list[list[float]]:
    return [[point[name] for point in points] for name in ("reviews", key)]


def _correlation(points: Sequence[Mapping[str, Any]], key: str) -> float:
    axes = np.array(_axes_of(points, key))
    return float(np.corrcoef(axes)[0, 1]) if np.ptp(axes, axis=1).all() else math.nan


def _mean_and_lowest(values: Sequence[float | None]) -> str | None:
    known = [percent(value) for value in values if value is not None]
    return f"{np.mean(known):.1f} (from {min(known):.1f})" if known else None


def _cell(models: Sequence[ModelScores], name: str, factor: int, digits: int = 1) -> str:
    return _shown(shown_estimate(models, name), factor, digits)


def _shown(found: CrossedMean, factor: int, digits: int) -> str:
    if math.isnan(found.value):
        return "–"
    ends = interval(factor * found.low, factor * found.high, digits)
    return f"{_number(found.value, factor, digits)}{ends}"


def _number(value: float, factor: int, digits: int) -> str:
    return "–" if math.isnan(value) else f"{factor * value:z.{digits}f}"


def _told(found: CrossedMean, seeds: int) -> str:
    if found.note:
        return f"{found.value:z.2f} (no interval: {found.note})"
    shown = f"{found.value:z.2f}{interval(found.low, found.high, 2)}, p {_p(found.p)}"
    return f"{shown}, where {seeds} seeds could have shown {found.detectable:.2f}"


def _claimed_p(found: ComparedConditions) -> str:
    return _p(found.estimate.p if math.isnan(found.p_holm) else found.p_holm)


def _p(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
