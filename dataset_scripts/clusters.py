"""What a result says of each cluster, so that two systems can be compared pair by pair.

Where a headline is a mean over items or paradigms, sum and number in each cluster give it again,
and resampling clusters jointly for all systems gives paired comparisons without any item.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

STRUCTURE = ("action_performed", "agent_identification", "nested_dependency")


def cluster_sums(suite: str, score: str, result: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    """Sum and number of the items of each cluster; {} where the result does not have them.

    ERAS: paradigms by family, from `by_paradigm`; CenterBench: questions by sentence pair, from
    `per_item`. The headlines of the other suites are no means of items.

    Args:
        suite: The suite.
        score: Its headline.
        result: A result of the metric.

    Raises:
        ValueError: The sums do not give the headline again: the tables are not this result's.
    """
    rows = _READERS[suite](result) if suite in _READERS else []
    sums: dict[str, tuple[float, int]] = {}
    for cluster, value in rows:
        total, n = sums.get(cluster, (0.0, 0))
        sums[cluster] = (total + value, n + 1)
    if sums:
        mean = sum(total for total, _ in sums.values()) / sum(n for _, n in sums.values())
        if not math.isclose(mean, result[score], abs_tol=1e-9):
            raise ValueError(
                f"{score}, got {result[score]}, where its parts give {mean}; expected one result"
            )
    return dict(sorted(sums.items()))


def _paradigms(result: Mapping[str, Any]) -> Sequence[tuple[str, float]]:
    return [(str(row["family"]), row["pair_accuracy"]) for row in result.get("by_paradigm", ())]


def _questions(result: Mapping[str, Any]) -> Sequence[tuple[str, float]]:
    return [
        (str(row["pair_id"]), row["correct"])
        for row in result.get("per_item", ())
        if row.get("question_type") in STRUCTURE
    ]


_READERS = {"eras": _paradigms, "centerbench": _questions}
