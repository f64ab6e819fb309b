"""GPER and the occlusion effect with three times the clusters: the polar extended paradigms too.

    python -m research eras polar
    python -m research eras polar --systems transformers:MODEL --positive-labels LABEL_1
    python -m research eras polar --variant classifiers   # the name of the committed record

The 39 paradigms, those extended ones whose two words suggest opposite sentiments, and both
together, 25 pairs of each paradigm: what a sentiment classifier shows on each, and how wide the
intervals are.

Source: Li & Hao (2025), section 4; the extended paradigms are ours.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.extended import PAIRS
from dataset_scripts.registry import split_table
from ground.markdown import format_cell, interval, markdown_table, percent
from metrics._shared.columns import FloatArray, IntArray
from metrics.gper import scoring
from metrics.gper.options import read_options
from research.studies.eras.pairs import SEED
from research.studies.eras.sentiment import BATCHES, rated_pairs
from research.studies.report import Shown
from research.studies.study import Options, Run, Study

PUBLISHED, EXTENDED, BOTH = "the 39 paradigms", "extended, polar", "both"
MEASURES = {"occlusion_effect": (1, 2), "gper_excess": (100, 1)}
"""What is compared, with the factor and the digits with which it is shown."""
TITLES = {"occlusion_effect": "occlusion effect", "gper_excess": "excess"}


def result_text(systems: Sequence[Mapping[str, Any]]) -> str:
    """What classifiers show on each set, and what three times the clusters change."""
    sizes = {row["set"]: row for row in systems}
    counts = "; ".join(
        f"{which}: {row['n_paradigms']} in {row['n_clusters']} families, {row['n']:,} pairs"
        for which, row in sizes.items()
    )
    head = (
        f"The published paradigms and the extended ones with words of opposite sentiment ({counts};"
        " 25 of each paradigm). Columns as in the table of sentiment classifiers; ±: half the"
        f" interval. {change_text(list(ratios(systems)))}"
    )
    table = markdown_table([system_row(row) for row in systems])
    return f"#### With three times the clusters\n\n{head}\n\n{table}"


def ratios(systems: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """For each measure and classifier, width on both sets by that on the 39."""
    for name in dict.fromkeys(row["system"] for row in systems):
        rows = {row["set"]: row for row in systems if row["system"] == name}
        for measure in MEASURES:
            yield measure, _width(rows[BOTH], measure) / _width(rows[PUBLISHED], measure)


def change_text(found: Sequence[tuple[str, float]]) -> str:
    """By how much the intervals became narrower, median over what the ratios are of."""
    known = {
        measure: [ratio for name, ratio in found if name == measure and math.isfinite(ratio)]
        for measure in MEASURES
    }
    if not all(known.values()):
        return "No classifier has intervals on both."
    medians = {measure: statistics.median(values) for measure, values in known.items()}
    n = min(map(len, known.values()))
    return (
        f"On both together the interval of the occlusion effect is"
        f" {medians['occlusion_effect']:.2f} times as wide as on the 39, that of the excess of GPER"
        f" {medians['gper_excess']:.2f} times (median over {n} classifiers)."
    )


def system_row(row: Mapping[str, Any]) -> dict[str, object]:
    """A classifier on a set."""
    line: dict[str, object] = {"system": row["system"], "set": row["set"]}
    line |= {"paradigms": row["n_paradigms"], "families": row["n_clusters"]}
    for measure, (factor, digits) in MEASURES.items():
        value, low, high = (factor * row[f"{measure}{end}"] for end in ("", "_low", "_high"))
        line[TITLES[measure]] = f"{format_cell(value, digits)}{interval(low, high, digits)}"
        line[f"± {TITLES[measure]}"] = f"{(high - low) / 2:.{digits}f}"
        if measure == "occlusion_effect":
            line["p"] = f"{row['occlusion_effect_p']:.3f}"
    line["standardised"] = format_cell(row["occlusion_effect_standardised"], 2)
    for name in ("gper", "gper_reverse", "overall_accuracy"):
        line[name.replace("gper", "GPER").replace("_", " ")] = percent(row[name])
    return line


def figures_of(systems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Numbers by classifier and set; without conditions, which the overview would diagnose."""
    names = [f"{m}{end}" for m in MEASURES for end in ("", "_low", "_high")]
    return {
        "systems": {
            f"{row['system']}, {row['set']}": {name: row[name] for name in (*names, "n_clusters")}
            for row in systems
        },
        "conditions": {},
        "segmentation": {},
    }


def _width(row: Mapping[str, Any], measure: str) -> float:
    return float(row[f"{measure}_high"] - row[f"{measure}_low"])


READ = ("simplified_lite", "extended")
CONFIGS = {EXTENDED: "extended"}
"""The set that is a config: the metric leaves out what has no sentiment."""


def read_sets(options: Options) -> dict[str, pa.Table]:
    """The pairs of the 39 paradigms and of the extended ones that have a sentiment, 25 each."""
    seed = {"seed": options.seed}
    lite, extended = (split_table("eras", name, "test", seed) for name in READ)
    return {
        PUBLISHED: first_pairs(lite, PAIRS),
        EXTENDED: extended.filter(pc.not_equal(extended["true_sentiment"], "0")),
    }


def first_pairs(table: pa.Table, n: int) -> pa.Table:
    """The first n pairs of each paradigm by id, wherever they stand in the table.

    Example:
        >>> pairs = {"id": ["02-0", "01-1", "01-2", "01-0"], "paradigm_id": [2, 1, 1, 1]}
        >>> first_pairs(pa.table(pairs), 2)["id"].to_pylist()
        ['01-0', '01-1', '02-0']
    """
    table = table.sort_by("id")
    ids = table["paradigm_id"].to_numpy()
    starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))
    sizes = np.diff(np.append(starts, len(ids)))
    return table.filter(pa.array(np.arange(len(ids)) - np.repeat(starts, sizes) < n))


def score(sets: Mapping[str, pa.Table], run: Run) -> list[dict[str, Any]]:
    """Results of the metric, a row per classifier and set."""
    systems = []
    for name in run.options.systems:
        classifier = run.system(name)
        for which, (ids, rated) in rated_sets(classifier, sets, run).items():
            options = read_options(run=run.about(classifier, CONFIGS.get(which, "")))
            result = scoring.score({"predictions": rated, "references": ids}, options)
            if which not in CONFIGS:
                del result["signature"]  # of rows that are no config, so that nobody repeats it
            systems.append(
                {"system": classifier.name, "set": which, "n_paradigms": len(set(ids.tolist()))}
                | result
            )
    return systems


def rated_sets(
    classifier: Any, sets: Mapping[str, pa.Table], run: Run
) -> dict[str, tuple[IntArray, FloatArray]]:
    """Paradigm and P(positive), shape (n, 4), of the pairs of each set and of all together."""
    found = {}
    for name, table in sets.items():
        rated = rated_pairs(BATCHES.answers(classifier, table, run))
        found[name] = (table["paradigm_id"].to_numpy(), rated)
    ids, rated = (np.concatenate(parts) for parts in zip(*found.values(), strict=True))
    return {**found, BOTH: (ids, rated)}


def show(systems: Sequence[Mapping[str, Any]], options: Options) -> list[Shown]:
    """Tables and figures."""
    return [Shown(result_text(systems), figures_of(systems), name="polar")]


STUDY = Study.of(
    __name__,
    rows=read_sets,
    metrics=("gper",),
    configs=lambda options: READ,
    work=BATCHES.work,
    options=(SEED,),
    kind="classifier",
    systems=("char-lr", "snownlp"),
).with_variants()
