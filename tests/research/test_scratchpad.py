"""Notes before an answer: as many tokens as are given, and nothing else is moved."""

from dataclasses import replace

import pytest

from garden_path.models.answerers import AnswererSettings
from garden_path.models.generation import GenerationModel
from garden_path.models.questions import Answer, read_prompts
from research.studies.centerbench.budgets import STUDY, budgeted
from research.systems.answerers.loaders import Scratchpad, _whole, load_scratchpad
from research.systems.language_models import gguf
from tests.product.test_answerers import QUESTION
from tests.support.tiny_models import make_byte_model

QUESTIONS = [QUESTION, QUESTION._replace(question="What did the horse do?"), QUESTION]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> GenerationModel:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    folder = make_byte_model(tmp_path_factory.mktemp("bytes"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, padding_side="left")
    found = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    return GenerationModel(tokenizer, found, read_prompts(), batch_size=2, max_new_tokens=5)


def test_notes_are_cut_at_the_budget_and_stand_apart(model):
    given = dict(Scratchpad.around(model, 7).answer(QUESTIONS))
    assert sorted(given) == [0, 1, 2]
    assert all(0 < (one.n_reasoning_tokens or 0) <= 7 for one in given.values())
    assert all((one.n_completion_tokens or 0) <= 5 for one in given.values())
    assert given[0] == given[2]  # the same question, in another batch


def test_without_a_budget_it_answers_at_once_under_the_same_prompt(model):
    pad = Scratchpad.around(model, 0)
    asked = pad.model.prompt(QUESTION)
    tokens = model.tokenizer([asked + pad.notes + pad.answer_mark])["input_ids"]
    (plain,) = pad.model.generate(tokens)
    (_, found), *_ = pad.answer([QUESTION])
    assert (found.reasoning, found.n_reasoning_tokens) == ("", 0)
    assert found.text == plain.text.strip().partition("\n")[0]
    assert "First write notes" in asked
    assert asked != model.prompt(QUESTION)


def test_the_answer_is_the_first_line():
    note = Answer("horse: kicked", n_completion_tokens=4)
    cut = _whole(note, Answer(" the horse\nSentence: The", finish_reason="length"))
    assert cut == Answer("the horse", "horse: kicked", None, None, 4, "stop")
    assert _whole(note, Answer("the", finish_reason="length")).finish_reason == "length"


def test_the_budget_is_read_as_endpoints_have_it(tmp_path, monkeypatch):
    pytest.importorskip("transformers", reason="transformers is not installed")
    folder = make_byte_model(tmp_path)
    monkeypatch.setattr(gguf, "packaged_folder", lambda name: folder)
    monkeypatch.setattr("research.systems.weights.version", lambda name: f"{name} 1")
    settings = AnswererSettings()
    (field,) = (one for one in STUDY.options if one.name == "budget-field")
    requests = (budgeted(settings.request, n, field.default) for n in (0, 128))
    versions = [
        load_scratchpad("scratchpad:x", "x", replace(settings, request=request)).version
        for request in requests
    ]
    assert versions[0].endswith(" notes 0")
    assert versions[1] == f"{versions[0][:-1]}128"
    wrong = replace(settings, request={"reasoning": {"max_tokens": -1}})
    with pytest.raises(ValueError, match="max_tokens, got -1; expected a number from 0"):
        load_scratchpad("scratchpad:x", "x", wrong)
