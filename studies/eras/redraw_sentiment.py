"""How ERAS is drawn again for sentiment classifiers: other words in the same sentences.

The occlusion effect is a diagnosis, not a race: what holds or does not is the order of the effects.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from builders.eras import VERSION
from dataset_scripts.headlines import Headline
from metrics.gper import scoring
from metrics.gper.occlusion import paradigm_effects
from metrics.gper.options import read_options
from metrics.gper.pairs import read_pairs
from metrics.paradigms import PARADIGMS
from studies.eras.redraw import draw
from studies.eras.sentiment import COLUMNS, classify, sentences
from studies.levels import GroupScores
from studies.redraw import Redrawable, redraw_study

EFFECT = "occlusion_effect"
HEADLINE = Headline(
    "gper", EFFECT, "occlusion effect", lambda result: 0.0, "what a model that reads nothing has"
)


def score(classifier: Any, pairs: pa.Table) -> Mapping[str, Any]:
    """Result of `gper`, and as `effects` the occlusion effect of each paradigm."""
    rated = np.array(classify(classifier, sentences(classifier, pairs))["positive"])
    inputs = {
        "predictions": rated.reshape(len(COLUMNS), -1).T,
        "references": pairs["paradigm_id"].to_numpy(),
    }
    options = read_options()
    effects = paradigm_effects(read_pairs(inputs["predictions"], inputs["references"], options))
    return {**scoring.score(inputs, options), "effects": effects}


def groups(result: Mapping[str, Any], pairs: pa.Table) -> GroupScores:
    """Occlusion effect of each paradigm that has one, in logits."""
    effects = result["effects"]
    ids, values = (part[effects.is_usable] for part in (effects.paradigm_ids, effects.effect))
    labels = [(PARADIGMS[i - 1].family, f"{i:02d}") for i in ids.tolist()]
    return GroupScores(labels, np.ones(len(ids)), values)


SUITE = Redrawable(
    suite="eras",
    version=lambda: str(VERSION),
    draw=draw,
    items=lambda pairs: pairs["test"].to_pylist(),
    score=score,
    kind="classifier",
    systems=("char-lr", "snownlp"),  # a null has 0 and would win a diagnosis
    size=(10, "pairs per paradigm"),
    metrics={EFFECT: False, f"{EFFECT}_standardised": False, "gper": False, "gper_excess": False},
    speaks_of=(
        "Draws share their 39 paradigms and differ in fillers only, each taking a sampled half of"
        " every slot's words; in the last tables families of paradigms are drawn too. A score that"
        " is undefined in some draw has the mean of the others and no ranking."
    ),
    levels=("family", "paradigm"),
    drawn="family",
    groups=groups,
    headline=HEADLINE,
    module="redraw_sentiment",
    units={
        EFFECT: "hundredths of a logit",
        f"{EFFECT}_standardised": "hundredths of a standard deviation",
    },
)
STUDY = redraw_study(SUITE)
