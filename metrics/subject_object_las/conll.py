"""CoNLL files as columns: CoNLL-U, plain CoNLL, and the files of SORTS with unlabelled tokens.

A file comes in as bytes and goes out as a `Treebank`: one entry per syntactic word, cells as Arrow
strings, heads as integers. A text column costs when it is asked for. Multiword-token lines (`1-2`)
and empty nodes (`1.1`) of CoNLL-U are no syntactic words and are left out. Lines may end in LF or
CRLF, and may have more columns than CoNLL's ten, which are not read.

Nothing else is mended in passing: a line with too few columns, a wrong id, a head outside the
sentence, another line end than in the line before, a byte order mark or a missing blank line is a
`ConllError` that names file and line.

Source: https://universaldependencies.org/format.html; SORTS (Fischer et al. 2020), appendix A.
"""

import gzip
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..columns import IntArray
from .conll_lines import (
    ByteArray,
    TextLines,
    cells,
    parse_integers,
    slice_strings,
    token_lines,
)
from .conll_lines import ConllError as ConllError

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
# SORTS, folder `annotated`: no heads
ANNOTATED_COLUMNS = ("id", "form", "lemma", "_", "pos", "feats")
UNLABELLED = -1
UNDERSCORE = ord("_")
NO_WORD_ID = re.compile(r"[0-9]+[-.][0-9]+")


@dataclass(frozen=True, eq=False)
class Treebank:
    """The syntactic words of a CoNLL file, in file order.

    Attributes:
        path: The file, for messages.
        offsets: Shape (n_sentences + 1,); sentence i is the words [offsets[i], offsets[i + 1]).
        heads: Shape (n_words,); 1-based within the sentence, 0 the root, -1 where the file has `_`;
            all -1 without a head column.
        lines: Shape (n_words,); 1-based line numbers.
        columns: Names of the file's columns.
    """

    path: str
    offsets: IntArray
    heads: IntArray
    lines: IntArray
    columns: tuple[str, ...]
    _characters: ByteArray
    _separators: IntArray
    _first_separators: IntArray
    _comments: tuple[tuple[int, str], ...]

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    def strings(self, column: str, words: IntArray | None = None) -> pa.StringArray:
        """Cells of a column, of all words or of the given ones.

        Args:
            column: One of `columns`.
            words: Positions in [0, n_words), shape (k,).
        """
        starts, ends = cells(
            self._separators,
            self._first_separators if words is None else self._first_separators[words],
            self._index(column),
        )
        return slice_strings(self._characters, starts, ends)

    def lists(self, column: str) -> pa.ListArray:
        """Text column as one list of strings per sentence."""
        return pa.ListArray.from_arrays(pa.array(self.offsets, pa.int32()), self.strings(column))

    def trees(self) -> dict[str, pa.ListArray]:
        """`tokens`, `heads` (null where unlabelled) and `deprels`, one list per sentence each."""
        heads = pa.array(self.heads, pa.int32(), mask=self.heads == UNLABELLED)
        offsets = pa.array(self.offsets, pa.int32())
        return {
            "tokens": self.lists("form"),
            "heads": pa.ListArray.from_arrays(offsets, heads),
            "deprels": self.lists("deprel"),
        }

    def first_change(self, column: str) -> int | None:
        """First word whose cell is not that of its sentence's first word; None for none."""
        starts, ends = cells(self._separators, self._first_separators, self._index(column))
        firsts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        lengths = ends - starts
        is_changed = lengths != lengths[firsts]
        for length in np.unique(lengths[~is_changed]).tolist():
            words = np.flatnonzero((lengths == length) & ~is_changed)
            windows = np.lib.stride_tricks.sliding_window_view(self._characters, length)
            is_changed[words] = (windows[starts[words]] != windows[starts[firsts[words]]]).any(
                axis=1
            )
        return int(np.argmax(is_changed)) if is_changed.any() else None

    def comments(self, name: str) -> list[str | None]:
        """Value of each sentence's comment `# name = value`, None where a sentence has none."""
        values: list[str | None] = [None] * self.n_sentences
        sentences = np.searchsorted(
            self.lines[self.offsets[:-1]], [line for line, _ in self._comments]
        ).tolist()
        for sentence, (_, text) in zip(sentences, self._comments, strict=True):
            key, _, value = text.removeprefix("#").partition("=")
            if key.strip() == name:
                values[sentence] = value.strip()
        return values

    def error(self, word: int, what: str, expected: str) -> ConllError:
        """Error about one word, to be raised by a caller that knows more than the format."""
        return ConllError(f"{self.path}:{self.lines[word]}: {what}; expected {expected}")

    def _index(self, column: str) -> int:
        if column not in self.columns:
            raise ConllError(
                f"{self.path}: column, got {column!r}; expected {', '.join(self.columns)}"
            )
        return self.columns.index(column)


def read_conll(
    path: str | Path, *, columns: Sequence[str] = COLUMNS, is_tree: bool = False
) -> Treebank:
    """Reads a CoNLL file, gzipped if its name ends in `.gz`.

    Args:
        path: The file.
        columns: Names of its columns, in order; the columns `head` and `deprel` may be missing.
        is_tree: Whether each sentence must be a labelled tree: every word a head, one root, no
            cycle.

    Raises:
        ConllError: The file breaks the format or is no UTF-8; the message names file and line.
    """
    return parse_conll(read_bytes(path), str(path), columns=columns, is_tree=is_tree)


def read_bytes(path: str | Path) -> bytes:
    """Content of a file, unpacked if its name ends in `.gz`; a ConllError for a broken archive."""
    data = Path(path).read_bytes()
    if not str(path).endswith(".gz"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ConllError(f"{path}: archive, got {error}; expected a whole gzip file") from None


def parse_conll(
    data: bytes, path: str, *, columns: Sequence[str] = COLUMNS, is_tree: bool = False
) -> Treebank:
    """Parses the bytes of a CoNLL file; arguments and errors as in `read_conll`."""
    text = TextLines.scan(data, path)
    tokens = token_lines(text, len(columns), may_be_wider=len(columns) == len(COLUMNS))
    words, ids = _words(text, tokens)
    offsets = _sentence_offsets(text, words, ids)
    first_separators = text.first_separators[words]
    sentence_lengths = np.repeat(np.diff(offsets), np.diff(offsets))
    heads = np.full(len(words), UNLABELLED)
    if "head" in columns:
        heads = _heads(text, words, columns.index("head"), sentence_lengths, ids)
        _check_labels(text, words, columns.index("deprel"), heads)
    comments = tuple(
        (line + 1, text.line(line)) for line in np.flatnonzero(text.is_comment).tolist()
    )
    treebank = Treebank(
        path,
        offsets,
        heads,
        words + 1,
        tuple(columns),
        text.characters,
        text.separators,
        first_separators,
        comments,
    )
    if is_tree:
        _check_trees(treebank)
    return treebank


def _words(text: TextLines, tokens: IntArray) -> tuple[IntArray, IntArray]:
    """Lines of syntactic words and their ids; ranges and empty nodes are left out."""
    ids, is_number = parse_integers(
        text.characters, *cells(text.separators, text.first_separators[tokens], 0)
    )
    for line in tokens[~is_number]:
        if not NO_WORD_ID.fullmatch(cell := text.cell(line, 0)):
            raise text.error(
                line,
                f"ID, got {cell!r}",
                "a whole number, a range such as 1-2 or an empty node such as 1.1",
            )
    return tokens[is_number], ids[is_number]


def _sentence_offsets(text: TextLines, words: IntArray, ids: IntArray) -> IntArray:
    blocks = np.cumsum(text.is_blank)[words]
    firsts = np.flatnonzero(np.diff(blocks, prepend=-1))
    offsets = np.append(firsts, len(words))
    expected = np.arange(len(words)) - np.repeat(firsts, np.diff(offsets)) + 1
    if len(bad := np.flatnonzero(ids != expected)):
        hint = ", or a blank line before a new sentence" if ids[bad[0]] == 1 else ""
        raise text.error(words[bad[0]], f"ID, got {ids[bad[0]]}", f"{expected[bad[0]]}{hint}")
    return offsets


def _heads(
    text: TextLines, words: IntArray, column: int, sentence_lengths: IntArray, ids: IntArray
) -> IntArray:
    starts, ends = cells(text.separators, text.first_separators[words], column)
    heads, is_number = parse_integers(text.characters, starts, ends)
    is_unlabelled = (ends - starts == 1) & (text.characters[starts] == UNDERSCORE)
    is_bad = ~is_unlabelled & (~is_number | (heads > sentence_lengths) | (heads == ids))
    if len(bad := np.flatnonzero(is_bad)):
        i = bad[0]
        raise text.error(
            words[i],
            f"HEAD, got {text.cell(words[i], column)} at ID {ids[i]}",
            f"0 to {sentence_lengths[i]}, not the word itself",
        )
    return np.where(is_unlabelled, UNLABELLED, heads)


def _check_labels(text: TextLines, words: IntArray, column: int, heads: IntArray) -> None:
    starts, ends = cells(text.separators, text.first_separators[words], column)
    has_label = (ends - starts != 1) | (text.characters[starts] != UNDERSCORE)
    if len(bad := np.flatnonzero(has_label != (heads != UNLABELLED))):
        line = words[bad[0]]
        raise text.error(
            line,
            f"DEPREL, got {text.cell(line, column)} with HEAD {text.cell(line, column - 1)}",
            "both or neither to be _",
        )


def _check_trees(treebank: Treebank) -> None:
    heads, offsets = treebank.heads, treebank.offsets
    if len(bad := np.flatnonzero(heads == UNLABELLED)):
        raise treebank.error(bad[0], "HEAD, got _", "a number; every word of a tree has a head")
    n_roots = np.add.reduceat(heads == 0, offsets[:-1])
    if len(bad := np.flatnonzero(n_roots != 1)):
        raise treebank.error(
            offsets[bad[0]], f"sentence, got {n_roots[bad[0]]} roots", "one word with HEAD 0"
        )
    firsts = np.repeat(offsets[:-1], np.diff(offsets))
    ancestors = np.where(heads == 0, np.arange(len(heads)), firsts + heads - 1)
    for _ in range(int(np.diff(offsets).max()).bit_length()):
        ancestors = ancestors[ancestors]
    if len(bad := np.flatnonzero(heads[ancestors] != 0)):
        raise treebank.error(bad[0], "HEAD, got a cycle", "every word to reach the root")
