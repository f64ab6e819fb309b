"""An exact linear-chain CRF of any order.

Label n-grams up to length order + 1 that were seen have one weight each and are shared by back-off:
after "BM", the label "E" is scored by the weights of "ME" and "BME". At order 1 the model is
CRFsuite's own. With a state for each history that matters, forward-backward is small matrix
products over all words at once.

Source: Cuong, Ye, Lee & Chieu (JMLR 2014), sections 3 and 4, with segments of length 1; CRFsuite's
L2 penalty and stopping rule.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from garden_path.models.arrays import FloatArray, IntArray
from research.systems.morphology.crf_features import END, LABELS, LONGEST_SUBSTRING, START


@dataclass(frozen=True)
class SubstringIndex:
    """The attributes seen in training words: those of `crf_features`, as integers.

    A substring of up to four characters is one 64-bit key (side, four character codes), so that
    100,000 words are indexed in a second. Code points of the training words and keys are sorted: a
    character's code is its place from 1 on, an attribute's column its key's place.
    """

    characters: IntArray
    keys: IntArray

    @classmethod
    def of(cls, words: Sequence[str]) -> "SubstringIndex":
        """Index of all attributes of `words`."""
        characters = np.unique(_code_points(words))
        keys = np.unique(_attribute_keys(words, characters))
        return cls(characters, keys[keys >= 0])

    def matrix(self, words: Sequence[str]) -> Any:
        """0/1 matrix (positions of all `[word]`, attributes), a scipy CSR array."""
        from scipy.sparse import csr_array

        keys = _attribute_keys(words, self.characters)
        columns = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_seen = self.keys[columns] == keys
        row_ends = np.concatenate([[0], np.cumsum(is_seen.sum(1))])
        shape = (len(keys), len(self.keys))
        matrix = csr_array((np.ones(row_ends[-1]), columns[is_seen], row_ends), shape=shape)
        matrix.sort_indices()
        return matrix


def _code_points(words: Sequence[str]) -> IntArray:
    text = "".join(f"{START}{word}{END}" for word in words)
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)


def _attribute_keys(words: Sequence[str], characters: IntArray) -> IntArray:
    """Keys (positions, 9): four substrings right, four left, the index; -1 outside the word."""
    points = _code_points(words)
    places = np.minimum(np.searchsorted(characters, points), len(characters) - 1)
    base = len(characters) + 2
    # an unseen character makes a substring unseen
    codes = np.where(characters[places] == points, places + 1, base - 1)
    lengths = np.array([len(word) + 2 for word in words])
    index = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    room = np.repeat(lengths, lengths) - index
    right = _substring_keys(codes, room, base, step=1)
    left = _substring_keys(np.concatenate([[0], codes[:-1]]), index, base, step=-1)
    left[left >= 0] += base**LONGEST_SUBSTRING
    return np.column_stack([*right, *left, index + 2 * base**LONGEST_SUBSTRING])


def _substring_keys(codes: IntArray, room: IntArray, base: int, step: int) -> IntArray:
    """Keys of substrings of 1, 2, ... characters by `step` from each position; -1 without room."""
    keys = np.full((LONGEST_SUBSTRING, len(codes)), -1)
    key = np.zeros(len(codes), dtype=np.int64)
    for n in range(LONGEST_SUBSTRING):
        key = key + np.roll(codes, -step * n) * base**n
        keys[n] = np.where(room > n, key, -1)
    return keys


Blocks = Sequence[slice]
Blocked = Sequence[FloatArray]


class LabelAutomaton(NamedTuple):
    """The label histories that matter, as states; states x labels arcs lead from one to another."""

    ngrams: tuple[str, ...]  # of labels, of length 2 to order + 1, that were seen, sorted
    states: tuple[str, ...]  # each named by its labels
    label: IntArray  # index of each state's last label, shape (states,)
    source: IntArray  # the state before each arc
    target: IntArray  # the state after it, by which arcs are sorted
    is_active: FloatArray  # which n-grams an arc completes, 0/1 of shape (arcs, n-grams)


class BlockLayout(NamedTuple):
    """Words side by side, in `order`, longest first: block t holds position t of longer words.

    `rows` has the row in the word-after-word order of each place, `ends` the end of each block.
    """

    order: IntArray
    rows: IntArray
    ends: IntArray

    def blocks(self) -> list[slice]:
        """Places of each position; the first n of a block are those of the n longest words."""
        return [slice(*ends) for ends in itertools.pairwise([0, *self.ends.tolist()])]


def label_automaton(labels: Sequence[str], order: int) -> LabelAutomaton:
    """Automaton of the label sequences' n-grams of length 2 to `order` + 1.

    A state is a history that some n-gram continues, or a single label; an arc leads to the longest
    state that is a suffix of the history with the next label.
    """
    ngrams = tuple(sorted(ngram_counts(labels, order)))
    states = tuple(sorted({*LABELS, *(ngram[:-1] for ngram in ngrams)}))
    number = {state: i for i, state in enumerate(states)}
    arcs = []
    for state, label in itertools.product(states, LABELS):
        history = state + label
        suffixes = (history[i:] for i in range(len(history)))
        into = next(number[suffix] for suffix in suffixes if suffix in number)
        arcs.append((into, number[state], history))
    target, source, histories = zip(*sorted(arcs), strict=True)
    is_active = np.array([[one.endswith(n) for n in ngrams] for one in histories], float)
    last = np.array([LABELS.index(state[-1]) for state in states])
    is_active = is_active.reshape(len(arcs), len(ngrams))
    return LabelAutomaton(ngrams, states, last, np.array(source), np.array(target), is_active)


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


L2_PENALTY = 1.0  # CRFsuite's c2: the loss grows by c2 * |weights|^2
STOPPING_PRECISION = 1e-5  # CRFsuite's epsilon and delta
STOPPING_PERIOD = 10
N_MEMORIES = 6
WORDS_AT_ONCE = 1024


@dataclass(frozen=True)
class OrderedCRF:
    """A trained CRF."""

    index: SubstringIndex
    automaton: LabelAutomaton
    state_weights: FloatArray  # shape (attributes, labels); 0 where the pair was not seen
    ngram_weights: FloatArray  # shape (n-grams,)
    loss: float  # penalised negative log-likelihood of its training words

    def tag(self, words: Sequence[str]) -> list[str]:
        """Best label sequence of every word, boundaries included."""
        labels: list[str] = []
        for start in range(0, len(words), WORDS_AT_ONCE):
            chunk = words[start : start + WORDS_AT_ONCE]
            scores = self.index.matrix(chunk) @ self.state_weights
            arc_scores = self.automaton.is_active @ self.ngram_weights
            labels += _best_labels(self.automaton, scores, arc_scores, lay_out(chunk))
        return labels


def train_ordered_crf(
    words: Sequence[str], labels: Sequence[str], order: int, penalty: float = L2_PENALTY
) -> OrderedCRF:
    """Trains a CRF by L-BFGS from zero weights, on words and their labels with boundaries.

    `order` is the longest label history, from 0 on; a word may occur more than once.
    """
    from scipy.optimize import minimize

    _check_training_data(words, labels, order)
    objective = TrainingObjective(words, labels, order, penalty)
    stopping = _StoppingRule(objective)
    start, limits = np.zeros(objective.n_weights), {"ftol": 0.0, "gtol": 0.0, "maxiter": 10_000}
    limits |= {"maxcor": N_MEMORIES, "maxfun": 20_000}
    how = {"jac": True, "method": "L-BFGS-B", "callback": stopping, "options": limits}
    result = minimize(objective, start, **how)
    learned = objective.unpack(result.x)
    return OrderedCRF(objective.index, objective.automaton, *learned, float(result.fun))


class TrainingObjective:
    """Penalised negative log-likelihood of training words and its gradient, by all weights.

    The vector holds the weights of the (attribute, label) pairs seen in training, then those of the
    label n-grams.
    """

    def __init__(
        self, words: Sequence[str], labels: Sequence[str], order: int, penalty: float
    ) -> None:
        self.penalty = penalty
        self.index = SubstringIndex.of(words)
        self.automaton = label_automaton(labels, order)
        self.layout = lay_out(words)
        self.attributes = self.index.matrix(words)[self.layout.rows]
        self.transposed = self.attributes.T.tocsr()
        observed = (self.transposed @ self._gold_labels(labels)).ravel()
        self.seen = np.flatnonzero(observed)
        counts = ngram_counts(labels, order)
        of_ngrams = [float(counts[ngram]) for ngram in self.automaton.ngrams]
        self.observed = np.concatenate([observed[self.seen], of_ngrams])
        self.n_weights = len(self.observed)
        self.gradient = np.zeros(self.n_weights)

    def __call__(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Loss and its gradient."""
        state_weights, ngram_weights = self.unpack(weights)
        is_active = self.automaton.is_active
        scores, arc_scores = self.attributes @ state_weights, is_active @ ngram_weights
        found = expected_counts(self.automaton, scores, arc_scores, self.layout)
        log_partition, by_label, by_arc = found
        of_states = (self.transposed @ by_label).ravel()[self.seen]
        expected = np.concatenate([of_states, by_arc @ is_active])
        size = float(weights @ weights)
        loss = log_partition - float(weights @ self.observed) + self.penalty * size
        self.gradient = expected - self.observed + 2 * self.penalty * weights
        return loss, self.gradient

    def unpack(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """State weights of shape (attributes, labels), and n-gram weights."""
        state_weights = np.zeros(len(self.index.keys) * len(LABELS))
        state_weights[self.seen] = weights[: len(self.seen)]
        return state_weights.reshape(-1, len(LABELS)), weights[len(self.seen) :]

    def _gold_labels(self, labels: Sequence[str]) -> FloatArray:
        """0/1 of shape (places, labels)."""
        codes = np.array([LABELS.index(label) for sequence in labels for label in sequence])
        return np.asarray(np.eye(len(LABELS))[codes[self.layout.rows]])


def expected_counts(
    automaton: LabelAutomaton, scores: FloatArray, arc_scores: FloatArray, layout: BlockLayout
) -> tuple[float, FloatArray, FloatArray]:
    """Runs forward-backward over all words, with scores of shapes (places, labels) and (arcs,).

    Gives the sum of the words' log partition functions, the probability of each label at each
    place, the expected count of each arc.
    """
    blocks, largest = layout.blocks(), scores.max(1, keepdims=True)
    potentials = np.exp(scores - largest)
    transition = np.zeros((len(automaton.states),) * 2)
    transition[automaton.source, automaton.target] = np.exp(arc_scores)
    forward, totals = _forward(automaton, potentials, transition, blocks)
    potentials /= totals[:, None]
    by_label, by_arc = _backward(automaton, potentials, transition, blocks, forward)
    log_partition = float(np.log(totals).sum() + largest.sum())
    return log_partition, by_label, by_arc[automaton.source, automaton.target]


def _forward(
    automaton: LabelAutomaton, potentials: FloatArray, transition: FloatArray, blocks: Blocks
) -> tuple[FloatArray, FloatArray]:
    """Forward probabilities of the states, summing to 1 at each place, and the sums before."""
    forward, totals = np.empty((len(potentials), len(automaton.states))), np.empty(len(potentials))
    is_start = np.array([float(len(state) == 1) for state in automaton.states])
    values = np.broadcast_to(is_start, forward[blocks[0]].shape)
    for block in blocks:
        own = potentials[block].take(automaton.label, axis=1)
        values = values[: block.stop - block.start] * own
        totals[block] = values.sum(1)
        np.divide(values, totals[block, None], out=forward[block])
        values = forward[block] @ transition
    return forward, totals


def _backward(
    automaton: LabelAutomaton,
    potentials: FloatArray,
    transition: FloatArray,
    blocks: Blocks,
    forward: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Probability of each label at each place, expected count of pairs of states."""
    of_label = np.eye(len(LABELS))[automaton.label]
    by_label, by_arc = np.empty(potentials.shape), np.zeros_like(transition)
    backward = np.ones((0, len(transition)))
    for block, before in zip(reversed(blocks), [*reversed(blocks[:-1]), None], strict=True):
        ended = block.stop - block.start - len(backward)
        backward = np.concatenate([backward, np.ones((ended, len(transition)))])
        by_label[block] = (forward[block] * backward) @ of_label
        if before is not None:
            backward *= potentials[block].take(automaton.label, axis=1)
            by_arc += forward[before.start : before.start + len(backward)].T @ backward
            backward = backward @ transition.T
    return by_label, by_arc * transition


def _best_labels(
    automaton: LabelAutomaton, scores: FloatArray, arc_scores: FloatArray, layout: BlockLayout
) -> list[str]:
    """The Viterbi path of every word; of equal ones, that through the first states.

    States are rows and words columns, so that each maximum is taken over whole rows. Which arc it
    came through is asked on the way back, of one state a place.
    """
    by_label = np.ascontiguousarray(scores[layout.rows].T)
    firsts = np.searchsorted(automaton.target, np.arange(len(automaton.states) + 1))
    blocks = layout.blocks()
    is_start = np.array([[len(state) == 1] for state in automaton.states])
    best = np.where(is_start, by_label[:, blocks[0]][automaton.label], -math.inf)
    finished = [best]
    for block in blocks[1:]:
        arcs = best[:, : block.stop - block.start].take(automaton.source, axis=0)
        arcs += arc_scores[:, None]
        best = by_label[:, block].take(automaton.label, axis=0)
        for into, (first, end) in zip(best, itertools.pairwise(firsts), strict=True):
            into += np.maximum.reduce(arcs[first:end])
        finished.append(best)
    return _trace_back(automaton, finished, arc_scores, layout)


def _trace_back(
    automaton: LabelAutomaton, finished: Blocked, arc_scores: FloatArray, layout: BlockLayout
) -> list[str]:
    n_words = len(layout.order)
    state = np.zeros(n_words, dtype=np.int64)
    letters = np.frombuffer(LABELS.encode("ascii"), dtype=np.uint8)
    path = np.zeros((n_words, len(finished)), dtype=np.uint8)
    n_longer = 0
    for t in range(len(finished) - 1, -1, -1):
        size = finished[t].shape[1]
        if n_longer:
            state[:n_longer] = _states_before(automaton, finished[t], arc_scores, state[:n_longer])
        state[n_longer:size] = finished[t][:, n_longer:].argmax(0)
        path[:size, t] = letters[automaton.label[state[:size]]]
        n_longer = size
    sizes = np.array([best.shape[1] for best in finished])
    lengths = np.searchsorted(-sizes, -np.arange(n_words), side="left")
    labels = [""] * n_words
    for place, word in enumerate(layout.order):
        labels[word] = path[place, : lengths[place]].tobytes().decode("ascii")
    return labels


def _states_before(
    automaton: LabelAutomaton, best: FloatArray, arc_scores: FloatArray, state: IntArray
) -> IntArray:
    """The state that each of the first words' best path comes from, the first of equal ones."""
    n_arcs = np.bincount(automaton.target)[state]
    ends = np.cumsum(n_arcs)
    starts = ends - n_arcs
    words = np.repeat(np.arange(len(state)), n_arcs)
    first = np.searchsorted(automaton.target, state)
    arcs = np.arange(len(words)) + (first - starts)[words]
    values = best[automaton.source[arcs], words] + arc_scores[arcs]
    largest = np.flatnonzero(values == np.maximum.reduceat(values, starts)[words])
    return np.asarray(automaton.source[arcs[largest[np.searchsorted(largest, starts)]]])


class _StoppingRule:
    """Stops L-BFGS as CRFsuite does: a small gradient, or little gained in ten iterations."""

    def __init__(self, objective: TrainingObjective) -> None:
        self.objective = objective
        self.losses: list[float] = []

    def __call__(self, intermediate_result: Any) -> None:
        self.losses.append(float(intermediate_result.fun))
        size = max(1.0, float(np.linalg.norm(intermediate_result.x)))
        is_flat = float(np.linalg.norm(self.objective.gradient)) < STOPPING_PRECISION * size
        if is_flat or self._gain() < STOPPING_PRECISION:
            raise StopIteration

    def _gain(self) -> float:
        if len(self.losses) <= STOPPING_PERIOD:
            return math.inf
        return (self.losses[-1 - STOPPING_PERIOD] - self.losses[-1]) / self.losses[-1]


def _check_training_data(words: Sequence[str], labels: Sequence[str], order: int) -> None:
    if order < 0:
        raise ValueError(f"train_ordered_crf: order, got {order}; expected 0 or more")
    if not words:
        raise ValueError("train_ordered_crf: words, got none; expected at least one")
    for word, sequence in zip(words, labels, strict=True):
        if len(sequence) != len(word) + 2 or set(sequence) - set(LABELS):
            raise ValueError(
                f"train_ordered_crf: labels of {word!r}, got {sequence!r}; expected"
                f" {len(word) + 2} of {LABELS}"
            )
