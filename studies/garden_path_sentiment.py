"""Table 2 of ERAS: whether sentiment classifiers are led down the garden path without showing a segmentation, beside the published rows.

    python -m studies.garden_path_sentiment --systems char-lr
    python -m studies.garden_path_sentiment --systems transformers:MODEL --dtype bfloat16
    python -m studies.garden_path_sentiment --systems transformers:MODEL --positive-label LABEL_1

Every pair is four sentences: test, control, and both with the canary's own character masked. What
was classified is stored (`--store`), so that a run that was stopped goes on where it was.

Source: Li & Hao (2025), section 4 and Table 2.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from tqdm import tqdm

from builders.eras.assembly import MASK
from dataset_scripts.content import content_hash
from dataset_scripts.eras import PAIR_FEATURES
from dataset_scripts.registry import suite_stamp
from ground.markdown import interval, markdown_table, percent
from ground.paths import RESULTS
from ground.store import Store, make_key
from metrics.gper.scoring import score
from metrics.paradigms import PARADIGMS
from studies.command_line import run_study
from studies.eras_pairs import parser, read_pairs
from studies.published import SentimentRow, sentiment_rows
from studies.report import png, write_result
from systems.sentiment import Classifier, load_classifier

NAME = "garden_path_sentiment"
COLUMNS = ("test", "control", "occluded_test", "occluded_control")
CLASSES = {"+/-": "pos_neg", "+/0": "pos_neu", "-/0": "neg_neu", "-/+": "neg_pos"}
STORE_SCHEMA = pa.schema([("positive", pa.list_(pa.float64()))])
SAMPLE = 32


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code."""
    options = _parser().parse_args(arguments)
    tables = {
        script: read_pairs(script, is_lite=options.lite, seed=options.seed)
        for script in options.scripts
    }
    results = []
    for name in options.systems:
        classifier = load_classifier(
            name,
            positive_labels=options.positive_label,
            mask_token=options.mask_token,
            device=options.device,
            dtype=options.dtype,
        )
        for script, table in tables.items():
            results.append(
                score_classifier(classifier, script, table, Store(options.store, STORE_SCHEMA))
            )
    text = result_text(results)
    print(text)
    if options.write:
        write(results, text, options)
    return 0


def score_classifier(
    classifier: Classifier, script: str, table: pa.Table, store: Store
) -> dict[str, Any]:
    """Classifies the four sentences of every pair and scores them; gives the metric's result with system, script and mask token."""
    probabilities = classify_pairs(classifier, f"{classifier.name}, {script}", table, store)
    result = score({"predictions": probabilities, "references": table["paradigm_id"]})
    return result | {
        "system": classifier.name,
        "system_version": classifier.version,
        "script": script,
        "mask_token": classifier.mask_token,
        "paradigm_differences": paradigm_differences(
            table["paradigm_id"].to_numpy(), probabilities
        ),
    }


def classify_pairs(
    classifier: Classifier, title: str, table: pa.Table, store: Store
) -> npt.NDArray[np.float64]:
    """Gives P(positive) of test, control, occluded test and occluded control sentences, shape (pairs, 4), through the store.

    Raises:
        ValueError: The classifier gives anything but a probability.
    """
    identity = {
        "system": classifier.name,
        "version": classifier.version,
        "mask": classifier.mask_token,
    }
    identity["pairs"] = content_hash(table, PAIR_FEATURES)
    size = classifier.batch_size
    starts = range(0, table.num_rows, size)
    keys = {
        (column, start): make_key(column=column, start=start, size=size, **identity)
        for column in COLUMNS
        for start in starts
    }
    done = {key: row["positive"] for key, row in store.rows(list(keys.values())).items()}
    todo = [place for place, key in keys.items() if key not in done]
    if todo:
        _announce(
            classifier, title, _sentences(classifier, table, *todo[0], size), len(todo) * size
        )
    for column, start in tqdm(todo, desc=title, unit="batch", leave=False, disable=None):
        rated = _checked(
            classifier, classifier.rate(_sentences(classifier, table, column, start, size))
        ).tolist()
        done[keys[column, start]] = rated
        store.append([keys[column, start]], {"positive": [rated]})
    return np.stack(
        [np.concatenate([done[keys[column, start]] for start in starts]) for column in COLUMNS],
        axis=1,
    )


def paradigm_differences(
    paradigm_ids: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64]
) -> list[float]:
    """Gives the mean of P(positive) of control minus test for each of the 39 paradigms, in [-1, 1]."""
    counts = np.bincount(paradigm_ids, minlength=40)[1:]
    sums = np.bincount(
        paradigm_ids, weights=probabilities[:, 1] - probabilities[:, 0], minlength=40
    )[1:]
    return [float(value) for value in sums / counts]


def result_text(results: Sequence[dict[str, Any]]) -> str:
    """Gives the table of the results above the published one, and what one has to know to read it."""
    masks = ", ".join(sorted({f"{result['system']} {result['mask_token']}" for result in results}))
    return (
        f"GPER and its parts in percent, {results[0]['n']:,} pairs; intervals over 39 paradigms. GPER has no zero: the reverse rate counts"
        " the same with every difference turned round, and the excess, GPER minus reverse, is 0 where there is no garden-path effect."
        f" The last four columns are 100 x P(positive) of control minus test. In place of the masked character: {masks}.\n\n"
        f"{markdown_table([table_row(result) for result in results])}\n{null_text()}\n\n"
        "Published (reverse and excess cannot be derived from the paper; the human row, on the authors' sentences, assumes that people make"
        f" no garden path errors and does not satisfy GPER = (1 - accuracy) x necessity):\n\n"
        f"{markdown_table([published_row(row) for row in sentiment_rows()])}"
    )


def table_row(result: dict[str, Any]) -> dict[str, object]:
    """Gives one line of the table, in percent."""
    low, high = percent(result["gper_excess_low"]), percent(result["gper_excess_high"])
    differences = {
        row["sentiment"]: percent(row["control_minus_test"]) for row in result["by_sentiment"]
    }
    return {
        "system": result["system"],
        "script": result["script"],
        "GPER": percent(result["gper"]),
        "reverse": percent(result["gper_reverse"]),
        "excess": f"{percent(result['gper_excess']):z.1f}{interval(low, high)}",
        "without degenerate": percent(result["gper_without_degenerate"]),
        "accuracy": percent(result["overall_accuracy"]),
        "necessity": percent(result["necessity"]),
        "sufficiency": percent(result["sufficiency"]),
        **{label: differences.get(label) for label in CLASSES},
    }


def published_row(row: SentimentRow) -> dict[str, object]:
    """Gives a published row in the columns of ours that it has."""
    figures = {
        "GPER": row.gper,
        "accuracy": row.overall_accuracy,
        "necessity": row.necessity,
        "sufficiency": row.sufficiency,
    }
    return {
        "system": row.system,
        **figures,
        **{label: getattr(row, name) for label, name in CLASSES.items()},
    }


def difference_plot(results: Sequence[dict[str, Any]]) -> bytes:
    """Draws control minus test P(positive) for each paradigm, by class of sentiments; the shaded side is where a garden path shows."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots()
    order = [paradigm for label in CLASSES for paradigm in PARADIGMS if paradigm.sentiment == label]
    largest = 110 * max(
        abs(value) for result in results for value in result["paradigm_differences"]
    )
    for label in CLASSES:
        places = [
            float(place) for place, paradigm in enumerate(order) if paradigm.sentiment == label
        ]
        side = [0, largest] if label.startswith("+") else [-largest, 0]
        axes.fill_between([places[0] - 0.5, places[-1] + 0.5], *side, color="0.92", zorder=0)
        axes.axvline(places[-1] + 0.5, color="0.7", linewidth=0.8)
        axes.text((places[0] + places[-1]) / 2, largest, label, ha="center", va="bottom")
    width = 0.8 / len(results)
    for k, result in enumerate(results):
        heights = [
            100 * result["paradigm_differences"][paradigm.paradigm_id - 1] for paradigm in order
        ]
        places = [place + (k - (len(results) - 1) / 2) * width for place in range(39)]
        axes.bar(places, heights, width, label=f"{result['system']}, {result['script']}", zorder=2)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(
        xlim=(-0.5, 38.5),
        ylim=(-largest, largest),
        xlabel="paradigm",
        ylabel="P(positive), control minus test, points",
    )
    axes.set_xticks(range(39), [str(paradigm.paradigm_id) for paradigm in order], fontsize=7)
    axes.legend(loc="lower left")
    return png(figure)


def null_text() -> str:
    """Says what models without any garden-path effect score, from the study of null models, or that it has not been run."""
    path = RESULTS / "eras" / "garden_path_nulls.json"
    if not path.exists():
        return "Models without any garden-path effect: run `python -m studies.garden_path_nulls --write`."
    figures = json.loads(path.read_text(encoding="utf-8"))["figures"].values()
    rates, excesses = (
        [percent(figure[name]) for figure in figures] for name in ("gper", "gper_excess")
    )
    return (
        f"Models without any garden-path effect (`studies.garden_path_nulls`): GPER {min(rates):.1f} to {max(rates):.1f} on average,"
        f" excess {min(excesses):.1f} to {max(excesses):.1f}."
    )


def write(results: Sequence[dict[str, Any]], text: str, options: argparse.Namespace) -> None:
    """Writes table, figures and plot for the card."""
    figures = {
        f"{r['system']}/{r['script']}": {
            key: value for key, value in r.items() if isinstance(value, float)
        }
        for r in results
    }
    command = f"python -m studies.{NAME} --systems {' '.join(options.systems)} --write"
    text = f"### Sentiment classification (Table 2)\n\n{text}"
    path = write_result(
        "eras",
        NAME,
        text,
        **suite_stamp("eras"),
        command=command,
        figures=figures,
        plot=difference_plot(results),
    )
    print(f"written: {path}", file=sys.stderr)


def _sentences(
    classifier: Classifier, table: pa.Table, column: str, start: int, size: int
) -> list[str]:
    return [
        sentence.replace(MASK, classifier.mask_token)
        for sentence in table[column].slice(start, size).to_pylist()
    ]


def _checked(classifier: Classifier, rated: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if not (np.isfinite(rated).all() and (rated >= 0).all() and (rated <= 1 + 1e-9).all()):
        raise ValueError(
            f"{classifier.name}: P(positive), got {rated.min()} to {rated.max()}; expected probabilities"
        )
    return np.minimum(rated, 1.0)


def _announce(classifier: Classifier, title: str, sentences: list[str], n: int) -> None:
    start = time.perf_counter()
    classifier.rate(sentences[:SAMPLE])
    expected = (time.perf_counter() - start) / len(sentences[:SAMPLE]) * n
    print(f"{title}: {n:,} sentences, about {expected:.0f} s", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    made = parser(NAME, __doc__, default_system="char-lr", default_scripts=("simplified",))
    made.add_argument(
        "--positive-label",
        nargs="+",
        default=[],
        metavar="LABEL",
        help="labels of a transformers model that are positive",
    )
    made.add_argument(
        "--mask-token",
        help="what to write for the masked character (default: the model's own mask, or a geta mark)",
    )
    return made


if __name__ == "__main__":
    sys.exit(run_study(main))
