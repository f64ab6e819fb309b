"""The search finds a reader that wins, whatever it wins by, and none where there is none."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builders.shallow import READERS, Shallow
from builders.sorts.lexicon import read_lexicon
from dataset_scripts.registry import suite_builder
from ground.tables import read_table
from research.shallow import __main__ as command
from research.shallow import centerbench, cutters, eras, pp_attachment, sorts
from research.shallow.centerbench import choice, nouns_in
from research.shallow.cues import is_alike, longest_match, text_cues
from research.shallow.decisions import Measure, OptionChoice, Problem, chance_of, score_of
from research.shallow.morphseg import cut_problem
from research.shallow.nesting import BEHIND, BETWEEN, counts_together, mirror_cues
from research.shallow.search import search
from research.shallow.sorts import MEANING, clauses, pairs, questions
from research.shallow.token_views import head_view, tag_view

N = 200


def told_of(made: Problem) -> dict[str, float]:
    """What each reader scores."""
    return dict(search(made).ranked)


def nested(i: int, **cells: Any) -> dict[str, Any]:
    """A row of CenterBench, in a cluster of its own."""
    return {"id": str(i), "cluster": str(i), "construction": "center_embedded"} | cells


def problem(gold_of: Any, n: int = N, measure: Measure = "share", per_unit: int = 1) -> Problem:
    """Choices between two texts, of which `gold_of` says which is right."""
    drawn, made = random.Random(0), []
    for i in range(n):
        texts = ["x" * drawn.randint(1, 9), "y" * drawn.randint(1, 9)]
        places = (str(i // 2), str(i // per_unit))
        made.append(OptionChoice(texts, gold_of(texts, drawn), *places, text_cues(texts)))
    return Problem("c/test", "accuracy", made, measure)


def test_length_is_found_where_it_wins() -> None:
    found = search(problem(lambda texts, drawn: int(len(texts[1]) > len(texts[0]))))
    assert found.best[0].value > 0.94  # ties are coins
    assert "number of characters" in found.ranked[0][0] or "longest word" in found.ranked[0][0]
    assert found.best[0].is_over


def test_a_fair_config_has_no_reader_above_its_bound() -> None:
    found = search(problem(lambda texts, drawn: drawn.randint(0, 1), n=800))
    assert not found.best[0].is_over
    assert found.best[0].chance == 0.5


def test_two_cues_together_are_found_by_a_tree() -> None:
    """The first if the row says so: neither the place nor the row's number wins alone."""
    drawn, made = random.Random(1), []
    for i in range(N):
        flag = drawn.randint(0, 1)
        cues = [{"place": float(k), "flag": float(flag)} for k in (0, 1)]
        made.append(OptionChoice(("a", "b"), flag, str(i), str(i), cues))
    best = search(Problem("c/test", "accuracy", made)).best[0]
    assert (best.value, best.reader) == (1, "tree of “place” and “flag”")


def worded(n: int, vocabulary: str, kind: str, seed: int) -> list[OptionChoice]:
    """Choices of which the text with a word that begins with r is right; a word is met once."""
    drawn, made = random.Random(seed), []
    for i in range(n):
        gold = drawn.randint(0, 1)
        texts = [f"{'r' if k == gold else 'w'}{vocabulary}{i}" for k in (0, 1)]
        symbols = {"first letters": [[text[: 1 + len(vocabulary)]] for text in texts]}
        cues = [{"place": float(k)} for k in (0, 1)]
        made.append(OptionChoice(texts, gold, f"{vocabulary}{i}", "", cues, symbols, kind))
    return made


@pytest.mark.parametrize("kind", ["asked", "never taught"])
def test_a_training_split_teaches_what_the_test_is_too_small_for(kind: str) -> None:
    """Four decisions have no symbol three times; of a kind that train lacks, all is read as one."""
    test, train = worded(4, "x", kind, 0), worded(60, "x", "asked", 1)
    alone, taught = (search(Problem("c/test", "s", test, taught=more)) for more in ((), train))
    before, told = dict(alone.ranked), dict(taught.ranked)
    assert told.keys() >= before.keys()
    assert before["weights of first letters"] == 0.5
    assert told["fitted on train: weights of first letters"] == 1
    assert taught.best[0].reader.startswith("fitted on train: ")


def test_a_training_split_of_other_words_teaches_nothing() -> None:
    """Nor does it hide what the other half of the test teaches."""
    test, train = worded(60, "x", "", 0), worded(60, "y", "", 1)
    told = told_of(Problem("c/test", "s", test, taught=train))
    assert told["fitted on train: weights of first letters"] == 0.5
    assert told["weights of first letters"] == 1


def test_cutters_learn_from_a_training_split_too() -> None:
    """Two words are too few for their ending: in each half it is another one's."""
    test = cut_problem("text2text_items/test", [["da", "lo"], ["ke", "mi"]], "f1", "training")
    train = cut_problem("", [[a, b] for a in ("su", "to", "ba") for b in ("lo", "mi")], "f1")
    taught = told_of(replace(test, taught=train.decisions))
    assert told_of(test)["10 frequent endings"] == 0
    assert taught["fitted on train: 10 frequent endings"] == 1


def test_strings_of_words_tell_where_no_word_does() -> None:
    """Of the views of attachment: *kauft gern* and *gern kauft* have the same words."""
    rows = []
    for i in range(80):
        label = random.Random(i).randint(0, 1)
        first, second = ("gern", "kauft") if label else ("kauft", "gern")
        text = f"Den Hut {i} {first} {second} am Markt die Frau ."
        rows.append({"id": str(i), "text": text, "phrase": "am Markt", "label": label})
    [made] = pp_attachment.attachment("attachment_items/test", rows)
    clusters = [one._replace(cluster=str(i)) for i, one in enumerate(made.decisions)]
    told = told_of(replace(made, decisions=clusters))
    assert told["weights of strings of up to three words, and of the phrase"] == 1
    assert told["weights of words"] < 0.75


def test_a_tag_is_told_by_its_place_and_the_endings_around_it() -> None:
    """Every word is another: the tag is that of the second place, then of words before -en."""
    rows = [
        {"id": str(i), "tokens": [f"a{i}x", f"b{i}y", f"c{i}z", f"d{i}en"], "tags": [0, 1, 2, 0]}
        for i in range(60)
    ]
    [made] = tag_view("tags")("tags_items/test", rows)
    told = told_of(made)
    assert told["weights of four tokens to each side, their endings and places"] == 1


def test_a_tag_is_told_by_characters_that_stand_far_apart() -> None:
    """Of a word that begins and ends alike, by vowels, all are tagged; of any other, none is."""
    drawn = random.Random(5)
    rows = []
    for i in range(400):
        word = drawn.choices("aeiouklmnp", k=drawn.randint(5, 8))
        is_alike = (word[0] in cutters.VOWELS) == (word[-1] in cutters.VOWELS)
        rows.append({"id": f"w-{i}", "tokens": word, "tags": [int(is_alike)] * len(word)})
    [made] = tag_view("tags")("tags_items/test", rows)
    told = told_of(made)
    windows = [value for says, value in told.items() if says.startswith("weights of")]
    assert told["boosted trees over what a row has"] > max(windows) + 0.05


def test_strings_of_kinds_and_endings_tell_where_words_are_new() -> None:
    """Each word is another: what tells is an ending before the phrase and an article behind it."""
    drawn = random.Random(6)
    rows = []
    for i in range(300):
        end, article = drawn.choice(("ung", "keit")), drawn.choice(("der", "den"))
        text = f"Er sah die A{i}{end} mit dem B{i} {article} C{i} ."
        label = int((end == "ung") == (article == "der"))
        rows.append({"text": text, "phrase": f"mit dem B{i}", "label": label})
    [made] = pp_attachment.attachment("attachment_words/test", rows)
    told = told_of(made)
    assert told[f"weights of {pp_attachment.STRINGS}"] > 0.95
    assert told["weights of strings of up to three words, and of the phrase"] < 0.75


def test_three_words_in_a_row_are_read_with_marks_between_them() -> None:
    """The right text has a verb before a mark and "und"; the wrong one has it elsewhere."""
    rows = []
    for i in range(100):
        right, wrong = f"Wenn e{i} n{i} oft kam, und so.", f"Wenn e{i} kam oft n{i}, und so."
        cells = {"id": str(i), "construction": "order", "cluster": str(i)}
        rows.append(cells | {"grammatical": right, "violated": wrong})
    made = next(iter(pairs("pairs/test", rows)))
    assert told_of(made)[f"weights of {sorts.TRIPLES}"] == 1


def test_the_words_around_an_answer_are_read_by_their_endings() -> None:
    """Of an action around its verb, not around the object that it shares with the other."""
    made = centerbench.choices(
        "The cat that the dog chased sat down.",
        "What did the cat do?",
        ["sit down", "chase the cat", "the dog"],
        *(0, "", ""),
    )
    sat, chased, dog = made.symbols[centerbench.AROUND]
    assert chased == ["-3 at", "-2 he", "-1 og", "1 at", "2 wn", "3 #"]
    assert dog == ["-3 he", "-2 at", "-1 at", "1 og", "2 ed", "3 at"]
    assert sat == ["-3 og", "-2 ed", "-1 at", "1 #", "2 #", "3 #"]  # where its particle is


def test_a_cue_that_goes_up_and_down_is_found_by_a_table() -> None:
    """Even distances are right and odd ones wrong, which no tree of depth three tells apart."""
    drawn, made = random.Random(2), []
    for i in range(400):
        distances = [2 * drawn.randint(0, 30) + k for k in drawn.sample((0, 1), 2)]
        gold = next(k for k, n in enumerate(distances) if n % 2 == 0)
        cues = [{"distance": float(n)} for n in distances]
        made.append(OptionChoice(("a", "b"), gold, str(i), str(i), cues))
    best = search(Problem("c/test", "accuracy", made)).best[0]
    assert best.reader == "table of “distance”"
    assert best.value > 0.9


def test_places_of_capital_letters_are_found() -> None:
    """A frame with one word more shifts them, so that no word has to be read."""
    rows = [
        nested(
            i,
            grammatical=f"Man fragt, ob die Frau {i} lacht, und sagt, der Mann weint.",
            violated=f"Man sagt, die Frau {i} lacht, und fragt, ob der Mann weint.",
        )
        for i in range(40)
    ]
    whole, *_ = pairs("pairs/test", rows)
    assert told_of(whole)["weights of places of capital letters"] == 1


def test_scores_count_what_their_names_say() -> None:
    made = problem(lambda texts, drawn: 0, n=4, per_unit=2).decisions
    right = np.array([1.0, 0.0, 1.0, 1.0])
    for measure, score in (("units", 0.5), ("informedness", 0.5), ("share", 0.75)):
        assert score_of(made, right, measure) == score
    assert (chance_of(made, "informedness"), chance_of(made, "units")) == (0, 0.25)
    # two that are wrong and one of their weight together that is right: a half
    weighed = [
        one._replace(unit=str(i), weight=weight)
        for i, (one, weight) in enumerate(zip(made, (0.5, 0.5, 1.0), strict=False))
    ]
    assert score_of(weighed, np.array([0.0, 0.0, 1.0]), "units") == 0.5


def test_choices_told_by_the_noun_before_are_found() -> None:
    """Issue 42: the event whose object is the noun before the asked one; no verb is read."""
    nouns = ["goat", "horse", "farmer", "zebra", "lion", "lynx"]
    rows: list[dict[str, Any]] = []
    for i in range(60):
        a, b, c = random.Random(i).sample(nouns, 3)
        choices = [f"kick the {a}", "bleat", f"feed the {b}"]
        shuffled = sorted(choices, key=lambda text: (text * 7 + str(i))[::-1])
        sentence = f"The {a} that the {b} that the {c} fed kicked bleated."
        asked = {"sentence": sentence, "choices": shuffled, "question_type": "action_performed"}
        for entity, answer in ((b, choices[0]), (c, choices[2]), (a, choices[1])):
            question = f"What did the {entity} do?"
            rows.append(nested(i, **asked, question=question, answer=answer))
    assert nouns_in(rows[0]["sentence"])[0].startswith("the ")
    [made] = choice("choice/test", rows)
    assert search(made).best[0].value == 1


def test_crossed_pairs_told_by_the_distance_from_the_verb_are_found() -> None:
    """The probe begins with an article; the verb that it asks about is behind it."""
    rows = []
    for i in range(60):
        a, b, c = random.Random(i).sample(["goat", "horse", "zebra", "lion", "lynx"], 3)
        text = "The {} that the {} that the {} fed kicked bleated."
        texts = {"plausible": text.format(c, a, b), "implausible": text.format(c, b, a)}
        nouns = {"plausible_noun": a, "implausible_noun": b}
        probe = "The one that kicked another animal was the"
        rows.append(nested(i, probe=probe, **texts, **nouns))
    [made] = centerbench.pairs("pairs/test", rows)
    assert told_of(made)["table of “words from the question's verb to its noun”"] == 1


def test_the_alphabet_of_crossed_pairs_is_found() -> None:
    """The verb that asks for the phrase is always the later one."""
    texts = {
        "verb": "an einen Verlag {} die Frau den Brief.",
        "noun": "den Brief an einen Verlag {} die Frau.",
    }
    rows = []
    for i in range(60):
        words = {"verb": f"z{random.Random(i).randint(10, 99)}", "noun": f"a{i % 7}"}
        members = {
            f"{order}_{verb}": text.format(word)
            for order, text in texts.items()
            for verb, word in words.items()
        }
        rows.append({"id": str(i), "cluster": str(i), "preposition": "an", **members})
    [made] = pp_attachment.pairs("pairs/test", rows)
    assert told_of(made)["largest “place in the alphabet”"] == 1


def test_endings_before_the_asked_verb_are_found() -> None:
    """Behind *fed* the first noun did it, behind *from* the second."""
    rows = []
    for i in range(60):
        passed = ("fled from", "saw fed")[i % 2]
        sentence = f"The a that the b{i} that the c that the d{i} {passed} met slept."
        choices = [f"the b{i}", "the c"]
        asked = {"question": "Which one met another animal?", "choices": choices}
        asked |= {"answer": choices[1 - i % 2], "question_type": "agent_identification"}
        rows.append(nested(i, sentence=sentence, **asked))
    [made] = centerbench.choice("choice/test", rows)
    assert told_of(made)["weights of -ed before the asked verb"] == 1


def clause(item: str, order: str, **cells: Any) -> dict[str, Any]:
    """A row of SORTS."""
    given = {"id": f"{item} {order}", "item_id": item, "triple_id": item, "word_order": order}
    return given | {"properties": []} | cells


def test_the_number_of_nouns_is_found() -> None:
    """The plural is the object in both orders; neither articles nor the verb are read."""
    rows: list[dict[str, Any]] = []
    for i in range(60):
        stem = f"{random.Random(i).choice('bdgk')}{i}ara"
        for order, subject, target in (("VF[S]LK[V]MF[O]", 1, 4), ("VF[O]LK[V]MF[S]", 4, 1)):
            tokens = ["Die", "", "sieht", "die", ""]
            lemmas = ["der", "", "sehen", "der", ""]
            feats = ["_"] * 5
            for at, number, end in ((subject, "Sing", ""), (target, "Plur", "n")):
                lemmas[at] = f"{stem}{'xy'[(number == 'Plur') ^ i % 2]}e"
                tokens[at], feats[at] = lemmas[at] + end, f"Gender=Fem|Number={number}"
            tree = {"upos": ["DET", "NOUN", "VERB", "DET", "NOUN"], "heads": [2, 3, 0, 5, 3]}
            words = {"tokens": tokens, "lemmas": lemmas, "feats": feats, **tree, "verb": 2}
            places = {"subject": subject, "object": target, "resolved_by": "agreement"}
            rows.append(clause(str(i), order, **words, **places))
    made = next(one for one in clauses("conll/amb", rows) if one.score == "informedness")
    told = told_of(made)
    assert told["weights of kinds of phrases and whether forms are lemmas"] == 1
    assert told["weights of lemmas and endings"] < 0.5
    assert any(name.startswith("small weights") for name in told)


@pytest.mark.slow
def test_who_is_alive_is_a_shortcut_where_case_decides_and_the_rule_where_it_does_not() -> None:
    """People love things, with a psych verb things please people; nouns are met once."""
    alive = [noun for noun in read_lexicon().nouns.values() if noun.animacy == "animate"]
    things = [noun for noun in read_lexicon().nouns.values() if noun.animacy == "inanimate"]
    rows: list[dict[str, Any]] = []
    for i, (person, thing) in enumerate(zip(alive[:60], things[:60], strict=True)):
        lemmas = [person.lemma, "lieben", thing.lemma]
        for order, flip in (("VF[S]LK[V]MF[O]", False), ("VF[O]LK[V]MF[S]", True)):
            words = lemmas[::-1] if flip else lemmas
            person_at = words.index(person.lemma)
            places = (2 - person_at, person_at) if i % 2 else (person_at, 2 - person_at)
            tree = {"upos": ["NOUN", "VERB", "NOUN"], "heads": [2, 0, 2], "verb": 1}
            given = {"tokens": words, "lemmas": words, "feats": ["_"] * 3, **tree}
            given |= dict(zip(("subject", "object"), places, strict=True))
            tags = ["psy"] if i % 2 else []
            rows.append(clause(str(i), order, **given, properties=tags, resolved_by="animacy"))
    for split, kind in (("amb", "rule"), ("part_amb", "shortcut")):
        found = search(next(clauses(f"conll/{split}", rows)))
        readers = {one.kind: (one.reader, one.value) for one in found.best}
        assert readers[kind] == (f"weights of {MEANING}", 1)


def test_copying_is_found() -> None:
    rows = []
    for i in range(60):
        choices = [f"Dem Nachbarn {i}.", f"Der Bäuerin {i}."]
        asked = {"question": "Wem verzeiht jemand, dem Nachbarn oder der Bäuerin?"}
        asked |= {"choices": choices[:: 1 - 2 * (i % 2)], "answer": choices[0]}
        rows.append(nested(i, sentence=f"Die Bäuerin {i} verzeiht dem Nachbarn {i}.", **asked))
    [made] = questions("questions/test", rows)
    assert search(made).best[0].value == 1


def test_cutters() -> None:
    cut = dict(cutters.blind_cutters(0.3))
    assert cut["cuts before the last 2"](["boats", "a"]) == [["boa", "ts"], ["a"]]
    assert cut["cuts every 2, first at 1"](["boats"]) == [["b", "oa", "ts"]]
    assert cut["cuts nowhere"](["boats"]) == [["boats"]]
    between = cut["cuts every 2 from the end, between punctuation marks"]
    assert between(["研究生命，好的。"]) == [["研究", "生命", "，", "好的", "。"]]
    by_length = cutters.length_cutter([["a", "bc"], ["de", "f"], ["a", "de"]])
    assert by_length(["xyz", "xy"]) == [["x", "yz"], ["xy"]]
    wide = cutters.window_cutter([["ab", "cd"], ["xbcd"]] * 5, 3)
    assert wide(["abcd", "xbcd"]) == [["ab", "cd"], ["xbcd"]]
    by_ending = cutters.ending_cutter([["boat", "s"], ["read", "er", "s"]], 2)
    assert by_ending(["tellers"]) == [["tell", "er", "s"]]


@pytest.mark.parametrize(
    ("count", "weighs", "settings"),
    [
        (2, "words", {"is_backward": True}),
        (2, "likelihood", {"is_backward": False}),
        (90, "likelihood", {"is_backward": False, "most": 2}),
    ],
)
def test_dictionary_cutters(count: int, weighs: Any, settings: dict[str, Any]) -> None:
    counts = {"研究": 5, "研究生": count, "生命": 5}
    cut = cutters.dictionary_cutter(counts, weighs, **settings)
    assert cut(["研究生命"]) == [["研究", "生命"]]


@pytest.mark.slow
def test_traditional_sentences_are_cut_as_their_simplified_forms_are() -> None:
    """The dictionary has 理发 and 头发; 理髮 and 頭髮 are in no count of jieba's words."""
    cut = dict(eras.dictionary_cutters(True))["longest match, in simplified characters"]
    assert cut(["理髮", "頭髮"]) == [["理髮"], ["頭髮"]]


def test_a_suffix_language_is_cut_by_its_endings() -> None:
    drawn = random.Random(3)
    golds = [
        ["".join(drawn.choices("bdgkmtaeo", k=drawn.randint(3, 7))), drawn.choice(("ile", "u"))]
        for _ in range(120)
    ]
    found = search(cut_problem("pool/test", golds, "f1"))
    assert [one.kind for one in found.best] == ["null", "shortcut"]
    assert found.best[1].value > 0.95


def test_pieces_are_cut_by_how_often_they_are_and_new_ones_by_their_letters() -> None:
    stems = ("walk", "talk", "jump", "kick", "pack", "lick", "tick", "wink")
    golds = [[stem, end] for stem in stems for end in ("ed", "ing")]
    cut = cutters.piece_cutter(golds)
    assert cut(["walking", "jumped"]) == [["walk", "ing"], ["jump", "ed"]]
    assert cut(["pinked"]) == [["pink", "ed"]]  # a stem that was never seen


def test_a_verb_is_counted_from_its_nouns_end() -> None:
    """Of three nouns and verbs the second noun is the subject of the verb that one more follows."""
    context = "The cat that the dog that the fox chased greeted disappointed the owl."
    options = ["chased", "greeted", "disappointed"]
    cues = mirror_cues(context, "What did the dog do?", options)
    assert [own[BEHIND] for own in cues] == [-1, 0, -1]
    assert [own[BETWEEN] for own in cues] == [-1, 0, -1]
    assert counts_together(cues)[1] == ["1 1 before", "1 1 behind", "1 1 1 1"]


@pytest.mark.parametrize(
    ("words", "place"), [("the snake", (3, 2)), ("the", (0, 0)), ("elude", (0, 0))]
)
def test_the_longest_match(words: str, place: tuple[int, int]) -> None:
    assert longest_match(words.split(), ["the", "bird", "that", "the", "snake"]) == place


def test_beginnings_of_one_verb_are_alike() -> None:
    """Of rock and rocked three and four letters are kept."""
    given = (("roc", "rock"), ("gallo", "gallo"), ("the", "to"), ("to", "toad"))
    assert [is_alike(*pair) for pair in given] == [True, True, False, False]


def test_random_trees_find_what_three_symbols_tell_together() -> None:
    """Right is the text with an odd number of three words: no weight of any of them helps."""
    drawn, made = random.Random(3), []
    for i in range(400):
        words = [[name for name in "abc" if drawn.random() < 0.5] for _ in (0, 1)]
        odd = [len(own) % 2 for own in words]
        if sum(odd) == 1:
            cues, symbols = [{"k": 0.0}, {"k": 1.0}], {"words": words}
            made.append(OptionChoice("xy", odd.index(1), str(i), str(i), cues, symbols))
    told = told_of(Problem("c/test", "accuracy", made, together={"all": ["words"]}))
    assert told["random trees over all"] > 0.95
    assert max(value for name, value in told.items() if "random" not in name) < 0.8


def test_a_head_is_told_by_parts_of_speech_and_their_distance() -> None:
    """The article's is the next noun, the noun's the verb, the verb's none; words are all new."""
    tree = {"upos": [5, 7, 15, 5, 7], "heads": [2, 3, 0, 5, 3]}
    rows = [{"id": f"{i}/x", "tokens": [f"w{i}{k}" for k in range(5)], **tree} for i in range(60)]
    [made] = head_view("parsing_items/test", rows)
    assert [len(one.options) for one in made.decisions[:5]] == [5] * 5
    assert search(made).best[0].value == 1


@pytest.mark.slow
@pytest.mark.parametrize("column", ["completion", "solution", "messages"])
def test_a_written_answer_is_chosen_among_those_of_its_sentence(column: str) -> None:
    """The answer to *what did X do* is the phrase that does not begin with an article."""
    rows: list[dict[str, Any]] = []
    for i in range(60):
        sentence = f"The cat that the dog{i} chased slept."
        for question, answer in (("What did the cat do?", "sleep"), ("Who slept?", "the cat")):
            asked = f"{sentence}\nQuestion: {question}\nAnswer:"
            told = [f"{sentence}\n{question}", answer]
            talk = [{"content": text} for text in told]
            rows.append({"prompt": asked, column: talk if column == "messages" else answer})
    [made] = centerbench.written_view(f"{column}_items/test", rows)
    assert [one.options for one in made.decisions] == [["sleep", "the cat"]] * 120
    assert search(made).best[0].value == 1


def test_a_traditional_form_is_told_by_its_neighbours() -> None:
    """发 is 發 before 现 and 髮 behind 头; what has one form is not asked."""
    rows = [
        {"translation": {"zh-Hans": f"{i}{hans}", "zh-Hant": f"{i}{hant}"}}
        for i in range(30)
        for hans, hant in (("发现", "發現"), ("头发", "頭髮"))
    ]
    [made] = eras.translation("translation_items/test", rows)
    assert len(made.decisions) == 60
    assert search(made).best[0].value == 1


def test_sentiment_of_rows_is_read_where_it_is_polar() -> None:
    rows = [{"text": "好吃。", "true_sentiment": "+"}, {"text": "我们。", "true_sentiment": None}]
    [made] = eras.sentiment("sentiment_rows_items/test", rows)
    assert [one.gold for one in made.decisions] == [1]


# what the search leaves of some configs: lines of others stay, if they are still true
def line(config: str, value: float) -> Shallow:
    shares = dict.fromkeys(("low", "high", "held_out", "chance"), value)
    return Shallow(config, "accuracy", "null", "a reader", value, **shares, bound=0.6, n=9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    (tmp_path / "sorts" / "data").mkdir(parents=True)
    return tmp_path / "sorts" / "data"


def test_lines_of_other_configs_stay(folder: Path) -> None:
    command.write("sorts", [line("pairs/test", 0.7), line("twins/test", 0.3)], [])
    parts = [line("pairs/test", 0.5), line("pairs/test:verbs", 0.4)]
    command.write("sorts", parts, [], only=["pairs"])
    found = {one.config: one.value for one in read_table(folder / READERS, Shallow)}
    assert found == {"pairs/test": 0.5, "pairs/test:verbs": 0.4, "twins/test": 0.3}


def test_a_line_about_other_rows_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the table would say of every line that its search is of today's VERSION."""
    builder = suite_builder("sorts")
    monkeypatch.setattr(builder, "VERSION", "3.0.0")
    command.write("sorts", [line("pairs/test", 0.7), line("dutch_pairs/test", 0.7)], [])
    before = (folder / READERS).read_bytes()
    monkeypatch.setattr(builder, "VERSION", "3.1.0")  # with which rows of both came
    with pytest.raises(ValueError, match=r"dutch_pairs, got a search of version 3\.0\.0, and rows"):
        command.write("sorts", [line("pairs/test", 0.5)], [], only=["pairs"])
    assert (folder / READERS).read_bytes() == before


def test_a_config_that_is_not_searched_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="config, got 'piars'; expected one that"):
        command.main(["sorts", "piars", "--hub", str(tmp_path), "--write"])
    assert not list(folder.iterdir())


def test_the_other_split_has_answers_of_the_same_words() -> None:
    """No half of the test tells who wins; the other split does, and is no bar."""
    drawn, test, other = random.Random(3), [], []
    for i in range(N):
        texts, gold = [f"a{i}", f"b{i}"], drawn.randint(0, 1)
        for made in (test, other):
            made.append(OptionChoice(texts, gold, str(i), str(i), text_cues(texts)))
    found = search(Problem("c/test", "s", test, answered=other))
    [leak] = [one for one in found.best if one.kind == "leak"]
    assert leak.value == 1
    assert max(one.value for one in found.best if one.is_shallow) < 0.7


def test_boosted_trees_cut_by_what_goes_only_together() -> None:
    """Before the third character from the end where the word begins with a vowel, else nowhere."""
    drawn = random.Random(4)
    words = ["".join(drawn.choices("aeiouklmnpst", k=drawn.randint(5, 9))) for _ in range(400)]
    golds = [[word[:-3], word[-3:]] if word[0] in cutters.VOWELS else [word] for word in words]
    cut = cutters.boosted_cutter(golds[:300], 8)
    right = [a == b for a, b in zip(cut(words[300:]), golds[300:], strict=True)]
    assert np.mean(right) > 0.9
    assert cut([]) == []
