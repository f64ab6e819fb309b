"""Words cut at their boundaries, and with one boundary shifted, for language models.

    boat-s      boa-ts        as many morphemes, as many characters, the same letters
    boat s      boa ts
    boat|s      boa|ts

What a model makes of a cut depends on what stands for it, so that every pair is there with three
separators.
"""

import random
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa

from builders.likelihoods import Measures, all_of
from builders.morphseg import VERSION
from builders.morphseg.columns import LIKELIHOOD_SCHEMA
from builders.morphseg.sources import Word

SEPARATORS = {"hyphen": "-", "blank": " ", "bar": "|"}
N_WORDS = 300


def likelihood_table(name: str, words: Iterable[Word], seed: int = 0) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: words drawn by the seed, each with every separator.

    Args:
        name: Of the language, for the ids.
        words: Its pool, which is read twice.
        seed: Which words, and where a boundary is shifted.
    """
    drawn = random.Random(f"morphseg/{VERSION}/likelihoods/{name}/{seed}")
    places = array("L", (i for i, word in enumerate(words) if shifted(word)))
    chosen = set(drawn.sample(places, min(N_WORDS, len(places))))
    rows = []
    for i, word in ((i, word) for i, word in enumerate(words) if i in chosen):
        wrong = drawn.choice(shifted(word))
        for construction, separator in SEPARATORS.items():
            rows.append(
                {
                    "id": f"{name}-{i:05d}-{construction}",
                    "construction": construction,
                    "cluster": f"{name}-{i:05d}",
                    "word": word.word,
                    "separator": separator,
                    "segmented": separator.join(word.morphemes),
                    "shifted": separator.join(wrong),
                }
            )
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def shifted(word: Word) -> list[list[str]]:
    """Segmentations with one boundary a character further on, none of which is right.

    Example:
        >>> shifted(Word("boats", ("boat", "s"), (("boat", "s"),), ("_", "PL")))
        [['boa', 'ts']]
    """
    golds = [list(word.morphemes), *map(list, word.alternatives)]
    places = list(accumulate(map(len, word.morphemes)))[:-1]
    found = []
    for i, place in enumerate(places):
        for moved in (place - 1, place + 1):
            cuts = [0, *places[:i], moved, *places[i + 1 :], len(word.word)]
            morphemes = [word.word[a:b] for a, b in pairwise(cuts)]
            if all(morphemes) and morphemes not in golds:
                found.append(morphemes)
    return found


def measures(row: Mapping[str, Any]) -> Measures:
    """The word cut at its boundaries, and with one shifted."""
    return {"whole": [all_of(row["segmented"]), all_of(row["shifted"])]}


def shift_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose members do not spell the word, or have another number of morphemes, or are one."""
    names = ("id", "word", "separator", "segmented", "shifted")
    for identifier, word, separator, *members in zip(*(columns[n] for n in names), strict=True):
        cut = [text.split(separator) for text in members]
        if cut[0] == cut[1] or len(cut[0]) != len(cut[1]):
            yield f"{identifier}: members, got {members}; expected as many morphemes, other ones"
        if any("".join(morphemes) != word or "" in morphemes for morphemes in cut):
            yield f"{identifier}: members, got {members}; expected the word {word!r} in morphemes"
