"""Writes clauses as files: CoNLL-U with full trees, and one sentence a line with its places.

Columns as in config `conll` come in, text comes out.

Source: https://universaldependencies.org/format.html.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builders.pp_attachment.columns import SENTENCE_SCHEMA
from builders.sorts.writers import conllu as sorts_conllu

COMMENTS = (
    *("pair_id", "pair_factor", "family", "word_order", "position"),
    *("preposition", "dependent", "resolved_by"),
)
SENTENCE_HEADER = SENTENCE_SCHEMA.names


def conllu(columns: Mapping[str, Sequence[Any]]) -> str:
    """CoNLL-U with full trees; comments hold ids, what differs in the pair and what decides."""
    return sorts_conllu(columns, COMMENTS)


def sentence_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Columns of config `sentence`, from those of config `conll`; places count from 1."""
    kept = ("id", "pair_id", "resolved_by", "position", "dependent")
    places = {"preposition_position": "adposition", "pp_position": "pp", "head_position": "head"}
    return (
        {name: list(columns[name]) for name in kept}
        | {"sentence": [" ".join(tokens) for tokens in columns["tokens"]]}
        | {name: [place + 1 for place in columns[known]] for name, known in places.items()}
    )


def tsv(columns: Mapping[str, Sequence[Any]]) -> str:
    """The sentence format: a header and one line per sentence, with the columns of `sentence`."""
    found = columns if "sentence" in columns else sentence_columns(columns)
    rows = zip(*(found[name] for name in SENTENCE_HEADER), strict=True)
    lines = ["\t".join(SENTENCE_HEADER), *("\t".join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


FORMATS: Mapping[str, Callable[[Mapping[str, Sequence[Any]]], str]] = {"conllu": conllu, "tsv": tsv}
