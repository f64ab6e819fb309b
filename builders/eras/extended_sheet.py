"""Sheets for blind readings: `python -m builders.eras.extended_sheet FOLDER`.

`paradigms.tsv` asks about paradigms that nobody has read, or in another wording, and is left out
where there are none. A row has two pairs of one paradigm, the first in simplified, the second in
traditional script, and the two words of its string in an order drawn by chance. Rows are in an
order of their own, and nothing tells which word is the true one. The pairs are those with the
lowest sha256 of `extended reading|`, the paradigm's name and the pair's number.

`fillers.tsv` asks about fillers: 400 pairs of the published draw that no reader has seen, those
with the lowest sha256 of `extended fillers|` and the test sentence, two of a paradigm at most. A
number of its own stands for each; `fillers_key.tsv` tells which pair it is.
"""

import hashlib
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from builders.eras.draw import ParadigmDraw
from builders.eras.extended import WrittenParadigm, read_written
from builders.eras.extended_draw import draw_extended, extended_table
from builders.eras.extended_readings import (
    READINGS,
    ParadigmReading,
    read_extended,
    read_review,
)
from ground.files import write_whole
from ground.tables import read_table

SALT = "extended reading|"
FILLER_SALT = "extended fillers|"
FILLER_ROWS = 400
MOST_OF_A_PARADIGM = 2
COLUMNS = (
    *("n", "test_1", "control_1", "test_2_traditional", "control_2_traditional"),
    *("word_1", "word_2"),
)
FILLER_COLUMNS = ("row", "test", "control", "test_ok", "control_ok", "comment")


class SheetParadigm(NamedTuple):
    """One paradigm as readers see it; `words` in the order shown, `pairs` as test and control."""

    number: int
    pairs: tuple[tuple[str, str], tuple[str, str]]
    words: tuple[str, str]


class SheetPair(NamedTuple):
    """One pair of the sheet of fillers, and which it is."""

    test: str
    control: str
    id: str
    paradigm_id: int


def sheet_rows(
    paradigms: Sequence[WrittenParadigm], drawn: Sequence[ParadigmDraw]
) -> list[SheetParadigm]:
    """Rows of the sheet of paradigms, in the order in which they are shown.

    Args:
        paradigms: Those to be read.
        drawn: What `draw_extended` returned for them.
    """
    tables = [
        extended_table(paradigms, drawn, script).select(["test", "control"]).to_pylist()
        for script in ("simplified", "traditional")
    ]
    rows, start = [], 0
    for paradigm, part in zip(paradigms, drawn, strict=True):
        n = len(part.picks)
        places = sorted(range(n), key=lambda k: _digest(f"{paradigm.name}|{k}"))[:2]
        pairs = [
            (table[start + k]["test"], table[start + k]["control"])
            for table, k in zip(tables, places, strict=True)
        ]
        rows.append(shown_paradigm(paradigm, (pairs[0], pairs[1])))
        start += n
    return in_sheet_order(rows)


def shown_paradigm(
    paradigm: WrittenParadigm, pairs: tuple[tuple[str, str], tuple[str, str]]
) -> SheetParadigm:
    """A row of the sheet: the words of the string in the order that chance gave them."""
    words = sorted(
        (paradigm.row.true_word, paradigm.row.canary_word),
        key=lambda word: _digest(f"{paradigm.name}|{word}"),
    )
    return SheetParadigm(paradigm.row.number, pairs, (words[0], words[1]))


def in_sheet_order(rows: Sequence[SheetParadigm]) -> list[SheetParadigm]:
    """Rows in the order of their sheet, which is not that of their numbers."""
    return sorted(rows, key=lambda row: _digest(str(row.number)))


def sheet_text(rows: Sequence[SheetParadigm]) -> str:
    """The sheet of paradigms as a table of text."""
    lines = [(str(row.number), *row.pairs[0], *row.pairs[1], *row.words) for row in rows]
    return _table_text([COLUMNS, *lines])


def filler_rows(table: pa.Table, read: Collection[str]) -> list[SheetPair]:
    """Rows of the sheet of fillers, in the order in which they are shown.

    Args:
        table: Pairs, as `extended_table` returns them.
        read: Test sentences that readers have seen.

    Raises:
        ValueError: There are not so many pairs that nobody has read.
    """
    pairs = [
        SheetPair(row["test"], row["control"], row["id"], row["paradigm_id"])
        for row in table.select(["test", "control", "id", "paradigm_id"]).to_pylist()
        if row["test"] not in read
    ]
    pairs.sort(key=_filler_digest)
    turns, shown = [], Counter[int]()
    for pair in pairs:
        turns.append(shown[pair.paradigm_id])
        shown[pair.paradigm_id] += 1
    rows = [
        pair
        for turn in range(MOST_OF_A_PARADIGM)  # every paradigm comes once before any comes twice
        for pair, its_turn in zip(pairs, turns, strict=True)
        if its_turn == turn
    ]
    if len(rows) < FILLER_ROWS:
        raise ValueError(
            f"eras: pairs that nobody has read, got {len(rows)}; expected {FILLER_ROWS}"
        )
    return sorted(rows[:FILLER_ROWS], key=_filler_digest)


def filler_texts(rows: Sequence[SheetPair]) -> tuple[str, str]:
    """The sheet of fillers and its key as tables of text."""
    lines = [(str(n), row.test, row.control, "", "", "") for n, row in enumerate(rows, 1)]
    key = [(str(n), str(row.paradigm_id), row.id) for n, row in enumerate(rows, 1)]
    return _table_text([FILLER_COLUMNS, *lines]), _table_text([("row", "paradigm_id", "id"), *key])


def _table_text(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("\t".join(line) for line in lines) + "\n"


def _filler_digest(pair: SheetPair) -> str:
    return _digest(pair.test, FILLER_SALT)


def _digest(text: str, salt: str = SALT) -> str:
    return hashlib.sha256((salt + text).encode()).hexdigest()


def unread_paradigms() -> list[WrittenParadigm]:
    """Paradigms without a reading, or mended after it."""
    read = {row.number for row in read_table(READINGS, ParadigmReading)}
    return [p for p in read_written() if p.row.is_mended or p.row.number not in read]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    if unread := unread_paradigms():  # what is kept is known once they are read
        write_whole(folder / "paradigms.tsv", sheet_text(sheet_rows(unread, draw_extended(unread))))
        sys.exit()
    kept = read_extended()
    fresh = filler_rows(
        extended_table(kept, draw_extended(kept), "simplified"),
        {row.sentence for row in read_review()},
    )
    for name, text in zip(("fillers.tsv", "fillers_key.tsv"), filler_texts(fresh), strict=True):
        write_whole(folder / name, text)
