"""The columns of ERAS: of a pair of sentences, and of a paradigm."""

import pyarrow as pa

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
        ("slots", pa.list_(SLOT_STRUCT)),
        ("n_chars", pa.int32()),
        ("rating_mean", pa.float64()),
        ("n_raters", pa.int32()),
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
        ("allowed_overlaps", pa.list_(pa.string())),
        ("n_pairs", pa.int32()),
        ("capacity", pa.int64()),
    ]
)
