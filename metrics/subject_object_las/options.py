"""The options of subject-object LAS, each with its text, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

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

UNRESOLVED_MODES = ("apart", "included")
# What `mode` decides where `subtypes` and `unresolved` are left to it.
MODES: Mapping[str, Mapping[str, Any]] = {
    "default": {"subtypes": False, "unresolved": "apart"},
    "paper": {"subtypes": True, "unresolved": "included"},
}


@dataclass(frozen=True)
class Options(CheckedOptions):
    """How trees are compared and what is counted; `subtypes` and `unresolved` end up set."""

    metric: ClassVar[str] = METRIC

    mode: str = option(
        "default",
        '"paper": labels with subtypes, and clauses that nothing settles are counted, as in the'
        " published figures",
        choices=tuple(MODES),
    )
    scheme: str = option(
        "ud",
        'the parser\'s annotation scheme; "tiger" has sb, oa and da, "alpino" (Dutch) su, obj1 and'
        " obj2, both the subject at the auxiliary",
        choices=tuple(ANNOTATION_SCHEMES),
    )
    subtypes: bool | None = option(
        None,
        "whether `nsubj:pass` differs from `nsubj`",
        kind=bool,
        none='what the mode says: False by default, True in "paper"',
    )
    alignment: str = option(
        "tokens",
        'the parser\'s tokens must be the gold ones; "text": only the text must be the same',
        choices=ALIGNMENTS,
    )
    unresolved: str | None = option(
        None,
        "whether clauses that either reading fits are left out of all scores but those named after"
        " them",
        choices=UNRESOLVED_MODES,
        none='what the mode says: "apart" by default, "included" in "paper"',
    )
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option()
    per_item: bool = per_item_option("whether to add a row for every clause")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in MODES[self.mode].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)


read_options = Options.of
