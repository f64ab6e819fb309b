"""Any file of predictions as records, and which record belongs to which row of a suite.

CoNLL is read here, all other formats as any file is (`ground.records`). Of ids, texts and order ids
win where some are known; then texts, of which the k-th of several equal ones belongs to the k-th
row; then order, where there are as many records as rows and nothing says otherwise.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from builders.notations import list_at
from ground.matching import Matched, by_keys, key_for, key_of
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
OF_PROGRAMS = (
    *("choices", "outputs", "messages", "message", "filtered_resps", "resps", "body"),
    "candidates",
)
"""Fields in which batches of OpenAI and Google, vLLM, lm-eval and logs of chats have a reply."""
OBJECTS = ("result", "modeloutput", "model_response")
"""The same of Anthropic, Bedrock and lighteval, where it is an object."""
IDS = ("id", "sent_id", "item", "item_id", "idx", "custom_id")
TEXTS = ("text", "sentence", "sent", "source", "input", "raw")
NEARLY_ALL = 0.9  # of the values of a column of ids
FIRST = re.compile(r"[\s|\"'`]*([^\s|\"'`,;]+)")  # of a line: an id, whatever divides it
HEADERS = ("ans", "pred", "replies")


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
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for name, comment in (("id", "sent_id"), ("text", "text")):
        for row, value in zip(rows, treebank.comments(comment), strict=True):
            row |= {name: value} if value is not None else {}
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
    if isinstance(value, dict) and "parts" in value:
        return content_texts(value)[0]
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


def match(
    where: str,
    ids: Sequence[str | None],
    texts: Sequence[str | None],
    row_ids: Sequence[str] | None,
    row_texts: Sequence[str] | None,
) -> Matched:
    """Finds the record of each row; a ValueError where none of the three ways fits.

    Ids and texts are those of the records, then those of the rows; None for none.
    """
    if row_ids is not None and (known := set(row_ids) & {one for one in ids if one is not None}):
        counts = Counter(one for one in ids if one in known)
        if twice := next((one for one, n in counts.items() if n > 1), None):
            raise TextError(f"{where}: id, got {twice!r} twice; expected every id once")
        return by_keys(list(ids), list(row_ids), "id")
    if row_texts is not None and any(text is not None for text in texts):
        key_of = key_for(row_texts)
        keys = [None if text is None else key_of(text) for text in texts]
        row_keys = [key_of(text) for text in row_texts]
        found = by_keys(keys, row_keys, "text")
        _check_own_records(where, found, keys, row_keys)
        if found.n_missing < len(row_keys):
            return found
        got = next(text for text in texts if text is not None)
        raise TextError(
            f"{where}: texts, got none of the suite, such as {cut(got)!r}; expected such as"
            f" {cut(row_texts[0])!r}: `garden-path inputs` writes them"
        )
    n_rows = len(row_ids if row_ids is not None else row_texts or ())
    if any(one is not None for one in ids) and row_ids is not None:
        got = next(one for one in ids if one is not None)
        raise TextError(f"{where}: id, got {cut(got)!r}; expected such as {row_ids[0]!r}")
    if len(ids) != n_rows:
        raise TextError(
            f"{where}: predictions, got {len(ids):,} without id or text; expected {n_rows:,}, in"
            " the order of the rows"
        )
    return Matched(list(range(n_rows)), "order", 0)


def texts_of(records: Records, names: Collection[str]) -> list[str | None]:
    """The first of some columns that each record has, as a text."""
    found = [value_of(row, names) for row in records.rows]
    return [None if value is None else str(value) for value in found]


def with_ids(records: Records, ids: Sequence[str] | None) -> Records:
    """Records with their ids in `id`, from the column that holds them or the start of the lines."""
    known = set(ids or ())
    if not known or known & set(texts_of(records, IDS)):
        return records
    if records.kind == "lines":
        return _with_ids_of_lines(records, known)
    names = dict.fromkeys(name for row in records.rows for name in row)
    columns = {name: [row.get(name) for row in records.rows] for name in names}
    enough = NEARLY_ALL * min(len(records.rows), len(known))
    texts = {k: {one for one in of if isinstance(one, str)} for k, of in columns.items()}
    found = [name for name, own in texts.items() if len(known & own) >= enough]
    if not found:
        return records
    if other := next((name for name in found if columns[name] != columns[found[0]]), ""):
        got = f"those of the columns {found[0]} and {other}, which differ"
        raise TextError(f"{records.where}: ids, got {got}; expected one column, id")
    rows = [
        {name: value for name, value in row.items() if str(name).lower() != "id"}
        | {"id": row.get(found[0])}
        for row in records.rows
    ]
    return replace(records, rows=rows, id_column=str(found[0]) or "a column without a name")


def _with_ids_of_lines(records: Records, known: set[str]) -> Records:
    """Lines of an id, a tab and the rest, with the id apart; refuses ids that are divided else."""
    lines = [row["line"] for row in records.rows]
    cells = [
        (one.strip() if tab else "", rest) for one, tab, rest in (x.partition("\t") for x in lines)
    ]
    own = [one in known for one, _ in cells]
    if any(own) and 2 * sum(own) >= len(own):
        if not all(own):
            place = records.place(own.index(False))
            got, such = cut(lines[own.index(False)].partition("\t")[0]), cells[own.index(True)][0]
            raise TextError(
                f"{place}: id, got {got!r}; expected one of the suite and a tab, such as {such!r}"
            )
        return replace(records, rows=[{"id": one, "line": rest} for one, rest in cells])
    firsts = [start[1].rstrip(":") if (start := FIRST.match(line)) else "" for line in lines]
    begun = [one in known for one in firsts]
    if any(begun) and 2 * sum(begun) >= len(begun):
        i = begun.index(True)
        raise TextError(
            f"{records.place(i)}: line, got {cut(lines[i])!r}, which begins with an id; expected a"
            " tab behind the id, or CSV with a header such as id,prediction"
        )
    return records


def check_in_order(records: Records, row_texts: Sequence[str] | None) -> None:
    """Refuses to go by order where a column, or a header in place of a row, may say otherwise.

    A column that counts the records or is the same throughout says nothing; one in which each
    record has the text of its row, such as a prompt, says that the order is right.
    """
    if records.kind == "lines":
        head = records.rows[0].get("line", "").strip().strip("\"'").lower()
        if head and (head in HEADERS or {head, head.removesuffix("s")} & records.known):
            raise TextError(
                f"{records.place(0)}: prediction, got {head!r}, a header, and as many lines as"
                " rows; expected a prediction for every row"
            )
    n, odd = len(records.rows), []
    counts = [list(map(str, range(start, start + n))) for start in (0, 1)]
    for name, cells in records.others().items() if records.kind != "CoNLL" else ():
        values = list(map(str, cells))
        if row_texts is not None and all(map(_has_words_of, values, row_texts)):
            return
        if len(set(values)) > 1 and values not in counts:
            odd.append(name)
    if odd:
        raise TextError(
            f"{records.where}: column, got {odd[0]!r}, which is not understood, beside predictions"
            " without id or text; expected ids in a column id, or predictions alone, in the order"
            " of the rows"
        )


def _has_words_of(value: str, text: str) -> bool:
    """Whether a value, such as a prompt, has the words of a text in their order."""
    words = iter(re.findall(r"\w+", value))
    return all(word in words for word in re.findall(r"\w+", text))


def _check_own_records(
    where: str, found: Matched, keys: Sequence[str | None], row_keys: Sequence[str]
) -> None:
    """One record a row, yet a row has another's: its own has a text that differs."""
    used = [place for place in found.places if place is not None]
    if len(keys) != len(row_keys) or len(set(used)) == len(used):
        return
    known = set(row_keys)
    left = [(i, key) for i, key in enumerate(keys) if key is not None and key not in known]
    if left:
        number, text = left[0]
        raise TextError(
            f"{where}: record {number + 1:,}, got the text {cut(text)!r}; expected one of"
            " the suite, since the file has as many records as the suite has rows"
        )
