"""Readers of prepositional phrases that know nothing of the sentence, or only its topology.

They are given the phrase, its candidates and the gold tree around them, and choose the head; the
label is that of a phrase on a verb or on a noun. The last of PHRASE_READERS is a shortcut: it knows
the one rule of grammar by which topology pairs are made, and no word. The others are null systems.
"""

import functools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from builders.columns import Columns
from ground.tables import read_table
from metrics.pp_attachment_accuracy.inputs import (
    PrepositionalPhrase,
    adjacent,
    always_verb,
    nearest_noun,
    nearest_preceding,
)

PREPOSITIONS = Path(__file__).parent / "data" / "pp_prepositions.tsv"
COLUMNS = ("tokens", "heads", "deprels", "adposition", "pp", "verb", "candidates")
VERB_LABEL, NOUN_LABEL = "obl", "nmod"
FORE_FIELD = "VF"


@dataclass(frozen=True)
class PrepositionCount:
    """One row of pp_prepositions.tsv: how many phrases of a lemma hang on the verb and on nouns."""

    preposition: str
    n_verb: int
    n_noun: int


class AskedPhrase(NamedTuple):
    """What a reader sees of a row: the phrase with its candidates, the words."""

    phrase: PrepositionalPhrase
    tokens: tuple[str, ...]
    preposition: str  # its lemma, "" where rows do not say
    fields: tuple[str, ...]  # topological ones of the words, () where rows do not say


Choose = Callable[[AskedPhrase], int]


def read_phrases(rows: Columns, choose: Choose) -> dict[str, list[Any]]:
    """Hangs the phrase of each row on the 0-based word that a reader chooses; else the gold tree.

    Rows are of `conll` or `natural` of `pp_attachment`; a ValueError names columns that they lack.
    """
    if missing := [name for name in COLUMNS if name not in rows]:
        raise ValueError(
            f"phrase reader: columns, got none named {', '.join(missing)}; expected rows of"
            " pp_attachment"
        )
    heads = [list(one) for one in rows["heads"]]
    deprels = [list(one) for one in rows["deprels"]]
    for i in range(len(heads)):
        asked = _asked(rows, i)
        word, pp = choose(asked), asked.phrase.pp
        heads[i][pp] = word + 1
        deprels[i][pp] = VERB_LABEL if word == asked.phrase.verb else NOUN_LABEL
    return {"tokens": list(rows["tokens"]), "heads": heads, "deprels": deprels}


def preposition_majority(asked: AskedPhrase) -> int:
    """The verb or the nearest noun, by what the preposition's phrases mostly hang on."""
    counts = preposition_counts()
    verb, noun = counts.get(asked.preposition, counts[""])
    return asked.phrase.verb if verb >= noun else nearest_noun(asked.phrase)


def random_candidate(asked: AskedPhrase) -> int:
    """Any candidate, the same for the same words."""
    phrase = asked.phrase
    chooser = random.Random(f"candidate {asked.tokens} {phrase.adposition}")
    return chooser.choice(list(phrase.candidates))


def topology_first(asked: AskedPhrase) -> int:
    """The nearest noun before a phrase in the forefield, if any; else as adjacent-noun.

    One constituent stands before the finite verb.
    """
    # Die Frau dort mit dem Fernglas sieht ...     Frau: only one constituent fits there
    # Mit dem Fernglas sieht ...                   sieht
    phrase = asked.phrase
    if asked.fields and asked.fields[phrase.adposition] == FORE_FIELD:
        before = [word for word in phrase.nouns if word < phrase.adposition]
        return max(before, default=phrase.verb)
    return adjacent(phrase)


@functools.cache
def preposition_counts() -> Mapping[str, tuple[int, int]]:
    """Phrases of each preposition on the verb and on a noun; under "" those of all of them."""
    rows = read_table(PREPOSITIONS, PrepositionCount)
    found = {row.preposition: (row.n_verb, row.n_noun) for row in rows}
    verbs, nouns = map(sum, zip(*found.values(), strict=True))
    return found | {"": (verbs, nouns)}


def _by_order(read: Callable[[PrepositionalPhrase], int]) -> Choose:
    return lambda asked: read(asked.phrase)


PHRASE_READERS: Mapping[str, Choose] = {
    "verb-always": _by_order(always_verb),
    "nearest-noun": _by_order(nearest_noun),
    "adjacent-noun": _by_order(adjacent),
    "nearest-preceding": _by_order(nearest_preceding),
    "preposition-majority": preposition_majority,
    "random-candidate": random_candidate,
    "topology-first": topology_first,
}


def _asked(rows: Columns, i: int) -> AskedPhrase:
    phrase = PrepositionalPhrase(*(rows[n][i] for n in ("adposition", "pp", "verb", "candidates")))
    prepositions, fields = rows.get("preposition"), rows.get("fields")
    preposition = str(prepositions[i]) if prepositions else ""
    own = tuple(fields[i] or ()) if fields else ()
    return AskedPhrase(phrase, tuple(rows["tokens"][i]), preposition, own)
