"""From decisions on matched pairs to the metric's result: headline figures, tables and tests.

Suffix `_core`: questions about structure alone (action, agent, nested dependency), which the
headline is about. No suffix: all six types, as published. Causal sequence and chain consequence
follow a convention of the suite: the sentences never say that one event caused another.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..columns import BoolArray, FloatArray, IntArray
from ..significance import mcnemar_test
from .chance import constant_accuracy, linear_order_is_right, next_noun_is_right
from .gap import (
    accuracy,
    accuracy_sums,
    complete,
    gap_sums,
    macro_accuracy,
    median_gap,
    opening_level,
    pair_table,
    plausibility_gap,
    repairing_null,
    sentence_sign_flip,
)
from .inputs import CONDITIONS
from .intervals import Resampling, gap_intervals, share_interval, trend
from .options import Options
from .pairing import (
    CONVENTION_TYPES,
    COUNT_TYPE,
    DIFFICULTY,
    NO_LABELS,
    MatchedPairs,
)


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
        pairs = self.pairs._replace(
            rows=self.pairs.rows[places], cluster=self.pairs.cluster[places], labels=labels
        )
        return Scored(pairs, self.correct[places], self.answers[places], self.options, self.strata)

    def groups(self, *names: str) -> Iterator[tuple[dict[str, Any], "Scored"]]:
        """Pairs of each combination of labels that occurs; none where the rows lack a label."""
        if not self.correct.size or any(name not in self.pairs.labels for name in names):
            return
        places: dict[tuple[Any, ...], list[int]] = {}
        for i, key in enumerate(
            zip(*(self.pairs.labels[name].tolist() for name in names), strict=True)
        ):
            places.setdefault(key, []).append(i)
        for key in sorted(places, key=_order):
            yield dict(zip(names, key, strict=True)), self.where(places[key])

    @property
    def how(self) -> Resampling | None:
        """How intervals are computed; None for none."""
        if self.options.confidence is None:
            return None
        return Resampling(self.options.confidence, self.options.n_resamples, self.options.seed)

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
    types = question_type_table(scored)
    return {
        **headline(scored),
        **opening(levels, scored.options.delta),
        **gap_trend(scored),
        **pair_tests(scored),
        "by_level": levels,
        "by_condition": condition_table(scored),
        "by_question_type": types,
        "by_difficulty": [row | figures(part) for row, part in scored.groups("difficulty")],
        "by_domain": [
            row | figures(part) | figures(part.core, "_core")
            for row, part in scored.groups("domain")
        ],
        "by_level_difficulty": [
            row | figures(part) for row, part in scored.groups("level", "difficulty")
        ],
        "by_level_question_type": [
            row | figures(part) for row, part in scored.groups("level", "question_type")
        ],
    }


def headline(scored: Scored) -> dict[str, Any]:
    """Accuracies and gaps over everything with their intervals, medians over cells, and chance."""
    core, levels = scored.core, scored.pairs.labels.get("level", NO_LABELS)
    convention = scored.where(scored.pairs.are("question_type", CONVENTION_TYPES))
    gaps = [plausibility_gap(part.correct) for _, part in scored.groups("level", "question_type")]
    return {
        **figures(core, "_core"),
        **_share(core, "accuracy_core"),
        **_gap(core, "gap_core"),
        **figures(scored),
        **_share(scored, "accuracy"),
        **_gap(scored, "gap"),
        **_share(convention, "accuracy_convention"),
        **_count(scored.where(scored.pairs.are("question_type", [COUNT_TYPE]))),
        "accuracy_macro_core": macro_accuracy(
            core.correct, core.pairs.labels.get("level", NO_LABELS).tolist()
        ),
        "accuracy_macro": macro_accuracy(scored.correct, levels.tolist()),
        "median_gap": median_gap(gaps),
        "median_absolute_gap": median_gap(gaps, absolute=True),
        **_chance("_core", core),
        **_chance("", scored),
    }


def figures(scored: Scored, suffix: str = "") -> dict[str, Any]:
    """Counts, accuracies, gap and 2x2 table of a part, without intervals."""
    correct = scored.correct
    table = pair_table(correct)
    return {
        f"n{suffix}": int((~np.isnan(correct[:, :, :1])).sum()),
        f"accuracy{suffix}": accuracy(correct),
        **{
            f"accuracy_{name}{suffix}": accuracy(correct[:, i]) for i, name in enumerate(CONDITIONS)
        },
        f"gap{suffix}": plausibility_gap(correct),
        **{f"{name}{suffix}": value for name, value in table._asdict().items()},
    }


def level_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per level; the intervals of its gaps hold for all levels together."""
    groups = list(scored.groups("level"))
    rows = []
    for row, part in groups:
        core = part.core
        row |= figures(part) | figures(core, "_core") | {"n_clusters": _n_clusters(part)}
        for i, name in enumerate(CONDITIONS):
            row |= _share(core, f"accuracy_{name}_core", member=i)
        rows.append(row)
    _add_gap_intervals(rows, scored, "gap", [part for _, part in groups])
    _add_gap_intervals(rows, scored, "gap_core", [part.core for _, part in groups])
    return rows


def gap_trend(scored: Scored) -> dict[str, Any]:
    """Slope of the core gap over levels, `trend` (see `intervals.trend`)."""
    core = scored.core
    groups = list(core.groups("level"))
    n_clusters = core.pairs.n_clusters
    sums = [
        accuracy_sums(core.correct[complete(core.correct), i], _whole_clusters(core), n_clusters)
        for i in range(2)
    ]
    rights, asked = (np.stack(columns, axis=1) for columns in zip(*sums, strict=True))
    is_there = (asked > 0).all(axis=1)
    strata = np.unique(core.strata[is_there], return_inverse=True)[1]
    chances = [_largest_chance(part) for _, part in groups]
    levels = [row["level"] for row, _ in groups]
    return trend(
        levels, rights[is_there], asked[is_there], strata, chances, core.how, core.options.seed
    )


def opening(levels: Sequence[dict[str, Any]], delta: float) -> dict[str, Any]:
    """Level from which the gap stays open, "none" where it does not.

    By simultaneous intervals, and (`_point`) as the bare gaps have it.
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
    return found


def condition_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per condition: accuracies by kind of question."""
    rows = []
    for i, condition in enumerate(CONDITIONS):
        row: dict[str, Any] = {
            "condition": condition,
            "n": int((~np.isnan(scored.correct[:, i, 0])).sum()),
        }
        row |= _share(scored.core, "accuracy_core", member=i) | _share(scored, "accuracy", member=i)
        row["accuracy_convention"] = accuracy(
            scored.correct[scored.pairs.are("question_type", CONVENTION_TYPES), i]
        )
        rows.append(row)
    return rows


def question_type_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per question type, in the suite's order: figures, the gap's interval, chance."""
    rows = []
    for row, part in scored.groups("question_type"):
        row |= {
            "difficulty": DIFFICULTY[row["question_type"]],
            **figures(part),
            **_gap(part, "gap"),
        }
        rows.append(row | {"is_reversed": row["gap"] < 0} | _chance("", part))
    return rows


def pair_tests(scored: Scored) -> dict[str, Any]:
    """Tests of the gap and of the pairing, over the complete pairs of core questions."""
    core, options = scored.core, scored.options
    core = core.where(complete(core.correct))
    table = np.nan_to_num(len(core.correct) * np.array(pair_table(core.correct))).round()
    has_one_run = core.correct.shape[2] == 1 and len(core.correct)
    found: dict[str, Any] = {
        "sign_flip_p": sentence_sign_flip(core.correct, core.pairs.cluster, options.seed),
        "mcnemar_p_assumes_independence": mcnemar_test(int(table[1]), int(table[2]))
        if has_one_run
        else math.nan,
    }
    labels = core.pairs.labels
    names = ("mean", "low", "high", "p")
    null: Sequence[float] = (math.nan,) * 4
    if len(core.correct) and {"level", "depth", "question_type"} <= set(labels):
        cells = list(zip(labels["depth"], labels["question_type"], strict=True))
        null = repairing_null(
            core.correct,
            labels["level"].tolist(),
            core.pairs.cluster,
            cells,
            options.n_resamples,
            options.seed,
        )
    return found | {
        f"both_correct_core_repaired_{name}": value for name, value in zip(names, null, strict=True)
    }


def _share(scored: Scored, name: str, member: int | None = None) -> dict[str, Any]:
    """The share of right answers, of one member of each pair if given, with its interval."""
    correct = scored.correct if member is None else scored.correct[:, member]
    sums = accuracy_sums(correct, scored.pairs.cluster, scored.pairs.n_clusters)
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
    sums = [gap_sums(part.correct, part.pairs.cluster, scored.pairs.n_clusters) for part in parts]
    tops, bottoms = (np.stack(columns, axis=1) for columns in zip(*sums, strict=True))
    for row, found in zip(
        rows, gap_intervals(tops, bottoms, scored.strata, scored.how), strict=True
    ):
        row |= found.as_fields(name)


def _count(scored: Scored) -> dict[str, Any]:
    """Accuracy of counting: asked once per entity, but each sentence counts once, by its mean."""
    right, asked = accuracy_sums(scored.correct, scored.pairs.cluster, scored.pairs.n_clusters)
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
    if {"level", "depth", "question_type"} <= set(labels) and len(part.correct):
        asked = zip(labels["level"], labels["depth"], labels["question_type"], strict=True)
        linear = float(
            np.mean([linear_order_is_right(level + 1, depth, kind) for level, depth, kind in asked])
        )
    if "question_type" in labels and len(part.correct):
        neighbour = float(np.mean([next_noun_is_right(kind) for kind in labels["question_type"]]))
    constant = sum(n * share for n, share in constants) / sum(n for n, _ in constants)
    known = [value for value in (constant, linear, neighbour) if not math.isnan(value)]
    return {
        f"chance_constant{suffix}": constant,
        f"chance_linear_order{suffix}": linear,
        f"chance_next_noun{suffix}": neighbour,
        f"chance{suffix}": max(known, default=math.nan),
    }


def _largest_chance(part: Scored) -> float:
    return float(_chance("", part)["chance"])


def _whole_clusters(scored: Scored) -> IntArray:
    return scored.pairs.cluster[complete(scored.correct)]


def _n_clusters(scored: Scored) -> int:
    return len(np.unique(scored.pairs.cluster))


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    types = list(DIFFICULTY)
    return tuple(types.index(value) if value in DIFFICULTY else value for value in key)
