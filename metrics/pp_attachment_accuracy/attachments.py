"""Gold attachments: what `pp_attachment_accuracy` reads from references, rows of `pp_attachment`.

A sentence has a tree, a prepositional phrase, and the words that can be its head; it may say what
it belongs to: base item, frame, pair, and what decides the attachment. What a reference does not
say is not scored; nothing is guessed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..columns import BoolArray, IntArray, check_ids
from ..groupings import Grouping, closed_grouping, group_of_unit, name_of_unit, open_grouping
from ..trees import Trees, read_trees
from .inventory import PAIR_FACTORS, POSITIONS, RESOLVED_BY, UNDECIDED
from .orders import PrepositionalPhrase

LEAST_CANDIDATES = 2


@dataclass(frozen=True, eq=False)
class Attachments:
    """n gold attachments.

    Attributes:
        trees: Their trees, full at least where the phrase is attached.
        phrases: The n phrases with their candidate heads.
        heads: Gold head of each phrase, 0-based, shape (n,); one of its candidates.
        ids: n names, for rows; None where references have none.
        groupings: Sentences by `position`, `resolved_by`, `n_candidates`, `preposition`,
            `dependent`, `distance`, `definiteness`; without groups where references do not say.
        item, family, group: Sentences by base item, frame, and table of frames.
        pair, pair_factor: Sentences by pair, and by what the members of their pair differ in.
    """

    trees: Trees
    phrases: Sequence[PrepositionalPhrase]
    heads: IntArray
    ids: list[str] | None
    groupings: Mapping[str, Grouping]
    item: Grouping
    family: Grouping
    group: Grouping
    pair: Grouping
    pair_factor: Grouping

    @property
    def n(self) -> int:
        """Number of sentences."""
        return len(self.phrases)

    @property
    def is_verb(self) -> BoolArray:
        """Whether the gold head is the main verb, shape (n,)."""
        found: BoolArray = self.heads == [phrase.verb for phrase in self.phrases]
        return found

    @property
    def is_undecided(self) -> BoolArray:
        """Whether another head than the gold one is possible, shape (n,)."""
        grouping = self.groupings["resolved_by"]
        undecided = [grouping.names.index(name) for name in UNDECIDED if name in grouping.names]
        return np.isin(group_of_unit(grouping, self.n), undecided)


def read_attachments(where: str, columns: Mapping[str, Any]) -> Attachments:
    """Gold attachments from columns.

    Args:
        where: What they are, for messages.
        columns: As `inputs.INPUTS` reads them.

    Raises:
        ValueError: A word is outside its sentence, the gold head is no candidate, a name is
            unknown, an id occurs twice, or a pair has more than two members or two factors.
    """
    trees = read_trees(where, columns)
    phrases = [
        PrepositionalPhrase(*words)
        for words in zip(
            *(columns[name] for name in ("adposition", "pp", "verb", "candidates")), strict=True
        )
    ]
    first = trees.offsets[:-1]
    _check_words(where, phrases, np.diff(trees.offsets).tolist())
    words = first + np.array([phrase.pp for phrase in phrases])
    heads = trees.heads[words] - 1
    _check_gold(where, phrases, heads.tolist())
    if columns.get("id") is not None:
        check_ids(where, columns["id"])
    pair = open_grouping(columns.get("pair_id"))
    pair_factor = closed_grouping(where, columns, "pair_factor", PAIR_FACTORS)
    _check_pairs(where, pair, pair_factor, len(phrases))
    return Attachments(
        trees,
        phrases,
        heads,
        columns.get("id"),
        _groupings(where, columns, phrases, heads.tolist())
        | {"dependent": open_grouping(trees.deprels.take(words).to_pylist())},
        item=open_grouping(columns.get("item_id")),
        family=open_grouping(columns.get("family")),
        group=open_grouping(columns.get("group")),
        pair=pair,
        pair_factor=pair_factor,
    )


def _groupings(
    where: str,
    columns: Mapping[str, Any],
    phrases: Sequence[PrepositionalPhrase],
    heads: Sequence[int],
) -> dict[str, Grouping]:
    return {
        "position": closed_grouping(where, columns, "position", POSITIONS),
        "resolved_by": closed_grouping(where, columns, "resolved_by", RESOLVED_BY),
        "n_candidates": _counts([len(phrase.candidates) for phrase in phrases]),
        "distance": _counts(
            [phrase.distance(head) for phrase, head in zip(phrases, heads, strict=True)]
        ),
        "preposition": open_grouping(columns.get("preposition")),
        "definiteness": open_grouping(columns.get("definiteness")),
    }


def _counts(numbers: Sequence[int]) -> Grouping:
    """Sentences by a number, the smallest first."""
    found, groups = np.unique(numbers, return_inverse=True)
    names = tuple(map(str, found.tolist()))
    return Grouping(names, np.arange(len(numbers)), groups.astype(np.int64))


def _check_words(
    where: str, phrases: Sequence[PrepositionalPhrase], lengths: Sequence[int]
) -> None:
    for i, (phrase, n) in enumerate(zip(phrases, lengths, strict=True)):
        words = {name: [getattr(phrase, name)] for name in ("adposition", "pp", "verb")}
        for name, given in (words | {"candidates": phrase.candidates}).items():
            if bad := [word for word in given if word >= n]:
                raise ValueError(
                    f"{where}[{i}]: {name}, got {bad[0]}; expected a word from 0 to {n - 1}"
                )
        _check_candidates(f"{where}[{i}]: candidates, got {list(phrase.candidates)}", phrase)


def _check_candidates(got: str, phrase: PrepositionalPhrase) -> None:
    found = set(phrase.candidates)
    if len(found) < max(LEAST_CANDIDATES, len(phrase.candidates)):
        raise ValueError(f"{got}; expected at least {LEAST_CANDIDATES} words, each once")
    if phrase.verb not in found:
        raise ValueError(f"{got}; expected the verb {phrase.verb} among them")
    if inside := found & {phrase.adposition, phrase.pp}:
        raise ValueError(f"{got}; expected none in the phrase itself, such as {min(inside)}")


def _check_gold(where: str, phrases: Sequence[PrepositionalPhrase], heads: Sequence[int]) -> None:
    for i, (phrase, head) in enumerate(zip(phrases, heads, strict=True)):
        if head not in phrase.candidates:
            raise ValueError(
                f"{where}[{i}]: heads, got {head + 1} for the phrase; expected one of the"
                f" candidates {[word + 1 for word in phrase.candidates]}"
            )


def _check_pairs(where: str, pair: Grouping, pair_factor: Grouping, n: int) -> None:
    factors = name_of_unit(pair_factor, n)
    sizes = Counter(pair.groups.tolist())
    first: dict[int, int] = {}
    for row, group in zip(pair.units.tolist(), pair.groups.tolist(), strict=True):
        place = f"{where}[{row}]"
        if sizes[group] > 2:
            got = f"{pair.names[group]!r} in {sizes[group]} rows"
            raise ValueError(f"{place}: pair_id, got {got}; expected at most two")
        other = first.setdefault(group, row)
        if factors[other] != factors[row]:
            expected = f"{factors[other]!r} as the other of pair {pair.names[group]!r}"
            raise ValueError(f"{place}: pair_factor, got {factors[row]!r}; expected {expected}")
