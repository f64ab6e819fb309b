"""The options of matched-pair accuracy, each with its text, checked once."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from .._shared.columns import shown
from .._shared.option_fields import (
    CheckedOptions,
    confidence_option,
    n_resamples_option,
    option,
    per_item_option,
    read_collection,
    seed_option,
)
from .decisions import DEFECTS, MODEL, PIPELINE, SCORERS, PaperScorer
from .inputs import METRIC

WHERE = METRIC


def _read_defects(where: str, value: Any) -> tuple[str, ...]:
    expected = f"some of {', '.join(DEFECTS)}"
    names = read_collection(where, value, expected)
    for name in names:
        if not isinstance(name, str) or name not in DEFECTS:
            raise ValueError(f"{where}, got {shown(name)}; expected {expected}")
    return tuple(names)


def _read_model(where: str, value: Any) -> Any:
    is_blank = isinstance(value, str) and not value
    if is_blank or value is None or isinstance(value, bool | int | float):
        raise ValueError(f"{where}, got {shown(value)}; expected its name, its folder or itself")
    return value


@dataclass(frozen=True)
class Options(CheckedOptions):
    """How answers are decided on and what is reported."""

    metric: ClassVar[str] = WHERE

    scorer: str = option(
        "strict",
        '"strict": the answer is read and compared with the row\'s events; "paper": the published'
        ' pipeline; "exact": equal strings',
        choices=SCORERS,
    )
    compare_with: str | None = option(
        None,
        "a second scorer, whose disagreement with the first is reported",
        choices=SCORERS,
        none="no comparison",
    )
    accept_full_chain: bool = option(
        False, "whether a consequence may go on to the end of the chain of events"
    )
    delta: float = option(0.05, "the least gap that counts as open", low=0, high=0.999)
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option()
    threshold: float = option(
        0.9, "least cosine that the paper scorer takes for equal", low=-1, high=1, is_quoted=False
    )
    embedder: Any = option(
        MODEL,
        "the paper scorer's embedding model, by name or folder, or an object with `encode(texts)`",
        read=_read_model,
        expected="a name, a folder or a model",
        is_quoted=False,
    )
    pipeline: Any = option(
        PIPELINE,
        "the paper scorer's spaCy pipeline, by name or folder, or the pipeline",
        read=_read_model,
        expected="a name, a folder or a pipeline",
        is_quoted=False,
    )
    defects: Collection[str] = option(
        tuple(DEFECTS),
        "departures of the published code from the published text that the paper scorer keeps",
        read=_read_defects,
        expected=f"some of {', '.join(DEFECTS)}",
        is_quoted=False,
    )
    per_item: bool = per_item_option("whether to add a row for every question")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compare_with == self.scorer:
            others = ", ".join(scorer for scorer in SCORERS if scorer != self.scorer)
            got = f"{self.scorer!r}, the scorer itself"
            raise ValueError(f"{WHERE}: compare_with, got {got}; expected {others}, or None")

    def paper_scorer(self) -> PaperScorer:
        """The paper scorer with these options; nothing is loaded before it decides."""
        return PaperScorer(
            self.embedder, self.pipeline, threshold=self.threshold, defects=self.defects
        )


read_options = Options.of
