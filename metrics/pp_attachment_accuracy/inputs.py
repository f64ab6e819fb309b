"""What PP attachment accuracy takes: a tree and a row of `pp_attachment` for each sentence.

What a reference does not say is not scored; nothing is guessed. Readers of word order see where
words stand, and nothing of what they say: where the members of a pair have the same order and other
words, each gives the same answer to both.

Source: written for this project; topological fields as in de Kok et al. (2017), "PP Attachment:
Where do We Stand?", EACL, and in SORTS.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._shared.cluster_tables import (
    Grouping,
    closed_grouping,
    is_named,
    name_of_unit,
    open_grouping,
)
from .._shared.columns import BoolArray, IntArray, Values, check_ids
from .._shared.trees import LONGEST, Trees, place_of_word, read_trees, tree_inputs

# Mit dem Fernglas sieht der Mann die Frau .            before_verb
# Die Frau mit dem Fernglas sieht der Mann .            inside_np
# Der Mann sieht die Frau mit dem Fernglas .            next_to_noun
# Der Mann sieht die Frau heute mit dem Fernglas .      away_from_noun
# Der Mann hat die Frau gesehen mit dem Fernglas .      after_bracket
POSITIONS = ("before_verb", "inside_np", "next_to_noun", "away_from_noun", "after_bracket")

# Another head is grammatical: possible but not what a reader takes, or as good as the gold one.
UNDECIDED = ("plausibility", "none")
RESOLVED_BY = ("topology", "selection_verb", "selection_noun", "exclusion", *UNDECIDED)

# What alone differs between the two members of a pair.
TOPOLOGY = "topology"
BY_ORDER = (TOPOLOGY, "position")
PAIR_FACTORS = (*BY_ORDER, "verb", "noun", "preposition", "filler", "definiteness", "pronoun")

METRIC = "pp_attachment_accuracy"
NAMES = {
    "id": "id of the row",
    "item_id": "its base item",
    "family": "the frame that the item fills",
    "group": "the table that the frame is of",
    "pair_id": "what both members of a pair have",
    "pair_factor": "what the members differ in",
    "resolved_by": "what decides which head is right",
    "position": "where the phrase stands",
    "preposition": "its lemma",
    "definiteness": "of the noun in the phrase",
}

LEAST_CANDIDATES = 2


class PrepositionalPhrase(NamedTuple):
    """A prepositional phrase: its preposition, its noun, the main verb and all candidate heads.

    Words are 0-based, candidates ascending, the verb among them.
    """

    adposition: int
    pp: int
    verb: int
    candidates: Sequence[int]

    @property
    def nouns(self) -> list[int]:
        """The candidates but for the verb."""
        return [word for word in self.candidates if word != self.verb]

    def distance(self, word: int) -> int:
        """Words between the phrase and a word outside of it."""
        if word < self.adposition:
            return self.adposition - word - 1
        return word - self.pp - 1


def always_verb(phrase: PrepositionalPhrase) -> int:
    """The verb."""
    return phrase.verb


def nearest_noun(phrase: PrepositionalPhrase) -> int:
    """The noun with the fewest words between, the left one of two; the verb where there is none."""
    return min(phrase.nouns, key=lambda word: (phrase.distance(word), word), default=phrase.verb)


def adjacent(phrase: PrepositionalPhrase) -> int:
    """The noun right before the preposition, else the verb."""
    before = phrase.adposition - 1
    return before if before in phrase.candidates else phrase.verb


def nearest_preceding(phrase: PrepositionalPhrase) -> int:
    """The nearest candidate to the left, else the verb."""
    before = [word for word in phrase.candidates if word < phrase.adposition]
    return max(before, default=phrase.verb)


ORDER_READERS: Mapping[str, Callable[[PrepositionalPhrase], int]] = {
    "verb": always_verb,
    "nearest-noun": nearest_noun,
    "adjacent": adjacent,
    "nearest-preceding": nearest_preceding,
}


CANDIDATES = Values("whole", "0-based words that can be its head", depth=1, low=0, high=LONGEST)
INPUTS = tree_inputs(
    METRIC,
    NAMES,
    {
        "pp": place_of_word(": the noun in the phrase"),
        "adposition": place_of_word(": its preposition"),
        "verb": place_of_word(": the main verb"),
        "candidates": CANDIDATES,
    },
)


@dataclass(frozen=True, eq=False)
class Attachments:
    """n gold attachments; what references do not say has no groups.

    Trees are full at least where the phrase is attached; `heads` are 0-based candidates.
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
        return np.equal(self.heads, [phrase.verb for phrase in self.phrases])

    @property
    def is_undecided(self) -> BoolArray:
        """Whether another head than the gold one is possible, shape (n,)."""
        return is_named(self.groupings["resolved_by"], self.n, UNDECIDED)


def read_attachments(where: str, columns: Mapping[str, Any]) -> Attachments:
    """Gold attachments from columns as `INPUTS` reads them.

    A ValueError where a word is outside its sentence, the gold head is no candidate, a name is
    unknown, an id occurs twice, or a pair has more than two members or two factors.
    """
    trees = read_trees(where, columns)
    words = (columns[name] for name in PrepositionalPhrase._fields)
    phrases = [PrepositionalPhrase(*own) for own in zip(*words, strict=True)]
    first = trees.offsets[:-1]
    _check_words(where, phrases, np.diff(trees.offsets).tolist())
    nouns = first + np.array([phrase.pp for phrase in phrases])
    heads = trees.heads[nouns] - 1
    _check_gold(where, phrases, heads.tolist())
    if columns.get("id") is not None:
        check_ids(where, columns["id"])
    pair = open_grouping(columns.get("pair_id"))
    pair_factor = closed_grouping(where, columns, "pair_factor", PAIR_FACTORS)
    _check_pairs(where, pair, pair_factor, len(phrases))
    pairs_of = zip(phrases, heads.tolist(), strict=True)
    groupings = {
        "position": closed_grouping(where, columns, "position", POSITIONS),
        "resolved_by": closed_grouping(where, columns, "resolved_by", RESOLVED_BY),
        "n_candidates": _counts([len(phrase.candidates) for phrase in phrases]),
        "distance": _counts([phrase.distance(head) for phrase, head in pairs_of]),
        "preposition": open_grouping(columns.get("preposition")),
        "definiteness": open_grouping(columns.get("definiteness")),
        "dependent": open_grouping(trees.deprels.take(nouns).to_pylist()),
    }
    item, family, group = (open_grouping(columns.get(n)) for n in ("item_id", "family", "group"))
    about = (trees, phrases, heads, columns.get("id"), groupings)
    return Attachments(*about, item, family, group, pair, pair_factor)


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
                got = f"{name}, got {bad[0]}"
                raise ValueError(f"{where}[{i}]: {got}; expected a word from 0 to {n - 1}")
        found, expected = set(phrase.candidates), ""
        if len(found) < max(LEAST_CANDIDATES, len(phrase.candidates)):
            expected = f"at least {LEAST_CANDIDATES} words, each once"
        elif phrase.verb not in found:
            expected = f"the verb {phrase.verb} among them"
        elif inside := found & {phrase.adposition, phrase.pp}:
            expected = f"none in the phrase itself, such as {min(inside)}"
        if expected:
            got = f"candidates, got {list(phrase.candidates)}"
            raise ValueError(f"{where}[{i}]: {got}; expected {expected}")


def _check_gold(where: str, phrases: Sequence[PrepositionalPhrase], heads: Sequence[int]) -> None:
    for i, (phrase, head) in enumerate(zip(phrases, heads, strict=True)):
        if head not in phrase.candidates:
            got = f"heads, got {head + 1} for the phrase"
            expected = f"one of the candidates {[word + 1 for word in phrase.candidates]}"
            raise ValueError(f"{where}[{i}]: {got}; expected {expected}")


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


# --- Rows of a training view, whose labels are noun and verb

VIEWS = ("pp_attachment", "attachment", "parsing")
NOMINAL = ("NOUN", "PRON")
OPEN_KINDS = ("bracket", "middle")  # of the topological frames: nothing decides
FACTOR_OF_GROUP = {  # where a pair's heads differ in kind; the other groups have one head
    TOPOLOGY: TOPOLOGY,
    "contrast_verb": "verb",
    "contrast_noun": "noun",
    "contrast_preposition": "preposition",
}


def attachment_of_view(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a view `parsing_*` as a row of config `conll`, as far as scoring needs it.

    The next noun or pronoun after the one preposition is its own; the one verb and all other nouns
    are candidates. Ids are such as `topology/durch_wald/209/front/1`.
    """
    upos = row["upos"]
    adposition, verb = upos.index("ADP"), upos.index("VERB")
    pp = next(i for i in range(adposition, len(upos)) if upos[i] in NOMINAL)
    nouns = [i for i, tag in enumerate(upos) if tag == "NOUN" and i != pp]
    group, frame, item, kind, _ = row["id"].rsplit("/", 4)
    is_open = group == TOPOLOGY and kind in OPEN_KINDS
    decided = group if group == "plausibility" else TOPOLOGY
    return {name: row[name] for name in ("tokens", "heads", "deprels", "id")} | {
        **{"adposition": adposition, "pp": pp, "verb": verb, "candidates": sorted([verb, *nouns])},
        "group": group,
        "family": f"{group}/{frame}",
        "item_id": f"{group}/{frame}/{item}",
        "pair_id": f"{group}/{frame}/{item}/{kind}",
        "pair_factor": None if is_open else FACTOR_OF_GROUP.get(group),
        "resolved_by": "none" if is_open else decided,
    }


def labelled_tree(gold: Mapping[str, Any], *, is_verb: bool) -> dict[str, Any]:
    """The gold tree, with the phrase on the verb or a noun: the right one, else the nearest."""
    heads, deprels, pp = list(gold["heads"]), list(gold["deprels"]), gold["pp"]
    verb = gold["verb"]
    if (heads[pp] == verb + 1) != is_verb:
        phrase = PrepositionalPhrase(gold["adposition"], pp, verb, gold["candidates"])
        heads[pp] = (verb if is_verb else nearest_noun(phrase)) + 1
        deprels[pp] = "obl" if is_verb else "nmod"
    return {"tokens": gold["tokens"], "heads": heads, "deprels": deprels}
