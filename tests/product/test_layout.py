"""The layout's rules: who may import whom, and what an import may pull in."""

import ast
import functools
import sys
from pathlib import Path

import pytest

from publish.build.metrics import metric_names
from tests.conftest import ROOT
from tests.support.processes import captured

PRODUCT = (
    *("ground", "builders", "dataset_scripts", "metrics", "garden_path"),
    *("publish", "push", "integrations"),
)
FOLDERS = (*PRODUCT, "research", "tests")
BELOW_PUBLISH = (
    *("ground", "dataset_scripts", "builders"),
    *("metrics._shared.option_fields", "metrics._shared.plain_text"),
)
MAY_IMPORT = {
    # the contract of text, which metrics need alone
    "ground": {"ground", "metrics._shared.plain_text"},
    "builders": {"ground", "builders", "metrics"},
    "dataset_scripts": {"ground", "dataset_scripts", "builders", "metrics"},
    "garden_path": {"ground", "garden_path", "builders", "metrics"},
    "integrations": {"ground", "integrations", "garden_path", "builders", "metrics"},
    "publish": {
        "publish",
        *BELOW_PUBLISH,  # what results say of themselves, and how any text is read
        *("integrations", "metrics.minimal_pair_preference.members"),  # whose tasks it writes
    },
    "publish/build": {*BELOW_PUBLISH, "publish.build"},
    "publish/check": {*BELOW_PUBLISH, "publish.build", "publish.check"},
    "publish/hub": {*BELOW_PUBLISH, "publish.build", "publish.check", "publish.hub"},
    "publish/form": {*BELOW_PUBLISH, "publish.build", "publish.form"},
    "push": {"ground", "publish", "dataset_scripts"},
    "research": {"research", *PRODUCT} - {"push"},
}
"""One rule guards the wall: nothing of the product imports `research`."""
HUB_LIBRARIES = {"datasets", "evaluate", "huggingface_hub"}
HEAVY = {
    *("torch", "transformers", "spacy", "sentence_transformers", "sklearn", "matplotlib"),
    *("ray", "gradio", "pandas", "scipy"),
}
# made of torch: they import it, and are themselves imported lazily
NETWORKS = {"research.systems.morphology.seq2seq", "research.systems.parsers.biaffine_network"}


def modules(folder: str) -> list[Path]:
    return [ROOT / "push.py"] if folder == "push" else sorted((ROOT / folder).rglob("*.py"))


@functools.cache
def parsed(path: Path) -> ast.Module:
    """A file's tree: it is parsed once for all rules."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(path: Path, *, top_level_only: bool = False) -> frozenset[str]:
    """Absolute names of the modules that a file imports; relative ones start with a dot."""
    nodes = parsed(path).body if top_level_only else ast.walk(parsed(path))
    return frozenset(name for node in nodes for name in imported(node))


def imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return ["." * node.level + (node.module or "")]
    return []


def is_within(module: str, allowed: set[str]) -> bool:
    return any(module == name or module.startswith(name + ".") for name in allowed)


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_imports_run_one_way(folder):
    for path in modules(folder):
        inside = {module for module in imports(path) if module.split(".")[0] in FOLDERS}
        forbidden = {module for module in inside if not is_within(module, MAY_IMPORT[folder])}
        assert not forbidden, f"{path.relative_to(ROOT)} imports {forbidden}"


def test_tests_of_the_product_need_no_laboratory():
    """Neither they nor the helpers that they use, by whatever way, import `research`."""
    asked = [*(ROOT / "tests" / "product").rglob("*.py"), ROOT / "tests" / "conftest.py"]
    reached = set(asked)
    while asked:
        path = asked.pop()
        given = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)]
        names = imports(path) | {f"{node.module}.{a.name}" for node in given for a in node.names}
        laboratory = {name for name in names if is_within(name, {"research", "tests.research"})}
        assert not laboratory, f"{path.relative_to(ROOT)} imports {laboratory}"
        files = {ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in names}
        fresh = {file for file in files if ROOT / "tests" in file.parents and file.is_file()}
        asked += fresh - reached
        reached |= fresh
    assert ROOT / "tests" / "support" / "skips.py" in reached


def test_the_picture_of_the_house_is_that_of_its_imports():
    from docs import rooms

    page = rooms.PAGE.read_text(encoding="utf-8")
    assert page == rooms.with_picture(page), "run: python docs/rooms.py --write"
    found = rooms.arrows()
    assert not [pair for pair in found if pair[1] == "research"]
    assert not [(a, b) for a, b in found if (b, a) in found]


def test_imports_of_metrics_stay_in_their_folder():
    for path in modules("metrics"):
        outside = {module for module in imports(path) if module.split(".")[0] in FOLDERS}
        assert not outside, (
            f"{path.relative_to(ROOT)} imports {outside}: it would not load from the Hub"
        )


def test_builders_import_nothing_of_the_hub():
    for path in modules("builders"):
        assert not {module.split(".")[0] for module in imports(path)} & HUB_LIBRARIES, path


def test_builders_import_only_pure_files_of_metrics():
    for folder in ("builders", "garden_path", "research", "integrations"):
        for path in modules(folder):
            for module in imports(path):
                if module.startswith("metrics.") and module.count(".") == 2:
                    _, metric, file = module.split(".")
                    assert metric != file, (
                        f"{path.relative_to(ROOT)} imports the evaluate module {module}; expected"
                        " its scoring"
                    )


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_heavy_libraries_are_imported_lazily():
    for path in (path for folder in (*PRODUCT, "research") for path in modules(folder)):
        if "benchmarks" in path.parts or name_of(path) in NETWORKS:  # programs, run by name
            continue
        at_top = imports(path, top_level_only=True)
        heavy = (at_top & NETWORKS) | ({module.split(".")[0] for module in at_top} & HEAVY)
        assert not heavy, f"{path.relative_to(ROOT)} imports {heavy} on import"


CORE = """
import importlib, pathlib, sys
import numpy, pyarrow, pyarrow.compute
def refuse(*a, **k): raise RuntimeError(f'reads {a} on import')
read = pathlib.Path.read_bytes, pathlib.Path.read_text, pathlib.Path.open
pathlib.Path.read_bytes = pathlib.Path.read_text = pathlib.Path.open = refuse
for name in BUILDERS: importlib.import_module(name)
pathlib.Path.read_bytes, pathlib.Path.read_text, pathlib.Path.open = read
for name in SCORINGS: importlib.import_module(name)
print([name for name in HEAVY if name in sys.modules])
"""


def test_importing_the_core_reads_nothing_and_pulls_in_no_heavy_library():
    """No module reads a data file while it is imported. Builders with an unreadable data folder
    still import."""
    names = [name_of(path) for path in modules("builders") if path.stem != "__init__"]
    scorings = [f"metrics.{name}.scoring" for name in metric_names()]
    given = f"BUILDERS, SCORINGS, HEAVY = {names}, {scorings}, {sorted(HEAVY)}"
    run = captured([sys.executable, "-c", given + CORE], cwd=ROOT)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


def test_the_repository_has_no_links():
    """A checkout with core.symlinks=false has a name where the file should be."""
    listed = captured(["git", "ls-files", "--stage"], cwd=ROOT, check=True).stdout.splitlines()
    assert len(listed) > 100
    assert [line for line in listed if line.startswith("120000")] == []


def test_shared_files_of_metrics_are_imported_from_their_folder():
    shared = {path.stem for path in (ROOT / "metrics" / "_shared").glob("*.py")}
    assert {"columns", "uncertainty", "paradigms", "option_fields"} <= shared
    for name in metric_names():
        for path in (ROOT / "metrics" / name).glob("*.py"):
            assert path.stem not in shared, f"{path}: has the name of a shared file"
            for module in imports(path):
                dots = len(module) - len(module.lstrip("."))
                assert dots < 3, f"{path} imports {module}"
                file = module.removeprefix(".._shared.")
                assert dots != 2 or file in shared, f"{path} imports {module}"


def test_metrics_have_no_package_file():
    assert not list((ROOT / "metrics").rglob("__init__.py"))


def test_functions_and_files_stay_small():
    lengths = []
    for folder in set(FOLDERS) - {"tests"}:
        for path in modules(folder):
            text = path.read_text(encoding="utf-8")
            most = 1100 if folder == "metrics" else 700  # a metric travels as 12 files at most
            assert text.count("\n") <= most, f"{path}: {text.count(chr(10))} lines"
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.FunctionDef):
                    has_docstring = ast.get_docstring(node) and len(node.body) > 1
                    n_lines = node.end_lineno - node.body[bool(has_docstring)].lineno + 1
                    lengths.append((n_lines, f"{path}:{node.lineno} {node.name}"))
    assert max(lengths)[0] <= 45, max(lengths)
    assert sorted(lengths)[len(lengths) // 2][0] <= 10


def test_files_that_a_space_copies_import_no_neighbour_of_a_package():
    copied = [ROOT / "metrics" / "_shared" / "plain_text.py", ROOT / "publish" / "form" / "app.py"]
    copied += (ROOT / "publish" / "page").glob("app*.py")
    assert len(copied) > 8
    for path in copied:  # one within a function fails only when somebody answers
        assert not [name for name in imports(path) if name.startswith(".")], path
