"""Sheets for blind readings of the extended paradigms: `python -m builders.eras.extended_sheet F`.

A row of the sheet has two pairs of one paradigm, the first in simplified, the second in traditional
script, and the two words of its string in an order drawn by chance. Rows are in an order of their
own, and nothing tells which word is the true one. The pairs are those with the lowest sha256 of
`extended reading|`, the paradigm's name and the pair's number.
"""

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from builders.eras.draw import ParadigmDraw
from builders.eras.extended import WrittenParadigm, read_written
from builders.eras.extended_draw import draw_extended, extended_table
from ground.files import write_whole

SALT = "extended reading|"
COLUMNS = (
    *("n", "test_1", "control_1", "test_2_traditional", "control_2_traditional"),
    *("word_1", "word_2"),
)


class SheetParadigm(NamedTuple):
    """One paradigm as readers see it; `words` in the order shown, `pairs` as test and control."""

    number: int
    pairs: tuple[tuple[str, str], tuple[str, str]]
    words: tuple[str, str]


def sheet_rows(
    paradigms: Sequence[WrittenParadigm], drawn: Sequence[ParadigmDraw]
) -> list[SheetParadigm]:
    """Rows of the sheet, in the order in which they are shown.

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
        words = sorted(
            (paradigm.row.true_word, paradigm.row.canary_word),
            key=lambda word: _digest(f"{paradigm.name}|{word}"),
        )
        rows.append(SheetParadigm(paradigm.row.number, (pairs[0], pairs[1]), (words[0], words[1])))
        start += n
    return sorted(rows, key=lambda row: _digest(str(row.number)))


def sheet_text(rows: Sequence[SheetParadigm]) -> str:
    """The sheet as a table of text."""
    lines = [(str(row.number), *row.pairs[0], *row.pairs[1], *row.words) for row in rows]
    return "\n".join("\t".join(line) for line in [COLUMNS, *lines]) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256((SALT + text).encode()).hexdigest()


if __name__ == "__main__":
    written = read_written()
    write_whole(Path(sys.argv[1]), sheet_text(sheet_rows(written, draw_extended(written))))
