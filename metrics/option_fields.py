"""Options of a metric, written once: fields that know their text, type and range.

A metric's `options.py` holds one frozen dataclass::

    @dataclass(frozen=True)
    class Options(CheckedOptions):
        metric: ClassVar[str] = "gper"

        scale: str = option("probability", "what the values are", choices=("probability", "logit"))
        confidence: float | None = confidence_option()

The docstring of the metric, the table of its card and the fields of its page are rendered from it.
"""

import dataclasses
import difflib
import math
import numbers
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np

from .columns import shown
from .signature import RUN_FIELDS, Signature, hashed, read_run


@dataclass(frozen=True)
class Rule:
    """What one option may be.

    Attributes:
        help: What the option does, a phrase that follows a colon.
        choices: The allowed strings; empty where any value of `kind` in the range is allowed.
        kind: bool, int, float or str; None where `read` decides alone.
        low: Smallest allowed number.
        high: Largest allowed number.
        is_open: Whether `low` and `high` themselves are refused.
        none: What None means; empty where None is refused.
        read: Turns a given value into the kept one, raising a ValueError that begins with `where`.
        expected: What `read` expects, in words.
        is_quoted: Whether results quote the option; false for what is long, is no plain value, or
            changes only their form.
        is_signed: Whether a signature has it; false for what changes no figure.
    """

    help: str
    choices: tuple[str, ...] = ()
    kind: type | None = None
    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False
    none: str = ""
    read: Callable[[str, Any], Any] | None = None
    expected: str = ""
    is_quoted: bool = True
    is_signed: bool = True

    def checked(self, where: str, value: Any) -> Any:
        """The value as the options keep it; a ValueError that begins with `where` for any other."""
        if value is None and self.none:
            return None
        if self.read is not None:
            return self.read(where, value)
        if self._fits(value):
            return value if self.kind in (None, bool, str) else self._number(value)
        raise ValueError(f"{where}, got {shown(value)}; expected {self.domain()}")

    def domain(self) -> str:
        """What the option may be, in words, such as `a number above 0 and below 1, or None`."""
        text = self.expected or self._domain()
        return f"{text}, or None" if self.none else text

    def _number(self, value: Any) -> Any:
        return int(value) if self.kind is int else float(value)

    def _fits(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.kind in (bool, str):
            return isinstance(value, self.kind)
        wanted = numbers.Integral if self.kind is int else numbers.Real
        if isinstance(value, bool | np.timedelta64) or not isinstance(value, wanted):
            return False
        number: Any = value
        if self.is_open:
            return bool(self.low < number < self.high)
        return bool(self.low <= number <= self.high) and abs(number) != math.inf

    def _domain(self) -> str:
        if self.choices:
            return " or ".join(f'"{choice}"' for choice in self.choices)
        if self.kind in (bool, str):
            return "True or False" if self.kind is bool else "text"
        words = {True: ("above", "below"), False: ("from", "to")}[self.is_open]
        ends = [
            f"{word} {end:,g}" if end % 1 else f"{word} {int(end):,}"
            for word, end in zip(words, (self.low, self.high), strict=True)
            if math.isfinite(end)
        ]
        noun = "a whole number" if self.kind is int else "a number"
        return " ".join([noun, (" and " if self.is_open else " ").join(ends)]).strip()


def option(
    default: Any,
    help: str,
    *,
    choices: Collection[str] = (),
    kind: type | None = None,
    low: float = -math.inf,
    high: float = math.inf,
    is_open: bool = False,
    none: str = "",
    read: Callable[[str, Any], Any] | None = None,
    expected: str = "",
    is_quoted: bool = True,
    is_signed: bool = True,
) -> Any:
    """Field of an `Options` class, of the type of `default` unless `kind` names one (see `Rule`).

    Example:
        >>> @dataclass(frozen=True)
        ... class Options(CheckedOptions):
        ...     metric: ClassVar[str] = "gper"
        ...     threshold: float = option(0.5, "smallest score that counts", low=0, high=1)
        >>> Options(threshold=9)
        Traceback (most recent call last):
        ValueError: gper: threshold, got 9; expected a number from 0 to 1
    """
    if kind is None and read is None and not choices:
        kind = type(default)
    limits = Rule(help, tuple(choices), kind, low, high, is_open, none, read, expected)
    rule = dataclasses.replace(limits, is_quoted=is_quoted, is_signed=is_signed)
    return field(default=default, metadata={"rule": rule})


def confidence_option(default: float | None = 0.95) -> Any:
    """Field `confidence`: the level of every interval."""
    return option(
        default,
        "two-sided level of the intervals",
        kind=float,
        low=0,
        high=1,
        is_open=True,
        none="no intervals",
    )


def n_resamples_option(default: int = 2000) -> Any:
    """Field `n_resamples`: the number of bootstrap samples; a million is far past any use."""
    return option(default, "bootstrap samples of each interval", low=100, high=1_000_000)


def seed_option(help: str = "seed of everything that is drawn at random") -> Any:
    """Field `seed`, a whole number from 0."""
    return option(0, help, low=0)


def per_item_option(help: str = "whether to add one flat row per item") -> Any:
    """Field `per_item`; results do not quote it, since it changes none of their figures."""
    return option(False, help, is_quoted=False, is_signed=False)


@dataclass(frozen=True)
class CheckedOptions:
    """Base of every metric's `Options`: each field is checked against its rule when one is made."""

    metric: ClassVar[str] = ""

    scalars: bool = option(
        False,
        "whether to give numbers only, without tables, texts and options, as trainers log them",
        is_quoted=False,
        is_signed=False,
    )
    run: Mapping[str, str] | None = option(
        None,
        "what the rows do not say of the run, for `signature`, by which it can be done again",
        read=read_run,
        expected=f"a mapping of {', '.join(RUN_FIELDS)}",
        none="what the rows say",
        is_quoted=False,
        is_signed=False,
    )

    def __post_init__(self) -> None:
        for name, rule in self.rules().items():
            value = rule.checked(f"{self.metric}: {name}", getattr(self, name))
            object.__setattr__(self, name, value)

    @classmethod
    def rules(cls) -> dict[str, Rule]:
        """Rule of every option, in the order of the fields."""
        return {item.name: item.metadata["rule"] for item in fields(cls)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Default of every option."""
        return {item.name: item.default for item in fields(cls)}

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Options from named values; a ValueError names one that the metric does not have."""
        known = list(cls.rules())
        for name in given:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                expected = close[0] if close else ", ".join(known)
                raise ValueError(f"{cls.metric}: option, got {name!r}; expected {expected}")
        return cls(**given)

    @classmethod
    def documentation(cls) -> str:
        """Lines of the "Args:" block of the metric's docstring, indented by four."""
        return "\n".join(
            f"    {row['option']} ({row['values']}; default {row['default']}): {row['meaning']}."
            for row in cls.table()
        )

    @classmethod
    def table(cls) -> list[dict[str, str]]:
        """One row per option with `option`, `values`, `default` and `meaning`, as cards show it."""
        return [
            {
                "option": name,
                "values": rule.domain() + (f" for {rule.none}" if rule.none else ""),
                "default": _shown(cls.defaults()[name]),
                "meaning": rule.help,
            }
            for name, rule in cls.rules().items()
        ]

    def quoted(self) -> dict[str, Any]:
        """Options as a result quotes them: plain values that JSON can hold."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, rule in self.rules().items()
            if rule.is_quoted
            for value in [getattr(self, name)]
        }

    def provenance(self, version: str, **found: Any) -> dict[str, Any]:
        """What a result says of itself: `version`, `options` and `signature`.

        Args:
            version: VERSION of the metric.
            **found: Options that were settled while scoring.
        """
        usual, options = type(self)().quoted(), self.quoted() | found
        given = {
            name: value
            for name, value in options.items()
            if name == "seed" or name not in usual or value != usual[name]
        }
        signature = Signature(self.metric, version, self.run or {}, self._unquoted() | given)
        return {"version": version, "options": options, "signature": str(signature)}

    def _unquoted(self) -> dict[str, Any]:
        """Options that no result quotes and that change it, those that are long by their hash."""
        default = type(self)()
        both = {
            name: [hashed(getattr(options, name)) for options in (self, default)]
            for name, rule in self.rules().items()
            if rule.is_signed and not rule.is_quoted
        }
        return {name: mine for name, (mine, usual) in both.items() if mine != usual}


def read_collection(where: str, value: Any, expected: str) -> list[Any]:
    """Members of a list, a set or the like; a ValueError that begins with `where` for no such."""
    is_single = isinstance(value, str | bytes) or not hasattr(value, "__iter__")
    if is_single or getattr(value, "ndim", 1) == 0:
        raise ValueError(f"{where}, got {shown(value)}; expected {expected}")
    return list(value)


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
