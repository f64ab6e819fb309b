"""A fault of a command of the laboratory is one line as well."""

import pytest

from ground.paths import ROOT
from research.studies.__main__ import main as studies
from research.studies.figures import make_figures
from research.systems import __main__ as systems
from tests.product.test_command_faults import FAULTS, assert_one_line, raising


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_study_is_one_line(fault, capsys, monkeypatch):
    monkeypatch.setattr("research.studies.__main__.run", raising(fault))
    code = studies(["eras", "nulls"])
    assert_one_line(code, capsys.readouterr().err, "research eras nulls", fault)


def test_the_list_of_systems_ends_in_one_line_too(capsys, monkeypatch):
    text = (ROOT / "research" / "systems" / "__main__.py").read_text(encoding="utf-8")
    assert 'sys.exit(run_command("systems", main))' in text
    assert callable(systems.main)


def test_figures_of_no_suite_are_refused(capsys):
    assert make_figures(["nope"]) == 1
    assert "SUITE, got 'nope'; expected centerbench" in capsys.readouterr().err
