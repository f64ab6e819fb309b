"""GPER and the occlusion effect with three times the clusters: the polar extended paradigms too.

    python -m research eras polar
    python -m research eras polar --systems transformers:MODEL --positive-labels LABEL_1
    python -m research eras polar --variant classifiers   # the name of the committed record

The 39 paradigms, those extended ones whose two words suggest opposite sentiments, and both
together, 25 pairs of each paradigm: what a sentiment classifier shows on each, and how wide the
intervals are.

Source: Li & Hao (2025), section 4; the extended paradigms are ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.extended import PAIRS
from dataset_scripts.registry import split_table
from metrics._shared.columns import FloatArray, IntArray
from metrics.gper import scoring
from metrics.gper.options import read_options
from research.studies.eras.pairs import SEED
from research.studies.eras.polar_text import BOTH, EXTENDED, PUBLISHED, figures_of, result_text
from research.studies.eras.sentiment import BATCHES, COLUMNS
from research.studies.report import Shown
from research.studies.study import Options, Run, Study

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
        rated = np.concatenate([b["positive"] for b in BATCHES.answers(classifier, table, run)])
        found[name] = (table["paradigm_id"].to_numpy(), rated.reshape(len(COLUMNS), -1).T)
    ids, rated = (np.concatenate(parts) for parts in zip(*found.values(), strict=True))
    return {**found, BOTH: (ids, rated)}


def show(systems: Sequence[Mapping[str, Any]], options: Options) -> list[Shown]:
    """Tables and figures."""
    return [Shown("polar", result_text(systems), figures_of(systems))]


CLASSIFIERS = """GPER and the occlusion effect with three times the clusters, by classifiers alone.

    python -m research eras polar --variant classifiers

The committed record has this name, from when the study asked models of joint training too."""
WHOLE = Study(
    __name__,
    __doc__,
    read_sets,
    score,
    show,
    metrics=("gper",),
    configs=lambda options: READ,
    work=BATCHES.work,
    options=(SEED,),
    kind="classifier",
    systems=("char-lr", "snownlp"),
)
STUDY = WHOLE.having(classifiers=WHOLE.otherwise(CLASSIFIERS))
