"""Metrics as evaluate loads them: staged first, since evaluate takes flat folders only."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from publish.build.build import stage_metric
from publish.check.stranger import Hiding


def load_staged(name: str) -> Any:
    """The evaluate module of a metric, staged as for the Hub.

    evaluate imports torch by way of transformers: three seconds that no metric needs.
    """
    sys.meta_path[:] = [Hiding(finder, ["transformers"]) for finder in sys.meta_path]
    import evaluate

    with tempfile.TemporaryDirectory() as folder:
        stage_metric(name, Path(folder))
        return evaluate.load(str(Path(folder) / name))
