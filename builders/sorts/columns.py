"""The columns of the suite: one Arrow schema per config, which the data set's features derive from.

Word lists are parallel: one entry per token. `heads` are 1-based with 0 for the root, `subject`,
`verb` and `object` are 0-based places, `subject_position` and `object_position` 1-based ones, as in
the paper's files. What the authors or raters do not say is null; `is_marked_order` is theirs to
say too, so it is null in a released edition.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.columns import COUNT, COUNTS, FREQUENCY, RATING_FIELDS, TEXT, TEXTS, typed
from builders.views import LABEL, labelled

Columns = dict[str, list[Any]]
"""Columns of clauses as a draw or a reader makes them."""
ClauseColumns = Mapping[str, Sequence[Any]]
"""Columns of clauses as they are read: lists, or what behaves so."""
TYPES = {
    **dict.fromkeys(("tokens", "lemmas", "upos", "xpos", "feats", "deprels", "fields"), TEXTS),
    **dict.fromkeys(("properties", "irregularities", "choices"), TEXTS),
    **dict.fromkeys(("subject", "verb", "object", "n_tokens"), COUNT),
    **dict.fromkeys(("subject_position", "object_position"), COUNT),
    **dict.fromkeys(("subject_zipf", "verb_zipf", "object_zipf"), FREQUENCY),
    **dict.fromkeys(("is_marked_order", "is_right_first"), pa.bool_()),
    "heads": COUNTS,
}
"""A column has one type wherever it stands; those that are not here hold text."""
columns = functools.partial(typed, TYPES)

_CLAUSE = [
    *columns("id item_id base_item_id triple_id word_order properties resolved_by is_marked_order"),
    *columns("tokens lemmas upos xpos feats heads deprels fields subject verb object n_tokens"),
    *columns("subject_zipf verb_zipf object_zipf"),
]
CONLL_SCHEMA = pa.schema([*_CLAUSE, *RATING_FIELDS])
RELEASED_SCHEMA = pa.schema([*_CLAUSE, *columns("irregularities"), *RATING_FIELDS])
TWIN_SCHEMA = pa.schema([*_CLAUSE, *columns("twin_id condition"), *RATING_FIELDS])
SENTENCE_SCHEMA = pa.schema(
    columns("id word_order properties subject_position object_position sentence")
)
LIKELIHOOD_SCHEMA = pa.schema(columns("id construction cluster word_order grammatical violated"))
PREFERENCE_SCHEMA = pa.schema(columns("id construction cluster reverse first second"))
CHOICE_SCHEMA = pa.schema(
    [
        *columns("id construction cluster condition word_order role is_right_first"),
        *columns("sentence question choices answer"),
    ]
)

ROLES = ("subject", "object", "verb", "other")
UPOS = (  # of Universal Dependencies
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
DEPRELS = (  # of Universal Dependencies, with the subtypes of German and Dutch trees: one inventory
    *("acl", "acl:relcl", "advcl", "advmod", "amod", "appos", "aux", "aux:pass", "case", "cc"),
    *("ccomp", "clf", "compound", "compound:prt", "conj", "cop", "csubj", "csubj:pass", "dep"),
    *("det", "det:poss", "discourse", "dislocated", "expl", "expl:pv", "fixed", "flat"),
    *("flat:name", "goeswith", "iobj", "list", "mark", "nmod", "nmod:poss", "nsubj"),
    *("nsubj:pass", "nummod", "obj", "obl", "obl:agent", "obl:arg", "orphan", "parataxis"),
    *("punct", "reparandum", "root", "vocative", "xcomp"),
)
ROLES_VIEW_SCHEMA = labelled(
    [("tokens", TEXTS), ("tags", pa.list_(LABEL)), ("id", TEXT)], tags=ROLES
)
PARSING_VIEW_SCHEMA = labelled(  # what CoNLL-U has of a word, in every suite
    [
        ("tokens", TEXTS),
        ("upos", pa.list_(LABEL)),
        ("heads", COUNTS),
        ("deprels", pa.list_(LABEL)),
        ("lemmas", TEXTS),
        ("xpos", TEXTS),
        ("feats", TEXTS),
        ("id", TEXT),
    ],
    upos=UPOS,
    deprels=DEPRELS,
)


def clause_table(columns: ClauseColumns, schema: pa.Schema) -> pa.Table:
    """Clauses as a table; what `columns` lack is null, but for `n_tokens`, which is counted."""
    known = dict(columns)
    if "n_tokens" in schema.names:
        known["n_tokens"] = [len(tokens) for tokens in columns["tokens"]]
    nulls = pa.nulls(len(columns["id"]))
    return pa.table({name: known.get(name, nulls) for name in schema.names}).cast(schema)
