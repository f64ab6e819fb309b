"""What the paper says of trained models on new test sets, on what was measured of them.

Source: Liu & Prud'hommeaux (2022), 6.2 and 7.2.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from builders.morphseg.scores import FOLDER, MeasuredSetting, NewTestRow, read_scores, setting_of
from ground.markdown import percent
from research.studies.morphseg.claims import LEAST_SETTINGS, Finding, line
from research.studies.morphseg.plan import settings_with_new_tests

SMALLEST_RANGE = 6.87  # points of F1 over all new test sets of a setting and size, as published
LARGEST_RANGE = 48.59
POINT = 1.0  # that means of sizes may differ by
LEAST_SHARE = 0.95  # of the settings in which they may not differ by more


class AtSize(NamedTuple):
    """New test sets of one size in a setting: F1 in percent.

    Attributes:
        mean: Over trained models and their test sets.
        range: The highest less the lowest of all.
        within: Standard deviation over the test sets of one trained model, root mean square.
        between: Standard deviation between the means of trained models.
    """

    mean: float
    range: float
    within: float
    between: float


Tested = Mapping[MeasuredSetting, Mapping[int, AtSize]]


def settings_tested(folder: Path = FOLDER) -> dict[MeasuredSetting, dict[int, AtSize]]:
    """By setting and size of the test sets, in the order of the table."""
    rows: dict[MeasuredSetting, dict[int, list[NewTestRow]]] = {}
    for row in read_scores(folder).new_tests:
        rows.setdefault(setting_of(row), {}).setdefault(row.test_size, []).append(row)
    return {
        keys: {size: _summed_up(own) for size, own in sorted(by_size.items())}
        for keys, by_size in rows.items()
    }


def _summed_up(rows: Sequence[NewTestRow]) -> AtSize:
    means = np.array([percent(row.f1_mean) for row in rows])
    sds = np.array([percent(row.f1_sd) for row in rows])
    high, low = max(r.f1_highest for r in rows), min(r.f1_lowest for r in rows)
    return AtSize(
        float(means.mean()),
        percent(high - low),
        float(np.sqrt(np.mean(sds**2))),
        float(means.std(ddof=1)),
    )


def new_test_lines(tested: Tested) -> list[dict[str, object]]:
    """How much scores vary over new test sets, and whether their means do with the size."""
    n, planned = len(tested), len(settings_with_new_tests())
    at: dict[str, Any] = {"settings": f"{n} of {planned}", "is_whole": n == planned}
    vary, equal = _vary(tested), _means_are_equal(tested)
    if n < LEAST_SETTINGS:
        vary = equal = Finding(None, "too few measured" if tested else "not measured yet")
    return [
        line("7.2", "scores vary a great deal over new test sets, in all settings", vary, **at),
        line("7.2", "the mean hardly differs with the size of the test sets", equal, **at),
    ]


def _vary(tested: Tested) -> Finding:
    """Every setting has a range as wide as the narrowest published one."""
    if not tested:
        return Finding(None, "")
    ranges = [one.range for by_size in tested.values() for one in by_size.values()]
    widest = [max(one.range for one in by_size.values()) for by_size in tested.values()]
    sizes = sorted({size for by_size in tested.values() for size in by_size})
    parts = []
    for size in sizes:
        own = [by_size[size] for by_size in tested.values() if size in by_size]
        within, between = (np.mean([getattr(o, n) for o in own]) for n in ("within", "between"))
        parts.append(f"{within:.1f} and {between:.1f} at {size:,} words")
    return Finding(
        min(widest) >= SMALLEST_RANGE,
        f"ranges of F1 from {min(ranges):.1f} to {max(ranges):.1f} points (published, over five"
        f" times as many data sets: {SMALLEST_RANGE} to {LARGEST_RANGE}); standard deviation over"
        f" the test sets of one trained model, and between models: {', '.join(parts)}, so that a"
        " small test set's own words make most of it",
    )


def _means_are_equal(tested: Tested) -> Finding:
    """In nearly all settings the means of sizes lie within a point."""
    if not tested:
        return Finding(None, "")
    spans = [np.ptp([one.mean for one in by_size.values()]) for by_size in tested.values()]
    n = sum(span <= POINT for span in spans)
    return Finding(
        n >= LEAST_SHARE * len(spans),
        f"within {POINT:.0f} point in {n} of {len(spans)}: {np.median(spans):.2f} in the median,"
        f" {max(spans):.2f} at most",
    )
