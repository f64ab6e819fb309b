"""How wide the intervals are, on ERAS and on the extended paradigms, over all real segmenters."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

SCORES = ("pair_accuracy", "resolution")
AIM = 0.06
"""What an interval of a score should reach to either side, at most."""


def half_width(scores: Mapping[str, Any], name: str) -> float:
    """Half the length of a score's interval; nan where it has none.

    Example:
        >>> half_width({"resolution_low": 0.25, "resolution_high": 0.75}, "resolution")
        0.25
    """
    return float(scores[f"{name}_high"] - scores[f"{name}_low"]) / 2


def half_widths(systems: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Half-widths by set and score, over the systems that are not null.

    Args:
        systems: Rows with `system`, `is_null` and, in `sets`, the scores of each set.

    Returns:
        For `<set>, <score>`: `median`, `largest`, `widest` (its system), `n_systems` and
        `n_within`, how many are at most `AIM`; `largest_wilson`, the same by Wilson's intervals;
        `lowest` and `highest` score. Systems without an interval count as not within.
    """
    found: dict[str, dict[str, Any]] = {}
    for which in ("ERAS", "extended"):
        of_set = {
            row["system"]: row["sets"][which]
            for row in systems
            if not row["is_null"] and which in row["sets"]
        }
        for name in SCORES if of_set else ():
            widths = {system: half_width(scores, name) for system, scores in of_set.items()}
            known = {system: w for system, w in widths.items() if math.isfinite(w)}
            if not known:
                continue
            widest = max(known, key=lambda system: known[system])
            wilson = [scores[f"{name}_wilson"] for scores in of_set.values()]
            found[f"{which}, {name}"] = {
                "median": statistics.median(known.values()),
                "largest": known[widest],
                "widest": widest,
                "n_systems": len(widths),
                "n_within": sum(width <= AIM for width in known.values()),
                "largest_wilson": max((w for w in wilson if math.isfinite(w)), default=math.nan),
                "lowest": min(scores[name] for scores in of_set.values()),
                "highest": max(scores[name] for scores in of_set.values()),
            }
    return found
