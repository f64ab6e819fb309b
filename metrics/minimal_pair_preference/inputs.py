"""What minimal_pair_preference takes: log-probabilities of members, and what each pair is."""

from dataclasses import replace
from typing import Any

import numpy as np

from .._shared.columns import FloatArray, Values, by_name, read_values
from .._shared.module import Inputs, Rows
from .members import ERAS_MEMBERS, WHOLE

METRIC = "minimal_pair_preference"
WIDTHS = (2, 4)
ROUNDING = 1e-3  # nats; log-probabilities of a softmax in float16 may be above 0 by so much
LARGEST = 1e15  # nats; sums of squares stay exact enough


def by_member(where: str, given: Any) -> Any:
    """Rows of numbers, from named columns, the right member first, where there are names."""
    expected = ", or ".join(" and ".join(names) for names in (*WHOLE, ERAS_MEMBERS))
    rows = ", or rows of numbers without names, the right member first"
    return by_name(where, given, (*WHOLE, ERAS_MEMBERS), expected + rows)


MEMBERS = Values(
    "number", "the log-probability of each member", 1, WIDTHS, -LARGEST, LARGEST, adapt=by_member
)

INPUTS = Inputs(
    METRIC,
    {
        "predictions": MEMBERS,
        "references": Rows(
            {
                "construction": Values("name", "what the pair is about"),
                "cluster": Values("name", "what was sampled together"),
            }
        ),
        "n_tokens": replace(MEMBERS, help="tokens of each member", low=1, is_optional=True),
    },
)


def check_signs(sums: FloatArray) -> FloatArray:
    """Log-probabilities, those of rounding above 0 as 0.

    Raises:
        ValueError: One is above 0, or most are, by however little; the message says what to pass
            for a surprisal, a perplexity or a probability.
    """
    if 2 * np.count_nonzero(sums > 0) > sums.size:
        raise ValueError(
            f"{METRIC}: predictions: got {sums.max():g} and others above 0; expected"
            " log-probabilities: pass the logarithm of a probability, -surprisal for a surprisal"
        )
    if len(bad := np.argwhere(sums > ROUNDING)):
        place = ", ".join(map(str, bad[0].tolist()))
        raise ValueError(
            f"{METRIC}: predictions[{place}]: got {sums[tuple(bad[0])]:g}; expected a"
            " log-probability, which is at most 0: pass -surprisal for a surprisal, -n_tokens *"
            " loss for a mean loss, -n_tokens * log(perplexity) for a perplexity"
        )
    return np.minimum(sums, 0.0)


def as_matrix(where: str, values: Any, shape: tuple[int, ...] | None = None) -> FloatArray:
    """Members as an array, shape (n, 2) or (n, 4); a ValueError where it has another shape."""
    matrix: FloatArray = read_values(where, values, MEMBERS)
    if shape is not None and matrix.shape != shape:
        raise ValueError(f"{where}: got shape {matrix.shape}; expected {shape}, as the predictions")
    return matrix
