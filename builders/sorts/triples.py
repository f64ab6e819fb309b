"""The triples of a draw: each source in a seeded order, divided into draws that share none.

Seed s is draw s mod n of the order s div n, with n the number of draws that the tables hold. So n
seeds in a row from a multiple of n have no sentence in common, and all others differ in what they
draw. The triples of an order are divided so that in every draw nothing of a clause's surface tells
its subject (`balance`).
"""

import functools
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from builders.sorts import DRAW
from builders.sorts.balance import Places, balance
from builders.sorts.design import pools
from builders.sorts.lexicon import GERMAN, PLURAL, Triple, read_lexicon


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
    numbers = [(first + i) % n_draws for i in range(size)]
    ordered = _ordered(order, tables)
    return {
        source: [_slice(source, number, ordered, tables) for number in numbers]
        for source in pools(tables)
    }


def capacity(tables: Path = GERMAN) -> int:
    """Number of draws that the tables hold without using a triple twice."""
    needs = {
        (source, is_plural): n
        for source, pool in pools(tables).items()
        for is_plural, n in ((False, pool.singular), (True, pool.plural))
    }
    return min(len(triples_of(*group, tables)) // n for group, n in needs.items() if n)


def _slice(
    source: str, number: int, ordered: Mapping[tuple[str, bool], Sequence[Triple]], tables: Path
) -> list[Triple]:
    pool = pools(tables)[source]
    taken: list[Triple] = []
    for is_plural, n in ((False, pool.singular), (True, pool.plural)):
        taken += ordered[source, is_plural][number * n : (number + 1) * n]
    return taken


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
