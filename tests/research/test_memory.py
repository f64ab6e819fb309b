"""What is asked of malloc, by whom: by a process that hands work to others, where it is glibc's."""

import ctypes
import os
import sys
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from research.studies.study import MAPPED_FROM, give_memory_back
from tests.conftest import ROOT
from tests.support.processes import captured

POOL = "ARROW_DEFAULT_MEMORY_POOL"


@pytest.mark.parametrize(("is_driver", "asked"), [(True, [(-3, MAPPED_FROM)]), (False, [])])
def test_malloc_is_asked_by_a_driver_alone(is_driver, asked, monkeypatch):
    calls: list[Any] = []
    libc = SimpleNamespace(mallopt=lambda *given: calls.append(given))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: libc)
    give_memory_back(is_driver=is_driver)
    assert calls == asked
    assert pa.default_memory_pool().backend_name == "system"


def test_another_libc_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    give_memory_back(is_driver=True)
    assert pa.default_memory_pool().backend_name == "system"


def test_what_arrow_writes_takes_memory_from_the_system():
    """The pool that it chose as it was loaded, which no later setting changes."""
    program = "import research.studies, pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    command = [sys.executable, "-c", program]
    given = {name: value for name, value in os.environ.items() if name != POOL}
    for environment, expected in ((given, "system"), ({**given, POOL: "mimalloc"}, "mimalloc")):
        found = captured(command, env=environment, cwd=ROOT, check=True)
        assert found.stdout.strip() == expected
