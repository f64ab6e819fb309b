"""The columns of a pool's rows: a word, its gold segmentation, the labels of its characters.

`alternatives` is one text, since a list of one or two would have no statistics in the Hub's viewer.
"""

import functools
from collections.abc import Sequence

import pyarrow as pa

from builders.columns import COUNT, RATING_FIELDS, TEXT, TEXTS, typed
from builders.morphseg.sources import Word, bmes
from builders.views import LABEL, labelled
from metrics._shared.module import BMES
from metrics.morpheme_segmentation.inputs import ANALYSIS_SEPARATOR, MORPHEME_SEPARATOR
from metrics.split_characteristics.scoring import PublishedCharacteristics

FEATURES = PublishedCharacteristics._fields
SCORES = ("accuracy", "precision", "recall", "f1", "distance")
TYPES = {
    **dict.fromkeys(("morphemes", "tags"), TEXTS),
    **dict.fromkeys(("size", "seed", "data_set", "revision"), COUNT),
    **dict.fromkeys((*SCORES, *FEATURES), pa.float64()),
}
"""A column has one type wherever it stands; those that are not here hold text."""
columns = functools.partial(typed, TYPES)
POOL_SCHEMA = pa.schema([*columns("id word morphemes alternatives tags bmes"), *RATING_FIELDS])
LIKELIHOOD_SCHEMA = pa.schema(columns("id construction cluster word separator segmented shifted"))
SCORE_SCHEMA = pa.schema(
    [
        *columns("id language size method protocol seed data_set"),
        *columns("random_split model"),  # A to E; `split` is the name of a field in Croissant
        *columns(*SCORES, *FEATURES, "library library_version revision pool"),
    ]
)

TAGS_VIEW_SCHEMA = labelled([("tokens", TEXTS), ("tags", pa.list_(LABEL)), ("id", TEXT)], tags=BMES)
TEXT2TEXT_VIEW_SCHEMA = pa.schema(columns("text target id"))


def join_segmentations(segmentations: Sequence[Sequence[str]]) -> str:
    """Segmentations of a word as one text: morphemes parted by a blank, segmentations by " | ".

    Example:
        >>> join_segmentations([["a", "bout"], ["about"]])
        'a bout | about'
    """
    return ANALYSIS_SEPARATOR.join(MORPHEME_SEPARATOR.join(morphs) for morphs in segmentations)


def pool_table(name: str, words: Sequence[Word], start: int = 0) -> pa.Table:
    """Rows of a pool from word `start`; an id ends in the index to which the plan points."""
    columns = {
        "id": [f"{name}-{i:05d}" for i in range(start, start + len(words))],
        "word": [w.word for w in words],
        "morphemes": [w.morphemes for w in words],
        "alternatives": [join_segmentations(w.alternatives) for w in words],
        "tags": [w.tags for w in words],
        "bmes": [bmes(w.morphemes) for w in words],
        **{field.name: pa.nulls(len(words), field.type) for field in RATING_FIELDS},
    }
    return pa.table(columns, schema=POOL_SCHEMA)
