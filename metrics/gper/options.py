"""The options of GPER: what the paper leaves open, each with the authors' code's behaviour too."""

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
    seed_option,
)
from .._shared.paradigms import cluster_option, decided_cluster, exclude_option
from .inputs import INPUTS, METRIC

BY_MODE = "what `mode` says"
MODES = {
    "default": {"similarity": "absolute", "ties": "strict", "pooling": "micro"},
    "paper": {"similarity": "signed", "ties": "code", "pooling": "micro"},
}


@dataclass(frozen=True)
class Options(CheckedOptions):
    """What `score` may be told; every result quotes it, with `mode` spelled out."""

    metric: ClassVar[str] = METRIC

    mode: str = option(
        "default",
        "rules of GPER: the paper's text (absolute, strict, micro), or how the authors' code "
        "computed the published figures (signed, code, micro)",
        choices=tuple(MODES),
    )
    scale: str = option(
        "probability",
        "what the predictions are, P(positive) or scores whose sigmoid is P(positive)",
        choices=("probability", "logit"),
    )
    similarity: str | None = option(
        None,
        "what must shrink under occlusion, the size of the difference or the difference itself",
        choices=("absolute", "signed"),
        none=BY_MODE,
    )
    ties: str | None = option(
        None,
        "equal values: neither an error nor detected, or both, for necessity and sufficiency only",
        choices=("strict", "code"),
        none=BY_MODE,
    )
    pooling: str | None = option(
        None,
        "necessity and sufficiency over all pairs, or means over the paradigms that have them",
        choices=("micro", "macro"),
        none=BY_MODE,
    )
    cluster: str | None = cluster_option()
    exclude: tuple[int, ...] = exclude_option()
    compared_with: Any = compared_option(INPUTS, "values", "model")
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option("seed of the bootstrap")
    per_item: bool = per_item_option("whether to add a row for every pair")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cluster", decided_cluster(self.cluster, self.mode))
        for name, decided in MODES[self.mode].items():
            value = getattr(self, name)
            if self.mode == "paper" and value not in (None, decided):
                got = f"{name}, got {shown(value)} with mode='paper'"
                raise ValueError(f"{self.metric}: {got}; expected {decided!r}, or another mode")
            object.__setattr__(self, name, value or decided)


read_options = Options.of
