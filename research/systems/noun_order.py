"""What the order of the nouns alone tells of a nested sentence: a guesser that reads no verb.

A logistic regression on the nouns' ranks by place and on the first noun guesses whether a sentence
of CenterBench is the plausible member of its pair. On a suite whose directions are balanced it is
at chance; where it is not, small acts on large in one of the conditions only.
"""

import functools
from collections.abc import Sequence
from typing import Any

SEED, PAIRS_PER_LEVEL = 1, 60  # the draw that it learns from; the published one is seed 0


def order_features(nouns: Sequence[str]) -> dict[str, float]:
    """Ranks by domain, level and place, the difference of the ends, and the first noun.

    Args:
        nouns: The nouns of a sentence in their order; those that the tables lack count for nothing.
    """
    knowledge = _knowledge()
    known = [knowledge.nouns.get(noun) for noun in nouns]
    features = {nouns[0]: 1.0}
    for place, noun in enumerate(known):
        if noun is not None:
            features[f"{knowledge.domain(noun)} {len(nouns)} {place}"] = noun.rank / 100
    first, last = known[0], known[-1]
    if first is not None and last is not None:
        features[f"{knowledge.domain(first)} ends"] = (first.rank - last.rank) / 100
    return features


def make_guesser() -> Any:
    """An untrained guesser of lists of `order_features`."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(DictVectorizer(), LogisticRegression(max_iter=2_000))


def guess_plausible(orders: Sequence[Sequence[str]]) -> list[bool]:
    """Whether sentences with these nouns, in order, are guessed to be plausible members."""
    return [bool(guess) for guess in _trained().predict([order_features(o) for o in orders])]


@functools.cache
def _trained() -> Any:
    from builders.centerbench.draw import draw

    orders, is_plausible = [], []
    for pairs in draw(SEED, PAIRS_PER_LEVEL):
        for pair in pairs:
            for chain in (pair.plausible, pair.implausible):
                orders.append([noun.noun for noun in chain.nouns])
                is_plausible.append(chain is pair.plausible)
    return make_guesser().fit([order_features(order) for order in orders], is_plausible)


@functools.cache
def _knowledge() -> Any:
    from builders.centerbench.relations import KnowledgeBase

    return KnowledgeBase()
