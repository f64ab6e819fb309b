"""From segmented sentences to counts of outcomes at the test site.

In: the words of the test and of the control sentence of each pair, and where the pair's site
starts.
Out: for every paradigm, how often each pattern of boundaries in the test meets each pattern in the
control sentence.

Source: Li & Hao (2025), sections 2.1 and 3.1.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..columns import BoolArray, FloatArray, IntArray
from ..paradigms import EVERY_PARADIGM, SITE_LENGTH, check_distinct, check_one_script
from .inputs import INPUTS, METRIC
from .patterns import N_PATTERNS

WHERE = METRIC


class Sites(NamedTuple):
    """The n pairs as arrays of shape (n,), with patterns as in `patterns.py`.

    `is_canary_in_lexicon` is None without a lexicon.
    """

    paradigm_ids: IntArray
    test_patterns: IntArray
    control_patterns: IntArray
    is_canary_in_lexicon: BoolArray | None

    def select(self, is_selected: BoolArray) -> "Sites":
        """Some of the pairs."""
        return Sites(*(None if column is None else column[is_selected] for column in self))  # type: ignore[arg-type]


def join_sites(parts: Sequence[Sites]) -> Sites:
    """The pairs of several reads, one after the other."""
    columns = zip(*parts, strict=True)
    joined = (None if column[0] is None else np.concatenate(column) for column in columns)
    return Sites(*joined)  # type: ignore[arg-type]


class SiteCounts(NamedTuple):
    """Counts for the c paradigms that occur.

    Their ids, shape (c,), and their pairs by test and control pattern, shape (c, 16, 16).
    """

    paradigm_ids: IntArray
    table: FloatArray

    def select(self, is_selected: BoolArray) -> "SiteCounts":
        """Counts of some of the paradigms; `is_selected` has shape (c,)."""
        return SiteCounts(self.paradigm_ids[is_selected], self.table[is_selected])


def read_sites(predictions: Any, references: Any, lexicon: Collection[str] | None = None) -> Sites:
    """Reads and checks the inputs, and where words end at each site.

    Args:
        predictions: n pairs [words of the test sentence, words of the control sentence].
        references: n rows with `paradigm_id`, `site_start`, `test` and `control`.
        lexicon: The words a segmenter knows, to tell whether it knows the canary word; None if that
            is not asked.

    Returns:
        The n pairs.

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
    check_one_script(f"{WHERE}: references", paradigm_ids.tolist(), tests, starts)
    check_distinct(f"{WHERE}: references", rows.get("id"), tests)
    test_words, control_words = zip(*pairs, strict=True)
    return Sites(
        paradigm_ids,
        np.array(_read_patterns("test", test_words, tests, starts)),
        np.array(_read_patterns("control", control_words, controls, starts)),
        None
        if lexicon is None
        else _look_up_canaries(paradigm_ids.tolist(), starts, tests, lexicon),
    )


def count_patterns(sites: Sites) -> SiteCounts:
    """Counts the pairs per paradigm, test pattern and control pattern in one joint histogram."""
    cells = (
        sites.paradigm_ids * N_PATTERNS + sites.test_patterns
    ) * N_PATTERNS + sites.control_patterns
    size = (len(EVERY_PARADIGM) + 1) * N_PATTERNS**2
    table = (
        np.bincount(cells, minlength=size).reshape(-1, N_PATTERNS, N_PATTERNS).astype(np.float64)
    )
    present = np.flatnonzero(table.any(axis=(1, 2)))
    return SiteCounts(present, table[present])


def boundary_pattern(words: Sequence[str], site_start: int) -> int:
    """Pattern of word ends at the site.

    Args:
        words: The words of one sentence.
        site_start: Position of x1 in it.

    Returns:
        A number from 0 to 15; bit k is set where a word ends (or the sentence starts) right before
        position site_start + k.

    Example:
        >>> boundary_pattern(["学生", "留心", "机", "处理"], 2)  # B0, B2 and B3
        13
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
    patterns = []
    for i, (words, sentence, start) in enumerate(
        zip(segmentations, sentences, starts, strict=True)
    ):
        where = f"{WHERE}: predictions[{i}], {side}"
        joined = "".join(words)
        if joined != sentence:
            raise ValueError(
                f"{where}: got words that concatenate to {joined!r}; expected {sentence!r}"
            )
        patterns.append(boundary_pattern(words, start))
    return patterns


def _check_sites(
    paradigm_ids: list[int], starts: list[int], tests: list[str], controls: list[str]
) -> None:
    same_from = [0, *(SITE_LENGTH + (not paradigm.is_exact_pair) for paradigm in EVERY_PARADIGM)]
    for i, (paradigm_id, start, test, control) in enumerate(
        zip(paradigm_ids, starts, tests, controls, strict=True)
    ):
        if not 0 <= start <= len(test) - SITE_LENGTH:
            raise ValueError(
                f"{WHERE}: references[{i}]: site_start, got {start}; "
                f"expected a site of 3 characters within {test!r}"
            )
        after = start + same_from[paradigm_id]
        if (
            test == control
            or len(test) != len(control)
            or test[:start] != control[:start]
            or test[after:] != control[after:]
        ):
            raise ValueError(
                f"{WHERE}: references[{i}]: got test {test!r} and control {control!r} "
                f"with site_start {start}; "
                "expected sentences that differ in the 3 characters from there"
            )


def _look_up_canaries(
    paradigm_ids: list[int], starts: list[int], tests: list[str], lexicon: Collection[str]
) -> BoolArray:
    offsets = [
        0,
        *(1 if paradigm.branching == "left" else 0 for paradigm in EVERY_PARADIGM),
    ]  # the canary is x2x3 or x1x2
    begins = [
        start + offsets[paradigm_id]
        for paradigm_id, start in zip(paradigm_ids, starts, strict=True)
    ]
    return np.array(
        [test[begin : begin + 2] in lexicon for test, begin in zip(tests, begins, strict=True)]
    )
