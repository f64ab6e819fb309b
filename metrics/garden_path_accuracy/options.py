"""The options of garden path accuracy."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from .._shared.columns import shown
from .._shared.module import compared_option
from .._shared.option_fields import (
    CheckedOptions,
    confidence_option,
    n_resamples_option,
    option,
    per_item_option,
    read_collection,
    seed_option,
)
from .._shared.paradigms import cluster_option, decided_cluster, exclude_option
from .inputs import INPUTS, METRIC


def read_lexicon(where: str, value: Any) -> frozenset[str]:
    """Words of a lexicon; a ValueError that begins with `where` for no collection of them."""
    words = read_collection(where, value, "a set of words")
    if bad := [word for word in words if not isinstance(word, str)]:
        raise ValueError(f"{where}, got the word {shown(bad[0])}; expected strings")
    return frozenset(words)


@dataclass(frozen=True)
class Options(CheckedOptions):
    """What `score` may be told; every result quotes it."""

    metric: ClassVar[str] = METRIC

    mode: str = option(
        "default",
        "what is averaged, the paradigms that occur or all 39 of the paper, which must then occur",
        choices=("default", "paper"),
    )
    cluster: str | None = cluster_option()
    exclude: tuple[int, ...] = exclude_option()
    lexicon: Collection[str] | None = option(
        None,
        "words that the segmenter knows; adds by_is_canary_in_lexicon",
        read=read_lexicon,
        expected="a set of words",
        none="no such table",
        is_quoted=False,
    )
    compared_with: Any = compared_option(INPUTS, "segmentations", "system")
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option("seed of the bootstrap")
    per_item: bool = per_item_option("whether to add a row for every pair")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cluster", decided_cluster(self.cluster, self.mode))
        if self.mode == "paper" and self.exclude:
            got = f"got {list(self.exclude)} with mode='paper'; expected none, or another mode"
            raise ValueError(f"{self.metric}: exclude, {got}")


read_options = Options.of
