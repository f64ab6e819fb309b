"""Whether the order of CenterBench's nouns alone tells its two conditions apart."""

import numpy as np
import pytest

from builders.centerbench.draw import LEVELS, Drawer
from builders.centerbench.relations import KnowledgeBase
from research.systems.nulls import make_guesser, order_features


@pytest.mark.parametrize("size", [30, 120])
def test_order_of_nouns_tells_nothing(size):
    """A logistic guesser on ranks and first noun; statistics over pairs, folds of whole pairs."""
    model_selection = pytest.importorskip("sklearn.model_selection")
    drawer = Drawer(KnowledgeBase())
    features, is_plausible, groups = [], [], []
    for level in LEVELS:
        for pair in drawer.draw(level, 0, size):
            for chain in (pair.plausible, pair.implausible):
                features.append(order_features([noun.noun for noun in chain.nouns]))
                is_plausible.append(chain is pair.plausible)
                groups.append(pair.pair_id)
    folds = model_selection.GroupKFold(n_splits=10)
    guesses = model_selection.cross_val_predict(
        make_guesser(), features, is_plausible, groups=groups, cv=folds
    )
    right = (guesses == np.array(is_plausible)).reshape(-1, 2).mean(axis=1)  # per pair
    upper = right.mean() + 1.96 * right.std(ddof=1) / len(right) ** 0.5
    assert upper <= 0.6
