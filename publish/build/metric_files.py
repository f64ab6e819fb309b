"""The Python files of a metric as its Space has them: one flat folder, shared files copied in.

evaluate's loader fetches only what the module itself imports from, and knows no parent folder:
`from .._shared.columns import` becomes `from .columns import`, and the module gets an import of
every file that only its siblings need. A key as `_CITATION` becomes the bibliography's entry.
"""

import ast
import re
from pathlib import Path

from ground.paths import ROOT
from ground.references import bibtex
from metrics._shared.plain_text import lines_of

METRICS = ROOT / "metrics"
SHARED = "_shared"
SHARED_IMPORT = re.compile(rf"^(\s*from )\.\.{SHARED}(\.\w+ import )", re.MULTILINE)

CITATION = re.compile(r'^_CITATION = "([^"]+)"$', re.MULTILINE)


def metric_files(name: str, metrics: Path = METRICS) -> dict[str, str]:
    """Text of every .py file of the staged metric `name`, by file name; lines end in LF."""
    own = {path.stem: path for path in sorted((metrics / name).glob("*.py"))}
    shared = _shared_files(own, metrics)
    if doubled := sorted(own.keys() & shared.keys()):
        raise ValueError(
            f"metrics/{name}: {doubled[0]}.py, got one of its own and a shared one; expected one"
        )
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
    for node in ast.parse(_text(metrics / name / "scoring.py")).body:
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
    return {
        node.module or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.level == level
    }


def with_all_imports(text: str, modules: set[str]) -> str:
    """Source text of an evaluate module that imports from each of `modules`: all are fetched."""
    lines, body = lines_of(text), ast.parse(text).body
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
