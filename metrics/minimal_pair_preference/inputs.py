"""What minimal_pair_preference takes: log-probabilities of members, and what each pair is."""

from typing import Any

from ..columns import FloatArray
from ..contract import Inputs, Rows
from ..values import Values, read_values

METRIC = "minimal_pair_preference"
WIDTHS = (2, 4)
LARGEST = 1e15  # nats; sums of squares stay exact enough
MEMBERS = Values(
    "number",
    "the log-probability of each member",
    depth=1,
    widths=WIDTHS,
    low=-LARGEST,
    high=LARGEST,
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
        "n_tokens": Values(
            "number",
            "tokens of each member",
            depth=1,
            widths=WIDTHS,
            low=1,
            high=LARGEST,
            is_optional=True,
        ),
    },
)


def as_matrix(where: str, values: Any, shape: tuple[int, ...] | None = None) -> FloatArray:
    """Members as an array, shape (n, 2) or (n, 4); a ValueError where it has another shape."""
    matrix: FloatArray = read_values(where, values, MEMBERS)
    if shape is not None and matrix.shape != shape:
        raise ValueError(f"{where}: got shape {matrix.shape}; expected {shape}, as the predictions")
    return matrix
