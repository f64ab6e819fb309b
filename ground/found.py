"""Finds modules by what they define, and by what imports them.

A module of the right shape is registered by being there.
"""

import ast
import functools
import threading
from collections.abc import Iterable
from pathlib import Path

_PARSING = threading.Lock()


def parsed(source: bytes | str, name: str = "<unknown>") -> ast.Module:
    """The tree of a source text; Python 3.11 may fail where two threads parse at once."""
    with _PARSING:
        return ast.parse(source, filename=name)


@functools.cache
def found(folder: Path, attribute: str) -> tuple[str, ...]:
    """Modules of a folder, and of the folders in it, that define a name at their top level.

    Files are parsed and not imported, so that nobody pays for what a module imports. The names of
    the modules are sorted: `sorts.forms`, and `sorts` for what `sorts/__init__.py` defines.
    """
    paths = sorted([*folder.glob("*.py"), *folder.glob("*/*.py")])
    places = [path.relative_to(folder) for path in paths if _defines(path, attribute)]
    names = (".".join(place.with_suffix("").parts) for place in places)
    return tuple(name.removesuffix("__init__").rstrip(".") for name in names)


def _defines(path: Path, attribute: str) -> bool:
    source = path.read_bytes()
    if attribute.encode() not in source:  # most files: parsing them takes a hundred times longer
        return False
    return any(attribute in _names(node) for node in parsed(source, str(path)).body)


def _names(node: ast.stmt) -> set[str]:
    """Names that a statement defines where it stands."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def imported_files(paths: Iterable[Path], root: Path) -> set[Path]:
    """These modules and all below a folder that they import, directly or by another."""
    reached: set[Path] = set()
    waiting = set(paths)
    while waiting:
        path = waiting.pop()
        reached.add(path)
        waiting |= _imports(path, root) - reached
    return reached


@functools.cache
def _imports(path: Path, root: Path) -> frozenset[Path]:
    """Files below a folder that a module imports, also inside functions."""
    places: set[Path] = set()
    for node in ast.walk(parsed(path.read_bytes())):
        if isinstance(node, ast.Import):
            places |= {root.joinpath(*alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = path.parents[node.level - 1] if node.level else root
            place = start.joinpath(*(node.module or "").split("."))
            places |= {place, *(place / alias.name for alias in node.names)}
    files = {p for place in places for p in (place.with_suffix(".py"), place / "__init__.py")}
    return frozenset(file for file in files if file.is_file())
