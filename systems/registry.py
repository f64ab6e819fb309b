"""How a system is named and loaded, the same in every study: `NAME[:ARGUMENT]`.

    jieba                              a name of the kind's table
    maxmatch:lexicon.txt               with an argument
    cut-nowhere                        a null system of `nulls.py`
    transformers:bert-base@a265f77     a model by name or folder, at a revision
    python:my_package.my_module:cut    your own function

A kind is a module of this folder that holds a table `LOADERS`, the class `SETTINGS` of what its
systems are loaded with, and `of_function`, which makes a system of a function: `segmenters.py`
holds the kind `segmenter`. There is no list to edit.
"""

import dataclasses
import functools
import hashlib
import importlib
import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from systems.nulls import null_functions
from systems.system import Loader, Settings, System

FOLDER = Path(__file__).parent
FUNCTION = "python:package.module:function"
NULL_VERSION = "1"  # of the functions in `nulls`; a null that answers otherwise needs another


@functools.cache
def kinds() -> tuple[str, ...]:
    """Names of the kinds of systems: the modules of this folder that hold a table `LOADERS`."""
    found = [
        path.stem.removesuffix("s")
        for path in sorted(FOLDER.glob("*s.py"))
        if re.search(r"^LOADERS\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    return tuple(found)


def load(kind: str, text: str, **settings: Any) -> Any:
    """A system of a kind by its name on the command line.

    Args:
        kind: One of `kinds()`.
        text: `NAME[:ARGUMENT]`, one of `known(kind)`.
        settings: Fields of `settings_of(kind)`: `device`, `dtype`, `batch_size`, `revision` for
            every kind, and the kind's own.

    Returns:
        A `System`: `name`, `version`, `n_parameters`, `batch_size` and the one batch call
        `predict`; see the kind's module for what goes in and comes out.

    Raises:
        ValueError: There is no such kind, system or setting, a user's module or function is
            missing, or a model is not there; the message lists what is known.
        ModuleNotFoundError: A package is not installed; the message says which extra holds it.
    """
    module, made = _module(kind), _settings(kind, settings)
    name, _, argument = text.partition(":")
    if name == "python":
        function, version = import_function(text, getattr(module, "ARGUMENTS", ("batch",)))
        found: System = module.of_function(text, version, function, made)
        size = made.batch_size if found.batch_size else None
        return dataclasses.replace(found, batch_size=size or found.batch_size)
    if text in null_functions(kind):
        return module.of_function(text, NULL_VERSION, null_functions(kind)[text], made)
    loader: Loader | None = module.LOADERS.get(name)
    if loader is None or not loader.accepts(argument):
        raise ValueError(f"{kind}, got {text!r}; expected one of {', '.join(known(kind))}")
    try:
        system: System = loader.load(text, argument, made)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{kind} {text}: package {error.name} is not installed;"
            f" pip install {loader.install or error.name}",
            name=error.name,
        ) from error
    return dataclasses.replace(system, batch_size=made.batch_size or system.batch_size)


def known(kind: str) -> tuple[str, ...]:
    """All ways to name a system of a kind, as the command line takes them.

    Example:
        >>> known("language_model")[:2]
        ('transformers:NAME[@REVISION]', 'gguf:NAME')
    """
    table: dict[str, Loader] = _module(kind).LOADERS
    named = (loader.shown(name) for name, loader in table.items())
    return (*named, *null_functions(kind), FUNCTION)


def settings_of(kind: str) -> type[Settings]:
    """Frozen dataclass of what a kind's systems are loaded with.

    Every field has a default, and its help as metadata.
    """
    made: type[Settings] = _module(kind).SETTINGS
    return made


def import_function(text: str, arguments: Sequence[str]) -> tuple[Callable[..., Any], str]:
    """A user's function named `python:package.module:function`, and a hash of its module's source.

    Raises:
        ValueError: The name is not of this form, the module cannot be imported, it holds no such
            function, or the function does not take these arguments.
    """
    _, _, argument = text.partition(":")
    module_name, _, function_name = argument.partition(":")
    if not module_name or not function_name:
        raise ValueError(f"system, got {text!r}; expected {FUNCTION}")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(
            f"{text}: module, got {error}; expected a module of this folder or an installed one"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        there = sorted(
            name for name, _ in inspect.getmembers(module, inspect.isfunction) if name[0] != "_"
        )
        raise ValueError(
            f"{text}: function, got none named {function_name!r}; expected one of"
            f" {', '.join(there) or 'its functions, of which there is none'}"
        )
    _check_signature(text, function, arguments)
    return function, _source_version(module)


def _check_signature(text: str, function: Callable[..., Any], arguments: Sequence[str]) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:  # a built-in one may have none to look at
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise ValueError(
            f"{text}: arguments, got {signature}; expected ({', '.join(arguments)})"
        ) from error


def _module(kind: str) -> ModuleType:
    if kind not in kinds():
        raise ValueError(f"kind of system, got {kind!r}; expected one of {', '.join(kinds())}")
    return importlib.import_module(f"systems.{kind}s")


def _settings(kind: str, given: dict[str, Any]) -> Settings:
    allowed = [field.name for field in dataclasses.fields(settings_of(kind))]
    if unknown := [name for name in given if name not in allowed]:
        raise ValueError(
            f"setting of a {kind}, got {unknown[0]!r}; expected one of {', '.join(allowed)}"
        )
    return settings_of(kind)(**given)


def _source_version(module: ModuleType) -> str:
    path = getattr(module, "__file__", None)
    if path is None or not Path(path).is_file():
        return "built in"
    return f"source {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"
