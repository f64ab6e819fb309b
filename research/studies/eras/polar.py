"""GPER and the occlusion effect with three times the clusters: the polar extended paradigms too.

    python -m research eras polar
    python -m research eras polar --systems transformers:MODEL --positive-labels LABEL_1
    python -m research eras polar --variant classifiers   # without those models

The 39 paradigms, those extended ones whose two words suggest opposite sentiments, and both
together, 25 pairs of each paradigm: what a sentiment classifier shows on each, and how wide the
intervals are. Beside them the models of `eras joint_training`, by condition, from the same store;
what is not there is trained, an hour of a core for all twelve.

Source: Li & Hao (2025), section 4; the extended paradigms are ours.
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.extended import PAIRS
from dataset_scripts.registry import split_table
from metrics._shared.columns import FloatArray, IntArray
from metrics.gper import scoring
from metrics.gper.inputs import read_pairs as read_rated_pairs
from metrics.gper.occlusion import paradigm_effects
from metrics.gper.options import read_options
from metrics.gper.rates import count_outcomes
from research.studies.eras.joint_measures import RULES, ModelScores
from research.studies.eras.joint_training import N_SEEDS, OPTIONS, load_head, training, wanted
from research.studies.eras.pairs import SEED
from research.studies.eras.polar_text import BOTH, EXTENDED, PUBLISHED, figures_of, result_text
from research.studies.eras.sentiment import BATCHES, COLUMNS
from research.studies.options import flag
from research.studies.report import Shown
from research.studies.study import Options, Run, Study
from research.systems.classifiers.joint_training import Condition, JointTraining, read_record

READ = ("simplified_lite", "extended")
CONFIGS = {EXTENDED: "extended"}
"""The set that is a config: the metric leaves out what has no sentiment."""
LEFT_OUT = ("seeds", "config", "device", SEED.name)
"""Options of joint training that this study has otherwise, or not."""


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


def work(sets: Mapping[str, pa.Table], run: Run) -> None:
    """Has every classifier answer, and every model of joint training that is asked for."""
    BATCHES.work(sets, run)
    for condition, seed in wanted(run.options):
        load_it = functools.partial(load_head, "classifier", training(run), condition, seed)
        system = load_it()
        for name, table in sets.items():
            BATCHES.fill(f"{system.name}, {name}", system, table, run, load_it)


def score(sets: Mapping[str, pa.Table], run: Run) -> dict[str, Any]:
    """Results of the metric for every classifier and set, and the models of joint training.

    Returns:
        `systems`, a row per classifier and set; `models`, `ModelScores` by set, none of no seeds.
    """
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
    models: dict[str, list[ModelScores]] = {}
    for condition, seed in wanted(run.options):
        made = training(run)
        head = load_head("classifier", made, condition, seed)
        for which, (ids, rated) in rated_sets(head, sets, run).items():
            scores = model_scores(made, condition, seed, ids, rated)
            models.setdefault(which, []).append(scores)
    return {"systems": systems, "models": models}


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


def model_scores(
    made: JointTraining, condition: Condition, seed: int, ids: IntArray, rated: FloatArray
) -> ModelScores:
    """What came out of a model; without its pre-training's losses and its segmentation."""
    record = read_record(made.model(condition, seed))
    pairs = read_rated_pairs(rated, ids)
    return ModelScores(
        condition,
        seed,
        record["accuracy"],
        record["f1"],
        math.nan,
        math.nan,
        paradigm_effects(pairs),
        count_outcomes(pairs, RULES.similarity),
        None,
    )


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """Tables and figures."""
    return [Shown("polar", result_text(scored), figures_of(scored))]


CLASSIFIERS = """GPER and the occlusion effect with three times the clusters, by classifiers alone.

    python -m research eras polar --variant classifiers

Without the models of joint training, which take an hour of a core to train."""
WHOLE = Study(
    __name__,
    __doc__,
    read_sets,
    score,
    show,
    metrics=("gper",),
    configs=lambda options: READ,
    work=work,
    options=(
        flag(
            "seeds",
            "models of each condition of joint training; 0 for none",
            N_SEEDS,
            low=0,
        ),
        *(option for option in OPTIONS if option.name not in LEFT_OUT),
        SEED,
    ),
    kind="classifier",
    systems=("char-lr", "snownlp"),
)
STUDY = WHOLE.having(classifiers=WHOLE.otherwise(CLASSIFIERS, seeds=0))
