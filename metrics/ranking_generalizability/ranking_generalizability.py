"""Does the ranking of systems on one data set hold on the next? For any metric, on any suite."""

from collections.abc import Mapping
from typing import Any

import datasets
import evaluate
import numpy as np

from ..columns import DirectCompute, check_lengths, to_float_array, to_list
from ..uncertainty import check_confidence, wilson_interval
from .agreement import (
    holds,
    kendall_tau,
    published_order,
    ranking_agreement,
    winner_agreement,
    winner_weights,
)
from .score_table import WHERE, FloatArray, ScoreTable, make_table
from .scoring import (
    VERSION,
    expected_regret,
    noise_only,
    p_best_on_average,
    repeat_noise,
    settle,
    system_spread,
    unit_noise,
    variance_components,
)

_DESCRIPTION = """\
Compares systems that were scored on many resamples of the same material (data sets, draws of a suite, seeds): how often the winner and the
whole ranking of one resample hold on the others, what trusting one resample costs, and how many would settle the winner.
"""
_CITATION = "liu-prudhommeaux-2022-data"
_INPUTS = """\
Args:
    system: name of the system, one per score.
    unit: what was resampled and scored by all systems: a data set, a draw, a language.
    repeat: which run on that unit: a split, a training seed; left out where each unit was run once. All systems need the same runs.
    score: a number.
    higher_is_better: False for distances and error rates.
    first: the unit that was published first; by default the unit of the first row.
    items: {unit: its items}, to print how much the units overlap.
    certainty: wanted probability that the winner is the true one, for n_units_to_settle.
    confidence: level of all intervals.
    seed: of the simulated draws.
Returns:
    best_holds, ranking_holds: as published: share of all units, the first included, that agree with the first; ties in alphabetical order;
    best_holds_others, ranking_holds_others: without the first unit, ties shared; the intervals are conditional on the first unit;
    winner_agreement, ranking_agreement, kendall_tau: mean over all pairs of distinct units;
    expected_regret: score lost by trusting one unit's winner;
    best_on_average, certainty (probability that it is the pool's true best), n_units_to_settle;
    overlap: mean share of a unit's items that another unit has too (nan without items);
    by_system, by_component (variances of a single run), by_null (agreement expected from noise alone), counts, options.
    Scores with an interval have `_low`, `_high` and `_interval`.
Example:
    >>> import evaluate
    >>> ranking = evaluate.load("ranking_generalizability", module_type="comparison")
    >>> scores = {"a": [71, 70, 74, 72], "b": [72, 69, 73, 70]}
    >>> rows = [(system, unit, score) for system, column in scores.items() for unit, score in zip("wxyz", column)]
    >>> system, unit, score = zip(*rows)
    >>> result = ranking.compute(system=system, unit=unit, score=score)
    >>> result["best_holds"], round(result["winner_agreement"], 3), round(result["expected_regret"], 3)
    (0.25, 0.5, 0.333)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class RankingGeneralizability(DirectCompute, evaluate.Comparison):
    """Compares systems over resamples."""

    def _info(self) -> evaluate.ComparisonInfo:
        text = datasets.Value("string")
        features = datasets.Features(
            {"system": text, "unit": text, "repeat": text, "score": datasets.Value("float64")}
        )
        return evaluate.ComparisonInfo(
            module_type="comparison",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=features,
            reference_urls=["https://doi.org/10.1162/tacl_a_00467"],
        )

    def compute(
        self,
        *,
        system: Any = None,
        unit: Any = None,
        repeat: Any = None,
        score: Any = None,
        **options: Any,
    ) -> Any:
        """Compares systems on whole columns; see the module's description. Without `repeat` every unit was run once."""
        if repeat is None and unit is not None:
            repeat = [""] * len(unit)
        return super().compute(system=system, unit=unit, repeat=repeat, score=score, **options)

    def _compute(
        self,
        system: Any,
        unit: Any,
        repeat: Any,
        score: Any,
        higher_is_better: bool = True,
        first: Any = None,
        items: Mapping[Any, Any] | None = None,
        certainty: float = 0.95,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> dict[str, Any]:
        check_confidence(confidence)
        if not 0 < certainty < 1:
            raise ValueError(
                f"{WHERE}: certainty, got {certainty}; expected a probability in (0, 1), such as 0.95"
            )
        systems, units, repeats = to_list(system), to_list(unit), to_list(repeat)
        scores = to_float_array(f"{WHERE}: score", score)
        n = check_lengths(WHERE, system=systems, unit=units, repeat=repeats, score=scores)
        sign = 1.0 if higher_is_better else -1.0
        table = make_table(systems, units, repeats, sign * scores)
        number = first_unit(table, first)
        result = agreement_fields(table, number, confidence) | settlement_fields(
            table, certainty, confidence, seed
        )
        result |= {"overlap": unit_overlap(table, items), "first": table.units[number]}
        result |= {"n": n, "n_systems": len(table.systems), "n_units": len(table.units)}
        result |= {
            "n_runs": table.runs.shape[1],
            "higher_is_better": higher_is_better,
            "confidence": confidence,
            "version": VERSION,
        }
        result |= {
            "by_system": system_rows(
                table, number, sign, result.pop("p_best_on_average"), confidence
            )
        }
        return result | {"by_component": component_rows(table), "by_null": null_rows(table, seed)}


def first_unit(table: ScoreTable, first: Any) -> int:
    """Gives the row of the unit published first; a ValueError where no unit has that name."""
    names = [str(unit) for unit in table.units]
    if first is not None and str(first) not in names:
        raise ValueError(
            f"{WHERE}: first, got {first!r}; expected one of the {len(names)} units, such as {table.units[0]!r}"
        )
    return 0 if first is None else names.index(str(first))


def agreement_fields(table: ScoreTable, first: int, confidence: float) -> dict[str, Any]:
    """Gives how well units agree, as published and over all pairs, and the number of ties."""
    scores = table.unit_scores
    held = holds(scores, first, confidence)
    order = [table.systems[i] for i in published_order(scores)[first][::-1]]
    result: dict[str, Any] = {
        "best_holds": held.best,
        "ranking_holds": held.ranking,
        "first_best": order[0],
        "first_ranking": order,
    }
    estimates = {
        "best_holds_others": held.best_of_others,
        "ranking_holds_others": held.ranking_of_others,
        "winner_agreement": winner_agreement(scores, confidence),
        "ranking_agreement": ranking_agreement(scores, confidence),
        "kendall_tau": kendall_tau(scores, confidence),
        "expected_regret": expected_regret(scores, confidence),
    }
    for name, estimate in estimates.items():
        result |= {name: estimate.value, **estimate.interval.as_fields(name)}
    ordered = np.sort(scores, axis=1)
    return result | {
        "n_units_with_tied_best": int((ordered[:, -1] == ordered[:, -2]).sum()),
        "n_units_with_ties": int((ordered[:, 1:] == ordered[:, :-1]).any(axis=1).sum()),
    }


def settlement_fields(
    table: ScoreTable, certainty: float, confidence: float, seed: int
) -> dict[str, Any]:
    """Gives the system that is best on average, how sure that is, and the number of units that would settle it."""
    settled = settle(table.unit_scores, certainty, confidence, seed)
    chances = p_best_on_average(table.unit_scores, seed)
    return {
        "best_on_average": table.systems[settled.best],
        "certainty": float(chances[settled.best]),
        "n_units_to_settle": settled.n_units,
        **settled.n_units_interval.as_fields("n_units_to_settle"),
        "certainty_wanted": certainty,
        "p_best_on_average": chances,
    }


def unit_overlap(table: ScoreTable, items: Mapping[Any, Any] | None) -> float:
    """Gives the mean share of a unit's distinct items that another unit has too, in [0, 1]; nan where the items were not given.

    Units that overlap are no independent samples: resamples of a small pool agree more than new
        data would.
    """
    if items is None:
        return float("nan")
    if missing := [unit for unit in table.units if unit not in items]:
        raise ValueError(
            f"{WHERE}: items, got none for unit {missing[0]!r}; expected the items of every unit"
        )
    counts: dict[Any, int] = {}
    for unit in table.units:
        for item in set(to_list(items[unit])):
            counts[item] = counts.get(item, 0) + 1
    total = sum(counts.values())
    return (
        sum(k * (k - 1) for k in counts.values()) / (total * (len(table.units) - 1))
        if total
        else float("nan")
    )


def system_rows(
    table: ScoreTable, first: int, sign: float, p_best_on_average: FloatArray, confidence: float
) -> list[dict[str, Any]]:
    """Gives one row per system: Table 2 of the paper, and how often and how probably it is the best."""
    scores, n = sign * table.unit_scores, len(table.units)
    weights = winner_weights(table.unit_scores)
    published = (
        np.bincount(published_order(table.unit_scores)[:, -1], minlength=len(table.systems)) / n
    )
    spread = system_spread(table.runs, table.starts)
    rows = []
    for i, system in enumerate(table.systems):
        column = scores[:, i]
        wins = float(weights[:, i].sum())
        rows.append(
            {
                "system": system,
                "first": float(column[first]),
                "mean": float(column.mean()),
                "sd": float(column.std(ddof=1)),
            }
            | {
                "min": float(column.min()),
                "max": float(column.max()),
                "range": float(np.ptp(column)),
            }
            | {
                "first_minus_mean": float(column[first] - column.mean()),
                "best_share": float(published[i]),
                "p_best": wins / n,
            }
            | wilson_interval(wins, n, confidence).as_fields("p_best")
            | {"p_best_on_average": float(p_best_on_average[i])}
            | {"unit_sd": float(spread.unit_sd[i]), "repeat_sd": float(spread.repeat_sd[i])}
        )
    return rows


def component_rows(table: ScoreTable) -> list[dict[str, Any]]:
    """Gives the variance components of a single run with their shares of what is positive."""
    components = variance_components(table.runs, table.starts)._asdict()
    total = sum(value for value in components.values() if value > 0)
    return [
        {
            "component": name,
            "variance": value,
            "share": max(0.0, value) / total if total and value == value else float("nan"),
        }
        for name, value in components.items()
    ]


def null_rows(table: ScoreTable, seed: int) -> list[dict[str, Any]]:
    """Gives the agreement that noise alone would produce: of repeats (where there are any), and of whole units."""
    noises = {
        "repeat": repeat_noise(table.runs, table.starts),
        "unit": unit_noise(table.unit_scores),
    }
    return [
        {"noise": name, **noise_only(table.unit_scores, noise, seed)._asdict()}
        for name, noise in noises.items()
        if not np.isnan(noise).any()
    ]
