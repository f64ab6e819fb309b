"""The examples of other tools: data as they are published, our answers beside theirs."""

import numpy as np
import pytest

from ground.tables import read_table
from research.studies.coverage.peers import PeerAnswer, answer, examples, show
from research.studies.published_tables import DATA


def test_every_example_has_an_answer_and_the_drawn_ones_are_what_their_lines_draw():
    scores = examples(None)
    answers = [row.example for row in read_table(DATA / "peer_answers.tsv", PeerAnswer)]
    assert list(scores) == answers == ["autorank", "baycomp", "deepsig", "reuben"]
    generator = np.random.RandomState(42)  # what np.random.seed(42) seeds, as its example does
    drawn = generator.normal(0.2, 0.3, 50).clip(0, 1)
    first = [row.score for row in scores["autorank"] if row.system == "pop_0"]
    assert first == pytest.approx(drawn, abs=1e-6)


def test_answers_beside_each_other():
    scores = examples(None)
    results = {name: answer(name, scores[name]) for name in ("autorank", "deepsig", "reuben")}
    groups = [row["letters"] for row in results["autorank"]["by_system"]]
    assert groups == ["d", "c", "b", "a", "a", "a"]
    assert results["reuben"]["winner"] == "aya-expanse-8b"
    assert results["deepsig"]["winner"] == "undecided"
    (shown,) = show(results, None)
    assert "**deepsig 1.2.8** says: almost stochastic order" in shown.text
    assert "Pairs with a region of practical equivalence of 0.05" in shown.text
    holm = {(r["system"], r["other"]): r["p_holm"] for r in shown.figures["reuben"]["by_pair"]}
    assert holm["Clarus-7B-v0.3", "TowerInstruct-Mistral-7B-v0.2"] == pytest.approx(0.12, abs=0.005)
