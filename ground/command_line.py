"""Command lines of options that are declared once, by `option` of `metrics._shared.option_fields`.

Such a field of a dataclass has a `Rule` in its metadata: what it does, its type and choices, how a
command line writes it. Here it becomes an argument of `argparse`, whose help names the default.
"""

import argparse
import dataclasses
import functools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any


def option_fields(declared: Any) -> dict[str, "dataclasses.Field[Any]"]:
    """Fields of a dataclass, or of a record of one, that are options, by name and in order."""
    return {field.name: field for field in dataclasses.fields(declared) if "rule" in field.metadata}


def to_argparse(parser: Any, declared: type) -> None:
    """Adds the options of a dataclass to a parser, or to a group of one."""
    for name, field in option_fields(declared).items():
        add_option(parser, name, field.metadata["rule"], default_of(field))


def add_option(parser: Any, name: str, rule: Any, default: Any, *, shown: Any = None) -> None:
    """Adds an option; `shown` is what `--help` names where the default is None."""
    text = help_text(rule, shown if default is None else default)
    given: dict[str, Any] = {"help": text.replace("%", "%%")}
    if not rule.is_positional:
        given["required"] = default is MISSING
        given["dest"] = name.replace("-", "_")
    if default is not MISSING:
        given["default"] = default
    if rule.kind is bool:
        given |= {"action": "store_const", "const": True}
    else:
        given |= {"type": _reader(rule), "choices": rule.choices or None}
        given["nargs"] = rule.many or None
        given["metavar"] = rule.metavar or METAVARS.get(rule.parse or rule.kind)
    flags = rule.flags or [f"--{name.replace('_', '-')}"]
    parser.add_argument(*([name] if rule.is_positional else flags), **given)


def help_text(rule: Any, default: Any) -> str:
    """What `--help` says of an option: its help and its default, unless the help tells it."""
    if isinstance(default, list | tuple):
        default = " ".join(map(str, default))
    is_told = "default: " in rule.help or rule.help == argparse.SUPPRESS or rule.kind is bool
    if is_told or default in (None, "", MISSING):
        return str(rule.help)
    return f"{rule.help} (default: {json.dumps(default) if isinstance(default, dict) else default})"


def default_of(field: "dataclasses.Field[Any]") -> Any:
    """Default of an option; `MISSING` where it has none."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def check_options(options: Any) -> None:
    """A ValueError that names the first option that is not what its rule says, if there is one.

    None is allowed where it is the default.
    """
    for name, field in option_fields(options).items():
        if (value := getattr(options, name)) is not None or field.default is not None:
            field.metadata["rule"].checked(name, value)


def folder(text: str) -> Path:
    """A folder, from the command line; `~` is the home folder, also where no shell says so."""
    return Path(text).expanduser()


def file(text: str) -> Path:  # another name in METAVARS
    """A file, from the command line."""
    return folder(text)


def json_object(text: str) -> dict[str, Any]:
    """A JSON object, from the command line."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a JSON object")
    return found


def _reader(rule: Any) -> Callable[[str], Any] | None:
    """What reads the text of an option; None for text as it is."""
    if rule.parse or rule.kind is float:
        return rule.parse or float
    return functools.partial(_number, rule.low) if rule.kind is int else None


def _number(least: float, text: str) -> int:
    if not text.lstrip("-").isdigit() or int(text) < least:
        bound = f", at least {least}" if math.isfinite(least) else ""
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a whole number{bound}")
    return int(text)


METAVARS: Mapping[Any, str] = {int: "N", folder: "DIR", file: "FILE", json_object: "JSON"}
