"""Null systems: what each does by hand, and that no suite's headline is won by knowing nothing."""

import importlib
from typing import Any

import numpy as np
import pytest

from builders.centerbench.draw import LEVELS, Drawer
from builders.centerbench.relations import KnowledgeBase
from dataset_scripts.headlines import HEADLINES
from dataset_scripts.registry import split_table, suite_names
from garden_path.models.questions import Question
from metrics.matched_pair_accuracy.options import read_options
from metrics.matched_pair_accuracy.scoring import score
from metrics.morpheme_segmentation.options import read_options as f1_options
from metrics.morpheme_segmentation.scoring import score as f1_score
from research.systems.nulls import FUNCTIONS, make_guesser, nouns_in, nulls_of, order_features
from research.systems.registry import kinds, known, load
from tests.support.cases import cases
from tests.support.centerbench_draw import question_rows

SENTENCE = "The goat that the coyote that the fire engine fed kicked bleated."
NULLS = [null for suite in suite_names() for null in nulls_of(suite)]
ASKED = [
    Question(SENTENCE, f"What did the {noun} do?", noun, "action_performed")
    for noun in ("goat", "coyote", "fire engine")
]


def test_there_are_nulls_of_every_suite():
    assert all(nulls_of(suite) for suite in suite_names())
    named = {(null.kind, null.name) for null in NULLS}
    assert {kind for kind, _ in named} == set(kinds()) - {"chooser"}  # its nulls are in the metric
    assert {(kind, name) for kind, table in FUNCTIONS.items() for name in table} <= named


@pytest.mark.parametrize("null", NULLS, ids=lambda null: f"{null.kind}-{null.name}")
def test_a_null_is_named_like_any_other_system(null):
    assert null.name in known(null.kind)
    system = load(null.kind, null.name)
    assert system.name == null.name
    assert system.n_parameters is None
    assert null.says


@pytest.mark.parametrize(*cases("nulls/segmenters_that_know_nothing"))
def test_segmenters_that_know_nothing(name, words):
    assert load("segmenter", name).predict(["老师来了。", ""]) == words


def test_coins_fall_alike_for_the_same_item():
    items = [f"老师第{i}次来了" for i in range(40)]
    cut = load("segmenter", "cut-at-random").predict(items)
    assert load("segmenter", "cut-at-random").predict(items[::-1]) == cut[::-1]
    shares = [(len(words) - 1) / (len(item) - 1) for words, item in zip(cut, items, strict=True)]
    assert 0.4 < sum(shares) / len(shares) < 0.6
    ratings = load("classifier", "random").predict(items)
    assert len(set(ratings.tolist())) == 40
    assert list(ratings) == list(load("classifier", "random").predict(items))


@pytest.mark.parametrize(*cases("nulls/answerers_that_know_nothing"))
def test_answerers_that_know_nothing(name, answers):
    assert [answer.text for answer in load("answerer", name).predict(ASKED)] == answers


def test_the_guesser_of_noun_order_turns_with_its_guess(monkeypatch):
    monkeypatch.setattr(
        "research.systems.nulls.guess_plausible", lambda orders: [False] * len(orders)
    )
    found = [answer.text for answer in load("answerer", "noun-order").predict(ASKED)]
    assert found == ["the coyote", "the goat", "the coyote"]  # the one before, or the only one


@pytest.mark.slow
def test_the_order_of_nouns_gives_no_gap_between_the_conditions():
    rows = question_rows()
    answers = predictions_of("centerbench", load("answerer", "noun-order"), rows)
    result = score({"predictions": answers, "references": rows}, read_options())
    assert result["gap_core_low"] < 0 < result["gap_core_high"]
    assert 0.136 < result["accuracy_core"] < 0.333  # below the neighbouring noun, the stated null


def test_the_order_of_nouns_tells_no_condition():
    """A logistic guesser on ranks and first noun; statistics over pairs, folds of whole pairs."""
    model_selection = pytest.importorskip("sklearn.model_selection")
    drawer = Drawer(KnowledgeBase())
    features, is_plausible, groups = [], [], []
    for level in LEVELS:
        for pair in drawer.draw(level, 0, 60):
            for chain in (pair.plausible, pair.implausible):
                features.append(order_features([noun.noun for noun in chain.nouns]))
                is_plausible.append(chain is pair.plausible)
                groups.append(pair.pair_id)
    folds = model_selection.GroupKFold(n_splits=10)
    guesses = model_selection.cross_val_predict(
        make_guesser(), features, is_plausible, groups=groups, cv=folds
    )
    right = (guesses == np.array(is_plausible)).reshape(-1, 2).mean(axis=1)  # per pair
    upper = right.mean() + 1.96 * right.std(ddof=1) / len(right) ** 0.5
    assert upper <= 0.6


def test_a_random_noun_is_one_of_the_sentence():
    answers = {answer.text for answer in load("answerer", "random-noun").predict(ASKED * 3)}
    assert answers <= {"the goat", "the coyote", "the fire engine"}
    assert nouns_in(SENTENCE) == ["goat", "coyote", "fire engine"]
    assert nouns_in("The praying mantis that the horse kicked.") == ["praying mantis", "horse"]
    with pytest.raises(ValueError, match=r"nouns, got none in 'Nobody came.'; expected one"):
        nouns_in("Nobody came.")


def test_readers_of_order_take_either_argument_for_the_subject():
    clauses: dict[str, list[Any]] = {"id": ["1"], "subject": [0], "verb": [1], "object": [2]}
    clauses |= {"tokens": [["Hunde", "sehen", "Katzen"]], "lemmas": [["Hund", "sehen", "Katze"]]}
    clauses |= {"upos": [["NOUN", "VERB", "NOUN"]], "heads": [[2, 0, 2]]}
    clauses |= {"deprels": [["nsubj", "root", "obj"]]}
    straight, turned = [["nsubj", "root", "obj"]], [["obj", "root", "nsubj"]]
    assert load("parser", "subject-first").predict(clauses)["deprels"] == straight
    assert load("parser", "object-first").predict(clauses)["deprels"] == turned
    many = {name: column * 60 for name, column in clauses.items()}
    many["tokens"] = [[f"Hunde{i}", "sehen", "Katzen"] for i in range(60)]
    found = load("parser", "random-roles").predict(many)["deprels"]
    assert 15 < sum(labels == straight[0] for labels in found) < 45
    assert all(labels in (*straight, *turned) for labels in found)


def test_a_uniform_model_prefers_the_shorter_text():
    long, short = load("language_model", "uniform").predict(["abc", "ab"])
    assert long.log_probabilities.sum() < short.log_probabilities.sum()
    assert (long.starts.tolist(), long.ends.tolist()) == ([0, 1, 2], [1, 2, 3])


def test_a_morphological_null_learns_nothing():
    training = [["walk", "ed"], ["talk", "s"]]
    cut = load("morphological_segmenter", "cut-everywhere").train(training, 0)
    assert cut.predict(["ab"]) == [["a", "b"]]
    whole = load("morphological_segmenter", "cut-nowhere").train(training, 0)
    assert whole.predict(["walked"]) == [["walked"]]


# --- what the nulls score
REFERENCES = {
    "eras": ("segmenter", "jieba"),
    "sorts": ("parser", "inflection-first"),
    "pp_attachment": ("parser", "topology-first"),
    "centerbench": ("answerer", "structure"),
}


def rows_of(suite: str) -> Any:
    """The rows of a suite that are asked about."""
    if suite == "centerbench":
        return question_rows()
    known = {"eras": ("simplified_lite", "test"), "sorts": ("conll_lite", "part_amb")}
    table = split_table(suite, *known.get(suite, ("lite", "test")))
    return table if suite == "eras" else table.to_pydict()


def asked_in(rows: Any) -> list[Question]:
    return [Question(*(row[name] for name in Question._fields)) for row in rows]


def predictions_of(suite: str, system: Any, rows: Any) -> Any:
    """What a system gives for the rows, as the metric takes it."""
    if suite == "eras":
        sides = (system.predict(rows[side].to_pylist()) for side in ("test", "control"))
        return list(zip(*sides, strict=True))
    if suite == "centerbench":
        return [answer.text for answer in system.predict(asked_in(rows))]
    return system.predict(rows)


@pytest.mark.slow
@pytest.mark.parametrize("suite", sorted(REFERENCES))
def test_no_null_is_above_the_chance_that_the_headline_states(suite):
    headline, (kind, reference), rows = HEADLINES[suite], REFERENCES[suite], rows_of(suite)
    metric = importlib.import_module(f"metrics.{headline.metric}.scoring")
    settings = importlib.import_module(f"metrics.{headline.metric}.options")
    options = settings.read_options(**({} if suite == "centerbench" else {"n_resamples": 500}))
    results = {}
    for name in [*(null.name for null in nulls_of(suite) if null.kind == kind), reference]:
        predictions = predictions_of(suite, load(kind, name), rows)
        results[name] = metric.score({"predictions": predictions, "references": rows}, options)
    if not any("next_noun" in name for name in results[reference]):
        # CenterBench's neighbouring noun has a third of the core: where the metric does not return
        # it as a chance yet, the stated null is linear order, and this one is above it
        results.pop("next-noun", None)
    above = {name for name, result in results.items() if headline.is_above(result)}
    # the committed reference, and nothing that knows nothing; ERAS's best shortcut is a dictionary
    # of two characters, which jieba is not above
    assert above == ({reference} if suite != "eras" else set())
    score = f"{headline.score}_above_chance" if suite == "eras" else headline.score
    assert max(results, key=lambda name: results[name][score]) == reference


def test_morpheme_f1_is_not_won_by_cutting_without_looking():
    gold = split_table("morphseg", "synthetic", "pool")["morphemes"].to_pylist()
    training, test = gold[:400], gold[400:1000]
    nulls = [n.name for n in nulls_of("morphseg") if n.kind == "morphological_segmenter"]
    scores = {}
    for name in [*nulls, "1-crf"]:
        cut = load("morphological_segmenter", name).train(training, 0)
        inputs = {"predictions": cut.predict(["".join(m) for m in test]), "references": test}
        scores[name] = f1_score(inputs, f1_options(confidence=None))["f1"]
    assert set(scores) == {"cut-everywhere", "cut-nowhere", "cut-at-random", "1-crf"}
    assert max(score for name, score in scores.items() if name != "1-crf") < 0.2
    assert scores["1-crf"] > 0.6
