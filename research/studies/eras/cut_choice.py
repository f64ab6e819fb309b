"""What decides between the two words of an ambiguous string: frequency, place, or the sentence.

    chosen left = base + frequency x (log10 of how much more frequent the left word is)
                       + context x (whether the left word is the true one, +1/2 or -1/2)

over the sentences in which a segmenter commits itself. A segmenter that reads nothing but its
dictionary has a context of 0, one that is never misled 1; base is 1/2 without a preference for a
side. Frequencies are those of jieba's dictionary for all systems, 0 counted as 1.

Linear probabilities with errors that allow for clusters (`fit_clustered`); shares of the variance
are Shapley values over the groups of columns.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from builders.eras.dictionary import read_dictionary, zipf_frequency
from builders.eras.natural_rows import Vocabulary, word_class
from metrics._shared.columns import FloatArray
from metrics._shared.uncertainty import student_quantile
from research.studies.eras.site_outcomes import SiteOutcomes
from research.studies.morphseg.clustered_regression import ClusteredRows, fit_clustered

BASE = ("base", "frequency", "context")


def zipf_or_least(word: str, script: str) -> float:
    """Zipf frequency of a word by jieba's dictionary; as if seen once where it is not there."""
    simplified = Vocabulary({}, {}, 1, script).simplified(word)
    found = zipf_frequency(simplified)
    return math.log10(1e9 / sum(read_dictionary().values())) if math.isnan(found) else found


def row_features(table: pa.Table, script: str) -> dict[str, FloatArray]:
    """What is known of each row before it is cut, arrays of shape (n,).

    Returns:
        `advantage`, log10 of how much more frequent the true word is than the canary word;
        `true_zipf`, `canary_zipf`, the frequency of either, log10 of occurrences per billion words;
        `is_left`, 1 where the true word is the left one; `is_longer`, 1 where the neighbour, the
        word that has the third character of the string, is longer than that; `is_noun`, `is_verb`,
        1 where the true word is one.
    """
    words = [
        (t, c)
        for t, c in zip(*(table[f"{k}_word"].to_pylist() for k in ("true", "canary")), strict=True)
    ]
    known = Vocabulary({}, {}, 1, script)
    zipf = {word: zipf_or_least(word, script) for word in {w for pair in words for w in pair}}
    classes = [word_class(true, known) for true, _ in words]
    return {
        "advantage": np.array([zipf[true] - zipf[canary] for true, canary in words]),
        "true_zipf": np.array([zipf[true] for true, _ in words]),
        "canary_zipf": np.array([zipf[canary] for _, canary in words]),
        "is_left": np.array([side == "left" for side in table["branching"].to_pylist()], float),
        "is_longer": np.array([length > 1 for length in neighbour_lengths(table)], float),
        **{
            f"is_{name}": np.array([one == name for one in classes], float)
            for name in ("noun", "verb")
        },
    }


def neighbour_lengths(table: pa.Table) -> list[int]:
    """Characters of the word beside the true word that has the third character of the string.

    Example:
        >>> row = {"test_words": ["有", "信心", "机动", "的"], "site_start": 1, "branching": "left"}
        >>> neighbour_lengths(pa.Table.from_pylist([row]))
        [2]
    """
    columns = (table[name].to_pylist() for name in ("test_words", "site_start", "branching"))
    found = []
    for words, start, side in zip(*columns, strict=True):
        ends = list(itertools.accumulate(map(len, words)))
        place = ends.index(start + 2) + 1 if side == "left" else ends.index(start + 1)
        found.append(len(words[place]))
    return found


def choice(outcomes: SiteOutcomes, features: Mapping[str, FloatArray]) -> dict[str, float]:
    """The three coefficients of a system, each with `_low` and `_high`; shares of the variance.

    Returns:
        `base`, `frequency`, `context` as the module says; `frequency_share`, `context_share`, parts
        of the variance of what is chosen, the rest being neither.
    """
    commits = outcomes.is_true | outcomes.is_canary
    side = np.where(features["is_left"] > 0, 1.0, -1.0)[commits]
    columns = {
        "base": np.ones(commits.sum()),
        "frequency": features["advantage"][commits] * side,
        "context": side / 2,
    }
    chosen = (outcomes.is_true[commits] == (side > 0)).astype(float)
    found = coefficients(columns, chosen, outcomes.cluster[commits])
    shares = explained({name: columns[name][:, None] for name in BASE[1:]}, chosen)
    return found | {f"{name}_share": value for name, value in shares.items()}


def coefficients(
    columns: Mapping[str, FloatArray], y: FloatArray, cluster: Any
) -> dict[str, float]:
    """Coefficients by column with the ends of their 95 % intervals, `<name>_low`, `<name>_high`.

    They are nan where there are no more rows than columns.
    """
    if len(y) <= len(columns):
        names = [f"{name}{end}" for name in columns for end in ("", "_low", "_high")]
        return dict.fromkeys(names, math.nan)
    order = np.argsort(cluster, kind="stable")
    x = np.column_stack(list(columns.values()))[order]
    fit = fit_clustered(list(columns), [ClusteredRows(x, y[order], cluster[order])])
    reach = student_quantile(0.975, max(1, fit.n_clusters - 1))
    found: dict[str, float] = {}
    for name, one in fit.coefficients.items():
        found[name] = one.value
        found[f"{name}_low"] = one.value - reach * one.error
        found[f"{name}_high"] = one.value + reach * one.error
    return found


def explained(groups: Mapping[str, FloatArray], y: FloatArray) -> dict[str, float]:
    """Share of the variance of y that each group of columns explains: its Shapley value.

    The mean, over all orders in which the groups could come, of what a group adds to R squared.

    Args:
        groups: Columns of shape (n, p) by group; a constant is added.
        y: Shape (n,).
    """
    names = list(groups)
    total = float(((y - y.mean()) ** 2).sum())
    if not total:
        return dict.fromkeys(names, math.nan)
    fits = {
        subset: 1 - _rest([groups[name] for name in subset], y) / total
        for n in range(len(names) + 1)
        for subset in itertools.combinations(names, n)
    }
    weights = [
        math.factorial(n) * math.factorial(len(names) - n - 1) / math.factorial(len(names))
        for n in range(len(names))
    ]
    return {
        name: sum(
            weights[len(subset)] * (fits[_with(names, subset, name)] - value)
            for subset, value in fits.items()
            if name not in subset
        )
        for name in names
    }


def _with(names: Sequence[str], subset: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(one for one in names if one in subset or one == name)


def _rest(columns: Sequence[FloatArray], y: FloatArray) -> float:
    x = np.column_stack([np.ones(len(y)), *columns])
    solution = np.linalg.lstsq(x, y, rcond=None)[0]
    return float(((y - x @ solution) ** 2).sum())
