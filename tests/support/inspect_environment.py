"""Runs code beside inspect-ai, which lies in a venv of its own."""

import pytest

from tests.support.processes import captured
from tests.support.publishing import clean, finish
from tests.support.skips import INSPECT


def run_inspect(code: str, said: str, *arguments: str, **environment: str) -> str:
    """Runs Python code beside inspect-ai with a text as input; gives what it prints."""
    if not INSPECT.exists():
        pytest.skip("inspect-ai is not at hand: make .venv/.inspect")
    return finish(
        captured(
            [str(INSPECT), "-c", code, *arguments],
            input=said,
            env=clean({"INSPECT_DISPLAY": "none", **environment}),
            encoding="utf-8",
        )
    )
