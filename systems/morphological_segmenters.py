"""Morphological segmenters that train in seconds: CRFs of order 0 to 4 and Morfessor, each by its name in `SEGMENTERS`.

Segmented words go in (each a list of morphemes that concatenate to the word); a segmenter comes
out, which cuts any words. `0-crf` and `1-crf` are CRFsuite's; `2-crf` to `4-crf` are the exact
engine of `crf_orders`. A `-composite` CRF is another, stronger model: the last labels are one
label, so that the attributes are weighted for each label history. The seq2seq networks are in
`seq2seq`, because many of them are trained at once.

Source: Liu & Prud'hommeaux (TACL 2022), section 5.
"""

import math
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol

from systems.crf_features import (
    Decoder,
    decode_as_published,
    decode_boundaries,
    decode_ends,
    segmentation_labels,
    substring_attributes,
)
from systems.crf_orders import train_ordered_crf

Morphemes = Sequence[str]
CACHED_WORDS = 8192  # the words of a data set are used by five splits and several models


class Segmenter(Protocol):
    """A trained segmenter."""

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Gives the morphemes of each word."""


class Method(NamedTuple):
    """How a segmenter is trained.

    Attributes:
        train: Maps training words and a seed to a segmenter; the CRFs are convex and ignore the
            seed.
        library: The installed package whose version matters.
    """

    train: Callable[[Sequence[Morphemes], int], Segmenter]
    library: str


def train_segmenter(name: str, training: Sequence[Morphemes], seed: int = 0) -> Segmenter:
    """Trains a segmenter.

    Args:
        name: A name in `SEGMENTERS`.
        training: The morphemes of each training word; words may repeat.
        seed: Seed of Morfessor's random order.

    Raises:
        ValueError: The name is unknown, or there are no training words.
    """
    if name not in SEGMENTERS:
        raise ValueError(
            f"train_segmenter: name, got {name!r}; expected one of {', '.join(SEGMENTERS)}"
        )
    if not training:
        raise ValueError(
            f"train_segmenter: training words of {name}, got none; expected at least one"
        )
    return SEGMENTERS[name].train(training, seed)


def describe_segmenter(name: str) -> dict[str, str]:
    """Gives what the results of a segmenter depend on besides its training words and seed: name, library and its version."""
    library = SEGMENTERS[name].library
    return {"name": name, "library": library, "version": version(library)}


class CrfsuiteSegmenter:
    """A CRF trained by python-crfsuite.

    Args:
        training: The morphemes of each training word.
        order: 0 (each position is a sequence of its own), 1, or with `is_composite` any number of
            labels that form one.
        decode: Maps a word and its labels to morphemes.
        is_composite: Whether a label is the last `order` labels as one string.
    """

    def __init__(
        self,
        training: Sequence[Morphemes],
        order: int = 1,
        decode: Decoder = decode_ends,
        *,
        is_composite: bool = False,
    ) -> None:
        import pycrfsuite

        self.decode = decode
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        for morphemes in training:
            labels = segmentation_labels(morphemes)
            if order == 0:
                for attributes, label in zip(
                    substring_attributes("".join(morphemes)), labels, strict=True
                ):
                    trainer.append([attributes], [label])
            else:
                trainer.append(
                    _items("".join(morphemes)),
                    composite_labels(labels, order) if is_composite else list(labels),
                )
        self.tagger, self.model = pycrfsuite.Tagger(), _train_crfsuite(trainer)
        self.tagger.open_inmemory(
            self.model
        )  # it reads from these bytes as long as it lives, and does not keep them itself

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Gives the morphemes of each word."""
        return [
            self.decode(word, "".join(label[-1] for label in self.tagger.tag(_items(word))))
            for word in words
        ]


class OrderedCrfSegmenter:
    """A CRF of any order trained by the exact engine.

    Args:
        training: The morphemes of each training word.
        order: Longest label history.
    """

    def __init__(self, training: Sequence[Morphemes], order: int) -> None:
        self.crf = train_ordered_crf(
            ["".join(m) for m in training], [segmentation_labels(m) for m in training], order
        )

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Gives the morphemes of each word."""
        return (
            [
                decode_ends(word, labels)
                for word, labels in zip(words, self.crf.tag(words), strict=True)
            ]
            if words
            else []
        )


class MorfessorSegmenter:
    """Morfessor Baseline 2.0 with its default parameters, segmenting by Viterbi.

    What it is trained on makes it another model:
    `words`: the unsegmented words. `annotations`: the words, with their morphemes as annotations
    (Kohonen et al. 2010). `tokens`, `log`, `types`: the gold morphemes as if each were a word, with
    their counts, the logarithms of their counts, or 1; with them a count and plus signs from the
    lines that the published study's program wrote, which Morfessor's reader takes for words.

    Args:
        training: The morphemes of each training word.
        seed: Seed of the random order in which Morfessor visits words; the state of `random` is
            left as it was.
        learns_from: One of the five above.

    Source: Creutz & Lagus (2002); Kohonen, Virpioja & Lagus (2010); Virpioja et al. (2013). What
        the published study's "supervised
    Morfessor" was cannot be settled from what is public: none of the five gives its scores.
    """

    def __init__(self, training: Sequence[Morphemes], seed: int, learns_from: str) -> None:
        import morfessor

        morfessor.utils.show_progress_bar = False
        self.model = morfessor.BaselineModel()
        with _seeded(seed):
            if learns_from in ("words", "annotations"):
                words = ["".join(morphemes) for morphemes in training]
                self.model.load_data([(1, word) for word in words])
                if learns_from == "annotations":
                    self.model.set_annotations(
                        {word: [tuple(m)] for word, m in zip(words, training, strict=True)}
                    )
            else:
                counts = _published_counts(training)
                self.model.load_data(
                    [(n, morph) for morph, n in counts.items()],
                    count_modifier=DAMPENING[learns_from],
                )
            self.model.train_batch()

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Gives the morphemes of each word."""
        return [list(self.model.viterbi_segment(word)[0]) for word in words]


def composite_labels(labels: str, order: int) -> list[str]:
    """Gives for every position its last `order` labels as one.

    Example:
        >>> composite_labels("[BES]", 2)
        ['[', '[B', 'BE', 'ES', 'S]']
    """
    return [labels[max(0, end - order) : end] for end in range(1, len(labels) + 1)]


def _published_counts(training: Sequence[Morphemes]) -> Mapping[str, int]:
    lines = Counter(tuple(morphemes) for morphemes in training)
    counts = Counter(morph for morphemes in training for morph in morphemes)
    counts["+"] += sum(len(morphemes) - 1 for morphemes in lines)
    counts.update(str(n) for n in lines.values())
    return counts


def _train_crfsuite(trainer: Any) -> bytes:
    with tempfile.TemporaryDirectory(prefix="crfsuite") as folder:
        path = os.path.join(folder, "model")
        trainer.train(path)
        with open(path, "rb") as file:
            return file.read()


@lru_cache(CACHED_WORDS)
def _items(word: str) -> Any:
    import pycrfsuite

    return pycrfsuite.ItemSequence(substring_attributes(word))


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


def _crfsuite(order: int, decode: Decoder = decode_ends, *, is_composite: bool = False) -> Method:
    return Method(
        lambda training, _: CrfsuiteSegmenter(training, order, decode, is_composite=is_composite),
        "python-crfsuite",
    )


def _ordered(order: int) -> Method:
    return Method(lambda training, _: OrderedCrfSegmenter(training, order), "scipy")


def _morfessor(learns_from: str) -> Method:
    return Method(partial(MorfessorSegmenter, learns_from=learns_from), "morfessor")


DAMPENING: Mapping[str, Callable[[int], int]] = {
    "tokens": lambda count: count,
    "log": lambda count: round(math.log2(count + 1)),
    "types": lambda _: 1,
}
SEGMENTERS: Mapping[str, Method] = {
    "0-crf": _crfsuite(0),
    "0-crf-published": _crfsuite(0, decode_as_published),
    "0-crf-boundaries": _crfsuite(0, decode_boundaries),
    "1-crf": _crfsuite(1),
    "2-crf": _ordered(2),
    "3-crf": _ordered(3),
    "4-crf": _ordered(4),
    "2-crf-composite": _crfsuite(2, is_composite=True),
    "3-crf-composite": _crfsuite(3, is_composite=True),
    "4-crf-composite": _crfsuite(4, is_composite=True),
    "morfessor-words": _morfessor("words"),
    "morfessor-annotations": _morfessor("annotations"),
    "morfessor-tokens": _morfessor("tokens"),
    "morfessor-log": _morfessor("log"),
    "morfessor-types": _morfessor("types"),
}
