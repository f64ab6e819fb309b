"""Garden path accuracy: does a segmenter cut the sentence at the word that is there?

The other word, the canary word, only seems to be there.

In: segmented test and control sentences. Out: the published accuracies (a mean over paradigms), and
rates that say what accuracy hides.

The rule of accuracy counts one thing only: a sentence is wrong where the site is cut as the canary
word wants it and not as the true word wants it. The rates look at the same three characters:

    canary word     a word of the segmentation is the canary word
    true word       a word of the segmentation is the true word
    both, neither   a cut at both inner places of the site, or at none; accuracy counts these as
    right
    crossing        a word crosses the true word: it holds one of its two characters and something
        outside it

so that, sentence by sentence, true word implies not crossing, and not crossing implies right.

Source: Li & Hao (2025), "ERAS", section 3.1 and Table 1; crossing as in Black et al. (1991) for
brackets.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..columns import BoolArray, FloatArray, IntArray
from ..paradigms import N_PARADIGMS, PARADIGMS, cluster_index
from ..uncertainty import Interval, cluster_interval, wilson_interval
from .options import Options
from .sites import N_PATTERNS, WHERE, SiteCounts, Sites, count_patterns, read_sites

VERSION = "1.0.0"
BRANCHINGS = ("left", "right")


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of segmented pairs; every field of the result is described in the metric's card.

    Args:
        inputs: `predictions`, n pairs [words of the test sentence, words of the control sentence],
            and `references`, n rows with `paradigm_id`, `site_start`, `test` and `control`; further
            fields are ignored.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Scores in [0, 1], differences in [-1, 1]; nan where undefined.

    Raises:
        ValueError: An input is not what it should be; or mode="paper" and a paradigm does not
            occur.
    """
    options = options or Options()
    sites = _exclude(
        read_sites(inputs["predictions"], inputs["references"], options.lexicon), options.exclude
    )
    counts = count_patterns(sites)
    if options.mode == "paper" and len(counts.paradigm_ids) < N_PARADIGMS:
        missing = sorted(set(range(1, N_PARADIGMS + 1)) - set(counts.paradigm_ids.tolist()))
        raise ValueError(
            f"{WHERE}: references: got no pair of paradigms {missing} with mode='paper'; "
            f"expected all {N_PARADIGMS}"
        )
    result = score_counts(counts, options)
    result["by_paradigm"] = _paradigm_rows(counts)
    result["by_branching"] = _branching_rows(counts, options)
    if sites.is_canary_in_lexicon is not None:
        result["by_is_canary_in_lexicon"] = _lexicon_rows(
            sites, sites.is_canary_in_lexicon, options
        )
    result |= {"version": VERSION, "options": options.quoted()}
    return result | ({"per_item": _item_rows(sites)} if options.per_item else {})


def score_counts(counts: SiteCounts, options: Options) -> dict[str, Any]:
    """Scores of a set of paradigms: every rate is a mean over paradigms with equal weight.

    Args:
        counts: Counts of c paradigms.
        options: The level and the clusters of the intervals.

    Returns:
        `n`, `n_clusters`, each score and, where a level is set, its `<score>_low`, `<score>_high`,
        `<score>_interval`.
    """
    clusters = cluster_index(counts.paradigm_ids, options.cluster)
    n_clusters = int(clusters.max()) + 1
    rates = paradigm_rates(counts)
    scores = {name: float(values.mean()) for name, values in rates.items()}
    result: dict[str, Any] = {"n": int(counts.table.sum()), "n_clusters": n_clusters} | scores
    if options.confidence is None:
        return result
    for name, value in scores.items():
        if name != "difference":
            result |= wilson_interval(
                min(value * n_clusters, n_clusters), n_clusters, options.confidence
            ).as_fields(name)
    return result | _difference_interval(
        rates["difference"], clusters, options.confidence, options
    ).as_fields("difference")


def paradigm_rates(counts: SiteCounts) -> dict[str, FloatArray]:
    """Every rate of each paradigm.

    Args:
        counts: Counts of c paradigms.

    Returns:
        Arrays of shape (c,) in [0, 1]: `test_accuracy`, `control_accuracy` (paradigm accuracies),
        their `difference` control minus test in [-1, 1], `garden_path_rate` (test wrong and control
        right), and for the test sentence, and under `control_` for the control, `canary_rate`,
        `true_word_rate`, `both_rate`, `neither_rate`, `crossing_rate`.

    Source: Li & Hao (2025), section 3.1; the rates beside the accuracies are ours.
    """
    branching = [BRANCHINGS.index(PARADIGMS[i - 1].branching) for i in counts.paradigm_ids]
    n = counts.table.sum(axis=(1, 2))
    test, control = counts.table.sum(axis=2) / n[:, None], counts.table.sum(axis=1) / n[:, None]
    share = {name: flags[branching].astype(float) for name, flags in PATTERN_FLAGS.items()}
    is_right, is_wrong = 1 - share["wrong"], share["wrong"]
    rates = {
        "test_accuracy": (test * is_right).sum(axis=1),
        "control_accuracy": (control * is_right).sum(axis=1),
    }
    rates["difference"] = rates["control_accuracy"] - rates["test_accuracy"]
    rates["garden_path_rate"] = np.einsum("cij,ci,cj->c", counts.table, is_wrong, is_right) / n
    for prefix, patterns in (("", test), ("control_", control)):
        rates |= {
            f"{prefix}{name}_rate": (patterns * flags).sum(axis=1)
            for name, flags in share.items()
            if name != "wrong"
        }
    return rates


def describe_pattern(pattern: int, branching: str) -> dict[str, bool]:
    """What the word ends at a site mean.

    Args:
        pattern: Bits 0 to 3: a word ends before x1, before x2, before x3, after x3.
        branching: "left": x1x2 is the true and x2x3 the canary word; "right": the reverse.

    Returns:
        `wrong`, `canary`, `true_word`, `both`, `neither`, `crossing`.

    Example:
        Left-branching, cut before x1, before x2 and after x3: the canary word is a word, which the
        paper counts as wrong.

        >>> [name for name, holds in describe_pattern(0b1011, "left").items() if holds]
        ['wrong', 'canary', 'crossing']
    """
    b0, b1, b2, b3 = (bool(pattern >> k & 1) for k in range(4))
    is_first_word, is_last_word = b0 and not b1 and b2, b1 and not b2 and b3  # x1x2, x2x3
    if branching == "left":
        wrong, canary, true_word, crossing = (
            b1 and not b2,
            is_last_word,
            is_first_word,
            b1 and not (b0 and b2),
        )
    else:
        wrong, canary, true_word, crossing = (
            b2 and not b1,
            is_first_word,
            is_last_word,
            b2 and not (b1 and b3),
        )
    names = ("wrong", "canary", "true_word", "both", "neither", "crossing")
    return dict(
        zip(names, (wrong, canary, true_word, b1 and b2, not b1 and not b2, crossing), strict=True)
    )


def _pattern_flags() -> dict[str, BoolArray]:
    tables = [
        [describe_pattern(pattern, branching) for pattern in range(N_PATTERNS)]
        for branching in BRANCHINGS
    ]
    return {
        name: np.array([[row[name] for row in table] for table in tables]) for name in tables[0][0]
    }


PATTERN_FLAGS = _pattern_flags()  # each of shape (2, 16): branching, pattern


def _difference_interval(
    differences: FloatArray, clusters: IntArray, confidence: float, options: Options
) -> Interval:
    sums, sizes = np.bincount(clusters, weights=differences), np.bincount(clusters).astype(float)

    def mean_difference(weights: FloatArray) -> FloatArray:
        mean: FloatArray = (weights @ sums) / (weights @ sizes)
        return mean

    return cluster_interval(
        mean_difference,
        len(sizes),
        confidence=confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )


def _exclude(sites: Sites, exclude: tuple[int, ...]) -> Sites:
    if not exclude:
        return sites
    is_kept = ~np.isin(sites.paradigm_ids, exclude)
    if not is_kept.any():
        raise ValueError(
            f"{WHERE}: exclude, got {list(exclude)}, which leaves no pair; expected at least one paradigm to remain"
        )
    return sites.select(is_kept)


def _paradigm_rows(counts: SiteCounts) -> list[dict[str, Any]]:
    rates, n = paradigm_rates(counts), counts.table.sum(axis=(1, 2))
    rows = []
    for i, paradigm_id in enumerate(counts.paradigm_ids.tolist()):
        row = {
            "paradigm_id": paradigm_id,
            "branching": PARADIGMS[paradigm_id - 1].branching,
            "n": int(n[i]),
        }
        rows.append(row | {name: float(values[i]) for name, values in rates.items()})
    return rows


def _branching_rows(counts: SiteCounts, options: Options) -> list[dict[str, Any]]:
    labels = np.array([PARADIGMS[i - 1].branching for i in counts.paradigm_ids])
    groups = {
        branching: counts.select(labels == branching)
        for branching in BRANCHINGS
        if (labels == branching).any()
    }
    return [
        {"branching": branching} | score_counts(group, options)
        for branching, group in groups.items()
    ]


def _lexicon_rows(sites: Sites, is_known: BoolArray, options: Options) -> list[dict[str, Any]]:
    groups = {
        value: sites.select(is_known == value)
        for value in (True, False)
        if (is_known == value).any()
    }
    return [
        {"is_canary_in_lexicon": value} | score_counts(count_patterns(group), options)
        for value, group in groups.items()
    ]


def _item_rows(sites: Sites) -> list[dict[str, Any]]:
    rows = []
    for paradigm_id, test, control in zip(*(column.tolist() for column in sites[:3]), strict=True):
        branching = PARADIGMS[paradigm_id - 1].branching
        flags, control_flags = (
            describe_pattern(test, branching),
            describe_pattern(control, branching),
        )
        row = {
            "paradigm_id": paradigm_id,
            "is_test_correct": not flags["wrong"],
            "is_control_correct": not control_flags["wrong"],
        }
        row["is_garden_path"] = flags["wrong"] and not control_flags["wrong"]
        rows.append(row | {f"is_{name}": holds for name, holds in flags.items() if name != "wrong"})
    return rows
