"""Longest match over a lexicon, from the left or from the right (MaxMatch).

Source: Li & Hao (2025), section 3.
"""

import functools
import importlib.metadata
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from garden_path.models.segmenters import Segmenter, make_segmenter
from garden_path.models.system import Settings
from ground.tables import read_text
from metrics._shared.plain_text import lines_of

DELIMITER = re.compile(r"(?<=.)[,;]")  # behind a word: `心机,5,n`
END = ""  # key of the trie that marks the end of a word


def load_maxmatch(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads longest match over a lexicon, a word a line; a ValueError where a file holds none."""
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
    from builders.eras.dictionary import dictionary_words
    from builders.eras.gold_text import corpora
    from ground.hashes import fingerprint
    from research.systems.segmenters.gold_sentences import read_word_list

    if not argument:
        version = f"dictionary of jieba {importlib.metadata.version('jieba')}"
        return version, dictionary_words(), None
    if (entry := corpora().get(argument)) and entry.lexicon:
        version = f"{Path(entry.lexicon).name} {entry.lexicon_sha256[:16]}"
        return version, read_word_list(argument), entry.script
    path = Path(argument)
    words = read_lexicon(path)  # first, since it says what is missing
    return f"{path.name} {fingerprint(path)}", words, None


def _words(argument: str) -> frozenset[str]:
    return _lexicon(argument)[1]


def read_lexicon(path: Path) -> frozenset[str]:
    """Words of a lexicon file, the first field of every line; a ValueError where there is none.

    Fields are divided by blanks and tabs, or by commas or semicolons where most lines have them.
    """
    if not path.is_file():
        raise ValueError(f"{path}: lexicon, got no such file; expected one word per line")
    firsts = [fields[0] for line in lines_of(read_text(path)) if (fields := line.split())]
    cells = [DELIMITER.split(word, maxsplit=1)[0] for word in firsts]
    is_delimited = sum(map(str.__ne__, cells, firsts)) > len(firsts) / 2
    words = frozenset(cells if is_delimited else firsts)
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
    """Words of a text by the longest word from the right, over a trie of reversed words."""
    return [word[::-1] for word in reversed(match_forward(trie, text[::-1]))]
