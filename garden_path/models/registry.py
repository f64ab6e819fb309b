"""How a system is named and loaded, the same everywhere: `NAME[:ARGUMENT]`.

    jieba                              a name of the kind's table
    maxmatch:lexicon.txt               with an argument
    transformers:bert-base@a265f77     a model by name or folder, at a revision
    python:my_package.my_module:cut    your own function

A kind is a module of this folder that holds a table `LOADERS`, the class `SETTINGS` of what its
systems are loaded with, and `of_function`, which makes a system of a function: `segmenters.py`
holds the kind `segmenter`. Where such a function gives anything but one output of its kind for
every item, its system raises a ValueError when it runs.
"""

import dataclasses
import functools
import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from garden_path.models.system import Loader, Settings, System
from ground.found import found

FUNCTION = "python:package.module:function"


def homes_in(package: str) -> dict[str, str]:
    """Module of each kind that a package holds: `KINDs`, with `LOADERS` and `SETTINGS`."""
    folder = Path(*importlib.import_module(package).__path__)
    names = sorted(set(found(folder, "LOADERS")) & set(found(folder, "SETTINGS")))
    return {name.rpartition(".")[2].removesuffix("s"): f"{package}.{name}" for name in names}


class Registry:
    """The kinds of systems that a user can name, and how one is loaded."""

    @functools.cached_property
    def homes(self) -> Mapping[str, str]:
        """Module of each kind."""
        return homes_in("garden_path.models")

    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of systems."""
        return tuple(sorted(self.homes))

    def home(self, kind: str) -> ModuleType:
        """The module of a kind; a ValueError where there is no such kind."""
        if kind not in self.homes:
            known = ", ".join(self.kinds())
            raise ValueError(f"kind of system, got {kind!r}; expected one of {known}")
        return importlib.import_module(self.homes[kind])

    def loaders(self, kind: str) -> dict[str, Loader]:
        """How the systems of a kind are loaded, by the name before the colon."""
        return dict(self.home(kind).LOADERS)

    def load(self, kind: str, text: str, **settings: Any) -> Any:
        """A `System` of a kind by its name on the command line, `NAME[:ARGUMENT]`.

        `settings` are fields of `settings_of(kind)`; the kind's module says what `predict` takes
        and gives.

        Raises:
            ValueError: There is no such kind, system or setting, a user's module or function is
                missing, or a model is not there; the message lists what is known.
            ModuleNotFoundError: A package is not installed; the message says which extra holds it.
        """
        module, made = self.home(kind), self.made_settings(kind, settings)
        name, _, argument = text.partition(":")
        if name == "python":
            function, version = import_function(text, getattr(module, "ARGUMENTS", ("batch",)))
            of_user: System = module.of_function(text, version, function, made)
            size = made.batch_size if of_user.batch_size else None
            return dataclasses.replace(of_user, batch_size=size or of_user.batch_size)
        loader: Loader | None = self.loaders(kind).get(name)
        if loader is None or not loader.accepts(argument):
            raise ValueError(f"{kind}, got {text!r}; expected one of {', '.join(self.known(kind))}")
        try:
            system: System = loader.load(text, argument, made)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"{kind} {text}: package {error.name} is not installed;"
                f" pip install {loader.install or error.name}",
                name=error.name,
            ) from error
        return dataclasses.replace(system, batch_size=made.batch_size or system.batch_size)

    def known(self, kind: str) -> tuple[str, ...]:
        """All ways to name a system of a kind, as the command line takes them."""
        return (*(loader.shown(name) for name, loader in self.loaders(kind).items()), FUNCTION)

    def settings_of(self, kind: str) -> type[Settings]:
        """Frozen dataclass of what a kind's systems are loaded with, each field with a default."""
        made: type[Settings] = self.home(kind).SETTINGS
        return made

    def made_settings(self, kind: str, given: Mapping[str, Any]) -> Settings:
        """What a kind's systems are loaded with; a ValueError for a name that is none of it."""
        allowed = [field.name for field in dataclasses.fields(self.settings_of(kind))]
        if unknown := [name for name in given if name not in allowed]:
            raise ValueError(
                f"setting of a {kind}, got {unknown[0]!r}; expected one of {', '.join(allowed)}"
            )
        return self.settings_of(kind)(**given)


def import_function(text: str, arguments: Sequence[str]) -> tuple[Callable[..., Any], str]:
    """A user's function, `python:package.module:function`, and a hash of its module's source."""
    _, _, argument = text.partition(":")
    module_name, _, function_name = argument.partition(":")
    if not module_name or not function_name:
        raise ValueError(f"system, got {text!r}; expected {FUNCTION}")
    if not {"", os.getcwd()} & set(sys.path):  # a console script has its own folder there instead
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(
            f"{text}: module, got {error}; expected a module of this folder or an installed one"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        names = [name for name, _ in inspect.getmembers(module, inspect.isfunction)]
        there = ", ".join(name for name in names if name[0] != "_")
        raise ValueError(
            f"{text}: function, got none named {function_name!r}; expected one of"
            f" {there or 'its functions, of which there is none'}"
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


def _source_version(module: ModuleType) -> str:
    path = Path(getattr(module, "__file__", None) or "")
    if not path.is_file():
        return "built in"
    return f"source {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


USERS = Registry()
"""What a user can name."""
