"""PP attachment: golden orders, what decides, broken rows, tables against outside oracles."""

from collections import Counter

import pytest

from builders.pp_attachment.columns import CONLL_SCHEMA
from builders.pp_attachment.draw import SHARES, capacity, draw, draw_pairs
from builders.pp_attachment.frames import GERMAN, frame_of, frames, lexicon, verb_forms
from builders.pp_attachment.items import (
    OBJECT,
    PAIRS,
    FrameSetting,
    Variant,
    Words,
    build_clause,
)
from builders.pp_attachment.readings import read_row
from builders.pp_attachment.realizer import (
    VERB,
    noun_phrase,
    prepositional_part,
)
from builders.pp_attachment.validity import problems
from builders.pp_attachment.writers import conllu, tsv
from builders.sorts.columns import clause_table
from builders.sorts.lexicon import Noun, read_lexicon
from ground.files import write_whole
from ground.tables import read_table
from tests.product.test_sorts_lexicon import agrees, german_nouns
from tests.support.cases import cases, golden
from tests.support.processes import invalid_trees
from tests.support.results import across

FERNGLAS = Words("beobachten", "Jäger", "Wanderer", "Fernglas", "")
PLAIN = FrameSetting("plain", "present", "definite", "Bruder", "Montag", (0, 1, 0), False, True)


@pytest.fixture(scope="module")
def drawn():
    return draw(3, 800)


@pytest.fixture(scope="module")
def whole():
    return draw()


@pytest.fixture(scope="module")
def rows(drawn):
    return clause_table(drawn, CONLL_SCHEMA).to_pylist()


def sentence(family, words, setting, variant):
    row = build_clause(frame_of(family), words, setting, variant)
    return " ".join(row.tokens), row.tokens[row.head]


# --- Words and orders
@pytest.mark.parametrize(*cases("pp_attachment_suite/orders_of_one_item"))
def test_orders_of_one_item(order, head, setting, expected):
    variant = Variant(order, head, "obl" if head == VERB else "nmod", "topology")
    text, found = sentence("topology/mit_fernglas", FERNGLAS, PLAIN._replace(**setting), variant)
    assert text == expected.format("sicherlich")
    assert found == {VERB: "beobachtet", OBJECT: "Wanderer", "S": "Jäger"}[head] or (
        head == VERB and found in ("beobachtet", "beobachten")
    )


@pytest.mark.parametrize(*cases("pp_attachment_suite/prepositional_phrases"))
def test_prepositional_phrases(preposition, cell, article, case, expected):
    part = prepositional_part(preposition, noun_phrase(cell, article, case), "obl")
    assert " ".join(word.form for word in part) == expected
    (head,) = [i for i, word in enumerate(part) if word.head == -1]
    assert part[0].head == head
    assert noun_phrase(cell, article, case).words[-1].form == part[-1].form


# --- What decides
def test_every_row_is_proved(drawn):
    assert problems(clause_table(drawn, CONLL_SCHEMA)) == []


def test_all_that_can_decide_does(whole):
    found = Counter(zip(whole["resolved_by"], whole["position"], strict=True))
    for resolved, positions in golden("pp_attachment_suite/what_decides_where").items():
        assert all(found[resolved, position] for position in positions), resolved
    assert set(whole["n_candidates"]) == {2, 3, 4, 5}
    assert len(set(whole["preposition"])) >= 15
    assert set(whole["dependent"]) == {"obl", "obl:arg", "nmod"}
    assert set(whole["is_pronoun"]) == {True, False}


def test_readers_of_position_cannot_have_both_members(rows):
    """The nearest noun, and the verb always: no pair whose members have a verb and a noun."""
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        kinds = [row["head"] == row["verb"] for row in (first, second)]
        if kinds == [True, False]:
            nouns = [[i for i in r["candidates"] if i != r["verb"]] for r in (first, second)]
            nearest = [
                min(places, key=lambda i, r=row: abs(i - r["adposition"]))
                for places, row in zip(nouns, (first, second), strict=True)
            ]
            assert [first["head"], second["head"]] != nearest
            assert [first["head"], second["head"]] != [first["verb"], second["verb"]]


@pytest.mark.parametrize(*cases("pp_attachment_suite/a_broken_row_is_named"))
def test_a_broken_row_is_named(rows, column, value, message):
    first = next(
        i for i in range(0, 800, 2) if rows[i]["position"] == "before_verb" and i + 1 < 800
    )
    pair = [dict(rows[first]) | {column: value}, rows[first + 1]]
    found = problems(
        clause_table({name: [r[name] for r in pair] for name in pair[0]}, CONLL_SCHEMA)
    )
    assert any(message in line for line in found), found


def test_the_head_of_a_proof_is_not_read_from_the_row(rows):
    """The proof gives the same head where the row's own attachment is taken away."""
    for row in rows[:200]:
        heads = list(row["heads"])
        heads[row["pp"]] = 0
        reading = read_row(row | {"heads": heads, "head": -1, "dependent": "", "resolved_by": ""})
        assert row["head"] in reading.heads
        assert reading.resolved_by == row["resolved_by"]


# --- Draws
def test_a_draw_is_a_function_of_seed_and_size(drawn):
    assert draw(3, 800) == drawn
    assert draw(4, 800)["tokens"] != drawn["tokens"]
    assert len(drawn["id"]) == len(set(drawn["id"])) == 800


def test_sizes_that_no_draw_has():
    with pytest.raises(ValueError, match="size, got 801; expected an even number, for pairs"):
        draw(0, 801)
    with pytest.raises(ValueError, match=rf"expected at most {capacity()}, what the tables fill"):
        draw_pairs(0, 10 * capacity())


def test_lite_has_all_frames_of_the_draw(whole):
    lite = draw(lite=True)
    assert len(lite["id"]) == 1000
    assert set(lite["id"]) < set(whole["id"])
    assert set(lite["family"]) == {frame.family for frame in frames()}
    assert len({" ".join(tokens) for tokens in whole["tokens"]}) == len(whole["id"]) == 8000


def test_items_stand_in_their_frames(rows):
    for row in rows:
        assert row["id"].startswith(f"{row['pair_id']}/")
        assert row["pair_id"].startswith(f"{row['item_id']}/")
        assert row["item_id"].startswith(f"{row['family']}/")
    assert sum(SHARES.values()) == pytest.approx(1)


def test_an_item_gives_pairs_of_the_kinds_of_its_frame():
    frame = frame_of("topology/mit_fernglas")
    kinds = [p.kind for p in PAIRS["topology"](frame, FERNGLAS, PLAIN)]
    assert kinds == ["front", "but", "subject", "adverb", "time", "adverb_last", "bracket"]
    pronoun = PLAIN._replace(form="pronoun", is_bracketed=False)
    kinds = [p.kind for p in PAIRS["topology"](frame, FERNGLAS, pronoun)]
    assert kinds == ["front", "but", "adverb", "middle"]


def test_parts_of_speech_around_a_phrase_do_not_tell_the_members_of_a_clause_pair_apart(rows):
    """Two to each side: Weil ... den Wanderer wohl diesen Montag mit dem Fernglas beobachtet ."""

    def window(row):
        first, last = row["adposition"], row["pp"]
        tags = ["", "", *row["upos"], "", ""]
        return tags[first : first + 2], tags[last + 3 : last + 5]

    members = {}
    for row in rows:
        if row["pair_kind"] in ("time", "adverb_last"):
            members.setdefault(row["pair_id"], []).append((window(row), row["head"] == row["verb"]))
    alike = [first[0][1][0] == second[0][1][0] for first, second in members.values()]
    assert len(members) > 20
    assert all(alike)
    votes = Counter((str(around), is_verb) for pair in members.values() for around, is_verb in pair)
    best = sum(max(votes[w, True], votes[w, False]) for w in {w for w, _ in votes})
    assert best / votes.total() < 0.65


def test_a_time_that_goes_on_has_no_future(rows):
    assert not any(
        row["preposition"] == "seit" and {"wird", "werden"} & set(row["tokens"]) for row in rows
    )


# --- Tables
def test_tables_have_the_variety_that_is_promised():
    by_group = Counter(frame.group for frame in frames())
    assert by_group["topology"] >= 30
    assert len({v for f in frames() if f.group == "verb" for v in f.verbs}) >= 40
    assert len({o for f in frames() if f.group == "noun" for o in f.objects}) >= 40


def test_what_asks_in_a_contrast_asks_in_no_other_frame():
    """So that half of the suite says nothing of the verbs of the other half."""
    asking = Counter()
    for frame in frames():
        verbs = {"contrast_verb": frame.contrast, "contrast_noun": frame.verbs, "verb": frame.verbs}
        phrase = (frame.preposition, frame.case)
        asking.update((verb, *phrase) for verb in verbs.get(frame.group, ()))
    contrasts = [f for f in frames() if f.group in ("contrast_verb", "contrast_noun")]
    assert len(contrasts) >= 30
    for frame in contrasts:
        verbs = frame.contrast if frame.group == "contrast_verb" else frame.verbs
        assert [asking[verb, frame.preposition, frame.case] for verb in verbs] == [1], frame.family


def test_a_preposition_is_asked_for_by_as_many_verbs_as_nouns():
    """So that none tells the head where the preposition alone differs."""
    own = [frame for frame in frames() if frame.group == "contrast_preposition"]
    of_nouns = Counter(frame.preposition for frame in own)
    assert of_nouns == Counter(other for frame in own for other in frame.contrast)
    assert len(of_nouns) > 10
    for words in (verbs := [v for f in own for v in f.verbs], [o for f in own for o in f.objects]):
        assert len(words) == len(set(words)) == len(own)
    asking = {(v, f.preposition) for f in frames() if f.group == "verb" for v in f.verbs}
    asking |= {
        (v, f.preposition) for f in frames() if f.group == "contrast_verb" for v in f.contrast
    }
    assert not asking & {(v, p) for f in own for v in verbs for p in (f.preposition, *f.contrast)}


def test_the_number_of_a_member_does_not_tell_its_head(whole):
    """The members stand next to each other in the file, the one with 0 first."""
    rows = across(whole, "id", "pair_factor", "head", "verb")
    first = Counter((factor, head == verb) for name, factor, head, verb in rows if name[-1] == "0")
    for factor in ("topology", "verb", "noun", "preposition"):
        share = first[factor, True] / (first[factor, True] + first[factor, False])
        assert 0.4 < share < 0.6, factor


def test_a_noun_of_a_contrast_of_prepositions_asks_in_no_other_frame():
    asking = Counter(
        (noun, frame.preposition)
        for frame in frames()
        if frame.group in ("noun", "contrast_noun", "contrast_verb", "contrast_preposition")
        for noun in (frame.contrast if frame.group == "contrast_noun" else frame.objects)
    )
    own = [frame for frame in frames() if frame.group == "contrast_preposition"]
    assert {asking[noun, f.preposition] for f in own for noun in f.objects} == {1}


@pytest.mark.slow
def test_nouns_agree_with_german_nouns():
    package = german_nouns()
    own = read_table(GERMAN / "nouns.tsv", Noun)
    assert [
        n.lemma for n in own if not any(agrees(lexicon(), n, e) for e in package[n.lemma])
    ] == []
    assert not {noun.lemma for noun in own} & read_lexicon().nouns.keys()


def test_verbs_agree_with_those_of_sorts():
    known = read_lexicon().verbs
    both = [verb for verb in verb_forms().values() if verb.infinitive in known]
    assert len(both) > 100
    for verb in both:
        assert verb.third_singular == known[verb.infinitive].third_singular
        assert known[verb.infinitive].third_plural == verb.infinitive


# --- Files
def validate(folder, columns):
    write_whole(folder / "trees.conllu", conllu(columns))
    assert invalid_trees("de", folder / "trees.conllu") == ""


def test_trees_are_valid_universal_dependencies(tmp_path, drawn):
    validate(tmp_path, drawn)


@pytest.mark.slow
def test_all_trees_are_valid_universal_dependencies(tmp_path, whole):
    validate(tmp_path, whole)


def test_sentences_count_places_from_one(drawn):
    header, first, *_ = tsv(drawn).split("\n")
    cells = dict(zip(header.split("\t"), first.split("\t"), strict=True))
    words = cells["sentence"].split(" ")
    assert words[int(cells["pp_position"]) - 1] == drawn["tokens"][0][drawn["pp"][0]]
    assert words[int(cells["head_position"]) - 1] == drawn["tokens"][0][drawn["head"][0]]
    assert "# resolved_by = topology\n" in conllu(drawn)
