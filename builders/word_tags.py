"""Segmented text with tags: behind words, of characters in words, and in a column of their own."""

import re
from collections.abc import Iterable, Sequence

TAGGED_SHARE = 0.9  # of the words that have a tag in a tagged text
BMES = frozenset("BMEISO")


def tag_of(words: Sequence[str], patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str] | None:
    """The first pattern of the tags that nearly all words have; None for words without tags."""
    for pattern in patterns:
        if words and sum(map(bool, map(pattern.search, words))) >= TAGGED_SHARE * len(words):
            return pattern
    return None


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
