"""Options of the command line: what each changes, those of all studies, those of systems."""

import argparse
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ground.command_line import default_of, folder, option_fields
from metrics._shared.option_fields import Rule, option
from research.engine.work import ENGINES
from research.systems.registry import settings_of

Role = Literal["result", "systems", "machine"]


@dataclass(frozen=True)
class Option:
    """An option of a study, whose name has no dashes in front.

    Its role is `result` where it changes rows, settings or scores (the rule), `systems` for the
    names of systems, which every table states, `machine` where no result depends on it. `shown` is
    what `--help` names where `default` is None: the default of a kind of systems.
    """

    name: str
    rule: Rule
    default: Any = None
    role: Role = "result"
    shown: Any = None

    @property
    def attribute(self) -> str:
        """Under which `argparse` keeps the value."""
        return self.name.replace("-", "_")

    def is_changed(self, options: argparse.Namespace) -> bool:
        """Whether a command line gave another value than the default one."""
        return bool(getattr(options, self.attribute) != self.default)


def flag(name: str, help: str, default: Any = None, role: Role = "result", **rule: Any) -> Option:
    """An option of a study: a name, a role and what `option` takes; False where it is a switch."""
    declared = option(False if rule.get("kind") is bool else default, help, **rule)
    return Option(name, declared.metadata["rule"], default_of(declared), role)


@functools.cache
def settings_of_kind(kind: str) -> tuple[Option, ...]:
    """The options that systems of a kind are loaded with; None where the kind's default holds."""
    if not kind:
        return ()
    return tuple(
        Option(
            name.replace("_", "-"),
            field.metadata["rule"],
            role="machine" if name in MACHINE_SETTINGS else "result",
            shown=default_of(field),
        )
        for name, field in option_fields(settings_of(kind)).items()
    )


def store_folder(text: str) -> Path:
    """The folder of a store, from the command line; a store lies nowhere else."""
    if "://" in text:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a folder of this machine")
    return Path(text)


def _shard(text: str) -> tuple[int, int]:
    i, _, n = text.partition("/")
    if not (i.isdigit() and n.isdigit() and 1 <= int(i) <= int(n)):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected i/n with i from 1 to n")
    return int(i), int(n)


of_machine = functools.partial(flag, role="machine")
"""An option on which no result depends."""
MACHINE_SETTINGS = {
    "device",
    "batch_size",
    "key_variable",
    "concurrency",
    "rate",
    "timeout",
    "retries",
}
PROCESSES = """workers (default: all of the cluster; here one for each core in studies that train \
or draw, else one)"""
STORE = "folder of finished work; one process writes to it at a time"
SET_ASIDE = """set aside shards of the store that are broken or of another study, and do again \
what they held, even where that is paid for"""
SHARD = "do only this part of the work, such as 1/4, and score nothing"
WRITE = "write them to cards/results/ for the cards: the default draw only"
WORKER_OPTIONS = (
    of_machine("processes", PROCESSES, kind=int, low=1),
    of_machine("engine", "what runs the workers", "local", choices=ENGINES),
    of_machine("address", "address of a running Ray cluster"),
    of_machine("gpus", "GPUs of each worker, a fraction to share one", parse=float),
)
SHARED = (
    of_machine("store", STORE, Path("store"), parse=store_folder, metavar="DIR"),
    of_machine("set-aside", SET_ASIDE, kind=bool),
    of_machine("shard", SHARD, parse=_shard, metavar="i/n"),
    of_machine("out", "write tables and plots into this folder", parse=folder),
    of_machine("write", WRITE, kind=bool),
)
