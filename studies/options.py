"""Options of the command line: what each changes, those of all studies, those of systems."""

import argparse
import dataclasses
import functools
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

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
        argument: What else `add_argument` gets: `type`, `choices`, `nargs`, `metavar`, `action`.
    """

    name: str
    help: str
    default: Any = None
    role: Role = "result"
    argument: Mapping[str, Any] = field(default_factory=dict)

    @property
    def attribute(self) -> str:
        """Under which `argparse` keeps the value."""
        return self.name.replace("-", "_")


@functools.cache
def settings_of_kind(kind: str) -> tuple[Option, ...]:
    """The options that systems of a kind are loaded with, from the kind's own settings."""
    if not kind:
        return ()
    fields = dataclasses.fields(settings_of(kind))
    return tuple(_setting(field) for field in fields if field.name != "suite_version")


def _setting(field: "dataclasses.Field[Any]") -> Option:
    argument = {key: field.metadata[key] for key in ("choices", "metavar") if key in field.metadata}
    kind = str(field.type)
    if "Sequence" in kind:
        argument["nargs"] = "+"
    elif "Mapping" in kind:
        argument["type"] = json_object
    else:
        for name, read in (("int", positive), ("float", float), ("Path", Path)):
            if name in kind:
                argument["type"] = read
    return Option(
        field.name.replace("_", "-"),
        re.sub(r" \(default: .*\)", "", field.metadata["help"], flags=re.DOTALL),
        None,  # the kind's own default
        "machine" if field.name in MACHINE_SETTINGS else "result",
        argument,
    )


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
        "workers on this machine",
        os.cpu_count() or 1,
        "machine",
        {"type": positive, "metavar": "N"},
    ),
    Option("engine", "what runs the workers", "local", "machine", {"choices": ENGINES}),
    Option("address", "address of a running Ray cluster", None, "machine"),
)
SHARED = (
    Option(
        "store",
        "where finished work lies",
        Path("store"),
        "machine",
        {"type": Path, "metavar": "DIR"},
    ),
    Option(
        "shard",
        "do only this part of the work, such as 1/4, and score nothing",
        None,
        "machine",
        {"type": _shard, "metavar": "i/n"},
    ),
    Option(
        "out",
        "write tables and plots into this folder",
        None,
        "machine",
        {"type": Path, "metavar": "DIR"},
    ),
    Option(
        "write",
        "write them to cards/results/ for the cards: the default draw only",
        None,
        "machine",
        {"action": "store_true"},
    ),
)
