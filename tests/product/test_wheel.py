"""The package that users install: what is in it, and that it works alone, without network."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from builders.suites import suites_with
from garden_path.scoring import inputs_of
from publish.wheel import BUILT, MOST_BYTES, build_distributions, inwards
from tests.conftest import ROOT
from tests.support.processes import captured
from tests.support.skips import interpreter

ROOMS = ("ground", "builders", "metrics", "publish", "research", "dataset_scripts", "tests")
SCORES = ROOT / "metrics/ranking_generalizability/examples/settled.csv"
NO_NETWORK = {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PYTHONPATH": "", "GARDEN_PATH_HUB": ""}
IN_PYTHON = """
import json, sys, garden_path
words, answers, trees, scores, a, b = sys.argv[1:]
told = {
    "eras": garden_path.score("eras", words),
    "centerbench": garden_path.score("centerbench", answers),
    "pp_attachment": garden_path.score("pp_attachment", trees),
}
assert garden_path.load("eras", "simplified_lite").num_rows == 1950
assert garden_path.compare(a, b).headline == 0
assert garden_path.rank(scores).summary().startswith("Read: ")
assert not {"evaluate", "datasets", "torch"} & set(sys.modules)
print(json.dumps({suite: one.summary().split("\\n") for suite, one in told.items()}))
"""


@pytest.fixture(scope="module")
def made(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Wheel and sdist by their endings."""
    paths = build_distributions(hub, tmp_path_factory.mktemp("dist"))
    return {path.suffix: path for path in paths}


@pytest.fixture(scope="module")
def given(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A file of each kind: words, answers, trees."""
    folder = tmp_path_factory.mktemp("given")
    sentences = inputs_of("eras", hub=str(hub))
    lines = [" ".join(text) for text in sentences.inputs]
    (folder / "words.txt").write_text("\n".join(lines), encoding="utf-8")
    questions = inputs_of("centerbench", hub=str(hub))
    answers = dict.fromkeys(questions.ids, "the dog")
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    clauses = inputs_of("pp_attachment", hub=str(hub))
    blocks = []
    for name, words in zip(clauses.ids, clauses.inputs, strict=True):
        rows = [f"{i}\t{w}\t{w}\tX\t_\t_\t{i - 1}\tdep\t_\t_" for i, w in enumerate(words, 1)]
        blocks.append("\n".join([f"# sent_id = {name}", *rows, "", ""]))
    (folder / "trees.conllu").write_text("".join(blocks), encoding="utf-8")
    return {path.suffix: str(path) for path in folder.iterdir()} | {".csv": str(SCORES)}


def test_what_is_inside(made):
    with zipfile.ZipFile(made[".whl"]) as wheel:
        names = wheel.namelist()
        told = wheel.read(next(n for n in names if n.endswith("METADATA"))).decode()
        points = wheel.read(next(n for n in names if n.endswith("entry_points.txt"))).decode()
        code = {name: wheel.read(name).decode() for name in names if name.endswith(".py")}
    assert {name.split("/")[0].split("-")[0] for name in names} == {"garden_path"}
    assert points.split() == ["[console_scripts]", "garden-path", "=", "garden_path.__main__:main"]
    needed = [line for line in told.split("\n") if "Requires-Dist" in line and "extra" not in line]
    assert [line.split()[1].split(">")[0] for line in needed] == ["numpy", "pyarrow", "tomli"]
    assert "Private" not in told
    assert "](" not in told, "a link that leads nowhere on the package's page"
    assert "License-Expression: Apache-2.0" in told
    for suite in suites_with("tests"):
        assert f"{BUILT}/builders/{suite}/suite.toml" in names
        kept = f"cards/results/{suite}/items/shortcuts.json"
        assert (f"{BUILT}/{kept}" in names) == (ROOT / kept).is_file()
        assert any(f"{BUILT}/hub/{suite}/" in name for name in names)
    outside = {
        (name, line)
        for name, text in code.items()
        for line in text.split("\n")
        if line.strip().startswith(tuple(f"from {room}" for room in ROOMS))
    }
    assert not outside, "an import that is not turned inwards"
    assert max(path.stat().st_size for path in made.values()) <= MOST_BYTES
    with tarfile.open(made[".gz"]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in names if "dist-info" not in name} <= inside


def test_both_are_as_an_index_wants_them(made):
    twine = [sys.executable, "-m", "twine", "check", "--strict", *map(str, made.values())]
    run = captured(twine)
    assert run.stdout.count("PASSED") == 2, run.stdout + run.stderr


def test_an_import_of_a_room_is_turned_inwards():
    turned = "    from garden_path._built.metrics.gper import x\n"
    assert inwards("    from metrics.gper import x\n") == turned
    kept = "from groundwork import x\nfrom garden_path.rows import load\nimport metrics_tools\n"
    assert inwards(kept) == kept


def test_a_hub_without_rows_is_refused(tmp_path):
    with pytest.raises(ValueError, match="rows, got none; expected a built suite: make hub"):
        build_distributions(tmp_path, tmp_path / "dist")


def commands(run: str, given: dict[str, str], folder: Path) -> list[list[str]]:
    """Every command of the package on files of each kind."""
    a, b = str(folder / "a.json"), str(folder / "b.json")
    return [
        [run, "list"],
        [run, "inputs", "sorts", "--out", str(folder / "clauses.conllu")],
        [run, "score", "eras", given[".txt"], "--json", a],
        [run, "score", "eras", given[".txt"], "--json", b, "--system", "again"],
        [run, "score", "pp_attachment", given[".conllu"]],
        [run, "score", "centerbench", given[".json"]],
        [run, "rank", given[".csv"]],
        [run, "compare", a, b],
    ]


def works_alone(python: Path, given: dict[str, str], folder: Path) -> None:
    """Runs every command and the Python calls with an interpreter, outside the repository."""
    environment = {**os.environ, **NO_NETWORK, "HF_HUB_OFFLINE": "1"}
    for words in commands(str(python.parent / "garden-path"), given, folder):
        run = captured(words, cwd=folder, env=environment)
        assert run.returncode == 0, run.stderr
        if words[1] == "score":
            assert run.stdout.strip().split("\n")[-1].startswith(("Above", "Below", "Not told"))
    files = [given[end] for end in (".txt", ".json", ".conllu", ".csv")]
    more = [str(folder / name) for name in ("a.json", "b.json")]
    words = [str(python), "-c", IN_PYTHON, *files, *more]
    run = captured(words, cwd=folder, env=environment)
    assert run.returncode == 0, run.stderr
    assert {len(lines) for lines in json.loads(run.stdout).values()} == {4}


def test_the_wheel_works_alone(made, given, tmp_path):
    """In a venv whose packages are numpy and pyarrow of this one, linked, and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    site = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    with zipfile.ZipFile(made[".whl"]) as wheel:
        wheel.extractall(site)
    import numpy
    import pyarrow

    for package in (numpy, pyarrow):
        place = Path(package.__path__[0])
        for path in (place, *place.parent.glob(f"{place.name}.libs")):
            (site / path.name).symlink_to(path)
    script = python.parent / "garden-path"
    script.write_text(
        f"#!{python}\nfrom garden_path.__main__ import main\nraise SystemExit(main())\n"
    )
    script.chmod(0o755)
    works_alone(python, given, tmp_path)
    timed = [python, "-X", "importtime", "-c", "import garden_path"]
    run = subprocess.run(timed, capture_output=True, check=True)
    last = run.stderr.decode().strip().split("\n")[-1]  # self | cumulative | name, microseconds
    assert int(last.split("|")[1]) < 300_000, last


@pytest.mark.slow
@pytest.mark.parametrize("end", [".whl", ".gz"])
@pytest.mark.parametrize("version", ["3.10", "3.13"])
def test_it_installs_into_an_empty_venv(version, end, made, given, tmp_path):
    """With what it names from a package index, on the oldest Python and a new one."""
    uv = [sys.executable, "-m", "uv"]
    place = tmp_path / "venv"
    if (base := interpreter(version)) is None:
        pytest.skip(f"Python {version} is not at hand")
    subprocess.run([*uv, "venv", "-q", "--python", base, place], check=True)
    python = place / "bin/python"
    subprocess.run([*uv, "pip", "install", "-q", "--python", python, made[end]], check=True)
    listed = [*uv, "pip", "list", "--python", python, "--format", "json"]
    names = {one["name"] for one in json.loads(subprocess.check_output(listed))}
    assert names - {"tomli"} == {"garden-path", "numpy", "pyarrow"}
    works_alone(python, given, tmp_path)
