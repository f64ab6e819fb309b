"""Chinese word segmenters behind one small interface: sentences in, words out, the words of a sentence concatenating to it.

A segmenter is named on the command line:

    jieba, jieba-no-hmm            the dictionary segmenter, through rjieba, whose output is jieba's
    own pkuseg, thulac, snownlp, icu   as their packages ship them maxmatch, maxmatch-backward
    longest match from the left or right over a lexicon: `maxmatch:FILE`, by default jieba's
    dictionary transformers:MODEL             any token classification model by name or path, with
    tags B M E S, B I E S or B I

Source: Li & Hao (2025), section 3 and Table 1: Jieba, PKUSEG and MaxMatch beside four Transformers
of their own.
"""

import functools
import importlib.metadata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Segment = Callable[[Sequence[str]], list[list[str]]]
END = ""  # key of the trie that marks the end of a word


@dataclass(frozen=True)
class Segmenter:
    """A segmenter ready to run.

    Attributes:
        name: As on the command line.
        version: Of the package or model, for the record of a study.
        segment: Gives the words of each sentence.
        lexicon: The words it knows, where it goes by a dictionary; None where it does not.
        batch_size: Sentences to hand over at once.
    """

    name: str
    version: str
    segment: Segment
    lexicon: frozenset[str] | None = None
    batch_size: int = 4096


def load_segmenter(name: str, *, device: str = "cpu", dtype: str = "float32") -> Segmenter:
    """Loads a segmenter by its name on the command line.

    Args:
        name: See the module's text; `kind:argument` for those that take one.
        device: Device of a transformers model.
        dtype: Number type of a transformers model, `float32` or `bfloat16`.

    Raises:
        ValueError: There is no such segmenter, or its model's tags are not those of a segmenter.
        ModuleNotFoundError: Its package is not installed; the message says which extra holds it.
    """
    kind, _, argument = name.partition(":")
    if kind == "transformers" and argument:
        from systems.tagged_segmentation import load_tagger

        return Segmenter(
            name, argument, load_tagger(argument, device=device, dtype=dtype), batch_size=256
        )
    if kind not in LOADERS or (argument and kind not in ("maxmatch", "maxmatch-backward")):
        raise ValueError(
            f"segmenter, got {name!r}; expected one of {', '.join(LOADERS)}, maxmatch:FILE or transformers:MODEL"
        )
    try:
        return LOADERS[kind](name, argument)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"segmenter {name}: package {error.name} is not installed; pip install '.[systems]'"
        ) from error


def load_jieba(name: str, argument: str) -> Segmenter:
    """Loads rjieba, jieba's dictionary segmenter in Rust; with HMM it also joins characters to words it does not know."""
    import rjieba

    from builders.eras.dictionary import dictionary_words

    uses_hmm = name == "jieba"
    return Segmenter(
        name,
        _version("rjieba"),
        lambda sentences: [rjieba.cut(s, uses_hmm) for s in sentences],
        dictionary_words(),
    )


def load_pkuseg(name: str, argument: str) -> Segmenter:
    """Loads PKUSEG with the model that its package ships (ctb8)."""
    import pkuseg

    model = _quietly(pkuseg.pkuseg)
    return Segmenter(
        name, _version("pkuseg"), lambda sentences: [list(model.cut(s)) for s in sentences]
    )


def load_thulac(name: str, argument: str) -> Segmenter:
    """Loads THULAC without its tagger."""
    import thulac

    model = _quietly(functools.partial(thulac.thulac, seg_only=True))
    return Segmenter(
        name,
        _version("thulac"),
        lambda sentences: [[word for word, _ in model.cut(s)] for s in sentences],
    )


def load_snownlp(name: str, argument: str) -> Segmenter:
    """Loads the segmenter of SnowNLP, a character-based tagger."""
    from snownlp import seg

    return Segmenter(
        name, _version("snownlp"), lambda sentences: [list(seg.seg(s)) for s in sentences]
    )


def load_icu(name: str, argument: str) -> Segmenter:
    """Loads ICU's dictionary-based word boundaries; PyICU must be installed beside this project, since it needs ICU's own library."""
    import icu

    iterator = icu.BreakIterator.createWordInstance(icu.Locale("zh"))

    def cut(sentence: str) -> list[str]:
        iterator.setText(sentence)
        ends = list(iterator)
        return [sentence[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    return Segmenter(
        name,
        f"{_version('PyICU')} (ICU {icu.ICU_VERSION})",
        lambda sentences: [cut(s) for s in sentences],
    )


def load_maxmatch(name: str, argument: str) -> Segmenter:
    """Loads longest match over a lexicon file (one word per line, further columns ignored) or jieba's dictionary.

    Raises:
        ValueError: The file holds no word.
    """
    from builders.eras.dictionary import dictionary_words

    lexicon = read_lexicon(Path(argument)) if argument else dictionary_words()
    is_backward = name.startswith("maxmatch-backward")
    trie = build_trie(word[::-1] if is_backward else word for word in lexicon)
    cut = functools.partial(match_backward if is_backward else match_forward, trie)
    version = Path(argument).name if argument else f"dictionary of jieba {_version('jieba')}"
    return Segmenter(
        name, version, lambda sentences: [cut(sentence) for sentence in sentences], lexicon
    )


def read_lexicon(path: Path) -> frozenset[str]:
    """Reads a lexicon: the first blank- or tab-separated field of every line.

    Raises:
        ValueError: The file holds no word.
    """
    words = frozenset(
        fields[0]
        for line in path.read_text(encoding="utf-8").splitlines()
        if (fields := line.split())
    )
    if not words:
        raise ValueError(f"{path}: lexicon, got no word; expected one word per line")
    return words


def build_trie(words: Iterable[str]) -> dict[str, Any]:
    """Gives the words as nested dicts, one level per character."""
    trie: dict[str, Any] = {}
    for word in words:
        node = trie
        for character in word:
            node = node.setdefault(character, {})
        node[END] = True
    return trie


def match_forward(trie: dict[str, Any], text: str) -> list[str]:
    """Segments by the longest word from the left; a character that begins no word is a word of its own.

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
    """Segments by the longest word from the right, over a trie of reversed words.

    Example:
        >>> match_backward(build_trie(["心留", "机心", "理处"]), "留心机处理")
        ['留', '心机', '处理']
    """
    return [word[::-1] for word in reversed(match_forward(trie, text[::-1]))]


def _version(package: str) -> str:
    return importlib.metadata.version(package)


def _quietly(load: Callable[[], Any]) -> Any:
    """Loads a model that prints while it loads."""
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()):
        return load()


LOADERS: dict[str, Callable[[str, str], Segmenter]] = {
    "jieba": load_jieba,
    "jieba-no-hmm": load_jieba,
    "pkuseg": load_pkuseg,
    "thulac": load_thulac,
    "snownlp": load_snownlp,
    "icu": load_icu,
    "maxmatch": load_maxmatch,
    "maxmatch-backward": load_maxmatch,
}
