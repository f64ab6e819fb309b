"""Pairs of sentences that differ in one thing: both members right, and what word order alone gets.

A pair counts where both of its members are decided. In a topology pair and in any other whose
members have different kinds of head, the verb and a noun, one answer for both gets nothing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..cluster_tables import Ratio, Tables
from ..columns import BoolArray, FloatArray, IntArray
from .attachments import Attachments
from .choices import Choices
from .inventory import PAIR_FACTORS, TOPOLOGY
from .orders import ORDER_READERS


class Pairs(NamedTuple):
    """m pairs both of whose members are decided.

    Attributes:
        members: Both members of each, shape (m, 2).
        factors: Place in PAIR_FACTORS of what they differ in, shape (m,); -1 where none is named.
        is_contrast: Whether one hangs on the verb and the other on a noun, shape (m,).
        is_by_order: Whether some reader of word order has both heads right, shape (m,).
        n_undecided: Number of pairs that a member leaves undecided.
    """

    members: IntArray
    factors: IntArray
    is_contrast: BoolArray
    is_by_order: BoolArray
    n_undecided: int

    @property
    def is_topology(self) -> BoolArray:
        """Whether the members differ in the order of their words alone, shape (m,)."""
        found: BoolArray = self.factors == PAIR_FACTORS.index(TOPOLOGY)
        return found


def decided_pairs(gold: Attachments) -> Pairs:
    """The pairs of n attachments; a row without its partner is in none."""
    order = np.argsort(gold.pair.groups, kind="stable")
    groups, units = gold.pair.groups[order], gold.pair.units[order]
    firsts = np.flatnonzero(groups[1:] == groups[:-1])
    members = np.stack([units[firsts], units[firsts + 1]], axis=1).reshape(-1, 2)
    is_decided = ~gold.is_undecided[members].any(axis=1)
    factors = _factors(gold)[members[:, 0]]
    members, factors = members[is_decided], factors[is_decided]
    of_verb = gold.is_verb[members]
    by_readers = [hits[members].all(axis=1) for hits in reader_hits(gold).values()]
    return Pairs(
        members,
        factors,
        of_verb[:, 0] != of_verb[:, 1],
        np.any(by_readers, axis=0),
        int((~is_decided).sum()),
    )


def reader_hits(gold: Attachments) -> Mapping[str, BoolArray]:
    """Whether each reader of word order has each of n heads right, by reader."""
    return {
        name: np.array([read(phrase) for phrase in gold.phrases]) == gold.heads
        for name, read in ORDER_READERS.items()
    }


def add_pair_scores(
    result: dict[str, Any], tables: Tables, gold: Attachments, pairs: Pairs, choices: Choices
) -> None:
    """Adds the headline, its chance, and what it is over all pairs that differ in the head."""
    parts = {
        "topology_pair": pairs.is_topology,
        "contrast_pair": pairs.is_contrast,
        "beyond_order_pair": pairs.is_contrast & ~pairs.is_by_order,
    }
    for name, is_counted in parts.items():
        members = pairs.members[is_counted]
        scores = _pair_scores(members, choices)
        named = {f"{name}_{score}": ratio for score, ratio in scores.items()}
        tables.add(result, named, members[:, 0], named)
        result[f"n_{name}s"] = len(members)
    result["topology_pair_accuracy_chance"] = order_chance(gold, pairs.members[pairs.is_topology])
    result["n_undecided_pairs"] = pairs.n_undecided


def order_chance(gold: Attachments, members: IntArray) -> float:
    """The best that pairs are worth to a reader of word order or to one who draws a candidate.

    Args:
        gold: The attachments.
        members: Both members of m pairs, shape (m, 2).

    Returns:
        A share in [0, 1]; nan for no pairs.
    """
    if not len(members):
        return float("nan")
    sizes: FloatArray = np.array([len(phrase.candidates) for phrase in gold.phrases], float)
    drawn = float((1 / sizes[members].prod(axis=1)).mean())
    return max(drawn, *(float(h[members].all(axis=1).mean()) for h in reader_hits(gold).values()))


def pair_rows(
    tables: Tables, gold: Attachments, pairs: Pairs, choices: Choices
) -> list[dict[str, Any]]:
    """One row per factor: its pairs, how many hang on a verb and a noun, what they are worth."""
    rows = []
    for place in np.unique(pairs.factors[pairs.factors >= 0]).tolist():
        is_counted = pairs.factors == place
        members = pairs.members[is_counted]
        row: dict[str, Any] = {"pair_factor": PAIR_FACTORS[place], "n": len(members)}
        row["n_contrasts"] = int(pairs.is_contrast[is_counted].sum())
        row["chance"] = order_chance(gold, members)
        scores = _pair_scores(members, choices)
        tables.add(row, scores, members[:, 0], scores)
        rows.append(row)
    return rows


def _pair_scores(members: IntArray, choices: Choices) -> dict[str, Ratio]:
    """Both members right in head and label, and in their heads."""
    heads = choices.is_head_right
    hits = {"accuracy": heads & choices.is_label_right, "head_accuracy": heads}
    return {
        name: Ratio(values[members].all(axis=1).astype(float), np.ones(len(members)))
        for name, values in hits.items()
    }


def _factors(gold: Attachments) -> IntArray:
    places = np.full(gold.n, -1)
    names = gold.pair_factor.names
    codes = np.array([PAIR_FACTORS.index(name) for name in names], np.int64)
    places[gold.pair_factor.units] = codes[gold.pair_factor.groups]
    return places
