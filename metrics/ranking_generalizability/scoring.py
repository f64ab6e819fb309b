"""Does the ranking of systems hold on the next unit? From columns of scores to every answer.

A unit is what was resampled and scored by all systems: a data set, a draw of a suite, a language.
Everything speaks about further units of the same pool, not about another pool.

Source: Liu & Prud'hommeaux (2022), 6.1 and 7.1.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..columns import FloatArray, to_list
from ..uncertainty import Interval, undefined_interval
from .agreement import (
    holds,
    kendall_tau,
    published_order,
    ranking_agreement,
    winner_agreement,
    winner_weights,
)
from .components import (
    SystemSpread,
    component_interval,
    restricted_components,
    system_spread,
)
from .inputs import INPUTS
from .item_level import ITEM_NAMES
from .letters import letters
from .noise import noise_only, repeat_noise, unit_noise
from .options import Options
from .pairs import RankSets, comparisons, partial_rank_sets, rank_sets
from .regret import expected_regret
from .reml import Fit
from .score_table import WHERE, ScoreTable, item_cells, item_means, make_table
from .settlement import LEAST_CERTAINTY, Leader, leader, settle
from .shares import share_interval
from .verdict import quotable

VERSION = "2.0.0"
UNDECIDED = "undecided"
AGREEMENTS = (
    *("best_holds", "ranking_holds", "best_holds_others", "ranking_holds_others"),
    *("winner_agreement", "ranking_agreement", "kendall_tau", "expected_regret"),
)


def score(inputs: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Comparison of systems over units.

    Args:
        inputs: Columns `system`, `unit`, `score` and, where a unit was run more than once,
            `repeat`; rows in any order.
        options: Direction, first unit, levels, seed.

    Returns:
        Agreement, regret and certainty of the winner with their intervals, counts and options;
        `by_system`, `by_pair`, `by_component` and `by_null` are lists of flat rows. Under three
        units nothing is claimed: what needs more is nan.

    Raises:
        ValueError: A score is missing or not finite, a run was scored twice, or there are fewer
            than two systems or units.
    """
    table = read_table(inputs, options)
    first = first_unit(table, options.first)
    fit = restricted_components(table)
    leading = leader(table, options.seed)
    result = agreement_fields(table, first, options) | settlement_fields(table, options, leading)
    result |= {"overlap": unit_overlap(table, options.items)}
    result |= {"first": table.units[first] if table.units else None}
    result |= count_fields(table) | options.provenance(VERSION)
    result |= {"higher_is_better": options.higher_is_better, "confidence": options.confidence}
    result |= {
        "by_system": system_rows(table, first, leading, fit, options),
        "by_pair": pair_rows(table, options),
        "by_component": component_rows(fit, options.confidence),
        "by_null": null_rows(table, options.seed),
    }
    add_letters(result["by_system"], result["by_pair"])
    add_distances(result["by_system"], result["by_pair"], result["best_on_average"])
    return result | {"verdict": quotable(result)}


def read_table(inputs: Mapping[str, Any], options: Options) -> ScoreTable:
    """Columns as a table in which a higher score is better."""
    columns = INPUTS.read(inputs)
    if columns["repeat"] is None:
        columns["repeat"] = unnamed_repeats(columns, options)
    columns["score"] = _sign(options) * columns["score"]
    if (item := columns.pop("item")) is None:
        return make_table(**columns, missing=options.missing)
    items = item_cells(columns, item)
    return make_table(**item_means(columns, item), missing=options.missing)._replace(items=items)


def unnamed_repeats(columns: Mapping[str, Any], options: Options) -> list[Any]:
    """One repeat for all; where every score counts and a unit has several, one for each score."""
    n, cells = len(columns["unit"]), zip(columns["system"], columns["unit"], strict=True)
    if options.missing == "model" and columns["item"] is None and len(set(cells)) < n:
        return list(range(n))
    return [""] * n


def first_unit(table: ScoreTable, first: Any) -> int:
    """Row of the unit published first; a ValueError where no unit has that name."""
    names = [str(unit) for unit in table.units]
    if first is not None and str(first) not in names:
        raise ValueError(
            f"{WHERE}: first, got {first!r}; "
            f"expected one of the {len(names)} units, such as {table.units[0]!r}"
        )
    return 0 if first is None else names.index(str(first))


def agreement_fields(table: ScoreTable, first: int, options: Options) -> dict[str, Any]:
    """How well units agree, as published and over all pairs, what trusting one costs, and ties."""
    scores, confidence = table.unit_scores, options.confidence
    if len(scores) < 2:
        return undefined_agreement(len(scores)) | tie_counts(scores)
    held = holds(scores, first, confidence)
    order = [table.systems[i] for i in published_order(scores)[first][::-1]]
    result: dict[str, Any] = {"first_best": order[0], "first_ranking": order}
    estimates = {
        "best_holds": held.best,
        "ranking_holds": held.ranking,
        "best_holds_others": held.best_of_others,
        "ranking_holds_others": held.ranking_of_others,
        "winner_agreement": winner_agreement(scores, confidence),
        "ranking_agreement": ranking_agreement(scores, confidence),
        "kendall_tau": kendall_tau(scores, confidence),
    }
    for name, estimate in estimates.items():
        result |= {name: estimate.value, **estimate.interval.as_fields(name)}
    regret = expected_regret(scores, confidence, options.seed)
    result |= {"expected_regret": regret.value, **regret.interval.as_fields("expected_regret")}
    result |= {"expected_regret_plug_in": regret.plug_in}
    result |= {"expected_regret_cross_fitted": regret.cross_fitted}
    return result | tie_counts(scores)


def undefined_agreement(n_units: int) -> dict[str, Any]:
    """What `agreement_fields` has where fewer than two units have scores of all systems."""
    reason = undefined_interval(f"{n_units} unit(s) that all systems scored")
    fields: dict[str, Any] = {"first_best": None, "first_ranking": []}
    for name in AGREEMENTS:
        fields |= {name: math.nan, **reason.as_fields(name)}
    return fields | {"expected_regret_plug_in": math.nan, "expected_regret_cross_fitted": math.nan}


def tie_counts(unit_scores: FloatArray) -> dict[str, int]:
    """Number of units whose best systems tie, and in which any systems tie."""
    ordered = np.sort(unit_scores, axis=1)
    return {
        "n_units_with_tied_best": int((ordered[:, -1] == ordered[:, -2]).sum()),
        "n_units_with_ties": int((ordered[:, 1:] == ordered[:, :-1]).any(axis=1).sum()),
    }


def settlement_fields(table: ScoreTable, options: Options, leading: Leader) -> dict[str, Any]:
    """The system that is best on average, how sure that is, and the units that would settle it."""
    settled = settle(table.unit_scores, options.certainty, options.confidence, options.seed)
    best, certainty = table.systems[leading.best], float(leading.chances[leading.best])
    return {
        "best_on_average": best,
        "certainty": certainty,
        "winner": best if certainty >= LEAST_CERTAINTY else UNDECIDED,
        "n_units_to_settle": settled.n_units,
        **settled.n_units_interval.as_fields("n_units_to_settle"),
        "certainty_wanted": options.certainty,
    }


def unit_overlap(table: ScoreTable, items: Mapping[Any, Any] | None) -> float:
    """Mean share of a unit's distinct items that another unit has too, in [0, 1].

    Units that overlap are no independent samples: resamples of a small pool agree more than new
    data would. nan where the items were not given.
    """
    if items is None:
        return math.nan
    if missing := [unit for unit in table.units if unit not in items]:
        raise ValueError(
            f"{WHERE}: items, got none for unit {missing[0]!r}; expected the items of every unit"
        )
    counts: dict[Any, int] = {}
    for unit in table.units:
        for item in set(to_list(items[unit])):
            counts[item] = counts.get(item, 0) + 1
    total = sum(counts.values())
    shared = sum(k * (k - 1) for k in counts.values())
    return shared / (total * (len(table.units) - 1)) if total else math.nan


def count_fields(table: ScoreTable) -> dict[str, int]:
    """Numbers of scores, systems, units that all systems scored and others that count, runs.

    And of scores that are left out of comparisons.
    """
    n_systems, n_runs = table.runs.shape
    n, n_units = len(table.cells.score), len(table.units)
    counts = {"n": n, "n_systems": n_systems, "n_units": n_units, "n_runs": n_runs}
    if table.partial is None:
        return counts | {"n_left_out": n - n_systems * n_runs, "n_units_partial": 0}
    return counts | {"n_left_out": 0, "n_units_partial": len(table.partial) - n_units}


def system_rows(
    table: ScoreTable, first: int, leading: Leader, fit: Fit, options: Options
) -> list[dict[str, Any]]:
    """One row per system: Table 2 of the paper, how often it is the best, and its ranks."""
    n, sign = len(table.units), _sign(options)
    wins = winner_weights(table.unit_scores).sum(axis=0).tolist()
    winners = published_order(table.unit_scores)[:, -1]
    published = np.bincount(winners, minlength=len(table.systems)) / (n or math.nan)
    spread, ranks = spread_of(table), ranks_of(table, leading, options)
    rows: list[dict[str, Any]] = []
    for i, system in enumerate(table.systems):
        row: dict[str, Any] = {
            "system": system,
            **column_fields(
                sign * table.compared[:, i], sign * table.unit_scores[first : first + 1, i]
            ),
        }
        adjusted = fit.means if table.partial is None else leading.means
        row |= {"mean_adjusted": sign * float(adjusted[i])}
        row |= {"best_share": float(published[i]), "p_best": wins[i] / (n or math.nan)}
        row |= share_interval(min(wins[i], n), n, options.confidence).as_fields("p_best")
        row |= {"unit_sd": float(spread.unit_sd[i]), "repeat_sd": float(spread.repeat_sd[i])}
        row |= {"rank": int(ranks.rank[i]), "rank_low": int(ranks.low[i])}
        row |= {"rank_high": int(ranks.high[i]), "rank_interval": ranks.note}
        rows.append(row | {"p_best_on_average": float(leading.chances[i])})
    return rows


def spread_of(table: ScoreTable) -> SystemSpread:
    """Standard deviations of each system; where systems lack units, those of their unit scores."""
    if table.partial is None:
        return system_spread(table.runs, table.starts)
    sds = [sd_of(column[~np.isnan(column)]) for column in table.partial.T]
    return SystemSpread(np.array(sds), np.full(len(sds), math.nan))


def sd_of(values: FloatArray) -> float:
    """Standard deviation of a sample; nan for fewer than two values."""
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def ranks_of(table: ScoreTable, leading: Leader, options: Options) -> RankSets:
    """Plausible ranks, by the largest t; where systems lack units, by the units of each pair."""
    if table.partial is None:
        return rank_sets(table.unit_scores, options.confidence, options.seed)
    return partial_rank_sets(table.partial, leading.means, options.confidence)


def column_fields(column: FloatArray, first: FloatArray) -> dict[str, float]:
    """Spread of one system's unit scores, as Table 2 of the paper has it.

    Args:
        column: Its unit scores, nan where it has none.
        first: That of the first unit, if there is one.
    """
    column, start = column[~np.isnan(column)], float(first[0]) if len(first) else math.nan
    mean = float(column.mean())
    return {
        "first": start,
        "mean": mean,
        "sd": sd_of(column),
        "min": float(column.min()),
        "max": float(column.max()),
        "range": float(np.ptp(column)),
        "first_minus_mean": start - mean,
    }


def pair_rows(table: ScoreTable, options: Options) -> list[dict[str, Any]]:
    """One row per pair of systems: difference of means, p by itself and by Holm, probabilities."""
    sign = _sign(options)
    rows: list[dict[str, Any]] = []
    for pair in comparisons(table.compared, options.rope, options.confidence):
        low, high, note = pair.difference.interval
        ends = (low, high) if sign > 0 else (-high, -low)
        row: dict[str, Any] = {"system": table.systems[pair.first]}
        row |= {"other": table.systems[pair.second]}
        row |= {"difference": sign * pair.difference.value}
        row |= Interval(*ends, note).as_fields("difference")
        row |= {"p": pair.p, "p_holm": pair.p_holm, "p_better": pair.p_better}
        row |= {"p_equivalent": pair.p_equivalent, "p_worse": pair.p_worse}
        row |= {"decision": pair.decision(options.confidence)}
        row |= {"wins": pair.wins.value, **pair.wins.interval.as_fields("wins")}
        rows.append(row)
    return rows


def add_letters(systems: list[dict[str, Any]], pairs: Sequence[Mapping[str, Any]]) -> None:
    """Adds `letters` to the rows of systems: those that share one are not shown to differ."""
    order = sorted(range(len(systems)), key=lambda i: systems[i]["rank"])
    place = {row["system"]: i for i, row in enumerate(systems)}
    different = [
        (place[row["system"]], place[row["other"]])
        for row in pairs
        if row["decision"] in ("better", "worse")
    ]
    for i, text in letters(order, different).items():
        systems[i]["letters"] = text


def add_distances(
    systems: list[dict[str, Any]], pairs: Sequence[Mapping[str, Any]], best: str
) -> None:
    """Adds `from_best` to the rows of systems: difference from the best system, with interval."""
    found: dict[str, tuple[float, Interval]] = {}
    for row in pairs:
        low, high = row["difference_low"], row["difference_high"]
        interval = Interval(low, high, row["difference_interval"])
        if row["other"] == best:
            found[row["system"]] = (row["difference"], interval)
        elif row["system"] == best:
            found[row["other"]] = (-row["difference"], interval._replace(low=-high, high=-low))
    found[best] = (0.0, undefined_interval("the best system itself"))
    for row in systems:
        value, interval = found[row["system"]]
        row |= {"from_best": value, **interval.as_fields("from_best")}


def component_rows(fit: Fit, confidence: float) -> list[dict[str, Any]]:
    """Variance components with their intervals and shares of a run's variance.

    A run is a mean over items, where their components are known too: of these it has 1 / n.
    """
    parts = {
        name: value / (fit.items_per_run if name in ITEM_NAMES else 1)
        for name, value in fit.variances.items()
    }
    total = sum(part for part in parts.values() if not math.isnan(part))
    rows: list[dict[str, Any]] = []
    for name, value in fit.variances.items():
        interval = component_interval(value, fit.errors[name], fit.squares[name], confidence)
        share = parts[name] / total if total else math.nan
        row: dict[str, Any] = {"component": name, "variance": value}
        row |= {**interval.as_fields("variance")}
        rows.append(row | {"share": share})
    return rows


def null_rows(table: ScoreTable, seed: int) -> list[dict[str, Any]]:
    """Agreement that noise alone would produce: of repeats (if there are any), of whole units."""
    if len(table.units) < 2:
        return []
    noises = {"repeat": repeat_noise(table.runs, table.starts)}
    noises["unit"] = unit_noise(table.unit_scores)
    return [
        {"noise": name, **noise_only(table.unit_scores, noise, seed)._asdict()}
        for name, noise in noises.items()
        if not np.isnan(noise).any()
    ]


def _sign(options: Options) -> float:
    return 1.0 if options.higher_is_better else -1.0
