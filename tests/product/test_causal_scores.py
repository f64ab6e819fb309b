"""Shared beginnings: the same log-probabilities, fewer tokens through the model."""

import itertools
import random

import numpy as np
import pytest

from metrics._shared.language_models import (
    batches,
    maskings,
    plan_trees,
    reach_of,
    score_maskings,
    score_sequences,
)

SMALL = {"vocab_size": 30, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2}
SMALL |= {"num_attention_heads": 2, "max_position_embeddings": 64}
TINY = {**SMALL, "initializer_range": 1.0}


@pytest.fixture(scope="module")
def models():
    """Four that go by mask and positions, two of them within a window, and a recurrent one."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    hf = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(0)
    gemmas = [
        hf.Gemma3TextConfig(**TINY, head_dim=8, sliding_window=window, num_key_value_heads=1)
        for window in (6, 100)
    ]
    gpt = hf.GPT2Config(vocab_size=30, n_embd=16, n_layer=2, n_head=2, n_positions=64)
    mamba = hf.MambaConfig(  # hands no keys and values on
        vocab_size=30, hidden_size=16, state_size=4, num_hidden_layers=1, time_step_rank=2
    )
    made = [
        hf.LlamaForCausalLM(hf.LlamaConfig(**TINY)),
        *(hf.Gemma3ForCausalLM(gemma) for gemma in gemmas),
        hf.GPT2LMHeadModel(gpt),
        hf.MambaForCausalLM(mamba),
    ]
    return [model.eval() for model in made]


def one_by_one(model, sequence):
    import torch

    with torch.no_grad():
        logits = model(torch.tensor([sequence])).logits[0].double().log_softmax(-1)
    return [float(logits[i - 1, token]) for i, token in enumerate(sequence) if i]


def sequences():
    draw = random.Random(0)
    beginnings = [tuple(draw.choices(range(30), k=n)) for n in (3, 8, 8, 14)]
    rests = [tuple(draw.choices(range(30), k=n)) for n in (1, 1, 2, 5)]
    joined = [a + b for a, b in itertools.product(beginnings, rests)]
    return [*joined, beginnings[1], beginnings[3], (1, 2), joined[0]]


@pytest.mark.parametrize("which", range(5))
def test_log_probabilities_are_those_of_each_sequence_alone(which, models):
    model, asked = models[which], sequences()
    for sequence, found in zip(asked, score_sequences(model, asked), strict=True):
        assert found == pytest.approx(one_by_one(model, sequence), abs=1e-4)


def test_a_tree_holds_every_sequence_once_and_no_token_twice():
    asked = sequences()
    (tree,) = plan_trees(asked, 1000)
    assert tree.members == sorted(set(asked))
    for member, path in zip(tree.members, tree.paths, strict=True):
        assert tuple(tree.tokens[place] for place in path) == member[:-1]
        assert [tree.depths[place] for place in path] == list(range(len(path)))
        assert [tree.parents[place] for place in path] == [-1, *path[:-1]][: len(path)]
    assert len(tree.tokens) == len({member[:n] for member in asked for n in range(1, len(member))})
    assert len(tree.tokens) < 0.5 * sum(map(len, asked))


def test_a_tree_has_no_more_tokens_than_there_is_room():
    trees = plan_trees(sequences(), 12)
    assert sorted(m for tree in trees for m in tree.members) == sorted(set(sequences()))
    assert all(len(tree.tokens) <= 12 or len(tree.members) == 1 for tree in trees)
    assert any(len(tree.tokens) > 12 for tree in trees)  # one sequence is longer by itself


def test_a_tree_is_for_models_that_go_by_mask_and_positions(models):
    """The window of the second model is 6; the last one is recurrent."""
    assert [min(reach_of(model), 100) for model in models] == [100, 6, 100, 100, 0]


def test_a_text_too_long_for_the_model_is_refused(models):
    model = models[0]
    with pytest.raises(ValueError, match="text, got 65 tokens; expected at most the model's 64"):
        score_sequences(model, [tuple(range(30)) * 2 + (1,) * 5])


def test_masked_words_are_scored_from_left_to_right():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(0)
    model = transformers.BertForMaskedLM(transformers.BertConfig(**SMALL)).eval()
    texts = [([1, 7, 8, 9, 2], [None, 0, 1, 1, None]), ([1, 5, 2], [None, 0, None])]
    asked = [m for numbers, words in texts for m in maskings(numbers, words, 3)]
    assert [m.numbers for m in asked] == [
        (1, 3, 8, 9, 2),
        (1, 7, 3, 3, 2),  # what follows in the word is masked too
        (1, 7, 8, 3, 2),  # what stands before is not
        (1, 3, 2),
    ]
    expected = []
    for numbers, place, token in asked:
        with torch.no_grad():
            logits = model(torch.tensor([numbers])).logits[0, place]
        expected.append(float(logits.double().log_softmax(-1)[token]))
    assert score_maskings(model, asked, 0) == pytest.approx(expected, abs=1e-4)
    seen = []
    model.cls.predictions.decoder.register_forward_hook(lambda *given: seen.append(given[2].shape))
    assert score_maskings(model, asked, 0) == pytest.approx(expected, abs=1e-4)
    assert [shape[1] for shape in seen] == [1] * len(seen)  # no place but the asked one
    calls = []
    model.register_forward_hook(lambda *given: calls.append(1))
    score_maskings(model, asked, 0)
    assert len(calls) == 1  # what the model can do is tried once, not in every call
    assert np.all(np.array(expected) < 0)


def test_batches_hold_every_input_once_and_have_room():
    lengths = [3, 9, 1, 9, 4, 4, 20]
    found = list(batches(lengths, 18))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    assert found[0] == [6]  # longer than there is room for, alone and first
    assert all(len(b) * max(lengths[i] for i in b) <= 18 for b in found[1:])
    assert max(map(len, batches(lengths, 1000, 2))) == 2
    assert list(batches([], 5)) == []
