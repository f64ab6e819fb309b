"""What GPER gives to models that cannot be led down a garden path: its missing zero.

    python -m research eras nulls

Each null model draws P(positive) for the four sentences of every pair of the suite. Sentences may
be rated differently for any reason but one: nothing distinguishes the direction in which a canary
word would pull. Every model is drawn many times over; `gper_excess` is 0 on average, and its
interval should miss 0 in about one draw of twenty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dataset_scripts.registry import split_table
from ground.markdown import format_cell, markdown_table, percent
from metrics._shared.columns import FloatArray, IntArray
from metrics._shared.paradigms import PARADIGMS
from metrics.gper import scoring
from metrics.gper.options import read_options
from metrics.gper.scoring import VERSION
from research.studies.options import flag
from research.studies.report import Shown, headings
from research.studies.simulation import DrawnWorld, Simulation
from research.studies.study import Options, Run, Study

SCORES = (
    *("occlusion_effect", "overall_accuracy", "necessity", "sufficiency"),
    *("gper", "gper_reverse", "gper_excess", "gper_without_degenerate"),
)


CONFIGS = ("simplified_lite", "simplified")
TITLES = headings("eras nulls")


@dataclass(frozen=True)
class NullModel:
    """A model without garden paths, on the scale of logits.

    `wording` is the standard deviation, over paradigms, of a difference between the wording of test
    and control that masks leave in place, `masking` a factor on what is left of every logit under a
    mask; the noise of a single sentence has standard deviation 1 without one.
    """

    name: str
    wording: float
    masking: float


MODELS = (
    NullModel("noise", 0, 1),
    NullModel("persistent difference in wording", 2, 1),
    NullModel("masks that shrink every score", 0, 0.3),
    NullModel("masks that shrink every score, and wording", 2, 0.3),
    NullModel("masks that blow up every score", 0, 3),
)


def draw_logits(
    model: NullModel, paradigm_ids: IntArray, generator: np.random.Generator
) -> FloatArray:
    """Logits of P(positive) that a null model gives to every pair, shape (n, 4).

    They are those of test, control, occluded test, occluded control; the occluded sentences of a
    degenerate paradigm are one string and get one score.
    """
    logits = generator.normal(0, 1, (len(paradigm_ids), 4))
    wording = generator.normal(0, model.wording, len(PARADIGMS) + 1)[paradigm_ids]
    logits[:, [1, 3]] += wording[:, None]
    logits[:, 2:] *= model.masking
    degenerate = np.array([False, *(one.is_occlusion_degenerate for one in PARADIGMS)])
    is_degenerate = degenerate[paradigm_ids]
    logits[is_degenerate, 3] = logits[is_degenerate, 2]
    return logits


def score_draw(given: tuple[NullModel, IntArray], seed: int) -> dict[str, float]:
    """Scores a draw of a null model on pairs of paradigms, by the default and the published rule.

    `*_holds_zero` are 1 where an interval includes 0; `gper_published` is by the published rule.
    """
    model, paradigm_ids = given
    generator = np.random.default_rng([seed, MODELS.index(model)])
    logits = draw_logits(model, paradigm_ids, generator)
    inputs = {"predictions": logits, "references": paradigm_ids}
    result = scoring.score(inputs, read_options(scale="logit"))
    published = scoring.score(inputs, read_options(scale="logit", mode="paper", confidence=None))
    found = {name: result[name] for name in SCORES} | {"gper_published": published["gper"]}
    for name, score in (("excess", "gper_excess"), ("effect", "occlusion_effect")):
        holds = result[f"{score}_low"] <= 0 <= result[f"{score}_high"]
        found[f"{name}_holds_zero"] = float(holds)
    return found


def scores_table(scores: Mapping[str, Mapping[str, FloatArray]]) -> str:
    """Each model's mean scores over the draws with the range of 95 % of them, in percent."""
    rows = []
    for model, draws in scores.items():
        low, high = (
            format_cell(percent(float(end))) for end in np.quantile(draws["gper"], [0.025, 0.975])
        )
        row: dict[str, object] = {"null model": model}
        for title, name in TITLES.items():
            row[title] = round(percent(float(draws[name].mean())), 1) + 0.0  # no minus before a 0
        row["occlusion effect"] = f"{draws['occlusion_effect'].mean():z.3f}"
        rows.append(row | {"95 % of draws": f"{low} to {high}"})
    return markdown_table(rows)


def result_text(scores: Mapping[str, Mapping[str, FloatArray]], n_draws: int, n_pairs: int) -> str:
    """The table and how to read it."""
    return f"""{scores_table(scores)}
Percent; means over {n_draws} draws of each model, which scores the {n_pairs:,} pairs of `eras`
without knowing of canary words; the occlusion effect in logits. An interval should hold 0 in 95 %
of the draws. The published rule counts another rate than the default one: published rows stand
beside the nulls of that rule only. The occluded sentences of the six degenerate paradigms are one
string and get one score.
"""


def rows(options: Options) -> list[DrawnWorld]:
    """The null models, which score every pair of a config of the default draw."""
    table = split_table("eras", options.config, "test")
    ids = np.asarray(table["paradigm_id"].to_numpy(), dtype=np.int64)
    common = {"gper": str(VERSION), "paradigms": np.bincount(ids).tolist()}
    return [
        DrawnWorld(model.name, (model, ids), options.draws, {"model": asdict(model), **common})
        for model in MODELS
    ]


def score(models: Sequence[DrawnWorld], run: Run) -> dict[str, Any]:
    """Each score of each model as an array over the draws, and the number of pairs."""
    return {"scores": SIMULATION.score(models, run), "n_pairs": len(models[0].given[1])}


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """Table and figures."""
    scores = scored["scores"]
    figures = {
        model: {name: float(values.mean()) for name, values in draws.items()}
        for model, draws in scores.items()
    }
    return [Shown(result_text(scores, options.draws, scored["n_pairs"]), figures)]


SIMULATION = Simulation(score_draw)
STUDY = Study.of(
    __name__,
    metrics=("gper",),
    work=SIMULATION.work,
    options=(
        flag("config", "whose pairs; lite has 50 of each paradigm", CONFIGS[0], choices=CONFIGS),
        flag("draws", "draws of each null model; their seeds are 0, 1, 2, ...", 200, low=1),
    ),
)
