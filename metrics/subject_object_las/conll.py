"""Reads CoNLL files into columns: CoNLL-U, plain 10-column CoNLL, and the files of SORTS with their unlabelled tokens.

A file comes in as bytes and goes out as a `Treebank`: one entry per syntactic word, cells as Arrow
strings, heads as integers. One scan finds all tabs and line ends, so that a file of 100,000 tokens
takes hundredths of a second; a text column costs when it is asked for. Multiword-token lines
(`1-2`) and empty nodes (`1.1`) of CoNLL-U are no syntactic words and are left out.

Nothing is mended in passing: a line with another number of columns, a wrong id, a head outside the
sentence, a CR, a byte order mark or a missing blank line is a `ConllError` that names file and
line.

Source: https://universaldependencies.org/format.html; SORTS (Fischer et al. 2020), appendix A.
"""

import functools
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
ByteArray = npt.NDArray[np.uint8]

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
ANNOTATED_COLUMNS = (
    "id",
    "form",
    "lemma",
    "_",
    "pos",
    "feats",
)  # SORTS, folder `annotated`: no heads
UNLABELLED = -1
TAB, LINE_END, HASH, UNDERSCORE, ZERO = (ord(character) for character in "\t\n#_0")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NO_WORD_ID = re.compile(r"[0-9]+[-.][0-9]+")
MOST_DIGITS = 9


class ConllError(ValueError):
    """A CoNLL file breaks its format; the message says file and line, what, got and expected."""


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
        """Gives the cells of a column, of all words or of the given ones.

        Args:
            column: One of `columns`.
            words: Positions in [0, n_words), shape (k,).
        """
        starts, ends = _cells(
            self._separators,
            self._first_separators if words is None else self._first_separators[words],
            self._index(column),
        )
        return _slice_strings(self._characters, starts, ends)

    def lists(self, column: str) -> pa.ListArray:
        """Gives a text column as one list of strings per sentence."""
        return pa.ListArray.from_arrays(pa.array(self.offsets, pa.int32()), self.strings(column))

    def trees(self) -> dict[str, pa.ListArray]:
        """Gives `tokens`, `heads` (null where unlabelled) and `deprels`, one list per sentence: predictions for `subject_object_las`."""
        heads = pa.array(self.heads, pa.int32(), mask=self.heads == UNLABELLED)
        offsets = pa.array(self.offsets, pa.int32())
        return {
            "tokens": self.lists("form"),
            "heads": pa.ListArray.from_arrays(offsets, heads),
            "deprels": self.lists("deprel"),
        }

    def first_change(self, column: str) -> int | None:
        """Gives the first word whose cell differs from that of its sentence's first word, None where there is none."""
        starts, ends = _cells(self._separators, self._first_separators, self._index(column))
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
        """Gives the value of the comment `# name = value` of each sentence, None where a sentence has none."""
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
        """Gives the error about one word, to be raised by a caller that knows more than the format."""
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
    """Gives the content of a file, unpacked if its name ends in `.gz`."""
    data = Path(path).read_bytes()
    return gzip.decompress(data) if str(path).endswith(".gz") else data


def parse_conll(
    data: bytes, path: str, *, columns: Sequence[str] = COLUMNS, is_tree: bool = False
) -> Treebank:
    """Parses the bytes of a CoNLL file; arguments and errors as in `read_conll`."""
    _check_encoding(data, path)
    text = _Text.scan(data if data.endswith(b"\n") else data + b"\n", path)
    tokens = _token_lines(text, len(columns))
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


@dataclass(frozen=True, eq=False)
class _Text:
    """Where the lines and cells of a file are.

    `separators` are the positions of all tabs and line ends, and -1 before the first line; line i
    starts after the line end `separators[first_separators[i]]`, and its cell j is between the
    separators j and j + 1 from there on.
    """

    path: str
    characters: ByteArray
    separators: IntArray
    starts: IntArray
    ends: IntArray
    first_separators: IntArray
    n_separators: IntArray

    @classmethod
    def scan(cls, data: bytes, path: str) -> "_Text":
        characters = np.frombuffer(data, np.uint8)
        separators = np.concatenate([[-1], np.flatnonzero(characters <= LINE_END)])
        kinds = characters[separators[1:]]
        line_ends = np.concatenate([[0], np.flatnonzero(kinds == LINE_END) + 1])
        bounds = separators[line_ends]
        text = cls(
            path,
            characters,
            separators,
            bounds[:-1] + 1,
            bounds[1:],
            line_ends[:-1],
            np.diff(line_ends),
        )
        if len(bad := np.flatnonzero(kinds < TAB)):
            line = int(np.searchsorted(text.ends, separators[bad[0] + 1]))
            raise text.error(
                line, f"character, got the control character {int(kinds[bad[0]])}", "text"
            )
        return text

    @functools.cached_property
    def is_blank(self) -> BoolArray:
        return np.equal(self.starts, self.ends)

    @functools.cached_property
    def is_comment(self) -> BoolArray:
        return np.equal(self.characters[self.starts], HASH)

    def line(self, line: int) -> str:
        return self.characters[self.starts[line] : self.ends[line]].tobytes().decode()

    def cell(self, line: int, column: int) -> str:
        return self.line(line).split("\t")[column]

    def error(self, line: int, what: str, expected: str) -> ConllError:
        return ConllError(f"{self.path}:{line + 1}: {what}; expected {expected}")


def _check_encoding(data: bytes, path: str) -> None:
    if not data or data.isspace():
        raise ConllError(f"{path}: got an empty file; expected at least one sentence")
    if data.startswith(BYTE_ORDER_MARK):
        raise ConllError(f"{path}:1: encoding, got a byte order mark; expected UTF-8 without one")
    if (position := data.find(b"\r")) >= 0:
        raise ConllError(f"{path}:{_line_of(data, position)}: line end, got CR; expected LF alone")
    try:
        pa.scalar(data, pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        position = _first_invalid(data)
        raise ConllError(
            f"{path}:{_line_of(data, position)}: encoding, got byte 0x{data[position]:02x}; expected UTF-8"
        ) from None


def _first_invalid(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def _token_lines(text: _Text, n_columns: int) -> IntArray:
    """Gives the lines that are neither blank nor comments, after checking their cells and the blank lines between sentences."""
    is_token = ~text.is_blank & ~text.is_comment
    tokens = np.flatnonzero(is_token)
    if not len(tokens):
        raise ConllError(f"{text.path}: got no token line; expected at least one sentence")
    if len(bad := tokens[text.n_separators[tokens] != n_columns]):
        raise text.error(
            bad[0], f"columns, got {text.n_separators[bad[0]]}", f"{n_columns}, separated by tabs"
        )
    _check_blank_lines(text, is_token, int(tokens[-1]))
    empty = np.flatnonzero(np.diff(text.separators) == 1)
    lines = np.searchsorted(text.ends, text.separators[empty + 1])
    if len(bad := lines[is_token[lines]]):
        raise text.error(bad[0], "cell, got nothing between two tabs", "a value, or _ for none")
    return tokens


def _check_blank_lines(text: _Text, is_token: BoolArray, last_token: int) -> None:
    is_blank = text.is_blank[: last_token + 1]
    follows_blank = np.concatenate([[True], is_blank[:-1]])
    if len(bad := np.flatnonzero(is_blank & follows_blank)):
        raise text.error(
            bad[0],
            "sentence, got a blank line without one before it",
            "one blank line after each sentence",
        )
    if len(bad := np.flatnonzero(text.is_comment[last_token:])):
        raise text.error(
            last_token + bad[0],
            "line, got a comment after the last sentence",
            "comments before the sentence they belong to",
        )
    is_comment = text.is_comment[: last_token + 1]
    if len(bad := np.flatnonzero(is_comment[1:] & is_token[:last_token])):
        raise text.error(
            bad[0] + 1, "line, got a comment inside a sentence", "a blank line before it"
        )
    if len(bad := np.flatnonzero(is_blank[1:] & is_comment[:-1])):
        raise text.error(bad[0] + 1, "sentence, got comments only", "token lines after them")


def _words(text: _Text, tokens: IntArray) -> tuple[IntArray, IntArray]:
    """Gives the lines of syntactic words and their ids; ranges and empty nodes are left out."""
    ids, is_number = _parse_integers(
        text.characters, *_cells(text.separators, text.first_separators[tokens], 0)
    )
    for line in tokens[~is_number]:
        if not NO_WORD_ID.fullmatch(cell := text.cell(line, 0)):
            raise text.error(
                line,
                f"ID, got {cell!r}",
                "a whole number, a range such as 1-2 or an empty node such as 1.1",
            )
    return tokens[is_number], ids[is_number]


def _sentence_offsets(text: _Text, words: IntArray, ids: IntArray) -> IntArray:
    blocks = np.cumsum(text.is_blank)[words]
    firsts = np.flatnonzero(np.diff(blocks, prepend=-1))
    offsets = np.append(firsts, len(words))
    expected = np.arange(len(words)) - np.repeat(firsts, np.diff(offsets)) + 1
    if len(bad := np.flatnonzero(ids != expected)):
        hint = ", or a blank line before a new sentence" if ids[bad[0]] == 1 else ""
        raise text.error(words[bad[0]], f"ID, got {ids[bad[0]]}", f"{expected[bad[0]]}{hint}")
    return offsets


def _heads(
    text: _Text, words: IntArray, column: int, sentence_lengths: IntArray, ids: IntArray
) -> IntArray:
    starts, ends = _cells(text.separators, text.first_separators[words], column)
    heads, is_number = _parse_integers(text.characters, starts, ends)
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


def _check_labels(text: _Text, words: IntArray, column: int, heads: IntArray) -> None:
    starts, ends = _cells(text.separators, text.first_separators[words], column)
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


def _cells(
    separators: IntArray, first_separators: IntArray, column: int
) -> tuple[IntArray, IntArray]:
    """Gives where the cells of a column start and end."""
    before = first_separators + column
    return separators[before] + 1, separators[before + 1]


def _parse_integers(
    characters: ByteArray, starts: IntArray, ends: IntArray
) -> tuple[IntArray, BoolArray]:
    """Parses cells of ASCII digits; also says which cells are such numbers."""
    values, lengths = np.zeros(len(starts), np.int64), ends - starts
    is_number = (lengths > 0) & (lengths <= MOST_DIGITS)
    for place in range(min(int(lengths.max()), MOST_DIGITS)):
        has_place = np.flatnonzero(lengths > place)
        digits = characters[starts[has_place] + place] - np.uint8(
            ZERO
        )  # anything below "0" wraps to a large number
        is_number[has_place] &= digits <= 9
        values[has_place] = values[has_place] * 10 + digits
    return values, is_number


def _slice_strings(characters: ByteArray, starts: IntArray, ends: IntArray) -> pa.StringArray:
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    positions = np.arange(offsets[-1], dtype=np.int32) + np.repeat(
        (starts - offsets[:-1]).astype(np.int32), lengths
    )
    return pa.StringArray.from_buffers(
        len(starts), pa.py_buffer(offsets), pa.py_buffer(characters[positions])
    )
