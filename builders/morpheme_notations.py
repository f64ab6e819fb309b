"""Words and their morphemes as the field's tools write them, a line each."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

MARKS_OF_WORDS = re.compile(r"</?w>|[\u200b\u2060]")  # of ends, as BPE writes them
COUNTED = re.compile(r"^\s*\d+\s+(?=\S+(?: \+ |$))")  # Morfessor's
THIRD_COLUMN = re.compile(r"(?<=\t)([^\t]*)\t\d+\s*$")  # of SIGMORPHON, a class of words
NAMED = re.compile(r"\s*([^\s:]+):\s+(\S.*)")


def word_and_morphemes(row: dict[str, Any]) -> dict[str, Any]:
    """A line as a row: morphemes alone, or the word, a tab and its morphemes."""
    if "line" not in row:
        return row
    word, tab, _ = row["line"].partition("\t")
    kept = {"id": row["id"]} if "id" in row else {}
    if tab and len(word.split()) == 1:
        bare = THIRD_COLUMN.sub(r"\1", row["line"]).partition("\t")[2]
        return kept | {"word": word.strip(), "morphemes": bare.replace("\t", " ")}
    line = COUNTED.sub("", MARKS_OF_WORDS.sub(" ", row["line"]))
    named = NAMED.match(line)
    return kept | ({"word": named[1], "morphemes": named[2]} if named else {"morphemes": line})


def odd_letters(morphemes: Sequence[str], word: str) -> str:
    """What no morpheme of a word has: digits and marks that the word does not have."""
    letters = dict.fromkeys("".join(morphemes))
    return "".join(
        c for c in letters if not (c.isalpha() or unicodedata.category(c)[0] == "M" or c in word)
    )
