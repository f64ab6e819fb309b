"""What waits for clocks is marked, and a busy machine is quiet again afterwards."""

import pytest

from ground.paths import ROOT
from tests.support.burner import burning
from tests.support.quick import mentioned

WAITING = {
    *("signal", "threading", "concurrent.futures"),
    *("research.engine.work", "research.engine.journal"),
    *("tests.support.browser", "tests.support.hub_server"),
}


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda p: p.stem)
def test_a_module_that_waits_for_processes_has_tests_marked_clock(path):
    named = mentioned(path) & WAITING
    text = path.read_text(encoding="utf-8")
    assert not named or "pytest.mark.clock" in text, f"{path.name} imports {sorted(named)}"


def test_a_burner_ends_with_its_block():
    with burning(2) as busy:
        assert [process.poll() for process in busy] == [None, None]
    assert None not in [process.poll() for process in busy]
