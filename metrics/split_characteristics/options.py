"""The option of `split_characteristics`: what the units of an item are."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from .._shared.columns import shown
from .._shared.option_fields import CheckedOptions, option
from .inputs import METRIC

UNITS: dict[str, Callable[[str], Iterable[str]]] = {"characters": list, "whitespace": str.split}


def read_units(where: str, value: Any) -> Any:
    """The name of a division or a function; a ValueError for anything else."""
    if callable(value) or (isinstance(value, str) and value in UNITS):
        return value
    raise ValueError(f"{where}, got {shown(value)}; expected {UNITS_EXPECTED}, or None")


UNITS_EXPECTED = '"characters" or "whitespace" or a function from an item to its units'


@dataclass(frozen=True)
class Options(CheckedOptions):
    """What `score` may be told; every result quotes it."""

    metric: ClassVar[str] = METRIC

    units: Any = option(
        None,
        "how an item is divided into its units",
        read=read_units,
        expected=UNITS_EXPECTED,
        none="items that are lists of units",
    )

    def divider(self) -> Callable[[Any], Iterable[str]] | None:
        """Function from an item to its units; None where items are lists of units."""
        return UNITS[self.units] if isinstance(self.units, str) else self.units

    def quoted(self) -> dict[str, Any]:
        """Options as a result quotes them: a function by its name."""
        return {"units": getattr(self.units, "__name__", self.units)}


read_options = Options.of
