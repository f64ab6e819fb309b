"""CoNLL files as columns: CoNLL-U, CoNLL-X, CoNLL-2009, and the files of SORTS.

A text column costs when it is asked for. Text is read by the contract of `plain_text`; what was
changed, and which of the formats it is, stands in `Treebank.said`.

    CoNLL-U     a line `3-4 am` says how words 3 and 4 are written: `surfaces` has that. Empty nodes
                (`8.1`) are no words and are left out. `# global.columns = ...` is read.
    CoNLL-X     the same ten columns without such lines.
    CoNLL-2009  told by its width and by where the heads are; heads and labels are those that a
                parser predicts (PHEAD, PDEPREL) where it is a parser's output.
    wider       columns behind the ten are not read.

Source: https://universaldependencies.org/format.html; Hajic et al. (2009), CoNLL-2009 shared task;
SORTS (Fischer et al. 2020), appendix A.
"""

import gzip
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import BoolArray, IntArray
from .plain_text import TextError, decode
from .trees import UNLABELLED, as_bools

# --- The lines and cells of a file: tabs and line ends are found all at once, in one scan

TAB, LINE_END = ord("\t"), ord("\n")
MOST_BYTES = 2**31 - 1  # places in an Arrow array of texts have 32 bits
BLANK_LINE = re.compile(r"\n[^\S\n]+(?=\n)")  # blanks of any kind and nothing else
MOST_DIGITS = 9


class ConllError(ValueError):
    """A CoNLL file breaks its format; the message says file and line, what, got and expected."""


class TextLines:
    """Lines and cells of a file, 0-based; cell j of line i is `values[firsts[i] + j]`.

    `n_cells`, `is_blank` (nothing) and `is_comment` (begins with `#`) have one entry a line; `said`
    is what was changed in reading the file. A ConllError for what is empty, or no text by the
    contract.
    """

    def __init__(self, data: bytes, path: str) -> None:
        self.path = path
        try:
            content, self.said = decode(data, path)
        except TextError as error:
            raise ConllError(str(error)) from None
        if not content.strip():
            raise ConllError(f"{path}: got an empty file; expected at least one sentence")
        content = content if content.endswith("\n") else f"{content}\n"
        content = BLANK_LINE.sub("\n", f"\n{content}")[1:]  # blank lines become empty
        data = content.encode()
        characters = np.frombuffer(data, np.uint8)
        if len(characters) > MOST_BYTES:
            got = f"{path}: size, got {len(characters):,} bytes"
            raise ConllError(f"{got}; expected at most {MOST_BYTES:,}: score the file in parts")
        ends = np.flatnonzero(characters <= LINE_END)  # of cells
        kinds = characters[ends]
        bounds = np.append(0, np.flatnonzero(kinds == LINE_END) + 1)
        if len(bad := np.flatnonzero(kinds < TAB)):
            line = int(np.searchsorted(bounds, bad[0], side="right")) - 1
            raise self.error(line, f"character, got the control character {kinds[bad[0]]}", "text")
        offsets = np.append(0, ends - np.arange(len(ends))).astype(np.int32)
        buffers = (pa.py_buffer(offsets), pa.py_buffer(data.translate(None, b"\t\n")))
        self.values = pa.StringArray.from_buffers(len(ends), *buffers)
        self.firsts, self.n_cells = bounds[:-1], np.diff(bounds)
        first = self.values.take(pa.array(self.firsts))
        self.is_blank = as_bools(pc.equal(first, "")) & (self.n_cells == 1)
        self.is_comment = as_bools(pc.starts_with(first, "#"))

    def texts(self, lines: IntArray) -> list[str]:
        """Whole lines."""
        bounds = pa.array(np.append(self.firsts, len(self.values)), pa.int32())
        cells = pa.ListArray.from_arrays(bounds, self.values).take(pa.array(lines))
        return list(pc.binary_join(cells, "\t").to_pylist())

    def cell(self, line: int, column: int) -> str:
        """Text of a cell."""
        return str(self.values[int(self.firsts[line]) + column])

    def strings(self, lines: IntArray, column: int) -> pa.StringArray:
        """Texts of a column in some lines, as one array."""
        return self.values.take(pa.array(self.firsts[lines] + column))

    def integers(self, lines: IntArray, column: int) -> tuple[IntArray, BoolArray]:
        """Numbers of ASCII digits of a column in some lines, and which of its cells are such."""
        cells = self.strings(lines, column)
        is_short = pc.less_equal(pc.binary_length(cells), MOST_DIGITS)
        is_number = pc.and_(pc.ascii_is_decimal(cells), is_short)
        values: IntArray = pc.if_else(is_number, cells, "0").cast(pa.int64()).to_numpy()
        return values, as_bools(is_number)

    def error(self, line: int, what: str, expected: str) -> ConllError:
        """Error about a line, to be raised."""
        return ConllError(f"{self.path}:{line + 1}: {what}; expected {expected}")


def token_lines(text: TextLines) -> IntArray:
    """Lines that are neither blank nor comments; a ConllError for none, or an empty cell.

    Blank lines may stand anywhere between sentences, comments anywhere but within one.
    """
    is_token = ~text.is_blank & ~text.is_comment
    tokens = np.flatnonzero(is_token)
    if not len(tokens):
        raise ConllError(f"{text.path}: got no token line; expected at least one sentence")
    others = np.append(np.flatnonzero(~text.is_comment), len(is_token))
    after_words = np.flatnonzero(text.is_comment[1:] & is_token[:-1]) + 1
    inside = np.append(is_token, False)[others[np.searchsorted(others, after_words)]]
    if inside.any():
        line = int(after_words[inside][0])
        raise text.error(line, "line, got a comment inside a sentence", "a blank line before it")
    empty = np.flatnonzero(as_bools(pc.equal(text.values, "")))
    lines = np.searchsorted(text.firsts, empty, side="right") - 1
    if len(bad := lines[is_token[lines]]):
        raise text.error(bad[0], "cell, got nothing between two tabs", "a value, or _ for none")
    return tokens


def check_widths(text: TextLines, tokens: IntArray, n_columns: int, *, is_open: bool) -> None:
    """A ConllError where a token line has another number of cells; more may follow if `is_open`."""
    n_found = text.n_cells[tokens]
    width = max(n_columns, int(n_found[0])) if is_open else n_columns
    if len(bad := np.flatnonzero(n_found != width)):
        got = f"columns, got {n_found[bad[0]]}"
        raise text.error(int(tokens[bad[0]]), got, f"{width}, separated by tabs")


# --- From cells to columns

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
# Of CoNLL-2009, behind FORM: gold and predicted in turn, then predicates of which each file has
# another number; the names say which pair is read.
GOLD_2009 = (
    *("id", "form", "lemma", "plemma", "xpos", "pxpos", "feats", "pfeats"),
    *("head", "phead", "deprel", "pdeprel"),
)
OUTPUT_2009 = (
    *("id", "form", "glemma", "lemma", "gxpos", "xpos", "gfeats", "feats"),
    *("ghead", "head", "gdeprel", "deprel"),
)
GLOBAL_COLUMNS = "# global.columns ="  # of CoNLL-U Plus
RANGE = re.compile(r"([0-9]+)-([0-9]+)")
EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True, eq=False)
class Treebank:
    """The syntactic words of a CoNLL file, in file order.

    Attributes:
        offsets: Shape (n_sentences + 1,); sentence i is the words [offsets[i], offsets[i + 1]).
        heads: Shape (n_words,); 1-based within the sentence, 0 the root, -1 where there is none.
        lines: Shape (n_words,); 1-based line numbers.
        multiwords: First and last word of each multiword token, and how it is written.
        said: How the file was read, where that is not plain CoNLL-U in plain UTF-8.
    """

    path: str
    offsets: IntArray
    heads: IntArray
    lines: IntArray
    columns: tuple[str, ...]
    multiwords: tuple[tuple[int, int, str], ...]
    said: tuple[str, ...]
    _text: TextLines

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    def strings(self, column: str, words: IntArray | None = None) -> pa.StringArray:
        """Cells of a column, of all words or of the k given ones, positions in [0, n_words)."""
        lines = self.lines if words is None else self.lines[words]
        return self._text.strings(lines - 1, self._index(column))

    def lists(self, column: str) -> pa.ListArray:
        """Text column as one list of strings per sentence."""
        return self._lists(self.strings(column))

    def _lists(self, values: pa.Array) -> pa.ListArray:
        return pa.ListArray.from_arrays(pa.array(self.offsets, pa.int32()), values)

    def trees(self) -> dict[str, pa.ListArray]:
        """`tokens`, `heads` (null: unlabelled), `deprels`, and `surfaces` for multiword tokens."""
        written = {"surfaces": self.surfaces()} if self.multiwords else {}
        heads = pa.array(self.heads, pa.int32(), mask=self.heads == UNLABELLED)
        return {
            "tokens": self.lists("form"),
            "heads": self._lists(heads),
            "deprels": self.lists("deprel"),
            **written,
        }

    def surfaces(self) -> pa.ListArray:
        """How each word is written, a list per sentence: `am`, `` for the words *an* and *dem*."""
        forms = self.strings("form").to_pylist()
        for first, last, form in self.multiwords:
            forms[first : last + 1] = [form, *[""] * (last - first)]
        return self._lists(pa.array(forms, pa.string()))

    def first_change(self, column: str) -> int | None:
        """First word whose cell is not that of its sentence's first word; None for none."""
        cells, lengths = self.strings(column), np.diff(self.offsets)
        firsts = cells.take(pa.array(np.repeat(self.offsets[:-1], lengths)))
        is_changed = as_bools(pc.not_equal(cells, firsts))
        return int(np.argmax(is_changed)) if is_changed.any() else None

    def comments(self, name: str) -> list[str | None]:
        """Value of each sentence's comment `# name = value`, None where a sentence has none."""
        values: list[str | None] = [None] * (self.n_sentences + 1)  # the last is behind them all
        lines = np.flatnonzero(self._text.is_comment)
        sentences = np.searchsorted(self.lines[self.offsets[:-1]] - 1, lines)
        texts = self._text.texts(lines)
        for sentence, line, text in zip(sentences.tolist(), lines.tolist(), texts, strict=True):
            key, _, value = text.removeprefix("#").partition("=")
            if key.strip() == name:
                if values[sentence] not in (None, value.strip()):
                    got = f"{name}, got {value.strip()!r} behind {values[sentence]!r}"
                    raise self._text.error(line, got, "one of a sentence")
                values[sentence] = value.strip()
        return values[:-1]

    def error(self, word: int, what: str, expected: str) -> ConllError:
        """Error about one word, to be raised by a caller that knows more than the format."""
        return ConllError(f"{self.path}:{self.lines[word]}: {what}; expected {expected}")

    def _index(self, column: str) -> int:
        if column not in self.columns:
            known = ", ".join(self.columns)
            raise ConllError(f"{self.path}: column, got {column!r}; expected {known}")
        return self.columns.index(column)


def read_conll(path: str | Path, **options: Any) -> Treebank:
    """Reads a CoNLL file, gzipped if its name ends in `.gz`, as `parse_conll` does."""
    return parse_conll(read_bytes(path), str(path), **options)


Read = Callable[[str | Path], Any]


def read_output(path: str | Path) -> dict[str, pa.ListArray]:
    """Trees of a parser's file, as columns."""
    return read_conll(path, is_output=True).trees()


def read_given(where: str, given: Any, read: Read) -> Any:
    """An input of a metric: columns read from a file if its path is given, else what is given.

    A text that is no file's path may be rows that were turned into one: a ConllError, as is a file
    that breaks its format.
    """
    if not isinstance(given, str | Path):
        return given
    try:
        return read(given)
    except ConllError as error:
        raise ConllError(f"{where.partition(':')[0]}: {error}") from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        got = f"got {str(given)[:80]!r}: {getattr(error, 'strerror', None) or error}"
        raise ConllError(f"{where}, {got}; expected rows, or a CoNLL file's path") from None


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
    data: bytes,
    path: str,
    *,
    columns: Sequence[str] = COLUMNS,
    is_tree: bool = False,
    is_output: bool = False,
) -> Treebank:
    """Parses the bytes of a CoNLL file.

    Args:
        data: The bytes.
        path: Whose they are, for messages.
        columns: Names of its columns, in order; the columns `head` and `deprel` may be missing. The
            ten of CoNLL-U stand for any of the formats above.
        is_tree: Whether each sentence must be a labelled tree: every word a head, one root, no
            cycle.
        is_output: Whether it is the output of a parser, whose columns CoNLL-2009 has apart.

    Raises:
        ConllError: The file breaks its format or is no text; the message names file and line.
    """
    text = TextLines(data, path)
    tokens = token_lines(text)
    columns, said = _layout(text, tokens, tuple(columns), is_output=is_output)
    words, ids, others = _words(text, tokens)
    if not len(words):
        raise ConllError(f"{path}: got no word; expected at least one sentence")
    offsets = _sentence_offsets(text, words, ids)
    multiwords = _multiwords(text, others, words, offsets)
    if n_empty := len(others) - len(multiwords):
        said += (f"{n_empty:,} empty nodes left out",)
    if multiwords:
        said += (f"{len(multiwords):,} multiword tokens",)
    heads = np.full(len(words), UNLABELLED)
    if "head" in columns:
        lengths = np.repeat(np.diff(offsets), np.diff(offsets))
        places = (columns.index("head"), columns.index("deprel"))
        heads = _heads(text, words, places, lengths, ids)
    about = (tuple(columns), multiwords, (*text.said, *said), text)
    treebank = Treebank(path, offsets, heads, words + 1, *about)
    if is_tree:
        _check_trees(treebank)
    return treebank


def _layout(
    text: TextLines, tokens: IntArray, columns: tuple[str, ...], *, is_output: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of a file's columns, and what to say of its format."""
    if columns != COLUMNS:
        check_widths(text, tokens, len(columns), is_open=False)
        return columns, ()
    if (first := text.texts(np.array([0]))[0]).startswith(GLOBAL_COLUMNS):
        names = tuple(first.removeprefix(GLOBAL_COLUMNS).lower().split())
        if missing := [name for name in ("id", "form", "head", "deprel") if name not in names]:
            raise text.error(0, f"columns, got no {missing[0].upper()}", "ID FORM HEAD DEPREL")
        check_widths(text, tokens, len(names), is_open=False)
        return names, ("columns named by # global.columns",)
    is_wide = int(text.n_cells[tokens].min()) >= len(GOLD_2009)
    if not is_wide or text.integers(tokens, COLUMNS.index("head"))[1].any():
        check_widths(text, tokens, len(columns), is_open=True)
        return columns, ()
    has_gold, has_predicted = (
        text.integers(tokens, GOLD_2009.index(name))[1].any() for name in ("head", "phead")
    )
    is_predicted = has_predicted and (is_output or not has_gold)
    n, read = text.n_cells[tokens[0]], "PHEAD, PDEPREL" if is_predicted else "HEAD, DEPREL"
    said = f"CoNLL-2009 by its {n} columns; heads and labels are {read}"
    return OUTPUT_2009 if is_predicted else GOLD_2009, (said,)


def _multiwords(
    text: TextLines, others: Sequence[int], words: IntArray, offsets: IntArray
) -> tuple[tuple[int, int, str], ...]:
    """First and last word of each line such as `3-4 am`, and what is written there."""
    found: list[tuple[int, int, str]] = []
    for line in others:
        match = RANGE.fullmatch(text.cell(line, 0))
        if match is None:
            continue
        following = int(np.searchsorted(words, line))
        sentence = int(np.searchsorted(offsets, following, side="right")) - 1
        sentence = min(sentence, len(offsets) - 2)
        first, last = (int(offsets[sentence]) + int(number) - 1 for number in match.groups())
        if not (following == first <= last < offsets[sentence + 1]):
            raise text.error(line, f"ID, got {match[0]}", "the range of the words that follow it")
        if found and first <= found[-1][1]:
            raise text.error(line, f"ID, got {match[0]}", "ranges that do not overlap")
        found.append((first, last, text.cell(line, 1)))
    return tuple(found)


def _words(text: TextLines, tokens: IntArray) -> tuple[IntArray, IntArray, list[int]]:
    """Lines of syntactic words, their ids, and the lines of ranges and empty nodes."""
    ids, is_number = text.integers(tokens, 0)
    others = tokens[~is_number].tolist()
    for line in others:
        cell = text.cell(line, 0)
        if not (RANGE.fullmatch(cell) or EMPTY_NODE.fullmatch(cell)):
            expected = "a whole number, a range such as 1-2 or an empty node such as 1.1"
            raise text.error(line, f"ID, got {cell!r}", expected)
    return tokens[is_number], ids[is_number], others


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
    text: TextLines, words: IntArray, columns: tuple[int, int], lengths: IntArray, ids: IntArray
) -> IntArray:
    """Heads by the columns of heads and labels, of which both or neither may be blank."""
    heads, is_number = text.integers(words, columns[0])
    is_blank, has_no_label = (
        as_bools(pc.equal(text.strings(words, column), "_")) for column in columns
    )
    is_bad = ~is_blank & (~is_number | (heads > lengths) | (heads == ids))
    if len(bad := np.flatnonzero(is_bad)):
        i = bad[0]
        got = f"HEAD, got {text.cell(words[i], columns[0])} at ID {ids[i]}"
        raise text.error(words[i], got, f"0 to {lengths[i]}, not the word itself")
    if len(bad := np.flatnonzero(is_blank != has_no_label)):
        line = words[bad[0]]
        label, head = text.cell(line, columns[1]), text.cell(line, columns[1] - 1)
        raise text.error(line, f"DEPREL, got {label} with HEAD {head}", "both or neither to be _")
    return np.where(is_blank, UNLABELLED, heads)


def _check_trees(treebank: Treebank) -> None:
    heads, offsets = treebank.heads, treebank.offsets
    if len(bad := np.flatnonzero(heads == UNLABELLED)):
        raise treebank.error(bad[0], "HEAD, got _", "a number; every word of a tree has a head")
    n_roots = np.add.reduceat(heads == 0, offsets[:-1])
    if len(bad := np.flatnonzero(n_roots != 1)):
        got = f"sentence, got {n_roots[bad[0]]} roots"
        raise treebank.error(offsets[bad[0]], got, "one word with HEAD 0")
    firsts = np.repeat(offsets[:-1], np.diff(offsets))
    ancestors = np.where(heads == 0, np.arange(len(heads)), firsts + heads - 1)
    for _ in range(int(np.diff(offsets).max()).bit_length()):
        ancestors = ancestors[ancestors]
    if len(bad := np.flatnonzero(heads[ancestors] != 0)):
        raise treebank.error(bad[0], "HEAD, got a cycle", "every word to reach the root")
