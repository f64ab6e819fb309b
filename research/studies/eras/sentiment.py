"""Table 2 of ERAS: whether sentiment classifiers are led down the garden path.

    python -m research eras sentiment --systems char-lr
    python -m research eras sentiment --systems transformers:MODEL --dtype bfloat16
    python -m research eras sentiment --systems transformers:MODEL --positive-labels LABEL_1

No segmentation is asked for. Every pair is four sentences: test, control, and both with the
canary's own character masked. The published rows stand beside ours.

Source: Li & Hao (2025), section 4 and Table 2.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from builders.eras.assembly import MASK
from ground.markdown import format_cell, interval, markdown_table, percent, percent_with_interval
from ground.paths import RESULTS
from metrics._shared.paradigms import PARADIGMS
from metrics.gper import scoring
from metrics.gper.options import read_options
from research.engine.loop import Row
from research.studies.answer_batches import Batches
from research.studies.eras.pairs import SEED, configs, read_pairs, script_of
from research.studies.published_tables import SentimentRow, sentiment_rows
from research.studies.report import Shown, metric_versions, new_figure, numbers, png
from research.studies.study import Options, Run, Study

COLUMNS = ("test", "control", "occluded_test", "occluded_control")
CLASSES = {"+/-": "pos_neg", "+/0": "pos_neu", "-/0": "neg_neu", "-/+": "neg_pos"}


def sentences(classifier: Any, table: pa.Table) -> list[str]:
    """The sentences of COLUMNS, one column after the other, with the classifier's own mask."""
    return [
        sentence.replace(MASK, classifier.mask_token)
        for column in COLUMNS
        for sentence in table[column].to_pylist()
    ]


def classify(classifier: Any, batch: Sequence[str]) -> Row:
    """P(positive) of each sentence; a ValueError where one is no probability."""
    rated = np.asarray(classifier.predict(batch))
    if not (np.isfinite(rated).all() and (rated >= 0).all() and (rated <= 1 + 1e-9).all()):
        raise ValueError(
            f"{classifier.name}: P(positive), got {rated.min()} to {rated.max()};"
            " expected probabilities"
        )
    return {"positive": np.minimum(rated, 1.0)}


def rated_pairs(batches: Sequence[Row]) -> npt.NDArray[np.float64]:
    """P(positive) of the sentences of COLUMNS, shape (n, 4), from all batches of a table."""
    return np.concatenate([one["positive"] for one in batches]).reshape(len(COLUMNS), -1).T


BATCHES = Batches(pa.schema([("positive", pa.list_(pa.float64()))]), sentences, classify)


def score(rows: Mapping[str, pa.Table], run: Run) -> list[dict[str, Any]]:
    """Results of the metric for every system and config, one after the other."""
    return [
        score_classifier(run.system(name), config, table, run)
        for name in run.options.systems
        for config, table in rows.items()
    ]


def score_classifier(classifier: Any, config: str, table: pa.Table, run: Run) -> dict[str, Any]:
    """Scores a classifier; the metric's result with system, config and mask token."""
    probabilities = rated_pairs(BATCHES.answers(classifier, table, run))
    ids = table["paradigm_id"]
    inputs = {"predictions": probabilities, "references": ids}
    return scoring.score(inputs, read_options(run=run.about(classifier, config))) | {
        "system": classifier.name,
        "system_version": classifier.version,
        "config": config,
        "mask_token": classifier.mask_token,
        "paradigm_differences": paradigm_differences(ids.to_numpy(), probabilities),
    }


def paradigm_differences(
    paradigm_ids: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64]
) -> list[float]:
    """Mean of P(positive) of control minus test for each of the 39 paradigms, in [-1, 1]."""
    differences = probabilities[:, 1] - probabilities[:, 0]
    sums, n = np.bincount(paradigm_ids, differences, 40), np.bincount(paradigm_ids, minlength=40)
    return list((sums[1:] / n[1:]).tolist())


def result_text(results: Sequence[dict[str, Any]]) -> str:
    """The table of the results above the published one, and how to read it."""
    masks = ", ".join(sorted({f"{result['system']} {result['mask_token']}" for result in results}))
    return (
        "### Sentiment classification (Table 2)\n\n"
        f"{results[0]['n']:,} pairs of 39 paradigms; intervals over {results[0]['n_clusters']}"
        " families. A diagnosis, not a race: there is no headline, and a model that reads nothing"
        " has no effect either. Occlusion effect: by how many logits the completed canary word"
        " pulls the model from the true word; p of a sign flip; standardised: in units of how far"
        " apart the model's control sentences are, a dash where it does not tell positive from"
        " negative ones. GPER and its parts in percent. GPER has no zero: the reverse rate counts"
        " the same with every difference turned round, and the excess, GPER minus reverse, is 0"
        " where there is no garden-path effect. The last four columns are 100 x P(positive) of"
        f" control minus test. In place of the masked character: {masks}.\n\n"
        f"{markdown_table([table_row(result) for result in results])}\n{null_text()}\n\n"
        "Published (reverse and excess cannot be derived from the paper; the human row, on the"
        " authors' sentences, assumes that people make no garden path errors and does not satisfy"
        " GPER = (1 - accuracy) x necessity):\n\n"
        f"{markdown_table([published_row(row) for row in sentiment_rows()])}"
    )


def table_row(result: dict[str, Any]) -> dict[str, object]:
    """One line of the table, in percent."""
    differences = {
        row["sentiment"]: percent(row["control_minus_test"]) for row in result["by_sentiment"]
    }
    effect, low, high = (result[f"occlusion_effect{end}"] for end in ("", "_low", "_high"))
    return {
        "system": result["system"],
        "script": script_of(result["config"]),
        "occlusion effect": f"{effect:z.2f}{interval(low, high, 2)}",
        "p": f"{result['occlusion_effect_p']:.3f}",
        "standardised": format_cell(result["occlusion_effect_standardised"], 2),
        "GPER": percent(result["gper"]),
        "reverse": percent(result["gper_reverse"]),
        "excess": percent_with_interval(result, "gper_excess"),
        "without degenerate": percent(result["gper_without_degenerate"]),
        "accuracy": percent(result["overall_accuracy"]),
        "necessity": percent(result["necessity"]),
        "sufficiency": percent(result["sufficiency"]),
        **{label: differences.get(label) for label in CLASSES},
    }


def published_row(row: SentimentRow) -> dict[str, object]:
    """A published row in the columns of ours that it has."""
    figures: dict[str, object] = {"system": row.system, "GPER": row.gper}
    figures |= {"accuracy": row.overall_accuracy, "necessity": row.necessity}
    figures["sufficiency"] = row.sufficiency
    return figures | {label: getattr(row, name) for label, name in CLASSES.items()}


def difference_plot(results: Sequence[dict[str, Any]]) -> bytes:
    """Bars of P(positive), control minus test, by class; a garden path shows on the shaded side."""
    figure = new_figure(10, 4)
    axes = figure.subplots()
    order = [paradigm for label in CLASSES for paradigm in PARADIGMS if paradigm.sentiment == label]
    largest = 110 * max(abs(one) for result in results for one in result["paradigm_differences"])
    for label in CLASSES:
        places = [float(i) for i, paradigm in enumerate(order) if paradigm.sentiment == label]
        side = [0, largest] if label.startswith("+") else [-largest, 0]
        axes.fill_between([places[0] - 0.5, places[-1] + 0.5], *side, color="0.92", zorder=0)
        axes.axvline(places[-1] + 0.5, color="0.7", linewidth=0.8)
        axes.text((places[0] + places[-1]) / 2, largest, label, ha="center", va="bottom")
    width = 0.8 / len(results)
    for k, result in enumerate(results):
        heights = [100 * result["paradigm_differences"][one.paradigm_id - 1] for one in order]
        places = [place + (k - (len(results) - 1) / 2) * width for place in range(39)]
        axes.bar(places, heights, width, label=f"{result['system']}, {result['config']}", zorder=2)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="paradigm", ylabel="P(positive), control minus test, points")
    axes.set(xlim=(-0.5, 38.5), ylim=(-largest, largest))
    axes.set_xticks(range(39), [str(paradigm.paradigm_id) for paradigm in order], fontsize=7)
    axes.legend(loc="lower left")
    return png(figure)


def null_text() -> str:
    """What models without a garden-path effect score, by the study of null models if it was run."""
    path = RESULTS / "eras" / "nulls.json"
    stamp = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if stamp.get("metrics") != metric_versions(["gper"]):
        return "Models without any garden-path effect: run `python -m research eras nulls --write`."
    figures = stamp["figures"].values()

    def span(name: str) -> str:
        values = [percent(figure[name]) for figure in figures]
        return f"{min(values):z.1f} to {max(values):z.1f}"

    return (
        "Models without any garden-path effect (`python -m research eras nulls`): GPER"
        f" {span('gper')} on average, excess {span('gper_excess')}; by the published rule, which is"
        f" that of the rows below, GPER {span('gper_published')}."
    )


def show(results: Sequence[dict[str, Any]], options: Options) -> list[Shown]:
    """Table, figures and plot."""
    figures = numbers(results, "system", "config")
    return [Shown(result_text(results), figures, lambda: difference_plot(results))]


STUDY = Study.of(
    __name__,
    rows=read_pairs,
    metrics=("gper",),
    configs=lambda options: options.config,
    work=BATCHES.work,
    options=(configs("simplified_lite"), SEED),
    kind="classifier",
    systems=("char-lr",),
)
