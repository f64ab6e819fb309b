"""Reads the model's values for sentence pairs, and which paradigm each pair is of.

A row of values belongs to one pair, in this order: test, control, occluded test, occluded control,
and two placebo sentences, in which a character outside the site is masked instead.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..columns import (
    FloatArray,
    IntArray,
    check_lengths,
    field_names,
    read_columns,
    to_float_array,
    to_float_matrix,
    to_int_array,
    to_list,
)
from ..paradigms import check_distinct, check_one_script, check_paradigm_ids
from .options import Options

WHERE = Options.metric
SENTENCES = (
    "test",
    "control",
    "occluded_test",
    "occluded_control",
    "placebo_test",
    "placebo_control",
)
WIDTHS = (2, 4, 6)
SMALLEST_PROBABILITY = 1e-6
LARGEST_CLIPPED_SHARE = 0.05


class Pairs(NamedTuple):
    """Sentence pairs.

    Attributes:
        probabilities: P(positive), shape (n, 2), (n, 4) or (n, 6), columns as in `SENTENCES`.
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


def read_pairs(predictions: Any, references: Any, options: Options) -> Pairs:
    """Reads and checks the inputs of GPER.

    Args:
        predictions: n rows of 2, 4 or 6 values, or named columns (`SENTENCES`).
        references: n paradigm ids, or rows of the data set.
        options: `scale` and `exclude` matter.

    Raises:
        ValueError: Lengths differ, a row has another width, a value is nan or no probability, an id
            is unknown or occurs twice, both scripts are pooled, or nothing is left.
    """
    values = read_values(f"{WHERE}: predictions", predictions)
    paradigm_ids = read_paradigm_ids(f"{WHERE}: references", references)
    check_lengths(WHERE, predictions=values, references=paradigm_ids)
    check_paradigm_ids(f"{WHERE}: references", paradigm_ids)
    _warn_of_odd_values(values, options.scale)
    if options.exclude:
        is_kept = ~np.isin(paradigm_ids, options.exclude)
        values, paradigm_ids = values[is_kept], paradigm_ids[is_kept]
        if not len(paradigm_ids):
            raise ValueError(
                f"{WHERE}: exclude, got {list(options.exclude)}, which leaves no pair; "
                "expected at least one paradigm to remain"
            )
    probabilities = to_probabilities(values, options.scale)
    if options.scale == "logit":
        return Pairs(probabilities, values, paradigm_ids, 0.0)
    logits, clipped_share = _log_odds(probabilities)
    return Pairs(probabilities, logits, paradigm_ids, clipped_share)


def read_values(where: str, predictions: Any) -> FloatArray:
    """Values of each pair, shape (n, 2), (n, 4) or (n, 6); named columns by their names."""
    names = [name for name in field_names(predictions) if isinstance(name, str)]
    if not names:
        return to_float_matrix(where, predictions, WIDTHS)
    width = next((w for w in (6, 4, 2) if set(SENTENCES[:w]) <= set(names)), 0)
    if not width:
        raise ValueError(
            f"{where}: got columns {', '.join(names)}; expected {', '.join(SENTENCES[:4])}, "
            "or rows of numbers in this order"
        )
    columns = read_columns(where, predictions, SENTENCES[:width])
    return np.stack([to_float_array(f"{where}: {n}", columns[n]) for n in columns], axis=1)


def read_paradigm_ids(where: str, references: Any) -> IntArray:
    """Paradigm of each pair: from a column of ids, or from rows of the data set, which are checked.

    Raises:
        ValueError: An id is no whole number; rows have no `paradigm_id`, an `id` occurs twice, or
            both scripts are pooled.
    """
    names = field_names(references)
    if not names:
        return to_int_array(where, references)
    columns = read_columns(where, references, ["paradigm_id"])
    paradigm_ids = to_int_array(f"{where}: paradigm_id", columns["paradigm_id"])
    tests: Sequence[str] = []
    if "test" in names:
        tests = to_list(read_columns(where, references, ["test"])["test"])
    if tests and "site_start" in names:
        column = read_columns(where, references, ["site_start"])["site_start"]
        starts = to_int_array(f"{where}: site_start", column)
        check_one_script(where, paradigm_ids.tolist(), tests, starts.tolist())
    check_distinct(where, references, tests)
    return paradigm_ids


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
