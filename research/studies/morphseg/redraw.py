"""How morphseg is drawn again: segmenters on a data set of another invented language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builders.morphseg import DRAW
from builders.morphseg import draw as pools
from builders.morphseg.sampling import Setting, split_indices
from metrics.morpheme_segmentation import scoring
from metrics.morpheme_segmentation.options import read_options
from research.shallow.cutters import blind_cutters
from research.studies.redraw import Redrawable, redraw_study

POOL = "synthetic"


@dataclass(frozen=True)
class DataSet:
    """Split A of the first data set of a language: morphemes of each word."""

    train: Sequence[Sequence[str]]
    test: Sequence[Sequence[str]]


def draw(seed: int, size: int) -> DataSet:
    """A data set of `size` words of language number `seed`, without replacement."""
    pool = pools.draw(seed, pool=POOL)
    split = split_indices(Setting(POOL, len(pool), size, "without"), 1, "A")
    train, test = ([pool[i].morphemes for i in part] for part in (split.train, split.test))
    return DataSet(train, test)


def score(segmenter: Any, data_set: DataSet) -> Mapping[str, Any]:
    """Result of `morpheme_segmentation`, and as `f1_null` what the best blind cutter has.

    It cuts by length alone, at the test words' own rate: no blind cutter has more.
    """
    words = ["".join(morphemes) for morphemes in data_set.test]
    n_places = sum(len(word) - 1 for word in words)
    rate = sum(len(morphemes) - 1 for morphemes in data_set.test) / max(n_places, 1)
    null = max(float(f1_of(cut(words), data_set)["f1"]) for _, cut in blind_cutters(rate))
    return {**f1_of(segmenter.train(data_set.train, 0).predict(words), data_set), "f1_null": null}


def f1_of(predicted: Sequence[Sequence[str]], data_set: DataSet) -> dict[str, Any]:
    """Scores of segmentations of the test words."""
    inputs = {"predictions": predicted, "references": data_set.test}
    return scoring.score(inputs, read_options(confidence=None))


SUITE = Redrawable(
    suite="morphseg",
    version=lambda: DRAW,
    draw=draw,
    items=lambda drawn: ["".join(word) for part in (drawn.train, drawn.test) for word in part],
    score=score,
    kind="morphological_segmenter",
    systems=("0-crf", "1-crf", "2-crf", "morfessor-annotations", "cut-nowhere"),
    size=(500, "words (two fifths of them test words)"),
    metrics={"f1": True, "accuracy": True},
    speaks_of=(
        "Draws are other invented languages of the same profile: the answer speaks about languages"
        " of this kind. Whether a ranking holds on other words of one language is what"
        " `python -m research morphseg generalizability` asks."
    ),
)
STUDY = redraw_study(SUITE)
