"""Analyses of answers by hand-computed examples. All raters here are invented."""

import csv
import json
import math
from typing import Any

import pytest

from builders.centerbench.forms import Reply, all_questions, read_replies
from builders.eras import forms as eras
from builders.sorts.forms import form_clauses
from dataset_scripts.ratings import read_ratings
from dataset_scripts.registry import builder_for, suite_builder
from metrics._shared.uncertainty import student_quantile
from publish.form.sheets import find_form
from research.people import audit, ranking, rating, reading
from research.people.answers import PersonAnswer, check_rows, is_accepted, items_of, read_answers
from research.people.rater_intervals import crossed_difference, crossed_mean
from research.people.tables import alpha
from research.studies.__main__ import main
from research.studies.power import EFFECTS, QUESTIONS, forms_of, power
from tests.support.cases import cases
from tests.support.invented_raters import invented_answers, write_answers

# Intervals


def said_by(rater: str, item: str, place: int = 0, **answer: Any) -> PersonAnswer:
    """An answer to an item, in a second."""
    return PersonAnswer("f", "1", 0, 0, rater, place, item, "item", answer, 1000)


def test_the_crossed_variance_by_hand():
    """Influences (1, -3, 1, 1) / 16. Sums by rater -1/8 and 1/8, squares 1/32, doubled (2 of 1):
    1/16; by item the same; of single answers 12 / 256. V = 1/16 + 1/16 - 12/256 = 20/256."""
    values, raters, items = [1, 0, 1, 1], ["a", "a", "b", "b"], ["x", "y", "x", "y"]
    found = crossed_mean(values, raters, items, is_share=False)
    reach = student_quantile(0.975, 1) * math.sqrt(20 / 256)
    assert found.value == 0.75
    assert (found.low, found.high) == pytest.approx((0.75 - reach, 0.75 + reach))
    share = crossed_mean(values, raters, items)
    assert 0 < share.low < 0.75 < share.high < 1


def test_a_difference_is_that_of_the_means():
    found = crossed_difference(
        [3, 4, 1, 2], [True, True, False, False], ["a", "b", "a", "b"], list("xyzw")
    )
    # influences (-1, 1, 1, -1) / 4: raters cancel out, each item 1/16, times 4/3
    reach = student_quantile(0.975, 1) * math.sqrt(4 / 16 * 4 / 3)
    assert found.value == 2
    assert (found.low, found.high) == pytest.approx((2 - reach, 2 + reach))


@pytest.mark.parametrize(*cases("people/an_interval_that_cannot_be_is_nan_with_its_reason"))
def test_an_interval_that_cannot_be_is_nan_with_its_reason(values, raters, note):
    found = crossed_mean(values, raters, ["x", "y"][: len(values)])
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.note == note
    with_one_kind = crossed_difference(values, [True] * len(values), raters, raters)
    assert math.isnan(with_one_kind.value)


def test_krippendorff_s_own_example():
    """Four observers, twelve units: .743 nominal, .815 ordinal, .849 interval. Source: Krippendorff
    (2011), Computing Krippendorff's alpha-reliability, section C and E."""
    rows = {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."}
    cells = [(i, rater, v) for rater, row in rows.items() for i, v in enumerate(row)]
    values = [(str(i), rater, float(value)) for i, rater, value in cells if value != "."]
    for level, expected in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert alpha(values, level) == pytest.approx(expected, abs=0.0005)


# --- ERAS
def ranked(rater: str, *ranks: dict[str, int]) -> list[PersonAnswer]:
    return [
        PersonAnswer("eras-ranking", "1", 0, 0, rater, i, f"triple {i}", "item", given, 1000)
        for i, given in enumerate(ranks)
    ]


def test_a_group_of_three_pairs_by_hand():
    """One positive pair alike; of the others one moves as its sign allows and one against it."""
    group = sorted(eras.block_pairs(0, 0)[0], key=lambda pair: pair.sentiment != "+")
    a, b, c = group
    tests, controls = ([f"{pair.id}/{side}" for pair in group] for side in ("test", "control"))
    triples = [
        {controls[0]: 1, controls[1]: 2, controls[2]: 3},
        {tests[0]: 1, controls[1]: 2, controls[2]: 3},  # as its control: first of three
        {tests[1]: 1, controls[0]: 2, controls[2]: 3},  # more positive than its control
        {tests[2]: 2, controls[0]: 1, controls[1]: 2},  # above its control: a tie
    ]
    found = {one.pair.id: one for one in ranking.comparisons(ranked("r", *triples))}
    places = [(found[pair.id].test, found[pair.id].control) for pair in group]
    assert places == [(2, 2), (2, 0), (-1, -2)]
    figures = ranking.rates(list(found.values()))
    n_right = 1 + (b.sentiment == "+") + (c.sentiment == "+")
    assert a.sentiment == "+"
    assert c.sentiment == "-"
    assert figures["human_accuracy"] == n_right / 3
    assert figures["ranked_alike"] == 1 / 3
    assert figures["baseline_accuracy"] == pytest.approx(n_right / 3 - 1 / 6)
    assert figures["baseline_gper"] == pytest.approx(1 - n_right / 3)


def compared(test: int, profile: tuple[int, int]) -> ranking.RankComparison:
    """A positive pair, whose control sentence has the middle place."""
    pairs = (pair for some in eras.form_pairs().values() for pair in some)
    pair = next(pair for pair in pairs if pair.sentiment == "+")
    return ranking.RankComparison(pair, "r", test, 0, profile)


def test_the_published_baseline_follows_from_the_published_shares():
    """91.3 right and 81.5 alike of 1,000 pairs: 50.55 and 8.7; printed 50.6 and 8.7."""
    found = [compared(0, (0, 0))] * 815 + [compared(1, (1, 0))] * 98
    found += [compared(-1, (-1, 0))] * 87
    figures = ranking.rates(found)
    assert figures["human_accuracy"] == 0.913
    assert figures["ranked_alike"] == 0.815
    assert figures["baseline_accuracy"] == pytest.approx(0.5055)
    assert figures["baseline_gper"] == pytest.approx(0.087)
    assert ranking.gper_row(found)["n_ties"] == 815


def test_the_same_place_by_other_relations_is_told_by_profile():
    """Above c1 and below c2 is the same place as a tie with both, but against c2 it is lower."""
    one = compared(0, (1, -1))
    assert one.is_correct
    assert one.is_alike
    assert not one.is_correct_by_profile


def test_whole_sheets_give_every_pair_one_comparison():
    form = find_form("eras-ranking")
    lines = invented_answers(form, 0, "0" * 12) + invented_answers(form, 5, "1" * 12)
    found = ranking.analyse(items_of([PersonAnswer(**line) for line in lines]))
    assert found.figures["n_pairs"] == 156
    assert found.figures["n_comparisons"] == 312
    assert len(found.ratings) == 312


# --- CenterBench
def read_by(rater: str, texts: dict[str, str]) -> PersonAnswer:
    return PersonAnswer(
        "centerbench-reading", "1", 0, 0, rater, 0, "1-00000-p", "item", texts, 9000, 4000
    )


def test_accuracy_core_of_two_readers():
    """One gives gold answers to both members, one says nothing that is right: 50 %."""
    rows = [row for row in all_questions().values() if row["pair_id"] == "1-00000"]
    asked = [row for row in rows if row["depth"] == 0]
    assert len(asked) == 12
    gold = read_by("a", {row["id"]: row["answer"] for row in asked})
    other = read_by("b", {row["id"]: "banana" for row in asked})
    found = reading.analyse([gold, other])
    assert found.figures["n_answers"] == 24
    assert found.figures["accuracy_core"] == 0.5
    assert found.figures["gap"] == 0
    cells = [(row["level"], row["condition"], row["answers"]) for row in found.tables[0].rows]
    assert cells == [(1, "implausible", 6), (1, "plausible", 6)]
    assert {reply["system"] for reply in found.replies} == {"a", "b"}
    assert found.tables[2].rows[0]["median seconds"] == 4.0


def test_agreement_of_the_scorer_by_hand():
    """Right and accepted 1, right alone 1, neither 2: agreement .75, by chance .5, kappa .5."""
    row = next(r for r in all_questions().values() if r["question_type"] == "action_performed")
    texts = [row["answer"], "banana", "melon", "grape"]
    replies = [Reply(row["id"], f"system {i}", text) for i, text in enumerate(texts)]
    judged = ["right", "right", "wrong", "wrong"]
    pairs = enumerate(zip(replies, judged, strict=True))
    answers = [said_by("r", reply.name, i, choice=choice) for i, (reply, choice) in pairs]
    found = audit.analyse(answers, replies)
    assert found.figures["agreement_all"] == 0.75
    assert found.figures["kappa_all"] == 0.5
    assert found.figures["agreement_plausible"] == 0.75
    assert math.isnan(found.figures["kappa_implausible"])
    second = found.ratings[1]
    assert (second.id, second.rater, second.value) == (row["id"], "system 1", 1.0)
    assert found.tables[0].rows[0]["people alone accept"] == 1
    assert found.tables[0].rows[0]["scorer alone accepts"] == 0
    with pytest.raises(ValueError, match="expected the file of the form"):
        audit.analyse(answers, replies[:1])


@pytest.mark.slow
# --- SORTS, ratings
def test_who_takes_the_subject():
    row = form_clauses()[0]
    choices = [row["subject"], row["subject"], row["object"]]
    answers = [
        said_by(str(i), row["id"], choice=str(choice), sureness=i + 1)
        for i, choice in enumerate(choices)
    ]
    found = rating.analyse_choices(answers)
    (share,) = found.figures["takes_subject"].values()
    assert share == pytest.approx(2 / 3)
    assert [one.value for one in found.ratings] == [1.0, 1.0, 0.0]
    assert found.tables[0].rows[0]["sureness"] == 2.0


def test_a_sentence_is_rated_by_its_events():
    """Events 7 and 4 are 5.5; a sentence of which one event is missing has no rating."""
    given = {"1-00000-p#0": 7, "1-00000-p#1": 4, "1-00001-i#0": 2}
    answers = [said_by("r", item, value=value) for item, value in given.items()]
    (found,) = rating.of_plausibility(answers)
    assert (found.row, found.value, found.group) == ("1-00000-p", 5.5, "level 1, plausible")


def test_ratings_of_tests_and_controls_are_two_questions():
    answers = [said_by("r", "07-00012/test", value=3), said_by("r", "08-00001/control", value=5)]
    found = rating.analyse("eras-naturalness", answers)
    assert found.figures["difference"] == -2
    assert [(one.id, one.question, one.value) for one in found.ratings] == [
        ("07-00012", "naturalness_test", 3.0),
        ("08-00001", "naturalness_control", 5.0),
    ]


# --- Files, checks, the command line
def test_checks_are_counted_and_nobody_is_dropped_silently(tmp_path, capsys):
    form = find_form("sorts-acceptability")
    lines = invented_answers(form, 0, "0" * 12)
    lines += invented_answers(form, 4, "1" * 12, attends=False)
    path = write_answers(tmp_path / "answers.jsonl", lines)
    rows = check_rows(read_answers([path], form), form)
    found = [(row["attends"], row["attention_failed"], row["attention"]) for row in rows]
    assert found == [(True, 0, 3), (False, 3, 3)]
    assert {(row["items"], row["is_whole"], row["seconds"]) for row in rows} == {(100, True, 1.5)}
    assert main(["people", "sorts-acceptability", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "2 raters, 200 answers" in text
    assert "Without the 1 who failed over a third of the attention items" in text


def test_ranks_of_a_check_count_by_their_order():
    (check,) = [i for i in find_form("eras-ranking").fixed_items("attention") if i.id[-1] == "2"]
    assert is_accepted(check, {"a": 1, "b": 2, "c": 3})
    assert not is_accepted(check, {"a": 1, "b": 2, "c": 2})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line | {"name": "somebody"}, "expected an answer of a form"),
        (lambda line: line | {"form": "eras-ranking"}, "form, got 'eras-ranking'; expected"),
        (lambda line: line | {"version": "0.1"}, "version, got '0.1'; expected"),
        (lambda line: line | {"milliseconds": 1}, "got a second one of rater"),
    ],
)
def test_files_of_answers_say_what_is_wrong(tmp_path, change, message):
    form = find_form("centerbench-pilot")
    lines = invented_answers(form, 0, "0" * 12)
    path = write_answers(tmp_path / "a.jsonl", [*lines, change(lines[0])])
    with pytest.raises(ValueError, match=message) as error:
        read_answers([path], form)
    assert f"a.jsonl:{len(lines) + 1}" in str(error.value)
    write_answers(path, lines + lines)  # the same file given twice
    assert len(read_answers([path], form)) == len(lines)
    with pytest.raises(ValueError, match="no file: answers, got none"):
        read_answers([], form)


@pytest.mark.parametrize(
    ("name", "sheets", "config", "question"),
    [
        ("centerbench-plausibility", (0, 10), "sentences", "plausibility"),
        ("eras-naturalness", (0, 8), "simplified_lite", "naturalness_test"),
    ],
)
def test_ratings_go_into_a_build(name, sheets, config, question, tmp_path):
    form = find_form(name)
    lines = [
        line
        for i, sheet in enumerate(sheets)
        for line in invented_answers(form, sheet, f"{i:012x}", lambda page, i=i: {"value": 4 + i})
    ]
    path, out = write_answers(tmp_path / "answers.jsonl", lines), tmp_path / "ratings.csv"
    assert main(["people", name, str(path), "--ratings", str(out)]) == 0
    rated_rows = {one.id for one in read_ratings(out) if one.question == question}
    options = {"ratings": out, "question": question, "raters": "two invented raters"}
    builder = suite_builder(form.suite)
    made = builder_for(builder, form.suite, config, options, str(tmp_path / "cache"))
    rated = made.rated_batches()["test"]
    rows = [row for table in rated for row in table.to_pylist() if row["n_raters"]]
    assert {row["id"] for row in rows} == rated_rows
    assert {(row["rating_mean"], row["n_raters"]) for row in rows} == {(4.5, 2)}


def test_answers_of_people_are_audited(tmp_path, capsys):
    """Replies go from the reading form into an audit."""
    form = find_form("centerbench-pilot")
    answers = write_answers(tmp_path / "read.jsonl", invented_answers(form, 0, "0" * 12))
    replies, marks = tmp_path / "replies.jsonl", tmp_path / "marks.csv"
    assert main(["people", form.full_name, str(answers), "--replies", str(replies)]) == 0
    assert len(replies.read_text(encoding="utf-8").splitlines()) == 6
    shown = find_form("centerbench-scorer-audit", replies)
    judged = write_answers(tmp_path / "judged.jsonl", invented_answers(shown, 0, "1" * 12))
    about = ["--about", str(replies)]
    command = ["people", "scorer-audit", str(judged), *about, "--ratings", str(marks)]
    assert main(command) == 0
    with marks.open(encoding="utf-8") as lines:
        assert {row["value"] for row in csv.DictReader(lines)} == {"1.0"}
    assert "18 answers of 3 readers to 1 sentence" in capsys.readouterr().out
    assert json.loads(replies.read_text(encoding="utf-8").splitlines()[0])["system"] == "0" * 12


# --- Power
def test_no_effect_is_seldom_detected_and_a_large_one_is():
    (form,) = [form for form in forms_of("centerbench") if form.name == "reading"]
    effects = EFFECTS[QUESTIONS[form.full_name].scale]
    assert power(form, 16, 0, 200) <= 0.1
    assert power(form, 16, effects[-1], 200) >= 0.8
    assert power(form, 16, 0.1, 50) == power(form, 16, 0.1, 50)


def test_every_form_has_a_question_whose_power_is_known():
    for suite in ("eras", "sorts", "centerbench"):
        assert {form.full_name for form in forms_of(suite)} <= set(QUESTIONS)


def test_stored_answers_of_a_system_go_into_an_audit(tmp_path):
    out = tmp_path / "replies.jsonl"
    command = ["centerbench", "answers", "--systems", "structure", "--limit", "1"]
    assert main([*command, "--store", str(tmp_path), "--replies", str(out)]) == 0
    shown = find_form("centerbench-scorer-audit", out)
    pages = [page for number in range(shown.n_sheets) for page in shown.sheet(0, number)]
    asked = [page for page in pages if page.role == "item"]
    assert len(asked) == len(read_replies(out)) == 324
    assert all(page.id.endswith("@structure") for page in asked)
