"""Pages as they are staged for their Spaces: what the tests of pages share."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ground.tables import read_toml
from publish.build.metrics import metric_names
from tests.conftest import ROOT


def space_settings(name: str) -> dict[str, Any]:
    """Settings of a metric's page, or an empty dict where it has none."""
    path = ROOT / "metrics" / name / "space.toml"
    return read_toml(path.read_text(encoding="utf-8")) if path.exists() else {}


WITH_PAGE = [name for name in metric_names() if space_settings(name)]  # a page is optional


def load_part(folder: Path, part: str) -> ModuleType:
    """Imports a module of a staged page as `python app.py` in its folder would. Its siblings are
    forgotten again, since those of the next page have the same names."""
    before = set(sys.modules)
    # where a page that is not staged finds plain_text
    sys.path.insert(0, str(ROOT / "metrics" / "_shared"))
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location(
            f"{part}_of_{folder.name}", folder / f"{part}.py"
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(folder))
        sys.path.remove(str(ROOT / "metrics" / "_shared"))
        for name in set(sys.modules) - before:
            if name.startswith(("app_", "plain_text")):
                del sys.modules[name]


def load_app(folder: Path) -> ModuleType:
    """Imports the page itself."""
    return load_part(folder, "app")


def example_text(folder: Path, file: str) -> str:
    """Text of one of a staged page's examples."""
    return (folder / "examples" / file).read_text(encoding="utf-8")
