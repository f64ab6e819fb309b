"""Result files as other tools write them, not by hand: each gives the right table.
`written/TOOL-VERSION[-KIND].zip` is what `tests.support.written_results` made the tool write; where
the tool is at hand, as GARDEN_PATH_TOOLS/TOOL-VERSION/bin/python, it writes again. Folders and the
description of the machine are taken out of them, nothing else."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from metrics.ranking_generalizability.sources import read_source
from tests.support.written_results import CODE, write

FOLDER = Path(__file__).parent / "written"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())
"""By archive: the note on the score, its direction, and scores by system and unit."""


def table_of(folder: Path) -> dict[str, Any]:
    source = read_source(folder)
    scores: dict[str, dict[str, float]] = {}
    names = zip(*(source.inputs[role] for role in ("system", "unit", "score")), strict=True)
    for system, unit, score in names:
        scores.setdefault(system, {})[unit] = pytest.approx(score, abs=1e-4)
    return {"note": source.note, "higher": source.is_higher_better, "scores": scores}


def test_every_archive_has_its_table():
    assert sorted(EXPECTED) == sorted(path.stem for path in FOLDER.glob("*.zip"))
    assert {name.partition("-")[0] for name in EXPECTED} <= set(CODE)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_a_tool_wrote_gives_the_right_table(name, tmp_path):
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    assert table_of(tmp_path) == EXPECTED[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "tool", sorted({name.rsplit("-", name.count("-") - 1)[0] for name in EXPECTED})
)
def test_what_a_tool_writes_again_gives_the_same_table(tool, tmp_path):
    python = Path(os.environ.get("GARDEN_PATH_TOOLS", "none")) / tool / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{tool} is not at hand: a venv GARDEN_PATH_TOOLS/{tool}")
    with zipfile.ZipFile(FOLDER / "inspect_ai-0.3.285-json.zip") as archive:
        archive.extractall(tmp_path / "logs")
    write(tool.partition("-")[0], python, tmp_path / "out", LOGS=str(tmp_path / "logs"))
    for name in (name for name in EXPECTED if f"{name}-".startswith(f"{tool}-")):
        kind = tmp_path / "out" / name.rpartition("-")[2]
        assert table_of(kind if kind.is_dir() else tmp_path / "out") == EXPECTED[name]


@pytest.mark.parametrize(
    ("name", "metric", "note", "is_higher_better"),
    [
        ("every_eval_ever-0.3.0", "accuracy,includes", "accuracy,includes", True),
        ("mteb-2.26.24", "accuracy", "accuracy", True),
        ("lm_eval-0.4.13", "brier_score", "brier_score,none", False),
    ],
)
def test_other_scores_are_asked_for_by_name(name, metric, note, is_higher_better, tmp_path):
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    found = read_source(tmp_path, metric=metric)
    assert (found.note, found.is_higher_better) == (f"Score: {note}.", is_higher_better)
