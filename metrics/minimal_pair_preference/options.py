"""Options of `minimal_pair_preference`, written once: docstring, card and page show them."""

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

RULES = ("sum", "per_token", "slln")


@dataclass(frozen=True)
class Options(CheckedOptions):
    """What `score` may be told; every result quotes it."""

    metric: ClassVar[str] = "minimal_pair_preference"

    rule: str = option(
        "sum",
        "which log-probabilities are compared: their sums, as crossed and equally long members "
        "want it, their means per token, or sums over the number of tokens to the exponent (slln); "
        "the last two need n_tokens",
        choices=RULES,
    )
    exponent: float = option(
        0.5, "exponent of the number of tokens under slln: 0 is the sum, 1 the mean", low=0, high=1
    )
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option()
    per_item: bool = per_item_option("whether to add `by_pair`, one flat row per pair")


read_options = Options.of
