"""What the paper concludes of all settings, each with a rule that says whether our scores agree.

A verdict is of what is measured. `holds so far` and `fails so far` where settings of the claim are
still to be measured, `open` where too few are. The models are six: seq2seq has lines of its own
(`network_lines`), so that its rank is missing in ours wherever the paper's has it. Networks cost so
much that they were trained on the first data sets only: CRFs are compared on the same ones.

Source: Liu & Prud'hommeaux (2022), Table 2, 6.2 and 7.1 to 7.4.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FOLDER, MeasuredSetting, NewTestRow, read_scores, setting_of
from builders.morphseg.sources import languages
from ground.markdown import percent
from metrics._shared.columns import FloatArray
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.plan import (
    FAST_MODELS,
    PAPER_MODELS,
    published_settings,
    settings_with_new_tests,
)
from research.studies.morphseg.report import published_row
from research.studies.morphseg.results import SettingScores, language_name, setting_title

F1 = "f1"
LARGEST_LEAD = 1.89  # points: of the best model over the second, largest of 82 settings
MOST_RANKINGS = 0.56  # share of data sets that keep the first one's ranking, largest of 82
NEAR_ONE = 0.9
LEAST_SETTINGS = 4  # under so few a claim about all settings stays open
SIGNIFICANT = 0.01
HIGHER = ("2-crf", "3-crf", "4-crf")
LOWEST = ("0-crf-published", "morfessor-annotations")


class Finding(NamedTuple):
    """Whether a conclusion holds, and what that rests on."""

    agrees: bool | None
    evidence: str


Judge = Callable[[Sequence[SettingScores]], Finding]


@dataclass(frozen=True)
class Claim:
    """A conclusion of the paper: its section, and what it says, in our words.

    `is_about` tells of which settings, by language and words of a data set; `least` of them must
    be measured.
    """

    where: str
    text: str
    judge: Judge
    is_about: Callable[[str, int], bool] = lambda language, size: True
    least: int = LEAST_SETTINGS

    def judged(self, measured: Sequence[SettingScores]) -> dict[str, object]:
        """The line of the page."""
        own = [one for one in measured if self.is_about(one.setting.language, one.setting.size)]
        n = sum(self.is_about(language, size) for language, size, _ in published_settings())
        found = self.judge(own) if len(own) >= self.least else Finding(None, "too few measured")
        return line(self.where, self.text, found, f"{len(own)} of {n}", is_whole=len(own) == n)


def line(
    where: str, text: str, found: Finding, settings: str, *, is_whole: bool
) -> dict[str, object]:
    """A conclusion with its verdict."""
    verdict = {True: "holds", False: "fails", None: "open"}[found.agrees]
    so_far = "" if is_whole or found.agrees is None else " so far"
    return {
        "section": where,
        "the paper says": text,
        "verdict": f"**{verdict}{so_far}**",
        "settings": settings,
        "what that rests on": found.evidence,
    }


def is_example(language: str, size: int) -> bool:
    """Whether a setting is the paper's example."""
    return (language, size) == ("rus", 2000)


def is_steady(language: str, size: int) -> bool:
    """Whether the paper names a setting as one whose winner is nearly always the same."""
    return language == "zul" and size >= 1000


def winner_seldom_holds(measured: Sequence[SettingScores]) -> Finding:
    """The winner of the first data set wins fewer than half of the others, in most settings."""
    shares = [one.holds(F1).best_of_others.value for one in measured]
    agreement = float(np.mean([one.agreement(F1) for one in measured]))
    n = sum(share < 0.5 for share in shares)
    evidence = (
        f"below 50 % of the others in {n} of {len(shares)}; two data sets name the same winner"
        f" {percent(agreement):.0f} times in 100, mean of the settings"
    )
    return Finding(n > len(shares) / 2, evidence)


def zulu_is_steady(measured: Sequence[SettingScores]) -> Finding:
    """The winner of the first data set wins nearly all."""
    shares = [one.holds(F1).best_of_others.value for one in measured]
    n = sum(share >= NEAR_ONE for share in shares)
    shown = ", ".join(f"{percent(share):.0f}" for share in shares)
    return Finding(n > len(shares) / 2, f"{shown} % of the others")


def ranking_seldom_holds(measured: Sequence[SettingScores]) -> Finding:
    """The first data set's whole ranking is kept by about as few as published, or fewer."""
    shares = [one.holds(F1).ranking_of_others.value for one in measured]
    low, high = percent(min(shares)), percent(max(shares))
    return Finding(
        max(shares) <= MOST_RANKINGS + 0.1,
        f"kept by {low:.0f} to {high:.0f} % of the others, six models (published: 2 to 56 % of"
        " seven; ten points are allowed, less than one of nine other data sets)",
    )


def leads_are_small(measured: Sequence[SettingScores]) -> Finding:
    """The best mean is above the second by less than the largest published lead."""
    leads = [float(np.diff(np.sort(one.unit_scores(F1).mean(axis=0))[-2:])[0]) for one in measured]
    return Finding(
        max(leads) <= LARGEST_LEAD,
        f"{max(leads):.2f} points at most, {np.median(leads):.2f} in the median (published: 1.89)",
    )


def higher_orders_lead(measured: Sequence[SettingScores]) -> Finding:
    """A CRF of order 2 to 4 has the best mean in most settings."""
    winners = [one.in_order(F1)[0] for one in measured]
    counts = ", ".join(f"{name} {winners.count(name)}" for name in sorted(set(winners)))
    n = sum(name in HIGHER for name in winners)
    return Finding(n > len(winners) / 2, f"best mean over data sets: {counts}")


def context_helps_order_does_not(measured: Sequence[SettingScores]) -> Finding:
    """In the example order 1 is far above order 0, and order 4 not significantly above order 1."""
    gains = [_gain(one, "0-crf-published", "1-crf")[0] for one in measured]
    further = [_gain(one, "1-crf", "4-crf") for one in measured]
    p_values = ["p < 0.001" if p < 0.001 else f"p = {p:.3f}" for _, p in further]
    shown = ", ".join(f"{g:.2f} ({p})" for (g, _), p in zip(further, p_values, strict=True))
    rows = [[published_row(one.setting, name) for name in ("1-crf", "4-crf")] for one in measured]
    as_published = ", ".join(f"{high.mean - low.mean:.2f}" for low, high in rows if low and high)
    return Finding(
        min(gains) > 5 and all(p > SIGNIFICANT for _, p in further),
        f"order 0 to 1: {min(gains):.1f} to {max(gains):.1f} points; order 1 to 4: {shown}, paired"
        f" over {' and '.join(str(n) for n in sorted({o.n_data_sets for o in measured}))} data"
        f" sets (published: {as_published}, without a test)",
    )


def order_matters_elsewhere(measured: Sequence[SettingScores]) -> Finding:
    """Over all settings too, order 4 is above order 1 by less than a point in the median."""
    further = [_gain(one, "1-crf", "4-crf") for one in measured]
    gains = [gain for gain, _ in further]
    n = sum(p <= SIGNIFICANT for _, p in further)
    return Finding(
        float(np.median(gains)) < 1,
        f"order 1 to 4: {np.median(gains):.2f} points in the median, {min(gains):.2f} to"
        f" {max(gains):.2f}; p < 0.01 in {n} of {len(gains)}, paired over data sets",
    )


def lowest_are_lowest(measured: Sequence[SettingScores]) -> Finding:
    """Morfessor and the CRF of order 0 have the lowest means."""
    orders = [tuple(sorted(one.in_order(F1)[-2:])) for one in measured]
    means = [one.means[F1][LOWEST[1]].mean() for one in measured]
    return Finding(
        all(order == LOWEST for order in orders),
        f"in {sum(order == LOWEST for order in orders)} of {len(orders)}; Morfessor"
        f" {min(means):.1f} to {max(means):.1f} (published: 36.0 and 36.5)",
    )


def spread_shrinks(measured: Sequence[SettingScores]) -> Finding:
    """A model's scores spread less over larger data sets of the same language and sampling."""
    pairs = [
        (values.std(ddof=1), large.means[F1][model].std(ddof=1))
        for small, large in _smallest_and_largest(measured)
        for model, values in small.means[F1].items()
    ]
    if not pairs:
        return Finding(None, "no language has two sizes yet")
    n = sum(low < high for high, low in pairs)
    small_sd, large_sd = np.mean(pairs, axis=0)
    return Finding(
        n > len(pairs) / 2,
        f"in {n} of {len(pairs)} pairs of a model's smallest and largest data sets; standard"
        f" deviation {small_sd:.2f} and {large_sd:.2f} points (ranges are of 50 data sets there and"
        " mostly of fewer here, so that deviations are compared)",
    )


def first_is_near_the_mean(measured: Sequence[SettingScores]) -> Finding:
    """The first data set's score is nearer to the mean than the range: it cannot be otherwise."""
    scores = [values for one in measured for values in one.means[F1].values()]
    gaps = np.array([abs(values[0] - values.mean()) for values in scores])
    ranges = np.array([np.ptp(values) for values in scores])
    return Finding(
        bool(np.all(gaps < ranges)),
        f"{gaps.mean():.2f} beside {ranges.mean():.2f} points, a ratio of"
        f" {(gaps / ranges).mean():.2f} on average; but a mean lies within its range, so that this"
        " could not fail",
    )


def metrics_agree(measured: Sequence[SettingScores]) -> Finding:
    """Ranges of the other metrics go with those of F1, and first-data-set differences likewise."""
    parts, agree = [], []
    languages_of = dict.fromkeys(one.setting.language for one in measured)
    others = [metric for metric in METRICS if metric != F1]
    for what, of in (("ranges", np.ptp), ("differences", lambda values: values[0] - values.mean())):
        p_values = [
            _slope_p([one for one in measured if one.setting.language == language], metric, of)
            for language, metric in itertools.product(languages_of, others)
        ]
        tested = [p for p in p_values if p is not None]
        n = sum(p < SIGNIFICANT for p in tested)
        parts.append(f"{what}: {n} of {len(tested)}")
        agree.append(n > len(tested) / 2)
    evidence = f"a language's metrics that go with its F1 at p < 0.01: {'; '.join(parts)}"
    return Finding(all(agree), evidence)


def _gain(one: SettingScores, lower: str, higher: str) -> tuple[float, float]:
    """How far a model is above another on average, in points, and the p of a paired t-test."""
    from scipy.stats import ttest_1samp

    difference = one.means[F1][higher] - one.means[F1][lower]
    return float(difference.mean()), float(ttest_1samp(difference, 0).pvalue)


def _smallest_and_largest(
    measured: Sequence[SettingScores],
) -> list[tuple[SettingScores, SettingScores]]:
    by_kind: dict[tuple[str, str], list[SettingScores]] = {}
    for one in sorted(measured, key=lambda one: one.setting.size):
        by_kind.setdefault((one.setting.language, one.setting.method), []).append(one)
    return [(own[0], own[-1]) for own in by_kind.values() if len(own) > 1]


def _slope_p(own: Sequence[SettingScores], metric: str, of: Callable[[Any], Any]) -> float | None:
    """The p of the slope of a metric's figure on that of F1 over settings and models."""
    from scipy.stats import linregress

    x, y = (
        [float(of(values)) for one in own for values in one.means[name].values()]
        for name in (F1, metric)
    )
    if len(x) < 3:
        return None
    p = float(linregress(x, y).pvalue)
    return None if math.isnan(p) else p


CONTEXT = "context helps, a higher order does not help significantly (Russian, 2,000 words)"
WINNER = "the first data set's best model is the best of fewer than half of the others, mostly"
FIRST = "the first data set is nearer to the mean than the scores' range"
CLAIMS = (
    Claim("7.1", "Morfessor and 0-CRF are the lowest", lowest_are_lowest, is_example, 1),
    Claim("7.1", CONTEXT, context_helps_order_does_not, is_example, 1),
    Claim("7.2", WINNER, winner_seldom_holds, lambda *setting: not is_steady(*setting)),
    Claim("7.2", "but it nearly always is for Zulu from 1,000 words", zulu_is_steady, is_steady, 2),
    Claim("7.2", "the first ranking is kept by 2 to 56 % of data sets", ranking_seldom_holds),
    Claim("7.2", "the best model leads the second by 1.89 points at most", leads_are_small),
    Claim("7.2", "CRFs of higher order are the best over the data sets", higher_orders_lead),
    Claim("7.1", "differences of orders are small in all settings", order_matters_elsewhere),
    Claim("7.2", "scores spread less where data sets are larger", spread_shrinks),
    Claim("7.2", FIRST, first_is_near_the_mean, least=1),
    Claim("7.2", "the metrics vary together", metrics_agree),
)


def language_names(measured: Sequence[SettingScores]) -> list[str]:
    """Languages that have a measured setting, by name."""
    return [language_name(code) for code in dict.fromkeys(o.setting.language for o in measured)]


def split_lines(splits: Mapping[str, Any]) -> list[dict[str, object]]:
    """What 7.4 says of splits that are not random, from the record of `splits`."""
    if not splits:
        text = "few data sets can be split by a threshold; adversarial ones can"
        return [line("7.4", text, Finding(None, "not measured yet"), "0", is_whole=False)]
    heuristic = splits["heuristic"]
    n_few = sum(share < 0.5 for share in heuristic.values())
    largest = max(heuristic, key=heuristic.__getitem__)
    planned = len(list(published_settings()))
    n, is_whole = f"{len(heuristic)} of {planned}", len(heuristic) == planned
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
    """F1 in percent over trained models and their new test sets of one size, with its range.

    Standard deviations over the test sets of one model, root mean square, and between models.
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
    within, between = float(np.sqrt(np.mean(sds**2))), float(means.std(ddof=1))
    return AtSize(float(means.mean()), percent(high - low), within, between)


def new_test_lines(tested: Tested) -> list[dict[str, object]]:
    """How much scores vary over new test sets, and whether their means do with the size."""
    n, planned = len(tested), len(settings_with_new_tests())
    at: dict[str, Any] = {"settings": f"{n} of {planned}", "is_whole": n == planned}
    vary = equal = Finding(None, "too few measured" if tested else "not measured yet")
    if n >= LEAST_SETTINGS:
        vary, equal = _vary(tested), _means_are_equal(tested)
    return [
        line("7.2", "scores vary a great deal over new test sets, in all settings", vary, **at),
        line("7.2", "the mean hardly differs with the size of the test sets", equal, **at),
    ]


def _vary(tested: Tested) -> Finding:
    """Every setting has a range as wide as the narrowest published one."""
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
    """F1 in percent of the networks of one setting and of the CRFs, by model, of each data set."""

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
    networks = []
    for keys, by_model in found.items():
        if {NETWORK, *CRFS} <= by_model.keys():
            setting = Setting(pool_size=languages()[keys.language].n_types, **asdict(keys))
            networks.append(NetworkScores(setting, _means(by_model)))
    return networks


def _means(by_model: Mapping[str, Mapping[int, Sequence[float]]]) -> dict[str, FloatArray]:
    """Means of the data sets that the networks and the CRFs have whole."""
    own = {model: by_model[model] for model in (NETWORK, *CRFS)}
    whole = [
        n
        for n in sorted(own[NETWORK])
        if all(len(o.get(n, ())) == len(SPLITS) for o in own.values())
    ]
    return {model: np.array([np.mean(scores[n]) for n in whole]) for model, scores in own.items()}


def network_lines(networks: Sequence[NetworkScores]) -> list[dict[str, object]]:
    """The mean of Table 2, and whether the CRFs are better."""
    example = [one for one in networks if is_example(one.setting.language, one.setting.size)]
    n, is_whole = f"{len(example)} of 2", len(example) == 2
    published = better = Finding(None, "not measured yet")
    if example:
        better = _are_better(example, [one for one in networks if one not in example])
        published = _as_published(example)
    return [
        line("Table 2", "mean F1 of seq2seq", published, n, is_whole=is_whole),
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
    return Finding(all(abs(error) <= ERRORS for error in errors), "; ".join(shown))


def _are_better(example: Sequence[NetworkScores], others: Sequence[NetworkScores]) -> Finding:
    """Whether CRFs with context have the better mean in the example, and how it is elsewhere."""
    shown = ", ".join(f"{one.lead:.1f}" for one in example)
    evidence = f"order 1 to 4 ahead by {shown} points on the same data sets"
    if others:
        leads = ", ".join(f"{setting_title(one.setting)}: {one.lead:.1f}" for one in others)
        evidence += f"; elsewhere: {leads}"
    return Finding(all(one.lead > 0 for one in example), evidence)
