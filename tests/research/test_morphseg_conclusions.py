"""The page of conclusions: each verdict on scores made up to agree with the paper or not."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FILES, MeasuredSetting, NewTestRow, ScoreRow, ScoreRun
from builders.morphseg.sources import languages
from research.studies.morphseg import claims, conclusions, score_files
from research.studies.morphseg.conclusions import (
    Conclusions,
    characteristic_fits,
    conclusions_text,
    example_plot,
    example_text,
    means_line,
    morfessor_line,
    range_plot,
    ranges_text,
    table_2_cells,
)
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.plan import (
    FAST_MODELS,
    PAPER_MODELS,
    chosen_models,
    published_settings,
    settings_with_new_tests,
)
from research.studies.morphseg.report import published_row
from research.studies.morphseg.results import SettingScores, whole_settings
from tests.support.study_runs import run_of

AS_RUSSIAN = dict(zip(FAST_MODELS, (36.0, 59.4, 75.1, 75.15, 75.2, 75.25), strict=True))
AHEAD = {**AS_RUSSIAN, "4-crf": 80.0}


def made(
    language: str,
    size: int,
    method: str,
    means: Mapping[str, float] = AS_RUSSIAN,
    sd: float = 0.8,
    seed: int = 0,
    n: int = 10,
) -> SettingScores:
    """Ten data sets, or n, of five splits, each model's scores about its mean."""
    random = np.random.default_rng([seed, size, len(method), *language.encode()])
    setting = Setting(language, languages()[language].n_types, size, method)  # type: ignore[arg-type]
    rows = []
    for model in FAST_MODELS:
        noise = random.normal(0, sd, n)
        noise -= noise.mean()
        for data_set in range(n):
            for split in SPLITS:
                f1 = (means[model] + noise[data_set]) / 100
                scores = dict.fromkeys(METRICS, f1) | {"distance": 2 - f1}
                described = {name: random.normal(1, 0.1) for name in FEATURES}
                at = {"model": model, "data_set": data_set + 1, "split": split}
                rows.append(at | scores | described)
    return SettingScores(setting, n, rows)


def published(method: str) -> dict[str, float]:
    setting = Setting("rus", languages()["rus"].n_types, 2000, method)  # type: ignore[arg-type]
    return {model: published_row(setting, model).mean for model in FAST_MODELS}  # type: ignore[union-attr]


def example(shift: Mapping[str, float] = {}) -> list[SettingScores]:
    """The two Russian settings with the published means, but for some models."""
    return [
        made("rus", 2000, method, {m: v + shift.get(m, 0) for m, v in published(method).items()})
        for method in ("with", "without")
    ]


def found_of(measured: Sequence[SettingScores]) -> Conclusions:
    return Conclusions(measured, table_2_cells(measured), {}, {}, {})


def claim(beginning: str) -> claims.Claim:
    (found,) = [one for one in claims.CLAIMS if one.text.startswith(beginning)]
    return found


def judged(beginning: str, measured: Sequence[SettingScores]) -> dict[str, object]:
    return claim(beginning).judged(measured)


def test_the_published_means_come_out_as_they_are():
    found = found_of(example())
    assert len(found.cells) == 12
    assert all(abs(cell.errors) < 1e-6 for cell in found.cells)


def test_a_mean_that_is_off_counts_in_standard_errors():
    (cell,) = [c for c in found_of(example({"1-crf": 1})).cells if c.model == "1-crf"][:1]
    setting = example()[0].setting
    sd = published_row(setting, "1-crf").sd  # type: ignore[union-attr]
    own = example({"1-crf": 1})[0].means["f1"]["1-crf"].std(ddof=1)
    assert cell.errors == pytest.approx(1 / np.sqrt(sd**2 / 50 + own**2 / 10))


def test_means_of_fifty_data_sets_must_be_within_a_point():
    ten, _ = example()  # with replacement
    rows = {}
    for off in (0.9, 1.2):
        means = {**published("without"), "2-crf": 75.15 + off}
        # they spread so far that both are within 3 standard errors
        fifty = made("rus", 2000, "without", means, sd=4, n=50)
        rows[off] = means_line(found_of([ten, fifty]))
        assert "10 of 10 cells" in str(rows[off]["what that rests on"])
    assert rows[0.9]["verdict"] == "**holds**"
    assert rows[1.2]["verdict"] == "**fails**"
    assert "1.20 points off at most (5 cells)" in str(rows[1.2]["what that rests on"])
    text = example_text(found_of([ten, fifty]))
    assert "**, ours over 10 data sets" in text
    assert "**, ours over 50 data sets" in text


def all_of(language: str, **changes: object) -> list[SettingScores]:
    return [
        made(code, size, method, **changes)  # type: ignore[arg-type]
        for code, size, method in published_settings()
        if code == language
    ]


def spreading(*sds: float) -> list[SettingScores]:
    """German data sets of three sizes, whose scores spread by as much."""
    return [
        made("deu", size, method, sd=sd)
        for size, sd in zip((500, 1000, 1500), sds, strict=True)
        for method in ("with", "without")
    ]


LARGE_ORDER = dict(zip(FAST_MODELS, (36.0, 59.4, 70.0, 75.15, 75.2, 75.25), strict=True))
FIRST_ORDER = {**AS_RUSSIAN, "1-crf": 77.0}
WIDE = {**AS_RUSSIAN, "4-crf": 78.0}


@pytest.mark.parametrize(
    ("beginning", "agreeing", "differing"),
    [
        ("Morfessor and 0-CRF", example(), example({"0-crf-published": 30})),
        ("context helps", example(), example({"4-crf": 5})),
        ("the first data set's best", all_of("deu"), all_of("deu", means=AHEAD)),
        ("but it nearly always", all_of("zul", means=AHEAD), all_of("zul")),
        (
            "the first ranking is kept",
            all_of("deu"),
            all_of("deu", means=dict(zip(FAST_MODELS, (10, 20, 30, 40, 50, 60), strict=True))),
        ),
        ("the best model leads", all_of("deu"), all_of("deu", means=WIDE)),
        ("CRFs of higher order", all_of("deu"), all_of("deu", means=FIRST_ORDER)),
        ("differences of orders", all_of("deu"), all_of("deu", means=LARGE_ORDER)),
        ("scores spread less", spreading(2.0, 1.0, 0.5), spreading(0.5, 1.0, 2.0)),
    ],
)
def test_a_claim_holds_or_fails(beginning, agreeing, differing):
    assert str(judged(beginning, agreeing)["verdict"]).startswith("**holds")
    assert str(judged(beginning, differing)["verdict"]).startswith("**fails")


def test_zulu_is_no_part_of_what_is_said_of_the_others():
    row = claim("the first data set's best").judged([*all_of("deu"), *all_of("zul", means=AHEAD)])
    assert row["settings"] == "8 of 72"  # six of German, two of Zulu with 500 words
    assert claim("but it nearly always").judged(all_of("zul"))["settings"] == "10 of 10"


def without_relation(measured: Sequence[SettingScores]) -> list[SettingScores]:
    """The same, all metrics but F1 at random."""
    random = np.random.default_rng(1)
    others = [name for name in METRICS if name != "f1"]
    return [
        dataclasses.replace(one, rows=[r | {n: random.random() for n in others} for r in one.rows])
        for one in measured
    ]


GAIN = """order 0 to 1: 15.7 to 15.8 points; order 1 to 4: 5.16 (p < 0.001), 5.13 (p < 0.001), \
paired over 10 data sets (published: 0.16, 0.13, without a test)"""
OF_ONE_SIZE = ("deu", "eng", "fin", "tur")
WAYS = {"types": 0.294, "annotations": 0.461}
LINES = [
    (lambda: means_line(found_of(example())), "holds", "10 of 10 cells within 3 standard errors"),
    (lambda: means_line(found_of(example({"1-crf": 5}))), "fails", "8 of 10 cells"),
    # one way of sampling is not all of Table 2
    (lambda: means_line(found_of(example()[:1])), "holds so far", ""),
    (lambda: means_line(found_of([])), "open", ""),
    (
        lambda: morfessor_line(found_of(example({"morfessor-annotations": 11}))),
        "fails",
        "47.5 for 36.5, 47.0 for 36.0; **unexplained**",
    ),
    (
        lambda: morfessor_line(found_of(example())._replace(ways=WAYS)),
        "fails",
        "2 ways of training it give 29.4 to 46.1",
    ),
    (lambda: morfessor_line(found_of([])), "open", ""),
    (lambda: judged("the first data set is nearer", all_of("deu")), "holds so far", "not fail"),
    (lambda: judged("context helps", example({"4-crf": 5})), "fails", GAIN),
    # too few settings
    (lambda: judged("the best model leads", all_of("deu")[:3]), "open", ""),
    (lambda: judged("context helps", []), "open", ""),
    (
        lambda: judged("scores spread less", [made(code, 500, "with") for code in OF_ONE_SIZE]),
        "open",
        "",
    ),
    (
        lambda: judged("the metrics vary", spreading(2.0, 1.0, 0.5)),
        "holds so far",
        "ranges: 4 of 4; differences: 4 of 4",
    ),
    (
        lambda: judged("the metrics vary", without_relation(spreading(2.0, 1.0, 0.5))),
        "fails so far",
        "",
    ),
]


@pytest.mark.parametrize(("line", "verdict", "evidence"), LINES)
def test_a_line_has_its_verdict_and_what_that_rests_on(line, verdict, evidence):
    row = line()
    assert row["verdict"] == f"**{verdict}**"
    assert evidence in row["what that rests on"]


def test_the_page_says_how_much_is_measured():
    text = conclusions_text(found_of([*all_of("deu"), *example()]))
    assert text.startswith("8 of the 82 settings of the study are measured whole")
    assert "on 10 data sets of five splits each" in text
    assert "Languages with a setting: German, Russian." in text
    n_claims = len(claims.CLAIMS) + 2 + 3 + 1 + 4
    assert sum(line.startswith("| ") for line in text.splitlines()) == n_claims + 2
    assert conclusions_text(found_of([])).startswith("0 of the 82")
    assert "**holds" not in conclusions_text(found_of([]))


def test_the_regression_needs_both_ways_of_sampling():
    assert list(characteristic_fits(all_of("deu"))) == ["German"]
    assert characteristic_fits([one for one in all_of("deu") if one.setting.method == "with"]) == {}
    (fit,) = characteristic_fits(all_of("hch")).values()
    assert fit["f1"].n == 4 * 6 * 50
    assert fit["published"].n == 5 * 4 * 6 * 50
    assert fit["f1"].n_clusters == 40


def test_splits_are_read_from_their_record():
    few = {"a": 0.0, "b": 0.7, "c": 0.1}
    record = {
        "heuristic": few,
        "overlap": dict.fromkeys(few, 0.4),
        "copies": dict.fromkeys(few, 0.98),
        "lower": {"Russian": 7.0},
    }
    first, second, third = claims.split_lines(record)
    assert first["verdict"] == "**holds so far**"
    assert "in 2 settings; most, 70 %, in b" in str(first["what that rests on"])
    assert "98 % of their test words" in str(second["what that rests on"])
    assert "Russian 7.0 points" in str(third["what that rests on"])
    (fails,) = [claims.split_lines({**record, "lower": {"Russian": -1.0}})[2]]
    assert fails["verdict"] == "**fails**"
    assert claims.split_lines({})[0]["verdict"] == "**open**"


def test_tables_and_figures_are_of_what_is_there():
    found = found_of(example())
    text = example_text(found)
    assert "**Russian, 2,000 words with replacement**, ours over 10 data sets" in text
    assert "Seq2seq, on fewer data sets, has lines of its own" in text
    assert example_text(found_of(all_of("deu"))).startswith("Table 2 is of Russian")
    assert "| 2,000 | 2 |" in ranges_text(found.measured)
    png = b"\x89PNG"
    assert (example_plot(found.measured) or b"").startswith(png)
    assert (range_plot(found.measured) or b"").startswith(png)
    assert example_plot(all_of("deu")) is None
    assert range_plot([]) is None


@pytest.mark.slow
def test_the_committed_scores_make_the_page(tmp_path):
    measured = whole_settings()
    assert measured
    assert all(one.n_data_sets >= 10 for one in measured)
    run = run_of(conclusions.STUDY, tmp_path)
    shown = conclusions.show(conclusions.conclude(measured[:2], run), run.options)
    assert shown[1].name == "conclusions_example"
    assert shown[0].text.startswith("2 of the 82")


def test_paper_is_all_seven(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert chosen_models(["paper", "1-crf", "0-crf"]) == (*PAPER_MODELS, "0-crf")
    assert len(PAPER_MODELS) == 7
    assert capsys.readouterr().err == ""


def test_paper_without_torch_says_what_it_leaves_out(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert chosen_models(["paper"]) == FAST_MODELS
    assert capsys.readouterr().err == (
        "--models paper: seq2seq-gru left out, torch is not installed\n"
    )
    assert chosen_models(["seq2seq-gru"]) == ("seq2seq-gru",)
    assert capsys.readouterr().err == ""


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
        for model in claims.CRFS
        for n in (1, 2, 3)
        for split in SPLITS
    ]
    scores += [scored(claims.NETWORK, n, split, 0.6 + n / 10) for n in (1, 2) for split in SPLITS]
    scores.append(scored(claims.NETWORK, 3, "A", 0.1))
    write(
        tmp_path,
        {"scores": scores, "score_runs": [run_of_model(m) for m in (*claims.CRFS, claims.NETWORK)]},
    )
    (found,) = claims.network_settings(tmp_path)
    assert found.n_data_sets == 2
    assert found.f1[claims.NETWORK] == pytest.approx([70, 80])
    assert found.f1["1-crf"] == pytest.approx([71, 72])
    assert found.lead == pytest.approx(71.5 - 75)


def test_a_setting_without_networks_is_none(tmp_path):
    write(
        tmp_path, {"scores": [scored("1-crf", 1, "A", 0.5)], "score_runs": [run_of_model("1-crf")]}
    )
    assert claims.network_settings(tmp_path) == []


def networks(
    language: str, size: int, method: str, f1: float, crf: float = 75.0
) -> claims.NetworkScores:
    setting = Setting(language, languages()[language].n_types, size, method)  # type: ignore[arg-type]
    return claims.NetworkScores(
        setting,
        {claims.NETWORK: np.full(3, f1)} | {model: np.full(3, crf) for model in claims.CRFS},
    )


def test_a_published_mean_of_networks_that_comes_out_again():
    """Published: 74.39, a deviation of 0.89; three standard errors are 1.59 points here."""
    near, far = (networks("rus", 2000, "without", 74.39 + d) for d in (1.4, 1.7))
    first, second = claims.network_lines([near, networks("rus", 2000, "with", 74.86)])
    assert (first["verdict"], first["settings"]) == ("**holds**", "2 of 2")
    assert str(first["what that rests on"]).startswith(
        "75.8 for 74.4, +2.6 standard errors, over 3"
    )
    assert (second["verdict"], second["settings"]) == ("**fails**", "2 of 2")  # 75 < 75.8
    assert claims.network_lines([far])[0]["verdict"] == "**fails so far**"


def test_crfs_are_better_where_the_paper_says_it():
    """Other settings are shown beside the example and do not decide."""
    ahead, behind = networks("rus", 2000, "without", 74.0), networks("fin", 500, "without", 80.0)
    (_, line) = claims.network_lines([ahead, behind])
    assert line["verdict"] == "**holds so far**"
    assert line["what that rests on"] == (
        "order 1 to 4 ahead by 1.0 points on the same data sets; elsewhere: Finnish, 500 words"
        " without replacement: -5.0"
    )
    assert [one["verdict"] for one in claims.network_lines([behind])] == ["**open**", "**open**"]


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
    ((keys, by_size),) = claims.settings_tested(tmp_path).items()
    assert keys == MeasuredSetting(*EXAMPLE)  # type: ignore[arg-type]
    expected = claims.AtSize(71.0, 35.0, np.sqrt((9 + 16) / 2), np.sqrt(2))
    assert by_size[50] == pytest.approx(expected)
    assert by_size[100] == pytest.approx((71.5, 10.0, 2.0, np.sqrt(4.5)))


def every_setting(
    change: Callable[[int], claims.AtSize],
) -> dict[MeasuredSetting, dict[int, claims.AtSize]]:
    return {
        MeasuredSetting(*keys, "paper", 0): {size: change(size) for size in (50, 100)}
        for keys in settings_with_new_tests()
    }


OF_A_SIZE = claims.AtSize(mean=70.0, range=20.0, within=5.0, between=1.0)


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        (lambda size: OF_A_SIZE, ["holds", "holds"]),
        (lambda size: OF_A_SIZE._replace(range=3.0), ["fails", "holds"]),
        (lambda size: OF_A_SIZE._replace(range=3.0 if size == 100 else 20.0), ["holds", "holds"]),
        (lambda size: OF_A_SIZE._replace(mean=70 + size / 25), ["holds", "fails"]),  # 2 points
    ],
)
def test_new_tests_hold_or_fail(change, verdicts):
    lines = claims.new_test_lines(every_setting(change))
    assert [str(line["verdict"]).strip("*") for line in lines] == verdicts
    assert {line["settings"] for line in lines} == {"74 of 74"}


def test_new_tests_say_how_many_settings_they_rest_on():
    whole = every_setting(lambda size: OF_A_SIZE)
    some = dict(list(whole.items())[:4])
    assert {line["verdict"] for line in claims.new_test_lines(some)} == {"**holds so far**"}
    few = dict(list(whole.items())[:3])
    for few_or_none in (few, {}):
        assert {line["verdict"] for line in claims.new_test_lines(few_or_none)} == {"**open**"}
    evidence = str(claims.new_test_lines(some)[0]["what that rests on"])
    assert "5.0 and 1.0 at 50 words, 5.0 and 1.0 at 100 words" in evidence


def test_two_languages_have_no_new_tests():
    """Table 1: none for Yorem Nokki and Nahuatl, four settings each."""
    without = set(published_settings()) - set(settings_with_new_tests())
    assert {language for language, _, _ in without} == {"mfy", "nah"}
    assert len(without) == 8
