"""How far a score spreads over the draws of a suite, and what its intervals imply of that."""

import math
import statistics
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from ground.markdown import markdown_table, percent

LEAST_SPREAD = 0.005  # points: what stays below it does not vary
REACH = NormalDist().inv_cdf(0.975)  # errors from the middle of a 95 % interval to its end


def implied_error(found: Mapping[str, Any], metric: str) -> float:
    """Standard deviation that a score's 95 % interval implies; nan where it has none."""
    low, high = (found.get(f"{metric}_{end}", math.nan) for end in ("low", "high"))
    return float(high - low) / (2 * REACH)


def implied_text(scored: Mapping[str, Any]) -> str:
    """Standard deviations that the intervals imply beside those observed; "" without intervals."""
    rows: list[dict[str, object]] = []
    for system in next(iter(scored["scores"].values())):
        row: dict[str, object] = {"model": system}
        for metric, by_system in scored["scores"].items():
            row[metric] = implied_ratio(scored["errors"][metric][system], by_system[system])
        rows.append(row)
    if all(math.isnan(float(str(row[m]))) for row in rows for m in scored["scores"]):
        return ""
    return (
        "\nStandard deviation that a draw's 95 % interval implies (its width over 2 x 1.96, mean of"
        " all draws), as a multiple of the one observed between the draws; – where the score does"
        f" not vary:\n\n{markdown_table(rows, digits=2)}"
    )


def implied_figures(scored: Mapping[str, Any], system: str) -> dict[str, float]:
    """The same of a system as figures: `implied_<metric>`, where there is a ratio."""
    ratios = {
        f"implied_{metric}": implied_ratio(scored["errors"][metric][system], by_system[system])
        for metric, by_system in scored["scores"].items()
    }
    return {name: ratio for name, ratio in ratios.items() if math.isfinite(ratio)}


def implied_ratio(errors: Sequence[float], scores: Sequence[float]) -> float:
    """How many times the observed standard deviation the implied one is; nan without variation."""
    observed = spread(scores)["sd"]
    return statistics.fmean(errors) / observed if observed > 1e-12 else math.nan


def spread_row(system: str, scores: Sequence[float]) -> dict[str, object]:
    """How far a system's score spreads over draws, in percent; a single draw has no spread."""
    return {"model": system, **spread([percent(score) for score in scores])}


def spread(values: Sequence[float]) -> dict[str, float]:
    """The first of the values, and of those that are defined mean, least, largest and sd."""
    defined = [value for value in values if math.isfinite(value)]
    return {
        "first": values[0],
        "mean": statistics.fmean(defined) if defined else math.nan,
        "min": min(defined, default=math.nan),
        "max": max(defined, default=math.nan),
        "sd": statistics.stdev(defined) if len(defined) > 1 else math.nan,
    }


def is_constant(scores: Sequence[float]) -> bool:
    """Whether at least two scores are defined and all are the same to two decimals of a percent."""
    return spread([percent(score) for score in scores])["sd"] < LEAST_SPREAD


def constant_text(by_system: Mapping[str, Sequence[float]]) -> str:
    """Names the systems whose score no draw changes, which a table of spreads leaves out; or ""."""
    same = [
        f"{system} {percent(values[0]):.2f}"
        for system, values in by_system.items()
        if is_constant(values)
    ]
    return f"\nThe same in every draw, so not in the table: {', '.join(same)}.\n" if same else ""
