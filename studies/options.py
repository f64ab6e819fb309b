"""Options of the command line: what each changes, those of all studies, those of systems."""

import argparse
import dataclasses
import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ground.addresses import Place, place_of
from ground.engines import ENGINES
from systems.registry import settings_of

Role = Literal["result", "systems", "machine"]


@dataclass(frozen=True)
class Option:
    """An option of the command line.

    Attributes:
        name: Without the dashes, such as `batch-size`.
        help: What it does, for `--help`; the default is added.
        default: Its value where it is not given.
        role: `result` where it changes rows, settings or scores (the rule), `systems` for the names
            of systems, which every table states, `machine` where no result depends on it.
        type: Reads the value from the command line.
        choices: The values that it may have.
        nargs: "+" for one or more values.
        metavar: What stands for the value in `--help`.
        is_flag: Whether it has no value and is True where it is given.
    """

    name: str
    help: str
    default: Any = None
    role: Role = "result"
    type: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    nargs: str | None = None
    metavar: str | None = None
    is_flag: bool = False

    @property
    def attribute(self) -> str:
        """Under which `argparse` keeps the value."""
        return self.name.replace("-", "_")

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Declares it; `--help` shows its default."""
        default = self.default
        shown = " ".join(map(str, default)) if isinstance(default, list) else default
        text = self.help + ("" if self.is_flag or shown is None else f" (default: {shown})")
        given = {name: getattr(self, name) for name in ("type", "choices", "nargs", "metavar")}
        given["metavar"] = self.metavar or METAVARS.get(self.type)
        argument = {name: value for name, value in given.items() if value is not None}
        if self.is_flag:
            default, argument = False, {"action": "store_true"}
        text = text.replace("%", "%%")
        parser.add_argument(f"--{self.name}", default=default, help=text, **argument)

    def is_changed(self, options: argparse.Namespace) -> bool:
        """Whether a command line gave another value than the default one."""
        value: object = getattr(options, self.attribute)
        return value != (False if self.is_flag else self.default)


@functools.cache
def settings_of_kind(kind: str) -> tuple[Option, ...]:
    """The options that systems of a kind are loaded with, from the kind's own settings."""
    if not kind:
        return ()
    fields = dataclasses.fields(settings_of(kind))
    return tuple(_setting(field) for field in fields if field.name != "suite_version")


def _setting(field: "dataclasses.Field[Any]") -> Option:
    given = {key: field.metadata[key] for key in ("choices", "metavar") if key in field.metadata}
    kind = str(field.type)
    if "Sequence" in kind:
        given["nargs"] = "+"
    elif "Mapping" in kind:
        given["type"] = json_object
    else:
        for name, read in {"int": positive, "float": float, "Path": Path}.items():
            if name in kind:
                given["type"] = read
    text = re.sub(r" \(default: .*\)", "", field.metadata["help"], flags=re.DOTALL)
    role: Role = "machine" if field.name in MACHINE_SETTINGS else "result"
    # no default of ours: the kind's own holds
    return Option(field.name.replace("_", "-"), text, None, role, **given)


def json_object(text: str) -> dict[str, Any]:
    """A JSON object, from the command line."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a JSON object")
    return found


def positive(text: str) -> int:
    """A whole number of at least 1, from the command line."""
    return _number(text, 1)


def natural(text: str) -> int:
    """A whole number of at least 0, from the command line."""
    return _number(text, 0)


def folder(text: str) -> Path:
    """A folder, from the command line."""
    return Path(text)


def file(text: str) -> Path:
    """A file, from the command line."""
    return Path(text)


def local_store(place: Place) -> Path:
    """Where a study keeps files that must lie on this machine, such as models under training."""
    return place if isinstance(place, Path) else LOCAL_STORE


LOCAL_STORE = Path("store")
METAVARS: Mapping[Any, str] = {positive: "N", natural: "N", folder: "DIR", file: "FILE"}


def _number(text: str, least: int) -> int:
    if not text.lstrip("-").isdigit() or int(text) < least:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a whole number, at least {least}")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    i, _, n = text.partition("/")
    if not (i.isdigit() and n.isdigit() and 1 <= int(i) <= int(n)):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected i/n with i from 1 to n")
    return int(i), int(n)


MACHINE_SETTINGS = (
    "device",
    "batch_size",
    "key_variable",
    "concurrency",
    "rate",
    "timeout",
    "retries",
)
WORKER_OPTIONS = (
    Option(
        "processes",
        "workers (default: all of the cluster; here one for each core in studies that train or"
        " draw, else one)",
        role="machine",
        type=positive,
    ),
    Option("engine", "what runs the workers", "local", "machine", choices=ENGINES),
    Option("address", "address of a running Ray cluster", role="machine"),
    Option("gpus", "GPUs of each worker, a fraction to share one", role="machine", type=float),
)
SHARED = (
    Option(
        "store",
        "where finished work lies: a folder, or an address of fsspec such as s3://BUCKET/FOLDER",
        LOCAL_STORE,
        "machine",
        type=place_of,
        metavar="PLACE",
    ),
    Option(
        "shard",
        "do only this part of the work, such as 1/4, and score nothing",
        role="machine",
        type=_shard,
        metavar="i/n",
    ),
    Option("out", "write tables and plots into this folder", role="machine", type=folder),
    Option(
        "write",
        "write them to cards/results/ for the cards: the default draw only",
        role="machine",
        is_flag=True,
    ),
)
