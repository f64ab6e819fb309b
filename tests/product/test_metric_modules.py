"""What every metric folder must be: one of the right shape is tested here without being named."""

import ast
import json
import os
import re
import shutil
import sys
import textwrap

import evaluate
import pytest

from metrics._shared.module import numbers_of
from publish.build.metrics import metric_files, metric_version, siblings
from publish.build.pages import APP_FILES, TEXT
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.generated_inputs import examples, metric_class
from tests.support.processes import captured

METRICS = sorted(
    path.parent for path in (ROOT / "metrics").glob("*/*.py") if path.stem == path.parent.name
)
MOST_FILES = 12  # of a metric and what it shares, beside its page
IMPORTED_BY_ALL = {"numpy", "pyarrow"}  # both come with evaluate
IMPORTED_BY_WRAPPERS = IMPORTED_BY_ALL | {"datasets", "evaluate"}
OWN_FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}
HEAVY = (
    *("torch", "transformers", "spacy", "sentence_transformers"),
    *("evaluate", "datasets", "pandas", "scipy", "sklearn"),
)
of_each_metric = pytest.mark.parametrize("folder", METRICS, ids=lambda folder: folder.name)


# --- what can be read off the files
@of_each_metric
def test_metric_folder_has_the_files_of_a_metric(folder):
    place = f"metrics/{folder.name}"
    for file in ("scoring.py", "options.py", "inputs.py"):
        assert (folder / file).exists(), f"{place}/{file}: got none; see CONTRIBUTING.md"
    expected = "expected none, evaluate loads a folder of modules"
    assert not (folder / "__init__.py").exists(), f"{place}/__init__.py: got one; {expected}"
    tree = ast.parse((folder / f"{folder.name}.py").read_text(encoding="utf-8"))
    (own,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert own.bases
    expected = 'scoring.py: VERSION, got none; expected a line VERSION = "x.y.z"'
    assert re.fullmatch(r"\d+\.\d+\.\d+", metric_version(folder.name)), f"{place}/{expected}"
    others = [path for path in folder.glob("*.py") if path.stem != "scoring"]
    expected = "VERSION, got it in several files; expected it in scoring.py alone"
    texts = [path.read_text(encoding="utf-8") for path in others]
    assert not any("\nVERSION = " in text for text in texts), f"{place}: {expected}"
    for path in (f"cards/metrics/{folder.name}.md", f"tests/*/test_{folder.name}.py"):
        expected = "expected one as `python push.py new metric NAME` writes it"
        assert list(ROOT.glob(path)), f"{path}: got none; {expected}"


@of_each_metric
def test_metric_travels_as_twelve_files_at_most(folder):
    files = sorted(set(metric_files(folder.name)) - {TEXT})
    got = f"metrics/{folder.name}: staged files, got {len(files)}: {', '.join(files)}"
    assert len(files) <= MOST_FILES, f"{got}; expected {MOST_FILES} beside those of the page"


@of_each_metric
def test_staged_files_import_only_what_travels_with_them(folder, staged_metrics):
    found = sorted((staged_metrics / folder.name).glob("*.py"))
    paths = [path for path in found if path.name not in APP_FILES]
    assert len(paths) > len(list(folder.glob("*.py")))
    for path in paths:
        assert list(import_problems(path)) == [], path.name


@of_each_metric
def test_staged_module_names_every_file_that_its_siblings_need(folder, staged_metrics):
    files = metric_files(folder.name)
    others = {name.removesuffix(".py") for name in files} - {folder.name}
    expected = "evaluate's loader fetches only the files that the module itself imports from"
    assert siblings(files[f"{folder.name}.py"]) == others, expected
    on_disk = (staged_metrics / folder.name / f"{folder.name}.py").read_text(encoding="utf-8")
    assert on_disk == files[f"{folder.name}.py"]


@of_each_metric
def test_staged_module_avoids_the_traps_of_the_loader(folder):
    assert list(loader_problems(metric_files(folder.name)[f"{folder.name}.py"])) == []


def write_metric(folder, **files):
    for name, text in files.items():
        path = folder / f"{'/'.join(name.rsplit('__', 1))}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_shared_file_that_another_needs_travels_too(tmp_path):
    files = {
        "count__count": "import evaluate\nfrom .scoring import score\n\nX = score\n",
        "count__scoring": "def score():\n    from .._shared.first import one\n    return one\n",
        "_shared__first": "from .second import one\n",
        "_shared__second": "from .third import one\n",
    }
    files |= dict.fromkeys(("_shared__third", "_shared__fourth"), "one = 1\n")
    staged = metric_files("count", write_metric(tmp_path, **files))
    assert set(staged) == {"count.py", "scoring.py", "first.py", "second.py", "third.py"}
    assert staged["scoring.py"] == files["count__scoring"].replace(".._shared.first", ".first")
    assert staged["count.py"].splitlines()[2:5] == [
        f"from .{module} import __name__ as _{module}" for module in ("first", "second", "third")
    ]


@pytest.mark.parametrize(*cases("metric_modules/a_metric_that_cannot_be_staged_is_named"))
def test_a_metric_that_cannot_be_staged_is_named(tmp_path, files, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        metric_files("sum", write_metric(tmp_path, **files))


@pytest.mark.parametrize(
    ("text", "version"),
    [('VERSION = "1.2.3"\n', "1.2.3"), ("", ""), ('X = VERSION = "1.2.3"\n', "")],
)
def test_version_is_read_from_scoring(tmp_path, text, version):
    assert metric_version("sum", write_metric(tmp_path, sum__scoring=text)) == version


@of_each_metric
def test_help_describes_every_input_and_option(folder):
    metric = metric_class(folder.name)(keep_in_memory=True)
    text = metric.inputs_description
    place = f"metrics/{folder.name}/{folder.name}.py: _KWARGS_DESCRIPTION says nothing of"
    for name in [*metric.contract.columns, *metric.options.rules()]:
        expected = f"a line of four blanks and `{name}: what it is`, or {{Options.documentation()}}"
        told = re.search(rf"^ {{4}}(\w+, )*{name}(, \w+)*( \(.*\))?:", text, re.MULTILINE)
        assert told, f"{place} {name}; expected {expected} for all options"
    assert metric.description.strip() in type(metric).__doc__
    assert metric.citation


@of_each_metric
def test_an_unknown_option_is_refused(folder, staged_metrics):
    metric = evaluate.load(str(staged_metrics / folder.name))
    inputs = {name: [] for name in metric._feature_names()}
    with pytest.raises((TypeError, ValueError), match="confidance"):
        metric._compute(**inputs, confidance=0.9)


def import_problems(path):
    """What a file imports that would be missing where it is used, or is of this repository."""
    allowed = IMPORTED_BY_WRAPPERS if path.stem == path.parent.name else IMPORTED_BY_ALL
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            if node.level:
                file = path.parent / f"{node.module or ''}.py"
                if node.level > 1 or not file.exists():
                    yield f"line {node.lineno}: relative import of {node.module}, no sibling"
            else:
                names = [str(node.module)]
        for top in {name.split(".")[0] for name in names}:
            if top in OWN_FOLDERS:
                yield f"line {node.lineno}: {top} is a folder of this repository"
            elif node in tree.body and top not in allowed | sys.stdlib_module_names:
                yield f"line {node.lineno}: {top} may be imported inside a function only"


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


@pytest.mark.parametrize(*cases("metric_modules/loader_problems_are_found"))
def test_loader_problems_are_found(line):
    assert list(loader_problems(f"import evaluate\n{line}\n"))


def test_import_problems_are_found(tmp_path):
    folder = tmp_path / "some_metric"
    folder.mkdir()
    (folder / "columns.py").touch()
    lines = ["import numpy", "import scipy", "import evaluate", "from metrics.gper import scoring"]
    lines += ["from .columns import x", "from .gone import y"]
    lines += ["def f():", "    import spacy", "    import builders"]
    (folder / "scoring.py").write_text("\n".join(lines), encoding="utf-8")
    found = [problem.split(":")[0] for problem in import_problems(folder / "scoring.py")]
    assert sorted(found) == ["line 2", "line 3", "line 4", "line 6", "line 9"]


# --- what shows when the metrics are used outside the repository
BROKEN = {
    "fails_to_load": "from metrics.gper import scoring",
    "wrong_example": 'EXPECTED = "41"',
    "two_answers": "DIRECT = 1",
}
BROKEN_MODULE = """
    import evaluate
    from .columns import Values
    from .module import Inputs, ScoringModule
    from .option_fields import CheckedOptions
    EXPECTED, DIRECT = "3", 0
    {line}
    _DESCRIPTION, _CITATION = "", ""
    _KWARGS_DESCRIPTION = '''
        >>> evaluate.load("{name}").compute(predictions=[1, 2], references=[0, 0])["total"]
        ''' + EXPECTED
    class Sum(ScoringModule, evaluate.Metric):
        contract = Inputs("sum", dict(predictions=Values("whole"), references=Values("whole")))
        options = CheckedOptions
        score = staticmethod(lambda inputs, options: {{"total": sum(inputs["predictions"])}})
        def _compute(self, **given):
            return super()._compute(**given) | {{"is_direct": DIRECT and self.data is None}}
"""
NEEDED_BY_ALL = ("columns.py", "module.py", "option_fields.py")


@pytest.fixture(scope="session")
def staged(tmp_path_factory, staged_metrics):
    """Every metric as it goes to the Hub, outside the repository, and three broken ones."""
    folder = tmp_path_factory.mktemp("staged") / "all"
    shutil.copytree(staged_metrics, folder)
    for name, line in BROKEN.items():
        (folder / name).mkdir()
        for file in NEEDED_BY_ALL:
            shutil.copyfile(ROOT / "metrics" / "_shared" / file, folder / name / file)
        (folder / name / f"{name}.py").write_text(
            textwrap.dedent(BROKEN_MODULE).format(name=name, line=line), encoding="utf-8"
        )
    return folder


def run_outside(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= dict.fromkeys(("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "TQDM_DISABLE"), "1")
    environment["HF_HOME"] = str(folder.parent / "cache")
    run = captured([sys.executable, *arguments], cwd=folder, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="session")
def reports(staged):
    script, out = staged.parent / "probe_metrics.py", staged.parent / "reports.json"
    shutil.copyfile(ROOT / "tests" / "support" / "probe_metrics.py", script)
    run_outside(staged, str(script), *[folder.name for folder in METRICS], *BROKEN, str(out))
    return json.loads(out.read_text(encoding="utf-8"))


@of_each_metric
def test_metric_examples_run_outside_the_repository(folder, reports):
    report, place = reports[folder.name], f"metrics/{folder.name}/{folder.name}.py"
    assert report["load"] == ""
    expected = "expected lines with >>> that load the metric, compute, and show a figure"
    assert report["attempted"] > 1, f"{place}: _KWARGS_DESCRIPTION has no example; {expected}"
    assert report["failed"] == 0, report["output"]
    assert report["computed"] > 0, f"{place}: no example of _KWARGS_DESCRIPTION calls compute()"
    assert report["differences"] == [], "directly and on evaluate's own path"


@of_each_metric
def test_an_example_has_something_wrong_in_it(folder):
    """What scores perfectly may never reach the code that compares what differs."""
    results = [
        metric_class(folder.name)(keep_in_memory=True).compute(**columns, **options)
        for columns, options in examples(folder.name)
    ]
    scores = [value for result in results for value in numbers_of(result).values()]
    assert any(0 < value < 1 for value in scores if isinstance(value, float))


def test_broken_metrics_are_found_out(reports):
    assert "metrics" in reports["fails_to_load"]["load"]
    assert (reports["wrong_example"]["failed"], reports["two_answers"]["failed"]) == (1, 0)
    assert reports["wrong_example"]["differences"] == []
    assert len(reports["two_answers"]["differences"]) == 2


def test_maths_of_the_metrics_imports_nothing_heavy(staged):
    files = {(folder.name, file[:-3]) for folder in METRICS for file in metric_files(folder.name)}
    modules = [f"{metric}.{module}" for metric, module in sorted(files) if module != metric]
    script = f"import sys\nfor name in {modules}:\n    __import__(name)\n"
    script += f"print(*[name for name in {HEAVY} if name in sys.modules])"
    assert run_outside(staged, "-c", script).split() == []
