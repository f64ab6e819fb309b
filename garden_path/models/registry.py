"""How a system is named and loaded, the same everywhere: `NAME[:ARGUMENT]`.

    jieba                              a name of the kind's table
    maxmatch:lexicon.txt               with an argument
    transformers:bert-base@a265f77     a model by name or folder, at a revision
    python:my_package.my_module:cut    your own function

A kind is a module of this folder that holds a table `LOADERS`, the class `SETTINGS` of what its
systems are loaded with, and `of_function`, which makes a system of a function: `segmenters.py`
holds the kind `segmenter`. The laboratory has a registry of its own over
these kinds and more (`research.systems.registry`).
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
NULL_VERSION = "1"  # of the functions of nulls; a null that answers otherwise needs another
Functions = Callable[[str], Mapping[str, Callable[..., Any]]]


def _no_nulls(kind: str) -> Mapping[str, Callable[..., Any]]:
    return {}


class Registry:
    """The kinds of systems that some packages hold, and how one is loaded.

    Args:
        packages: Dotted names. A module `KINDs` with `LOADERS` and `SETTINGS` is the home of a
            kind; a module `KINDs/loaders.py` holds further `LOADERS` of it.
        nulls: Functions of a kind that know nothing, by name.
    """

    def __init__(self, *packages: str, nulls: Functions = _no_nulls) -> None:
        self.packages = packages
        self.nulls = nulls

    @functools.cached_property
    def _homes(self) -> Mapping[str, str]:
        """Module of each kind."""
        homes = set(self._modules("SETTINGS"))
        return {
            module.rpartition(".")[2].removesuffix("s"): module
            for module in self._modules("LOADERS")
            if module in homes
        }

    def _modules(self, name: str) -> list[str]:
        folders = {
            package: Path(*importlib.import_module(package).__path__) for package in self.packages
        }
        return [f"{p}.{module}" for p, folder in folders.items() for module in found(folder, name)]

    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of systems."""
        return tuple(sorted(self._homes))

    @functools.cached_property
    def _tables(self) -> Mapping[str, tuple[str, ...]]:
        """Modules with `LOADERS` of each kind, its home first."""
        tables: dict[str, tuple[str, ...]] = {kind: (home,) for kind, home in self._homes.items()}
        for module in self._modules("LOADERS"):
            *_, folder, name = module.split(".")
            kind = folder.removesuffix("s")
            if name == "loaders" and kind in tables:
                tables[kind] += (module,)
        return tables

    def loaders(self, kind: str) -> dict[str, Loader]:
        """How the systems of a kind are loaded, by the name before the colon."""
        self._home(kind)
        table: dict[str, Loader] = {}
        for name in self._tables[kind]:
            table |= importlib.import_module(name).LOADERS
        return table

    def load(self, kind: str, text: str, **settings: Any) -> Any:
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
        module, made = self._home(kind), self._settings(kind, settings)
        name, _, argument = text.partition(":")
        if name == "python":
            function, version = import_function(text, getattr(module, "ARGUMENTS", ("batch",)))
            of_user: System = module.of_function(text, version, function, made)
            size = made.batch_size if of_user.batch_size else None
            return dataclasses.replace(of_user, batch_size=size or of_user.batch_size)
        if text in self.nulls(kind):
            return module.of_function(text, NULL_VERSION, self.nulls(kind)[text], made)
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
        named = (loader.shown(name) for name, loader in self.loaders(kind).items())
        return (*named, *self.nulls(kind), FUNCTION)

    def settings_of(self, kind: str) -> type[Settings]:
        """Frozen dataclass of what a kind's systems are loaded with.

        Every field has a default, and its help as metadata.
        """
        made: type[Settings] = self._home(kind).SETTINGS
        return made

    def _home(self, kind: str) -> ModuleType:
        if kind not in self._homes:
            raise ValueError(
                f"kind of system, got {kind!r}; expected one of {', '.join(self.kinds())}"
            )
        return importlib.import_module(self._homes[kind])

    def _settings(self, kind: str, given: dict[str, Any]) -> Settings:
        allowed = [field.name for field in dataclasses.fields(self.settings_of(kind))]
        if unknown := [name for name in given if name not in allowed]:
            raise ValueError(
                f"setting of a {kind}, got {unknown[0]!r}; expected one of {', '.join(allowed)}"
            )
        return self.settings_of(kind)(**given)


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


def _source_version(module: ModuleType) -> str:
    path = getattr(module, "__file__", None)
    if path is None or not Path(path).is_file():
        return "built in"
    return f"source {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"


USERS = Registry("garden_path.models")
"""What a user can name."""
