"""The small LAC that jieba carries: two bidirectional GRU layers and a CRF, in numpy.

jieba runs these weights with paddle; here they are read as the arrays that they are. A layer reads
each character through a linear map, then forwards and backwards through a GRU whose reset gate acts
before the recurrent product (Cho et al. 2014; the GRU of PyTorch applies it behind):

    u, r = sigmoid(x_u + h U_u), sigmoid(x_r + h U_r)
    c    = tanh(x_c + (r h) U_c)
    h'   = (1 - u) h + u c

The CRF's best path is found by Viterbi. Tags end in -B where a word begins.

Source: Jiao, Sun & Sun (2018), Chinese Lexical Analysis with Deep Bi-GRU-CRF Network; weights and
dictionaries of jieba 0.42.1, `jieba/lac_small`.
"""

import itertools
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
UNKNOWN = "OOV"
N_LAYERS = 2


class LacSmall(NamedTuple):
    """The loaded model.

    Attributes:
        weights: Arrays by the names of their files.
        characters: Number of each known character.
        begins: Whether each tag begins a word, shape (tags,).
    """

    weights: Mapping[str, Array]
    characters: Mapping[str, int]
    begins: NDArray[np.bool_]

    @property
    def n_parameters(self) -> int:
        """How many weights it has."""
        return sum(values.size for values in self.weights.values())

    def segment(self, sentences: Sequence[str]) -> list[list[str]]:
        """Words of each sentence; sentences of one length are computed together."""
        found: list[list[str]] = [[] for _ in sentences]
        for length in sorted({len(sentence) for sentence in sentences} - {0}):
            places = [i for i, sentence in enumerate(sentences) if len(sentence) == length]
            tags = best_path(self._emissions([sentences[i] for i in places]), self.weights["crfw"])
            for i, starts in zip(places, self.begins[tags], strict=True):
                cuts = [0, *(np.flatnonzero(starts[1:]) + 1).tolist(), length]
                found[i] = [sentences[i][a:b] for a, b in itertools.pairwise(cuts)]
        return found

    def _emissions(self, sentences: Sequence[str]) -> Array:
        unknown = self.characters[UNKNOWN]
        numbers = [[self.characters.get(c, unknown) for c in sentence] for sentence in sentences]
        states = self.weights["word_emb"][np.array(numbers)]
        for layer in range(N_LAYERS):
            forwards, backwards = 2 * layer, 2 * layer + 1
            states = np.concatenate(
                [self._read(states, forwards), self._read(states[:, ::-1], backwards)[:, ::-1]],
                axis=2,
            )
        scores: Array = states @ self.weights["fc_4.w_0"] + self.weights["fc_4.b_0"]
        return scores

    def _read(self, states: Array, number: int) -> Array:
        inputs = states @ self.weights[f"fc_{number}.w_0"] + self.weights[f"fc_{number}.b_0"]
        return gru(inputs + self.weights[f"gru_{number}.b_0"], self.weights[f"gru_{number}.w_0"])


def gru(inputs: Array, weights: Array) -> Array:
    """States of a gated recurrent unit.

    Args:
        inputs: What each gate is fed, shape (sentences, characters, 3 x width), in the order
            update, reset, candidate, biases included.
        weights: Recurrent weights, width x 3 width values: a (width, 2 width) matrix of the gates,
            then a (width, width) one of the candidate.

    Returns:
        Shape (sentences, characters, width).
    """
    width = inputs.shape[2] // 3
    flat = weights.reshape(-1)
    of_gates = flat[: 2 * width * width].reshape(width, 2 * width)
    of_candidate = flat[2 * width * width :].reshape(width, width)
    state = np.zeros((len(inputs), width), np.float32)
    states = np.empty((*inputs.shape[:2], width), np.float32)
    for t in range(inputs.shape[1]):
        gates = 1 / (1 + np.exp(-(inputs[:, t, : 2 * width] + state @ of_gates)))
        update, reset = gates[:, :width], gates[:, width:]
        candidate = np.tanh(inputs[:, t, 2 * width :] + (reset * state) @ of_candidate)
        state = (1 - update) * state + update * candidate
        states[:, t] = state
    return states


def best_path(emissions: Array, transitions: Array) -> NDArray[np.intp]:
    """The tags of highest score, by Viterbi; the first of equals.

    Args:
        emissions: Scores of each tag, shape (sentences, characters, tags).
        transitions: Shape (2 + tags, tags): scores of beginning with a tag, of ending with it, then
            of going from a tag (row) to a tag (column).

    Returns:
        Shape (sentences, characters).
    """
    first, last, between = transitions[0], transitions[1], transitions[2:]
    n, length, _ = emissions.shape
    score = emissions[:, 0] + first
    came_from = np.empty(emissions.shape, np.intp)
    for t in range(1, length):
        steps = score[:, :, None] + between
        came_from[:, t] = steps.argmax(1)
        score = steps.max(1) + emissions[:, t]
    path = np.empty((n, length), np.intp)
    path[:, -1] = (score + last).argmax(1)
    for t in range(length - 1, 0, -1):
        path[:, t - 1] = came_from[np.arange(n), t, path[:, t]]
    return path


def read_lac_small(files: Sequence[Path]) -> LacSmall:
    """Reads the model from its arrays, `word.dic` and `tag.dic`.

    Raises:
        ValueError: A file is not of paddle's format.
    """
    by_name = {path.name: path for path in files}
    characters = {value: int(key) for key, value in _entries(by_name.pop("word.dic"))}
    tags = dict(_entries(by_name.pop("tag.dic")))
    weights = {name: read_array(path) for name, path in by_name.items()}
    n_tags = weights["fc_4.b_0"].size
    begins = np.array([not tags[str(i)].endswith("-I") for i in range(n_tags)])
    return LacSmall(weights, characters, begins)


def read_array(path: Path) -> Array:
    """A dense array of 32-bit floats as paddle 1 writes it.

    Three zero words, the length of a description, the description, then the values. Of the
    description, a protocol buffer, the dimensions are read (field 2).

    Raises:
        ValueError: The file has another version, or not as many values as its shape says.
    """
    content = path.read_bytes()
    version, _, inner, length = struct.unpack_from("<IQIi", content)
    shape = _dimensions(content[20 : 20 + length])
    values = np.frombuffer(content, np.float32, offset=20 + length)
    if version or inner or values.size != np.prod(shape):
        raise ValueError(
            f"{path}: array, got version {version}.{inner} and {values.size} values; expected 0.0"
            f" and {np.prod(shape)}"
        )
    return values.reshape(shape)


def _dimensions(description: bytes) -> list[int]:
    fields: list[tuple[int, int]] = []
    number = shift = 0
    key: int | None = None
    for byte in description:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if key is None:
                key = number
            else:
                fields.append((key, number))
                key = None
            number = shift = 0
    return [value for key, value in fields if key == 0x10]


def _entries(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    pairs = [line.split("\t") for line in lines]
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
