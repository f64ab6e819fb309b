"""Matched-pair accuracy: matches the pairs, decides, and sums up to figures, tables and tests."""

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._shared.columns import BoolArray, FloatArray, IntArray, rows_of, to_list
from .._shared.stratified import stratified_interval, stratified_intervals
from .._shared.uncertainty import (
    Interval,
    mcnemar_test,
    sign_flip_test,
    undefined_interval,
    wilson_interval,
)
from .decisions import SCORER_FIELDS, Decisions, Replies, check_runs, decide_all
from .inputs import (
    CONDITIONS,
    CONVENTION_TYPES,
    COUNT_TYPE,
    DIFFICULTY,
    INPUTS,
    MatchedPairs,
    is_middle,
    match_pairs,
)
from .options import WHERE, Options, read_options
from .reading import NO_OBJECT, Event

# --- What lies behind a gap by level: where it opens, how it grows, and what answers score that
# read no structure at all: constants, and words in linear order, from what each question asks

LARGEST_ACCURACY = 0.97  # of a condition, for its log-odds to be worth a slope
LEAST_ABOVE_CHANCE = 0.05


def constant_accuracy(answers: Sequence[str]) -> float:
    """Accuracy of the best constant, such as `none`, on questions of one type; nan for none."""
    counts = Counter(answer.strip().lower() for answer in answers)
    return max(counts.values()) / len(answers) if answers else math.nan


@functools.cache
def linear_order_is_right(n_events: int, depth: int, question_type: str) -> bool:
    """Whether a reader who takes the words as they come answers rightly.

    Who gives the k-th verb to the k-th noun and takes the next noun as its object reads "the goat
    that the horse that the farmer fed kicked bleated" as "the goat fed the horse, the horse kicked
    the farmer, the farmer bleated". A sentence has one event more than its level; depth 0 is the
    outermost entity.
    """
    last = n_events - 1
    objects = [*range(1, n_events), NO_OBJECT]
    true = [(i, i, objects[i]) for i in range(n_events)]
    linear = [(last - i, i, last - i - 1 if i < last else NO_OBJECT) for i in range(n_events)]
    answers = [_answer(events, last - depth, question_type) for events in (linear, true)]
    return answers[0] == answers[1]


def _answer(events: Sequence[Event], entity: int, question_type: str) -> object:
    """What a reader who has these events in mind answers.

    The question names the entity, or the verb of the true event before its own.
    """
    own = next(i for i, event in enumerate(events) if event[0] == entity)
    patient = events[entity - 1][2] if entity else events[own][2]
    answers: dict[str, object] = {
        "entity_count": len(events),
        "causal_sequence": events[:own],
        "chain_consequence": events[own + 1 : own + 2],
        "action_performed": events[own][1:],
        # What kicked the goat? / What was affected by the horse?
        "agent_identification": events[entity - 1][0] if entity else patient,
        # What did the entity that was kicked / acted upon by the horse do?
        "nested_dependency": next((event[1:] for event in events if event[0] == patient), None),
    }
    return answers[question_type]


def opening_level(
    levels: Sequence[int],
    gaps: Sequence[float],
    lows: Sequence[float] | None = None,
    delta: float = 0.05,
) -> int | None:
    """First level from which the gap stays open to the deepest; None where it is not open there.

    A gap, in [-1, 1], is open if it exceeds `delta` and the lower end of its simultaneous interval,
    if `lows` are given, exceeds 0 (nan does not). Without a delta a model without any gap opens at
    some level in half of all runs.

    Example:
        >>> opening_level([1, 2, 3, 4], [0.00, 0.08, 0.01, 0.13])
        4
    """
    opened = None
    bounds = lows if lows is not None else [math.inf] * len(levels)
    for level, gap, low in sorted(zip(levels, gaps, bounds, strict=True), reverse=True):
        if not (gap > delta and low > 0):
            break
        opened = level
    return opened


def trend(
    levels: list[int],
    rights: FloatArray,
    asked: FloatArray,
    strata: IntArray,
    chances: list[float],
    how: dict[str, Any] | None,
    seed: int,
    n_flips: int = 10_000,
) -> dict[str, Any]:
    """Slope of the gap over levels, each level counting alike, in points and in log-odds.

    Args:
        levels: The levels, ascending.
        rights: Right answers of each sentence pair in either condition, shape (c, 2).
        asked: All its answers likewise, both above 0.
        strata: Index in `levels` of each sentence pair, shape (c,).
        chances: Accuracy of the best reader without structure at each level.
        how: `Options.resampling`, how the intervals are computed; None for none.
        seed: Seed of the sign flips.
        n_flips: Their number.

    Returns:
        `trend_points` (per level, in [-1, 1]), `trend_log_odds`, each with `_p` and its interval,
        and `trend`: which way both intervals point, or "open". nan, with the reason in
        `trend_note`, where a trend cannot be told, see `_unfit`.
    """
    names = ("trend_points", "trend_log_odds")
    found: dict[str, Any] = {}
    if reason := _unfit(levels, rights, asked, strata, chances):
        for name in names:
            found |= {name: math.nan, f"{name}_p": math.nan}
            found |= undefined_interval(reason).as_fields(name) if how else {}
        return found | {"trend": "open", "trend_note": reason}
    sides: list[int] = []
    slopes = slope_weights(levels)
    for name, values in zip(names, _values(rights, asked, strata), strict=True):
        means = np.bincount(strata, values) / np.bincount(strata)
        found[name] = float(means @ slopes)
        shares = slopes[strata] / np.bincount(strata)[strata]
        found[f"{name}_p"] = sign_flip_test(shares * (values - means.mean()), n_flips, seed)
        if how:
            strata_of = (values, np.ones(len(values)), strata)
            interval = stratified_interval(*strata_of, bounds=None, contrast=slopes, **how)
            found.update(interval.as_fields(name))
            sides.append((interval.low > 0) - (interval.high < 0))
    said = {2: "grows with depth", -2: "shrinks with depth"}.get(sum(sides), "open")
    return found | {"trend": said, "trend_note": ""}


def slope_weights(levels: list[int]) -> FloatArray:
    """Weight of each level's value in the least-squares slope over the levels."""
    centred = np.array(levels, float) - np.mean(levels)
    return np.asarray(centred / (centred**2).sum())


def _unfit(
    levels: list[int], rights: FloatArray, asked: FloatArray, strata: IntArray, chances: list[float]
) -> str:
    """Why no trend can be told: few sentence pairs, or a condition at the ceiling or at chance."""
    if len(levels) < 2 or min(np.bincount(strata, minlength=len(levels))) < 2:
        return "fewer than two levels with two complete sentence pairs each"
    for i, (level, chance) in enumerate(zip(levels, chances, strict=True)):
        shares = rights[strata == i].sum(axis=0) / asked[strata == i].sum(axis=0)
        if max(shares) > LARGEST_ACCURACY:
            return f"level {level}: a condition is right in {max(shares):.1%}, no gap can show"
        if min(shares) < chance + LEAST_ABOVE_CHANCE:
            return f"level {level}: a condition is right in {min(shares):.1%}, close to chance"
    return ""


def _values(
    rights: FloatArray, asked: FloatArray, strata: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Value of each sentence pair whose level means are the level's gap, in points and log-odds.

    The log-odds of a level are linearised: each sentence pair has their value plus its influence.
    """
    totals, rows = np.zeros((2, strata.max() + 1, 2)), np.bincount(strata)[strata][:, None]
    np.add.at(totals[0], strata, rights)
    np.add.at(totals[1], strata, asked)
    share = (totals[0] / totals[1])[strata]
    influence = rows * (rights - share * asked) / totals[1][strata]
    points = share + influence
    odds = np.log(share / (1 - share)) + influence / (share * (1 - share))
    return points[:, 0] - points[:, 1], odds[:, 0] - odds[:, 1]


# --- From decisions on matched pairs to the metric's result: headline figures, tables and tests
#
# `correct`, of shape (m, 2, r), is 1 where the plausible (0) or implausible (1) member of a
# question pair was answered rightly in run r, nan where there is no such member. Suffix `_core`:
# questions about structure alone, which the headline is about. No suffix: all six types, as
# published. Causal sequence and chain consequence follow a convention of the suite: a sentence
# asserts who did what, never that one event caused another.
#
# All questions of a sentence pair stand and fall together; how many pairs a level has is fixed by
# the design. For intervals, pairs are resampled within their level and studentised (`stratified`);
# where too few differ, a gap has a conservative interval: the share of pairs that differ is bounded
# by Wilson's, each one's difference by the largest seen, or by two questions of a sentence (ours).
#
# Source: CenterBench (EACL 2026), sections 4 and 5; each departure is named where it is made.

ASKED = {"level", "depth", "question_type"}  # labels that say what a question asks
MOST_ENDS = 2  # questions of a sentence that a pair may differ in where no pair does


class PairTable(NamedTuple):
    """Shares of pairs with both members right, one of them, or neither; they sum to 1."""

    both_correct: float
    only_plausible: float
    only_implausible: float
    neither: float


class RepairingNull(NamedTuple):
    """Both-correct accuracy with sentences paired anew within their level: mean, 95 % range, p."""

    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan


def accuracy(correct: FloatArray) -> float:
    """Share of right answers over items and runs, in [0, 1]; nan for no items."""
    given = correct[~np.isnan(correct)]
    return float(given.mean()) if given.size else math.nan


def complete(correct: FloatArray) -> BoolArray:
    """Which pairs have both members, shape (m,)."""
    return np.logical_not(np.isnan(correct).any(axis=(1, 2)))


def plausibility_gap(correct: FloatArray) -> float:
    """Accuracy on plausible minus that on implausible members of complete pairs, in [-1, 1].

    nan for no complete pairs. Positive: plausibility helps. Section 5.2 calls it the performance
    gap, in percentage points.
    """
    whole = correct[complete(correct)]
    return accuracy(whole[:, 0]) - accuracy(whole[:, 1])


def pair_table(correct: FloatArray) -> PairTable:
    """2x2 table of matched pairs as shares, averaged over runs; nan for no pairs."""
    correct = correct[complete(correct)]
    if not correct.size:
        return PairTable(*[math.nan] * 4)
    plausible, implausible = correct[:, 0], correct[:, 1]
    both = float((plausible * implausible).mean())
    neither = float(((1 - plausible) * (1 - implausible)).mean())
    one, other = float(plausible.mean()) - both, float(implausible.mean()) - both
    return PairTable(both, one, other, neither)


def median_gap(gaps: Sequence[float], *, absolute: bool = False) -> float:
    """Median of the gaps of cells (level x question type), in [-1, 1]; nan for no cells.

    Source: section 5.2, "the median of 36 individual gaps"; the paper does not say whether they are
        signed. Without sign the result is never below 0.
    """
    values = np.abs(gaps) if absolute else np.asarray(gaps, float)
    return float(np.median(values)) if len(values) else math.nan


def repairing_null(
    correct: FloatArray,
    levels: Sequence[int],
    clusters: IntArray,
    cells: Sequence[object],
    n: int,
    seed: int,
) -> RepairingNull:
    """Both-correct accuracy that would come out if sentences were matched by level only.

    `correct` is of complete pairs; a question stays paired with its like, `cells`: depth and type.
    `n` random re-pairings give range and p, how often one does at least as well. All nan where
    sentences of one level differ in their cells.
    Source: in the published data sentences of a pair share a level and an index alone; ours.
    """
    generator = np.random.default_rng(seed)
    expected, observed, drawn = 0.0, 0.0, np.zeros(n)
    for level in sorted(set(levels)):
        places = np.flatnonzero(np.asarray(levels) == level)
        table = _by_sentence(correct[places], clusters[places], [cells[i] for i in places.tolist()])
        if table is None:
            return RepairingNull()
        # both right, sentence s with sentence t
        together = np.einsum("skr,tkr->st", table[:, :, 0], table[:, :, 1])
        orders = generator.permuted(np.tile(np.arange(len(together)), (n, 1)), axis=1)
        expected += together.sum() / len(together)
        observed += np.trace(together)
        drawn += together[np.arange(len(together)), orders].sum(axis=1)
    size = correct[:, 0].size
    low, high = np.quantile(drawn, [0.025, 0.975]) / size
    p = (np.sum(drawn >= observed - 1e-9) + 1) / (n + 1)
    return RepairingNull(float(expected / size), float(low), float(high), float(p))


def gap_sums(correct: FloatArray, pairs: MatchedPairs) -> tuple[FloatArray, FloatArray]:
    """Sum of differences plausible - implausible and number of whole pairs, per sentence pair."""
    whole = complete(correct)
    differences = (correct[whole, 0] - correct[whole, 1]).mean(axis=-1)
    clusters = pairs.cluster[whole]
    return _sums(differences, clusters, pairs), _sums(None, clusters, pairs)


def accuracy_sums(correct: FloatArray, pairs: MatchedPairs) -> tuple[FloatArray, FloatArray]:
    """Right answers and answers of each sentence pair; shape of `correct` (m, r) or (m, 2, r)."""
    flat = correct.reshape(len(correct), math.prod(correct.shape[1:]))
    right, asked = np.nansum(flat, axis=1), np.logical_not(np.isnan(flat)).sum(axis=1)
    return _sums(right, pairs.cluster, pairs), _sums(asked, pairs.cluster, pairs)


def _sums(values: Any, clusters: IntArray, pairs: MatchedPairs) -> FloatArray:
    """Sum of the values of each sentence pair; their number where there are none."""
    return np.bincount(clusters, values, pairs.n_clusters).astype(np.float64)


def _by_sentence(
    correct: FloatArray, clusters: IntArray, cells: Sequence[object]
) -> FloatArray | None:
    """Pairs as (sentences, cells, 2, runs); None where the sentences differ in their cells."""
    rows = sorted(range(len(cells)), key=lambda i: (clusters[i], str(cells[i])))
    n_sentences = len(set(clusters.tolist()))
    names = [str(cells[i]) for i in rows]
    width = len(rows) // n_sentences
    if names != names[:width] * n_sentences or len(set(names[:width])) != width:
        return None
    return correct[rows].reshape(n_sentences, width, *correct.shape[1:])


def share_interval(
    sums: tuple[FloatArray, FloatArray], strata: IntArray, how: dict[str, Any]
) -> Interval:
    """Interval of a share in [0, 1] over sentence pairs, on the logit scale.

    `sums` are right answers and answers per sentence pair, `strata` its level, each of shape (c,).
    Wilson's where all sentence pairs have one value, which is conservative between 0 and 1.
    """
    top, bottom = (column[sums[1] > 0] for column in sums)
    found = stratified_interval(top, bottom, strata[sums[1] > 0], **how)
    values = top / bottom
    if math.isnan(found.low) and len(values) > 1 and np.ptp(values) < 1e-9:
        return wilson_interval(float(values[0]) * len(values), len(values), how["confidence"])
    return found


def gap_intervals(
    tops: FloatArray, bottoms: FloatArray, strata: IntArray, how: dict[str, Any]
) -> list[Interval]:
    """Intervals of k gaps in [-1, 1] that hold together, from the same resamples.

    `tops` are sums of differences per sentence pair and gap, `bottoms` numbers of complete question
    pairs, shape (c, k), 0 where it is no part of a gap; `strata` its level, shape (c,).
    """
    how = how | {"bounds": (-1.0, 1.0), "is_simultaneous": tops.shape[1] > 1}
    found = stratified_intervals(tops, bottoms, strata, **how)
    each = how["confidence"] ** (1 / tops.shape[1])
    return [
        interval
        if not math.isnan(interval.low) and np.ptp(top[bottom > 0] / bottom[bottom > 0]) > 1e-9
        else _few_differ(top[bottom > 0], bottom[bottom > 0], each, interval)
        for interval, top, bottom in zip(found, tops.T, bottoms.T, strict=True)
    ]


def _few_differ(
    top: FloatArray, bottom: FloatArray, confidence: float, found: Interval
) -> Interval:
    """Conservative interval of a gap to which hardly any sentence pair contributes."""
    n = len(top)
    if n < 2:
        return found
    differences = top / bottom
    gap = float(top.sum() / bottom.sum())
    if np.ptp(differences) < 1e-9 and abs(gap) > 1e-9:  # Wilson's interval of its size
        bound = wilson_interval(abs(gap) * n, n, confidence)
        ends = (bound.low, bound.high) if gap > 0 else (-bound.high, -bound.low)
        return Interval(*ends, bound.note)
    n_differing = int((np.abs(differences) > 1e-9).sum())
    largest = max(float(np.abs(differences).max()), float(MOST_ENDS / bottom.mean()))
    reach = wilson_interval(n_differing, n, confidence).high * min(1.0, largest)
    note = f"{n_differing} of {n} sentence pairs differ: conservative bound"
    return Interval(max(-1.0, gap - reach), min(1.0, gap + reach), note)


class Scored(NamedTuple):
    """Matched pairs, whether each is `correct`, (m, 2, r), gold `answers`, (m, 2), and options."""

    pairs: MatchedPairs
    correct: FloatArray
    answers: npt.NDArray[np.object_]
    options: Options
    strata: IntArray

    def where(self, places: BoolArray | list[int]) -> "Scored":
        """Pairs at some places."""
        labels = {name: values[places] for name, values in self.pairs.labels.items()}
        rows, cluster = self.pairs.rows[places], self.pairs.cluster[places]
        pairs = self.pairs._replace(rows=rows, cluster=cluster, labels=labels)
        correct, answers = self.correct[places], self.answers[places]
        return self._replace(pairs=pairs, correct=correct, answers=answers)

    def groups(self, *names: str) -> Iterator[tuple[dict[str, Any], "Scored"]]:
        """Pairs of each combination of labels that occurs; none where the rows lack a label."""
        if not self.correct.size or any(name not in self.pairs.labels for name in names):
            return
        places: dict[tuple[Any, ...], list[int]] = {}
        columns = (self.pairs.labels[name].tolist() for name in names)
        for i, key in enumerate(zip(*columns, strict=True)):
            places.setdefault(key, []).append(i)
        for key in sorted(places, key=_order):
            yield dict(zip(names, key, strict=True)), self.where(places[key])

    @property
    def how(self) -> dict[str, Any] | None:
        """How intervals are computed; None for none."""
        return None if self.options.confidence is None else self.options.resampling()

    def given_answers(self) -> list[str]:
        """The gold answers of both members, without those of missing ones."""
        return [answer for answer in self.answers.ravel().tolist() if answer is not None]

    @property
    def core(self) -> "Scored":
        """The pairs whose questions are about structure alone."""
        return self.where(self.pairs.are_core)


def summarize(scored: Scored) -> dict[str, Any]:
    """All figures and tables of a scored set; undefined figures are nan."""
    levels = level_table(scored)
    return {
        **headline(scored),
        **opening(levels, scored.options.delta),
        **gap_trend(scored),
        **pair_tests(scored),
        "by_level": levels,
        "by_condition": condition_table(scored),
        "by_question_type": question_type_table(scored),
        "by_difficulty": _parts(scored, "difficulty"),
        "by_domain": [
            row | figures(part) | figures(part.core, "_core")
            for row, part in scored.groups("domain")
        ],
        "by_level_difficulty": _parts(scored, "level", "difficulty"),
        "by_level_question_type": _parts(scored, "level", "question_type"),
    }


def _parts(scored: Scored, *names: str) -> list[dict[str, Any]]:
    return [row | figures(part) for row, part in scored.groups(*names)]


def headline(scored: Scored) -> dict[str, Any]:
    """Accuracies and gaps over everything with their intervals, medians over cells, and chance."""
    core = scored.core
    convention = scored.where(scored.pairs.ask(CONVENTION_TYPES))
    gaps = [plausibility_gap(part.correct) for _, part in scored.groups("level", "question_type")]
    return {
        **figures(core, "_core"),
        **_share(core, "accuracy_core"),
        **_gap(core, "gap_core"),
        **_middle(scored.where(scored.pairs.are_middle)),
        **figures(scored),
        **_share(scored, "accuracy"),
        **_gap(scored, "gap"),
        **_share(convention, "accuracy_convention"),
        **_count(scored.where(scored.pairs.ask([COUNT_TYPE]))),
        "accuracy_macro_core": macro_accuracy(core),
        "accuracy_macro": macro_accuracy(scored),
        "median_gap": median_gap(gaps),
        "median_absolute_gap": median_gap(gaps, absolute=True),
        **_chance("_core", core),
        **_chance("", scored),
    }


def _middle(middle: Scored) -> dict[str, Any]:
    """Accuracy of what entities of a middle depth did, and of a coin among the verbs."""
    levels = middle.pairs.labels["level"].tolist() if len(middle.correct) else []
    return {
        **_share(middle, "accuracy_middle"),
        "n_middle": _n_given(middle.correct),
        "chance_middle": float(np.mean([1 / (one + 1) for one in levels])) if levels else math.nan,
    }


def _n_given(correct: FloatArray) -> int:
    """Number of the members that there are."""
    return int((~np.isnan(correct[..., 0])).sum())


def macro_accuracy(scored: Scored) -> float:
    """Unweighted mean of accuracy over levels: deep ones do not count more; nan for none."""
    found = [accuracy(part.correct) for _, part in scored.groups("level")]
    return float(np.mean(found)) if found else math.nan


def figures(scored: Scored, suffix: str = "") -> dict[str, Any]:
    """Counts, accuracies, gap and 2x2 table of a part, without intervals."""
    correct = scored.correct
    table = pair_table(correct)
    return {
        f"n{suffix}": _n_given(correct),
        f"accuracy{suffix}": accuracy(correct),
        **{f"accuracy_{n}{suffix}": accuracy(correct[:, i]) for i, n in enumerate(CONDITIONS)},
        f"gap{suffix}": plausibility_gap(correct),
        **{f"{name}{suffix}": value for name, value in table._asdict().items()},
    }


def level_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per level; the intervals of its gaps hold for all levels together."""
    groups = list(scored.groups("level"))
    rows = []
    for row, part in groups:
        core = part.core
        row |= figures(part) | figures(core, "_core")
        row["n_clusters"] = len(np.unique(part.pairs.cluster))
        for i, name in enumerate(CONDITIONS):
            row |= _share(core, f"accuracy_{name}_core", member=i)
    rows = [row for row, _ in groups]
    _add_gap_intervals(rows, scored, "gap", [part for _, part in groups])
    _add_gap_intervals(rows, scored, "gap_core", [part.core for _, part in groups])
    return rows


def gap_trend(scored: Scored) -> dict[str, Any]:
    """Slope of the core gap over levels, `trend`."""
    core = scored.core
    groups = list(core.groups("level"))
    whole = core.where(complete(core.correct))
    sums = [accuracy_sums(whole.correct[:, i], whole.pairs) for i in range(2)]
    rights, asked = (np.stack(columns, axis=1) for columns in zip(*sums, strict=True))
    is_there = (asked > 0).all(axis=1)
    strata = np.unique(core.strata[is_there], return_inverse=True)[1]
    chances = [float(_chance("", part)["chance"]) for _, part in groups]
    levels, how = [row["level"] for row, _ in groups], (core.how, core.options.seed)
    return trend(levels, rights[is_there], asked[is_there], strata, chances, *how)


def opening(levels: Sequence[dict[str, Any]], delta: float) -> dict[str, Any]:
    """Level from which the gap stays open, by simultaneous intervals; "none" if it does not.

    The fields `_point` take the bare gaps.
    """
    found: dict[str, Any] = {"delta": delta}
    for suffix in ("_core", ""):
        numbers = [row["level"] for row in levels]
        gaps = [row[f"gap{suffix}"] for row in levels]
        lows = [row.get(f"gap{suffix}_low", math.nan) for row in levels]
        for name, level in (
            (f"opening_level{suffix}", opening_level(numbers, gaps, lows, delta)),
            (f"opening_level_point{suffix}", opening_level(numbers, gaps, None, delta)),
        ):
            found[name] = math.nan if not levels else "none" if level is None else level
        if levels and f"gap{suffix}_low" in levels[0]:
            ends = [(row[f"gap{suffix}_low"], row[f"gap{suffix}_high"]) for row in levels]
            found |= opening_ends(f"opening_level{suffix}", numbers, ends, delta)
    return found


def opening_ends(
    name: str, levels: Sequence[int], ends: Sequence[tuple[Any, Any]], delta: float
) -> dict[str, Any]:
    """The earliest and the latest opening of gaps that all lie in their intervals.

    The intervals hold together, so that this one holds as they do.
    """
    highs = [math.inf if math.isnan(high) else high for _, high in ends]
    lows = [-math.inf if math.isnan(low) else low for low, _ in ends]
    return {
        f"{name}_{end}": "none" if level is None else level
        for end, gaps in (("earliest", highs), ("latest", lows))
        for level in [opening_level(levels, gaps, None, delta)]
    }


def condition_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per condition: accuracies by kind of question."""
    rows = []
    for i, condition in enumerate(CONDITIONS):
        row: dict[str, Any] = {"condition": condition, "n": _n_given(scored.correct[:, i])}
        row |= _share(scored.core, "accuracy_core", member=i) | _share(scored, "accuracy", member=i)
        row["accuracy_convention"] = accuracy(scored.correct[scored.pairs.ask(CONVENTION_TYPES), i])
        rows.append(row)
    return rows


def question_type_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per question type, in the suite's order: figures, the gap's interval, chance."""
    rows = []
    for row, part in scored.groups("question_type"):
        row |= {"difficulty": DIFFICULTY[row["question_type"]]} | figures(part) | _gap(part, "gap")
        rows.append(row | {"is_reversed": row["gap"] < 0} | _chance("", part))
    return rows


def pair_tests(scored: Scored) -> dict[str, Any]:
    """Tests of the gap and of the pairing, over the complete pairs of core questions."""
    options, core = scored.options, scored.core.where(complete(scored.core.correct))
    tops, bottoms = gap_sums(core.correct, core.pairs)
    gaps = tops[bottoms > 0] / bottoms[bottoms > 0]  # the questions of a sentence fall together
    table = np.nan_to_num(len(core.correct) * np.array(pair_table(core.correct))).round()
    is_single = core.correct.shape[2] == 1 and len(core.correct)
    mcnemar = mcnemar_test(int(table[1]), int(table[2])) if is_single else math.nan
    found = {"sign_flip_p": sign_flip_test(gaps, seed=options.seed)}
    found["mcnemar_p_assumes_independence"] = mcnemar
    labels, null = core.pairs.labels, RepairingNull()
    if len(core.correct) and set(labels) >= ASKED:
        cells = list(zip(labels["depth"], labels["question_type"], strict=True))
        levels, how = labels["level"].tolist(), (options.n_resamples, options.seed)
        null = repairing_null(core.correct, levels, core.pairs.cluster, cells, *how)
    return found | {
        f"both_correct_core_repaired_{name}": value for name, value in null._asdict().items()
    }


def _share(scored: Scored, name: str, member: int | None = None) -> dict[str, Any]:
    """The share of right answers, of one member of each pair if given, with its interval."""
    correct = scored.correct if member is None else scored.correct[:, member]
    sums = accuracy_sums(correct, scored.pairs)
    return {name: accuracy(correct)} | _share_fields(scored, name, sums)


def _share_fields(scored: Scored, name: str, sums: tuple[FloatArray, FloatArray]) -> dict[str, Any]:
    if scored.how is None:
        return {}
    return share_interval(sums, scored.strata, scored.how).as_fields(name)


def _gap(scored: Scored, name: str) -> dict[str, Any]:
    row = {name: plausibility_gap(scored.correct)}
    _add_gap_intervals([row], scored, name, [scored])
    return row


def _add_gap_intervals(
    rows: list[dict[str, Any]], scored: Scored, name: str, parts: list[Scored]
) -> None:
    """Adds to each row the interval of its part's gap; those of all rows hold together."""
    if scored.how is None or not parts:
        return
    sums = [gap_sums(part.correct, part.pairs) for part in parts]
    tops, bottoms = (np.stack(columns, axis=1) for columns in zip(*sums, strict=True))
    intervals = gap_intervals(tops, bottoms, scored.strata, scored.how)
    for row, found in zip(rows, intervals, strict=True):
        row |= found.as_fields(name)


def _count(scored: Scored) -> dict[str, Any]:
    """Accuracy of counting: asked once per entity, but each sentence counts once, by its mean."""
    right, asked = accuracy_sums(scored.correct, scored.pairs)
    is_asked = asked > 0
    shares = np.where(is_asked, right / np.where(is_asked, asked, 1), 0.0)
    value = float(shares[is_asked].mean()) if is_asked.any() else math.nan
    fields = _share_fields(scored, "accuracy_count", (shares, is_asked.astype(float)))
    return {"accuracy_count": value} | fields


def _chance(suffix: str, part: Scored) -> dict[str, Any]:
    """Accuracy of readers without structure: `chance` is the largest of the three.

    The best constant answer per question type, reading in linear order, and naming the noun beside
    the one in the question.
    """
    constants = [
        (len(group.answers), constant_accuracy(group.given_answers()))
        for _, group in part.groups("question_type")
    ] or [(1, constant_accuracy(part.given_answers()))]
    labels = part.pairs.labels
    linear = neighbour = math.nan
    if set(labels) >= ASKED and len(part.correct):
        asked = (labels["level"] + 1, labels["depth"], labels["question_type"])
        linear = float(np.mean(list(map(linear_order_is_right, *asked))))
    if "question_type" in labels and len(part.correct):
        # the noun after the one in the question acted on it; nobody acted on the innermost entity,
        # so that the noun before it is asked for
        neighbour = float(np.mean(labels["question_type"] == "agent_identification"))
    constant = sum(n * share for n, share in constants) / sum(n for n, _ in constants)
    known = [value for value in (constant, linear, neighbour) if not math.isnan(value)]
    return {
        f"chance_constant{suffix}": constant,
        f"chance_linear_order{suffix}": linear,
        f"chance_next_noun{suffix}": neighbour,
        f"chance{suffix}": max(known, default=math.nan),
    }


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    types = list(DIFFICULTY)
    return tuple(types.index(value) if value in DIFFICULTY else value for value in key)


# --- Matched-pair accuracy: reads answers and rows, matches the pairs, decides, and sums up

VERSION = "2.2.0"


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of answers to question rows; the metric's card describes each field.

    Args:
        inputs: `predictions`, one answer per row, or a list of answers from several runs, whose
            decisions are averaged, None where there is none; `references`, question rows in their
            order, with `answer`, `pair_id`, `condition` and what the scorer needs (strict:
            `events`, `depth`, `question_type`; paper: `question_type`); `level`, `sentence_id` and
            `domain` are used if there.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Flat: scores in [0, 1] and gaps in [-1, 1], nan where undefined; tables under `by_...`.

    Raises:
        ValueError: Rows do not pair up, lack a field, an answer is no text, or there are more or
            fewer predictions than rows.
    """
    options = options or read_options()
    found = INPUTS.read(inputs)
    columns, replies = found["references"], found["predictions"]
    _check_fields(columns, options)
    check_runs(f"{WHERE}: predictions", replies)
    pairs = match_pairs(f"{WHERE}: references", _without_events(columns))
    first = _decide(options.scorer, replies, columns, options)
    is_there = pairs.rows >= 0
    answers = np.array([*to_list(columns["answer"]), None], dtype=object)[pairs.rows]
    correct = np.where(is_there[:, :, None], first.correct[pairs.rows].astype(float), np.nan)
    result = {
        **_provenance(replies, pairs, first, options),
        **_unparsed(first, columns),
        **summarize(Scored(pairs, correct, answers, options, _strata(pairs))),
    }
    if options.compare_with is not None:
        second = _decide(options.compare_with, replies, columns, options)
        result |= _disagreement(first, second, columns, options)
    return result | ({"per_item": _items(replies, first, columns)} if options.per_item else {})


def _without_events(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {name: column for name, column in columns.items() if name != "events"}


def _check_fields(columns: Mapping[str, Any], options: Options) -> None:
    for scorer in filter(None, (options.scorer, options.compare_with)):
        fields = SCORER_FIELDS[scorer]
        if missing := [field for field in fields if field not in columns]:
            where, got = f"{WHERE}: references: scorer={scorer!r}", f"rows without {missing[0]!r}"
            expected = f"rows with {', '.join(fields)}, or scorer='exact', which needs none"
            raise ValueError(f"{where}, got {got}; expected {expected}")


def _decide(scorer: str, replies: Replies, columns: dict[str, Any], options: Options) -> Decisions:
    settings = {"accept_full_chain": options.accept_full_chain, "paper": options.paper_scorer()}
    return decide_all(WHERE, scorer, replies, columns, settings)


def _provenance(
    replies: Replies, pairs: MatchedPairs, decisions: Decisions, options: Options
) -> dict[str, Any]:
    flat = [reply for runs in replies for reply in runs]
    given = [reply for reply in flat if reply is not None]
    is_whole = (pairs.rows >= 0).all(axis=1)
    return {
        "n": len(replies),
        "n_pairs": len(pairs.rows),
        "n_complete_pairs": int(is_whole.sum()),
        "pair_coverage": float(is_whole.mean()),
        "n_clusters": pairs.n_clusters,
        "n_runs": len(replies[0]),
        "n_missing": len(flat) - len(given),
        "n_empty": sum(not reply.strip() for reply in given),
        "coverage": len(given) / len(flat),
        **options.provenance(VERSION, **decisions.options),
    }


def _unparsed(decisions: Decisions, columns: dict[str, Any]) -> dict[str, float]:
    """Share of replies in which nothing could be read, overall and by condition; nan if unread."""
    if decisions.is_parsed is None:
        return dict.fromkeys(
            ("unparsed_rate", *(f"unparsed_rate_{c}" for c in CONDITIONS)), math.nan
        )
    conditions = np.array(columns["condition"], dtype=object)
    unparsed = {"": ~decisions.is_parsed}
    unparsed |= {f"_{name}": ~decisions.is_parsed[conditions == name] for name in CONDITIONS}
    return {
        f"unparsed_rate{end}": float(of.mean()) if of.size else math.nan
        for end, of in unparsed.items()
    }


def _strata(pairs: MatchedPairs) -> IntArray:
    """Level of each sentence pair as a number; one stratum where rows have no level."""
    strata = np.zeros(pairs.n_clusters, np.int64)
    if "level" in pairs.labels:
        strata[pairs.cluster] = np.unique(pairs.labels["level"].tolist(), return_inverse=True)[1]
    return strata


def _disagreement(
    first: Decisions, second: Decisions, columns: dict[str, Any], options: Options
) -> dict[str, Any]:
    """How often two scorers differ, and which of them is the one that accepts."""
    kinds = np.array(columns.get("question_type", ["all"] * len(first.correct)), dtype=object)
    conditions = np.array(columns["condition"], dtype=object)

    def shares(mask: BoolArray) -> dict[str, Any]:
        one, other = first.correct[mask], second.correct[mask]
        return {
            "n": int(mask.sum()),
            "disagreement": float((one != other).mean()),
            f"only_{options.scorer}": float((one & ~other).mean()),
            f"only_{options.compare_with}": float((other & ~one).mean()),
        }

    return {
        "disagreement": float((first.correct != second.correct).mean()),
        "compared_options": second.options,
        "by_disagreement": [
            {"question_type": kind, "condition": condition, **shares(mask)}
            for kind in dict.fromkeys(kinds.tolist())
            for condition in CONDITIONS
            if (mask := (kinds == kind) & (conditions == condition)).any()
        ],
    }


def _items(replies: Replies, decisions: Decisions, columns: dict[str, Any]) -> list[dict[str, Any]]:
    rows = rows_of({name: to_list(column) for name, column in _without_events(columns).items()})
    shares = decisions.correct.mean(axis=1).tolist()
    for row, runs, share in zip(rows, replies, shares, strict=True):
        row |= {"prediction": runs[0] if len(runs) == 1 else runs, "correct": share}
        row["is_middle"] = is_middle(row)
    return rows
