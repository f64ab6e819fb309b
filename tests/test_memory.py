"""What is asked of malloc, by whom: by a process that hands work to others, where it is glibc's."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from ground.memory import MAPPED_FROM, give_memory_back


@pytest.mark.parametrize(("is_driver", "asked"), [(True, [(-3, MAPPED_FROM)]), (False, [])])
def test_malloc_is_asked_by_a_driver_alone(
    is_driver: bool, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    libc = SimpleNamespace(mallopt=lambda *given: calls.append(given))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: libc)
    give_memory_back(is_driver=is_driver)
    assert calls == asked
    assert pa.default_memory_pool().backend_name == "system"


def test_another_libc_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    give_memory_back(is_driver=True)
    assert pa.default_memory_pool().backend_name == "system"
