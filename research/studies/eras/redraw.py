"""How ERAS is drawn again: pairs over a sampled half of the words of every slot.

For word segmenters, and as `sentiment` for classifiers, whose occlusion effect is a diagnosis, not
a race: what holds or does not is the order of the effects.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from builders.eras import VERSION
from builders.eras.assembly import pair_table
from builders.eras.draw import ParadigmDraw, pick, seeded_order
from builders.eras.paradigms import read_paradigms
from builders.eras.words import paradigm_words, read_words
from dataset_scripts.headlines import Headline
from garden_path.models.arrays import FloatArray, IntArray
from metrics._shared.paradigms import PARADIGMS
from metrics.garden_path_accuracy import scoring
from metrics.garden_path_accuracy.options import read_options
from metrics.gper import scoring as gper
from metrics.gper.inputs import read_pairs
from metrics.gper.occlusion import paradigm_effects
from metrics.gper.options import read_options as gper_options
from research.studies.eras.sentiment import COLUMNS, classify, sentences
from research.studies.levels import GroupScores
from research.studies.redraw import Redrawable, redraw_study

SHARE_OF_WORDS = 0.5
EFFECT = "occlusion_effect"
HEADLINE = Headline(
    "gper", EFFECT, "occlusion effect", lambda result: 0.0, "what a model that reads nothing has"
)


def draw(seed: int, size: int) -> pa.Table:
    """Pairs of draw number `seed`, `size` per paradigm, over half of every slot's words."""
    return pair_table(draw_from_sample(seed, size, SHARE_OF_WORDS), "simplified")


def draw_from_sample(seed: int, n_pairs: int, share: float) -> list[ParadigmDraw]:
    """Draws pairs from a sample of the words: two draws differ in words, not only in how they meet.

    `share` of each slot's words are taken, the first ones in the seeded order.
    """
    if not 0 < share <= 1:
        raise ValueError(f"eras: share of words, got {share}; expected a number in (0, 1]")
    words, drawn = read_words(), []
    for paradigm in read_paradigms():
        lists = [
            seeded_order(seed, paradigm.row.paradigm_id, place, kept)
            for place, kept in enumerate(paradigm_words(paradigm, words))
        ]
        sample = [kept[: math.ceil(share * len(kept))] for kept in lists]
        drawn.append(ParadigmDraw(paradigm, sample, pick(paradigm, sample, n_pairs)))
    return drawn


def score_of_draw(segmenter: Any, pairs: pa.Table) -> Mapping[str, Any]:
    """Result of `garden_path_accuracy`, pair by pair; draws stand for its intervals."""
    sides = (segmenter.predict(pairs[side].to_pylist()) for side in ("test", "control"))
    inputs = {"predictions": list(zip(*sides, strict=True)), "references": pairs}
    return dict(scoring.score(inputs, read_options(confidence=None, per_item=True)))


def by_paradigm(values: FloatArray, paradigm_ids: IntArray) -> GroupScores:
    """Mean of the pairs' values in each paradigm, both of shape (n,); paradigms count alike."""
    found, place = np.unique(paradigm_ids, return_inverse=True)
    means = np.bincount(place, weights=values) / np.bincount(place)
    labels = [(PARADIGMS[i - 1].family, f"{i:02d}") for i in found.tolist()]
    return GroupScores(labels, np.ones(len(found)), means)


def groups(result: Mapping[str, Any], pairs: pa.Table) -> GroupScores:
    """Pair accuracy of each paradigm."""
    right = np.array([row["is_pair_correct"] for row in result["per_item"]], float)
    return by_paradigm(right, pairs["paradigm_id"].to_numpy())


def score_sentiment(classifier: Any, pairs: pa.Table) -> Mapping[str, Any]:
    """Result of `gper`, and as `effects` the occlusion effect of each paradigm."""
    rated = np.array(classify(classifier, sentences(classifier, pairs))["positive"])
    inputs = {
        "predictions": rated.reshape(len(COLUMNS), -1).T,
        "references": pairs["paradigm_id"].to_numpy(),
    }
    effects = paradigm_effects(read_pairs(**inputs))
    return {**gper.score(inputs, gper_options()), "effects": effects}


def effect_groups(result: Mapping[str, Any], pairs: pa.Table) -> GroupScores:
    """Occlusion effect of each paradigm that has one, in logits."""
    effects = result["effects"]
    return by_paradigm(effects.effect[effects.is_usable], effects.paradigm_ids[effects.is_usable])


SUITE = Redrawable(
    suite="eras",
    version=lambda: str(VERSION),
    draw=draw,
    items=lambda pairs: pairs["test"].to_pylist(),
    score=score_of_draw,
    kind="segmenter",
    systems=("jieba", "jieba-no-hmm", "thulac", "pkuseg", "lac-small", "maxmatch"),
    size=(20, "pairs per paradigm"),
    metrics={"pair_accuracy": True, "test_accuracy": True, "garden_path_rate": False},
    speaks_of=(
        "Draws share their 39 paradigms and differ in fillers only, each taking a sampled half of"
        " every slot's words: the answer speaks about other words in the same templates. The last"
        " tables speak about other ambiguities: families of paradigms that share a word are drawn"
        " too."
    ),
    levels=("family", "paradigm"),
    drawn="family",
    groups=groups,
)
SENTIMENT = dataclasses.replace(
    SUITE,
    score=score_sentiment,
    kind="classifier",
    systems=("char-lr", "snownlp"),  # a null has 0 and would win a diagnosis
    size=(10, "pairs per paradigm"),
    metrics={EFFECT: False, f"{EFFECT}_standardised": False, "gper": False, "gper_excess": False},
    speaks_of=(
        "Draws share their 39 paradigms and differ in fillers only, each taking a sampled half of"
        " every slot's words; in the last tables families of paradigms are drawn too. A score that"
        " is undefined in some draw has the mean of the others and no ranking."
    ),
    groups=effect_groups,
    headline=HEADLINE,
    variant="sentiment",
    about="Does the order of the occlusion effects of classifiers hold on another draw of ERAS?",
    units={
        EFFECT: "hundredths of a logit",
        f"{EFFECT}_standardised": "hundredths of a standard deviation",
    },
)
STUDY = redraw_study(SUITE, SENTIMENT)
