"""GPER, the garden path error rate: how often a word that is not there misleads a sentiment model.

In: P(positive) for the test, control, occluded test and occluded control sentence of each pair, and
the pair's paradigm.
Out: the occlusion effect, by how much the completed canary word pulls the model from the true word;
the published quantities (overall accuracy, necessity, sufficiency, GPER, control minus test
sentiment), the same error rate in the direction in which no garden path can lead (`gper_reverse`),
their difference (`gper_excess`), tables and intervals.

    w   weights of clusters, shape (r, k): one row per resample; ones give the score itself
    c   number of paradigms that occur

Source: Li & Hao (2025), "ERAS", section 4.1 and Table 2; the authors' code for what the paper
leaves open; the occlusion effect is ours.
"""

from collections.abc import Mapping
from typing import Any

from .inputs import read_pairs
from .occlusion import effect_tables
from .options import Options
from .rates import item_rows, rate_tables

VERSION = "2.1.0"


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of sentence pairs; every field of the result is described in the metric's card.

    Args:
        inputs: `predictions`, n rows of P(positive) for test, control, occluded test, occluded
            control, for test and control only, or with two placebo sentences more; `references`, n
            paradigm ids, or rows of the data set; those without a sentiment are left out.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Scores in [0, 1] (`gper_excess` and `control_minus_test` in [-1, 1]), occlusion effects in
        log-odds, positive where the canary word pulls; nan where undefined.

    Raises:
        ValueError: An input is not what it should be.

    Example:
        Paradigm 1 is positive: only the first pair is wrong.

        >>> rows = [[0.2, 0.6, 0.5, 0.6], [0.7, 0.6, 0.5, 0.5]]
        >>> result = score({"predictions": rows, "references": [1, 1]})
        >>> result["overall_accuracy"], result["necessity"], result["gper"], result["gper_reverse"]
        (0.5, 1.0, 0.5, 0.5)
    """
    options = options or Options()
    references, rules = inputs["references"], (options.scale, options.exclude)
    pairs = read_pairs(inputs["predictions"], references, *rules)
    other = None
    if options.compared_with is not None:
        other = read_pairs(options.compared_with, references, *rules)
    effects, tables = effect_tables(pairs, other, options)
    rates, more = rate_tables(pairs, options)
    for name, rows in more.items():
        tables[name] = [row | added for row, added in zip(tables[name], rows, strict=True)]
    result = effects | rates | tables | options.provenance(VERSION)
    return result | ({"per_item": item_rows(pairs, options)} if options.per_item else {})
