"""Stacked networks: each is what it would be alone, cells are torch's, the search is right."""

import itertools
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from research.systems.morphology import seq2seq_examples  # noqa: E402
from research.systems.morphology.seq2seq import Networks, Training, best_outputs, segment  # noqa: E402
from research.systems.morphology.seq2seq_examples import (  # noqa: E402
    BEGIN,
    END,
    N_SPECIAL,
    SEPARATOR,
    Architecture,
    Examples,
    Stack,
    batches,
    decode_target,
    encode_source,
    encode_target,
    pad,
    run_stack,
    vocabulary,
)

SMALL = {"embedding": 12, "hidden": 16}
DATA = [
    [["paper", "s"], ["go"], ["un", "seen"], ["sing", "er", "s"], ["a"]] * 4,
    [["abc"], ["a", "b"], ["cab", "ab"], ["ba"]] * 5,  # fewer symbols, shorter words
    # longer words, two batches like the others, the last one not full
    [["xylophone", "s"], ["z"]] * 9 + [["zoo", "s"]],
]


def trained(data: list[list[list[str]]], seeds: list[int], **options: Any) -> Any:
    training: Any = Training(data, seeds, Architecture(**{**SMALL, "n_steps": 12, **options}))
    training.history = [training.losses.clone() for _ in training.run()]
    return training


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_seq2seq_networks_together_are_the_networks_alone(cell):
    together = trained(DATA, [1, 2, 3], cell=cell)
    for number in range(3):
        alone = trained([DATA[number]], [number + 1], cell=cell)
        losses = torch.stack(alone.history)[:, 0]
        assert torch.allclose(losses, torch.stack(together.history)[:, number], atol=1e-3)
        words = ["papers", "abba", "zoos"]
        (own,) = segment(alone.networks, alone.examples.vocabularies, [words])
        of_all = segment(together.networks, together.examples.vocabularies, [words] * 3)
        assert own == of_all[number]


@pytest.mark.clock
@pytest.mark.slow
def test_seq2seq_training_goes_on_where_it_was_killed(tmp_path, monkeypatch):
    whole = trained(DATA[:2], [1, 2])
    first = Training(DATA[:2], [1, 2], whole.architecture)
    for done in first.run():
        if done == 5:
            first.save(tmp_path / "state")
            break
    second = Training(DATA[:2], [1, 2], whole.architecture)
    second.restore(tmp_path / "state")
    assert list(second.run()) == list(range(6, 13))
    assert torch.equal(second.losses, whole.losses)
    monkeypatch.setattr(seq2seq_examples, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    stack = Stack("k", whole.architecture, [1, 2], DATA[:2], [["papers"], ["abba"]])
    (tmp_path / "state").replace(tmp_path / "k")
    assert run_stack(stack, checkpoint=tmp_path / "k") == run_stack(stack)
    assert not list(tmp_path.iterdir())  # a finished stack leaves no state


def test_seq2seq_other_seeds_are_other_networks():
    training = trained([DATA[0], DATA[0]], [1, 2])
    assert not torch.allclose(training.losses[0], training.losses[1], atol=1e-3)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_seq2seq_encoder_is_torchs(cell):
    architecture = Architecture(cell=cell, dropout=0.0, **SMALL)  # type: ignore[arg-type]
    networks = Networks([9, 11], [5, 6], architecture)
    made = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[cell]
    layer = made(12, 8, num_layers=2, bidirectional=True, batch_first=True)
    weights = {name: w[1] for name, w in networks.weights.items()}
    kinds = {"input": "weight_ih", "recurrent": "weight_hh"}
    kinds |= {"input_bias": "bias_ih", "recurrent_bias": "bias_hh"}
    ends = enumerate(["", "_reverse"])
    for number, (direction, end), ours in itertools.product(range(2), ends, kinds):
        value = weights[f"encoder_{number}_{ours}"][direction]
        # torch has matrices the other way round
        transposed = value.T.contiguous() if value.dim() == 2 else value
        getattr(layer, f"{kinds[ours]}_l{number}{end}").data = transposed
    source = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0]])
    rnn, embedded = torch.nn.utils.rnn, weights["source_embedding"][source]
    packed = rnn.pack_padded_sequence(embedded, [4, 2], batch_first=True)
    expected, _ = rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
    outputs, _ = networks.eval().encode(source.expand(2, 2, 4))
    is_inside = (source > 0)[:, :, None]
    assert torch.allclose(outputs[1] * is_inside, expected * is_inside, atol=1e-6)


@pytest.mark.slow
def test_seq2seq_learns_to_copy_and_cut():
    rng = np.random.default_rng(0)
    data = [["".join(rng.choice(list(few), 2)) for few in ("abc", "xyz")] for _ in range(60)]
    training = trained([data], [0], n_steps=250, dropout=0.1, embedding=64, hidden=64)
    words = [["".join(m) for m in data]]
    (outputs,) = segment(training.networks, training.examples.vocabularies, words)
    assert sum(output == gold for output, gold in zip(outputs, data, strict=True)) > 54


def test_seq2seq_wide_beam_finds_the_best_output():
    # vocabulary of one character: every output of up to three symbols is scored with the decoder
    # that training uses
    networks = Networks([N_SPECIAL + 1], [3], Architecture(beam=216, dropout=0.0, **SMALL)).eval()  # type: ignore[arg-type]
    with torch.no_grad():
        networks.weights["generator_bias"][:, END] += 0.8  # so that short outputs win
    source = torch.tensor([[[5, 5]]])
    contexts, states = networks.encode(source)
    totals, others = {}, [symbol for symbol in range(6) if symbol != END]
    for inner in [s for n in range(4) for s in itertools.product(others, repeat=n)]:
        target = torch.tensor([[[BEGIN, *inner, END]]])
        scores = networks.decode(target[:, :, :-1], contexts, states, source > 0)
        totals[(*inner, END)] = scores.gather(-1, target[:, :, 1:, None]).sum().item()
    assert tuple(best_outputs(networks, source)[0, 0].tolist()) == max(totals, key=totals.get)


def test_seq2seq_dropout_drops_its_share_and_ignores_padding():
    networks = Networks([6, 6], [1, 2], Architecture())
    mask = networks._dropout_mask((2, 16, 12, 100), site=0)
    assert mask is not None
    assert float((mask == 0).float().mean()) == pytest.approx(0.3, abs=0.01)
    assert float(mask.max()) == pytest.approx(1 / 0.7)
    longer = networks._dropout_mask((2, 16, 20, 100), site=0)
    assert longer is not None
    assert torch.equal(longer[:, :, :12], mask)
    assert not torch.equal(mask[0], mask[1])
    assert networks.eval()._dropout_mask((2, 16, 12, 100), site=0) is None


def test_seq2seq_examples_symbols_there_and_back():
    symbols = vocabulary([["ab", "c"]])
    assert symbols == {"a": N_SPECIAL, "b": N_SPECIAL + 1, "c": N_SPECIAL + 2}
    assert encode_source("aq", symbols) == [N_SPECIAL, 4]  # q was never seen
    assert encode_target(["ab", "c"], symbols) == [BEGIN, 5, 6, SEPARATOR, 7, END]
    names = {number: character for character, number in symbols.items()}
    assert decode_target([5, 6, SEPARATOR, 7, END, 5], names) == ["ab", "c"]
    assert decode_target([SEPARATOR, 4], names) == ["", "\ufffd"]  # errors stay visible
    assert decode_target([END], names) == [""]


def test_seq2seq_examples_batches_visit_every_word_once_per_epoch():
    lengths = np.array([3, 9, 3, 5, 5, 3, 8])
    stream = batches(lengths, seed=4, batch_size=3)
    for _ in range(3):
        epoch = np.concatenate([next(stream) for _ in range(3)])
        assert sorted(epoch) == [-1, -1, 0, 1, 2, 3, 4, 5, 6]
    assert next(batches(lengths, 4, 3)).tolist() == next(batches(lengths, 4, 3)).tolist()


def test_seq2seq_examples_shapes_are_rounded_up():
    examples = Examples.of([[["abcde", "f"], ["a"]]])
    assert examples.sources.shape == (1, 2, 8)
    assert examples.shape_of(np.array([[1, -1]])) == (4, 4)
    assert examples.shape_of(np.array([[1, 0]])) == (8, 8)
    padded = [[[5, 0, 0, 0], [0, 0, 0, 0]], [[6, 7, 0, 0], [8, 0, 0, 0]]]
    assert pad([[[5]], [[6, 7], [8]]]).tolist() == padded


def test_seq2seq_examples_refuse_empty_training():
    message = r"seq2seq: training words, got \[1, 0\]; expected at least one for each network"
    with pytest.raises(ValueError, match=message):
        Examples.of([[["a"]], []])
