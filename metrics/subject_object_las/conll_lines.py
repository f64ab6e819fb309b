"""The lines and cells of a CoNLL file: where they are, found in one scan of its bytes.

A file of 100,000 tokens takes hundredths of a second: tabs and line ends are found all at once,
and a cell is a pair of positions until somebody asks for its text.
"""

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..columns import BoolArray, IntArray

ByteArray = npt.NDArray[np.uint8]

TAB, LINE_END, HASH, ZERO = (ord(character) for character in "\t\n#0")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_DIGITS = 9


class ConllError(ValueError):
    """A CoNLL file breaks its format; the message says file and line, what, got and expected."""


@dataclass(frozen=True, eq=False)
class TextLines:
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
    def scan(cls, data: bytes, path: str) -> "TextLines":
        """Lines of a file's content, with LF or CRLF as line ends.

        Raises:
            ConllError: The content is empty, no UTF-8, begins with a byte order mark, or has a
                control character or a line end of another kind.
        """
        _check_encoding(data, path)
        data = _with_line_feeds(data, path)
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
        """Whether a line is empty, shape (n_lines,)."""
        return np.equal(self.starts, self.ends)

    @functools.cached_property
    def is_comment(self) -> BoolArray:
        """Whether a line begins with `#`, shape (n_lines,)."""
        return np.equal(self.characters[self.starts], HASH)

    def line(self, line: int) -> str:
        """Text of a line, 0-based."""
        return self.characters[self.starts[line] : self.ends[line]].tobytes().decode()

    def cell(self, line: int, column: int) -> str:
        """Text of a cell, 0-based."""
        return self.line(line).split("\t")[column]

    def error(self, line: int, what: str, expected: str) -> ConllError:
        """Error about a line, to be raised."""
        return ConllError(f"{self.path}:{line + 1}: {what}; expected {expected}")


def _check_encoding(data: bytes, path: str) -> None:
    if not data or data.isspace():
        raise ConllError(f"{path}: got an empty file; expected at least one sentence")
    if data.startswith(BYTE_ORDER_MARK):
        raise ConllError(f"{path}:1: encoding, got a byte order mark; expected UTF-8 without one")
    try:
        pa.scalar(data, pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        position = _first_invalid(data)
        place = f"{path}:{_line_of(data, position)}"
        raise ConllError(
            f"{place}: encoding, got byte 0x{data[position]:02x}; expected UTF-8"
        ) from None


def _with_line_feeds(data: bytes, path: str) -> bytes:
    """Content with LF as line ends; all of the lines must end in LF, or all in CRLF."""
    ending = b"\r\n" if b"\r\n" in data else b"\n"
    data = data if data.endswith(b"\n") else data + ending
    if b"\r" not in data:
        return data
    lines = data.split(b"\n")[:-1]
    for number, line in enumerate(lines, 1):
        is_crlf = line.endswith(b"\r")
        if is_crlf != lines[0].endswith(b"\r") or line.count(b"\r") != is_crlf:
            place = f"{path}:{number}"
            raise ConllError(f"{place}: line end, got another one; expected LF or CRLF on all")
    return data.replace(b"\r\n", b"\n")


def _first_invalid(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def token_lines(text: TextLines, n_columns: int, *, may_be_wider: bool = False) -> IntArray:
    """Lines that are neither blank nor comments, with their cells and blank lines checked.

    Args:
        text: The file.
        n_columns: Number of columns that are read.
        may_be_wider: Whether further columns may follow, equally many on every line.

    Raises:
        ConllError: A line has another number of columns or an empty cell, or a blank line or a
            comment stands where none may be.
    """
    is_token = ~text.is_blank & ~text.is_comment
    tokens = np.flatnonzero(is_token)
    if not len(tokens):
        raise ConllError(f"{text.path}: got no token line; expected at least one sentence")
    n_found = text.n_separators[tokens]
    width = max(n_columns, int(n_found[0])) if may_be_wider else n_columns
    if len(bad := np.flatnonzero(n_found != width)):
        raise text.error(
            int(tokens[bad[0]]), f"columns, got {n_found[bad[0]]}", f"{width}, separated by tabs"
        )
    _check_blank_lines(text, is_token, int(tokens[-1]))
    empty = np.flatnonzero(np.diff(text.separators) == 1)
    lines = np.searchsorted(text.ends, text.separators[empty + 1])
    if len(bad := lines[is_token[lines]]):
        raise text.error(bad[0], "cell, got nothing between two tabs", "a value, or _ for none")
    return tokens


def _check_blank_lines(text: TextLines, is_token: BoolArray, last_token: int) -> None:
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


def cells(
    separators: IntArray, first_separators: IntArray, column: int
) -> tuple[IntArray, IntArray]:
    """Positions where the cells of a column start and end."""
    before = first_separators + column
    return separators[before] + 1, separators[before + 1]


def parse_integers(
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


def slice_strings(characters: ByteArray, starts: IntArray, ends: IntArray) -> pa.StringArray:
    """Texts between positions, as one array."""
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    positions = np.arange(offsets[-1], dtype=np.int32) + np.repeat(
        (starts - offsets[:-1]).astype(np.int32), lengths
    )
    return pa.StringArray.from_buffers(
        len(starts), pa.py_buffer(offsets), pa.py_buffer(characters[positions])
    )
