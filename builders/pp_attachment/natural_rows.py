"""Rows of the config `natural`: the phrases of a user's treebanks in the suite's columns.

They have no pairs, and nothing says what decides them. Built locally, they are never published.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders.pp_attachment.columns import NATURAL_SCHEMA
from builders.pp_attachment.natural import (
    CELLS,
    LEAST_CANDIDATES,
    NaturalPhrase,
    phrases_of,
    position_of,
)


def natural_table(places: Sequence[str]) -> pa.Table:
    """Rows of `NATURAL_SCHEMA`; arguments and errors as in `natural_columns`."""
    return pa.table(natural_columns(places), schema=NATURAL_SCHEMA)


def natural_problems(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line for every rule that a row breaks, and for every id that recurs."""
    seen: set[str] = set()
    for row in rows:
        words, head = row["candidates"], row["head"]
        rules = {
            "an id of its own": row["id"] not in seen,
            "the gold head among the candidates": head in words,
            "the head of the tree": row["heads"][row["pp"]] - 1 == head,
            "its label of the tree": row["deprels"][row["pp"]] == row["dependent"],
            "the verb among the candidates": row["verb"] in words,
            "candidates in their order": len(words) >= LEAST_CANDIDATES and words == sorted(words),
            "a preposition before its noun": row["adposition"] < row["pp"],
        }
        seen.add(row["id"])
        yield from (
            f"{row['id']}: got {' '.join(row['tokens'])}; expected {expected}"
            for expected, holds in rules.items()
            if not holds
        )


def natural_columns(places: Sequence[str]) -> dict[str, list[Any]]:
    """Rows of config `natural`, CoNLL-U file by CoNLL-U file in their order, as columns.

    Raises:
        ValueError: There is no file, two have one name, one breaks the format, or none has such a
            phrase.
    """
    names = [treebank_name(place) for place in places]
    if not places:
        raise ValueError("natural, got no treebank; expected CoNLL-U files")
    if len(set(names)) < len(names):
        raise ValueError(
            f"natural, got treebanks named {', '.join(names)}; expected each name once"
        )
    if missing := [place for place in places if not Path(place).is_file()]:
        raise ValueError(f"natural, got {missing[0]}, no such file; expected a CoNLL-U file")
    rows = [
        _row(name, number, phrase)
        for name, place in zip(names, places, strict=True)
        for number, phrase in enumerate(phrases_of(place), start=1)
    ]
    if not rows:
        raise ValueError(
            f"natural, got no phrase with {LEAST_CANDIDATES} candidate heads in"
            f" {', '.join(names)}; expected some"
        )
    return {name: [row[name] for row in rows] for name in rows[0]}


def treebank_name(place: str) -> str:
    """Short name of a treebank's file, which ids begin with.

    Example:
        >>> treebank_name("treebanks/de_gsd-ud-dev.conllu.gz")
        'de_gsd_ud_dev'
    """
    return re.sub(r"\W+", "_", Path(place).name.partition(".")[0].lower())


def _row(treebank: str, number: int, phrase: NaturalPhrase) -> dict[str, Any]:
    sentence, head = phrase.sentence, phrase.head
    n_between = phrase.adposition - head if head < phrase.adposition else head - phrase.pp
    return {
        "id": f"{treebank}/{number:05d}",
        "item_id": f"{treebank}/{sentence.id}",
        "family": treebank,
        "group": "natural",
        "position": position_of(phrase),
        "n_candidates": len(phrase.candidates),
        "distance": n_between - 1,
        "preposition": phrase.preposition,
        "definiteness": definiteness_of(phrase),
        "is_pronoun": sentence.upos[phrase.pp] == "PRON",
        "dependent": sentence.deprels[phrase.pp],
        **{name: list(getattr(sentence, name)) for name in (*CELLS, "deprels")},
        "heads": [word + 1 for word in sentence.heads],
        "verb": phrase.verb,
        "pp": phrase.pp,
        "adposition": phrase.adposition,
        "head": head,
        "candidates": list(phrase.candidates),
        "n_tokens": len(sentence.tokens),
    }


def definiteness_of(phrase: NaturalPhrase) -> str:
    """`definite` or `indefinite` by the determiner, `bare` without; pronouns are definite."""
    sentence = phrase.sentence
    if sentence.upos[phrase.pp] == "PRON":
        return "definite"
    feats = [sentence.feats[w] for w in sentence.children(phrase.pp) if sentence.upos[w] == "DET"]
    if not feats:
        return "bare"
    return "indefinite" if any("Definite=Ind" in one for one in feats) else "definite"
