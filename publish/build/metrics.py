"""Finds the metrics, and tells whether a build is as new as the tree."""

import ast
import hashlib
import re
from pathlib import Path

from dataset_scripts.registry import suite_names
from ground.found import found, imported_files, parsed
from ground.paths import ROOT
from ground.references import bibtex
from metrics._shared.plain_text import lines_of

METRICS = ROOT / "metrics"
SHARED = "_shared"
SHARED_IMPORT = re.compile(rf"^(\s*from )\.\.{SHARED}(\.\w+ import )", re.MULTILINE)
RELATIVE = re.compile(r"^\s*from (\.+)([\w.]*) import\b", re.M)
CITATION = re.compile(r'^_CITATION = "([^"]+)"$', re.MULTILINE)
LEADERBOARD = "leaderboard"
SOURCES = {
    "suite": (
        *("builders/{name}/**/*", "dataset_scripts/{name}.py"),
        *("cards/datasets/{name}.*", "cards/results/{name}/*"),
    ),
    "metric": (
        *("metrics/{name}/**/*", "cards/metrics/{name}.md", "cards/results/**/*.md"),
        *("publish/page/**/*", "constraints.txt"),  # the version of Gradio
    ),
    LEADERBOARD: (
        *("builders/*/suite.toml", "builders/*/data/shallow*.tsv", "builders/*/__init__.py"),
        *("cards/results/*/*.json", "cards/datasets/*.md"),
    ),
}
OF_ALL = ("publish/build/**/*", "cards/references.bib")


def metric_names() -> list[str]:
    """Names of the metrics: the folders of `metrics` with a module that has `score`."""
    return [module.split(".")[0] for module in found(ROOT / "metrics", "score")]


def source_hash(name: str) -> str:
    """SHA-256 of everything a suite or metric is built from: an older build is found out by it.

    What is not listed here, such as another study's result in a card, is found by making the folder
    again; this hash says at once that it must be.
    """
    kind = "suite" if name in suite_names() else name if name == LEADERBOARD else "metric"
    patterns = [pattern.format(name=name) for pattern in (*SOURCES[kind], *OF_ALL)]
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)}
    if kind == "metric":  # its code as it is staged, not as it lies
        paths = {p for p in paths if p.suffix != ".py" or ROOT / "metrics" not in p.parents}
        files = {f"{name}/{file}": text.encode() for file, text in metric_files(name).items()}
    else:
        names = metric_names()
        files = {f"metrics/{one}/VERSION": metric_version(one).encode() for one in names}
    if kind == "suite":  # and every module that is imported on the way
        paths |= imported_files([path for path in paths if path.suffix == ".py"], ROOT)
    for path in paths:
        if path.is_file() and "__pycache__" not in path.parts:
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    digest = hashlib.sha256()
    for place, content in sorted(files.items()):
        digest.update(f"{place}\0".encode() + content)
    return digest.hexdigest()


def metric_files(name: str, metrics: Path = METRICS) -> dict[str, str]:
    """Text of every .py file of the staged metric `name`, by file name; lines end in LF."""
    own = {path.stem: path for path in sorted((metrics / name).glob("*.py"))}
    shared = _shared_files(own, metrics)
    if doubled := sorted(own.keys() & shared.keys()):
        got = f"metrics/{name}: {doubled[0]}.py, got one of its own and a shared one"
        raise ValueError(f"{got}; expected one")
    texts = {stem: flat(_text(path)) for stem, path in sorted({**own, **shared}.items())}
    for stem, text in texts.items():
        if unknown := siblings(text) - texts.keys():
            where, known = f"metrics/{name}/{stem}.py", ", ".join(texts)
            raise ValueError(f"{where}: import, got {unknown.pop()!r}; expected one of {known}")
    whole = with_all_imports(texts[name], set(texts) - {name})
    texts[name] = CITATION.sub(lambda key: f'_CITATION = r"""\n{bibtex(key[1])}\n"""', whole)
    return {f"{stem}.py": text for stem, text in texts.items()}


def metric_version(name: str, metrics: Path = METRICS) -> str:
    """VERSION of a metric, read from its scoring.py unimported; empty where it has none."""
    for node in parsed(_text(metrics / name / "scoring.py")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VERSION":
            return str(ast.literal_eval(node.value))
    return ""


def flat(text: str) -> str:
    """Source text with each import from the shared folder turned into one from its own folder.

    Example:
        >>> flat("from .._shared.columns import to_list")
        'from .columns import to_list'
    """
    return SHARED_IMPORT.sub(r"\1\2", text)


def siblings(text: str, level: int = 1) -> set[str]:
    """Names of the modules that a source text imports from with `level` dots."""
    return {module for dots, module in RELATIVE.findall(text) if len(dots) == level}


def with_all_imports(text: str, modules: set[str]) -> str:
    """Source text of an evaluate module that imports from each of `modules`: all are fetched."""
    lines, body = lines_of(text), parsed(text).body
    end = [node.end_lineno for node in body if isinstance(node, ast.Import | ast.ImportFrom)][-1]
    missing = sorted(modules - siblings(text))
    lines[end:end] = [f"from .{module} import __name__ as _{module}" for module in missing]
    return "\n".join(lines) + "\n"


def _shared_files(own: dict[str, Path], metrics: Path) -> dict[str, Path]:
    """Shared files that the metric's own files import from, and those that these need in turn."""
    parents = set().union(*(siblings(_text(path), level=2) for path in own.values()))
    wanted = {module.removeprefix(f"{SHARED}.") for module in parents}
    found: dict[str, Path] = {}
    while wanted:
        stem = wanted.pop()
        path = metrics / SHARED / f"{stem}.py"
        if not path.exists():
            raise ValueError(f"metrics/{SHARED}: {stem}.py, got none; expected a shared file")
        found[stem] = path
        wanted |= siblings(_text(found[stem])) - found.keys()
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
