"""Any file of predictions as records, and what predictions are in their cells.

CoNLL is read here, all other formats as any file is (`ground.records`).
"""

import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from builders.notations import list_at
from ground.matching import key_of
from ground.records import Records, records_of, value_of
from ground.tables import read_bytes
from metrics._shared.plain_text import TextError, cut, lines_of
from metrics._shared.replies import content_texts, literal
from metrics._shared.treebanks import parse_conll

CONLL_LINE = re.compile(r"[0-9]+(?:[-.][0-9]+)?\t")
OF_MODELS = (
    *("prediction", "predictions", "reply", "response", "output", "completion"),
    *("generated_text", "generation"),
)
OF_PROGRAMS = ("choices", "outputs", "messages", "message", "filtered_resps", "resps", "body")
"""Fields in which OpenAI's batches, vLLM, lm-eval and logs of chats have a reply."""


def read_records(path: str | Path, columns: Collection[str]) -> Records:
    """Reads a file of predictions; a header is told from a line of words by names of columns."""
    where, path = str(path) or "''", Path(path)
    if not os.path.isfile(path):  # `Path.is_file` fails where a text is too long for a name
        got = "a folder" if os.path.isdir(path) else "no such file"
        got = "a stream" if where == "-" or (os.path.exists(path) and not path.is_dir()) else got
        got = "an empty name" if where == "''" else got
        raise TextError(
            f"{cut(where, 200)}: predictions, got {got}; expected one file, or a system that"
            " `garden-path list` names"
        )
    found = records_of(read_bytes(path), where, "predictions", columns, _conll)
    return replace(found, known=frozenset((*columns, *OF_PROGRAMS, "label", "line")))


def _conll(data: bytes, text: str, where: str) -> Records | None:
    """Sentences of CoNLL of any kind, which begins with numbered lines."""
    lines = [line for line in lines_of(text) if line.strip() and not line.startswith("#")]
    head = lines[:3]
    if not head or not all(CONLL_LINE.match(line) and line.count("\t") >= 3 for line in head):
        return None
    treebank = parse_conll(data, where, is_output=True)
    columns = {name: lists.to_pylist() for name, lists in treebank.trees().items()}
    ids = treebank.comments("sent_id")
    texts = treebank.comments("text")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row, one, own in zip(rows, ids, texts, strict=True):
        row |= {"id": one} if one is not None else {}
        row |= {"text": own} if own is not None else {}
    places = treebank.lines[treebank.offsets[:-1]].tolist()
    made = Records(where, "CoNLL", rows, places, treebank.said)
    for i, row in enumerate(rows):
        words = " ".join(row.get("surfaces") or row["tokens"])
        if key_of(text := row.get("text", words)) != key_of(words):
            got = f"{cut(text)!r} above the words {cut(words)!r}"
            raise TextError(f"{made.place(i)}: text, got {got}; expected that of the words")
    return made


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


def given_lists(records: Records, names: Sequence[str], what: str) -> list[Any]:
    """What each record has in some columns; None for nothing but blanks, or an empty list."""
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


def with_one_column(
    records: Records, names: Sequence[str], read: Callable[[Any], Any] | None = None
) -> Records:
    """The records, if no two columns could be the prediction and differ as they are read."""
    here = {str(name).lower() for row in records.rows for name in row}
    used = [name for name in names if name in here]
    for i, row in enumerate(records.rows if len(used) > 1 else ()):
        cells = {name: value_of(row, (name,)) for name in used}
        given = {k: read(v) if read else list_at(records, i, v, k) for k, v in cells.items()}
        first, *others = [name for name in used if given[name] not in (None, [])] or used[:1]
        if other := next((name for name in others if given[name] != given[first]), ""):
            raise TextError(
                f"{records.place(i)}: predictions, got the columns {first} and {other}, which"
                " differ; expected one"
            )
    return records
