"""What the study of a suite's draws says of its levels: where scores vary, which winner holds."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ground.markdown import markdown_table
from studies.levels import DRAWS, GroupScores, difference, spread_by_level

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

    Each with its share of the whole variance in percent, in brackets.
    """
    names = in_order(groups) if higher_is_better else in_order(groups)[::-1]
    pairs = {f"{a} − {b}": difference(groups[a], groups[b]) for a, b in pairwise(names)}
    return [
        {"model": name, "score": HUNDRED * float(np.mean([one.mean for one in draws]))}
        | _cells(spread_by_level(draws, levels))
        for name, draws in ({name: groups[name] for name in names} | pairs).items()
    ]


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
    """The table of levels with what it says above it; "" where no system has groups."""
    if not groups or not levels:
        return ""
    table = markdown_table(level_rows(groups, levels, higher_is_better=higher_is_better), digits=2)
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
