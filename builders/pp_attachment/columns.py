"""The columns of the suite: one Arrow schema per config, which the data set's features derive from.

Word lists are parallel: one entry per token. `heads` are 1-based with 0 for the root; `verb`, `pp`,
`adposition`, `head` and `candidates` are 0-based places, the `..._position` columns 1-based ones.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.columns import RATING_FIELDS
from builders.views import LABEL, labelled

TEXT, COUNT, FREQUENCY = pa.string(), pa.int32(), pa.float32()
TEXTS, COUNTS = pa.list_(TEXT), pa.list_(COUNT)

CONLL_SCHEMA = pa.schema(
    [
        ("id", TEXT),
        ("item_id", TEXT),
        ("pair_id", TEXT),
        ("pair_factor", TEXT),
        ("pair_kind", TEXT),
        ("family", TEXT),
        ("group", TEXT),
        ("word_order", TEXT),
        ("position", TEXT),
        ("n_candidates", COUNT),
        ("distance", COUNT),
        ("preposition", TEXT),
        ("definiteness", TEXT),
        ("is_pronoun", pa.bool_()),
        ("dependent", TEXT),
        ("resolved_by", TEXT),
        ("tokens", TEXTS),
        ("lemmas", TEXTS),
        ("upos", TEXTS),
        ("xpos", TEXTS),
        ("feats", TEXTS),
        ("heads", COUNTS),
        ("deprels", TEXTS),
        ("fields", TEXTS),
        ("verb", COUNT),
        ("pp", COUNT),
        ("adposition", COUNT),
        ("head", COUNT),
        ("candidates", COUNTS),
        ("n_tokens", COUNT),
        ("verb_zipf", FREQUENCY),
        ("noun_zipf", FREQUENCY),
        ("pp_zipf", FREQUENCY),
        *RATING_FIELDS,
    ]
)
SENTENCE_SCHEMA = pa.schema(
    [
        ("id", TEXT),
        ("sentence", TEXT),
        ("pair_id", TEXT),
        ("resolved_by", TEXT),
        ("position", TEXT),
        ("preposition_position", COUNT),
        ("pp_position", COUNT),
        ("head_position", COUNT),
        ("dependent", TEXT),
    ]
)
LIKELIHOOD_SCHEMA = pa.schema(
    [
        ("id", TEXT),
        ("construction", TEXT),
        ("cluster", TEXT),
        ("preposition", TEXT),
        ("verb_verb", TEXT),  # the order gives the phrase to the verb, and so does the word
        ("verb_noun", TEXT),
        ("noun_verb", TEXT),
        ("noun_noun", TEXT),
    ]
)
NATURAL_SCHEMA = pa.schema(
    {
        **dict.fromkeys(("id", "item_id", "family", "group", "position"), TEXT),
        **dict.fromkeys(("n_candidates", "distance"), COUNT),
        **dict.fromkeys(("preposition", "definiteness"), TEXT),
        "is_pronoun": pa.bool_(),
        "dependent": TEXT,
        **dict.fromkeys(("tokens", "lemmas", "upos", "xpos", "feats", "deprels"), TEXTS),
        "heads": COUNTS,
        **dict.fromkeys(("verb", "pp", "adposition", "head"), COUNT),
        "candidates": COUNTS,
        "n_tokens": COUNT,
    }
)

HEADS = ("noun", "verb")
ATTACHMENT_VIEW_SCHEMA = labelled(
    [("text", TEXT), ("phrase", TEXT), ("label", LABEL)],  # as classifiers of two texts want
    label=HEADS,
)


def clause_table(columns: Mapping[str, Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """Clauses as a table; a column of the schema that is not among `columns` is null."""
    nulls = pa.nulls(len(columns["id"]))
    return pa.table({name: columns.get(name, nulls) for name in schema.names}).cast(schema)
