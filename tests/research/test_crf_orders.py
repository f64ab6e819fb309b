"""Labels, attributes and decoders of the CRFs by hand; the exact engine against enumeration of
label sequences, finite differences and CRFsuite."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from research.systems.morphology import crf_orders
from research.systems.morphology.crf_features import (
    LABELS,
    decode_as_published,
    decode_ends,
    segmentation_labels,
    substring_attributes,
)
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("crf_features/crf_features_decoders"))
def test_crf_features_decoders(word, labels, published, ends):
    assert decode_as_published(word, labels) == published
    assert decode_ends(word, labels) == ends


def test_crf_features_labels_of_every_morpheme_length():
    assert segmentation_labels(["a", "bc", "def"]) == "[SBEBME]"


@pytest.mark.parametrize("morphemes", [[], ["a", ""]])
def test_crf_features_no_empty_morpheme(morphemes):
    with pytest.raises(ValueError, match="expected at least one, none of them empty"):
        segmentation_labels(morphemes)


def test_crf_features_attributes_of_a_middle_position():
    # [ p a p e r s ], position 3 is the second p: up to four characters to either side, both
    # boundaries included
    right, left = ("Rp", "Rpe", "Rper", "Rpers"), ("La", "Lpa", "L[pa")
    assert substring_attributes("papers")[3] == [*right, *left, "P3"]
    assert substring_attributes("papers")[0] == ["R[", "R[p", "R[pa", "R[pap", "P0"]
    assert substring_attributes("papers")[7] == ["R]", "Ls", "Lrs", "Lers", "Lpers", "P7"]


def test_substring_index_is_the_string_attributes():
    training = ["papers", "a", "aa", "go-to"]
    words = [*training, "кот", "papaye"]
    names = {a for word in training for position in substring_attributes(word) for a in position}
    index = crf_orders.SubstringIndex.of(training)
    assert len(index.keys) == len(names)
    positions = [position for word in words for position in substring_attributes(word)]
    strings = [[a for a in position if a in names] for position in positions]
    matrix = index.matrix(words)
    assert matrix.sum(1).astype(int).tolist() == [len(position) for position in strings]
    # the same positions share an attribute, whatever its number is
    shared = (matrix @ matrix.T).toarray()
    assert shared.tolist() == [[float(len(set(a) & set(b))) for b in strings] for a in strings]


# --- the exact engine
SMALL = [["a"], ["ab"], ["ab", "a"], ["b", "ab"], ["ba", "b"], ["a", "a", "b"], ["bab"]]


def words_and_labels(segmented: list[list[str]]) -> tuple[list[str], list[str]]:
    return ["".join(m) for m in segmented], [segmentation_labels(m) for m in segmented]


def made_up_words(n: int, seed: int = 0) -> list[list[str]]:
    """Stems of two or three syllables, up to three suffixes from a small inventory."""
    rng, found = random.Random(seed), []
    syllables = [c + v for c in "ptkmnsl" for v in "aeiou"]
    suffixes = ["s", "ni", "lla", "ta", "en", "mme", "ko", "in"]
    for _ in range(n):
        stem = "".join(rng.choices(syllables, k=rng.choice([2, 3])))
        found.append([stem, *rng.sample(suffixes, rng.choice([0, 1, 1, 2, 2, 3]))])
    return found


def all_scores(crf: crf_orders.OrderedCRF, word: str) -> dict[str, float]:
    """The definition: state weights, and those of every seen n-gram that ends at a position."""
    weights = dict(zip(crf.automaton.ngrams, crf.ngram_weights, strict=True))
    longest = max(map(len, weights), default=0)
    rows = crf.index.matrix([word]) @ crf.state_weights
    states = [dict(zip(LABELS, row, strict=True)) for row in rows]

    def score(labels: str) -> float:
        found = sum(state[label] for state, label in zip(states, labels, strict=True))
        ends = range(2, len(labels) + 1)
        ngrams = (labels[end - n : end] for end in ends for n in range(2, min(longest, end) + 1))
        return found + sum(weights.get(ngram, 0.0) for ngram in ngrams)

    sequences = map("".join, itertools.product(LABELS, repeat=len(word) + 2))
    return {sequence: score(sequence) for sequence in sequences}


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_crf_orders_loss_and_best_path_by_enumeration(order):
    words, labels = words_and_labels(SMALL)
    crf = crf_orders.train_ordered_crf(words, labels, order)
    loss = sum(float(np.sum(w**2)) for w in (crf.state_weights, crf.ngram_weights))
    for word, gold in zip(words, labels, strict=True):
        # 6^5 sequences for the longest word, also those never seen
        scores = all_scores(crf, word)
        loss += math.log(sum(map(math.exp, scores.values()))) - scores[gold]
        assert scores[crf.tag([word])[0]] == pytest.approx(max(scores.values()), abs=1e-9)
    assert crf.loss == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_crf_orders_gradient_is_the_slope_of_the_loss(order):
    objective = crf_orders.TrainingObjective(
        *words_and_labels(SMALL + made_up_words(20)), order, 1.0
    )
    rng = np.random.default_rng(order)
    weights, direction = rng.normal(size=(2, objective.n_weights))
    _, gradient = objective(weights)
    after, before = (objective(weights + step * direction)[0] for step in (1e-5, -1e-5))
    assert float(gradient @ direction) == pytest.approx((after - before) / 2e-5, rel=1e-6)


def test_crf_orders_histories_back_off_to_the_longest_one_seen():
    automaton = crf_orders.label_automaton(["[BE]", "[S]"], 2)
    assert automaton.ngrams == ("BE", "BE]", "E]", "S]", "[B", "[BE", "[S", "[S]")
    assert automaton.states == ("B", "BE", "E", "M", "S", "[", "[B", "[S", "]")
    arcs = {}
    for source, target, row in zip(
        automaton.source, automaton.target, automaton.is_active, strict=True
    ):
        active = set(itertools.compress(automaton.ngrams, row))
        label = LABELS[automaton.label[target]]
        arcs[automaton.states[source], label] = (automaton.states[target], active)
    assert len(arcs) == 9 * 6
    assert arcs["[B", "E"] == ("BE", {"[BE", "BE"})
    assert arcs["B", "E"] == ("BE", {"BE"})  # the history is only B: the trigram does not count
    assert arcs["BE", "]"] == ("]", {"BE]", "E]"})
    assert arcs["BE", "S"] == ("S", set())  # never seen, but possible


def test_crf_orders_first_order_is_crfsuites():
    pycrfsuite = pytest.importorskip("pycrfsuite")
    words, labels = words_and_labels(made_up_words(150))
    trainer = pycrfsuite.Trainer(verbose=False)
    for word, sequence in zip(words, labels, strict=True):
        trainer.append(substring_attributes(word), list(sequence))
    trainer.train("")
    crf = crf_orders.train_ordered_crf(words, labels, 1)
    last = trainer.logparser.last_iteration
    assert crf.loss == pytest.approx(last["loss"], rel=1e-4)
    assert np.count_nonzero(crf.state_weights) + len(crf.ngram_weights) == last["active_features"]


def test_crf_orders_learns_what_one_label_back_cannot_tell():
    # morphemes of exactly three letters of one kind: only the history tells where one ends
    segmented = [["aaa"] * n for n in (1, 2, 3)] * 10
    words, labels = words_and_labels(segmented)
    crf = crf_orders.train_ordered_crf(words, labels, 3, penalty=0.01)
    assert crf.tag(["a" * 15]) == ["[" + "BME" * 5 + "]"]


def first_best_path(crf: crf_orders.OrderedCRF, word: str) -> str:
    """The best path, place by place; of equal ones that through the first states."""
    automaton, scores = crf.automaton, crf.index.matrix([word]) @ crf.state_weights
    arc_scores = automaton.is_active @ crf.ngram_weights
    arcs = list(zip(automaton.source, automaton.target, arc_scores, strict=True))
    paths = {
        s: (float(scores[0][automaton.label[s]]), [s])
        for s, state in enumerate(automaton.states)
        if len(state) == 1
    }
    for row in scores[1:]:
        after: dict[int, tuple[float, list[int]]] = {}
        for source, target, arc in arcs:
            if source in paths:
                value = paths[source][0] + arc + row[automaton.label[target]]
                if target not in after or value > after[target][0]:
                    after[target] = value, [*paths[source][1], target]
        paths = after
    first = min(paths, key=lambda state: (-paths[state][0], state))
    return "".join(LABELS[automaton.label[state]] for state in paths[first][1])


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("coarse", [0.0, 1.0, 4.0])
def test_crf_orders_equal_paths_go_through_the_first_states(order, coarse):
    words, labels = words_and_labels(SMALL + made_up_words(40))
    trained = crf_orders.train_ordered_crf(words, labels, order)
    # whole numbers tie often, zeros everywhere
    state_weights, ngram_weights = (
        np.round(w * coarse) for w in (trained.state_weights, trained.ngram_weights)
    )
    crf = replace(trained, state_weights=state_weights, ngram_weights=ngram_weights)
    assert crf.tag(words) == [first_best_path(crf, word) for word in words]


def test_crf_orders_tags_are_the_same_alone_and_together():
    words, labels = words_and_labels(made_up_words(80))
    crf = crf_orders.train_ordered_crf(words, labels, 2)
    unseen = ["".join(m) for m in made_up_words(50, seed=1)] + ["xyz", "q"]
    assert crf.tag(unseen) == [crf.tag([word])[0] for word in unseen]
    assert crf.tag([]) == []


@pytest.mark.parametrize(*cases("crf_orders/crf_orders_refuses"))
def test_crf_orders_refuses(words, labels, order, message):
    with pytest.raises(ValueError, match=message):
        crf_orders.train_ordered_crf(words, labels, order)
