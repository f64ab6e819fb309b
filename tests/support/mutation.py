"""A seeded mutation run: small changes to the code, each of which a test must notice.

    python -m tests.support.mutation --seed 0 --places 60 --floor 0.95

Places are drawn at random from `metrics/`, `builders/`, `ground/` and `publish/`; the changes are
those of Cosmic Ray (another comparison, another operator, `and` for `or`, a number one off, a loop
that never runs ...). Each is made in a copy of the tree, where the test files that import the
changed module or another of its package run, one after the other, until one fails; it must pass
without the change. What survives is printed with its line: it is a line without a test, or a change
that means the same. With `--log FILE` a run that was stopped goes on where it was.
"""

import argparse
import ast
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ground.paths import ROOT
from tests.support.processes import captured
from tests.support.skips import released_folder, sources_folder

FOLDERS = ("metrics", "builders", "ground", "publish", "garden_path")
OPERATORS = ("ReplaceComparisonOperator", "ReplaceBinaryOperator", "AddNot", "NumberReplacer")
OPERATORS += ("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceUnaryOperator")
OPERATORS += ("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ZeroIterationForLoop")
LEFT_OUT = ("BitOr", "Delete_Not")  # unions of types; `AddNot` does the same as the second
GUARDS = ("strict", "frozen")
NOT_COPIED = (".git", ".venv", "hub", "store", "released", "__pycache__", ".mypy_cache", "site")
MOST_SECONDS = 300  # of a core for one test file; what takes longer has no end
PATIENCE = 3600.0  # seconds on the clock for one that only waits


@dataclass(frozen=True)
class Place:
    """A change to make: the n-th place of a file that a Cosmic Ray operator applies to."""

    path: Path
    operator: str
    occurrence: int
    line: int

    def __str__(self) -> str:
        name = self.operator.removeprefix("core/")
        return f"{self.path.as_posix()}:{self.line} {name} ({self.occurrence})"


def operator_names() -> list[str]:
    """Names of the operators that are used, sorted."""
    from cosmic_ray.plugins import operator_names as known

    wanted = tuple(f"core/{name}" for name in OPERATORS)
    names = [name for name in known() if name.startswith(wanted)]
    return sorted(name for name in names if not any(part in name for part in LEFT_OUT))


def places(path: Path) -> Iterator[Place]:
    """Every change that can be made to a file of the repository, but for annotations and guards."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    tree = get_ast((ROOT / path).read_text(encoding="utf-8"))
    nodes = [(node, _is_annotation(node) or _is_guard(node)) for node in ast_nodes(tree)]
    for name in operator_names():
        operator, occurrence = get_operator(name)(), 0
        for node, is_left_out in nodes:
            for start, _ in operator.mutation_positions(node):
                if not is_left_out:
                    yield Place(path, name, occurrence, start[0])
                occurrence += 1


def _is_annotation(node: object) -> bool:
    parent = node
    while parent is not None:
        if getattr(parent, "type", "") in ("annassign", "tfpdef"):
            return True
        parent = getattr(parent, "parent", None)
    return False


def _is_guard(node: object) -> bool:
    """Whether a value is that of `strict=` or `frozen=`, which no correct program can notice."""
    parent = getattr(node, "parent", None)
    children = getattr(parent, "children", None) or [node]
    is_keyword = getattr(parent, "type", "") == "argument" and children[0] is not node
    return is_keyword and getattr(children[0], "value", "") in GUARDS


def draw(seed: int, n: int) -> list[Place]:
    """Draws n places: first a file, weighted by its length, then one of its places.

    Args:
        seed: Which draw.
        n: Number of places.
    """
    generator = random.Random(seed)
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    lengths = [path.stat().st_size for path in files]
    found: dict[Path, list[Place]] = {}
    drawn: dict[Place, None] = {}
    while len(drawn) < n:
        path = generator.choices(files, lengths)[0].relative_to(ROOT)
        if path not in found:
            found[path] = list(places(path))
        if found[path]:
            drawn[generator.choice(found[path])] = None
    return list(drawn)


def tests_of(path: Path) -> list[str]:
    """Test files that import a module or another of its package. The likeliest first: those that
    import the module itself, and of these the one named after it; short ones before long ones."""
    module = ".".join(path.with_suffix("").parts)
    package = module.rpartition(".")[0]
    ranked = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        names = _imported(test)
        if any(name == package or name.startswith(f"{package}.") for name in names):
            is_direct = any(name == module or name.startswith(f"{module}.") for name in names)
            is_namesake = path.stem in test.stem or path.parent.name in test.stem
            order = (not is_direct, not is_namesake, test.stat().st_size)
            ranked.append((order, test.relative_to(ROOT).as_posix()))
    # hashes of all rows
    golden = ["tests/product/test_build.py"] if path.parts[0] == "builders" else []
    return [name for _, name in sorted(ranked) if name not in golden] + golden


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "load_part":  # of a page
            names |= {f"publish.page.{part.value}" for part in node.args[1:]}
    return names


def outcome(place: Place, tree: Path) -> str:
    """What the tests say of a change. "killed" by a test that fails, or does not end, with the
    change and passes without it; "survived"; or, where no file imports the module, "untested". A
    file whose test fails on the unchanged code too says nothing, and is named."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    target = tree / place.path
    original = target.read_text(encoding="utf-8")
    changed = mutate_code(original, get_operator(place.operator)(), place.occurrence)
    tests = tests_of(place.path)
    for test in tests:
        try:
            target.write_text(changed, encoding="utf-8")
            failed = _failed(test, tree)
        finally:
            target.write_text(original, encoding="utf-8")
        if failed and not _failed(failed, tree):
            return "killed"
        if failed:
            print(f"{failed}: fails on the unchanged code", file=sys.stderr)
    return "survived" if tests else "untested"


def _failed(test: str, tree: Path) -> str:
    """The first test of a file, or the one named, that fails; the file where it does not end."""
    marks = ["-m", "not slow", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", *marks, test]
    folders = {"GARDENPATH_RELEASED": released_folder(), "GARDENPATH_SOURCES": sources_folder()}
    environment = {**os.environ, **{name: str(folder) for name, folder in folders.items()}}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        run = captured(
            command,
            cwd=tree,
            env=environment,
            timeout=PATIENCE,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)
            ),
        )
    except subprocess.TimeoutExpired:
        return test
    if run.returncode in (0, 5):  # 5: the file has slow tests only
        return ""
    found = re.search(r"^FAILED (tests/.*?)(?: - |$)", run.stdout, flags=re.MULTILINE)
    return found.group(1) if found else test


def note(log: Path | None, line: str) -> None:
    """Appends a line to the log, if there is one."""
    if log:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def main() -> int:
    """Draws, changes, tests and reports; the exit code is 1 where too few changes are noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="which draw of places (default: 0)")
    parser.add_argument("--places", type=int, default=60, help="how many (default: 60)")
    parser.add_argument("--floor", type=float, default=0.95, help="least share that is noticed")
    parser.add_argument("--log", type=Path, help="file of what is found; places in it are not run")
    options = parser.parse_args()
    counts = {"killed": 0, "survived": 0, "untested": 0}
    log = options.log.read_text(encoding="utf-8") if options.log and options.log.exists() else ""
    known = dict(reversed(line.split(" ", 1)) for line in log.splitlines())
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_COPIED))
        for command in ("init --quiet", "add --all"):  # some tests ask git for the files
            subprocess.run(["git", *command.split()], cwd=tree, check=True)
        for place in draw(options.seed, options.places):
            if not (found := known.get(str(place))):
                found = outcome(place, tree)
                note(options.log, f"{found} {place}")
            counts[found] += 1
            print(f"{found:8} {place}", flush=True)
    share = counts["killed"] / options.places
    print(f"{counts['killed']} of {options.places} changes noticed, {100 * share:.1f} %")
    return 0 if share >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())
