"""Compact letter display: systems that share a letter are not shown to differ.

Source: Piepho (2004), insert and absorb.
"""

from collections.abc import Iterable, Sequence
from itertools import count, islice, product
from string import ascii_lowercase


def letters(order: Sequence[int], different: Iterable[tuple[int, int]]) -> dict[int, str]:
    """Letters of each system, `a` for the first of the order.

    Args:
        order: Systems from best to worst.
        different: Pairs that are shown to differ.

    Returns:
        For each system a text of letters: two systems have one in common if and only if they are
        not among the pairs. After z come `aa`, `ab` and so on, with commas between.

    Example:
        >>> letters([0, 1, 2], [(0, 2)])
        {0: 'a', 1: 'ab', 2: 'b'}
    """
    place = {system: i for i, system in enumerate(order)}
    groups = [(1 << len(order)) - 1]  # sets of places, as bits
    for pair in different:
        bits = [1 << place[system] for system in pair]
        groups = _split(groups, *bits)
    groups.sort(key=lambda group: [i for i in range(len(order)) if group >> i & 1])
    names = _names(len(groups))
    joint = "" if len(groups) <= len(ascii_lowercase) else ","
    return {
        system: joint.join(n for n, group in zip(names, groups, strict=True) if group >> i & 1)
        for system, i in place.items()
    }


def _split(groups: Sequence[int], first: int, second: int) -> list[int]:
    """Groups of which none holds both; those that lie in another are absorbed."""
    both = first | second
    whole = [group for group in groups if group & both != both]
    halves = {
        half
        for group in groups
        if group & both == both
        for half in (group & ~first, group & ~second)
    }
    kept = list(whole)
    for half in sorted(halves, key=int.bit_count, reverse=True):
        if not any(half & group == half for group in kept):
            kept.append(half)
    return kept


def _names(n: int) -> list[str]:
    words = (word for size in count(1) for word in product(ascii_lowercase, repeat=size))
    return ["".join(word) for word in islice(words, n)]
