"""Metrics as evaluate loads them: staged first, since evaluate takes flat folders only."""

import tempfile
from pathlib import Path
from typing import Any

import evaluate

from publish.build import stage_metric


def load_staged(name: str) -> Any:
    """The evaluate module of a metric of this repository, staged as it goes to the Hub."""
    with tempfile.TemporaryDirectory() as folder:
        stage_metric(name, Path(folder))
        return evaluate.load(str(Path(folder) / name))
