"""What the study of a suite's draws says of its levels: where scores vary, which winner holds."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ground.markdown import markdown_table
from research.studies.draw_spread import LEAST_SPREAD
from research.studies.levels import DRAWS, GroupScores, difference, spread_by_level

HUNDRED = 100.0
By = Mapping[str, Sequence[GroupScores]]
"""The groups of every draw, by system."""


def in_order(groups: By) -> list[str]:
    """The systems, the one with the largest mean score first."""
    return sorted(groups, key=lambda name: -float(np.mean([one.mean for one in groups[name]])))


def level_rows(
    groups: By, levels: Sequence[str], *, higher_is_better: bool = True
) -> list[dict[str, object]]:
    """Standard deviations by level in points, of each system and of neighbours in the ranking.

    Each with its share of the whole variance in percent, in brackets. What varies at no level has
    no line, nor has the difference from a system that does not: it varies as its neighbour.
    """
    names = in_order(groups) if higher_is_better else in_order(groups)[::-1]
    spreads = {name: spread_by_level(groups[name], levels) for name in names}
    varying = [name for name in names if not _is_flat(spreads[name])]
    shown = {name: groups[name] for name in varying}
    for a, b in pairwise(names):
        if a in varying and b in varying:
            pair = difference(groups[a], groups[b])
            shown[f"{a} − {b}"], spreads[f"{a} − {b}"] = pair, spread_by_level(pair, levels)
    return [
        {"model": name, "score": HUNDRED * float(np.mean([one.mean for one in draws]))}
        | _cells(spreads[name])
        for name, draws in shown.items()
    ]


def _is_flat(spread: Mapping[str, float]) -> bool:
    """Whether a score varies at no level; False where the cells tell nothing."""
    known = [sd for sd in spread.values() if not np.isnan(sd)]
    return bool(known) and max(known) * HUNDRED < LEAST_SPREAD


def _cells(spread: Mapping[str, float]) -> dict[str, object]:
    whole = float(np.nansum([sd**2 for sd in spread.values()]))
    return {
        "other words" if name == DRAWS else f"other {name}": (
            "–" if np.isnan(sd) else f"{HUNDRED * sd:.2f} ({_share(sd, whole)})"
        )
        for name, sd in spread.items()
    }


def _share(sd: float, whole: float) -> str:
    return f"{100 * sd**2 / whole:.0f} %" if whole > 0 else "–"


def level_text(
    groups: By, levels: Sequence[str], metric: str, *, higher_is_better: bool = True
) -> str:
    """The table of levels with what it says above it; "" where no system has groups that vary."""
    if not groups or not levels:
        return ""
    rows = level_rows(groups, levels, higher_is_better=higher_is_better)
    if not rows:
        return ""
    shown = {row["model"] for row in rows}
    flat = [name for name in in_order(groups) if name not in shown]
    beneath = f"\nNothing of it varies, so not in the table: {', '.join(flat)}.\n" if flat else ""
    table = markdown_table(rows, digits=2) + beneath
    return (
        f"\n**What {metric} varies with**: standard deviation, in points, if {', '.join(levels)} or"
        " the words in them were drawn anew and nothing else, with its share of the whole variance;"
        " from a population without end, where draws from tables that end vary less."
        " A − B is the difference of neighbours in the ranking; a dash stands where there is"
        f" nothing to tell it by.\n\n{table}"
    )


def redrawn_scores(groups: By, level: int) -> dict[str, list[float]]:
    """Each system's score on every draw, in which the groups of a level are drawn too."""
    return {
        name: [one.redrawn(level, seed) for seed, one in enumerate(draws)]
        for name, draws in groups.items()
    }
