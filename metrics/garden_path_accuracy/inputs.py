"""What garden path accuracy takes, and what the word ends at a test site mean.

    x1 x2 x3    the site, three characters
    B0 .. B3    the four places before, between and after them; a pattern is a number from 0 to 15
                whose bit k says that a word ends at Bk

The rule of the published accuracy counts one thing only: a sentence is wrong where the site is cut
as the canary word wants it and not as the true word wants it. The others look closer:

    canary          a word of the segmentation is the canary word
    true_word       a word of the segmentation is the true word
    both, neither   a cut at both inner places of the site, or at none; the published accuracy
                    counts these as right
    crossing        a word crosses the true word: it holds one of its two characters and something
                    outside it

so that, sentence by sentence, true word implies not crossing, and not crossing implies right.

Source: Li & Hao (2025), "ERAS", sections 2.1 and 3.1; crossing as in Black et al. (1991) for
brackets.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import BoolArray, FloatArray, IntArray, Values
from .._shared.module import Inputs, Rows
from .._shared.paradigms import (
    EVERY_PARADIGM,
    LAST_ID,
    SITE_LENGTH,
    check_distinct,
    check_one_script,
)

METRIC = "garden_path_accuracy"
INPUTS = Inputs(
    METRIC,
    {
        "predictions": Values(
            "text", "the words of the test and of the control sentence", depth=2, widths=(2,)
        ),
        "references": Rows(
            {
                "paradigm_id": Values("whole", "paradigm of the pair", low=1, high=LAST_ID),
                "site_start": Values("whole", "where the site starts", low=0),
                "test": Values("text", "the test sentence"),
                "control": Values("text", "the control sentence"),
                "id": Values("name", "id of the pair", is_optional=True),
            }
        ),
    },
)

N_PATTERNS = 16
BRANCHINGS = ("left", "right")
OUTCOMES = ("wrong", "canary", "true_word", "both", "neither", "crossing")


def describe_pattern(pattern: int, branching: str) -> dict[str, bool]:
    """What the word ends at a site mean: `OUTCOMES`; "left": x1x2 is the true word."""
    b0, b1, b2, b3 = (bool(pattern >> k & 1) for k in range(4))
    first, last = b0 and not b1 and b2, b1 and not b2 and b3  # x1x2 is a word, x2x3 is one
    if branching == "left":
        held = (b1 and not b2, last, first, b1 and not (b0 and b2))
    else:
        held = (b2 and not b1, first, last, b2 and not (b1 and b3))
    wrong, canary, true_word, crossing = held
    values = (wrong, canary, true_word, b1 and b2, not b1 and not b2, crossing)
    return dict(zip(OUTCOMES, values, strict=True))


PATTERN_FLAGS: dict[str, BoolArray] = {
    name: np.array(
        [[describe_pattern(k, side)[name] for k in range(N_PATTERNS)] for side in BRANCHINGS]
    )
    for name in OUTCOMES
}
"""Every outcome as an array of shape (2, 16): branching, pattern."""
_PLACES = np.array([0, *(BRANCHINGS.index(one.branching) for one in EVERY_PARADIGM)])
_TWO_READINGS: BoolArray = np.array([False, *(one.has_two_readings for one in EVERY_PARADIGM)])


def branching_places(paradigm_ids: IntArray) -> IntArray:
    """Place of each paradigm's branching in `BRANCHINGS`, same shape."""
    return _PLACES[paradigm_ids]


class Sites(NamedTuple):
    """The n pairs as arrays of shape (n,), with patterns as above; None is not asked for."""

    paradigm_ids: IntArray
    test_patterns: IntArray
    control_patterns: IntArray
    is_canary_in_lexicon: BoolArray | None

    def select(self, is_selected: BoolArray) -> "Sites":
        """Some of the pairs."""
        return Sites(*(None if column is None else column[is_selected] for column in self))  # type: ignore[arg-type]


class SiteCounts(NamedTuple):
    """Counts for the c paradigms that occur: by test and control pattern, shape (c, 16, 16)."""

    paradigm_ids: IntArray
    table: FloatArray

    def select(self, is_selected: BoolArray) -> "SiteCounts":
        """Counts of some of the paradigms; `is_selected` has shape (c,)."""
        return SiteCounts(self.paradigm_ids[is_selected], self.table[is_selected])


def read_sites(predictions: Any, references: Any, lexicon: Collection[str] | None = None) -> Sites:
    """Reads and checks n pairs, see `INPUTS`, and where words end at each site.

    With a lexicon, the words a segmenter knows, also whether it knows the canary word.

    Raises:
        ValueError: Numbers of pairs differ, an id or a site is impossible or occurs twice, both
            scripts are pooled, words are no strings or do not concatenate to the sentence, or
            nothing is given.
    """
    found = INPUTS.read({"predictions": predictions, "references": references})
    pairs, rows = found["predictions"], found["references"]
    paradigm_ids, starts = rows["paradigm_id"], rows["site_start"].tolist()
    tests, controls = rows["test"], rows["control"]
    _check_sites(paradigm_ids.tolist(), starts, tests, controls)
    check_one_script(f"{METRIC}: references", paradigm_ids.tolist(), tests, starts)
    check_distinct(f"{METRIC}: references", rows.get("id"), tests)
    turned, is_known = are_turned(paradigm_ids), None
    if lexicon is not None:
        begins = (np.array(starts) + 1 - branching_places(paradigm_ids)).tolist()  # x2x3 or x1x2
        is_known = np.array([t[i : i + 2] in lexicon for t, i in zip(tests, begins, strict=True)])
    # zip(*pairs) would hold an iterator for each pair, and so set off a collection of all words
    test_words, control_words = ([pair[side] for pair in pairs] for side in (0, 1))
    return Sites(
        paradigm_ids,
        np.array(_read_patterns("test", test_words, tests, starts)),
        mirrored(np.array(_read_patterns("control", control_words, controls, starts)), turned),
        is_known,
    )


def are_turned(paradigm_ids: IntArray) -> BoolArray:
    """Which paradigms have two readings: the control has the test's site, cut the other way."""
    return _TWO_READINGS[paradigm_ids]


def mirrored(patterns: IntArray, is_turned: BoolArray) -> IntArray:
    """Patterns, shape (n,), read from right to left where the control is turned: `are_turned`."""
    turned = sum(((patterns >> k) & 1) << (SITE_LENGTH - k) for k in range(SITE_LENGTH + 1))
    return np.where(is_turned, turned, patterns)


def count_patterns(sites: Sites) -> SiteCounts:
    """Counts the pairs per paradigm, test pattern and control pattern in one joint histogram."""
    shape = (len(EVERY_PARADIGM) + 1, N_PATTERNS, N_PATTERNS)
    cells = np.ravel_multi_index(sites[:3], shape)
    table = np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    present = np.flatnonzero(table.any(axis=(1, 2)))
    return SiteCounts(present, table[present])


def boundary_pattern(words: Sequence[str], site_start: int) -> int:
    """Pattern of word ends at the site whose x1 is at site_start, a number from 0 to 15.

    Bit k is set where a word ends (or the sentence starts) right before position site_start + k.
    """
    pattern, end = 1 if site_start == 0 else 0, -site_start
    for word in words:
        end += len(word)
        if end >= 0:
            if end <= SITE_LENGTH:
                pattern |= 1 << end
            if end >= SITE_LENGTH:
                break
    return pattern


def _read_patterns(
    side: str, segmentations: Sequence[Sequence[str]], sentences: list[str], starts: list[int]
) -> list[int]:
    patterns: list[int] = []
    for words, sentence, start in zip(segmentations, sentences, starts, strict=True):
        if "".join(words) != sentence:
            got = f"words that concatenate to {''.join(words)!r}; expected {sentence!r}"
            raise ValueError(f"{METRIC}: predictions[{len(patterns)}], {side}: got {got}")
        patterns.append(boundary_pattern(words, start))
    return patterns


def _check_sites(
    paradigm_ids: list[int], starts: list[int], tests: list[str], controls: list[str]
) -> None:
    same_from = [0, *(SITE_LENGTH + (not paradigm.is_exact_pair) for paradigm in EVERY_PARADIGM)]
    rows = zip(paradigm_ids, starts, tests, controls, strict=True)
    for i, (paradigm_id, start, test, control) in enumerate(rows):
        where = f"{METRIC}: references[{i}]"
        if not 0 <= start <= len(test) - SITE_LENGTH:
            expected = f"a site of 3 characters within {test!r}"
            raise ValueError(f"{where}: site_start, got {start}; expected {expected}")
        end, after = start + SITE_LENGTH, start + same_from[paradigm_id]
        if EVERY_PARADIGM[paradigm_id - 1].has_two_readings:
            is_pair = test[start:end] == control[start:end]
            expected = "two sentences with the same 3 characters from there"
        else:
            around, other = ((len(text), text[:start], text[after:]) for text in (test, control))
            is_pair = around == other
            expected = "sentences that differ in the 3 characters from there"
        if test == control or not is_pair:
            got = f"test {test!r} and control {control!r} with site_start {start}"
            raise ValueError(f"{where}: got {got}; expected {expected}")
