"""What the comparison of rankings takes: one score per system, unit and run, or item."""

from ..contract import Inputs
from ..values import Values

METRIC = "ranking_generalizability"
INPUTS = Inputs(
    METRIC,
    {
        "system": Values("name", "name of the system"),
        "unit": Values("name", "what was resampled and scored by all systems"),
        "repeat": Values("name", "which run on that unit", is_optional=True),
        "item": Values("name", "which item of the unit the score is of", is_optional=True),
        "score": Values("number", "the score"),
    },
)
