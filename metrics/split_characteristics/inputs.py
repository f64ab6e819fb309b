"""What split characteristics take: items, and which of the two parts each belongs to."""

from typing import Any

from .._shared.columns import Values, field_names, to_list
from .._shared.module import Inputs, Rows

METRIC = "split_characteristics"
PARTS = ("train", "test")


def as_items(where: str, given: Any) -> Any:
    """Items as rows with `units` or, where an item is a text to be divided, `text`."""
    if set(field_names(given)) == {"units", "text"}:
        return given
    items = to_list(given, where)
    if not items:
        raise ValueError(f"{where}: got no items; expected at least one")
    is_text = [isinstance(item, str) for item in items]
    if any(is_text) and not all(is_text):
        place = is_text.index(not is_text[0])
        got = f"{type(items[place]).__name__} after {type(items[0]).__name__}"
        raise ValueError(
            f"{where}[{place}]: got {got}; expected texts only, or lists of units only"
        )
    blank = [None] * len(items)
    return {"units": blank, "text": items} if is_text[0] else {"units": items, "text": blank}


INPUTS = Inputs(
    METRIC,
    {
        "data": Rows(
            {
                "units": Values("text", "the units of the item", depth=1, is_optional=True),
                "text": Values("text", "the item, to be divided", is_optional=True),
            },
            as_items,
        ),
        "part": Values("text", "its part", choices=PARTS),
    },
)
