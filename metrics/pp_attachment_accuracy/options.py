"""Options of PP attachment accuracy, each with its text, checked once."""

from dataclasses import dataclass
from typing import ClassVar

from .._shared.option_fields import (
    CheckedOptions,
    confidence_option,
    n_resamples_option,
    option,
    per_item_option,
    seed_option,
)
from .._shared.trees import ALIGNMENTS, ANNOTATION_SCHEMES
from .inputs import METRIC

CLUSTERS = ("item", "family")


@dataclass(frozen=True)
class Options(CheckedOptions):
    """How trees are compared, and over what intervals generalise."""

    metric: ClassVar[str] = METRIC

    scheme: str = option(
        "ud",
        'the parser\'s annotation scheme; in "tiger" a preposition heads its phrase, with mo, op'
        ' or mnr, and in "alpino" (Dutch) with mod, pc or ld',
        choices=tuple(ANNOTATION_SCHEMES),
    )
    alignment: str = option(
        "tokens",
        'the parser\'s tokens must be the gold ones; "text": only the text must be the same',
        choices=ALIGNMENTS,
    )
    clusters: str = option(
        "item",
        'what the intervals resample: base items within their family, or ("family") the frames'
        " themselves within their group, which is wider and speaks of other verbs and nouns",
        choices=CLUSTERS,
    )
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option()
    per_item: bool = per_item_option("whether to add a row for every sentence")


read_options = Options.of
