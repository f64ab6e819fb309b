"""Reads the model's values for sentence pairs, and which paradigm each pair is of.

A row of values belongs to one pair, in this order: test, control, occluded test, occluded control,
and two placebo sentences, in which a character outside the site is masked instead.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray
from ..paradigms import HAS_SENTIMENT, check_distinct, check_one_script
from .inputs import INPUTS, METRIC
from .options import Options

WHERE = METRIC
SMALLEST_PROBABILITY = 1e-6
LARGEST_CLIPPED_SHARE = 0.05


class RatedPairs(NamedTuple):
    """Sentence pairs.

    Attributes:
        probabilities: P(positive), shape (n, 2), (n, 4) or (n, 6), as in `inputs.SENTENCES`.
        logits: The same as log-odds; raw scores where the model gives them.
        paradigm_ids: Shape (n,).
        clipped_share: Share of the probabilities that were too near to 0 or 1 for their log-odds.
    """

    probabilities: FloatArray
    logits: FloatArray
    paradigm_ids: IntArray
    clipped_share: float

    @property
    def has_occlusion(self) -> bool:
        """Whether the occluded sentences were scored."""
        return bool(self.probabilities.shape[1] >= 4)

    @property
    def has_placebo(self) -> bool:
        """Whether sentences with a mask outside the site were scored."""
        return bool(self.probabilities.shape[1] == 6)


def read_pairs(predictions: Any, references: Any, options: Options) -> RatedPairs:
    """Reads and checks the inputs of GPER.

    Args:
        predictions: n rows of 2, 4 or 6 values, or named columns (`inputs.SENTENCES`).
        references: n paradigm ids, or rows of the data set.
        options: `scale` and `exclude` matter.

    Returns:
        The pairs of paradigms that have a true sentiment and are not excluded.

    Raises:
        ValueError: Lengths differ, a row has another width, a value is nan or no probability, an id
            is unknown or occurs twice, both scripts are pooled, or nothing is left.
    """
    found = INPUTS.read({"predictions": predictions, "references": references})
    values, rows = found["predictions"], found["references"]
    paradigm_ids = rows["paradigm_id"]
    if "test" in rows and "site_start" in rows:
        check_one_script(
            f"{WHERE}: references", paradigm_ids.tolist(), rows["test"], rows["site_start"].tolist()
        )
    check_distinct(f"{WHERE}: references", rows.get("id"), rows.get("test", ()))
    _warn_of_odd_values(values, options.scale)
    has_sentiment = HAS_SENTIMENT[paradigm_ids - 1]
    if not has_sentiment.any():
        raise ValueError(
            f"{WHERE}: references, got no pair of a paradigm with a sentiment; expected some"
        )
    is_kept = has_sentiment & ~np.isin(paradigm_ids, options.exclude)
    if not is_kept.any():
        raise ValueError(
            f"{WHERE}: exclude, got {list(options.exclude)}, which leaves no pair; "
            "expected at least one paradigm to remain"
        )
    if not is_kept.all():
        values, paradigm_ids = values[is_kept], paradigm_ids[is_kept]
    probabilities = to_probabilities(values, options.scale)
    if options.scale == "logit":
        return RatedPairs(probabilities, values, paradigm_ids, 0.0)
    logits, clipped_share = _log_odds(probabilities)
    return RatedPairs(probabilities, logits, paradigm_ids, clipped_share)


def to_probabilities(values: FloatArray, scale: str) -> FloatArray:
    """P(positive) in [0, 1]: the sigmoid of logits; a ValueError for a probability outside."""
    if scale == "logit":
        return np.exp(-np.logaddexp(0.0, -values))
    if values.min() < 0 or values.max() > 1:
        row, column = np.argwhere((values < 0) | (values > 1))[0].tolist()
        raise ValueError(
            f"{WHERE}: predictions[{row}, {column}]: got {values[row, column]}; "
            "expected a probability in [0, 1]; logits need scale='logit'"
        )
    return values


def _log_odds(probabilities: FloatArray) -> tuple[FloatArray, float]:
    clipped = np.clip(probabilities, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    share = float(np.mean(clipped != probabilities))
    if share > LARGEST_CLIPPED_SHARE:
        warnings.warn(
            f"{WHERE}: predictions: {share:.0%} are within {SMALLEST_PROBABILITY} of 0 or 1, where "
            "differences say little; expected raw scores with scale='logit'",
            stacklevel=4,
        )
    return np.log(clipped) - np.log1p(-clipped), share


def _warn_of_odd_values(values: FloatArray, scale: str) -> None:
    if scale == "logit":
        if values.min() >= 0 and values.max() <= 1:
            warnings.warn(
                f"{WHERE}: predictions, all in [0, 1] with scale='logit'; expected raw scores, "
                "or scale='probability'",
                stacklevel=4,
            )
    elif ((values == 0) | (values == 1)).all():
        warnings.warn(
            f"{WHERE}: predictions, all 0 or 1; expected probabilities: with hard labels nearly "
            "every pair is a tie",
            stacklevel=4,
        )
