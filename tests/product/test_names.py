"""One name for one thing: classes and aliases of the whole tree."""

import ast
import functools
from collections import defaultdict
from pathlib import Path

from tests.conftest import ROOT

ROOMS = ("ground", "builders", "dataset_scripts", "metrics", "garden_path", "publish", "research")
RECURRING = {"Options": "the same door in every metric: the options of `score`"}
ARRAYS = {
    "metrics/_shared/columns.py": "what metrics and all who call them share",
    "garden_path/models/arrays.py": "of numpy alone: networks run beside torch only",
}
PAGE = "publish/page/"  # travels with a metric, without the tree


@functools.cache
def statements() -> list[tuple[str, ast.ClassDef | ast.Assign]]:
    """Every class and assignment at the top of a module, with the module's path."""
    return [
        (path.relative_to(ROOT).as_posix(), statement)
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        for statement in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.ClassDef | ast.Assign)
    ]


def aliases() -> dict[tuple[str, str], list[str]]:
    """Where each alias of a type is defined, by its name and what it stands for."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, statement in statements():
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() as value):
                if name[0].isupper() and not name.isupper():
                    meaning = ast.unparse(value).replace("npt.", "")
                    found[name, meaning].append(path)
    return found


def test_class_names_are_unique():
    places: dict[str, list[str]] = defaultdict(list)
    for path, statement in statements():
        if isinstance(statement, ast.ClassDef):
            places[statement.name].append(path)
    assert len(places) > 150
    repeated = {name: where for name, where in places.items() if len(where) > 1}
    assert repeated.keys() == RECURRING.keys(), repeated
    assert all(Path(where).name == "options.py" for where in repeated["Options"])


def test_a_type_of_arrays_is_defined_once_on_each_floor():
    arrays = {key: where for key, where in aliases().items() if "NDArray" in key[1]}
    assert {name for name, _ in arrays} >= {"IntArray", "FloatArray", "BoolArray"}
    for (name, meaning), where in arrays.items():
        assert len(where) == 1 or where == list(ARRAYS), f"{name} = {meaning} in {where}"
    for meaning in {meaning for _, meaning in arrays}:
        names = {name for name, other in arrays if other == meaning}
        assert len(names) == 1, f"{meaning} is called {names}"


def test_a_type_is_named_once_in_a_room():
    for (name, meaning), where in aliases().items():
        rooms = [path.split("/")[0] for path in where if not path.startswith(PAGE)]
        assert len(set(rooms)) == len(rooms), f"{name} = {meaning} in {where}"
