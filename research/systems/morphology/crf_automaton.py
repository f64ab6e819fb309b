"""Label histories of a CRF as states of an automaton, and words side by side in blocks."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from garden_path.models.arrays import FloatArray, IntArray
from research.systems.morphology.crf_features import LABELS


class LabelAutomaton(NamedTuple):
    """The label histories that matter, as states.

    Attributes:
        ngrams: The label n-grams of length 2 to order + 1 that were seen, sorted.
        states: Histories; a state is named by its labels, the last one being the label of the
            position.
        label: Index of each state's last label, shape (states,).
        source, target: States before and after each of the states x labels arcs, sorted by target.
        is_active: Which n-grams an arc completes, 0/1 of shape (arcs, n-grams).
    """

    ngrams: tuple[str, ...]
    states: tuple[str, ...]
    label: IntArray
    source: IntArray
    target: IntArray
    is_active: FloatArray


class BlockLayout(NamedTuple):
    """Words side by side, longest first: block t holds position t of every longer word.

    Attributes:
        order: Indices of the words, longest first.
        rows: For each place in the blocks, its row in the word-after-word order.
        ends: End of each block.
    """

    order: IntArray
    rows: IntArray
    ends: IntArray

    def blocks(self) -> list[slice]:
        """Places of each position; the first n of a block are those of the n longest words."""
        return [slice(int(start), int(end)) for start, end in itertools.pairwise([0, *self.ends])]


def label_automaton(labels: Sequence[str], order: int) -> LabelAutomaton:
    """Automaton of the label sequences' n-grams of length 2 to `order` + 1.

    A state is a history that some n-gram continues, or a single label; an arc leads to the longest
    state that is a suffix of the history with the next label.
    """
    ngrams = tuple(sorted(ngram_counts(labels, order)))
    states = tuple(sorted({*LABELS, *(ngram[:-1] for ngram in ngrams)}))
    number = {state: i for i, state in enumerate(states)}
    arcs = sorted(
        (
            next(number[history[i:]] for i in range(len(history)) if history[i:] in number),
            number[state],
            history,
        )
        for state in states
        for history in (state + label for label in LABELS)
    )
    is_active = np.array(
        [[history.endswith(ngram) for ngram in ngrams] for _, _, history in arcs], dtype=float
    )
    return LabelAutomaton(
        ngrams,
        states,
        np.array([LABELS.index(state[-1]) for state in states]),
        np.array([source for _, source, _ in arcs]),
        np.array([target for target, _, _ in arcs]),
        is_active.reshape(len(arcs), len(ngrams)),
    )


def lay_out(words: Sequence[str]) -> BlockLayout:
    """Layout of `[word]` for all words."""
    lengths = np.array([len(word) + 2 for word in words])
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    sizes = [int(np.sum(lengths > t)) for t in range(lengths.max())]
    rows = np.concatenate([starts[order[:size]] + t for t, size in enumerate(sizes)])
    return BlockLayout(order, rows, np.cumsum(sizes))


def ngram_counts(labels: Sequence[str], order: int) -> Counter[str]:
    """Counts of the label n-grams of length 2 to `order` + 1."""
    return Counter(
        sequence[start : start + n]
        for sequence in labels
        for n in range(2, order + 2)
        for start in range(len(sequence) - n + 1)
    )
