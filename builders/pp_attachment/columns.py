"""The columns of the suite: one Arrow schema per config, which the data set's features derive from.

Word lists are parallel: one entry per token. `heads` are 1-based with 0 for the root; `verb`, `pp`,
`adposition`, `head` and `candidates` are 0-based places, the `..._position` columns 1-based ones.
"""

import functools

import pyarrow as pa

from builders.columns import COUNT, COUNTS, FREQUENCY, RATING_FIELDS, TEXT, TEXTS, typed
from builders.views import LABEL, labelled

TYPES = {
    **dict.fromkeys(("tokens", "lemmas", "upos", "xpos", "feats", "deprels", "fields"), TEXTS),
    **dict.fromkeys(("heads", "candidates"), COUNTS),
    **dict.fromkeys(("verb", "pp", "adposition", "head"), COUNT),
    **dict.fromkeys(("preposition_position", "pp_position", "head_position"), COUNT),
    **dict.fromkeys(("n_candidates", "distance", "n_tokens"), COUNT),
    **dict.fromkeys(("verb_zipf", "noun_zipf", "pp_zipf"), FREQUENCY),
    "is_pronoun": pa.bool_(),
}
"""A column has one type wherever it stands; those that are not here hold text."""
columns = functools.partial(typed, TYPES)

CONLL_SCHEMA = pa.schema(
    [
        *columns("id item_id pair_id pair_factor pair_kind family group word_order position"),
        *columns("n_candidates distance preposition definiteness is_pronoun dependent resolved_by"),
        *columns("tokens lemmas upos xpos feats heads deprels fields verb pp adposition head"),
        *columns("candidates n_tokens verb_zipf noun_zipf pp_zipf"),
        *RATING_FIELDS,
    ]
)
SENTENCE_SCHEMA = pa.schema(
    [
        *columns("id sentence pair_id resolved_by position"),
        *columns("preposition_position pp_position head_position dependent"),
    ]
)
# verb_noun: the order gives the phrase to the verb, and the word gives it to the noun
LIKELIHOOD_SCHEMA = pa.schema(
    columns("id construction cluster preposition verb_verb verb_noun noun_verb noun_noun")
)
NATURAL_SCHEMA = pa.schema(
    [
        *columns("id item_id family group position n_candidates distance preposition"),
        *columns("definiteness is_pronoun dependent tokens lemmas upos xpos feats deprels heads"),
        *columns("verb pp adposition head candidates n_tokens"),
    ]
)

HEADS = ("noun", "verb")
ATTACHMENT_VIEW_SCHEMA = labelled(
    [("text", TEXT), ("phrase", TEXT), ("label", LABEL)],  # as classifiers of two texts want
    label=HEADS,
)
