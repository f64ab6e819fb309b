"""The same door in every suite: what it must have to be one, said in words where it is missing."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import datasets
import pyarrow as pa
import pytest

from dataset_scripts.registry import suite_builder, suite_names
from tests.conftest import ROOT
from tests.support.record_hashes import unversioned

FILES = {
    "__init__.py": 'with VERSION = "x.y.z"',
    "draw.py": "with draw(seed=0, size=None, ...), a function of these and VERSION alone",
    "columns.py": "with the Arrow schemas of the configs, constants named ..._SCHEMA",
    "validity.py": "with problems(table) -> list[str], one line per broken rule",
}


def module_of(suite: str, file: str) -> ModuleType:
    path = ROOT / "builders" / suite / file
    assert path.is_file(), f"builders/{suite}/{file}, got none; expected one {FILES[file]}"
    name = f"builders.{suite}" + ("" if file == "__init__.py" else f".{path.stem}")
    return importlib.import_module(name)


def schemas(suite: str) -> dict[str, pa.Schema]:
    module = vars(module_of(suite, "columns.py"))
    named = {name: value for name, value in module.items() if name.endswith("_SCHEMA")}
    return named | {f"VIEW_SCHEMAS.{k}": v for k, v in module.get("VIEW_SCHEMAS", {}).items()}


@pytest.mark.parametrize("suite", suite_names())
def test_a_suite_has_one_version(suite):
    version = getattr(module_of(suite, "__init__.py"), "VERSION", None)
    assert re.fullmatch(r"\d+\.\d+\.\d+", version or ""), "text such as '1.0.0'"
    assert str(suite_builder(suite).VERSION) == version
    others = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "builders" / suite).glob("*.py")
        if path.name != "__init__.py" and re.search(r"^VERSION\b", path.read_text("utf-8"), re.M)
    ]
    assert others == [], f"{others}: VERSION, got another; expected it in __init__.py only"


@pytest.mark.parametrize("suite", suite_names())
def test_a_suite_is_drawn_by_seed_and_size(suite):
    draw = getattr(module_of(suite, "draw.py"), "draw", None)
    assert inspect.isfunction(draw), f"builders/{suite}/draw.py: expected a function draw"
    parameters = inspect.signature(draw).parameters
    for name, default in (("seed", 0), ("size", None)):
        expected = f"builders/{suite}/draw.py: draw, expected {name} with the default {default}"
        assert name in parameters, expected
        assert parameters[name].default == default, expected


@pytest.mark.parametrize("suite", suite_names())
def test_features_derive_from_the_schemas(suite):
    known = {
        f"{of}.{name}": datasets.Features.from_arrow_schema(schema)
        for of in {suite, "sorts"}  # whose trees others have too: one inventory of relations
        for name, schema in schemas(of).items()
    }
    assert known, f"builders/{suite}/columns.py: schemas, got none; expected constants ..._SCHEMA"
    for config in suite_builder(suite).BUILDER_CONFIGS:
        expected = f"features of {config.name}: expected one of {', '.join(known)}"
        assert config.features in known.values(), expected
        assert config.description, config.name
    text = Path(inspect.getfile(suite_builder(suite))).read_text(encoding="utf-8")
    assert "Value(" not in text, f"dataset_scripts/{suite}.py: types stand in columns.py only"


@pytest.mark.parametrize("suite", suite_names())
def test_a_suite_knows_its_own_rules(suite):
    problems = getattr(module_of(suite, "validity.py"), "problems", None)
    expected = f"builders/{suite}/validity.py: expected problems(table) -> list[str]"
    assert inspect.isfunction(problems), expected
    parameters = list(inspect.signature(problems).parameters.values())
    needed = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    assert needed == ["table"], expected


@pytest.mark.parametrize("suite", suite_names())
def test_a_suite_has_a_card_and_recorded_hashes(suite):
    for place in (f"cards/datasets/{suite}.md", f"tests/golden/content_hashes_{suite}.json"):
        assert (ROOT / place).is_file(), f"{place}, got none; expected one"


def test_a_config_says_with_which_version_its_rows_came():
    """A new VERSION for one config leaves results on the others comparable, and their figures."""
    for suite in suite_names():
        builder = suite_builder(suite)
        for config in builder.CONFIGS:
            version = datasets.Version(builder.version_of(config.name))
            assert version <= builder.VERSION, f"{suite}/{config.name}"
        assert builder.newest([config.name for config in builder.CONFIGS]) == builder.VERSION


def test_rows_do_not_change_under_the_version_that_they_came_with():
    before = {"content_hashes": {"a/test": "1", "b/test": "1"}, "since": {"a": "1.0", "b": "1.0"}}
    now = {"content_hashes": {"a/test": "2", "b/test": "2"}, "since": {"a": "1.0", "b": "1.1"}}
    assert unversioned(before, now) == ["a/test"]
    new = {"content_hashes": {"c/test": "3"}, "since": {"c": "1.1"}}
    assert unversioned(before, new) == []


def test_views_are_no_part_of_the_hash_that_figures_are_stamped_with():
    for suite in suite_names():
        builder = suite_builder(suite)
        views = {config.name for config in builder.BUILDER_CONFIGS if config.kind == "view"}
        assert builder.DEFAULT_CONFIG_NAME in builder.stamped_configs()
        assert not views & set(builder.stamped_configs())
        assert views <= set(builder.config_names())
