"""What garden path accuracy takes: both sentences of each pair in words, and the pair's row."""

from ..contract import Inputs, Rows
from ..paradigms import LAST_ID
from ..values import Values

METRIC = "garden_path_accuracy"
INPUTS = Inputs(
    METRIC,
    {
        "predictions": Values(
            "text", "the words of the test and of the control sentence", depth=2, widths=(2,)
        ),
        "references": Rows(
            {
                "paradigm_id": Values("whole", "paradigm of the pair", low=1, high=LAST_ID),
                "site_start": Values("whole", "where the site starts", low=0),
                "test": Values("text", "the test sentence"),
                "control": Values("text", "the control sentence"),
                "id": Values("name", "id of the pair", is_optional=True),
            }
        ),
    },
)
