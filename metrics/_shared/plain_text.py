"""The contract of text: what every reader of a user's file takes, and the one place that says so.

UTF-8 or UTF-16, with or without a byte order mark. Lines end in LF, CRLF or CR and at no other
character. Text is put into NFC, and a change is said. Another encoding is an error that names the
line, the byte, the likely encoding and the command that converts it.

The standard library is enough for this file: it is copied beside whatever is read on the Hub alone.
"""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

UTF8_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
LINE_END = re.compile(r"\r*\n|\r")  # CR CR LF is what two conversions make of one line end
MARK = "\ufeff"
COMMON = {
    "GBK": frozenset("的一是不了在有我他这中大来上国个到说们为子"),
    "Big5": frozenset("的一是不了在有我他這中大來上國個到說們為子"),
}
CJK_SHARE = 0.5  # of the bytes that are no ASCII, in a text of a Chinese encoding
SAMPLE = 20_000  # bytes on either side by which an encoding is guessed
WIDE_SHARE = 0.2  # of the bytes of a text in UTF-16 that is ASCII are NUL, and half may be
MOST_SHOWN = 60  # characters of a line that an error quotes
SEPARATORS = (",", "\t", ";", "|")


class TextError(ValueError):
    """A text breaks the contract; the message says where, what, got and expected."""


class Decoded(NamedTuple):
    """A text in NFC, lines ended by LF, and what was changed in reading it, such as `UTF-16`."""

    text: str
    said: tuple[str, ...]


def decode(data: bytes, where: str, *, is_normalized: bool = True) -> Decoded:
    r"""Text of some bytes by the contract; a TextError for another encoding or a NUL character.

    Example:
        >>> decode("a\r\nb".encode("utf-16"), "x.txt")
        Decoded(text='a\nb', said=('UTF-16',))
    """
    encoding, said = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _encoding_error(data, where, error) from None
    text = LINE_END.sub("\n", text) if "\r" in text else text
    text = text.removeprefix(MARK).replace(f"\n{MARK}", "\n")  # files that were put together
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise TextError(f"{where}:{line}: character, got NUL; expected text")
    if is_normalized and not unicodedata.is_normalized("NFC", text):
        text, said = unicodedata.normalize("NFC", text), (*said, "normalized to NFC")
    return Decoded(text, said)


def lines_of(text: str) -> list[str]:
    r"""Lines of a text, at LF, CRLF and CR alone, without their ends; none after the last end.

    Example:
        >>> lines_of("a\u2028b\r\nc\n")
        ['a\u2028b', 'c']
    """
    lines = (LINE_END.sub("\n", text) if "\r" in text else text).split("\n")
    return lines if lines[-1] else lines[:-1]


class DoubledNameError(ValueError):
    """A name stands twice in an object of JSON, and one of its values would be lost."""


def unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, the `object_pairs_hook` of `json.loads`; no name may stand in it twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DoubledNameError(f"{twice!r} twice in one object")
    return found


def json_lines(text: str, where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of JSON lines with the numbers of their lines; blank lines are passed over.

    A TextError for a line that is no JSON object, or has a name twice.
    """
    for number, line in enumerate(lines_of(text), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=unique_object)
        except DoubledNameError as error:
            raise TextError(f"{where}:{number}: line, got {error}; expected it once") from None
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise TextError(f"{where}:{number}: line, got {cut(line)!r}; expected a JSON object")
        yield number, record


def table_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table, but for blank ones, with the line that each ends in; may be a csv.Error."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    for row in reader:
        if any(cell.strip() for cell in row):
            yield reader.line_num, row


def cut(text: str, most: int = MOST_SHOWN) -> str:
    """A text as messages quote it, cut where it is long."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _encoding(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Name of the encoding for Python, and what to say of it."""
    if data.startswith(UTF8_MARK):
        return "utf-8-sig", ("a byte order mark",)
    for mark, name in WIDE_MARKS.items():
        if data.startswith(mark):
            return name.lower(), (name,)
    if b"\0" not in data or len(data) % 2:
        return "utf-8", ()
    n_even, n_odd = data[::2].count(0), data[1::2].count(0)
    is_utf8 = data.decode("utf-8", "ignore").encode() == data
    if is_utf8 and max(n_even, n_odd) < WIDE_SHARE * len(data):
        return "utf-8", ()  # with a NUL character, which is said
    return ("utf-16-le" if n_odd > n_even else "utf-16-be"), ("UTF-16 without a byte order mark",)


def _encoding_error(data: bytes, where: str, error: UnicodeDecodeError) -> TextError:
    start = min(error.start, len(data) - 1)
    line = data.count(b"\n", 0, start) + 1
    place = f"{where}:{line}: encoding, got"
    if not error.encoding.startswith("utf-8"):
        got = f"{error.reason} at byte {start:,}"
        return TextError(f"{place} {got}; expected whole {error.encoding}")
    name = _likely_encoding(data[max(0, start - SAMPLE) : start + SAMPLE])
    advice = f"UTF-8 or UTF-16; if it is {name}: iconv -f {name} -t UTF-8 FILE"
    return TextError(f"{place} the byte {data[start]:#04x}; expected {advice}")


def _likely_encoding(data: bytes) -> str:
    """The encoding that bytes which are no UTF-8 are most likely in: a guess, and said as one."""
    inked = bytes(byte for byte in data if byte > 0x20)
    if sum(byte > 0x7F for byte in inked) < CJK_SHARE * len(inked):
        return "WINDOWS-1252"
    found = {name: data.decode(name, errors="ignore") for name in COMMON}
    counts = {name: sum(c in COMMON[name] for c in text) for name, text in found.items()}
    return max(counts, key=lambda name: counts[name])


# --- numbers that are written in words

_NUMBER_WORDS = (  # from 0
    "zero null nul 零 〇|one ein eins eine een één 一|two zwei twee 二 两 兩|three drei drie 三|"
    "four vier 四|five fünf fuenf vijf 五|six sechs zes 六|seven sieben zeven 七|eight acht 八|"
    "nine neun negen 九|ten zehn tien 十|eleven elf 十一|twelve zwölf zwoelf twaalf 十二|"
    "thirteen dreizehn dertien 十三|fourteen vierzehn veertien 十四|"
    "fifteen fünfzehn vijftien 十五|sixteen sechzehn zestien 十六|"
    "seventeen siebzehn zeventien 十七|eighteen achtzehn achttien 十八|"
    "nineteen neunzehn negentien 十九|twenty zwanzig twintig 二十"
)
NUMBERS = {
    word: value for value, words in enumerate(_NUMBER_WORDS.split("|")) for word in words.split()
}
_WHOLE = re.compile(r"(?<![\d.,])(\d+)[.,]0{1,2}(?![\d.,]*\d)")
_MINUS = re.compile(r"(?:^|(?<=[\s(:=]))[-−–]\s?(?=\d)", re.MULTILINE)
_CHINESE = re.compile(r"[一二两兩三四五六七八九十零〇]+(?=[个個种種名位只隻头頭]|\W|$)")
_LETTERS = re.compile(r"[^\W\d_]+")


def with_digits(text: str) -> str:
    """A text whose numbers are digits: words of four languages, `3.0`; `-3` is `minus 3`.

    Example:
        >>> with_digits("drei"), with_digits("3.0 Tiere"), with_digits("-3"), with_digits("三个")
        ('3', '3 Tiere', ' minus 3', '3个')
    """
    text = _MINUS.sub(lambda sign: " minus " if sign[0].strip() == sign[0] else sign[0], text)
    text = re.sub("[\ufe0f\u20e3]", "", unicodedata.normalize("NFKC", text))  # of a key's cap
    text = _WHOLE.sub(r"\1", text)
    text = _CHINESE.sub(lambda word: str(NUMBERS.get(word[0], word[0])), text)
    return _LETTERS.sub(lambda word: str(NUMBERS.get(word[0].lower(), word[0])), text)
