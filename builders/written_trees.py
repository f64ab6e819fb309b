"""Parsed sentences: trees over the words that are written, their scheme, and what is no tree."""

from collections.abc import Sequence
from typing import Any

from metrics._shared.trees import scheme_of


def fitted(tree: dict[str, Any], tokens: list[str]) -> dict[str, Any]:
    """A tree over the words of a sentence, where what is written of its own words are those.

    Example:
        >>> tree = {"tokens": ["an", "dem", "Ufer"], "surfaces": ["am", "", "Ufer"]}
        >>> tree |= {"heads": [3, 3, 0], "deprels": ["case", "det", "root"]}
        >>> fitted(tree, ["am", "Ufer"])
        {'tokens': ['am', 'Ufer'], 'heads': [2, 0], 'deprels': ['case', 'root']}
    """
    surfaces = tree.get("surfaces")
    own = tree.get("tokens")
    bare: dict[str, Any] = {
        name: tree[name] for name in ("tokens", "heads", "deprels") if name in tree
    }
    if not surfaces or own == tokens or [word for word in surfaces if word] != tokens:
        return bare if own == tokens or not surfaces else tree
    units = [sum(map(bool, surfaces[: i + 1])) for i in range(len(surfaces))]  # 1-based
    standing: dict[int, int] = {}
    for i, unit in enumerate(units):
        head = tree["heads"][i]
        is_outside = head is None or head == 0 or units[head - 1] != unit
        if unit not in standing and is_outside:
            standing[unit] = i
    chosen = [standing.get(unit, units.index(unit)) for unit in range(1, len(tokens) + 1)]
    heads = [tree["heads"][i] for i in chosen]
    return {
        "tokens": tokens,
        "heads": [units[head - 1] if head else head for head in heads],
        "deprels": [tree["deprels"][i] for i in chosen],
    }


def oddity_of(heads: Sequence[int | None]) -> str:
    """What a graph has that a tree has not: `a cycle`, `several roots`, or ""."""
    for start in range(len(heads)):
        place, n_steps = start, 0
        while n_steps <= len(heads) and (head := heads[place]) and head <= len(heads):
            place, n_steps = head - 1, n_steps + 1
        if n_steps > len(heads):
            return "a cycle"
    return "several roots" if sum(head == 0 for head in heads) > 1 else ""


def with_scheme(trees: list[Any]) -> tuple[list[Any], str]:
    """Trees, None where one is missing, and their scheme: "ud", or another with its small letters.

    TIGER's own labels are in capitals; parsers that were trained on it have them in small letters.
    """
    labels = {str(one) for tree in trees if tree for one in tree.get("deprels") or ()}
    if (scheme := scheme_of(label.lower() for label in labels)) == "ud":
        return trees, scheme
    lowered = [
        tree and {**tree, "deprels": [str(one).lower() for one in tree.get("deprels") or ()]}
        for tree in trees
    ]
    return lowered, scheme
