"""What every metric folder must be, whatever it measures: a folder of the right shape is tested here without being named."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.conftest import ROOT

METRICS = sorted(
    path.parent for path in (ROOT / "metrics").glob("*/*.py") if path.stem == path.parent.name
)
FILES = sorted(path for folder in METRICS for path in folder.glob("*.py"))
IMPORTED_BY_ALL = {"numpy", "pyarrow"}  # both come with evaluate
IMPORTED_BY_WRAPPERS = IMPORTED_BY_ALL | {"datasets", "evaluate"}
OWN_FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}
HEAVY = (
    "torch",
    "transformers",
    "spacy",
    "sentence_transformers",
    "evaluate",
    "datasets",
    "pandas",
    "scipy",
    "sklearn",
)


def name_of(path):
    return str(path.relative_to(ROOT / "metrics"))


# --- what can be read off the files
# --------------------------------------------------------------------------------------------------


def test_there_are_metrics():
    assert {"gper", "garden_path_accuracy"} <= {folder.name for folder in METRICS}


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_metric_folder_has_the_files_of_a_metric(folder):
    assert (folder / "scoring.py").exists()
    assert not (folder / "__init__.py").exists()
    assert len(class_of(folder).bases) >= 1
    version = [
        line
        for path in folder.glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("VERSION = ")
    ]
    assert len(version) == 1
    assert re.fullmatch(r'VERSION = "\d+\.\d+\.\d+"', version[0])


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_shared_files_are_links(path):
    shared = ROOT / "metrics" / path.name
    assert path.is_symlink() == shared.exists(), f"{path.name} is one file for all metrics"
    if path.is_symlink():
        assert os.readlink(path) == f"../{path.name}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_metric_files_import_only_what_travels_with_them(path):
    assert list(import_problems(path)) == []


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_wrapper_names_every_file_that_its_siblings_need(folder):
    wrapper = folder / f"{folder.name}.py"
    needed, seen = siblings(wrapper), set()
    while needed - seen:
        seen |= needed
        needed |= {name for sibling in seen for name in siblings(folder / f"{sibling}.py")}
    assert needed == siblings(wrapper), (
        "evaluate's loader fetches only the files that the wrapper itself imports from"
    )


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_wrapper_avoids_the_traps_of_the_loader(folder):
    assert list(loader_problems((folder / f"{folder.name}.py").read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_compute_names_and_describes_its_options(folder):
    (compute,) = [
        node
        for node in class_of(folder).body
        if isinstance(node, ast.FunctionDef) and node.name == "_compute"
    ]
    assert compute.args.kwarg is None, "an option with a typing error must not pass"
    assert compute.args.vararg is None
    text = (folder / f"{folder.name}.py").read_text(encoding="utf-8")
    for argument in [*compute.args.args[1:], *compute.args.kwonlyargs]:
        assert re.search(rf"^ {{4}}(\w+, )*{argument.arg}(, \w+)*:", text, re.MULTILINE), (
            f"{argument.arg} is not described"
        )


def class_of(folder):
    tree = ast.parse((folder / f"{folder.name}.py").read_text(encoding="utf-8"))
    (found,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return found


def import_problems(path):
    """What a file imports at its top that would be missing where it is used, and what it imports anywhere from this repository."""
    allowed = IMPORTED_BY_WRAPPERS if path.stem == path.parent.name else IMPORTED_BY_ALL
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            if node.level:
                if (
                    node.level > 1
                    or not node.module
                    or not (path.parent / f"{node.module}.py").exists()
                ):
                    yield f"line {node.lineno}: relative import of {node.module}, which is no sibling"
            else:
                names = [str(node.module)]
        for top in {name.split(".")[0] for name in names}:
            if top in OWN_FOLDERS:
                yield f"line {node.lineno}: {top} is a folder of this repository"
            elif node in tree.body and top not in allowed | sys.stdlib_module_names:
                yield f"line {node.lineno}: {top} may be imported inside a function only"


def siblings(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level
    }


def loader_problems(text):
    """evaluate reads imports with regular expressions, line by line."""
    if "'''" in text:
        yield "a docstring in single quotes is read as code"
    for line in text.splitlines():
        if re.match(r"from \.+ import", line):
            yield f"{line}: not seen; name the module"
        if re.match(r"import .*,", line):
            yield f"{line}: one import on a line"
        if re.match(r"(from|import) .*#", line):
            yield f"{line}: a comment after an import is taken for a web address"


@pytest.mark.parametrize(
    "line",
    [
        "from . import scoring",
        "import json, math",
        "from .scoring import score  # noqa: F401",
        "X = '''\nimport torch\n'''",
    ],
)
def test_loader_problems_are_found(line):
    assert list(loader_problems(f"import evaluate\n{line}\n"))


def test_import_problems_are_found(tmp_path):
    folder = tmp_path / "some_metric"
    folder.mkdir()
    (folder / "columns.py").touch()
    lines = [
        "import numpy",
        "import scipy",
        "import evaluate",
        "from metrics.gper import scoring",
        "from .columns import x",
        "from .gone import y",
    ]
    (folder / "scoring.py").write_text(
        "\n".join([*lines, "def f():", "    import spacy", "    import builders"]), encoding="utf-8"
    )
    found = [problem.split(":")[0] for problem in import_problems(folder / "scoring.py")]
    assert sorted(found) == ["line 2", "line 3", "line 4", "line 6", "line 9"]


# --- what shows when the metrics are used outside the repository
# ---------------------------------------------------------------------

BROKEN = {
    "fails_to_load": "from metrics.gper import scoring",
    "wrong_example": 'EXPECTED = "41"',
    "two_answers": "DIRECT = 1",
}
BROKEN_MODULE = """
    import datasets
    import evaluate
    from .columns import DirectCompute
    EXPECTED, DIRECT = "3", 0
    {line}
    TEXT = '''
        >>> evaluate.load("{name}").compute(predictions=[1, 2], references=[0, 0])["total"]
        ''' + EXPECTED
    class Sum(DirectCompute, evaluate.Metric):
        def _info(self):
            features = datasets.Features({{"predictions": datasets.Value("int64"), "references": datasets.Value("int64")}})
            return evaluate.MetricInfo(description="", citation="", inputs_description=TEXT, features=features)
        def _compute(self, predictions, references):
            return {{"total": sum(predictions), "is_direct": DIRECT and self.data is None}}
"""


@pytest.fixture(scope="session")
def staged(tmp_path_factory):
    """A folder outside the repository with a copy of every metric, links resolved, as they go to the Hub; and three broken ones."""
    folder = tmp_path_factory.mktemp("staged")
    for metric in METRICS:
        shutil.copytree(metric, folder / metric.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, line in BROKEN.items():
        (folder / name).mkdir()
        shutil.copyfile(ROOT / "metrics" / "columns.py", folder / name / "columns.py")
        (folder / name / f"{name}.py").write_text(
            textwrap.dedent(BROKEN_MODULE).format(name=name, line=line), encoding="utf-8"
        )
    return folder


def run_outside(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {
        "HF_HOME": str(folder.parent / "cache"),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        "TQDM_DISABLE": "1",
    }
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="session")
def reports(staged):
    script, out = staged.parent / "probe_metrics.py", staged.parent / "reports.json"
    shutil.copyfile(Path(__file__).with_name("probe_metrics.py"), script)
    run_outside(staged, str(script), *[folder.name for folder in METRICS], *BROKEN, str(out))
    return json.loads(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_metric_loads_outside_the_repository(folder, reports):
    assert reports[folder.name]["load"] == ""


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_metric_examples_run_outside_the_repository(folder, reports):
    report = reports[folder.name]
    assert report["attempted"] > 1
    assert report["failed"] == 0, report["output"]


@pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)
def test_metric_gives_the_same_directly_and_on_evaluates_own_path(folder, reports):
    assert reports[folder.name]["computed"] > 0
    assert reports[folder.name]["differences"] == []


def test_broken_metrics_are_found_out(reports):
    assert "metrics" in reports["fails_to_load"]["load"]
    assert (reports["wrong_example"]["failed"], reports["two_answers"]["failed"]) == (1, 0)
    assert reports["wrong_example"]["differences"] == []
    assert len(reports["two_answers"]["differences"]) == 2


def test_maths_of_the_metrics_imports_nothing_heavy(staged):
    modules = [
        name_of(path).removesuffix(".py").replace("/", ".")
        for path in FILES
        if path.stem != path.parent.name
    ]
    script = f"import sys\nfor name in {modules}:\n    __import__(name)\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    assert run_outside(staged, "-c", script).split() == []
