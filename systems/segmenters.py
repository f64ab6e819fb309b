"""Chinese word segmenters: sentences in, words out, the words of a sentence concatenating to it.

    jieba, jieba-no-hmm     the dictionary segmenter, through rjieba, whose output is jieba's own
    pkuseg, thulac, snownlp, icu   as their packages ship them
    lac, lac-small, wapic   the two LACs of Baidu and a CRF, with weights from packages
    udpipe:MODEL            the tokenizer of a UDPipe 1 model: udchinese, or a file
    maxmatch[:LEXICON], maxmatch-backward[:LEXICON]   longest match from the left or right over a
                            lexicon: a file, or as, cityu, msr, pku for the word lists of the
                            Bakeoff 2005; by default jieba's dictionary
    crf:CORPUS              a CRF trained here on as, cityu, msr, pku or daily (`corpora.toml`)
    transformers:NAME       any token classification model with tags B M E S, B I E S or B I
    python:package.module:function   your own: a list of sentences in, their lists of words out

Source: Li & Hao (2025), section 3 and Table 1: Jieba, PKUSEG and MaxMatch beside four Transformers
of their own.
"""

import functools
import importlib.metadata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ground.tables import read_text
from systems.system import Loader, Settings, System, as_list

Segment = Callable[[Sequence[str]], list[list[str]]]
Words = Callable[[], frozenset[str]]
END = ""  # key of the trie that marks the end of a word
BATCH_SIZE = 4096


@dataclass(frozen=True)
class Segmenter(System):
    """A word segmenter ready to run.

    Attributes:
        predict: Words of each sentence.
        words: Gives the words it knows, where it goes by a dictionary; None where it does not.
        script: The script that it is made for, `simplified` or `traditional`; None for both.
    """

    predict: Segment
    batch_size: int = field(default=BATCH_SIZE, kw_only=True)
    words: Words | None = field(default=None, kw_only=True)
    script: str | None = field(default=None, kw_only=True)

    @functools.cached_property
    def lexicon(self) -> frozenset[str] | None:
        """The words it knows, None without a dictionary; read when first asked for."""
        return self.words() if self.words else None


SETTINGS = Settings


def make_segmenter(
    name: str,
    version: str,
    segment: Callable[[Sequence[str]], Sequence[Sequence[str]]],
    *,
    batch_size: int = BATCH_SIZE,
    n_parameters: int | None = None,
    words: Words | None = None,
    script: str | None = None,
) -> Segmenter:
    """A segmenter whose words are checked: those of each sentence make it up."""
    return Segmenter(
        name,
        version,
        functools.partial(_segment_checked, name, segment),
        batch_size=batch_size,
        n_parameters=n_parameters,
        words=words,
        script=script,
    )


def of_function(
    name: str,
    version: str,
    function: Callable[[list[str]], Sequence[Sequence[str]]],
    settings: Settings,
) -> Segmenter:
    """A segmenter of a user's function: a list of sentences in, a list of words for each out."""
    return make_segmenter(name, version, lambda sentences: function(list(sentences)))


def load_jieba(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads rjieba, jieba in Rust; with HMM it also finds words that it does not know."""
    import rjieba

    from builders.eras.dictionary import dictionary_words

    uses_hmm = name == "jieba"
    return make_segmenter(
        name,
        _version("rjieba"),
        lambda sentences: [rjieba.cut(s, uses_hmm) for s in sentences],
        words=dictionary_words,
    )


def load_pkuseg(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads PKUSEG with the model that its package ships (ctb8)."""
    import pkuseg

    model = _quietly(pkuseg.pkuseg)
    return make_segmenter(
        name, _version("pkuseg"), lambda sentences: [list(model.cut(s)) for s in sentences]
    )


def load_thulac(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads THULAC without its tagger."""
    import thulac

    model = _quietly(functools.partial(thulac.thulac, seg_only=True))
    return make_segmenter(
        name,
        _version("thulac"),
        lambda sentences: [[word for word, _ in model.cut(s)] for s in sentences],
    )


def load_snownlp(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads the segmenter of SnowNLP, a character-based tagger."""
    from snownlp import seg

    return make_segmenter(
        name, _version("snownlp"), lambda sentences: [list(seg.seg(s)) for s in sentences]
    )


def load_packaged(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a segmenter of `packaged_segmenters`, by the name before the colon."""
    from systems import packaged_segmenters

    load = getattr(packaged_segmenters, f"load_{name.partition(':')[0].replace('-', '_')}")
    version, n_parameters, cut = load(argument) if argument else load()
    return make_segmenter(name, version, cut, n_parameters=n_parameters)


def load_icu(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads ICU's dictionary-based word boundaries.

    PyICU is in no extra, since it needs ICU's own library.
    """
    import icu

    iterator = icu.BreakIterator.createWordInstance(icu.Locale("zh"))

    def cut(sentence: str) -> list[str]:
        iterator.setText(sentence)
        ends = list(iterator)
        return [sentence[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    return make_segmenter(
        name,
        f"{_version('PyICU')} (ICU {icu.ICU_VERSION})",
        lambda sentences: [cut(s) for s in sentences],
    )


def load_maxmatch(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads longest match over a lexicon.

    A file has one word per line; further columns are ignored.

    Raises:
        ValueError: The file is not there or holds no word.
    """
    version, lexicon, script = _lexicon(argument)
    is_backward = name.startswith("maxmatch-backward")
    trie = build_trie(word[::-1] if is_backward else word for word in lexicon)
    cut = functools.partial(match_backward if is_backward else match_forward, trie)
    return make_segmenter(
        name,
        version,
        lambda sentences: [cut(sentence) for sentence in sentences],
        words=functools.partial(_words, argument),
        script=script,
    )


def _lexicon(argument: str) -> tuple[str, frozenset[str], str | None]:
    """Where a lexicon is from, its words and its script: a corpus by name, a file, or jieba's."""
    from builders.eras.corpora import corpora, read_word_list
    from builders.eras.dictionary import dictionary_words
    from systems.checkpoints import fingerprint

    if not argument:
        return f"dictionary of jieba {_version('jieba')}", dictionary_words(), None
    if (entry := corpora().get(argument)) and entry.lexicon:
        version = f"{Path(entry.lexicon).name} {entry.lexicon_sha256[:16]}"
        return version, read_word_list(argument), entry.script
    path = Path(argument)
    words = read_lexicon(path)  # first, since it says what is missing
    return f"{path.name} {fingerprint(path)}", words, None


def _words(argument: str) -> frozenset[str]:
    return _lexicon(argument)[1]


def load_trained(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a CRF that is trained here when it is first asked for."""
    from builders.eras.corpora import corpus, read_word_list
    from systems.crf_segmenter import load_crf

    script = corpus(argument).script
    model = load_crf(argument)
    words = functools.partial(read_word_list, argument) if model.lexicon else None
    return make_segmenter(name, model.version, model.segment, words=words, script=script)


def load_tagger(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a token classification model of transformers."""
    from systems.tagged_segmentation import load_tagged_segmenter

    checkpoint, segment = load_tagged_segmenter(argument, settings)
    return make_segmenter(
        name,
        checkpoint.version,
        segment,
        batch_size=256,
        n_parameters=checkpoint.n_parameters,
    )


def read_lexicon(path: Path) -> frozenset[str]:
    """Words of a lexicon file: the first blank- or tab-separated field of every line.

    Raises:
        ValueError: The file is not there or holds no word.
    """
    if not path.is_file():
        raise ValueError(f"{path}: lexicon, got no such file; expected one word per line")
    words = frozenset(
        fields[0] for line in read_text(path).splitlines() if (fields := line.split())
    )
    if not words:
        raise ValueError(f"{path}: lexicon, got no word; expected one word per line")
    return words


def build_trie(words: Iterable[str]) -> dict[str, Any]:
    """The words as nested dicts, one level per character."""
    trie: dict[str, Any] = {}
    for word in words:
        node = trie
        for character in word:
            node = node.setdefault(character, {})
        node[END] = True
    return trie


def match_forward(trie: dict[str, Any], text: str) -> list[str]:
    """Words of a text by the longest word from the left.

    A character that begins no word is a word of its own.

    Example:
        >>> match_forward(build_trie(["留心", "心机", "处理"]), "留心机处理")
        ['留心', '机', '处理']
    """
    words, start, n = [], 0, len(text)
    while start < n:
        node, end, longest = trie, start, start + 1
        while end < n and (node := node.get(text[end], {})):
            end += 1
            if END in node:
                longest = end
        words.append(text[start:longest])
        start = longest
    return words


def match_backward(trie: dict[str, Any], text: str) -> list[str]:
    """Words of a text by the longest word from the right, over a trie of reversed words.

    Example:
        >>> match_backward(build_trie(["心留", "机心", "理处"]), "留心机处理")
        ['留', '心机', '处理']
    """
    return [word[::-1] for word in reversed(match_forward(trie, text[::-1]))]


def _segment_checked(
    name: str,
    segment: Callable[[Sequence[str]], Sequence[Sequence[str]]],
    sentences: Sequence[str],
) -> list[list[str]]:
    found = as_list(name, "words of sentences", segment(sentences), len(sentences))
    cut = [as_list(name, "words", words) for words in found]
    for sentence, words in zip(sentences, cut, strict=True):
        if "".join(map(str, words)) != sentence:
            raise ValueError(
                f"{name}: words, got {words!r}; expected words that make up {sentence}"
            )
    return cut


def _version(package: str) -> str:
    return importlib.metadata.version(package)


def _quietly(load: Callable[[], Any]) -> Any:
    """Loads a model that prints while it loads."""
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()):
        return load()


LOADERS: Mapping[str, Loader] = {
    "jieba": Loader(load_jieba, install="'.[systems]'"),
    "jieba-no-hmm": Loader(load_jieba, install="'.[systems]'"),
    "pkuseg": Loader(load_pkuseg, install="'.[systems]'"),
    "thulac": Loader(load_thulac, install="'.[systems]'"),
    "snownlp": Loader(load_snownlp, install="'.[systems]'"),
    "lac": Loader(load_packaged, install="'.[real]'"),
    "lac-small": Loader(load_packaged),
    "wapic": Loader(load_packaged, install="'.[real]'"),
    "udpipe": Loader(load_packaged, "MODEL", install="'.[real]'"),
    "icu": Loader(load_icu, install="PyICU"),
    "maxmatch": Loader(load_maxmatch, "LEXICON", is_optional=True),
    "maxmatch-backward": Loader(load_maxmatch, "LEXICON", is_optional=True),
    "crf": Loader(load_trained, "CORPUS", install="'.[systems]'"),
    "transformers": Loader(load_tagger, "NAME[@REVISION]", install="'.[models]'"),
}
