"""Which words meet in which pair: a function of (DRAW, seed, size), balanced over the words.

The lists of a paradigm's slots are put in a seeded order; pair k then takes, for lists of n1, n2
and n3 words,

    word k mod n1,   word (k + k div lcm(n1, n2)) mod n2,   word (k + k div lcm(n1, n3) + k div
    lcm(n2, n3)) mod n3

so that every combination comes once before any comes twice, and the counts of a slot's words differ
by 1 at most. A sentence never has a word twice: with two slots such a combination is passed over
(the counts then differ by 2 at most), with three its last word changes places with a later one.

Source: Li & Hao (2025), section 2.3, give the size (203,944 pairs). They keep at most 40,000
combinations per template in nested order; the balance is ours.
"""

import hashlib
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from builders.columns import BoolArray, IntArray
from builders.eras import DRAW
from builders.eras.paradigms import TemplateParadigm, read_paradigms
from builders.eras.words import SlotWord, paradigm_words, read_words

DEFAULT_SIZE = 203_944
LITE_PAIRS = 50  # per paradigm
LARGEST_SPREAD = 2


class ParadigmDraw(NamedTuple):
    """Pairs drawn for one paradigm: words per slot, `picks` of shape (pairs, slots) into them."""

    paradigm: TemplateParadigm
    lists: list[list[SlotWord]]
    picks: IntArray


def draw(seed: int = 0, size: int | None = None) -> list[ParadigmDraw]:
    """Draws the suite, the paper's 203,944 pairs by default; the seed 0 is the published draw.

    The draws are in order of the paradigms' ids; the first `size mod 39` have one pair more than
    the others. A ValueError where the size is smaller than the number of paradigms, or larger than
    the word lists can fill.
    """
    paradigms, words = read_paradigms(), read_words()
    quotas = paradigm_quotas(DEFAULT_SIZE if size is None else size, len(paradigms))
    return [
        draw_pairs(one, one.row.paradigm_id, paradigm_words(one, words), seed, quota)
        for one, quota in zip(paradigms, quotas, strict=True)
    ]


def draw_pairs(
    paradigm: TemplateParadigm,
    name: int | str,
    lists: Sequence[Sequence[SlotWord]],
    seed: int,
    n: int,
) -> ParadigmDraw:
    """Pairs of a paradigm, balanced over the words of its slots; errors as in `pick`."""
    ordered = [seeded_order(seed, name, place, words) for place, words in enumerate(lists)]
    return ParadigmDraw(paradigm, ordered, pick(paradigm, ordered, n))


def lite(drawn: Sequence[ParadigmDraw]) -> list[ParadigmDraw]:
    """The fixed subset of the lite configs: the first 50 pairs of each paradigm."""
    return [part._replace(picks=part.picks[:LITE_PAIRS]) for part in drawn]


def paradigm_quotas(size: int, n_paradigms: int) -> list[int]:
    """Pairs per paradigm, one more in the first ones; a ValueError where some would have none."""
    if size < n_paradigms:
        expected = f"at least {n_paradigms}, a pair for each paradigm"
        raise ValueError(f"eras: size, got {size}; expected {expected}")
    return [size // n_paradigms + (k < size % n_paradigms) for k in range(n_paradigms)]


def capacity(lists: Sequence[Sequence[SlotWord]]) -> int:
    """Number of combinations of a paradigm's lists in which no word comes twice."""
    texts = [{word.word for word in words} for words in lists]
    total = math.prod(map(len, texts))
    if len(lists) < 3:
        return total - (len(texts[0] & texts[1]) if len(lists) == 2 else 0)
    repeated = sum(
        len(texts[i] & texts[j]) * len(texts[k]) for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0))
    )
    return total - repeated + 2 * len(set.intersection(*texts))


def combine(lengths: Sequence[int], start: int, stop: int) -> IntArray:
    """Combinations `start` to `stop` of lists of these lengths, of shape (stop - start, slots).

    Example:
        >>> combine([2, 3], 0, 6).tolist()
        [[0, 0], [1, 1], [0, 2], [1, 0], [0, 1], [1, 2]]
    """
    k = np.arange(start, stop, dtype=np.int64)
    n1, n2, *others = (*lengths, 1)[: max(2, len(lengths))]
    turn, rest = np.divmod(k, n1 * n2)  # in every turn the first two lists meet in every way once
    columns = [rest % n1, (rest + rest // np.lcm(n1, n2)) % n2]
    for n3 in others:
        left_over = n1 * n2 % n3
        # the third list goes on where the last turn stopped
        shift = turn * left_over + turn // (n3 // np.gcd(left_over, n3))
        columns.append((rest + rest // np.lcm(n1, n3) + rest // np.lcm(n2, n3) + shift) % n3)
    return np.stack(columns, axis=1)[:, : len(lengths)]


def seeded_order(
    seed: int, name: int | str, place: int, words: Sequence[SlotWord]
) -> list[SlotWord]:
    """Words of a slot in an order that the seed decides by hashes, the same under any library."""
    prefix = f"eras|{DRAW}|{seed}|{name}|{place}|"
    return sorted(words, key=lambda word: hashlib.sha256((prefix + word.word).encode()).digest())


def pick(paradigm: TemplateParadigm, lists: Sequence[Sequence[SlotWord]], quota: int) -> IntArray:
    """The first `quota` combinations of a paradigm's lists, of shape (quota, slots).

    A ValueError where they cannot fill so many, or some words come more often than others.
    """
    most, lengths = capacity(lists), [len(words) for words in lists]
    where = f"eras: paradigm {paradigm.row.paradigm_id}"
    if quota > most:
        sizes = " x ".join(map(str, lengths))
        expected = f"at most {most}, the capacity of its lists ({sizes})"
        raise ValueError(f"{where}: pairs, got {quota}; expected {expected}")
    if len(lists) > 2:
        picks = _exchange(lists, combine(lengths, 0, quota))
    else:
        picks = combine(lengths, 0, int(np.prod(lengths)))
        picks = picks[~_repeats_word(lists, picks)][:quota]
    for place, n in enumerate(lengths):
        counts = np.bincount(picks[:, place], minlength=n)
        if np.ptp(counts) > LARGEST_SPREAD:
            got = f"{counts.min()} to {counts.max()}; expected a spread of at most {LARGEST_SPREAD}"
            raise ValueError(f"{where}, slot {place}: uses per word, got {got}")
    return picks


def _repeats_word(lists: Sequence[Sequence[SlotWord]], picks: IntArray) -> BoolArray:
    texts = [np.array([word.word for word in words]) for words in lists]
    columns = [words[picks[:, i]] for i, words in enumerate(texts)]
    repeats = np.zeros(len(picks), dtype=bool)
    for first, second in itertools.combinations(columns, 2):
        repeats |= first == second
    return repeats


def _exchange(lists: Sequence[Sequence[SlotWord]], picks: IntArray) -> IntArray:
    """Swaps the last repeating word of a combination with that of a later one; all counts stay."""
    rows = [tuple(row) for row in picks.tolist()]
    used = set(rows)
    for r in np.flatnonzero(_repeats_word(lists, picks)).tolist():
        column = _repeating_column(lists, rows[r])
        for s in (*range(r + 1, len(rows)), *range(r)):
            here, there = rows[r], rows[s]
            new = [
                (*one[:column], other[column], *one[column + 1 :])
                for one, other in ((here, there), (there, here))
            ]
            if not used.intersection(new) and not any(_repeating_column(lists, row) for row in new):
                used -= {here, there}
                used |= {*new}
                rows[r], rows[s] = new
                break
        else:
            expected = "fewer: no combination is left without a repeated word"
            raise ValueError(f"eras: pairs, got {len(rows)}; expected {expected}")
    return np.array(rows, dtype=np.int64)


def _repeating_column(lists: Sequence[Sequence[SlotWord]], row: Sequence[int]) -> int:
    """Last slot whose word another slot before it has too, or 0."""
    words = [lists[i][place].word for i, place in enumerate(row)]
    return next((i for i in range(len(words) - 1, 0, -1) if words[i] in words[:i]), 0)
