"""Labels, attributes and decoders of the segmentation CRFs.

A word goes in as `[word]`. Labels are single letters: START, `B`, `M`, `E` (beginning, middle and
end of a morpheme), `S` (one of one character), END: paper + s is "[BMMMES]". The two decoders agree
on well-formed labels, which a 0-CRF often does not give.

Source: Liu & Prud'hommeaux (TACL 2022), section 5. The index attribute is in the authors' program,
not in the paper.
"""

import itertools
from collections.abc import Callable, Sequence

from builders.morphseg.sources import bmes

START, END = "[", "]"
LABELS = "[BMES]"
LONGEST_SUBSTRING = 4

Decoder = Callable[[str, str], list[str]]


def segmentation_labels(morphemes: Sequence[str]) -> str:
    """Labels of a segmented word and its boundaries; a ValueError for an empty morpheme, or none.

    Example:
        >>> segmentation_labels(["paper", "s"])
        '[BMMMES]'
    """
    if not morphemes or not all(morphemes):
        raise ValueError(
            f"segmentation_labels: morphemes, got {list(morphemes)}; expected at least one,"
            " none of them empty"
        )
    return START + bmes(morphemes) + END


def substring_attributes(word: str) -> list[list[str]]:
    """Attributes of every position of `[word]`: substrings to the right and left, and the index.

    Those to the right include the character itself.

    Example:
        >>> substring_attributes("go")[1]
        ['Rg', 'Rgo', 'Rgo]', 'L[', 'P1']
    """
    text = START + word + END
    n = len(text)
    return [
        [
            *("R" + text[i:end] for end in range(i + 1, min(i + LONGEST_SUBSTRING, n) + 1)),
            *("L" + text[begin:i] for begin in range(i - 1, max(i - LONGEST_SUBSTRING, 0) - 1, -1)),
            f"P{i}",
        ]
        for i in range(n)
    ]


def decode_ends(word: str, labels: str) -> list[str]:
    """Cuts a word after every E and S of its labels, which have boundaries; no letter is lost."""
    cuts = [i for i in range(1, len(word)) if labels[i] in "ES"]
    return [word[start:end] for start, end in itertools.pairwise([0, *cuts, len(word)])]


def decode_as_published(word: str, labels: str) -> list[str]:
    """Cuts a word as the published study did: `decode_ends` where labels are well formed.

    The labels are split at each E, the first empty piece is dropped, and a piece with other labels
    beside S is split again at each S. The pieces' lengths are then cut off the word one after the
    other. A piece is taken to end in an E or S whether it did or not, so on ill-formed sequences
    cuts move to the right, the last morphemes can be empty, and letters at the end can be lost.

    Example:
        >>> decode_as_published("papers", "[BMSBMS]")
        ['pap', 'ers', '']

    Source: the behaviour of the authors' program as described in its public repository; no code of
        it is used.
    """
    pieces = labels[1:-1].split("E")
    if "" in pieces:
        pieces.remove("")
    lengths = [length for piece in pieces for length in _published_lengths(piece)]
    morphemes, start = [], 0
    for length in lengths:
        morphemes.append(word[start : start + length])
        start += length
    return morphemes


def _published_lengths(piece: str) -> list[int]:
    if piece and not piece.strip("S"):
        return [1] * len(piece)
    return [len(part) + 1 for part in piece.split("S")]
