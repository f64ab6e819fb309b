"""The columns of the suite: one Arrow schema per config, which the data set's features derive from.

Word lists are parallel: one entry per token. `heads` are 1-based with 0 for the root, `subject`,
`verb` and `object` are 0-based places, `subject_position` and `object_position` 1-based ones, as in
the paper's files. What the authors or raters do not say is null; `is_marked_order` is theirs to
say too, so it is null in a released edition.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.columns import RATING_FIELDS
from builders.views import LABEL, labelled

Columns = dict[str, list[Any]]
"""Columns of clauses as a draw or a reader makes them."""
ClauseColumns = Mapping[str, Sequence[Any]]
"""Columns of clauses as they are read: lists, or what behaves so."""
TEXT, COUNT, FREQUENCY = pa.string(), pa.int32(), pa.float32()
TEXTS, COUNTS = pa.list_(TEXT), pa.list_(COUNT)

_CLAUSE = pa.schema(
    {
        "id": TEXT,
        "item_id": TEXT,
        "base_item_id": TEXT,
        "triple_id": TEXT,
        "word_order": TEXT,
        "properties": TEXTS,
        "resolved_by": TEXT,
        "is_marked_order": pa.bool_(),
        "tokens": TEXTS,
        "lemmas": TEXTS,
        "upos": TEXTS,
        "xpos": TEXTS,
        "feats": TEXTS,
        "heads": COUNTS,
        "deprels": TEXTS,
        "fields": TEXTS,
        "subject": COUNT,
        "verb": COUNT,
        "object": COUNT,
        "n_tokens": COUNT,
        "subject_zipf": FREQUENCY,
        "verb_zipf": FREQUENCY,
        "object_zipf": FREQUENCY,
    }
)
CONLL_SCHEMA = pa.schema([*_CLAUSE, *RATING_FIELDS])
RELEASED_SCHEMA = pa.schema([*_CLAUSE, pa.field("irregularities", TEXTS), *RATING_FIELDS])
TWIN_SCHEMA = pa.schema(
    [*_CLAUSE, pa.field("twin_id", TEXT), pa.field("condition", TEXT), *RATING_FIELDS]
)
SENTENCE_SCHEMA = pa.schema(
    {
        "id": TEXT,
        "word_order": TEXT,
        "properties": TEXTS,
        "subject_position": COUNT,
        "object_position": COUNT,
        "sentence": TEXT,
    }
)
_CONTRAST = {"id": TEXT, "construction": TEXT, "cluster": TEXT}
LIKELIHOOD_SCHEMA = pa.schema(
    {**_CONTRAST, "word_order": TEXT, "grammatical": TEXT, "violated": TEXT}
)
PREFERENCE_SCHEMA = pa.schema({**_CONTRAST, "reverse": TEXT, "first": TEXT, "second": TEXT})
CHOICE_SCHEMA = pa.schema(
    {
        **_CONTRAST,
        "condition": TEXT,
        "word_order": TEXT,
        "role": TEXT,
        "is_right_first": pa.bool_(),
        "sentence": TEXT,
        "question": TEXT,
        "choices": TEXTS,
        "answer": TEXT,
    }
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
    """Clauses as a table.

    Args:
        columns: Columns of a draw or of an edition, one entry per clause.
        schema: The columns of the table; one that is not among `columns` is null, but for
            `n_tokens`, which is counted.
    """
    known = dict(columns)
    if "n_tokens" in schema.names:
        known["n_tokens"] = [len(tokens) for tokens in columns["tokens"]]
    nulls = pa.nulls(len(columns["id"]))
    return pa.table({name: known.get(name, nulls) for name in schema.names}).cast(schema)
