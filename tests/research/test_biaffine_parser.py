"""A biaffine parser on a language model's states: states by hand, trees, and a tiny training."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from research.systems.parsers import biaffine_parser, hidden_states
from research.systems.parsers.trained_parsers import load_biaffine
from tests.research.conftest import conll, fail
from tests.support.cases import golden

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("stanza")

NAMES = ("Anna", "Berta", "Carla", "Dora")
VERBS = ("sieht", "kennt", "ruft")
PIECES = ("<bos>", "?", *(f" {word}" for word in (*NAMES, *VERBS, "da", ".")))
SMALL = golden("biaffine_parser/small")
SIZES = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "head_dim": 8}
SIZES |= {"num_attention_heads": 2, "num_key_value_heads": 1}
SIZES |= {"bos_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A language model of two small layers with random weights, in the place of Gemma."""
    folder = tmp_path / "model"
    config = transformers.Gemma3TextConfig(vocab_size=len(PIECES), **SIZES)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.Gemma3TextModel(config).save_pretrained(folder)
    numbers = {piece: i for i, piece in enumerate(PIECES)}
    cutter = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token="?"))
    cutter.save(str(folder / "tokenizer.json"))
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    monkeypatch.setattr(biaffine_parser, "SETTINGS", tmp_path / "small.toml")
    monkeypatch.setattr(hidden_states.gguf, "packaged_folder", lambda name: folder)
    monkeypatch.setenv("GARDENPATH_WEIGHTS", str(tmp_path / "weights"))
    return folder


def clauses() -> list[str]:
    """Clauses of four or five words in CoNLL-U."""
    found = []
    for subject, verb, object_ in itertools.product(NAMES, VERBS, NAMES):
        rows = [(subject, "X", 2, "nsubj"), (verb, "X", 0, "root"), (object_, "X", 2, "obj")]
        rows += [("da", "X", 2, "advmod")] * (subject < object_)
        found.append(conll(*rows, (".", "X", 2, "punct")))
    return found


def is_tree(heads: Sequence[int]) -> bool:
    """Whether one word is the root and all others hang on it, at any depth."""
    reached = {0}
    for _ in heads:
        reached |= {i for i, head in enumerate(heads, 1) if head in reached}
    return len(reached) == len(heads) + 1 and list(heads).count(0) == 1


@pytest.mark.parametrize("seed", range(8))
def test_the_tree_is_the_best_of_all_with_one_root(seed):
    logs = np.random.default_rng(seed).normal(-3, 2, (4, 5))
    logs[range(4), range(1, 5)] = -np.inf
    every = [heads for heads in itertools.product(range(5), repeat=4) if is_tree(heads)]
    best = max(every, key=lambda heads: sum(logs[i, head] for i, head in enumerate(heads)))
    assert tuple(biaffine_parser.best_tree(logs.copy())) == best


def test_a_state_has_seen_the_whole_sentence(model):
    first, second = (
        hidden_states.StateReader(model, [1, 2]).read([["Anna", "sieht", name]])[0]
        for name in ("Berta", "Carla")
    )
    assert first.shape == (3, 4, 16)  # first and last piece in two layers
    assert np.abs(first[0].astype(float) - second[0]).max() > 1e-3
    # a word of one piece has its state twice
    assert np.array_equal(first[:, :2], first[:, 2:])


def test_states_are_those_of_the_model_and_do_not_depend_on_the_batch(model):
    words, longer = ["Anna", "sieht"], ["Dora", "kennt", "Berta", "da", "."]
    alone = hidden_states.StateReader(model, [1]).read([words])[0]
    beside = hidden_states.StateReader(model, [1]).read([longer, words])[1]
    assert alone.astype(float) == pytest.approx(beside.astype(float), abs=1e-2)
    whole = transformers.AutoModel.from_pretrained(model)
    numbers = [PIECES.index(f" {word}") for word in words]
    with torch.no_grad():
        expected = whole(torch.tensor([[0, *numbers, *numbers]]), output_hidden_states=True)
    own = expected.hidden_states[1][0, 3:].numpy()
    assert alone[:, 0].astype(float) == pytest.approx(own, abs=1e-2)


def test_a_state_beyond_sixteen_bits_is_the_largest_of_them(model):
    reader = hidden_states.StateReader(model, [1])
    hooks = reader.model.layers[0]._forward_hooks
    hooks.clear()
    hooks[0] = lambda module, given, state: reader._keep(1, module, given, 1e6 * state)
    states = reader.read([["Anna", "ruft", "da"]])[0].astype(float)
    assert np.isfinite(states).all()
    assert np.abs(states).max() == 65504


def test_states_are_read_once(model, monkeypatch):
    sentences = [["Anna", "ruft"], ["Berta"], ["Anna", "ruft"]]
    found = hidden_states.states_of(sentences, [2])
    assert [one.shape for one in found] == [(2, 2, 16), (1, 2, 16), (2, 2, 16)]

    monkeypatch.setattr(hidden_states, "reader", fail)
    again = hidden_states.states_of(sentences[:2], [2])
    assert all(np.array_equal(one, other) for one, other in zip(found, again, strict=False))


@pytest.mark.slow
def test_a_training_learns_and_is_the_same_again(model, tmp_path):
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        biaffine_parser.train(clauses(), "de", seed, tmp_path / name)
    weights = [(tmp_path / n / biaffine_parser.WEIGHTS).read_bytes() for n in ("one", "again")]
    assert weights[0] == weights[1]
    assert weights[0] != (tmp_path / "other" / biaffine_parser.WEIGHTS).read_bytes()
    assert not list(tmp_path.glob("*.part"))
    parser = biaffine_parser.load(tmp_path / "one")
    sentence = ["Anna", "sieht", "Dora", "da", "."]
    trees = parser.parse([sentence, ["Berta", "ruft"], [], sentence])
    tree = [(2, "nsubj"), (0, "root"), (2, "obj"), (2, "advmod"), (2, "punct")]
    assert trees[0] == trees[3] == tree
    assert trees[2] == []
    for tree in parser.parse([["da", *NAMES, "sieht", "."], list(reversed(PIECES))]):
        assert is_tree([head for head, _ in tree])
        assert [label == "root" for _, label in tree] == [head == 0 for head, _ in tree]
    system = load_biaffine("trained", str(tmp_path / "one"), None)
    assert system.predict({"tokens": [["Anna", "sieht", "Berta", "."]]})["heads"] == [[2, 0, 2, 2]]
    assert system.scheme == "ud"
    assert system.n_parameters > 0


def test_a_parser_rests_on_its_settings_and_the_model():
    told = biaffine_parser.settings()
    assert "[network]" in told
    assert "gemma3-270m" in told
