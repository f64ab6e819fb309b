"""What GPER takes: values for the sentences of each pair, and which paradigm the pair is of."""

from typing import Any

import numpy as np

from ..columns import check_lengths, field_names, read_columns
from ..contract import Column, Inputs, Rows
from ..paradigms import LAST_ID
from ..values import Values, read_values

METRIC = "gper"
SENTENCES = (
    "test",
    "control",
    "occluded_test",
    "occluded_control",
    "placebo_test",
    "placebo_control",
)
WIDTHS = (2, 4, 6)
VALUES = Values("number", "P(positive) of each sentence, or raw scores", depth=1, widths=WIDTHS)
PARADIGM = Values("whole", "paradigm of the pair", low=1, high=LAST_ID)


def by_name(where: str, given: Any) -> Any:
    """Rows of numbers, from named columns in the order of `SENTENCES` where there are names."""
    names = [name for name in field_names(given) if isinstance(name, str)]
    if not names:
        return given
    width = next((w for w in reversed(WIDTHS) if set(SENTENCES[:w]) <= set(names)), 0)
    if not width:
        raise ValueError(
            f"{where}: got columns {', '.join(names)}; expected {', '.join(SENTENCES[:4])}, "
            "or rows of numbers in this order"
        )
    columns = read_columns(where, given, SENTENCES[:width])
    one = Values("number")
    found = {name: read_values(f"{where}: {name}", columns[name], one) for name in columns}
    check_lengths(where, **found)
    return np.stack(list(found.values()), axis=1)


def alone(where: str, given: Any) -> Any:
    """Rows, from a column of paradigm ids where that is given."""
    return given if field_names(given) else {"paradigm_id": given}


INPUTS = Inputs(
    METRIC,
    {
        "predictions": Column(VALUES, by_name),
        "references": Rows(
            {
                "paradigm_id": PARADIGM,
                "id": Values("name", "id of the pair", is_optional=True),
                "test": Values("text", "the test sentence", is_optional=True),
                "site_start": Values("whole", "where its site starts", low=0, is_optional=True),
            },
            alone,
        ),
    },
)
