"""Lines of the page of conclusions on networks and on new test sets: verdicts on scores made up."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FILES, MeasuredSetting, NewTestRow, ScoreRow, ScoreRun
from builders.morphseg.sources import languages
from research.studies.morphseg import score_files
from research.studies.morphseg.claims import (
    CRFS,
    NETWORK,
    AtSize,
    NetworkScores,
    network_lines,
    network_settings,
    new_test_lines,
    settings_tested,
)
from research.studies.morphseg.plan import published_settings, settings_with_new_tests

EXAMPLE = ("rus", 2000, "without", "paper", 0)


def write(
    folder: Path, rows: Mapping[str, list[ScoreRow] | list[ScoreRun] | list[NewTestRow]]
) -> None:
    """The tables as an export writes them; a run for each model of the scores."""
    for name in FILES:
        table = {
            tuple(getattr(r, k) for k in score_files.KEYS[name].split()): r
            for r in rows.get(name, [])
        }
        (folder / f"{name}.tsv").write_text(score_files.table_text(name, table), "utf-8")


def run_of_model(model: str) -> ScoreRun:
    return ScoreRun(*EXAMPLE, model, 1, "0" * 16, "torch", "2.9.1", None, None)


def scored(model: str, data_set: int, split: str, f1: float) -> ScoreRow:
    return ScoreRow(*EXAMPLE, model, data_set, split, 0.5, 0.5, 0.5, f1, 1.0)  # type: ignore[arg-type]


def test_networks_and_crfs_are_compared_on_the_same_data_sets(tmp_path):
    """CRFs have three data sets, networks two and a split of the third, which is left out."""
    scores = [
        scored(model, n, split, 0.7 + n / 100)
        for model in CRFS
        for n in (1, 2, 3)
        for split in SPLITS
    ]
    scores += [scored(NETWORK, n, split, 0.6 + n / 10) for n in (1, 2) for split in SPLITS]
    scores.append(scored(NETWORK, 3, "A", 0.1))
    write(tmp_path, {"scores": scores, "score_runs": [run_of_model(m) for m in (*CRFS, NETWORK)]})
    (found,) = network_settings(tmp_path)
    assert found.n_data_sets == 2
    assert found.f1[NETWORK] == pytest.approx([70, 80])
    assert found.f1["1-crf"] == pytest.approx([71, 72])
    assert found.lead == pytest.approx(71.5 - 75)


def test_a_setting_without_networks_is_none(tmp_path):
    write(
        tmp_path, {"scores": [scored("1-crf", 1, "A", 0.5)], "score_runs": [run_of_model("1-crf")]}
    )
    assert network_settings(tmp_path) == []


def networks(language: str, size: int, method: str, f1: float, crf: float = 75.0) -> NetworkScores:
    setting = Setting(language, languages()[language].n_types, size, method)  # type: ignore[arg-type]
    return NetworkScores(
        setting, {NETWORK: np.full(3, f1)} | {model: np.full(3, crf) for model in CRFS}
    )


def test_a_published_mean_of_networks_that_comes_out_again():
    """Published: 74.39, a deviation of 0.89; three standard errors are 1.59 points here."""
    near, far = (networks("rus", 2000, "without", 74.39 + d) for d in (1.4, 1.7))
    first, second = network_lines([near, networks("rus", 2000, "with", 74.86)])
    assert (first["verdict"], first["settings"]) == ("**holds**", "2 of 2")
    assert str(first["what that rests on"]).startswith(
        "75.8 for 74.4, +2.6 standard errors, over 3"
    )
    assert (second["verdict"], second["settings"]) == ("**fails**", "2 of 2")  # 75 < 75.8
    assert network_lines([far])[0]["verdict"] == "**fails so far**"


def test_crfs_are_better_where_the_paper_says_it():
    """Other settings are shown beside the example and do not decide."""
    ahead, behind = networks("rus", 2000, "without", 74.0), networks("fin", 500, "without", 80.0)
    (_, line) = network_lines([ahead, behind])
    assert line["verdict"] == "**holds so far**"
    assert line["what that rests on"] == (
        "order 1 to 4 ahead by 1.0 points on the same data sets; elsewhere: Finnish, 500 words"
        " without replacement: -5.0"
    )
    assert [one["verdict"] for one in network_lines([behind])] == ["**open**", "**open**"]


def scored_anew(
    data_set: int, size: int, mean: float, sd: float, low: float, high: float
) -> NewTestRow:
    return NewTestRow(*EXAMPLE, "4-crf", data_set, "A", size, 100, mean, sd, low, high)  # type: ignore[arg-type]


def test_new_test_sets_are_told_apart_from_models(tmp_path):
    rows = [
        scored_anew(1, 50, 0.70, 0.03, 0.55, 0.80),
        scored_anew(2, 50, 0.72, 0.04, 0.60, 0.90),
        scored_anew(1, 100, 0.70, 0.02, 0.65, 0.75),
        scored_anew(2, 100, 0.73, 0.02, 0.65, 0.75),
    ]
    write(tmp_path, {"new_test_scores": rows, "score_runs": [run_of_model("4-crf")]})
    ((keys, by_size),) = settings_tested(tmp_path).items()
    assert keys == MeasuredSetting(*EXAMPLE)  # type: ignore[arg-type]
    expected = AtSize(71.0, 35.0, np.sqrt((9 + 16) / 2), np.sqrt(2))
    assert by_size[50] == pytest.approx(expected)
    assert by_size[100] == pytest.approx((71.5, 10.0, 2.0, np.sqrt(4.5)))


def every_setting(change: Callable[[int], AtSize]) -> dict[MeasuredSetting, dict[int, AtSize]]:
    return {
        MeasuredSetting(*keys, "paper", 0): {size: change(size) for size in (50, 100)}
        for keys in settings_with_new_tests()
    }


WIDE = AtSize(mean=70.0, range=20.0, within=5.0, between=1.0)


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        (lambda size: WIDE, ["holds", "holds"]),
        (lambda size: WIDE._replace(range=3.0), ["fails", "holds"]),
        (lambda size: WIDE._replace(range=3.0 if size == 100 else 20.0), ["holds", "holds"]),
        (lambda size: WIDE._replace(mean=70 + size / 25), ["holds", "fails"]),  # 2 points
    ],
)
def test_new_tests_hold_or_fail(change, verdicts):
    lines = new_test_lines(every_setting(change))
    assert [str(line["verdict"]).strip("*") for line in lines] == verdicts
    assert {line["settings"] for line in lines} == {"74 of 74"}


def test_new_tests_say_how_many_settings_they_rest_on():
    whole = every_setting(lambda size: WIDE)
    some = dict(list(whole.items())[:4])
    assert {line["verdict"] for line in new_test_lines(some)} == {"**holds so far**"}
    few = dict(list(whole.items())[:3])
    for few_or_none in (few, {}):
        assert {line["verdict"] for line in new_test_lines(few_or_none)} == {"**open**"}
    evidence = str(new_test_lines(some)[0]["what that rests on"])
    assert "5.0 and 1.0 at 50 words, 5.0 and 1.0 at 100 words" in evidence


def test_two_languages_have_no_new_tests():
    """Table 1: none for Yorem Nokki and Nahuatl, four settings each."""
    without = set(published_settings()) - set(settings_with_new_tests())
    assert {language for language, _, _ in without} == {"mfy", "nah"}
    assert len(without) == 8
