"""Configs for language models: what every row keeps, and what a broken one is told."""

import subprocess
import sys
from collections import Counter, defaultdict

import pytest

from builders.centerbench import likelihoods as centerbench
from builders.eras import likelihoods as eras
from builders.likelihoods import Stretch, behind
from builders.morphseg import likelihoods as morphseg
from builders.morphseg.sources import Word
from builders.pp_attachment import likelihoods as pp_attachment
from builders.sorts import likelihood_questions as questions
from builders.sorts import likelihoods as sorts
from builders.sorts.draw import ROW_COLUMNS
from builders.sorts.writers import conllu
from dataset_scripts.registry import split_table, suite_builder, suite_names
from ground.files import write_whole

MEMBERS_OF_ORDERS = ("verb_verb", "noun_noun")  # one text of each order
VIEWS = [
    (suite, config.name)
    for suite in suite_names()
    for config in suite_builder(suite).BUILDER_CONFIGS
    if config.is_view and not config.is_training and "construction" in config.features
]


@pytest.fixture(scope="module", params=VIEWS, ids=lambda view: "-".join(view))
def view(request):
    return request.param, split_table(*request.param, "test")


def columns_of(suite, config):
    return split_table(suite, config, "test").to_pydict()


def test_every_row_keeps_its_rules_and_has_construction_and_cluster(view):
    (suite, config), table = view
    builder = suite_builder(suite)(config_name=config)
    assert builder.problems(table) == []
    assert len(set(table["id"].to_pylist())) == table.num_rows
    assert None not in table["construction"].to_pylist() + table["cluster"].to_pylist()


def test_another_seed_draws_other_pairs():
    first, second = (
        set(split_table("sorts", "pairs", "test", {"seed": seed})["id"].to_pylist())
        for seed in (0, 1)
    )
    assert first != second
    assert len(first) == len(second)


# --- SORTS


def test_word_frequencies_are_right_about_exactly_half_of_all_violations():
    """What one violation of a triple exchanges, another exchanges back, capitals apart."""
    exchanged = defaultdict(list)
    rows = split_table("sorts", "pairs", "test").to_pylist()
    kinds = {"two_nominatives": "case", "two_accusatives": "case"}
    kinds |= {"number_of_singular": "number", "number_of_plural": "number"}
    for row in rows:
        right, wrong = (Counter(row[name][:-1].split()) for name in ("grammatical", "violated"))
        kind = kinds.get(row["construction"], row["construction"])
        exchanged[row["cluster"], kind].append((tuple((right - wrong).items()), right, wrong))
    for (cluster, kind), found in exchanged.items():
        gained = Counter(tuple((right - wrong).elements()) for _, right, wrong in found)
        lost = Counter(tuple((wrong - right).elements()) for _, right, wrong in found)
        assert gained == lost, (cluster, kind)


def test_twins_are_equally_long_and_every_construction_is_there():
    rows = split_table("sorts", "pairs", "test").to_pylist()
    counts = Counter(row["construction"] for row in rows)
    assert counts == {
        "two_nominatives": 200,
        "two_accusatives": 200,
        "number_of_singular": 200,
        "number_of_plural": 200,
        "verb_not_second": 400,
    }
    assert all(len(r["grammatical"].split()) == len(r["violated"].split()) for r in rows)


def test_grammatical_members_are_valid_universal_dependencies(tmp_path):
    twins = list(sorts.twins(sorts.drawn_bases(0)))
    rows = {" ".join(twin.grammatical.tokens): twin for twin in twins}.values()
    columns = {name: [getattr(twin.grammatical, name) for twin in rows] for name in ROW_COLUMNS} | {
        "id": [f"{i}" for i in range(len(rows))],
        "properties": [["base", "acc"]] * len(rows),
        **{
            name: [None] * len(rows)
            for name in ("item_id", "base_item_id", "triple_id", "resolved_by")
        },
    }
    write_whole(tmp_path / "twins.conllu", conllu(columns))
    code = "import sys; from udtools.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--lang", "de", "--level", "5"]
    run = subprocess.run(
        [*command, str(tmp_path / "twins.conllu")], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
    assert "PASSED" in run.stdout + run.stderr


def test_a_violation_that_says_something_else_makes_no_twin():
    # Die Schmiede schärft den Dolch: two smiths with a verb in the singular, or the smithy
    found = {base.triple_id for base in sorts.bases()}
    assert "plain/57" in found
    assert "plain/58" not in found


def test_questions_are_about_triples_in_whatever_order_their_nouns_are():
    orders = [base.triple.subject < base.triple.object for base in questions.askable()]
    assert 0.4 < sum(orders) / len(orders) < 0.6


def test_broken_twins_and_questions_are_named():
    columns = {
        "id": ["plain/01/two_nominatives/x"] * 2,
        "construction": ["two_nominatives"] * 2,
        "grammatical": ["Der Leser liest den Roman.", "Der Leser liest den Roman."],
        "violated": ["Der Leser liest.", "Den Roman liest der Leser."],
    }
    triple = next(sorts.bases()).triple_id
    columns["id"] = [f"{triple}/{i}" for i in range(2)]
    found = list(sorts.twin_problems(columns))
    assert "expected as many words, one other at least" in found[0]
    assert "readings, got" in found[1]
    asked = columns_of("sorts", "questions")
    one = {name: values[1:5] for name, values in asked.items()}
    one["answer"] = ["Der Niemand.", *one["answer"][1:]]
    found = list(questions.question_problems(one))
    assert "answer, got 'Der Niemand.'" in found[0]
    assert "cells, got 3; expected 4" in found[1]


def test_a_question_is_asked_in_four_cells_of_every_order():
    rows = split_table("sorts", "questions", "test").to_pylist()
    cells = Counter((row["word_order"], row["role"], row["is_right_first"]) for row in rows)
    assert set(cells.values()) == {questions.N_TRIPLES}
    assert len(cells) == 6 * 2 * 2
    row = rows[0]
    right, wrong = questions.measures(row)["choice"]
    assert right.text == f"{row['sentence']} {row['question']} {row['answer']}"
    assert right.text[right.start : right.end] == f" {row['answer']}"
    assert {right.text[right.start + 1 :], wrong.text[wrong.start + 1 :]} == set(row["choices"])


# --- CenterBench


def test_a_crossed_pair_has_its_nouns_at_the_same_place_of_both_members():
    rows = split_table("centerbench", "pairs", "test").to_pylist()
    assert {row["construction"] for row in rows} == {"outermost", "agent", "patient"}
    for row in rows:
        words = [row[name].rstrip(".").split() for name in ("plausible", "implausible")]
        assert sorted(word.lower() for word in words[0]) == sorted(w.lower() for w in words[1])
        assert row["plausible_noun"] != row["implausible_noun"]
    members = centerbench.measures(rows[0])["crossed"]
    texts = [member.text for member in members]
    assert texts[0].endswith(f"was the {rows[0]['plausible_noun']}.")
    assert texts[3].startswith(rows[0]["implausible"])
    assert texts[3].endswith(f"was the {rows[0]['implausible_noun']}.")


def test_chance_is_by_exclusion_and_the_neighbour_is_a_null():
    rows = split_table("centerbench", "choice", "test").to_pylist()
    right = defaultdict(list)
    for row in rows:
        assert row["level"] > 1
        n_nouns = row["level"] + 1
        if row["question_type"] == "agent_identification":
            assert row["chance"] == pytest.approx(1 / (n_nouns - 1))
            assert row["question"].split(" the ")[-1][:-1] not in row["answer"]
        key = row["question_type"], row["construction"]
        right[key].append(row["neighbour"] == row["answer"])
    shares = {key: sum(values) / len(values) for key, values in right.items()}
    assert shares["agent_identification", "center_embedded"] == 1
    assert shares["agent_identification", "right_branching"] < 0.5
    assert shares["action_performed", "center_embedded"] < 0.5


def test_broken_rows_of_centerbench_are_named():
    crossed = {name: values[:2] for name, values in columns_of("centerbench", "pairs").items()}
    crossed["implausible_noun"] = [crossed["plausible_noun"][0], "unicorn"]
    crossed["implausible"][1] = "Something else."
    found = list(centerbench.crossed_problems(crossed))
    assert [problem.split(": ")[1].split(",")[0] for problem in found] == [
        "nouns",
        "members",
        "nouns",
    ]
    choice = {name: values[:3] for name, values in columns_of("centerbench", "choice").items()}
    choice["answer"][0], choice["neighbour"][1], choice["chance"][2] = "nobody", "nobody", 0.9
    found = list(centerbench.choice_problems(choice))
    assert [problem.split(": ")[1].split(",")[0] for problem in found] == [
        "answer",
        "neighbour",
        "chance",
    ]


# --- PP attachment


def test_both_orders_of_pp_attachment_have_the_same_words_so_that_counts_cancel():
    """vv - vn - nv + nn: every word of a stretch stands on both sides, capitals apart."""
    rows = split_table("pp_attachment", "pairs", "test").to_pylist()
    assert Counter(row["construction"] for row in rows) == {
        "holder": 130,
        "holder_verb": 130,
        "exclusion": 120,
        "selection": 140,
    }
    for row in rows:
        members = pp_attachment.measures(row)["crossed"]
        texts = [member.text[member.start : member.end] for member in members]
        counts = Counter()
        for sign, text in zip((1, -1, -1, 1), texts, strict=True):
            for word in text.removesuffix(".").split():
                counts[word] += sign
        assert not any(counts.values()), row["id"]


def test_last_and_nearest_nouns_do_not_tell_whose_a_phrase_is():
    """Mit dem Ball trifft den Wirt der Gast. / Den Wirt mit dem Ball trifft der Gast."""
    rows = split_table("pp_attachment", "pairs", "test").to_pylist()
    for row in (row for row in rows if row["construction"].startswith("holder")):
        subject, object_ = (row[name][:-1].split()[-1] for name in ("verb_verb", "verb_noun"))
        verb_first, noun_first = (row[name].split(". ")[0].split() for name in MEMBERS_OF_ORDERS)
        assert verb_first[-1] == noun_first[-1] == subject  # the last noun in both
        stem = object_.removesuffix("e")  # den Kollegen, der Kollege
        assert noun_first[1].startswith(stem)  # right before the phrase
        if row["construction"] == "holder_verb":  # but for the finite verb the same words
            finite = verb_first.pop(2)
            assert [word for word in noun_first if word != finite] == verb_first
        else:
            finite = next(i for i, word in enumerate(verb_first) if word[0].islower() and i > 2)
            assert any(word.startswith(stem) for word in verb_first[finite:][:3])  # behind it


def test_broken_rows_of_pp_attachment_are_named():
    columns = {name: values[:2] for name, values in columns_of("pp_attachment", "pairs").items()}
    columns["noun_verb"][1] = columns["noun_noun"][1]
    columns["verb_noun"][0] += " Ja."
    found = list(pp_attachment.crossed_problems(columns))
    assert [problem.split(": ")[1].split(",")[0] for problem in found] == ["members"] * 2


# --- ERAS


def test_regions_of_eras_follow_each_other_and_what_is_after_is_the_same():
    rows = split_table("eras", "pairs", "test").to_pylist()
    assert Counter(row["occluder"] for row in rows) == {"□": 1950, "某": 390, "×": 390}
    for row in rows[::97]:
        members = eras.measures(row)
        after = {member.text[member.start : member.end] for member in members["after"]}
        assert len(after) == 1
        site = [member.text[member.start : member.end] for member in members["site"]]
        assert all(row["occluder"] in text for text in site[2:])
        assert site[0] != site[1]
        assert [member.text for member in members["total"]] == [row[name] for name in eras.MEMBERS]
        assert members["after"][0].start == members["site"][0].end


def test_broken_rows_of_eras_are_named():
    columns = {name: values[:4] for name, values in columns_of("eras", "pairs").items()}
    columns["test"][0] += "了"
    columns["after_start"][1] = columns["site_start"][1] + 1
    columns["occluder"][2] = "?"
    columns["after_start"][3] = len(columns["test"][3])
    found = "\n".join(eras.likelihood_problems(columns))
    for told in ("several lengths", "other text around", "expected it in the occluded members"):
        assert told in found
    assert "expected a site and text after it" in found


# --- morphseg


def test_a_shifted_boundary_leaves_the_number_of_morphemes():
    word = Word("boats", ("boat", "s"), (("boat", "s"), ("boa", "ts")), ("_", "_"))
    assert morphseg.shifted(word) == [], "the only shift is another right segmentation"
    word = Word("undoing", ("un", "do", "ing"), (("un", "do", "ing"),), ("_", "_", "_"))
    assert morphseg.shifted(word) == [
        ["u", "ndo", "ing"],
        ["und", "o", "ing"],
        ["un", "d", "oing"],
        ["un", "doi", "ng"],
    ]


def test_words_are_there_with_three_separators_and_broken_ones_are_named():
    columns = columns_of("morphseg", "pairs")
    assert Counter(columns["separator"]) == {"-": 300, " ": 300, "|": 300}
    few = {name: values[:2] for name, values in columns.items()}
    few["shifted"] = [few["segmented"][0], few["shifted"][1] + "x"]
    found = list(morphseg.shift_problems(few))
    assert "expected as many morphemes, other ones" in found[0]
    assert "expected the word" in found[1]


def test_a_stretch_behind_a_context_holds_the_rest():
    assert behind("a b", " c") == Stretch("a b c", 3, 5)
