"""What is compared between the conditions of joint training, over families and seeds.

    w   weights of the families, shape (r, c): one row per resample; ones give the score itself
    n   number of seeds

Source: Li & Hao (2025), section 4; the comparison is ours.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from garden_path.models.arrays import FloatArray
from metrics._shared.paradigms import PARADIGMS, cluster_index
from metrics._shared.uncertainty import holm
from metrics.gper import rates
from metrics.gper.occlusion import Effects, sensitivity, standardised
from metrics.gper.options import Options
from research.studies.seed_intervals import CrossedMean, crossed_estimate, undefined
from research.systems.classifiers.joint_training import Condition

RULES = Options()


@dataclass(frozen=True)
class ModelScores:
    """What came out of a model.

    `accuracy` is of held-out reviews, in [0, 1], `f1` of the words of held-out sentences. The loss
    of pre-training, at its end, is in nats a hidden token, nan where there was none; `entropy` is
    that of a guess by the characters' frequencies. `effects`, `outcomes` (what GPER counts) and
    `pair_rates` (pair accuracy, shape (c,)) are by paradigm. None: a model that does not segment.
    """

    condition: Condition
    seed: int
    accuracy: float
    f1: float | None
    hidden_loss: float
    entropy: float
    effects: Effects
    outcomes: rates.Outcomes
    pair_rates: FloatArray | None


@dataclass(frozen=True)
class Contrast:
    """A difference of conditions: what each counts, by name; the sum is 0."""

    name: str
    weights: Mapping[str, float]


# the first is what the paper claims and what the verdict is about; fixed before the first run
CONTRASTS = (
    Contrast("segmentation", {"Sentiment Only": -0.5, "WWM": -0.5, "CWS": 0.5, "WWM+CWS": 0.5}),
    Contrast("whole words", {"Sentiment Only": -0.5, "WWM": 0.5, "CWS": -0.5, "WWM+CWS": 0.5}),
    Contrast("WWM", {"Sentiment Only": -1, "WWM": 1}),
    Contrast("CWS", {"Sentiment Only": -1, "CWS": 1}),
    Contrast("WWM+CWS", {"Sentiment Only": -1, "WWM+CWS": 1}),
)


@dataclass(frozen=True)
class ComparedConditions:
    """A contrast with its estimate; `p_holm` is corrected where it is not the first."""

    contrast: Contrast
    estimate: CrossedMean
    p_holm: float


def _occlusion_effect(model: ModelScores, w: FloatArray) -> FloatArray:
    usable = w * model.effects.is_usable
    return np.asarray((usable @ np.nan_to_num(model.effects.effect)) / usable.sum(axis=1))


def _rate(
    rate: Callable[..., FloatArray], model: ModelScores, w: FloatArray, *, is_reverse: bool = False
) -> FloatArray:
    return rate(rates.count_errors(model.outcomes, RULES, is_reverse=is_reverse), w)


def _excess(model: ModelScores, w: FloatArray) -> FloatArray:
    forward, reverse = (
        _rate(rates.garden_path_error_rate, model, w, is_reverse=turned) for turned in (False, True)
    )
    return forward - reverse


def _pair_accuracy(model: ModelScores, w: FloatArray) -> FloatArray:
    if model.pair_rates is None:
        return np.full(len(w), math.nan)
    return np.asarray((w @ model.pair_rates) / w.sum(axis=1))


MEASURES: Mapping[str, Callable[[ModelScores, FloatArray], FloatArray]] = {
    "occlusion_effect": _occlusion_effect,
    "occlusion_effect_standardised": lambda model, w: standardised(model.effects, w),
    "sensitivity": lambda model, w: sensitivity(model.effects, w),
    "gper": functools.partial(_rate, rates.garden_path_error_rate),
    "gper_excess": _excess,
    "overall_accuracy": functools.partial(_rate, rates.overall_accuracy),
    "necessity": functools.partial(_rate, rates.necessity),
    "sufficiency": functools.partial(_rate, rates.sufficiency),
    "pair_accuracy": _pair_accuracy,
}
"""By name the score of a model under weights of its paradigms, shapes (r, 39) to (r,)."""


def estimate(models: Sequence[ModelScores], name: str) -> CrossedMean:
    """A measure's mean over the seeds of one condition."""
    return _crossed([(1.0, models)], name)


def compare(models: Sequence[ModelScores], name: str) -> list[ComparedConditions]:
    """All contrasts in a measure, within seeds; a standardised effect needs `tells_polarity`."""
    found = [_contrast(models, contrast, name) for contrast in CONTRASTS]
    corrected = [math.nan, *holm([one.p for one in found[1:]])]
    return [
        ComparedConditions(contrast, one, p)
        for contrast, one, p in zip(CONTRASTS, found, corrected, strict=True)
    ]


def of_condition(models: Sequence[ModelScores], name: str) -> list[ModelScores]:
    """The models of a condition by its name, in the order of their seeds."""
    chosen = [model for model in models if model.condition.name == name]
    return sorted(chosen, key=lambda model: model.seed)


def tells_polarity(models: Sequence[ModelScores]) -> bool:
    """Whether the sensitivity of a condition's models lies above 0 with its interval."""
    return estimate(models, "sensitivity").low > 0


def shown_estimate(models: Sequence[ModelScores], name: str) -> CrossedMean:
    """`estimate`, undefined for the standardised effect of models that tell no polarity."""
    if name == "occlusion_effect_standardised" and not tells_polarity(models):
        return undefined(math.nan, "positive and negative controls are not told apart")
    return estimate(models, name)


def difference_by_class(models: Sequence[ModelScores], sentiment: str) -> float:
    """Mean P(positive) of control minus test over the paradigms of a class, in [-1, 1]."""
    values = []
    for outcomes in (model.outcomes for model in models):
        ids = outcomes.paradigm_ids.tolist()
        is_of_class = np.array([PARADIGMS[i - 1].sentiment == sentiment for i in ids])
        means = np.asarray(outcomes.differences) / outcomes.table.sum(axis=(1, 2))
        values += means[is_of_class].tolist()
    return float(np.mean(values))


def _contrast(models: Sequence[ModelScores], contrast: Contrast, name: str) -> CrossedMean:
    parts = [(weight, of_condition(models, one)) for one, weight in contrast.weights.items()]
    if name == "occlusion_effect_standardised":
        for _, found in parts:
            if not tells_polarity(found):
                note = f"{found[0].condition.name} does not tell positive from negative controls"
                return undefined(math.nan, note)
    return _crossed(parts, name)


def _crossed(parts: Sequence[tuple[float, Sequence[ModelScores]]], name: str) -> CrossedMean:
    """A weighted sum over conditions, whose models stand in the order of the same seeds."""
    clusters = cluster_index(parts[0][1][0].outcomes.paradigm_ids, "family")
    score = MEASURES[name]

    def measure(weights: FloatArray) -> FloatArray:
        w = weights[:, clusters]
        values = [
            weight * np.stack([score(m, w) for m in found], axis=1) for weight, found in parts
        ]
        return np.asarray(np.sum(values, axis=0))

    return crossed_estimate(measure, int(clusters.max()) + 1)
