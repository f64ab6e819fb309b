"""What minimal_pair_preference takes: log-probabilities of members, and what each pair is."""

from dataclasses import replace
from typing import Any

import numpy as np

from .._shared.columns import FloatArray, Values, read_values
from .._shared.module import Inputs, Rows

METRIC = "minimal_pair_preference"
WIDTHS = (2, 4)
ROUNDING = 1e-3  # nats; log-probabilities of a softmax in float16 may be above 0 by so much
LARGEST = 1e15  # nats; sums of squares stay exact enough
MEMBERS = Values("number", "the log-probability of each member", 1, WIDTHS, -LARGEST, LARGEST)

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
        ValueError: One is above 0; the message says what to pass for a surprisal or a perplexity.
    """
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
