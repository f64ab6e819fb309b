"""What a result says of each cluster, so that two systems can be compared pair by pair.

Where a headline is a mean over items or paradigms, sum and number in each cluster give it again,
and resampling clusters jointly for all systems gives paired comparisons without any item.
"""

import math
from collections.abc import Mapping
from typing import Any

from builders.suites import settings_of


def cluster_sums(suite: str, score: str, result: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    """Sum and number of the parts of each cluster; {} where the result does not have them.

    `parts` of a headline in `suite.toml` names the table of the result, the columns of cluster and
    score, and values that rows must have. ERAS: paradigms by family; CenterBench: questions by
    sentence pair. The headlines of the other suites are no means of parts.

    Raises:
        ValueError: The sums do not give the headline again: the tables are not this result's.
    """
    parts = settings_of(suite).get("headline", {}).get("parts")
    sums: dict[str, tuple[float, int]] = {}
    for row in result.get(parts["rows"], ()) if parts else ():
        if all(row.get(name) in known for name, known in parts.get("where", {}).items()):
            total, n = sums.get(str(row[parts["cluster"]]), (0.0, 0))
            sums[str(row[parts["cluster"]])] = (total + row[parts["score"]], n + 1)
    if sums:
        mean = sum(total for total, _ in sums.values()) / sum(n for _, n in sums.values())
        if not math.isclose(mean, result[score], abs_tol=1e-9):
            raise ValueError(
                f"{score}, got {result[score]}, where its parts give {mean}; expected one result"
            )
    return dict(sorted(sums.items()))
