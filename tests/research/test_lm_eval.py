"""lm-evaluation-harness reports of the same rows and model what the likelihood studies say."""

import pytest

from integrations import suites
from research.studies import likelihoods
from research.studies.likelihoods import STUDIES, Part
from tests.product.test_lm_eval import LIMIT, SCORED, evaluated, model  # noqa: F401
from tests.support.study_runs import run_of


@pytest.mark.slow
@pytest.mark.parametrize("name", SCORED)
def test_the_tool_reports_what_the_study_says(
    name,
    evaluated,  # noqa: F811
    model,  # noqa: F811
    hub,
    tmp_path,
):
    results, ids = evaluated
    arguments = SCORED[name]["dataset_kwargs"]
    suite, config, measure = (arguments[key] for key in ("suite", "config", "measure"))
    assert len(set(ids[name])) == LIMIT
    part = Part(suite, config)
    rows = {row["id"]: row for row in suites.rows(suite, config, hub=str(hub))}
    part.__dict__["rows"] = [rows[one] for one in ids[name]]
    run = run_of(STUDIES["sorts"], tmp_path, "--systems", f"transformers:{model}")
    likelihoods.work({name: part}, run)
    found = likelihoods.score({name: part}, run)[f"{config}: {measure}"]
    (ours,) = (
        row
        for row in found
        if row["construction"] == "all"
        and not row["system"].startswith("chance")
        and "neighbour" not in row["system"]
    )
    theirs = results[name]
    for number in ("accuracy", "accuracy_low", "accuracy_high"):
        assert theirs[f"{number},none"] == pytest.approx(ours[number], abs=1e-9), number
    assert 0 < theirs["accuracy_stderr,none"] < 0.5
    if measure != "choice":  # sums of tokens in float32, added up in another order
        assert theirs["effect,none"] == pytest.approx(ours["effect"], rel=1e-4, abs=1e-4)
