"""Character seq2seq networks for segmentation, many at once: a stack costs little more than one.

Every parameter has the network as its first dimension. A network's random numbers (initial weights,
order of examples, dropout) are functions of its own seed: trained in a stack or alone, it is the
same network up to rounding. Adadelta, 10,000 batches of 16; beam search.

Source: Liu & Prud'hommeaux (TACL 2022), section 5, with the defaults of OpenNMT-py where the paper
says nothing. The paper says GRU; the authors' command line, misspelt, trained LSTMs. Both are here.
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from garden_path.models.arrays import IntArray
from ground.files import whole
from research.systems.morphology.seq2seq_examples import (
    BEGIN,
    END,
    N_SPECIAL,
    PAD,
    Architecture,
    Cell,
    Examples,
    Morphemes,
    batches,
    decode_target,
    encode_source,
    pad,
)

N_LAYERS = 2
N_GATES: dict[str, int] = {"gru": 3, "lstm": 4}
INITIAL_RANGE = 0.1
N_SITES = 3
# dropout is numbered as if every sequence had so many positions, so that padding changes nothing
POSITIONS = 1024
State = tuple[Tensor, ...]


class Networks(torch.nn.Module):
    """A stack of m networks with vocabularies of m sizes, a seed each and one architecture."""

    def __init__(
        self, n_symbols: Sequence[int], seeds: Sequence[int], architecture: Architecture
    ) -> None:
        super().__init__()
        self.architecture = architecture
        drawn = [
            _initial_weights(n, max(n_symbols), seed, architecture)
            for n, seed in zip(n_symbols, seeds, strict=True)
        ]
        self.weights = torch.nn.ParameterDict(
            {name: torch.stack([weights[name] for weights in drawn]) for name in drawn[0]}
        )
        sizes = torch.tensor(n_symbols)
        self.register_buffer("is_absent", torch.arange(max(n_symbols))[None] >= sizes[:, None])
        self.register_buffer("seeds", torch.tensor([seed % 2**31 for seed in seeds]))
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    def encode(self, source: Tensor) -> tuple[Tensor, list[State]]:
        """Contexts (m, words, length, hidden) of symbols (m, words, length), states of layers."""
        w, is_inside = self.weights, source > 0
        table = w["source_embedding"][:, None] @ w["encoder_0_input"]  # (m, 2, symbols, gates)
        inputs = _look_up(table.transpose(1, 2).flatten(2), source)
        inputs = inputs.unflatten(-1, (2, -1)).movedim(-2, 1)
        outputs, states = self._encoder_layer(0, inputs, is_inside)
        outputs = _masked(outputs, self._dropout_mask(outputs.shape, site=0))
        inputs = outputs.flatten(1, 2)[:, None] @ w["encoder_1_input"]
        inputs = inputs.unflatten(2, outputs.shape[1:3])
        outputs, last = self._encoder_layer(1, inputs, is_inside)
        return outputs, [states, last]

    def decode(
        self, target: Tensor, contexts: Tensor, states: list[State], is_inside: Tensor
    ) -> Tensor:
        """Log probabilities (m, words, length, symbols) of what follows known targets."""
        inputs, keys = self.embed_targets(target).unbind(2), self.attention_keys(contexts)
        feed_weights = self.feed_weights()
        shape = (*target.shape, self.architecture.hidden)
        masks = [self._dropout_mask(shape, site) for site in (1, 2)]
        feed, outputs = contexts.new_zeros(contexts[:, :, 0].shape), []
        for t, embedded in enumerate(inputs):
            own, given = [None if m is None else m[:, :, t] for m in masks], feed @ feed_weights
            source = (contexts, keys, is_inside)
            feed, states = self.decoder_step(embedded + given, states, *source, own)
            outputs.append(feed)
        return self.scores(torch.stack(outputs, dim=2))

    def embed_targets(self, target: Tensor) -> Tensor:
        """What the embedded target symbols add to the gates of the decoder's first layer."""
        w, n = self.weights, self.architecture.embedding
        return _look_up(w["target_embedding"] @ w["decoder_0_input"][:, :n], target)

    def feed_weights(self) -> Tensor:
        """What the decoder's last output is multiplied by, shape (m, hidden, gates).

        Taken once for all steps: the gradient of each slice is as large as the whole.
        """
        return self.weights["decoder_0_input"][:, self.architecture.embedding :]

    def attention_keys(self, contexts: Tensor) -> Tensor:
        """Attention's part that depends on the source alone, shape (m, words, length, hidden)."""
        return (contexts.flatten(1, 2) @ self.weights["attention_context"]).view_as(contexts)

    def decoder_step(
        self,
        inputs: Tensor,
        states: list[State],
        contexts: Tensor,
        keys: Tensor,
        is_inside: Tensor,
        masks: Sequence[Tensor | None] = (None, None),
    ) -> tuple[Tensor, list[State]]:
        """Runs the decoder over one symbol: its output, fed into the next step, and states.

        Inputs are the embedded symbol plus the last output by `feed_weights`, (m, words, gates);
        keys what `attention_keys` makes of the source's contexts, (m, words, length, hidden);
        `is_inside` says which places are in the word, (m, words, length); masks are dropout after
        the first layer and after the output.
        """
        w = self.weights
        first = self._decoder_cell(0, inputs, states[0])
        last = self._decoder_cell(1, _masked(first[0], masks[0]) @ w["decoder_1_input"], states[1])
        queries = (last[0] @ w["attention_query"] + w["attention_query_bias"][:, None]).unsqueeze(2)
        energies = (torch.tanh(keys + queries) @ w["attention_energy"][:, None]).squeeze(-1)
        attention = energies.masked_fill(~is_inside, -torch.inf).softmax(-1)
        context = (attention.unsqueeze(2) @ contexts).squeeze(2)
        output = torch.cat([context, last[0]], dim=-1) @ w["attention_output"]
        output = output + w["attention_output_bias"][:, None]
        return _masked(output, masks[1]), [first, last]

    def scores(self, outputs: Tensor) -> Tensor:
        """Log probabilities of all symbols; those that a network does not know are impossible."""
        flat = outputs.flatten(1, -2) @ self.weights["generator"]
        flat = flat + self.weights["generator_bias"][:, None]
        logs = flat.masked_fill(self.is_absent[:, None], -torch.inf).log_softmax(-1)
        return logs.unflatten(1, outputs.shape[1:-1])

    def _encoder_layer(self, layer: int, inputs: Tensor, is_inside: Tensor) -> tuple[Tensor, State]:
        """Runs both directions; inputs of shape (m, 2, words, length, gates)."""
        w = self.weights
        inputs = torch.stack([inputs[:, 0], inputs[:, 1].flip(2)], dim=1)
        inputs = inputs + w[f"encoder_{layer}_input_bias"][:, :, None, None]
        is_inside = torch.stack([is_inside, is_inside.flip(2)], dim=1)
        recurrent = w[f"encoder_{layer}_recurrent"]
        bias = w[f"encoder_{layer}_recurrent_bias"][:, :, None]
        state = self._zero_state(inputs)
        outputs = []
        for t, now in enumerate(inputs.unbind(3)):
            after = cell_step(self.architecture.cell, now, state[0] @ recurrent + bias, state)
            mask, pairs = is_inside[:, :, :, t, None], zip(after, state, strict=True)
            state = tuple(torch.where(mask, new, old) for new, old in pairs)
            outputs.append(state[0])
        both = torch.stack(outputs, dim=3)
        last = tuple(one.movedim(1, 2).flatten(2) for one in state)
        return torch.cat([both[:, 0], both[:, 1].flip(2)], dim=-1), last

    def _decoder_cell(self, layer: int, inputs: Tensor, state: State) -> State:
        w, part = self.weights, f"decoder_{layer}"
        recurrent = state[0] @ w[f"{part}_recurrent"] + w[f"{part}_recurrent_bias"][:, None]
        inputs = inputs + w[f"{part}_input_bias"][:, None]
        return cell_step(self.architecture.cell, inputs, recurrent, state)

    def _zero_state(self, inputs: Tensor) -> State:
        n_states = N_GATES[self.architecture.cell] - 2  # a GRU has one, an LSTM two
        return (inputs.new_zeros(*inputs.shape[:3], self.architecture.hidden // 2),) * n_states

    def _dropout_mask(self, shape: Sequence[int], site: int) -> Tensor | None:
        """Factors (m, words, length, width) in training, 0 where dropped, by network's seed."""
        rate = self.architecture.dropout
        if not self.training or not rate:
            return None
        words, positions, units = (torch.arange(n, device=self.step.device) for n in shape[1:])
        places = ((words[:, None] * POSITIONS + positions)[:, :, None]) * shape[-1] + units
        streams = _scramble(self.seeds + _scramble(self.step * N_SITES + site))
        is_kept = _scramble(places + streams.view(-1, 1, 1, 1)) >= int(rate * 2**32)
        return is_kept / (1 - rate)


def cell_step(cell: Cell, inputs: Tensor, recurrent: Tensor, state: State) -> State:
    """Next state of a GRU or LSTM cell from inputs and recurrent parts, its gates as in torch."""
    if cell == "lstm":
        i, f, g, o = (inputs + recurrent).chunk(4, dim=-1)
        memory = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        return o.sigmoid() * memory.tanh(), memory
    (r, z, n), (r_rec, z_rec, n_rec) = inputs.chunk(3, dim=-1), recurrent.chunk(3, dim=-1)
    z, n = (z + z_rec).sigmoid(), (n + (r + r_rec).sigmoid() * n_rec).tanh()
    return (n + z * (state[0] - n),)


def _initial_weights(
    n_symbols: int, n_padded: int, seed: int, a: Architecture
) -> dict[str, Tensor]:
    """Uniform weights of one network; the rows of symbols that its vocabulary lacks are 0."""
    generator, shapes = torch.Generator().manual_seed(seed % 2**63), _weight_shapes(n_symbols, a)
    weights = {
        name: (torch.rand(shape, generator=generator) * 2 - 1) * INITIAL_RANGE
        for name, shape in shapes.items()
    }
    n_missing = n_padded - n_symbols
    for name in ("source_embedding", "target_embedding"):
        weights[name] = torch.nn.functional.pad(weights[name], (0, 0, 0, n_missing))
    for name in ("generator", "generator_bias"):
        weights[name] = torch.nn.functional.pad(weights[name], (0, n_missing))
    return weights


def _weight_shapes(n_symbols: int, a: Architecture) -> dict[str, tuple[int, ...]]:
    half, gates = a.hidden // 2, N_GATES[a.cell]
    embeddings = ("source_embedding", "target_embedding")
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(embeddings, (n_symbols, a.embedding))
    for layer in range(N_LAYERS):
        read, fed = (a.hidden, a.hidden) if layer else (a.embedding, a.embedding + a.hidden)
        shapes[f"encoder_{layer}_input"] = (2, read, gates * half)
        shapes[f"encoder_{layer}_recurrent"] = (2, half, gates * half)
        shapes[f"decoder_{layer}_input"] = (fed, gates * a.hidden)
        shapes[f"decoder_{layer}_recurrent"] = (a.hidden, gates * a.hidden)
        for part in ("input_bias", "recurrent_bias"):
            shapes[f"encoder_{layer}_{part}"] = (2, gates * half)
            shapes[f"decoder_{layer}_{part}"] = (gates * a.hidden,)
    for part in ("context", "query"):
        shapes[f"attention_{part}"] = (a.hidden, a.hidden)
    shapes |= {"attention_query_bias": (a.hidden,), "attention_energy": (a.hidden, 1)}
    shapes |= {"attention_output": (2 * a.hidden, a.hidden), "attention_output_bias": (a.hidden,)}
    return shapes | {"generator": (a.hidden, n_symbols), "generator_bias": (n_symbols,)}


def _look_up(tables: Tensor, symbols: Tensor) -> Tensor:
    """Rows of each network's own table (m, symbols, width) for symbols (m, words, length)."""
    known = torch.arange(tables.shape[1], device=symbols.device)
    one_hot = (symbols.flatten(1).unsqueeze(-1) == known).to(tables.dtype)
    return (one_hot @ tables).unflatten(1, symbols.shape[1:])


def _masked(units: Tensor, mask: Tensor | None) -> Tensor:
    return units if mask is None else units * mask


def _scramble(numbers: Tensor) -> Tensor:
    """Maps integers to well-mixed ones in [0, 2^32): the finaliser of MurmurHash3."""
    numbers = numbers & 0xFFFFFFFF
    numbers = ((numbers ^ (numbers >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
    numbers = ((numbers ^ (numbers >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
    return numbers ^ (numbers >> 16)


LARGEST_GRADIENT = 5.0


class Training:
    """Trains a stack of networks; one step is one batch for each network."""

    def __init__(
        self,
        trainings: Sequence[Sequence[Morphemes]],
        seeds: Sequence[int],
        architecture: Architecture,
        device: str = "cpu",
    ) -> None:
        self.architecture, self.seeds = architecture, list(seeds)
        self.examples = Examples.of(trainings)
        n_symbols = [N_SPECIAL + len(v) for v in self.examples.vocabularies]
        self.networks = Networks(n_symbols, seeds, architecture).to(device)
        self.optimizer = torch.optim.Adadelta(self.networks.parameters(), lr=1.0)
        self.sources = torch.from_numpy(self.examples.sources).to(device)
        self.targets = torch.from_numpy(self.examples.targets).to(device)
        self.losses = torch.zeros(len(seeds), device=device)
        self.n_done = 0

    def run(self) -> Iterator[int]:
        """Trains from where it stands; yields the number of steps done after each."""
        for chosen in itertools.islice(self.batches(), self.n_done, None):
            self.step(chosen)
            self.n_done += 1
            yield self.n_done

    def save(self, path: Path) -> None:
        """Writes all that the rest of the training depends on, whole or not at all."""
        state = {"n_done": self.n_done, "networks": self.networks.state_dict()}
        with whole(path) as part:
            torch.save({**state, "optimizer": self.optimizer.state_dict()}, part)

    def restore(self, path: Path) -> None:
        """Goes on from a file that `save` wrote for the same stack."""
        saved = torch.load(path, map_location=self.losses.device, weights_only=True)
        self.networks.load_state_dict(saved["networks"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.n_done = saved["n_done"]

    def batches(self) -> Iterator[IntArray]:
        """Yields for every step which examples each network sees, (m, batch_size); -1 for none."""
        streams = [
            batches(lengths, seed, self.architecture.batch_size)
            for lengths, seed in zip(self.examples.source_lengths, self.seeds, strict=True)
        ]
        for _ in range(self.architecture.n_steps):
            yield np.stack([next(stream) for stream in streams])

    def step(self, chosen: IntArray) -> None:
        """Makes one step of all networks; `losses` then has the loss of each, per word."""
        self.networks.train()
        parameters = list(self.networks.parameters())
        losses = self._batch_losses(chosen)
        gradients = torch.autograd.grad(losses.sum(), parameters)
        for parameter, gradient in zip(parameters, _clip(gradients), strict=True):
            parameter.grad = gradient
        self.optimizer.step()
        self.losses = losses.detach()
        self.networks.step.add_(1)

    def _batch_losses(self, chosen: IntArray) -> Tensor:
        """Cross-entropy of each network on its chosen examples, summed over symbols, per word."""
        source_length, target_length = self.examples.shape_of(chosen)
        places = torch.from_numpy(chosen).to(self.sources.device)
        networks = torch.arange(len(self.seeds), device=places.device)[:, None]
        is_word = places >= 0
        places = places.clamp(min=0)
        source = self.sources[networks, places, :source_length]
        target = self.targets[networks, places, : target_length + 1]
        contexts, states = self.networks.encode(source)
        scores = self.networks.decode(target[:, :, :-1], contexts, states, source > 0)
        right = scores.gather(-1, target[:, :, 1:, None]).squeeze(-1)
        right = torch.where((target[:, :, 1:] > 0) & is_word[:, :, None], right, 0.0)
        return -right.sum((1, 2)) / is_word.sum(1)


def _clip(gradients: Sequence[Tensor]) -> list[Tensor]:
    """Scales each network's gradient to a norm of at most LARGEST_GRADIENT."""
    squares = torch.stack([gradient.square().flatten(1).sum(1) for gradient in gradients]).sum(0)
    scale = (LARGEST_GRADIENT / (squares.sqrt() + 1e-6)).clamp(max=1.0)
    return [gradient * scale.view(-1, *[1] * (gradient.dim() - 1)) for gradient in gradients]


LONGEST_OUTPUT = 100
WORDS_AT_ONCE = 32


@torch.inference_mode()  # type: ignore[untyped-decorator]
def segment(
    networks: Networks, vocabularies: Sequence[dict[str, int]], words: Sequence[Sequence[str]]
) -> list[list[list[str]]]:
    """The outputs of m networks for their words, to which they need not concatenate."""
    networks.eval()
    names = [{symbol: character for character, symbol in v.items()} for v in vocabularies]
    segmented: list[list[list[str]]] = [[] for _ in words]
    for start in range(0, max(map(len, words)), WORDS_AT_ONCE):
        parts = [
            [encode_source(word, v) for word in w[start : start + WORDS_AT_ONCE]]
            for w, v in zip(words, vocabularies, strict=True)
        ]
        source = torch.from_numpy(pad(parts)).to(networks.step.device)
        best = best_outputs(networks, source).tolist()
        for network, part in enumerate(parts):
            segmented[network] += [
                decode_target(output, names[network]) for output in best[network][: len(part)]
            ]
    return segmented


def best_outputs(networks: Networks, source: Tensor) -> Tensor:
    """Best symbols (m, words, output length) for source symbols; END at the end or nowhere."""
    m, n_words, _ = source.shape
    beam = networks.architecture.beam
    # rows that only fill up must have something to attend to
    source = torch.where(source.any(-1, keepdim=True), source, BEGIN)
    contexts, states = networks.encode(source)
    contexts = contexts.repeat_interleave(beam, dim=1)
    is_inside = (source > PAD).repeat_interleave(beam, dim=1)
    states = [tuple(s.repeat_interleave(beam, dim=1) for s in state) for state in states]
    keys, feed_weights = networks.attention_keys(contexts), networks.feed_weights()
    feed = torch.zeros_like(contexts[:, :, 0])
    symbols = torch.full((m, n_words, beam, 1), BEGIN, device=source.device)
    totals = torch.full((m, n_words, beam), -torch.inf, device=source.device)
    totals[:, :, 0] = 0.0  # all hypotheses are equal at first: only one counts
    for _ in range(LONGEST_OUTPUT):
        embedded = networks.embed_targets(symbols[..., -1:].flatten(1, 2)).squeeze(2)
        inputs = embedded + feed @ feed_weights
        feed, states = networks.decoder_step(inputs, states, contexts, keys, is_inside)
        scores = networks.scores(feed).unflatten(1, (n_words, beam))
        parents, chosen, totals = _extend(scores, totals, symbols[..., -1] == END)
        before = symbols.gather(2, parents.unsqueeze(-1).expand_as(symbols))
        symbols = torch.cat([before, chosen.unsqueeze(-1)], dim=-1)
        feed = _of_parents(feed, parents)
        states = [tuple(_of_parents(s, parents) for s in state) for state in states]
        # a hypothesis only gets worse: a finished best one stays the best
        if bool((chosen[:, :, 0] == END).all()):
            break
    return symbols[:, :, 0, 1:]


def _extend(scores: Tensor, totals: Tensor, is_finished: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Parents, symbols and totals of the best hypotheses; a finished one goes on with END."""
    n_symbols = scores.shape[-1]
    stay = torch.full_like(scores[0, 0, 0], -torch.inf)
    stay[END] = 0.0
    candidates = totals.unsqueeze(-1) + torch.where(is_finished.unsqueeze(-1), stay, scores)
    best, places = candidates.flatten(2).topk(totals.shape[-1], dim=-1)
    return places // n_symbols, places % n_symbols, best


def _of_parents(units: Tensor, parents: Tensor) -> Tensor:
    by_beam = units.unflatten(1, parents.shape[1:])
    return by_beam.gather(2, parents.unsqueeze(-1).expand_as(by_beam)).flatten(1, 2)
