"""Options of `ranking_generalizability`."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from .._shared.option_fields import CheckedOptions, option, seed_option
from .inputs import METRIC


def _read_first(where: str, unit: Any) -> Any:
    if isinstance(unit, bool) or not isinstance(unit, str | Integral | type(None)):
        raise ValueError(f"{where}, got {type(unit).__name__}; expected the name of a unit")
    return unit


def _read_items(where: str, items: Any) -> Mapping[Any, Any]:
    if not isinstance(items, Mapping):
        raise ValueError(f"{where}, got {type(items).__name__}; expected a mapping from units")
    return {str(unit): of_unit for unit, of_unit in items.items()}


LEAST_CERTAINTY = 0.8
"""Below it no winner is named and no pair is shown to differ."""


@dataclass(frozen=True)
class Options(CheckedOptions):
    """What counts as better, which unit came first, and how sure the answers should be."""

    metric: ClassVar[str] = METRIC

    higher_is_better: bool = option(True, "whether a higher score is a better one")
    first: str | int | None = option(
        None,
        "the unit that was published first",
        read=_read_first,
        expected="the name of a unit",
        none="the unit of the first row",
        is_quoted=False,
    )
    items: Mapping[Any, Any] | None = option(
        None,
        "the items of each unit, to print how much the units overlap",
        read=_read_items,
        expected="a mapping {unit: its items}",
        none="no overlap",
        is_quoted=False,
    )
    missing: str = option(
        "refuse",
        "what becomes of a run that lacks a system: an error; left out of all but the variance "
        "components and adjusted means; or every score counts: pairs by the units of both, winner, "
        "certainty and ranks by all, agreement by the units of all",
        choices=("refuse", "drop", "model"),
    )
    rope: float = option(
        0.0,
        "differences of means up to this size count as practically equal, in points of the score",
        low=0,
        high=1e9,
    )
    certainty: float = option(
        0.95,
        "wanted probability that the winner is the true one, for `n_units_to_settle`",
        low=0,
        high=1,
        is_open=True,
    )
    confidence: float = option(
        0.95,
        "two-sided level of the intervals, and of what is shown of pairs, there 0.80 at least",
        low=0,
        high=1,
        is_open=True,
    )
    seed: int = seed_option("seed of the simulated draws")


read_options = Options.of
