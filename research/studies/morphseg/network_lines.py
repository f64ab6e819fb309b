"""What the paper says of networks beside CRFs, of new test sets and of splits that are not random.

Networks cost so much that they were trained on the first data sets only, so that CRFs are compared
with them on the same ones.

Source: Liu & Prud'hommeaux (2022), Table 2, 6.2 and 7.1 to 7.4.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FOLDER, MeasuredSetting, NewTestRow, read_scores, setting_of
from builders.morphseg.sources import languages
from ground.markdown import percent
from metrics._shared.columns import FloatArray
from research.studies.morphseg.claims import LEAST_SETTINGS, Finding, is_example, line
from research.studies.morphseg.plan import (
    FAST_MODELS,
    PAPER_MODELS,
    published_settings,
    settings_with_new_tests,
)
from research.studies.morphseg.report import published_row
from research.studies.morphseg.results import setting_title


def split_lines(splits: Mapping[str, Any]) -> list[dict[str, object]]:
    """What 7.4 says of splits that are not random, from the record of `splits`."""
    if not splits:
        text = "few data sets can be split by a threshold; adversarial ones can"
        return [line("7.4", text, Finding(None, "not measured yet"), "0", is_whole=False)]
    heuristic = splits["heuristic"]
    n_few = sum(share < 0.5 for share in heuristic.values())
    largest = max(heuristic, key=heuristic.__getitem__)
    n = f"{len(heuristic)} of {len(list(published_settings()))}"
    is_whole = len(heuristic) == len(list(published_settings()))
    few = Finding(
        n_few > len(heuristic) / 2,
        f"under half of the data sets in {n_few} settings; most, {percent(heuristic[largest]):.0f}"
        f" %, in {largest} (published: 70 % of Wixarika, 1,000 words without replacement)",
    )
    overlap = splits["overlap"]
    n_low = sum(value <= 0.55 for value in overlap.values())
    far = Finding(
        n_low > len(overlap) / 2,
        f"its test words overlap with random ones by {percent(np.mean([*overlap.values()])):.0f} %"
        f" on average, 40 % being chance; but two of its five splits share"
        f" {percent(np.mean([*splits['copies'].values()])):.0f} % of their test words",
    )
    lower = splits["lower"]
    falls = Finding(
        all(value > 0 for value in lower.values()),
        ", ".join(f"{name} {value:.1f} points" for name, value in lower.items())
        + " of F1, 2-CRF (published: Zulu 17.9, Russian 6.8)",
    )
    few_text = "few data sets can be split by a threshold of morphemes per word"
    return [
        line("7.4", few_text, few, n, is_whole=is_whole),
        line("7.4", "adversarial splits are unlike random ones", far, n, is_whole=is_whole),
        line("7.4", "scores of adversarial splits are lower", falls, "24 of 24", is_whole=True),
    ]


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


(NETWORK,) = set(PAPER_MODELS) - set(FAST_MODELS)
CRFS = ("1-crf", "2-crf", "3-crf", "4-crf")
N_PUBLISHED = 50
ERRORS = 3  # standard errors of the difference that a mean may be off


class NetworkScores(NamedTuple):
    """The networks of one setting and the CRFs on the same data sets.

    `f1` is by model the F1 in percent of each data set, the mean of its five splits.
    """

    setting: Setting
    f1: Mapping[str, FloatArray]

    @property
    def n_data_sets(self) -> int:
        """How many data sets the networks have whole."""
        return len(self.f1[NETWORK])

    @property
    def lead(self) -> float:
        """Points by which the CRFs of order 1 to 4 are above the networks, on average."""
        return float(np.mean([self.f1[model] for model in CRFS]) - self.f1[NETWORK].mean())


def network_settings(folder: Path = FOLDER) -> list[NetworkScores]:
    """The settings with networks, in order."""
    found: dict[MeasuredSetting, dict[str, dict[int, list[float]]]] = {}
    for row in read_scores(folder).scores:
        by_set = found.setdefault(setting_of(row), {}).setdefault(row.model, {})
        by_set.setdefault(row.data_set, []).append(percent(row.f1))
    return [
        NetworkScores(_setting(keys), _means(by_model))
        for keys, by_model in found.items()
        if {NETWORK, *CRFS} <= by_model.keys()
    ]


def _means(by_model: Mapping[str, Mapping[int, Sequence[float]]]) -> dict[str, FloatArray]:
    """Means of the data sets that the networks and the CRFs have whole."""
    models = (NETWORK, *CRFS)
    whole = [
        n
        for n in sorted(by_model[NETWORK])
        if all(len(by_model[m].get(n, ())) == len(SPLITS) for m in models)
    ]
    return {m: np.array([np.mean(by_model[m][n]) for n in whole]) for m in models}


def _setting(keys: MeasuredSetting) -> Setting:
    return Setting(pool_size=languages()[keys.language].n_types, **asdict(keys))


def network_lines(networks: Sequence[NetworkScores]) -> list[dict[str, object]]:
    """The mean of Table 2, and whether the CRFs are better."""
    example = [one for one in networks if is_example(one.setting.language, one.setting.size)]
    n, is_whole = f"{len(example)} of 2", len(example) == 2
    better = _are_better(example, [one for one in networks if one not in example])
    return [
        line("Table 2", "mean F1 of seq2seq", _as_published(example), n, is_whole=is_whole),
        line("7.1", "CRFs are better overall than seq2seq", better, n, is_whole=is_whole),
    ]


def _as_published(example: Sequence[NetworkScores]) -> Finding:
    """Whether our means are within three standard errors, by the published deviation."""
    shown, errors = [], []
    for one in example:
        published = published_row(one.setting, NETWORK)
        if published is None:
            raise LookupError(f"published, got no {NETWORK}; expected Table 2 to have it")
        ours = float(one.f1[NETWORK].mean())
        error = published.sd * math.sqrt(1 / N_PUBLISHED + 1 / one.n_data_sets)
        errors.append((ours - published.mean) / error)
        shown.append(
            f"{ours:.1f} for {published.mean:.1f}, {errors[-1]:+.1f} standard errors, over"
            f" {one.n_data_sets} data sets"
        )
    if not example:
        return Finding(None, "not measured yet")
    return Finding(all(abs(error) <= ERRORS for error in errors), "; ".join(shown))


def _are_better(example: Sequence[NetworkScores], others: Sequence[NetworkScores]) -> Finding:
    """Whether CRFs with context have the better mean in the example, and how it is elsewhere."""
    if not example:
        return Finding(None, "not measured yet")
    shown = ", ".join(f"{one.lead:.1f}" for one in example)
    evidence = f"order 1 to 4 ahead by {shown} points on the same data sets"
    if others:
        leads = ", ".join(f"{setting_title(one.setting)}: {one.lead:.1f}" for one in others)
        evidence += f"; elsewhere: {leads}"
    return Finding(all(one.lead > 0 for one in example), evidence)
