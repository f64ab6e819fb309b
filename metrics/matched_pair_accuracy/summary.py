"""From decisions on matched pairs to the metric's result: headline figures, tables and tests.

Suffix `_core`: questions about structure alone (action, agent, nested dependency), which the
headline is about. No suffix: all six types, as published. Causal sequence and chain consequence
follow a convention of the suite: the sentences never say that one event caused another.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..columns import BoolArray, FloatArray
from ..significance import mcnemar_test
from ..uncertainty import Interval
from .chance import constant_accuracy, linear_order_is_right
from .gap import (
    accuracy,
    accuracy_sums,
    gap_interval,
    gap_sums,
    macro_accuracy,
    median_gap,
    opening_level,
    pair_table,
    plausibility_gap,
    repairing_null,
    sentence_sign_flip,
    share_interval,
)
from .options import Options
from .pairing import (
    CONDITIONS,
    CONVENTION_TYPES,
    COUNT_TYPE,
    DIFFICULTY,
    NO_LABELS,
    Pairs,
)


class Scored(NamedTuple):
    """Matched pairs, whether each is `correct`, (m, 2, r), gold `answers`, (m, 2), and options."""

    pairs: Pairs
    correct: FloatArray
    answers: npt.NDArray[np.object_]
    options: Options

    def where(self, places: BoolArray | list[int]) -> "Scored":
        """Pairs at some places."""
        labels = {name: values[places] for name, values in self.pairs.labels.items()}
        pairs = self.pairs._replace(
            rows=self.pairs.rows[places], cluster=self.pairs.cluster[places], labels=labels
        )
        return Scored(pairs, self.correct[places], self.answers[places], self.options)

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
        **_chance(scored, "_core", core),
        **_chance(scored, "", scored),
    }


def figures(scored: Scored, suffix: str = "") -> dict[str, Any]:
    """Counts, accuracies, gap and 2x2 table of a part, without intervals."""
    correct = scored.correct
    table = pair_table(correct)
    return {
        f"n{suffix}": 2 * len(correct),
        f"accuracy{suffix}": accuracy(correct),
        **{
            f"accuracy_{name}{suffix}": accuracy(correct[:, i]) for i, name in enumerate(CONDITIONS)
        },
        f"gap{suffix}": plausibility_gap(correct) if len(correct) else math.nan,
        **{f"{name}{suffix}": value for name, value in table._asdict().items()},
    }


def level_table(scored: Scored) -> list[dict[str, Any]]:
    """One row per level; the intervals of its gaps hold for all levels together (Bonferroni)."""
    groups = list(scored.groups("level"))
    rows = []
    for row, part in groups:
        core = part.core
        row |= figures(part) | figures(core, "_core") | {"n_clusters": _n_clusters(part)}
        for i, name in enumerate(CONDITIONS):
            row |= _share(core, f"accuracy_{name}_core", member=i)
        row |= _gap(part, "gap", len(groups)) | _gap(core, "gap_core", len(groups))
        rows.append(row)
    return rows


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
        row: dict[str, Any] = {"condition": condition, "n": len(scored.correct)}
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
        rows.append(row | {"is_reversed": row["gap"] < 0} | _chance(part, "", part))
    return rows


def pair_tests(scored: Scored) -> dict[str, Any]:
    """Tests of the gap and of the pairing, over the core questions."""
    core, options = scored.core, scored.options
    table = (len(core.correct) * np.array(pair_table(core.correct))).round()
    has_one_run = core.correct.ndim == 3 and core.correct.shape[2] == 1 and len(core.correct)
    found: dict[str, Any] = {
        "sign_flip_p": sentence_sign_flip(core.correct, core.pairs.cluster, options.seed)
        if len(core.correct)
        else math.nan,
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
    return {name: accuracy(correct)} | _interval(
        scored, name, share_interval, accuracy_sums(correct, scored.pairs.cluster)
    )


def _gap(scored: Scored, name: str, n_simultaneous: int = 1) -> dict[str, Any]:
    gap = plausibility_gap(scored.correct) if len(scored.correct) else math.nan
    return {name: gap} | _interval(
        scored, name, gap_interval, gap_sums(scored.correct, scored.pairs.cluster), n_simultaneous
    )


def _count(scored: Scored) -> dict[str, Any]:
    """Accuracy of counting: asked once per entity, but each sentence counts once, by its mean."""
    right, asked = accuracy_sums(scored.correct, scored.pairs.cluster)
    shares = right / asked
    value = float(shares.mean()) if len(shares) else math.nan
    return {"accuracy_count": value} | _interval(
        scored, "accuracy_count", share_interval, (shares, np.ones_like(shares))
    )


def _interval(
    scored: Scored,
    name: str,
    method: Callable[[tuple[FloatArray, FloatArray], float, int, int], Interval],
    sums: tuple[FloatArray, FloatArray],
    n_simultaneous: int = 1,
) -> dict[str, Any]:
    options = scored.options
    if options.confidence is None:
        return {}
    level = 1 - (1 - options.confidence) / n_simultaneous
    found = method(sums, level, options.n_resamples, options.seed)
    note = (
        f"{found.note}, for {n_simultaneous} levels together" if n_simultaneous > 1 else found.note
    )
    return found._replace(note=note).as_fields(name)


def _chance(scored: Scored, suffix: str, part: Scored) -> dict[str, Any]:
    """Accuracy of the best constant answer per question type, and of reading in linear order."""
    constants = [
        (len(group.answers), constant_accuracy(group.answers.ravel().tolist()))
        for _, group in part.groups("question_type")
    ] or [(1, constant_accuracy(part.answers.ravel().tolist()))]
    labels = part.pairs.labels
    linear = math.nan
    if {"level", "depth", "question_type"} <= set(labels) and len(part.correct):
        asked = zip(labels["level"], labels["depth"], labels["question_type"], strict=True)
        linear = float(
            np.mean([linear_order_is_right(level + 1, depth, kind) for level, depth, kind in asked])
        )
    constant = sum(n * share for n, share in constants) / sum(n for n, _ in constants)
    return {f"chance_constant{suffix}": constant, f"chance_linear_order{suffix}": linear}


def _n_clusters(scored: Scored) -> int:
    return len(np.unique(scored.pairs.cluster))


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    types = list(DIFFICULTY)
    return tuple(types.index(value) if value in DIFFICULTY else value for value in key)
