"""Words, morphemes and trees as the field's tools write them, read as what they are.

Segmented text has tags behind words, of characters in words, or in a column of their own. Words and
their morphemes stand a line each. Parsed sentences are trees over the words that are written, with
a scheme, or what is no tree.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ground.records import Records, number_of, value_of
from metrics._shared.plain_text import TextError, cut
from metrics._shared.replies import literal
from metrics._shared.trees import scheme_of

TAGGED_SHARE = 0.9  # of the words that have a tag in a tagged text
BMES = frozenset("BMEISO")
NEGATIVE = ("negative", "neg", "label_0", "0", "负面", "消极", "p_negative", "p(negative)")
POSITIVE = ("positive", "pos", "label_1", "1", "正面", "积极")
ROUNDING = 1e-6  # by which a softmax may leave [0, 1]


def tag_of(words: Sequence[str], patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str] | None:
    """The first pattern of the tags that nearly all words have; None for words without tags."""
    for pattern in patterns:
        if words and sum(map(bool, map(pattern.search, words))) >= TAGGED_SHARE * len(words):
            return pattern
    return None


def list_at(records: Records, i: int, value: Any, what: str) -> list[str] | None:
    """`list_of` a value of a record.

    Raises:
        ValueError: A list has another list in it; the message says where, in what field.
    """
    try:
        return list_of(value)
    except TextError as error:
        raise TextError(f"{records.place(i)}: {what}, {error}") from None


def list_of(value: Any) -> list[str] | None:
    """Words of a cell: a list, a list written as JSON, or words between blanks of any kind.

    Raises:
        ValueError: A list has another list in it.
    """
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
    if odd := [one for one in words if isinstance(one, list | tuple | dict)]:
        raise TextError(f"got {cut(repr(odd[0]))} in a list; expected one value for each word")
    return [str(word) for word in words]


def _is_tagged(one: Any) -> bool:
    """Whether this is a word and its tag."""
    is_pair = isinstance(one, list | tuple) and len(one) == 2
    return is_pair and all(isinstance(part, str) for part in one)


def n_columns_of_labels(lines: Iterable[str]) -> int:
    r"""Columns between tabs where each line is a word and its labels, as in files of taggers; or 0.

    Example:
        >>> n_columns_of_labels(["a\tv", "b\tu"]), n_columns_of_labels(["a b", "c"])
        (2, 0)
    """
    cells = [line.split("\t") for line in lines]
    widths = set(map(len, cells))
    is_narrow = all(len(cell.split()) <= 1 for row in cells for cell in row)
    return max(widths) if len(cells) > 1 and len(widths) == 1 and is_narrow and widths != {1} else 0


def without_tags(
    lists: Sequence[list[str] | None], pattern: re.Pattern[str]
) -> tuple[list[list[str] | None], str]:
    """Words without their tags; characters with B, M, E and S joined to words; what was read."""
    tags = [[(pattern.search(w) or [""])[0][1:].upper() for w in words or ()] for words in lists]
    bare = [[pattern.sub("", w) for w in words] if words else words for words in lists]
    used = {tag for row in tags for tag in row}
    is_long = any(len(w) > 1 for words in bare for w in words or ())
    if is_long or "B" not in used or not used <= BMES:
        return bare, "a word and its tag"
    joined: list[list[str] | None] = []
    for words, row in zip(bare, tags, strict=True):
        found: list[str] = []
        for word, tag in zip(words or (), row, strict=True):
            if tag in "BSO" or not found:
                found.append(word)
            else:
                found[-1] += word
        joined.append(found if words else words)
    return joined, "a character and its place in a word"


MARKS_OF_WORDS = re.compile(r"</?w>")  # of ends, as BPE writes them
COUNTED = re.compile(r"^ *\d+ +(?=\S+(?: \+ |$))")  # Morfessor's
THIRD_COLUMN = re.compile(r"(?<=\t)([^\t]*)\t\d+\s*$")  # of SIGMORPHON, a class of words
LEFT_OUT = {  # of lines, by what is said of it
    "a third column of digits left out": THIRD_COLUMN,
    "a number in front of a word left out": COUNTED,
    "<w> and </w> left out": MARKS_OF_WORDS,
}
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


def fitted(tree: dict[str, Any], tokens: list[str]) -> dict[str, Any]:
    """A tree over the words of a sentence, where what is written of its own words are those.

    Example:
        >>> tree = {"tokens": ["an", "dem", "Ufer"], "surfaces": ["am", "", "Ufer"]}
        >>> tree |= {"heads": [3, 3, 0], "deprels": ["case", "det", "root"]}
        >>> fitted(tree, ["am", "Ufer"])
        {'tokens': ['am', 'Ufer'], 'heads': [2, 0], 'deprels': ['case', 'root']}
    """
    surfaces = tree.get("surfaces")
    own = tree.get("tokens")
    bare: dict[str, Any] = {
        name: tree[name] for name in ("tokens", "heads", "deprels") if name in tree
    }
    if not surfaces or own == tokens or [word for word in surfaces if word] != tokens:
        return bare if own == tokens or not surfaces else tree
    units = [sum(map(bool, surfaces[: i + 1])) for i in range(len(surfaces))]  # 1-based
    standing: dict[int, int] = {}
    for i, unit in enumerate(units):
        head = tree["heads"][i]
        is_outside = head is None or head == 0 or units[head - 1] != unit
        if unit not in standing and is_outside:
            standing[unit] = i
    chosen = [standing.get(unit, units.index(unit)) for unit in range(1, len(tokens) + 1)]
    heads = [tree["heads"][i] for i in chosen]
    return {
        "tokens": tokens,
        "heads": [units[head - 1] if head else head for head in heads],
        "deprels": [tree["deprels"][i] for i in chosen],
    }


def of_positive(records: Records) -> Records:
    """Records whose score is that of the label beside it, with P(positive) in its place.

    Raises:
        ValueError: What the score is of cannot be told.
    """
    column, rows = _label_column(records), records.rows
    if not column or any(value_of(row, ("p_positive", "positive")) is not None for row in rows):
        return records
    scores = [number_of(value_of(row, ("score", "prob", "probability", "p"))) for row in rows]
    labels = [str(value_of(row, (column,))).strip().casefold() for row in rows]
    highs = [one is not None and one >= 0.5 - ROUNDING for one in scores]
    is_told = not all(highs) and highs == [label in POSITIVE for label in labels]
    if None in scores or (is_told and any(value_of(row, ("p",)) is not None for row in rows)):
        return records  # P(positive), with the label that follows from it
    made = []
    for i, (row, label, score) in enumerate(zip(rows, labels, scores, strict=True)):
        if label not in (*NEGATIVE, *POSITIVE) or not highs[i] or (score or 0) > 1 + ROUNDING:
            raise TextError(
                f"{records.place(i)}: score, got {score:g} beside the label {cut(label)!r};"
                " expected that of a label negative or positive, at least 0.5; or name the column"
                " of P(positive) p_positive"
            )
        of_positive = 1 - (score or 0) if label in NEGATIVE else score
        made.append(row | {"p": None, "p_positive": of_positive})
    said = "score read as that of its label"
    return replace(records, rows=made, said=(*records.said, said))


def _label_column(records: Records) -> str:
    """The column of labels beside scores, "" for none: `label`, or one in which all are labels."""
    names = list(dict.fromkeys(str(name).lower() for row in records.rows for name in row))
    known = {*NEGATIVE, *POSITIVE} - {"0", "1"}
    for name in names:
        cells = {str(value_of(row, (name,))).strip().casefold() for row in records.rows}
        if name == "label" or cells <= known:
            return name
    return ""


def check_whole(where: str, tree: Mapping[str, Any]) -> None:
    """Refuses heads that are no word of their sentence, and written forms that are not one each.

    Raises:
        ValueError: Names what it got.
    """
    heads, n = tree["heads"], len(tree["heads"])
    if odd := next((head for head in heads if head is not None and not 0 <= head <= n), None):
        raise TextError(f"{where}: heads, got {odd}; expected 0 to {n}, of which 0 is the root")
    if len(tree.get("surfaces", heads)) != n:
        got = len(tree["surfaces"])
        raise TextError(f"{where}: surfaces, got {got}; expected {n}, one for each head")


def oddities(where: str, graphs: Sequence[Sequence[int | None]]) -> list[str]:
    """How many graphs have a cycle or several roots, in words.

    Raises:
        ValueError: None of several is a tree.
    """
    odd = Counter(map(oddity_of, graphs))
    said = [
        f"{(n := odd[what]):,} tree{'s' * (n > 1)} with {what}"
        for what in ("a cycle", "several roots")
        if odd[what]
    ]
    if len(graphs) > 1 and not odd[""]:
        raise TextError(f"{where}: heads, got {' and '.join(said)}; expected trees")
    return said


def oddity_of(heads: Sequence[int | None]) -> str:
    """What a graph has that a tree has not: `a cycle`, `several roots`, or ""."""
    for start in range(len(heads)):
        place, n_steps = start, 0
        while n_steps <= len(heads) and (head := heads[place]) and head <= len(heads):
            place, n_steps = head - 1, n_steps + 1
        if n_steps > len(heads):
            return "a cycle"
    return "several roots" if sum(head == 0 for head in heads) > 1 else ""


def with_scheme(trees: list[Any]) -> tuple[list[Any], str]:
    """Trees, None where one is missing, and their scheme: "ud", or another with its small letters.

    TIGER's own labels are in capitals; parsers that were trained on it have them in small letters.
    """
    if not all(isinstance(tree, dict | None) for tree in trees):
        return trees, "ud"  # the metric says what is wrong with them
    labels = {str(one) for tree in trees if tree for one in tree.get("deprels") or ()}
    if (scheme := scheme_of(label.lower() for label in labels)) == "ud":
        return trees, scheme
    lowered = [
        tree and {**tree, "deprels": [str(one).lower() for one in tree.get("deprels") or ()]}
        for tree in trees
    ]
    return lowered, scheme
