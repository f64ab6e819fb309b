"""Language models made on the spot: log-probabilities, padding, start tokens."""

import math
from pathlib import Path

import pytest

from garden_path.models.registry import USERS
from tests.support.cases import cases
from tests.support.tiny_models import make_masked_model, tiny_llama, word_tokenizer

TEXTS = ["the dog barked", "a", "the goat that the horse kicked bleated", "", "the dog"]


def make_model(folder: Path, *, adds_start: bool) -> str:
    """Saves a tiny causal model and a tokenizer of words that adds a start token or does not."""
    from tokenizers import processors

    tokenizer = word_tokenizer(["<s>", "</s>", "<unk>"], TEXTS, bos_token="<s>")
    if adds_start:
        tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 0)]
        )
    tokenizer.save_pretrained(folder)
    tiny_llama(folder, len(tokenizer), initializer_range=1.0, max_position_embeddings=64)
    return str(folder)


def by_the_model(folder: str, text: str, *, starts: bool) -> list[float]:
    """Log-probabilities of one text's tokens in a forward pass of their own."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    numbers = [0] * starts + [tokenizer.convert_tokens_to_ids(word) for word in text.split()]
    with torch.no_grad():
        found = model(torch.tensor([numbers or [0]])).logits[0].double().log_softmax(-1)
    return [float(found[i, number]) for i, number in enumerate(numbers[1:])]


@pytest.mark.parametrize("adds_start", [True, False])
def test_log_probabilities_are_the_models(tmp_path, adds_start):
    folder = make_model(tmp_path, adds_start=adds_start)
    model = USERS.load("language_model", f"transformers:{folder}")
    for text, scores in zip(TEXTS, model.predict(TEXTS), strict=True):
        expected = by_the_model(folder, text, starts=adds_start)
        assert scores.log_probabilities == pytest.approx(expected, abs=1e-4)
        words = [text[a:b] for a, b in zip(scores.starts, scores.ends, strict=True)]
        assert words == text.split()[1 - adds_start :]


@pytest.mark.parametrize(*cases("language_models/a_start_token_is_there_once_or_not_and_on_record"))
def test_a_start_token_is_there_once_or_not_and_on_record(tmp_path, adds_start, wanted, told):
    folder = make_model(tmp_path, adds_start=adds_start)
    model = USERS.load("language_model", f"transformers:{folder}", start_token=wanted)
    assert model.version.endswith(f"float32 {told}")
    (scores,) = model.predict(["the dog barked"])
    assert len(scores.starts) == (3 if told == "after <s>" else 2)
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    weights = transformers.AutoModelForCausalLM.from_pretrained(folder).state_dict().values()
    assert model.n_parameters == sum(math.prod(one.shape) for one in weights)


def test_another_model_at_the_same_place_is_another_version(tmp_path):
    folder = make_model(tmp_path, adds_start=True)
    first = USERS.load("language_model", f"transformers:{folder}").version
    (tmp_path / "added_tokens.json").write_text("{}", encoding="utf-8")
    assert USERS.load("language_model", f"transformers:{folder}").version != first


def test_a_start_token_is_one_of_three(tmp_path):
    message = "start_token, got 'twice'; expected one of auto, always, never"
    with pytest.raises(ValueError, match=message):
        USERS.load("language_model", "transformers:x", start_token="twice")


def test_sums_equal_those_of_minicons(tmp_path):
    scorer = pytest.importorskip("minicons.scorer", reason="minicons is not installed")
    folder = make_model(tmp_path, adds_start=True)
    theirs = scorer.IncrementalLMScorer(folder, "cpu")
    texts = [" ".join(TEXTS[0:3]), TEXTS[0], TEXTS[2], TEXTS[4]]
    found = USERS.load("language_model", f"transformers:{folder}").predict(texts)
    expected = theirs.sequence_score(texts, reduction=lambda values: values.sum().item())
    assert [one.log_probabilities.sum() for one in found] == pytest.approx(expected, abs=1e-4)


def test_pseudo_log_likelihoods_equal_those_of_minicons(tmp_path):
    scorer = pytest.importorskip("minicons.scorer", reason="minicons is not installed")
    folder = make_masked_model(tmp_path)
    texts = ["the dogs barked", "a dog", "goats bark"]
    found = USERS.load("language_model", f"masked:{folder}").predict(texts)
    theirs = scorer.MaskedLMScorer(folder, "cpu")
    theirs.tokenizer.batch_encode_plus = theirs.tokenizer  # minicons 0.3.39 asks for the old name
    expected = theirs.sequence_score(
        texts, reduction=lambda values: values.sum().item(), PLL_metric="within_word_l2r"
    )
    assert [one.log_probabilities.sum() for one in found] == pytest.approx(expected, abs=1e-4)
    places = zip(found[0].starts.tolist(), found[0].ends.tolist(), strict=True)
    assert [texts[0][a:b] for a, b in places] == ["the", "dog", "s", "bark", "ed"]


def test_a_mark_between_documents_begins_a_text_where_no_other_token_does(tmp_path):
    folder = make_model(tmp_path, adds_start=False)
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|endoftext|>"]})
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model.resize_token_embeddings(len(tokenizer))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    found = USERS.load("language_model", f"transformers:{folder}")
    assert found.version.endswith("after <|endoftext|>")
    assert len(found.predict(["the dog barked"])[0].starts) == 3
