"""The strict scorer beside readers of real replies: kappas, errors, and the committed figures."""

import json
from dataclasses import replace
from math import isnan
from typing import Any

import pytest

from ground.paths import RESULTS
from metrics._shared.uncertainty import wilson_interval
from research.studies.centerbench import answer_readings
from research.studies.centerbench import answer_readings as study
from tests.support.centerbench_draw import question_rows

ROW = next(row for row in question_rows() if row["question_type"] == "agent_identification")


def replies(*said: tuple[bool, str, str]) -> list[study.Decided]:
    """Replies by the scorer's decision and both verdicts."""
    found = []
    for i, (strict, first, second) in enumerate(said):
        reading = study.ReadReply("a", str(i), '"x"', first, second)  # type: ignore[arg-type]
        found.append(study.Decided(reading, ROW, strict, first == "right", second == "right"))
    return found


def test_agreement_by_hand():
    right, refused = (True, "right", "right"), (False, "right", "right")
    accepted, disputed = (True, "wrong", "none"), (False, "right", "wrong")
    unread = (False, "none", "none")
    found = study.agreement(replies(*[right] * 3, refused, accepted, disputed, *[unread] * 4))
    assert (found["n"], found["strict"], found["first"], found["second"]) == (10, 4, 5, 4)
    # the same of 9 in 10; by chance .5 * .4 + .5 * .6 = .5
    assert found["kappa_readers"] == pytest.approx((0.9 - 0.5) / (1 - 0.5))
    # the same of 7 in 10; by chance .4 * .5 + .6 * .5 = .5
    assert found["kappa_first"] == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    # the same of 8 in 10; by chance .4 * .4 + .6 * .6 = .52
    assert found["kappa_second"] == pytest.approx((0.8 - 0.52) / (1 - 0.52))
    # what the readers dispute is no error of the scorer's
    assert (found["false_accepts"], found["n_not_right"]) == (1, 5)
    assert (found["false_rejects"], found["n_right"]) == (1, 4)


def test_kappa_of_one_answer_only_is_undefined():
    found = study.agreement(replies((False, "none", "wrong"), (False, "wrong", "none")))
    assert isnan(found["kappa_readers"])
    assert "| – | – | – | 0 of 2: 0.0 [0.0, 65.8] | – |" in study.result_text({"all": found}, [])


def test_the_decision_is_todays():
    gold = ROW["answer"]
    other = next(e["subject"] for e in ROW["events"] if e["subject"] not in gold)
    for text, is_right in ((f"It was {gold}.\n", True), (f"the {other}", False)):
        reading = study.ReadReply("a", ROW["id"], json.dumps(text), "right", "none")
        found = study.decided(reading, ROW)
        assert (found.strict, found.first, found.second) == (is_right, True, False)


def test_500_replies_of_four_systems_were_read():
    readings = study.read_readings()
    assert len(readings) == 500
    assert len({reading.system for reading in readings}) == 4
    assert {reading.first for reading in readings} == {"right", "wrong", "none"}


@pytest.fixture(scope="module")
def found() -> list[study.Decided]:
    return answer_readings.rows(study.STUDY.parser().parse_args([]))


def test_the_committed_figures_come_from_the_table(found):
    committed: dict[str, Any] = json.loads(
        (RESULTS / "centerbench" / "answer_readings.json").read_text(encoding="utf-8")
    )
    (shown,) = study.STUDY.show(study.STUDY.score(found, None), None)  # type: ignore[arg-type]
    assert committed["figures"] == shown.figures
    whole = committed["figures"]["all"]
    assert whole["n"] == 500
    ends = wilson_interval(whole["false_rejects"], whole["n_right"])
    text = (RESULTS / "centerbench" / "answer_readings.md").read_text(encoding="utf-8")
    assert text.rstrip() == shown.text.rstrip()
    assert f"[{100 * ends.low:.1f}, {100 * ends.high:.1f}]" in text


def test_a_changed_verdict_changes_the_figures(found):
    one = next(one for one in found if one.first and one.second and one.strict)
    turned = [replace(each, strict=False) if each is one else each for each in found]
    before, after = study.agreement(found), study.agreement(turned)
    assert after["false_rejects"] == before["false_rejects"] + 1
    assert after["kappa_first"] < before["kappa_first"]
