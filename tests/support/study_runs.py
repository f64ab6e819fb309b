"""Runs of studies for tests: with a store of their own, from the command line or part by part."""

from pathlib import Path
from typing import Any

from research.engine.loop import Loop
from research.studies.study import Run, Study

STAMP = {"version": "1.0.0", "content_hash": "of the draw"}


def run_of(study: Study, folder: Path, *arguments: str, **loop: Any) -> Run:
    """A run of a study with these options, its store below a folder."""
    options = study.parser().parse_args([*arguments, "--store", str(folder / "store")])
    return Run(study, options, Loop(**loop))


def scored(study: Study, folder: Path, *arguments: str) -> Any:
    """The scores of a study."""
    run = run_of(study, folder, *arguments)
    rows = study.rows(run.options)
    study.work(rows, run)
    return study.score(rows, run)
