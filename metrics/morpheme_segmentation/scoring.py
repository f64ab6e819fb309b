"""Scores of morphological segmentation: segmentations in, the five published quantities out.

Comparison is in `matching.py`, averages and intervals are in `averages.py`.

Source: Liu & Prud'hommeaux (2022), section 6.1; Batsuren et al. (2022), section 4.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._shared.cluster_tables import open_grouping
from .._shared.columns import IntArray
from .averages import mean_scores, published_percentages, score_intervals
from .inputs import INPUTS, check_words
from .matching import Convention, Segmentation, WordCounts, count_best_matches, word_scores
from .options import Options

VERSION = "1.1.0"


def score(inputs: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Scores of n words under the convention of the options.

    Args:
        inputs: `predictions`, one list of morphemes per word, `references`, one gold or a list of
            golds per word, and perhaps `category`, the class of each word or None.
        options: Convention, intervals, and whether to add `by_word`.

    Returns:
        `accuracy`, `precision`, `recall`, `f1` in [0, 1], higher is better (recall and f1 can
        exceed 1 under "membership"; nan where no word has a boundary under "boundary"), `distance`
        in characters, lower is better, their intervals, counts and options; `by_category` where
        words have one.

    Raises:
        ValueError: A word is no list of non-empty strings, its golds or its prediction are of
            another word or Unicode form, or the columns differ in length.
    """
    columns = INPUTS.read(inputs)
    predicted, golds = columns["predictions"], columns["references"]
    check_words(predicted, golds)
    convention = options.convention
    counts, chosen = count_best_matches(predicted, golds, convention)
    words = ["".join(gold[0]) for gold in golds]
    result: dict[str, Any] = scored(counts, words, convention, options)
    if options.preset == "paper":
        percent = list(published_percentages(counts)._asdict().items())[:4]  # not the distance
        result |= {f"{name}_percent": value for name, value in percent}
    result |= {"n": len(words), "n_clusters": len(set(words))}
    result["n_other_words"] = sum("".join(p) != w for p, w in zip(predicted, words, strict=True))
    result |= {"matching": convention.matching, "average": convention.average}
    result |= {"preset": options.preset, **options.provenance(VERSION)}
    if columns["category"] is not None:
        rows = category_rows(columns["category"], counts, words, convention, options)
        result["by_category"] = rows
    if options.per_item:
        rows = word_rows(words, predicted, golds, counts, chosen, columns["category"])
        result["by_word"] = rows
    return result


def scored(
    counts: WordCounts, words: Sequence[str], convention: Convention, options: Options
) -> dict[str, Any]:
    """The five scores of some words, with the intervals that the options ask for."""
    result: dict[str, Any] = mean_scores(counts, convention)._asdict()
    if options.confidence is not None:
        intervals = score_intervals(counts, words, convention, options.confidence, options.seed)
        for name, interval in intervals.items():
            result |= interval.as_fields(name)
    return result


def category_rows(
    categories: Sequence[str | None],
    counts: WordCounts,
    words: Sequence[str],
    convention: Convention,
    options: Options,
) -> list[dict[str, Any]]:
    """A row per class of words, by name, scored as all words are; words of no class are in none.

    Those of the SIGMORPHON 2022 task are three digits, whether a word is inflected, derived and
    compounded: `110` is *in-accura-cy-s*, `001` *hot-pot*, `000` a root.

    Source: Batsuren et al. (2022), section 3; `--category` of that task's evaluator.
    """
    grouping = open_grouping(categories)
    rows = []
    for name in sorted(grouping.names):
        own = grouping.units[grouping.groups == grouping.names.index(name)]
        own_words = [words[i] for i in own]
        row = {"category": name, "n": len(own), "n_clusters": len(set(own_words))}
        rows.append(row | scored(counts.take(own), own_words, convention, options))
    return rows


def word_rows(
    words: Sequence[str],
    predicted: Sequence[Segmentation],
    golds: Sequence[Sequence[Segmentation]],
    counts: WordCounts,
    chosen: IntArray,
    categories: Sequence[str | None] | None = None,
) -> list[dict[str, Any]]:
    """One flat row per word: prediction, the gold that counted, counts, scores, class if any."""
    numbers: dict[str, Any] = {**counts._asdict(), **word_scores(counts)._asdict()}
    numbers = {name: np.asarray(column).tolist() for name, column in numbers.items()}
    if categories is not None:
        numbers["category"] = categories
    rows = []
    for i, (word, number) in enumerate(zip(words, chosen.tolist(), strict=True)):
        row = {"word": word, "prediction": list(predicted[i]), "gold": list(golds[i][number])}
        row["gold_number"] = number
        rows.append(row | {name: column[i] for name, column in numbers.items()})
    return rows
