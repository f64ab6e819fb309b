"""What a segmenter does at the ambiguous string of a sentence: of pairs and of natural places.

The outcomes are `garden_path_accuracy`'s own: the true word comes out, the canary word comes out,
or neither. Where there is a control sentence, its word is looked at too.

    site_accuracy   the true word comes out, both its boundaries and none inside
    resolution      the true word, of the sentences where it or the canary word comes out
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from builders.views import components
from metrics._shared.columns import BoolArray, FloatArray, IntArray
from metrics._shared.stratified import stratified_interval
from metrics._shared.uncertainty import score_ends, student_quantile
from metrics.garden_path_accuracy.inputs import BRANCHINGS, PATTERN_FLAGS, boundary_pattern

SCORES = ("site_accuracy", "resolution", "commitment")


class SiteOutcomes(NamedTuple):
    """What came out of n rows, arrays of shape (n,); `is_pair` is None without controls.

    `cluster` says what was sampled together, as 0, 1, ...
    """

    is_true: BoolArray
    is_canary: BoolArray
    is_pair: BoolArray | None
    cluster: IntArray

    def select(self, is_kept: BoolArray) -> "SiteOutcomes":
        """Some of the rows, their clusters numbered as before."""
        is_pair = None if self.is_pair is None else self.is_pair[is_kept]
        of_word = self.is_true[is_kept], self.is_canary[is_kept]
        return SiteOutcomes(*of_word, is_pair, self.cluster[is_kept])


def read_outcomes(
    table: pa.Table, tests: Sequence[Sequence[str]], controls: Sequence[Sequence[str]] = ()
) -> SiteOutcomes:
    """Outcomes of rows of pairs or of `natural`, by words of tests and of controls if any."""
    starts = table["site_start"].to_pylist()
    sides = np.array([BRANCHINGS.index(side) for side in table["branching"].to_pylist()])
    patterns = _patterns(tests, starts)
    is_true = PATTERN_FLAGS["true_word"][sides, patterns]
    is_pair = None
    if len(controls):
        is_pair = is_true & PATTERN_FLAGS["true_word"][sides, _patterns(controls, starts)]
    return SiteOutcomes(is_true, PATTERN_FLAGS["canary"][sides, patterns], is_pair, clusters(table))


def clusters(table: pa.Table) -> IntArray:
    """Cluster of each row: its string in a text, or the paradigms that share a word with its own.

    Example:
        >>> clusters(pa.table({"true_word": ["心机", "留心", "医治"],
        ...                    "canary_word": ["留心", "信心", "同意"]})).tolist()
        [0, 0, 1]
    """
    if "corpus" in table.column_names:
        labels = table["test_site"].to_pylist()
    else:
        words = [table[f"{kind}_word"].to_pylist() for kind in ("true", "canary")]
        family = components(sorted(set(zip(*words, strict=True))))
        labels = [family[true] for true in words[0]]
    numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}  # alike in both scripts
    return np.array([numbers[label] for label in labels], np.int64)


def parts_of(outcomes: SiteOutcomes, score: str) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator of one of `SCORES` or `pair_accuracy`, row by row."""
    commits = (outcomes.is_true | outcomes.is_canary).astype(float)
    one = np.ones(len(commits))
    true = outcomes.is_true.astype(float)
    if score == "pair_accuracy":
        if outcomes.is_pair is None:
            raise ValueError("pair_accuracy, got rows without controls; expected pairs")
        return outcomes.is_pair.astype(float), one
    return {"site_accuracy": (true, one), "resolution": (true, commits)}.get(score, (commits, one))


def site_scores(outcomes: SiteOutcomes) -> dict[str, Any]:
    """Every score of the rows with its interval over clusters; nan where it is undefined.

    A bootstrap on the logit scale, which holds near 0 and 1 too. `<score>_wilson` is half of
    Wilson's interval: where a handful of clusters differ the bootstrap is much wider.
    """
    names = (*(("pair_accuracy",) if outcomes.is_pair is not None else ()), *SCORES)
    found: dict[str, Any] = {"n": len(outcomes.is_true)}
    for name in names:
        top, bottom = (
            np.bincount(outcomes.cluster, weights=values).astype(float)
            for values in parts_of(outcomes, name)
        )
        rows = np.bincount(outcomes.cluster, minlength=len(top)) > 0
        total = bottom[rows].sum()
        found[name] = float(top.sum() / total) if total else float("nan")
        one_stratum = np.zeros(rows.sum(), int)
        found |= stratified_interval(top[rows], bottom[rows], one_stratum).as_fields(name)
        found[f"{name}_wilson"] = wilson_half_width(top[rows], bottom[rows])
        found["n_clusters"] = int(rows.sum())
    return found


def wilson_half_width(top: FloatArray, bottom: FloatArray) -> float:
    """Half of Wilson's 95 % interval of a ratio of sums, for as many trials as clusters are worth.

    Numerators and denominators by cluster have the shape (c,); nan where all clusters are alike or
    there are fewer than two. Source: Korn & Graubard (1998).
    """
    n, total = len(top), bottom.sum()
    if n < 2 or not total:
        return math.nan
    share = float(top.sum() / total)
    error = math.sqrt(n / (n - 1) * ((top - share * bottom) ** 2).sum()) / total
    if not (error > 0 and 0 < share < 1):
        return math.nan
    low, high = score_ends(share, error, student_quantile(0.975, n - 1))
    return (high - low) / 2


def _patterns(sentences: Sequence[Sequence[str]], starts: Sequence[int]) -> IntArray:
    return np.array(
        [boundary_pattern(words, start) for words, start in zip(sentences, starts, strict=True)]
    )
