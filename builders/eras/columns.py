"""The columns of ERAS: of a pair of sentences, and of a paradigm."""

import pyarrow as pa

from builders.columns import RATING_FIELDS
from builders.views import LABEL, labelled

LEXICON_NAMES = ("as", "cityu", "msr", "pku")
SLOT_NAMES = ("slot_1", "slot_2", "slot_3")
"""Columns of the slots: a list of two or three would have no statistics in the Hub's viewer."""

SLOT_STRUCT = pa.struct(
    [("type", pa.string()), ("word", pa.string()), ("start", pa.int32()), ("zipf", pa.float32())]
)
PAIR_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("paradigm_id", pa.int32()),
        ("branching", pa.string()),
        ("true_sentiment", pa.string()),
        ("canary_sentiment", pa.string()),
        ("test", pa.string()),
        ("control", pa.string()),
        ("occluded_test", pa.string()),
        ("occluded_control", pa.string()),
        ("test_words", pa.list_(pa.string())),
        ("control_words", pa.list_(pa.string())),
        ("site_start", pa.int32()),
        ("test_site", pa.string()),
        ("control_site", pa.string()),
        ("true_word", pa.string()),
        ("canary_word", pa.string()),
        *((name, SLOT_STRUCT) for name in SLOT_NAMES),
        ("n_chars", pa.int32()),
        *RATING_FIELDS,
    ]
)
PARADIGM_SCHEMA = pa.schema(
    [
        ("paradigm_id", pa.int32()),
        ("source_index", pa.int32()),
        ("test_template", pa.string()),
        ("control_template", pa.string()),
        ("test_template_traditional", pa.string()),
        ("control_template_traditional", pa.string()),
        ("branching", pa.string()),
        ("true_word", pa.string()),
        ("canary_word", pa.string()),
        ("true_sentiment", pa.string()),
        ("canary_sentiment", pa.string()),
        ("test_site", pa.string()),
        ("control_site", pa.string()),
        ("site_start", pa.int32()),
        ("family", pa.string()),
        ("is_exact_pair", pa.bool_()),
        ("is_occlusion_degenerate", pa.bool_()),
        ("is_clause", pa.bool_()),
        ("is_globally_ambiguous", pa.string()),
        ("true_parse", pa.string()),
        ("canary_parse", pa.string()),
        ("is_control_well_formed", pa.bool_()),
        *(
            (f"is_{kind}_word_in_{lexicon}", pa.bool_())
            for kind in ("true", "canary")
            for lexicon in LEXICON_NAMES
        ),
        ("allowed_overlaps", pa.list_(pa.string())),
        ("capacity", pa.int64()),
    ]
)
EXTENDED_PARADIGM_SCHEMA = pa.schema(
    [
        ("paradigm_id", pa.int32()),
        ("test_template", pa.string()),
        ("control_template", pa.string()),
        ("test_template_traditional", pa.string()),
        ("control_template_traditional", pa.string()),
        ("branching", pa.string()),
        ("true_word", pa.string()),
        ("canary_word", pa.string()),
        ("control_word", pa.string()),
        ("true_sentiment", pa.string()),
        ("canary_sentiment", pa.string()),
        ("is_polar", pa.bool_()),
        ("test_site", pa.string()),
        ("control_site", pa.string()),
        ("site_start", pa.int32()),
        ("family", pa.string()),
        ("true_parse", pa.string()),
        ("canary_parse", pa.string()),
        ("canary_parse_fails", pa.string()),
        ("is_true_word_more_frequent", pa.bool_()),
        *(
            (f"{kind}_{name}", value)
            for kind in ("true", "canary")
            for name, value in (
                ("class", pa.string()),
                ("zipf", pa.float32()),
                ("lexicons", pa.string()),
                ("hownet", pa.string()),
                ("dutir", pa.string()),
            )
        ),
        ("reading_mean", pa.float32()),
        ("allowed_overlaps", pa.string()),
        ("capacity", pa.int64()),
    ]
)
"""Of an extended paradigm; several values in a cell are joined by `|`."""
CHARACTER_TAGS = ("B", "M", "E", "S")
SENTIMENTS = ("negative", "positive")
SEGMENTATION_VIEW_SCHEMA = labelled(
    [("tokens", pa.list_(pa.string())), ("tags", pa.list_(LABEL)), ("id", pa.string())],
    tags=CHARACTER_TAGS,
)
SENTIMENT_VIEW_SCHEMA = labelled([("text", pa.string()), ("label", LABEL)], label=SENTIMENTS)
SENTIMENT_ROWS_SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("id", pa.string()),
        ("pair_id", pa.string()),
        ("paradigm_id", pa.int32()),
        ("condition", pa.string()),
        ("branching", pa.string()),
        ("true_sentiment", pa.string()),
        ("canary_sentiment", pa.string()),
        ("slot_zipf", pa.float32()),  # mean over the slots' words
        ("n_chars", pa.int32()),
    ]
)
LM_VIEW_SCHEMA = pa.schema([("text", pa.string())])
SIMILARITY_VIEW_SCHEMA = pa.schema(
    [("anchor", pa.string()), ("positive", pa.string()), ("negative", pa.string())]
)
NATURAL_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("corpus", pa.string()),
        ("script", pa.string()),
        ("branching", pa.string()),
        ("test", pa.string()),
        ("test_words", pa.list_(pa.string())),
        ("site_start", pa.int32()),
        ("test_site", pa.string()),
        ("true_word", pa.string()),
        ("canary_word", pa.string()),
        ("neighbour", pa.string()),
        ("is_neighbour_longer", pa.bool_()),
        ("true_count", pa.int32()),
        ("canary_count", pa.int32()),
        ("is_true_more_frequent", pa.bool_()),
        ("true_zipf", pa.float32()),
        ("canary_zipf", pa.float32()),
        ("true_class", pa.string()),
        ("canary_class", pa.string()),
        ("n_places", pa.int32()),
        ("is_cut_both_ways", pa.bool_()),
        ("exclusion", pa.string()),
        ("n_chars", pa.int32()),
        *RATING_FIELDS,
    ]
)
"""Of an ambiguous string that occurs, named as in a pair where a pair has it; there is no control.

`true_count`, `canary_count`: in the text; `true_zipf`, `canary_zipf`, `true_class`, `canary_class`:
by jieba's dictionary, null where it lacks a true word.
"""
LIKELIHOOD_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("pair_id", pa.string()),
        ("paradigm_id", pa.int32()),
        ("cluster", pa.string()),
        ("construction", pa.string()),
        ("occluder", pa.string()),
        ("test", pa.string()),
        ("control", pa.string()),
        ("occluded_test", pa.string()),
        ("occluded_control", pa.string()),
        ("site_start", pa.int32()),
        ("after_start", pa.int32()),
    ]
)
"""Of a pair for language models: four sentences, alike but for the site."""
