"""Character seq2seq networks for segmentation, many at once: a stack costs little more than one.

Every parameter has the network as its first dimension, so that one batched matrix product serves
all of them. A network's random numbers (initial weights, order of examples, dropout) are functions
of its own seed, and nothing is shared: trained in a stack or alone, it is the same network up to
rounding. The characters of a word go in; its characters with a separator between morphemes come
out.

Encoder: 2 layers, both directions; decoder: 2 layers, fed with its last output, additive attention;
Adadelta, batches of 16, 10,000 steps.

Source: Liu & Prud'hommeaux (TACL 2022), section 5, with the defaults of OpenNMT-py where the paper
says nothing. The paper says GRU; the authors' command line, misspelt, trained LSTMs. Both are here.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from research.systems.morphology.seq2seq_examples import Architecture, Cell

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
