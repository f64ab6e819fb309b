"""The options of matched-pair accuracy, checked once; every result quotes them."""

import dataclasses
from collections.abc import Collection
from typing import Any

from ..columns import check_option
from ..uncertainty import check_confidence
from .decisions import SCORERS
from .paper import DEFECTS, MODEL, PIPELINE, PaperScorer

WHERE = "matched_pair_accuracy"


@dataclasses.dataclass(frozen=True)
class Options:
    """How answers are decided on and what is reported.

    Attributes:
        scorer: "strict" (default), structural, from the rows' events; "paper", the published
            pipeline; "exact", string equality.
        compare_with: A second scorer, whose disagreement with the first is reported; None for none.
        accept_full_chain: Whether strict accepts a consequence that goes on to the end of the chain
            of events.
        delta: The least gap that counts as open, in [0, 1).
        confidence: Two-sided level of the intervals, in (0, 1); None for no intervals.
        n_resamples: Number of bootstrap samples, and of re-pairings.
        seed: Their seed.
        threshold, embedder, pipeline, defects: Of the paper scorer, see `paper.PaperScorer`.

    Raises:
        ValueError: An option is not one of its values.
    """

    scorer: str = "strict"
    compare_with: str | None = None
    accept_full_chain: bool = False
    delta: float = 0.05
    confidence: float | None = 0.95
    n_resamples: int = 2000
    seed: int = 0
    threshold: float = 0.9
    embedder: Any = MODEL
    pipeline: Any = PIPELINE
    defects: Collection[str] = tuple(DEFECTS)

    def __post_init__(self) -> None:
        check_option(WHERE, "scorer", self.scorer, SCORERS)
        check_option(
            WHERE,
            "compare_with",
            self.compare_with,
            (None, *(scorer for scorer in SCORERS if scorer != self.scorer)),
        )
        if not 0 <= self.delta < 1:
            raise ValueError(
                f"{WHERE}: delta, got {self.delta}; expected a gap in [0, 1), such as 0.05"
            )
        if self.confidence is not None:
            check_confidence(self.confidence)
        self.paper_scorer()

    def quoted(self) -> dict[str, Any]:
        """Options as the result quotes them; those of the paper scorer come from its signature."""
        names = (
            "scorer",
            "compare_with",
            "accept_full_chain",
            "delta",
            "confidence",
            "n_resamples",
            "seed",
        )
        return {name: getattr(self, name) for name in names}

    def paper_scorer(self) -> PaperScorer:
        """Paper scorer with these options; nothing is loaded before it decides."""
        return PaperScorer(
            self.embedder, self.pipeline, threshold=self.threshold, defects=self.defects
        )
