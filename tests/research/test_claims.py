"""The ledger: verdicts from figures, and its committed page."""

import json
import re
from pathlib import Path

import pytest

from research.studies import claims
from research.studies.claims import LedgerRow, compare, figures, findings, judged, page
from tests.support.cases import cases

HELD = {
    "a/0": {"f1": 0.8, "f1_low": 0.7, "f1_high": 0.9, "n": 5},
    "b/0": {"f1": 0.5, "f1_low": 0.4, "f1_high": 0.6, "n": 5},
    "seeds": {"las": {"value": 0.65, "low": float("nan"), "high": float("nan")}},
    "rows": [{"system": "x:1", "f1": 0.1}, {"system": "y", "f1": 0.3}],
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "t.json").write_text(json.dumps({"figures": HELD}), encoding="utf-8")
    monkeypatch.setattr(claims, "RESULTS", tmp_path)
    return tmp_path


@pytest.mark.parametrize(*cases("claims/a_comparison_is_settled_by_its_intervals"))
def test_a_comparison_is_settled_by_its_intervals(text, verdicts, results):
    assert [verdict for verdict, _ in compare(text)] == verdicts


def test_a_claim_is_as_its_worst_comparison(results):
    def of(comparison: str | None, note: str | None = None) -> str:
        return judged(LedgerRow("i", "eras", "1", "c", "t", None, comparison, note)).verdict

    assert of("s/t:a/0:f1 > 0.6 and s/t:a/0:n > 4") == "holds"
    assert of("s/t:a/0:f1 > 0.6 and s/t:a/0:f1 > 0.75") == "open"
    assert of("s/t:a/0:f1 > 0.75 and s/t:b/0:f1 > 0.65") == "fails"
    assert of("s/other:a/0:f1 > 0.6") == "open"  # a study that was not run
    assert of(None, "why") == "cannot be tested"
    with pytest.raises(ValueError, match="no comparison and no reason"):
        of(None)


def test_a_figure_that_there_is_not_is_an_error(results):
    for name in ("s/t:c/0:f1", "s/t:a/0:f2", "s/t:rows:system=z:f1"):
        with pytest.raises(ValueError, match="figure, got"):
            figures(name)
    with pytest.raises(ValueError, match="comparison, got 'x'"):
        compare("x")


def test_the_committed_page_is_that_of_the_committed_figures():
    found = findings()
    text = page(found)
    assert claims.PAGE.read_text("utf-8") == text
    assert len(re.findall(r"\*\*(?:holds|fails|open|cannot be tested)", text)) >= 60
    assert {one.verdict for one in found} == set(claims.VERDICTS)
