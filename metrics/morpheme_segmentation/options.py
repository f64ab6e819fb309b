"""Options of `morpheme_segmentation`: by which convention, and with which intervals."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .._shared.option_fields import (
    CheckedOptions,
    confidence_option,
    option,
    per_item_option,
    seed_option,
)
from .inputs import METRIC
from .matching import AVERAGES, MATCHINGS, PRESETS, Convention


@dataclass(frozen=True)
class Options(CheckedOptions):
    """How segmentations are compared and averaged; see `matching.count_matches`."""

    metric: ClassVar[str] = METRIC

    matching: str | None = option(
        None,
        "what of a word counts as found: morphemes, each gold one once (multiset) or as often as "
        "predicted (membership), in order (lcs), or boundaries between characters (boundary)",
        choices=MATCHINGS,
        none="multiset",
    )
    average: str | None = option(
        None,
        "mean of the words' scores (word), or score of the summed counts (corpus)",
        choices=AVERAGES,
        none="word",
    )
    preset: str | None = option(
        None,
        "a published convention, instead of matching and average; it scores the first gold alone",
        choices=tuple(PRESETS),
        none="the convention of matching and average",
    )
    confidence: float | None = confidence_option()
    seed: int = seed_option("seed of the bootstrap over words")
    per_item: bool = per_item_option("whether to add `by_word`, one flat row per word")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.preset is not None and (self.matching is not None or self.average is not None):
            got = f"preset {self.preset!r} and matching or average, got both"
            raise ValueError(f"{self.metric}: {got}; expected one or the other")

    @property
    def convention(self) -> Convention:
        """Convention that the options name; the best of several golds counts, but for a preset."""
        if self.preset is not None:
            return PRESETS[self.preset]
        given: Any = {"matching": self.matching, "average": self.average}
        return Convention(**{name: value for name, value in given.items() if value is not None})


read_options = Options.of
