"""Models that cannot be led down a garden path, as `gper` sees them: its missing zero.

Sentences may be rated differently for any reason but one: nothing distinguishes the direction in
which a canary word would pull.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics._shared.columns import FloatArray, IntArray
from metrics._shared.paradigms import PARADIGMS
from metrics.gper import scoring
from metrics.gper.options import read_options

SCORES = (
    "occlusion_effect",
    "overall_accuracy",
    "necessity",
    "sufficiency",
    "gper",
    "gper_reverse",
    "gper_excess",
    "gper_without_degenerate",
)


@dataclass(frozen=True)
class NullModel:
    """A model without garden paths, on the scale of logits.

    Attributes:
        name: Row of the table.
        wording: Standard deviation, over paradigms, of a difference between the wording of test and
            control that masks leave in place.
        masking: Factor on what is left of every logit under a mask; the noise of a single sentence
            has standard deviation 1 without one.
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
    """Logits that a null model gives to every pair.

    Args:
        model: The model.
        paradigm_ids: The pairs' paradigms, shape (n,).
        generator: Source of all randomness.

    Returns:
        Logits of P(positive) of test, control, occluded test, occluded control, shape (n, 4); the
        occluded sentences of a degenerate paradigm are one string and get one score.
    """
    logits = generator.normal(0, 1, (len(paradigm_ids), 4))
    wording = generator.normal(0, model.wording, len(PARADIGMS) + 1)[paradigm_ids]
    logits[:, 1] += wording
    logits[:, 3] += wording
    logits[:, 2:] *= model.masking
    is_degenerate = np.array(
        [False, *(paradigm.is_occlusion_degenerate for paradigm in PARADIGMS)]
    )[paradigm_ids]
    logits[is_degenerate, 3] = logits[is_degenerate, 2]
    return logits


def score_draw(given: tuple[NullModel, IntArray], seed: int) -> dict[str, float]:
    """Scores a draw of a null model on pairs of paradigms, by the default and the published rule.

    `excess_holds_zero` and `effect_holds_zero` are 1 where the interval of the GPER excess, or of
    the occlusion effect, includes 0; `gper_published` is GPER by the published rule.
    """
    model, paradigm_ids = given
    generator = np.random.default_rng([seed, MODELS.index(model)])
    logits = draw_logits(model, paradigm_ids, generator)
    inputs = {"predictions": logits, "references": paradigm_ids}
    result = scoring.score(inputs, read_options(scale="logit"))
    published = scoring.score(inputs, read_options(scale="logit", mode="paper", confidence=None))
    return {name: result[name] for name in SCORES} | {
        "gper_published": published["gper"],
        "excess_holds_zero": float(_holds_zero(result, "gper_excess")),
        "effect_holds_zero": float(_holds_zero(result, "occlusion_effect")),
    }


def _holds_zero(result: Mapping[str, Any], name: str) -> bool:
    return bool(result[f"{name}_low"] <= 0 <= result[f"{name}_high"])
