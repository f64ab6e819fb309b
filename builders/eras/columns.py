"""The columns of ERAS: of a pair of sentences, and of a paradigm."""

import functools

import pyarrow as pa

from builders.columns import COUNT, FREQUENCY, RATING_FIELDS, TEXT, TEXTS, typed
from builders.views import LABEL, labelled
from metrics._shared.module import BMES

LEXICON_NAMES = ("as", "cityu", "msr", "pku")
SLOT_NAMES = ("slot_1", "slot_2", "slot_3")  # a list would have no statistics in the viewer
SLOT_STRUCT = pa.struct([("type", TEXT), ("word", TEXT), ("start", COUNT), ("zipf", FREQUENCY)])
IN_LEXICONS = [f"is_{kind}_word_in_{name}" for kind in ("true", "canary") for name in LEXICON_NAMES]
BOOLEAN = (
    *("is_exact_pair", "is_occlusion_degenerate", "is_clause", "is_control_well_formed"),
    *("is_polar", "is_true_word_more_frequent", "is_true_more_frequent"),
    *("is_neighbour_longer", "is_cut_both_ways", *IN_LEXICONS),
)
WHOLE = (
    *("paradigm_id", "source_index", "site_start", "after_start"),
    *("n_chars", "n_places", "true_count", "canary_count"),
)
REAL = ("true_zipf", "canary_zipf", "slot_zipf", "reading_mean")
TYPES = {
    **dict.fromkeys(BOOLEAN, pa.bool_()),
    **dict.fromkeys(WHOLE, pa.int32()),
    **dict.fromkeys(REAL, pa.float32()),
    **dict.fromkeys(SLOT_NAMES, SLOT_STRUCT),
    **dict.fromkeys(("test_words", "control_words"), TEXTS),
    "capacity": pa.int64(),
}
"""A column has one type wherever it stands; those that are not here hold text."""
columns = functools.partial(typed, TYPES)
TEMPLATES = "test_template control_template test_template_traditional control_template_traditional"
PAIR_SCHEMA = pa.schema(
    [
        *columns("id paradigm_id branching true_sentiment canary_sentiment test control"),
        *columns("occluded_test occluded_control test_words control_words site_start"),
        *columns("test_site control_site true_word canary_word", *SLOT_NAMES, "n_chars"),
        *RATING_FIELDS,
    ]
)
PARADIGM_SCHEMA = pa.schema(
    [
        *columns("paradigm_id source_index", TEMPLATES, "branching true_word canary_word"),
        *columns("true_sentiment canary_sentiment test_site control_site site_start family"),
        *columns("is_exact_pair is_occlusion_degenerate is_clause is_globally_ambiguous"),
        *columns("true_parse canary_parse is_control_well_formed", *IN_LEXICONS),
        ("allowed_overlaps", TEXTS),
        *columns("capacity"),
    ]
)
OF_A_WORD = ("class", "zipf", "lexicons", "hownet", "dutir")
EXTENDED_PARADIGM_SCHEMA = pa.schema(
    [
        *columns("paradigm_id", TEMPLATES, "branching true_word canary_word control_word"),
        *columns("true_sentiment canary_sentiment is_polar test_site control_site site_start"),
        *columns("family true_parse canary_parse canary_parse_fails is_true_word_more_frequent"),
        *columns(*(f"{kind}_{name}" for kind in ("true", "canary") for name in OF_A_WORD)),
        *columns("reading_mean allowed_overlaps capacity"),
    ]
)
"""Of an extended paradigm; several values in a cell are joined by `|`."""
SCRIPTS = {"simplified": "zh-Hans", "traditional": "zh-Hant"}
"""Scripts of the suite as language tags, which `run_translation.py` takes as languages."""
VIEW_SCHEMAS = {
    "segmentation": labelled(
        [("tokens", TEXTS), ("tags", pa.list_(LABEL)), ("id", TEXT)], tags=BMES
    ),
    "sentiment": labelled([("text", TEXT), ("label", LABEL)], label=("negative", "positive")),
    "sentiment_rows": pa.schema(
        columns(
            "text id pair_id paradigm_id condition branching true_sentiment",
            "canary_sentiment slot_zipf n_chars",  # zipf: mean over the slots' words
        )
    ),
    "lm": pa.schema(columns("text")),
    "similarity": pa.schema(columns("anchor positive negative")),
    "translation": pa.schema(
        [("translation", pa.struct([(tag, TEXT) for tag in SCRIPTS.values()]))]
    ),
}
NATURAL_SCHEMA = pa.schema(
    [
        *columns("id corpus script branching test test_words site_start test_site true_word"),
        *columns("canary_word neighbour is_neighbour_longer true_count canary_count"),
        *columns("is_true_more_frequent true_zipf canary_zipf true_class canary_class n_places"),
        *columns("is_cut_both_ways exclusion n_chars"),
        *RATING_FIELDS,
    ]
)
"""Of an ambiguous string that occurs; counts are in the text, the rest is by jieba's dictionary."""
LIKELIHOOD_SCHEMA = pa.schema(
    [
        *columns("id pair_id paradigm_id cluster construction occluder test control"),
        *columns("occluded_test occluded_control site_start after_start"),
    ]
)
"""Of a pair for language models: four sentences, alike but for the site."""
