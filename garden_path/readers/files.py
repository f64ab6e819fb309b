"""Any file of predictions as records: CSV, TSV, JSON, JSON lines, Parquet, CoNLL or plain lines.

The format is told from the content, not from the name: a table has a header that names a column
which is asked for, JSON begins with a brace or a bracket, CoNLL with numbered lines, Parquet with
its mark. What is none of these is plain lines. Text is read by the contract of
`metrics.plain_text`, gzipped where the name ends in `.gz`.
"""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ground.tables import read_bytes
from metrics._shared.plain_text import (
    SEPARATORS,
    DoubledNameError,
    TextError,
    cut,
    decode,
    json_lines,
    lines_of,
    table_rows,
    unique_object,
)
from metrics._shared.replies import content_texts, literal
from metrics._shared.treebanks import parse_conll

PARQUET_MARK = b"PAR1"
CONLL_LINE = re.compile(r"[0-9]+(?:[-.][0-9]+)?\t")
OF_MODELS = (
    *("prediction", "predictions", "reply", "response", "output", "completion"),
    *("generated_text", "generation"),
)
OF_PROGRAMS = ("choices", "outputs", "messages", "message", "filtered_resps", "resps", "body")
"""Fields in which OpenAI's batches, vLLM, lm-eval and logs of chats have a reply."""
ARCHIVES = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "zip": re.compile(rb"PK\x03\x04"),
    "bzip2": re.compile(rb"BZh[1-9]1AY&SY"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}
"""How packed files begin."""
JSON_ARRAY = re.compile(r"\[\s*(?:\{|\n)")  # words and replies begin otherwise
SEPARATOR_LINE = re.compile(r"sep=([,;\t|])")


@dataclass(frozen=True)
class Records:
    """What a file holds.

    Attributes:
        where: The file, for messages.
        kind: `CSV`, `TSV`, `JSON`, `JSON lines`, `Parquet`, `CoNLL` or `lines`.
        rows: A dict per row, its values as the file has them; of plain lines, `{"line": ...}`.
        places: Number of the line that each row is from, or of the row.
        said: What was changed in reading.
        known: Names of columns that are understood, in small letters.
        id_column: The column of ids, where it is called otherwise.
    """

    where: str
    kind: str
    rows: list[dict[str, Any]]
    places: list[int]
    said: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    id_column: str = ""

    def place(self, row: int) -> str:
        """Where a row stands, for messages."""
        return f"{self.where}:{self.places[row]}"


def read_records(path: str | Path, columns: Collection[str]) -> Records:
    """Reads a file of predictions.

    Args:
        path: The file.
        columns: Names by which a header is told from a line of words, in small letters.

    Raises:
        ValueError: There is no such file, or it breaks its format; the message says where.
    """
    where, path = str(path) or "''", Path(path)
    if not os.path.isfile(path):  # `Path.is_file` fails where a text is too long for a name
        got = "a folder" if os.path.isdir(path) else "no such file"
        got = "a stream" if where == "-" or (os.path.exists(path) and not path.is_dir()) else got
        got = "an empty name" if where == "''" else got
        raise TextError(
            f"{cut(where, 200)}: predictions, got {got}; expected one file, or a system that"
            " `garden-path list` names"
        )
    found = _records(read_bytes(path), where, columns)
    return replace(found, known=frozenset(columns))


def _records(data: bytes, where: str, columns: Collection[str]) -> Records:
    if data.startswith(PARQUET_MARK):
        return _parquet(data, where)
    if packed := next((name for name, mark in ARCHIVES.items() if mark.match(data)), ""):
        help = "unpack it" + (", or name it .gz" if packed == "gzip" else "")
        raise TextError(f"{where}: predictions, got a {packed} file; expected text: {help}")
    text, said = decode(data, where)
    first = next((line for line in lines_of(text) if line.strip()), "")
    if not first:
        raise TextError(f"{where}: predictions, got an empty file; expected at least one")
    if first.lstrip().startswith(("{", "[")) and (found := _json(text, where, said, columns)):
        return found
    if _is_conll(text):
        return _conll(data, where)
    return _table(text, where, said, columns) or _lines(text, where, said)


def _parquet(data: bytes, where: str) -> Records:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(data)).read()
        names = table.column_names
        if doubled := next((name for name in names if names.count(name) > 1), ""):
            raise TextError(f"{where}: column {doubled!r}, got it twice; expected it once")
        rows = table.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise TextError(
            f"{where}: Parquet, got {cut(' '.join(str(error).split()), 200)}; expected a whole file"
        ) from None
    return Records(where, "Parquet", rows, list(range(1, len(rows) + 1)))


def _json(text: str, where: str, said: tuple[str, ...], columns: Collection[str]) -> Records | None:
    """Rows of JSON lines, of an array, of an object of columns, or of one from ids to values."""
    try:
        whole = json.loads(text, object_pairs_hook=unique_object)
    except DoubledNameError as error:
        raise TextError(f"{where}: JSON, got {error}; expected it once") from None
    except (ValueError, RecursionError) as error:
        if _is_one_value(text.strip()):
            number, what = getattr(error, "lineno", 1), getattr(error, "msg", "too many brackets")
            raise TextError(
                f"{where}:{number}: JSON, got {what}; expected a JSON object or array"
            ) from None
        if not text.lstrip().startswith("{"):
            return None
        pairs = list(json_lines(text, where))
        return Records(where, "JSON lines", [r for _, r in pairs], [n for n, _ in pairs], said)
    if isinstance(whole, dict) and whole and all(isinstance(v, list) for v in whole.values()):
        lengths = {len(column) for column in whole.values()}
        has_column = any(str(name).lower() in columns for name in whole)
        if len(lengths) == 1 and len(whole) > 1 and has_column:
            rows = [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]
            return Records(where, "JSON", rows, list(range(1, len(rows) + 1)), said)
    if isinstance(whole, dict):
        is_one = "id" in {str(name).lower() for name in whole}
        rows = [whole] if is_one else [{"id": k, "prediction": v} for k, v in whole.items()]
    else:
        rows = [row if isinstance(row, dict) else {"prediction": row} for row in whole]
    return Records(where, "JSON", rows, list(range(1, len(rows) + 1)), said)


def _is_one_value(text: str) -> bool:
    """Whether a text that is no JSON was to be one array or object, not lines of them."""
    first, is_more, _ = text.partition("\n")
    if text.startswith("{"):
        return bool(is_more) and not first.rstrip().endswith("}")
    is_open = first.count("[") > first.count("]") if is_more else first.startswith('["')
    return bool(JSON_ARRAY.match(text)) or (is_open and text.endswith(("]", ",")))


def _is_conll(text: str) -> bool:
    lines = [line for line in lines_of(text) if line.strip() and not line.startswith("#")]
    head = lines[:3]
    return bool(head) and all(CONLL_LINE.match(line) and line.count("\t") >= 3 for line in head)


def _conll(data: bytes, where: str) -> Records:
    treebank = parse_conll(data, where, is_output=True)
    columns = {name: lists.to_pylist() for name, lists in treebank.trees().items()}
    ids = treebank.comments("sent_id")
    texts = treebank.comments("text")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row, one, text in zip(rows, ids, texts, strict=True):
        row |= {"id": one} if one is not None else {}
        row |= {"text": text} if text is not None else {}
    places = treebank.lines[treebank.offsets[:-1]].tolist()
    return Records(where, "CoNLL", rows, places, treebank.said)


def _table(
    text: str, where: str, said: tuple[str, ...], columns: Collection[str]
) -> Records | None:
    """A table, if some separator makes a header of its first line; else None."""
    told = SEPARATOR_LINE.fullmatch(text.partition("\n")[0].strip("\n"))
    body = text.partition("\n")[2] if told else text
    header = next((line for line in lines_of(body) if line.strip()), "")
    separators = (told[1],) if told else SEPARATORS
    known = {one: _names(header, one) & set(columns) for one in separators}
    best = max(separators, key=lambda one: len(known[one]))
    if not known[best]:
        return None
    try:
        (_, names), *cells = table_rows(body, best)
    except csv.Error as error:
        raise TextError(f"{where}: table, got {error}; expected quotes that are closed") from None
    names = [name.strip().lower() for name in names]
    for number, row in cells:
        if len(row) != len(names):
            raise TextError(f"{where}:{number}: cells, got {len(row)}; expected {len(names)}")
    if twice := [name for name in names if names.count(name) > 1]:
        got = f"{twice[0]!r} twice" if twice[0] or best != "|" else "those of a table of Markdown"
        raise TextError(f"{where}:1: column, got {got}; expected each once, such as in CSV")
    rows: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for _, row in cells]
    kind = "TSV" if best == "\t" else "CSV"
    if best not in ",\t":
        said += (f"cells divided by {best!r}",)
    return Records(where, kind, rows, [number + bool(told) for number, _ in cells], said)


def _names(header: str, separator: str) -> set[str]:
    try:
        row = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return set()
    return {cell.strip().lower() for cell in row}


def _lines(text: str, where: str, said: tuple[str, ...]) -> Records:
    """Lines that are not blank, as they are."""
    pairs = [(n, line) for n, line in enumerate(lines_of(text), 1) if line.strip()]
    return Records(
        where, "lines", [{"line": line} for _, line in pairs], [n for n, _ in pairs], said
    )


def value_of(row: Mapping[str, Any], names: Collection[str]) -> Any:
    """Value of the first of some columns that a row has; None for none or an empty cell."""
    lowered = {str(name).lower(): value for name, value in row.items()}
    for name in names:
        value = lowered.get(name)
        if value is not None and value != "":
            return value
    return None


def with_id_of_item(row: dict[str, Any]) -> dict[str, Any]:
    """A record of lm-eval with the id of its item."""
    item = row.get("doc")
    return {"id": item["id"], **row} if isinstance(item, dict) and "id" in item else row


def reply_of(value: Any, where: str) -> str | None:
    """The text of a reply: a text, a message, the last of a chat, or the only one of a list."""
    if isinstance(value, dict):
        names = (*OF_PROGRAMS, "content", "text", *OF_MODELS, "answer")
        return reply_of(value_of(value, names), where)
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        if any("role" in one for one in value):
            value = [one for one in value if one.get("role") == "assistant"][-1:]
        elif all("type" in one for one in value):
            return content_texts(value)[0]
    if isinstance(value, list):
        if len(value) > 1:
            raise TextError(f"{where}: replies, got {len(value)} of one item; expected one")
        return reply_of(value[0], where) if value else None
    return None if value is None else str(value)


def with_one_column(
    records: Records, names: Sequence[str], read: Callable[[Any], Any] | None = None
) -> Records:
    """The records, if no two of their columns could be the prediction and differ as they are read.

    By default they are read as lists.
    """
    read = read or list_of
    here = {str(name).lower() for row in records.rows for name in row}
    used = [name for name in names if name in here]
    for i, row in enumerate(records.rows if len(used) > 1 else ()):
        given = {name: read(value_of(row, (name,))) for name in used}
        first, *others = [name for name in used if given[name] not in (None, [])] or used[:1]
        if other := next((name for name in others if given[name] != given[first]), ""):
            raise TextError(
                f"{records.place(i)}: predictions, got the columns {first} and {other}, which"
                " differ; expected one"
            )
    return records


def given_lists(records: Records, names: Sequence[str], what: str) -> list[Any]:
    """What each record has in some columns; None for nothing but blanks, or an empty list.

    Raises:
        ValueError: A list has something blank in it.
    """
    found: list[Any] = []
    for i, row in enumerate(records.rows):
        value = value_of(row, names)
        text = value.strip() if isinstance(value, str) else ""
        held = literal(text) if text.startswith("[") else value
        if isinstance(held, list) and any(one is None or not str(one).strip() for one in held):
            got = cut(repr(held))
            raise TextError(f"{records.place(i)}: {what}, got {got}; expected none that is blank")
        found.append(None if held == [] or (isinstance(value, str) and not text) else value)
    return found


def list_of(value: Any) -> list[str] | None:
    """Words of a cell: a list, a list written as JSON, or words between blanks of any kind."""
    if value is None:
        return None
    if isinstance(value, str):
        words = value.split()
        if not value.lstrip().startswith("["):
            return words
        value = literal(value.strip())
        if not isinstance(value, list | tuple):
            return words
        value = [one[0] if isinstance(one, tuple) and one else one for one in value]
    if not isinstance(value, list | tuple):
        return [str(value)]
    words = [one[0] for one in value] if all(map(_is_tagged, value)) else list(value)
    if odd := next((one for one in words if isinstance(one, list | tuple | dict)), None):
        raise TextError(f"words, got {cut(repr(odd))} among them; expected a list of texts")
    return [str(word) for word in words]


def _is_tagged(one: Any) -> bool:
    """Whether this is a word and its tag."""
    is_pair = isinstance(one, list | tuple) and len(one) == 2
    return is_pair and all(isinstance(part, str) for part in one)
