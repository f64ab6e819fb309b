"""What every system is: a name, a version, one batch call; and what makes one of its name."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ground.command_line import check_options
from metrics._shared.option_fields import option

Function = Callable[[list[Any]], Sequence[Any]]
"""A user's: a batch in, as many outputs out."""
DTYPES = ("auto", "float32", "bfloat16", "float16")
SHORT_DTYPES = ("bfloat16", "float16")
SHORT_DTYPES_SAY = (
    "which moves the log-probability of a text by about 1.6 nats and decided 1 pair in 64 otherwise"
    " than float32; figures that are compared should be of one number type"
)


@dataclass(frozen=True)
class System:
    """A system ready to run, whatever its kind, by its name on the command line.

    `version` is everything else that its outputs depend on: package and version, weights, number
    type, prompts. Name and version together are the key under which outputs are stored.
    """

    name: str
    version: str
    predict: Callable[[Any], Any]  # outputs of one batch, of what the kind says
    n_parameters: int | None = field(default=None, kw_only=True)  # None where none are known
    batch_size: int | None = field(default=None, kw_only=True)  # to hand over at once; None for all


def dtype_option(default: str) -> Any:
    """Field `dtype`."""
    return option(
        default,
        "number type of a model. bfloat16 is 1.65 times as fast on a CPU, but moves the sum of a"
        " text by about 1.6 nats, and decides 1 pair in 64 otherwise. auto takes the checkpoint's"
        " own, and says so if that is a short one",
        choices=DTYPES,
        expected=f"one of {', '.join(DTYPES)}",
    )


@dataclass(frozen=True)
class Settings:
    """How a system is loaded; the first four concern whatever has weights, each kind may add more.

    A ValueError for a value that is not what the rule of its option says.
    """

    device: str = option("cpu", "device of a model, such as cpu, cuda or cuda:1")
    dtype: str = dtype_option("float32")
    batch_size: int | None = option(
        None,
        "items per batch (default: the system's own)",
        kind=int,
        low=1,
        expected="a whole number from 1 on",
    )
    revision: str | None = option(
        None, "commit, tag or branch of a model on the Hub (also NAME@REVISION)", kind=str
    )

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True)
class Loader:
    """How the systems of one name are made: of it, what is behind the colon, and settings.

    `is_optional`: the name may also stand alone; `install` is what pip is given, "" for the core.
    """

    load: Callable[[str, str, Any], System]
    argument: str = ""
    is_optional: bool = False
    install: str = ""

    def shown(self, name: str) -> str:
        """How it is written on the command line.

        Example:
            >>> Loader(print, "FILE", is_optional=True).shown("maxmatch")
            'maxmatch[:FILE]'
        """
        if not self.argument:
            return name
        return f"{name}[:{self.argument}]" if self.is_optional else f"{name}:{self.argument}"

    def accepts(self, argument: str) -> bool:
        """Whether this may stand behind the colon."""
        return bool(self.argument) if argument else self.is_optional or not self.argument


def as_list(name: str, what: str, found: object, n: int | None = None) -> list[Any]:
    """What a system gave for a batch, as a list; a ValueError for another thing or number."""
    is_list = isinstance(found, Iterable) and not isinstance(found, str | bytes)
    values = list(found) if is_list else []  # type: ignore[call-overload]
    if not is_list or (n is not None and len(values) != n):
        got = f"{len(values)}" if is_list else repr(found)[:60]
        raise ValueError(
            f"{name}: {what}, got {got}; expected a list" + (f" of {n}" if n is not None else "")
        )
    return values


def each_checked(
    name: str,
    what: str,
    function: Function,
    checked: Callable[[str, Any, Any], Any],
    given: Callable[[Any], Any] = lambda item: item,
) -> Callable[[Iterable[Any]], list[Any]]:
    """The batch call of a function that takes what is `given` for each of some items.

    `checked` gives of `name`, an item and its output what is kept of it. `name` and `what` are the
    system and its outputs, for errors: a ValueError where there is not one output for every item.
    """

    def predict(items: Iterable[Any]) -> list[Any]:
        items = list(items)
        found = as_list(name, what, function(list(map(given, items))), len(items))
        return [checked(name, item, one) for item, one in zip(items, found, strict=True)]

    return predict
