"""The triples of a draw: each source in a seeded order, divided into draws that share none.

Seed s is draw s mod n of the order s div n, with n the number of draws that the tables hold. So n
seeds in a row from a multiple of n have no sentence in common, and all others differ in what they
draw.

A reader that takes the shorter noun for the subject, or the first in the alphabet, or the definite
phrase, is right in both orders of an item or wrong in both: over items its gains and losses are to
be equal. Which triples stand in one draw is free, so they change places until they are.

    # Der Leser liest einen Roman .   shorter +1 (5 letters, 5: 0)   alphabet +1   definite +1
    # Ein Wal erreicht die Küste .    shorter +1                     alphabet -1   definite -1
"""

import functools
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from builders.sorts import DRAW
from builders.sorts.design import SPLITS, blocks, families, pools
from builders.sorts.lexicon import GERMAN, PLURAL, Triple, read_lexicon
from builders.sorts.realizer import Clause
from builders.sorts.resolution import resolved_by
from builders.sorts.variations import build_clause, vary
from metrics._shared.columns import IntArray
from metrics.subject_object_las.inputs import UNDECIDED

SURFACE = ("shorter noun", "noun in the alphabet", "shorter phrase", "phrase in the alphabet",
           "definite phrase")  # fmt: skip
SHAPE = (len(SPLITS), len(SURFACE) + 1)
N_MOVES = 8_000  # of triples that change places


def surface_signs(clause: Clause) -> tuple[int, ...]:
    """For each of SURFACE 1 if its reader finds the subject, -1 if the object, 0 if neither."""
    phrases = (clause.subject, clause.object)
    head, other = (phrase.words[phrase.head].form.lower() for phrase in phrases)
    text, last = (" ".join(word.form for word in phrase.words).lower() for phrase in phrases)
    definite, indefinite = ("Definite=Def" in phrase.words[0].feats for phrase in phrases)
    return (
        _sign(len(other), len(head)),
        _sign(other, head),
        _sign(len(last), len(text)),
        _sign(last, text),
        definite - indefinite,
    )


def _sign(first: str | int, second: str | int) -> int:
    return (first > second) - (first < second)  # type: ignore[operator]  # both are of one kind


@functools.cache
def triple_signs(source: str, triple: Triple, tables: Path = GERMAN) -> dict[int, IntArray]:
    """Signs of a triple's decided items, summed over blocks of one number of items.

    Returns:
        Under the number of items of a block an array of shape (splits, cues + 1); the last column
        counts the items.
    """
    found: dict[int, IntArray] = {}
    for block in blocks(tables):
        family = families(tables)[block.family]
        if family.source == source:
            clause = build_clause(vary(triple, block, 0, tables), tables)
            if resolved_by(clause, family, triple.reverse, tables) not in UNDECIDED:
                of_items = found.setdefault(block.items, np.zeros(SHAPE, np.int64))
                of_items[SPLITS.index(block.split)] += (*surface_signs(clause), 1)
    return found


class Places:
    """Places of triples in draws: those of one group, of whom each draw takes `n`, in an order.

    Args:
        source: The family that the triples are of.
        triples: In their first order; draw k has those from k n to (k + 1) n.
        n: Triples of a draw.
        start: Place in a draw's list of the group's first triple.
        tables: The language's tables.
    """

    def __init__(
        self, source: str, triples: Sequence[Triple], n: int, start: int, tables: Path
    ) -> None:
        self.triples, self.n, self.start = list(triples), n, start
        self._signs = {t.number: triple_signs(source, t, tables) for t in triples}

    def signs(self, place: int) -> IntArray:
        """What the triple at a place adds to its draw."""
        within = self.start + place % self.n
        zeros = np.zeros(SHAPE, np.int64)
        signs = self._signs[self.triples[place].number].items()
        return sum((values for items, values in signs if items > within), zeros)


def balance(groups: Sequence[Places], n_draws: int, seed: str) -> None:
    """Exchanges triples of groups until every draw's signs are near 0 in each split."""
    movable = [group for group in groups if group.n and len(group.triples) > 1]
    sums = np.zeros((n_draws + 1, *SHAPE), np.int64)  # the last: what is left

    def add(group: Places, places: Iterable[int], factor: int) -> None:
        for place in places:
            sums[min(place // group.n, n_draws)] += factor * group.signs(place)

    for group in movable:
        add(group, range(len(group.triples)), 1)
    generator = random.Random(seed)
    cost = _cost(sums)
    for _ in range(N_MOVES):
        group = movable[generator.randrange(len(movable))]
        one, other = generator.sample(range(len(group.triples)), 2)
        triples, before = group.triples, sums.copy()
        add(group, (one, other), -1)
        triples[one], triples[other] = triples[other], triples[one]
        add(group, (one, other), 1)
        if (new := _cost(sums)) <= cost:
            cost = new
        else:
            triples[one], triples[other] = triples[other], triples[one]
            sums = before


def _cost(sums: IntArray) -> float:
    """Sum of the squared means of all cues in the draws; what is left over does not count."""
    signs, items = sums[:-1, :, :-1], sums[:-1, :, -1:]
    return float(((signs / np.maximum(items, 1)) ** 2).sum())


def draw_triples(seed: int, size: int, tables: Path = GERMAN) -> dict[str, list[list[Triple]]]:
    """Draws triples: under each source `size` lists, in the order in which blocks take them.

    Raises:
        ValueError: The seed is negative, or the tables cannot fill the size.
    """
    n_draws = capacity(tables)
    if seed < 0:
        raise ValueError(f"sorts: seed, got {seed}; expected 0 or more")
    if not 1 <= size <= n_draws:
        raise ValueError(
            f"sorts: size, got {size}; expected 1 to {n_draws}, as many times the paper's size "
            "as the tables of triples fill"
        )
    order, first = divmod(seed, n_draws)
    ordered, drawn = _ordered(order, tables), dict[str, list[list[Triple]]]()
    for source, pool in pools(tables).items():
        drawn[source] = []
        for number in ((first + i) % n_draws for i in range(size)):
            singular, plural = (
                ordered[source, is_plural][number * n : (number + 1) * n]
                for is_plural, n in ((False, pool.singular), (True, pool.plural))
            )
            drawn[source].append([*singular, *plural])
    return drawn


def capacity(tables: Path = GERMAN) -> int:
    """Number of draws that the tables hold without using a triple twice."""
    needs = {
        (source, is_plural): n
        for source, pool in pools(tables).items()
        for is_plural, n in ((False, pool.singular), (True, pool.plural))
    }
    return min(len(triples_of(*group, tables)) // n for group, n in needs.items() if n)


@functools.cache
def _ordered(order: int, tables: Path) -> Mapping[tuple[str, bool], Sequence[Triple]]:
    """The triples of each source in one order, in which every draw is balanced."""
    groups = {}
    for source, pool in pools(tables).items():
        for is_plural, n, start in ((False, pool.singular, 0), (True, pool.plural, pool.singular)):
            group = list(triples_of(source, is_plural, tables))
            random.Random(f"sorts/{DRAW}/{order}/{source}/{is_plural}").shuffle(group)
            groups[source, is_plural] = Places(source, group, n, start, tables)
    balance(list(groups.values()), capacity(tables), f"sorts/{DRAW}/{order}/balance")
    return {key: places.triples for key, places in groups.items()}


@functools.cache
def triples_of(source: str, is_plural: bool, tables: Path = GERMAN) -> tuple[Triple, ...]:
    """Triples of a source with singular or with plural syncretic phrases.

    Where a draw takes no plurals, all count as singular.
    """
    has_plurals = pools(tables)[source].plural > 0
    triples = (triple for triple in read_lexicon(tables).triples if triple.family == source)
    return tuple(
        triple
        for triple in triples
        if (has_plurals and str(triple.subject_syncretic).endswith(PLURAL)) == is_plural
    )
