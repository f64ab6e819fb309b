"""Configs for language models: what every row keeps, and what a broken one is told."""

import functools
import itertools
import re
from collections import Counter, defaultdict

import pytest

from builders.centerbench import likelihoods as centerbench
from builders.centerbench.counterparts import ask_in_counterparts, exchange_in_counterparts
from builders.centerbench.draw import default_drawer, draw
from builders.centerbench.relations import KnowledgeBase
from builders.eras import likelihoods as eras
from builders.morphseg import likelihoods as morphseg
from builders.morphseg.sources import Word
from builders.pp_attachment import likelihoods as pp_attachment
from builders.sorts import likelihoods as sorts
from builders.sorts.lexicon import DUTCH, GERMAN
from dataset_scripts import registry
from dataset_scripts.registry import suite_builder, suite_names
from metrics.minimal_pair_preference.members import measures
from tests.support.cases import cases
from tests.support.centerbench_draw import center_lexicon, counted

split_table = functools.cache(registry.split_table)
MEMBERS_OF_ORDERS = ("verb_verb", "noun_noun")  # one text of each order
VIEWS = [
    (suite, config.name)
    for suite in suite_names()
    for config in suite_builder(suite).BUILDER_CONFIGS
    if config.kind == "view" and "construction" in config.features
]


@pytest.fixture(scope="module", params=VIEWS, ids=lambda view: "-".join(view))
def view(request):
    return request.param, split_table(*request.param, "test")


def columns_of(suite, config, n=None):
    return split_table(suite, config, "test").slice(0, n).to_pydict()


def first_words(found):
    """What problems are about: the word behind the row that each names."""
    return [problem.split(": ")[1].split(",")[0] for problem in found]


def test_every_row_keeps_its_rules_and_has_construction_and_cluster(view):
    (suite, config), table = view
    builder = suite_builder(suite)(config_name=config)
    assert builder.problems(table) == []
    assert len(set(table["id"].to_pylist())) == table.num_rows
    assert None not in table["construction"].to_pylist() + table["cluster"].to_pylist()


# --- SORTS
@pytest.mark.parametrize("config", ["pairs", "dutch_pairs"])
def test_words_at_a_place_and_neighbours_are_right_about_exactly_half_of_all_violations(config):
    """A pair has one bag of words; what a violation has side by side is right elsewhere."""
    sides = defaultdict(Counter)
    rows = split_table("sorts", config, "test").to_pylist()
    for row in rows:
        texts = [re.findall(r"\w+|[,.:]", row[name]) for name in ("grammatical", "violated")]
        assert Counter(texts[0]) == Counter(texts[1])
        for sign, words in zip((1, -1), texts, strict=True):
            for one in (*itertools.pairwise(words), *enumerate(words)):  # neighbours; places
                sides[row["cluster"], row["construction"]][one] += sign
    assert [one for one, counts in sides.items() if any(counts.values())] == []


TABLES = {"pairs": GERMAN, "dutch_pairs": DUTCH}
IN_BOTH_LANGUAGES = pytest.mark.parametrize("config", [*TABLES])


def pairs_of(verb, config):
    """The pairs of a verb, or of all for None, in which it changes places."""
    bases = [one for one in sorts.bases(TABLES[config]) if verb in (None, one.triple.verb)]
    pairs = [pair for base in bases for pair in sorts.pairs(base, TABLES[config])]
    return [pair for pair in pairs if pair.construction == "verb_place"]


@pytest.mark.parametrize(
    *cases("likelihood_views/the_verb_is_second_behind_denn_or_want_and_last_behind_dass_or_daar")
)
def test_the_verb_is_second_behind_denn_or_want_and_last_behind_dass_or_daar(
    config, verb, number, grammatical, violated
):
    found = pairs_of(verb, config)[number]
    assert (found.grammatical, found.violated) == (grammatical, violated)


@IN_BOTH_LANGUAGES
def test_no_shape_tells_where_a_verb_is(config):
    """Both members have words of the same lengths, capitals and last letters at all places.

    So every verb of every draw has an adverb of its shape.
    """
    for pair in pairs_of(None, config):
        first, second = (
            [(len(word), word[0].isupper(), word[-1]) for word in text.split(" ")]
            for text in (pair.grammatical, pair.violated)
        )
        assert first == second, pair


@IN_BOTH_LANGUAGES
def test_each_order_of_clauses_is_right_in_one_frame_and_wrong_in_the_other(config):
    """The frames differ in the order of two conjunctions of four letters, and in nothing else."""
    texts = {"grammatical": Counter(), "violated": Counter()}
    for row in split_table("sorts", config, "test").to_pylist():
        for name, counts in texts.items() if row["construction"] == "verb_place" else ():
            bare, n = re.subn(r", (denn|dass|want|daar)\b", ", _", row[name])
            assert n == 2
            counts[row["cluster"], bare] += 1
    assert texts["grammatical"] == texts["violated"]
    assert set(texts["violated"].values()) == {1}


@pytest.mark.parametrize(
    ("config", "form", "adverbs"),
    [
        # Der Beweis bestimmt den Vorwurf widerlegt: a second reading
        ("conll_lite", "würzt", sorts.sentence_frame(GERMAN).adverbs),
        ("dutch_lite", "aanklaagt", sorts.sentence_frame(DUTCH).adverbs),
    ],
)
def test_no_adverb_is_a_form_of_a_verb(config, form, adverbs):
    forms = set()
    for row in split_table("sorts", config, "amb").to_pylist():
        words = zip(row["tokens"], row["upos"], strict=True)
        forms |= {word.lower() for word, tag in words if tag in ("VERB", "AUX")}
    assert form in forms
    assert not forms & set(adverbs)


SHAPELESS = [
    ("pairs", "würzen", "dort", "'würzt' of 5 letters"),
    ("dutch_pairs", "kappen", "eens", "'kapt' of 4 letters"),  # as long, but ends in s
]


@pytest.mark.parametrize(("config", "verb", "adverb", "got"), SHAPELESS)
def test_a_verb_without_an_adverb_of_its_shape_is_named(monkeypatch, config, verb, adverb, got):
    frame = sorts.sentence_frame(TABLES[config])._replace(adverbs=(adverb,))
    monkeypatch.setattr(sorts, "sentence_frame", lambda tables: frame)
    with pytest.raises(ValueError, match=rf"verb, got {got}; expected .* of {adverb}"):
        pairs_of(verb, config)


def test_every_construction_is_there_and_no_violation_is_right_elsewhere():
    columns = columns_of("sorts", "pairs")
    counts = Counter(columns["construction"])
    assert counts == {"articles": 400, "verbs": 400, "verb_place": 400}
    # Der Schmied schärfen die Dolche
    assert not {*columns["violated"]} & {*columns["grammatical"]}


@pytest.mark.parametrize(("config", "kinds"), [("twins", 2), ("dutch_twins", 1)])
def test_the_members_of_a_twin_exchange_their_roles(config, kinds):
    rows = split_table("sorts", config, "test").to_pylist()
    assert len({row["resolved_by"] for row in rows}) == kinds
    twins = defaultdict(dict)
    for row in rows:
        own = [row["lemmas"][row[role]] for role in ("subject", "object")]
        twins[row["twin_id"], row["word_order"]][row["condition"]] = own
    assert len({twin for twin, _ in twins}) == 100 * kinds
    assert all(both["plausible"] == both["implausible"][::-1] for both in twins.values())


def test_questions_are_about_triples_in_whatever_order_their_nouns_are():
    orders = [base.triple.subject < base.triple.object for base in sorts.askable()]
    assert 0.4 < sum(orders) / len(orders) < 0.6


def test_broken_pairs_and_questions_are_named():
    columns = {
        "id": ["plain/01/articles/0"] * 2,
        "grammatical": ["Man sagt, der Leser liest."] * 2,
        "violated": ["Man sagt, der Leser liest.", "Man sagt, den Leser liest."],
    }
    found = list(sorts.same_word_problems(columns))
    assert len(found) == 2
    assert "expected two orders of the same words" in found[1]
    asked = sorts.question_table().slice(1, 4).to_pydict()
    asked["answer"][0] = "Niemand."
    found = list(sorts.question_problems(asked))
    assert "answer, got 'Niemand.'" in found[0]
    assert "cells, got 3; expected 4" in found[1]


def test_a_question_is_asked_in_all_cells_and_both_choices_stand_in_the_clause():
    rows = split_table("sorts", "questions", "test").to_pylist()
    names = ("condition", "word_order", "role", "is_right_first")
    cells = Counter(tuple(row[name] for name in names) for row in rows)
    assert set(cells.values()) == {sorts.N_TRIPLES}
    assert len(cells) == 2 * 4 * 2 * 2
    assert all(choice[:-1] in row["sentence"] for row in rows for choice in row["choices"])
    row = rows[0]
    right, wrong = measures(row)["choice"]
    assert right.text == f"{row['sentence']} {row['question']} {row['answer']}"
    assert right.text[right.start : right.end] == f" {row['answer']}"
    assert {right.text[right.start + 1 :], wrong.text[wrong.start + 1 :]} == set(row["choices"])


# --- CenterBench
@pytest.fixture(scope="module")
def exchanged():
    return split_table("centerbench", "pairs", "test").to_pylist()


def places(row):
    """Of the left noun, of the right one, of the verb; whether the left one is right."""
    text = row["plausible"].rstrip(".").lower()
    words = text.split()
    verb = row["probe"].removeprefix("The one that ").partition(" another")[0]

    def at(part):
        return len(f" {text} ".partition(f" {part} ")[0].split())

    right, wrong = (at(f"the {row[name]}") for name in ("plausible_noun", "implausible_noun"))
    return min(right, wrong), max(right, wrong), at(verb), right < wrong, words


def test_the_words_from_either_noun_to_the_verb_tell_nothing(exchanged):
    sides = Counter()
    for row in exchanged:
        left, right, verb, is_left, _ = places(row)
        sides[row["construction"], verb - left, verb - right] += 1 if is_left else -1
    assert len(sides) > 50
    assert set(sides.values()) == {0}


def test_no_place_and_no_word_beside_the_verb_tells_much(exchanged):
    """The best guess in hindsight; a coin in hindsight has up to as much."""
    sides = defaultdict(Counter)
    for row in exchanged:
        left, right, verb, is_left, words = places(row)
        nouns = (words[:left].count("that"), words[left:verb].count("that"), words.count("that"))
        near = [words[verb - k].endswith("ed") for k in (1, 2)]
        for cue, value in enumerate((left, right, verb, *nouns, *near)):
            sides[cue][value] += 1 if is_left else -1
    for counts in sides.values():
        assert 0.5 + sum(map(abs, counts.values())) / 2 / len(exchanged) < 0.55


def test_counts_of_exchanges(exchanged):
    counts = Counter((row["construction"], places(row)[3]) for row in exchanged)
    sizes = {"center_embedded": 108, "nested_and_right_branching": 252}
    assert counts == {(name, side): sizes[name] for name in sizes for side in (True, False)}


def test_a_crossed_pair_has_its_nouns_at_the_same_place_of_both_members(exchanged):
    for row in exchanged:
        words = [row[name].rstrip(".").split() for name in ("plausible", "implausible")]
        assert sorted(word.lower() for word in words[0]) == sorted(w.lower() for w in words[1])
        nouns = (row["plausible_noun"], row["implausible_noun"])
        pieces = re.split(rf"\b({'|'.join(nouns)})\b", row["plausible"])
        places = [i for i, piece in enumerate(pieces) if piece in nouns]
        assert len(places) == 2
        pieces[places[0]], pieces[places[1]] = pieces[places[1]], pieces[places[0]]
        assert "".join(pieces) == row["implausible"]
    row = exchanged[0]
    texts = [member.text for member in measures(row)["crossed"]]
    assert texts[0].endswith(f"was the {row['plausible_noun']}.")
    assert texts[3].startswith(row["implausible"])
    assert texts[3].endswith(f"was the {row['implausible_noun']}.")


@pytest.fixture(scope="module")
def choices():
    return split_table("centerbench", "choice", "test").to_pylist()


def test_choices_differ_in_one_word_group_and_none_is_beside_what_it_is_about(choices):
    for row in choices:
        assert row["chance"] == 0.5
        words = row["sentence"].rstrip(".").split()
        if row["question_type"] == "action_performed":  # verbs crossed with one object
            assert len({choice.partition(" the ")[2] for choice in row["choices"]}) == 1
            assert row["question"] == f"What did the {row['entity']} do?"
        else:
            verb = row["question"].removeprefix("Which one ").partition(" another")[0]
            before = f" {' '.join(words)} ".partition(f" {verb} ")[0]
            assert not any(before.endswith(choice.removeprefix("the")) for choice in row["choices"])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_ending_of_words_before_the_verb_tells_who_did_it(choices, n):
    """Where the words between are as many, one verb fewer is one particle more (*fled from*)."""
    first = defaultdict(Counter)
    for row in choices:
        if row["question_type"] == "agent_identification":
            verb = row["question"].removeprefix("Which one ").partition(" another")[0]
            words = row["sentence"].partition(f" {verb} ")[0].split()
            options = sorted(row["choices"], key=lambda noun: row["sentence"].lower().find(noun))
            ends = tuple(word.endswith("ed") for word in words[-n:])
            first[ends][options[0] == row["answer"]] += 1
    right = sum(max(counts.values()) for counts in first.values())
    share = right / sum(counts.total() for counts in first.values())
    assert share < (0.55 if n < 3 else 0.6)  # in hindsight; 72 % where only distances were balanced


def by_part(choices):
    found = defaultdict(list)
    for row in choices:
        found[row["question_type"], row["construction"], row["condition"]].append(row)
    assert sorted(map(len, found.values())) == [216] * 4 + [504] * 4
    return found.values()


def test_every_choice_has_a_counterpart_whose_other_option_is_right(choices):
    for rows in by_part(choices):
        sides = Counter()
        for row in rows:
            sign = 1 if row["answer"] == row["choices"][0] else -1
            sides[counted(row["id"], row["sentence"])] += sign
        assert set(sides.values()) == {0}


def test_length_and_alphabet_tell_half_of_the_choices_of_each_part(choices):
    """The longer option, and the one that is first in the alphabet; ties are a half."""
    for rows in by_part(choices):
        for measure in (len, lambda text: len(text.split()), str.lower):
            won = 0.0
            for row in rows:
                wrong = next(choice for choice in row["choices"] if choice != row["answer"])
                right, other = measure(row["answer"]), measure(wrong)
                won += 0.5 if right == other else float(right > other)
            assert won / len(rows) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("level", [4, 7])
@pytest.mark.parametrize("ask", [ask_in_counterparts, exchange_in_counterparts])
def test_few_pairs_have_questions_too(level, ask):
    """Of few pairs a question takes the nearest counterpart; no pair is asked one thing twice."""
    [pairs] = draw(0, 3, levels=(level,))
    asked = list(ask(pairs, default_drawer().knowledge))
    assert len({one.id for one in asked}) == len(asked) > 0
    labels = Counter((one.question_type, one.n_right > 0, one.label) for one in asked)
    assert all(n == labels[kind, right, 1 - label] for (kind, right, label), n in labels.items())


def test_few_questions_are_chosen_among_many_pairs():
    """Of 2 of 18 pairs: 1 counterpart without and 2 with events to the right, of either type."""
    pairs = [pair for of_level in draw(0, 6, levels=(7, 8, 9)) for pair in of_level]
    asked = list(ask_in_counterparts(pairs, default_drawer().knowledge, n_pairs=2))
    counts = Counter((one.question_type, one.n_right > 0, one.label) for one in asked)
    assert counts == {
        # members of a pair of sentences: 2 for each question
        (question_type, is_right, label): 4 if is_right else 2
        for question_type in ("action_performed", "agent_identification")
        for is_right in (False, True)
        for label in (0, 1)
    }


def test_broken_rows_of_centerbench_are_named():
    crossed = columns_of("centerbench", "pairs", 2)
    crossed["implausible_noun"] = [crossed["plausible_noun"][0], "unicorn"]
    crossed["implausible"][1] = "Something else."
    assert first_words(centerbench.crossed_problems(crossed)) == ["nouns", "members", "nouns"]
    choice = columns_of("centerbench", "choice", 3)
    choice["answer"][0] = next(c for c in choice["choices"][0] if c != choice["answer"][0])
    choice["answer"][1], choice["chance"][2] = "nobody", 0.9
    found = list(centerbench.choice_problems(choice, center_lexicon(), KnowledgeBase()))
    assert first_words(found) == ["answer", "answer", "answer", "chance"]
    assert "of 'The " in found[0]


# --- PP attachment
def test_both_orders_of_pp_attachment_have_the_same_words_so_that_counts_cancel():
    """vv - vn - nv + nn: every word of a stretch stands on both sides, capitals apart."""
    rows = split_table("pp_attachment", "pairs", "test").to_pylist()
    assert Counter(row["construction"] for row in rows) == {"holder": 260, "selection": 428}
    for row in rows:
        members = measures(row)["crossed"]
        texts = [member.text[member.start : member.end] for member in members]
        counts = Counter()
        for sign, text in zip((1, -1, -1, 1), texts, strict=True):
            for word in text.removesuffix(".").split():
                counts[word] += sign
        assert not any(counts.values()), row["id"]


def test_no_alphabet_tells_which_verb_wants_the_phrase():
    """Once by code points, once as a dictionary has it (ä as a, ß as ss)."""
    rows = split_table("pp_attachment", "pairs", "test").to_pylist()
    chosen = [row for row in rows if row["construction"] == "selection"]
    plain = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
    for folded in (str, lambda verb: verb.translate(plain)):
        later = Counter()
        for row in chosen:
            texts = (row["verb_verb"].split(), row["verb_noun"].split())
            [(selecting, other)] = [pair for pair in zip(*texts, strict=True) if len(set(pair)) > 1]
            later[row["cluster"]] += 1 if folded(selecting) > folded(other) else -1
        assert set(later.values()) == {0}
        assert len(later) == 22


@functools.cache
def rows_of_holders():
    rows = split_table("pp_attachment", "pairs", "test").to_pylist()
    return {row["id"]: row for row in rows if row["construction"] == "holder"}


@pytest.mark.parametrize(*cases("likelihood_views/orders_and_both_ways_to_name_a_holder"))
def test_orders_and_both_ways_to_name_a_holder(name, member, text):
    assert rows_of_holders()[name][member] == text


def test_no_place_length_or_capital_tells_whose_a_phrase_is():
    """Only which words stand there: "hat er letzten Sommer" or "auf dem zweiten Gipfel"."""
    for row in rows_of_holders().values():
        verb_order, noun_order = (row[name].split(". ")[0].split() for name in MEMBERS_OF_ORDERS)
        changed = [i for i, (a, b) in enumerate(zip(verb_order, noun_order, strict=True)) if a != b]
        first, last = changed[:4], changed[-4:]
        assert [verb_order[i] for i in first] == [noun_order[i] for i in last]
        assert [verb_order[i] for i in last] == [noun_order[i] for i in first]
        assert verb_order[first[0]] == "hat"
        for i in {*range(len(verb_order))} - {first[1], last[1]}:  # er, but der or dem
            words = verb_order[i], noun_order[i]
            assert len({(len(word), word[0].isupper()) for word in words}) == 1, row["id"]


def test_no_three_of_the_four_cues_of_a_holder_tell_anything():
    """Each frame crosses who tells first with who is named first, four items for each telling."""
    columns = columns_of("pp_attachment", "pairs")
    assert list(pp_attachment.balance_problems(columns)) == []
    crossed = Counter()
    for row in rows_of_holders().values():
        clause, told = row["verb_verb"].split(". ")
        is_early = clause.index(",") < len(clause) / 2
        is_last = re.search("sondern|schon", told) is not None
        crossed[row["cluster"], re.search(r"letzten \w+", clause)[0], is_early, is_last] += 1
    assert len(crossed) == 260
    place = columns["construction"].index("holder")
    for order, other in (("verb_verb", "verb_noun"), ("noun_noun", "noun_verb")):
        columns[order][place], columns[other][place] = columns[other][place], columns[order][place]
    found = list(pp_attachment.balance_problems(columns))
    assert any("hat third" in problem and "more right than wrong" in problem for problem in found)
    assert all(problem.startswith(columns["cluster"][place]) for problem in found)


def test_broken_rows_of_pp_attachment_are_named():
    columns = columns_of("pp_attachment", "pairs", 2)
    columns["noun_verb"][1] = columns["noun_noun"][1]
    columns["verb_noun"][0] += " Ja."
    assert first_words(pp_attachment.likelihood_problems(columns)) == ["members"] * 2


# --- ERAS
def test_regions_of_eras_follow_each_other_and_what_is_after_is_the_same():
    rows = split_table("eras", "pairs", "test").to_pylist()
    assert Counter(row["occluder"] for row in rows) == {"□": 1950, "某": 390, "×": 390}
    for row in rows[::97]:
        members = measures(row)
        after = {member.text[member.start : member.end] for member in members["after"]}
        assert len(after) == 1
        site = [member.text[member.start : member.end] for member in members["site"]]
        assert all(row["occluder"] in text for text in site[2:])
        assert site[0] != site[1]
        assert [member.text for member in members["total"]] == [row[name] for name in eras.MEMBERS]
        assert members["after"][0].start == members["site"][0].end


def test_broken_rows_of_eras_are_named():
    columns = columns_of("eras", "pairs", 4)
    columns["test"][0] += "了"
    columns["after_start"][1] = columns["site_start"][1] + 1
    columns["occluder"][2] = "?"
    columns["after_start"][3] = len(columns["test"][3])
    found = "\n".join(eras.likelihood_problems(columns))
    for told in ("several lengths", "other text around", "expected it in the occluded members"):
        assert told in found
    assert "expected a site and text after it" in found


# --- morphseg
def test_a_shifted_boundary_makes_a_suffix_of_other_words():
    tags = ("ROOT", "_")
    word = Word("boats", ("boat", "s"), (("boat", "s"), ("boa", "ts")), tags)
    assert morphseg.shifts(word, {"s", "ts"}) == [], "the only shift is another right segmentation"
    word = Word("doings", ("do", "ing", "s"), (("do", "ing", "s"),), ("ROOT", "_", "_"))
    found = morphseg.shifts(word, {"ing", "oing", "ng", "s", "doing"})
    assert [shift.segmentation for shift in found] == [("doi", "ng", "s"), ("d", "oing", "s")]


def test_two_words_of_a_contrast_by_hand():
    """CVVCVC twice: CVVCV-C is right in one and CVVC-VC in the other; of two stems the last."""
    rows = split_table("morphseg", "pairs", "test").to_pylist()
    cuts = {row["segmented"]: row["shifted"] for row in rows if row["separator"] == "-"}
    assert cuts["laesa-d"] == "laes-ad"
    assert cuts["vaad-ad"] == "vaada-d"
    assert cuts["mylem-tuura-d"] == "mylem-tuur-ad"
    assert [morphseg.skeleton(word) for word in ("laesad", "vaadad")] == ["CVVCVC"] * 2


def test_suffixes_letters_and_lengths_are_right_as_often_as_wrong():
    rows = split_table("morphseg", "pairs", "test").to_pylist()
    gained = Counter()
    for row in rows:
        cuts = [row[name].split(row["separator"]) for name in ("segmented", "shifted")]
        at = next(k for k, (own, other) in enumerate(zip(*cuts, strict=True)) if own != other)
        for cut, sign in zip(cuts, (1, -1), strict=True):
            for piece in cut[at + 1 :]:
                gained[piece] += sign
            gained["stem", at, morphseg.skeleton(cut[at])] += sign
            gained[row["cluster"], morphseg.skeleton(cut[at])] += sign
            pieces = tuple(map(morphseg.skeleton, (cut[at], cut[at + 1])))
            gained[row["cluster"], pieces] += sign
            gained["last", len(cut[-1])] += sign
            gained["last", cut[-1], row["word"][-2:]] += sign
    assert {key for key, n in gained.items() if n} == set()


def test_words_are_there_with_three_separators_and_broken_ones_are_named():
    columns = columns_of("morphseg", "pairs")
    assert Counter(columns["separator"]) == {"-": 184, " ": 184, "|": 184}
    few = columns_of("morphseg", "pairs", 2)
    few["shifted"] = [few["segmented"][0], few["shifted"][1] + "x"]
    found = list(morphseg.shift_problems(few))
    assert "expected as many morphemes, other ones" in found[0]
    assert "expected the word" in found[1]
