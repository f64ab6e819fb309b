"""Pairs of sentences that differ in one thing: both members right, and what word order alone gets.

A pair counts where both of its members are decided. In a topology pair and in any other whose
members have different kinds of head, the verb and a noun, one answer for both gets nothing.
"""

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
        by_order: Whether each reader of word order has both heads right, shape (readers, m).
        by_draw: Probability that two drawn candidates are both heads, shape (m,).
        n_undecided: Number of pairs that a member leaves undecided.
    """

    members: IntArray
    factors: IntArray
    is_contrast: BoolArray
    by_order: BoolArray
    by_draw: FloatArray
    n_undecided: int

    @property
    def is_topology(self) -> BoolArray:
        """Whether the members differ in the order of their words alone, shape (m,)."""
        found: BoolArray = self.factors == PAIR_FACTORS.index(TOPOLOGY)
        return found

    def chance(self, is_counted: BoolArray) -> float:
        """The best that some of the pairs, shape (m,), are worth to a reader of order or a drawer.

        Returns:
            A share in [0, 1]; nan for no pairs.
        """
        if not is_counted.any():
            return float("nan")
        best = self.by_order[:, is_counted].mean(axis=1).max()
        return float(max(best, self.by_draw[is_counted].mean()))


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
    sizes: FloatArray = np.array([len(phrase.candidates) for phrase in gold.phrases], float)
    return Pairs(
        members,
        factors,
        of_verb[:, 0] != of_verb[:, 1],
        np.array([hits[members].all(axis=1) for hits in _order_hits(gold)]),
        1 / sizes[members].prod(axis=1),
        int((~is_decided).sum()),
    )


def _order_hits(gold: Attachments) -> list[BoolArray]:
    """Whether each reader of word order has each of n heads right."""
    return [
        np.array([read(phrase) for phrase in gold.phrases]) == gold.heads
        for read in ORDER_READERS.values()
    ]


def add_pair_scores(result: dict[str, Any], tables: Tables, pairs: Pairs, choices: Choices) -> None:
    """Adds the headline and the same over all pairs that differ in the head, with their chance."""
    parts = {
        "topology_pair": pairs.is_topology,
        "contrast_pair": pairs.is_contrast,
        "beyond_order_pair": pairs.is_contrast & ~pairs.by_order.any(axis=0),
    }
    for name, is_counted in parts.items():
        members = pairs.members[is_counted]
        scores = _pair_scores(members, choices)
        named = {f"{name}_{score}": ratio for score, ratio in scores.items()}
        tables.add(result, named, members[:, 0], named)
        result[f"{name}_accuracy_chance"] = pairs.chance(is_counted)
        result[f"n_{name}s"] = len(members)
    result["n_undecided_pairs"] = pairs.n_undecided


def pair_rows(tables: Tables, pairs: Pairs, choices: Choices) -> list[dict[str, Any]]:
    """One row per factor: its pairs, how many hang on a verb and a noun, what they are worth."""
    rows = []
    for place in np.unique(pairs.factors[pairs.factors >= 0]).tolist():
        is_counted = pairs.factors == place
        members = pairs.members[is_counted]
        row: dict[str, Any] = {"pair_factor": PAIR_FACTORS[place], "n": len(members)}
        row["n_contrasts"] = int(pairs.is_contrast[is_counted].sum())
        row["chance"] = pairs.chance(is_counted)
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
