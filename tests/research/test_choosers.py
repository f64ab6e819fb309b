"""Choosers: what a language model finds likeliest, and what an answerer gives, as choices."""

import re

import numpy as np
import pytest

from garden_path.models import choosers
from garden_path.models.choosers import ChoiceQuestion
from garden_path.models.system import Loader, System
from metrics._shared.language_models import TokenScores
from metrics.minimal_pair_preference.members import answers_behind, measures
from research.systems.choosers import loaders
from research.systems.registry import known, load

SENTENCE = "The rattlesnake that the gecko that the locust slithered after ambushed hopped away."
AGENTS = ("the gecko", "the locust")
ACTIONS = ("hop away", "ambush the rattlesnake")
AGENT = ("What ambushed the rattlesnake?", "rattlesnake", "agent_identification", AGENTS)
ACTION = ("What did the gecko do?", "gecko", "action_performed", ACTIONS)
ASKED = [ChoiceQuestion(SENTENCE, *AGENT), ChoiceQuestion(SENTENCE, *ACTION)]


def by_letters(seen: list[list[str]]) -> System:
    """A model of words: one of the letters of "away" costs 1 nat, any other 2."""

    def predict(texts: list[str]) -> list[TokenScores]:
        seen.append(list(texts))
        found = []
        for text in texts:
            words = list(re.finditer(r"\S+", text))
            costs = [-sum(1 if letter in "away" else 2 for letter in w.group()) for w in words]
            starts, ends = np.array([word.span() for word in words]).T
            found.append(TokenScores(starts, ends, np.array(costs, float)))
        return found

    return System("letters", "1", predict, n_parameters=7)


def test_a_language_model_chooses_by_slln(monkeypatch):
    seen: list[list[str]] = []
    letters = Loader(lambda name, argument, settings: by_letters(seen))
    monkeypatch.setattr(loaders, "LOADERS", {"letters": loaders.by_likelihood(letters)})
    chooser = load("chooser", "letters")
    agents, actions = chooser.predict(ASKED)
    # the 6, gecko. 12, locust. 14; hop 6, away. 6; ambush 11, rattlesnake. 22
    assert agents.tolist() == pytest.approx([-18 / 2**0.5, -20 / 2**0.5])
    assert actions.tolist() == pytest.approx([-12 / 2**0.5, -39 / 3**0.5])
    assert (chooser.version, chooser.n_parameters) == ("1", 7)
    (texts,) = seen
    assert len(texts) == len(set(texts)) == 4  # one call, each text once
    assert f"{SENTENCE} Question: What ambushed the rattlesnake? Answer: the gecko." in texts


def test_the_choices_are_read_as_the_study_of_choices_reads_them():
    question = ASKED[0]
    row = question._asdict() | {"answer": "the locust"}
    right, wrong = measures(row)["choice"]
    assert [right, wrong] == answers_behind(SENTENCE, question.question, AGENTS[::-1])


@pytest.mark.parametrize(
    ("name", "agents", "actions"),
    [("structure", [1.0, 0.0], [0.0, 1.0]), ("linear-order", [1.0, 0.0], [0.0, 0.0])],
)
def test_an_answerer_chooses_what_it_answers(name, agents, actions):
    found = load("chooser", name).predict(ASKED)
    assert [values.tolist() for values in found] == [agents, actions]


def test_what_language_models_and_answerers_are_called_is_known():
    names = known("chooser")
    assert {"gguf:NAME", "transformers:NAME[@REVISION]", "spacy:NAME", "structure"} <= set(names)
    assert "chat:MODEL" not in names


@pytest.mark.parametrize("values", [[1.0], [1.0, float("nan")], [1.0, "much"]])
def test_a_function_gives_a_finite_number_for_every_choice(values):
    given = (lambda questions: [values for _ in questions], choosers.SETTINGS())
    chooser = choosers.of_function("own", "1", *given)
    with pytest.raises(ValueError, match=r"own: (numbers of choices|choice), got .*; expected"):
        chooser.predict(ASKED)
