"""Word segmenters that the studies compare.

    pkuseg, thulac, snownlp   as their packages ship them
    lac, lac-small, wapic   the two LACs of Baidu and a CRF, with weights from packages
    monpa                   an ALBERT with a CRF; not for commercial use, so that it is in no extra:
                            `python -m research systems weights --get monpa`
    foolnltk                a bidirectional LSTM with a CRF, run by TensorFlow, which is in no extra
    udpipe:MODEL            the tokenizer of a UDPipe 1 model: udchinese, or a file
    maxmatch[:LEXICON], maxmatch-backward[:LEXICON]   longest match from the left or right over a
                            lexicon: a file, or as, cityu, msr, pku for the word lists of the
                            Bakeoff 2005; by default jieba's dictionary
    crf:CORPUS              a CRF trained here on as, cityu, msr, pku or daily (`corpora.toml`)
    encoder:STANDARD[/SEED] a Transformer trained here on as, cityu, msr, pku and daily together

Source: Li & Hao (2025), section 3 and Table 1: Jieba, PKUSEG and MaxMatch beside four Transformers
of their own.
"""

import contextlib
import dataclasses
import functools
import importlib.metadata
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from garden_path.models.segmenters import Segmenter, load_tagger, make_segmenter
from garden_path.models.system import Loader, Settings
from research.systems.segmenters.longest_match import load_maxmatch

_version = importlib.metadata.version
Cut = Callable[[str], Iterable[str]]


def load_shipped(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads PKUSEG (ctb8), THULAC without its tagger or SnowNLP's segmenter, as they ship."""
    cut = SHIPPED[name]()
    return make_segmenter(name, _version(name), lambda sentences: [list(cut(s)) for s in sentences])


def _cut_of_pkuseg() -> Cut:
    import pkuseg

    cut: Cut = _quietly(pkuseg.pkuseg).cut
    return cut


def _cut_of_thulac() -> Cut:
    import thulac

    model = _quietly(functools.partial(thulac.thulac, seg_only=True))
    return lambda sentence: (word for word, _ in model.cut(sentence))


def _cut_of_snownlp() -> Cut:
    from snownlp import seg

    cut: Cut = seg.seg  # a tagger of characters
    return cut


SHIPPED = {"pkuseg": _cut_of_pkuseg, "thulac": _cut_of_thulac, "snownlp": _cut_of_snownlp}


def load_packaged(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a segmenter of `packaged_segmenters`, by the name before the colon."""
    from research.systems.segmenters import packaged_segmenters

    load = getattr(packaged_segmenters, f"load_{name.partition(':')[0].replace('-', '_')}")
    version, n_parameters, cut = load(argument) if argument else load()
    return make_segmenter(name, version, cut, n_parameters=n_parameters)


def load_trained(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a CRF that is trained here when it is first asked for."""
    from research.systems.segmenters.crf_segmenter import load_crf
    from research.systems.segmenters.gold_sentences import corpus, read_word_list

    script = corpus(argument).script
    model = load_crf(argument)
    words = functools.partial(read_word_list, argument) if model.lexicon else None
    return make_segmenter(name, model.version, model.segment, words=words, script=script)


def load_encoder(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a Transformer that is trained here when it is first asked for."""
    from research.systems.segmenters.encoder_segmenter import standard_model

    folder, script = standard_model(argument, settings.device)
    found = load_tagger(name, str(folder), settings)
    return dataclasses.replace(
        found, version=f"{folder.parent.name} {found.version}", script=script
    )


def _quietly(load: Callable[[], Any]) -> Any:
    """Loads a model that prints while it loads."""
    with contextlib.redirect_stdout(io.StringIO()):
        return load()


LOADERS: Mapping[str, Loader] = {
    **{name: Loader(load_shipped, install="'.[research]'") for name in SHIPPED},
    "lac": Loader(load_packaged, install="'.[real]'"),
    "lac-small": Loader(load_packaged),
    "wapic": Loader(load_packaged, install="'.[real]'"),
    "monpa": Loader(load_packaged, install="'.[models]'"),
    "foolnltk": Loader(load_packaged, install="tensorflow-cpu"),
    "udpipe": Loader(load_packaged, "MODEL", install="'.[real]'"),
    "maxmatch": Loader(load_maxmatch, "LEXICON", is_optional=True),
    "maxmatch-backward": Loader(load_maxmatch, "LEXICON", is_optional=True),
    "crf": Loader(load_trained, "CORPUS", install="'.[research]'"),
    "encoder": Loader(load_encoder, "STANDARD[/SEED]", install="'.[models]'"),
}
