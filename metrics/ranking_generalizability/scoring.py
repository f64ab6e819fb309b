"""Does the ranking of systems hold on the next unit? From columns of scores to every answer.

A unit is what was resampled and scored by all systems: a data set, a draw of a suite, a language.
Everything speaks about further units of the same pool, not about another pool.

Source: Liu & Prud'hommeaux (2022), 6.1 and 7.1.
"""

import functools
import html
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, islice, product
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import FloatArray, IntArray, to_list
from .._shared.uncertainty import Interval, undefined_interval
from .agreement import (
    AGREEMENTS,
    Comparison,
    Estimate,
    agreement_fields,
    comparisons,
    doubts_of,
    draw_noise,
    n_failures,
    n_independent,
    null_rows,
    published_order,
    rank_sets,
    share_interval,
    unit_noise,
    winner_weights,
)
from .components import (
    Fit,
    Posterior,
    component_rows,
    least_squares_means,
    posterior_of,
    restricted_components,
    spread_of,
    sums_of,
    ways_of,
)
from .inputs import (
    INPUTS,
    METRIC,
    ROUNDING,
    Clusters,
    ItemCells,
    ScoreTable,
    Table,
    clusters_of,
    codes_of_sets,
    drawing_order,
    encoded,
    in_code,
    make_table,
    numbers_of,
    on_one_line,
    refusal,
    rounding_of,
    row_codes,
    with_clusters,
)
from .options import LEAST_CERTAINTY, Options

# --- Compact letter display: systems that share a letter are not shown to differ
#
# Source: Piepho (2004), insert and absorb.


def letters(order: Sequence[int], different: Iterable[tuple[int, int]]) -> dict[int, str]:
    """Letters of each system, `a` for the first of the order.

    Systems come from best to worst, `different` are the pairs that are shown to differ: two systems
    have a letter in common if and only if they are not among these. After z come `aa`, `ab` and so
    on, with commas between.

    Example:
        >>> letters([0, 1, 2], [(0, 2)])
        {0: 'a', 1: 'ab', 2: 'b'}
    """
    place = {system: i for i, system in enumerate(order)}
    groups = [(1 << len(order)) - 1]  # sets of places, as bits
    for pair in different:
        bits = [1 << place[system] for system in pair]
        groups = _split(groups, *bits)
    groups.sort(key=lambda group: [i for i in range(len(order)) if group >> i & 1])
    words = (word for size in count(1) for word in product(ascii_lowercase, repeat=size))
    names = ["".join(word) for word in islice(words, len(groups))]
    joint = "" if len(groups) <= len(ascii_lowercase) else ","
    return {
        system: joint.join(n for n, group in zip(names, groups, strict=True) if group >> i & 1)
        for system, i in place.items()
    }


def _split(groups: Sequence[int], first: int, second: int) -> list[int]:
    """Groups of which none holds both; those that lie in another are absorbed."""
    both = first | second
    kept = [group for group in groups if group & both != both]
    parted = [group for group in groups if group & both == both]
    halves = {group & ~one for group in parted for one in (first, second)}
    for half in sorted(halves, key=int.bit_count, reverse=True):
        if not any(half & group == half for group in kept):
            kept.append(half)
    return kept


# --- Which system is the pool's best, how sure that is, and how many units would settle it

N_TRUTHS = 100  # true means that are tried for the interval of n_units_to_settle


def settle(
    unit_scores: FloatArray, posterior: Posterior, options: Options, clusters: Clusters = None
) -> tuple[int, Estimate]:
    """The system with the best mean; and units whose mean names the true winner with the certainty.

    That is if the observed means are the true ones, nan if they tie; its interval is over means
    that these units leave plausible. The mean of m units is taken as normal with the observed
    covariance over m; a draw of the noise names the true winner as soon as m exceeds the largest
    squared ratio of noise to gap, so one set of draws answers for every m. Where units come in
    clusters, further ones are taken to come in such.
    """
    n = len(unit_scores)
    if n_independent(n, clusters) < 2:
        return 0, Estimate(math.nan, undefined_interval("fewer than two units of all systems"))
    order = drawing_order(unit_scores)
    unit_scores = unit_scores[:, order]
    means, independent = column_means(unit_scores), unit_scores
    best = int(order[means.argmax()])
    if clusters is not None:
        sums = sums_of(unit_scores - means, ways_of(clusters)[0])
        independent = sums / math.sqrt(n / len(sums))
    noise = draw_noise(unit_noise(independent), options.seed)
    units_to_settle = _lead(noise, rounding_of(unit_scores), options.certainty)
    n_units = units_to_settle(means)
    if math.isnan(n_units) or np.isnan(posterior.means).any():
        reason = "the best means tie" if math.isnan(n_units) else "fewer than three units"
        return best, Estimate(n_units, undefined_interval(reason))
    tail = (1 - options.confidence) / 2
    spread = [units_to_settle(truth[order]) for truth in posterior.means[:N_TRUTHS]]
    spread = [needed if not math.isnan(needed) else math.inf for needed in spread]
    low, high = np.quantile(spread, [tail, 1 - tail], method="nearest").tolist()
    interval = Interval(low, high, f"over true means that {n} units leave plausible")
    return best, Estimate(n_units, interval.holding(n_units))


class Leader(NamedTuple):
    """The best system by its mean, the joint distribution of the means, and the means, (S,)."""

    best: int
    posterior: Posterior
    means: FloatArray


def leader(table: ScoreTable, seed: int) -> Leader:
    """The best system by all units that are compared, those that lack systems too."""
    scores = table.compared
    if table.partial is None:
        means = column_means(scores)
    else:
        means = least_squares_means(scores)
        means = means + float(np.nanmean(np.nanmean(scores - means, axis=1)))  # of all units
    posterior = joint_posterior(scores, table.clusters, seed)
    is_first = means >= means.max() - rounding_of(scores)
    means[is_first] = means.max()
    best = np.where(is_first, np.nan_to_num(posterior.p_best), -1.0).argmax()
    return Leader(int(best), posterior, means)


def joint_posterior(scores: FloatArray, clusters: Clusters, seed: int) -> Posterior:
    """The joint distribution of the means; of nan under three units or clusters that compare."""
    has_two = (~np.isnan(scores)).sum(axis=1) > 1
    among = None if clusters is None else clusters[has_two]
    if n_independent(int(has_two.sum()), among) < 3:
        if np.isnan(scores).any():
            least_squares_means(scores)  # refuses systems that share no unit
        return Posterior(np.full((1, scores.shape[1]), math.nan), math.nan)
    return posterior_of(scores, clusters, seed)


def _lead(noise: FloatArray, rounding: float, certainty: float) -> Callable[[FloatArray], float]:
    """Of means, how many units name the best one; of draws of noise, (d, S)."""
    noise = np.ascontiguousarray(noise.T)
    ahead_of = functools.cache(lambda best: np.delete(noise - noise[best], best, axis=0))

    def units_to_settle(means: FloatArray) -> float:
        best = int(means.argmax())
        gaps = np.delete(means[best] - means, best)
        if not gaps.min() > rounding:
            return math.nan
        ratios = (ahead_of(best) / gaps[:, None]).max(axis=0)
        needed = max(0.0, float(np.quantile(ratios, certainty, method="higher"))) ** 2
        return float(math.floor(needed) + 1)

    return units_to_settle


# --- What a result says, in sentences that a person can quote

SURE = 0.95
MOST_NAMED = 4


def quotable(result: Mapping[str, Any], unit: str = "unit") -> str:
    """The whole verdict of a result: winner, agreement, regret, units needed, comparisons."""
    said = [verdict(result, unit), compared(result, unit), *result.get("warnings", [])]
    return " ".join(filter(None, said))


def verdict(
    result: Mapping[str, Any],
    unit: str = "unit",
    scale: float = 1.0,
    points: str = "points",
    repeat: str = "repeat",
) -> str:
    """How sure the winner of a result is, in a few sentences.

    A score is shown multiplied by `scale`, such as 100 for shares, and counted in `points`, such as
    "points of F1"; `unit` is what was resampled, `repeat` what a unit's runs are.
    """
    certainty = result["certainty"]
    n = result["n_units"] + result.get("n_units_partial", 0)
    if math.isnan(certainty):
        clusters = result.get("n_clusters", 0)
        if clusters and clusters < 3 <= n:
            return f"{clusters} clusters of {unit}s are too few to say which is best."
        if n >= 3:
            lack = f"Fewer than three of {n} {unit}s have scores of two systems or more"
            return f"{lack}: too few to say which is best."
        return f"{n} {unit}s are too few to say which is best; at least three are needed."
    lost = scale * result["expected_regret"]
    largest = max((abs(row["mean"]) for row in result["by_system"]), default=0.0)
    lost = 0.0 if abs(lost) < ROUNDING * scale * largest else lost
    cost = f"{lost:.2f}" if scale != 1 else f"{lost:.2g}"
    regret = f"Trusting one {unit}'s winner costs {cost} {points} on average."
    agreement = [_one_unit(result, unit, repeat), regret] if not math.isnan(lost) else []
    return " ".join(filter(None, [_opening(result, unit), *agreement, _needed(result, unit)]))


def _opening(result: Mapping[str, Any], unit: str) -> str:
    """Who is the best, and how sure that is."""
    best, certainty = result["best_on_average"], result["certainty"]
    share = chance_in_percent(certainty, result["certainty_wanted"])
    likelier, chance = _likelier(result)
    n = result["n_units"] + result.get("n_units_partial", 0)
    if math.isnan(result["n_units_to_settle"]) and len(tied := _tied_leaders(result)) > 1:
        rest = f" {likelier} is likelier the best: {chance} %." if likelier else ""
        return f"{_joined(tied)} tie: no number of {unit}s would part them.{rest}"
    if certainty >= SURE:
        share = share.replace("100", "over 99")  # nobody is certain
        return f"{in_code(best)} is the best of these, with {share} % certainty over {n} {unit}s."
    if certainty >= LEAST_CERTAINTY:
        text = f"{in_code(best)} is probably the best, but {n} {unit}s give no more than"
        return f"{text} {share} % certainty."
    text = f"Undecided: {n} {unit}s do not tell which is best; {in_code(best)} leads with a chance"
    rest = f", and {likelier} has {chance} %" if likelier else ""
    return f"{text} of {share} %{rest}."


def _likelier(result: Mapping[str, Any]) -> tuple[str, str]:
    """A system of a lower mean that is likelier the best, and its chance; nothing without one."""
    likely = max(result["by_system"], key=lambda row: row.get("p_best_on_average", 0.0))
    chance = likely.get("p_best_on_average", 0.0)
    if likely["system"] == result["best_on_average"] or not chance > result["certainty"] + 0.02:
        return "", ""
    percent = chance_in_percent(chance, result["certainty_wanted"])
    return f"{in_code(likely['system'])}, of a lower mean,", percent


def compared(result: Mapping[str, Any], unit: str = "unit") -> str:
    """What the best system is shown to be better than, with Holm's correction over all pairs."""
    best = result["best_on_average"]
    by_decision: dict[str, list[str]] = {"constant": [], "better": [], "equivalent": [], "open": []}
    for row in result["by_pair"]:
        if best not in (row["system"], row["other"]):
            continue
        other = row["other"] if row["system"] == best else row["system"]
        kind = row["decision"] if row["decision"] in ("equivalent", "open") else "better"
        if kind == "better" and math.isnan(row["p"]):
            kind = "constant"  # no spread, so no test
        by_decision[kind].append(in_code(other))
    if math.isnan(result["certainty"]):
        return ""
    constant, better, equivalent, left = by_decision.values()
    n_pairs, level = len(result["by_pair"]), f"{100 - 100 * shown_with(result):g} % level"
    level = f"Holm over {n_pairs} pairs, {level}" if n_pairs > 1 else level
    same = f"by the same amount in every {unit} (nothing is left to test)"
    parts = [f"is ahead of {_listed(constant)} {same}"] if constant else []
    parts += [f"is shown to be better than {_listed(better)} ({level})"] if better else []
    parts += [f"is practically equal to {_listed(equivalent)}"] if equivalent else []
    parts += [f"is not shown to differ from {_listed(left)}"] if left else []
    if left and result["certainty"] >= LEAST_CERTAINTY and n_pairs > 1:
        claim = "a claim about every pair at once takes more than naming the likeliest best"
        parts[-1] += f", since {claim}"
    return f"{in_code(best)} {_joined(parts)}."


def shown_with(result: Mapping[str, Any]) -> float:
    """The confidence with which pairs are shown to differ."""
    return max(float(result["confidence"]), LEAST_CERTAINTY)


def chance_in_percent(chance: float, wanted: float = SURE) -> str:
    """A chance of being the best, rounded down where else it would reach a mark that it misses."""
    shown = round(100 * chance)
    misses = any(chance < mark <= shown / 100 for mark in (LEAST_CERTAINTY, SURE, wanted))
    return str(math.floor(100 * chance) if misses else shown)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} others" if len(names) > MOST_NAMED else _joined(names)


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _tied_leaders(result: Mapping[str, Any]) -> list[str]:
    kind = "mean_adjusted" if result.get("n_units_partial") else "mean"
    means = {in_code(row["system"]): row[kind] for row in result["by_system"]}
    best = means.get(in_code(result["best_on_average"]), math.nan)
    largest = max(map(abs, means.values()), default=0.0)
    return [name for name, mean in means.items() if abs(mean - best) <= ROUNDING * largest]


def _one_unit(result: Mapping[str, Any], unit: str, repeat: str) -> str:
    text = f"Two {unit}s name the same winner {_percent(result['winner_agreement'])} times in 100"
    if result.get("n_units_partial", 0):
        text = f"Of the {result['n_units']} {unit}s that all systems have, two{text[3:]}"
    null = {row["noise"]: row["winner_agreement"] for row in result["by_null"]}
    if not math.isnan(null.get("repeat", math.nan)):
        text += f"; if every {unit} had the same true scores, the noise of the {repeat}s alone"
        text += f" would leave {_percent(null['repeat'])}"
    return text + "."


def _needed(result: Mapping[str, Any], unit: str) -> str:
    n, certainty = result["n_units_to_settle"], _percent(result["certainty_wanted"])
    if math.isnan(n):
        return ""
    given = result["n_units"] + result.get("n_units_partial", 0)
    is_sure = result["certainty"] >= result["certainty_wanted"]
    if n <= given and not is_sure:
        return f"{certainty} % certainty takes more {unit}s than these."
    if n > given and is_sure:
        return f"{certainty} % certainty takes no more {unit}s than these."
    if n <= 1:
        return f"One {unit} is enough for {certainty} % certainty."
    low, high = result["n_units_to_settle_low"], result["n_units_to_settle_high"]
    level = _percent(result["confidence"])
    span = "" if math.isnan(low) else f" ({level} % interval {low:,.0f} to {high:,.0f})"
    return f"{certainty} % certainty takes about {n:,.0f} {unit}s{span}."


# --- A result as a table for a paper: Markdown or LaTeX, from the same cells

COLUMNS = ("system", "mean", "sd", "best on", "P(best)", "rank", "group")
MARKS = re.compile(r"[|\[\]`*\\]")  # what links, code, tables and stress begin with
FORMS = ("markdown", "latex")
SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"}
SPECIAL |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def system_table(result: Mapping[str, Any], form: str = "markdown") -> str:
    """Systems from best to worst: mean, spread, how often the best, plausible ranks, letters.

    The form is "markdown", or "latex" (with booktabs).
    """
    digits = digits_of(result)
    mean = "mean_adjusted" if result["n_units_partial"] else "mean"
    cells = [
        [
            shown_name(row["system"], form),
            f"{row[mean]:.{digits}f}",
            f"{row['sd']:.{digits}f}",
            _share(row["p_best"], form),
            _share(row["p_best_on_average"], form, chance_in_percent),
            _ranks(row, form),
            row["letters"],
        ]
        for row in in_order(result)
    ]
    note = note_of(result)
    if form == "markdown":
        marks = ["---", *["---:"] * (len(COLUMNS) - 2), "---"]
        lines = ["| " + " | ".join(line) + " |" for line in (COLUMNS, marks, *cells)]
        return "\n".join(lines) + f"\n\n{note}\n"
    if form != "latex":
        raise refusal("form", repr(form), " or ".join(FORMS))
    header, *lines = (" & ".join(line) + r" \\" for line in (COLUMNS, *cells))
    columns = "l" + "r" * (len(COLUMNS) - 2) + "l"
    begun = [f"% {note}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header, r"\midrule"]
    return "\n".join([*begun, *lines, r"\bottomrule", r"\end{tabular}", ""])


def in_order(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the systems from best to worst."""
    return sorted(result["by_system"], key=lambda row: (row["rank"], row["system"]))


def note_of(result: Mapping[str, Any]) -> str:
    """What the columns of the table mean, in a sentence or two."""
    level = f"{100 * shown_with(result):g} %"
    n, partial = result["n_units"], result["n_units_partial"]
    units = f"{n + partial} units" + (f", {partial} of them without some system" if partial else "")
    if "n_clusters" in result:
        units += f", in {result['n_clusters']} clusters"
    has_ranges = any(row["rank_low"] < row["rank_high"] for row in result["by_system"])
    ranges = f"Ranks in brackets are those that are plausible ({level}). " if has_ranges else ""
    adjusted = " Means are adjusted for missing cells." if partial else ""
    return (
        f"{result['n_systems']} systems on {units}.{adjusted} {ranges}Systems"
        " that share a letter are not shown to differ"
        f" (paired t, Holm, {100 - 100 * shown_with(result):g} %). P(best) is the probability of"
        " being truly the best."
    )


def digits_of(result: Mapping[str, Any]) -> int:
    """Decimals that show two digits of the smallest spread between units, from 0 to 6."""
    spreads = [row["sd"] for row in result["by_system"] if row["sd"] > 0]
    return min(6, max(0, 1 - math.floor(math.log10(min(spreads))))) if spreads else 3


def shown_name(name: str, form: str) -> str:
    """A name as text of Markdown or LaTeX, on one line; marks that turn text around are spelt."""
    name = on_one_line(name)
    if form == "latex":
        return "".join(SPECIAL.get(c, c) for c in name)
    return MARKS.sub(r"\\\g<0>", html.escape(name, quote=False))


def _share(value: float, form: str, percent: Callable[[float], str] = _percent) -> str:
    if math.isnan(value):
        return "--" if form == "latex" else "–"
    return percent(value) + (r"\,\%" if form == "latex" else " %")


def _ranks(row: Mapping[str, Any], form: str) -> str:
    low, high = row["rank_low"], row["rank_high"]
    dash = "--" if form == "latex" else "–"
    return f"{row['rank']} [{low}{dash}{high}]" if low < high else f"{row['rank']}"


# --- From columns of scores to every answer

VERSION = "4.0.0"
UNDECIDED = "undecided"


def score(inputs: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Comparison of systems over units, from columns of `INPUTS`, rows in any order.

    Agreement, regret and certainty of the winner with their intervals, counts and options;
    `by_system`, `by_pair`, `by_component` and `by_null` are lists of flat rows. Under three units
    nothing is claimed: what needs more is nan. A ValueError for a score that is missing, not finite
    or of a run that has one, and for fewer than two systems or units.
    """
    table = read_table(inputs, options)
    first = first_unit(table, options.first, to_list(inputs["unit"]))
    fit = restricted_components(table)
    leading = leader(table, options.seed)
    pairs = comparisons(
        table.compared, table.clusters, leading.posterior, options.rope, options.confidence
    )
    result = {
        **agreement_fields(table, first, options, leading.posterior),
        **settlement_fields(table, options, leading),
        "overlap": unit_overlap(table, options.items),
        "first": table.units[first] if table.units else None,
        **count_fields(table),
        **options.provenance(VERSION),
        "based_on": basis_rows(table),
        "higher_is_better": options.higher_is_better,
        "confidence": options.confidence,
        "by_system": system_rows(table, first, leading, fit, pairs, options),
        "by_pair": pair_rows(table, pairs, options),
        "by_component": component_rows(fit, options.confidence),
        "by_null": null_rows(table, options.seed),
        "warnings": doubts_of(table, options.seed),
    }
    return result | {"verdict": quotable(result)}


def read_table(inputs: Mapping[str, Any], options: Options) -> ScoreTable:
    """Columns as a table in which a higher score is better."""
    columns = INPUTS.read(inputs)
    columns["score"] = _sign(options) * columns["score"]
    if columns["repeat"] is None:
        columns["repeat"] = unnamed_repeats(columns, options)
    named = [names for role in ("cluster", "crossed") if (names := columns.pop(role)) is not None]
    ways = [clusters_of(columns["unit"], names) for names in named]
    item = columns.pop("item")
    runs = columns if item is None else item_means(columns, item)
    table = make_table(**runs, missing=options.missing, ways=ways)
    table = table._replace(unit_scores=with_ties(table.unit_scores))
    if table.partial is not None:
        table = table._replace(partial=with_ties(table.partial))
    if item is not None:
        table = table._replace(items=item_cells(columns, item, table))
    return with_clusters(table, ways) if ways else table


def item_cells(columns: Mapping[str, Any], item: Sequence[Any], table: ScoreTable) -> ItemCells:
    """Rows of items with numbers for names, those of systems and units as the table has them."""
    repeats, items = (sorted(set(column), key=str) for column in (columns["repeat"], item))
    given = (map(str, columns["system"]), columns["unit"], columns["repeat"], item)
    names = (table.systems, table.all_units, repeats, items)
    codes = [numbers_of(*of) for of in zip(given, names, strict=True)]
    rows = np.lexsort(codes[::-1])
    system, unit, repeat, of_item = (of[rows] for of in codes)
    return ItemCells(system, unit, repeat, of_item, columns["score"][rows])


def item_means(columns: Table, item: Sequence[Any]) -> dict[str, Any]:
    """Columns with one row per run, its score the mean over its items, the same for all systems."""
    names = ("system", "unit", "repeat")
    codes = [encoded(columns[name])[0] for name in names]
    run, items = row_codes(*codes), encoded(item)[0]
    first = np.unique(run, return_index=True)[1]
    seen = np.unique(row_codes(run, items), return_index=True)[1]
    if len(seen) < len(run):
        place = int(np.setdiff1d(np.arange(len(run)), seen)[0])
        got = ", ".join(f"{name} {columns[name][place]!r}" for name in names)
        raise refusal(f"{METRIC}: {got}: item", f"{item[place]!r} again", "it once")
    _check_items(codes, items, run, first, columns)
    order = np.lexsort((columns["score"], run))  # so that a sum is the same in any order of rows
    starts = np.searchsorted(run[order], np.arange(len(first)))
    means = np.add.reduceat(np.asarray(columns["score"])[order], starts) / np.bincount(run)
    return {name: [columns[name][i] for i in first] for name in names} | {"score": means}


def _check_items(
    codes: Sequence[IntArray], items: IntArray, run: IntArray, first: IntArray, columns: Table
) -> None:
    """Raises a ValueError where systems have different items in a repeat of a unit."""
    sets = codes_of_sets(run, items)
    cells = row_codes(*codes[1:])[first]
    of_cell, cell = np.unique(cells, return_index=True, return_inverse=True)[1:]
    if len(wrong := np.flatnonzero(sets != sets[of_cell[cell]])):
        place, other = first[wrong[0]], first[of_cell[cell[wrong[0]]]]
        got = f"different ones for {columns['system'][place]!r} and {columns['system'][other]!r}"
        where = f"{METRIC}: unit {columns['unit'][place]!r}: items"
        raise refusal(where, got, "the same: leave out what one of them lacks")


def with_ties(unit_scores: FloatArray) -> FloatArray:
    """Scores in which those of one unit that differ by rounding alone are equal; nan stays."""
    values = np.sort(unit_scores, axis=1)
    steps, largest = np.diff(values, axis=1), np.nanmax(np.abs(unit_scores), axis=1, keepdims=True)
    near = steps <= ROUNDING * largest
    if not (near & (steps > 0)).any():
        return unit_scores
    order = np.argsort(unit_scores, axis=1)
    for place in np.flatnonzero(near.any(axis=0)).tolist():
        values[near[:, place], place + 1] = values[near[:, place], place]
    tied = np.empty_like(values)
    np.put_along_axis(tied, order, values, axis=1)
    return tied


def column_means(scores: FloatArray) -> FloatArray:
    """Means of columns, their sums rounded once, whatever the order; nan is left out."""
    columns = [column[~np.isnan(column)] for column in scores.T]
    return np.array([math.fsum(c.tolist()) / len(c) if len(c) else math.nan for c in columns])


def unnamed_repeats(columns: Mapping[str, Any], options: Options) -> list[str]:
    """One repeat for all; where every score counts and a unit has several, one for each score.

    Numbered in the order of the scores, shuffled, since a fit may read the first of many.
    """
    n, cells = len(columns["unit"]), list(zip(columns["system"], columns["unit"], strict=True))
    if options.missing != "model" or columns["item"] is not None or len(set(cells)) == n:
        return [""] * n
    number = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    cell = np.array([number[c] for c in cells])
    order = np.lexsort((columns["score"], cell))
    place = np.arange(n) - np.searchsorted(cell[order], cell[order])
    shuffled = np.random.default_rng(0).permutation(n)[place]
    repeats = np.empty(n, np.int64)
    repeats[order[np.lexsort((shuffled, cell[order]))]] = np.arange(n)
    return [f"{repeat:012d}" for repeat in repeats.tolist()]


def first_unit(table: ScoreTable, first: Any, units: Sequence[Any]) -> int:
    """Row of the unit published first, by its name; None for that of the first of `units`."""
    place = {str(unit): i for i, unit in enumerate(table.units)}
    given = next((name for name in map(str, units) if name in place), None)
    if first is None:
        return 0 if given is None else place[given]
    if str(first) in place:
        return place[str(first)]
    expected = "none: no unit has a score of every system"
    if given is not None:
        expected = f"one of the {len(place)} units, such as {given!r}"
    raise refusal(f"{METRIC}: first", repr(first), expected)


def settlement_fields(table: ScoreTable, options: Options, leading: Leader) -> dict[str, Any]:
    """The system that is best on average, how sure that is, and the units that would settle it."""
    best_of_whole, needed = settle(
        table.unit_scores, leading.posterior, options, table.whole_clusters
    )
    best, certainty = table.systems[leading.best], float(leading.posterior.p_best[leading.best])
    reason = "the best means tie" if (leading.means == leading.means.max()).sum() > 1 else ""
    if best_of_whole != leading.best and not math.isnan(needed.value):
        reason = reason or "the units of all systems have another best mean than all units"
    if reason:
        needed = Estimate(math.nan, undefined_interval(reason))
    return {
        "best_on_average": best,
        "certainty": certainty,
        "winner": best if certainty >= LEAST_CERTAINTY else UNDECIDED,
        **needed.as_fields("n_units_to_settle"),
        "certainty_wanted": options.certainty,
    }


def unit_overlap(table: ScoreTable, items: Mapping[Any, Any] | None) -> float:
    """Mean share of a unit's distinct items that another unit has too, in [0, 1].

    Units that overlap are no independent samples: resamples of a small pool agree more than new
    data would. nan where the items were not given.
    """
    if items is None:
        return math.nan
    if missing := {str(unit) for unit in table.units if unit not in items}:
        got = f"none for unit {min(missing)!r}"
        raise refusal(f"{METRIC}: items", got, "the items of every unit")
    counts = Counter(item for unit in table.units for item in set(to_list(items[unit])))
    total = sum(counts.values())
    shared = sum(k * (k - 1) for k in counts.values())
    return shared / (total * (len(table.units) - 1)) if total else math.nan


def count_fields(table: ScoreTable) -> dict[str, int]:
    """Numbers of scores, systems, units of all systems and others, runs, and scores left out."""
    n_systems, n_runs = table.runs.shape
    n, n_units = len(table.cells.score), len(table.units)
    counts = {"n": n, "n_systems": n_systems, "n_units": n_units, "n_runs": n_runs}
    if table.clusters is not None:
        counts |= {"n_clusters": n_independent(len(table.compared), table.clusters)}
    n_left_out = n - n_systems * n_runs if table.partial is None else 0
    return counts | {"n_left_out": n_left_out, "n_units_partial": len(table.compared) - n_units}


BASES = {
    "whole": (*AGREEMENTS, "n_units_to_settle", "by_null", "overlap", "best_share", "p_best"),
    "compared": ("best_on_average", "certainty", "winner", "rank", "p_best_on_average"),
    "pair": ("by_pair", "letters", "from_best"),
    "own": ("mean", "sd", "min", "max", "range", "n_units", "n_failures"),
    "all": ("by_component", "coverage"),
}
"""Fields by what they are of, the keys of `basis_rows`."""


def basis_rows(table: ScoreTable) -> list[dict[str, Any]]:
    """Which units each field is of: one table, unless systems lack units and each score counts."""
    whole, given = len(table.units), len(table.all_units)
    of_whole = "units with a score of every system"
    units: dict[str, tuple[int | None, str]] = dict.fromkeys(BASES, (whole, of_whole))
    units["all"] = (given, "all units")
    if table.partial is not None:
        units |= {"compared": (given, "all units")}
        units |= {"pair": (None, "units of both systems, `n_units` of each row")}
        units |= {"own": (None, "a system's own units, `n_units` of each row")}
    adjusted = {"compared" if table.partial is not None else "all": ("mean_adjusted",)}
    return [
        {"fields": ", ".join(BASES[name] + adjusted.get(name, ())), "n_units": n, "units": which}
        for name, (n, which) in units.items()
    ]


def system_rows(
    table: ScoreTable,
    first: int,
    leading: Leader,
    fit: Fit,
    pairs: Sequence[Comparison],
    options: Options,
) -> list[dict[str, Any]]:
    """One row per system: Table 2 of the paper, how often it is the best, and its ranks."""
    n, sign = len(table.units), _sign(options)
    wins = winner_weights(table.unit_scores).sum(axis=0).tolist()
    by_name = np.array(table.by_name)
    winners = by_name[published_order(table.unit_scores[:, by_name])[:, -1]]
    published = np.bincount(winners, minlength=len(table.systems)) / (n or math.nan)
    (unit_sd, repeat_sd), ranks = spread_of(table), rank_sets(pairs, leading.means)
    order = sorted(range(len(table.systems)), key=ranks.rank.__getitem__)
    different = [(p.first, p.second) for p in pairs if p.decision in ("better", "worse")]
    groups, from_best = letters(order, different), distances(pairs, leading.best, sign)
    adjusted = fit.means if table.partial is None else leading.means
    scored, failures = (~np.isnan(table.compared)).sum(axis=0), n_failures(table.compared)
    coverage = table.coverage / len(table.all_units)
    free = n_independent(n, table.whole_clusters) if n else 0
    shares = [share_interval(min(w, n) * free / max(n, 1), free, options.confidence) for w in wins]
    return [
        {
            "system": table.systems[i],
            **column_fields(sign * table.compared[:, i], sign * table.unit_scores[first:, i][:1]),
            "mean_adjusted": sign * float(adjusted[i]),
            "best_share": float(published[i]),
            "p_best": wins[i] / (n or math.nan),
            **shares[i].as_fields("p_best"),
            "n_units": int(scored[i]),
            "coverage": float(coverage[i]),
            "n_failures": int(failures[i]),
            "unit_sd": float(unit_sd[i]),
            "repeat_sd": float(repeat_sd[i]),
            "rank": int(ranks.rank[i]),
            "rank_low": int(ranks.low[i]),
            "rank_high": int(ranks.high[i]),
            "rank_interval": ranks.note,
            "p_best_on_average": float(leading.posterior.p_best[i]),
            "letters": groups[i],
            **from_best[i],
        }
        for i in table.by_name
    ]


def column_fields(column: FloatArray, first: FloatArray) -> dict[str, float]:
    """Spread of one system's unit scores, nan for none, as Table 2 of the paper has it."""
    column, start = column[~np.isnan(column)], float(first[0]) if len(first) else math.nan
    mean = float(column.mean())
    return {
        "first": start,
        "mean": mean,
        "sd": float(column.std(ddof=1)) if len(column) > 1 else math.nan,
        "min": float(column.min()),
        "max": float(column.max()),
        "range": float(np.ptp(column)),
        "first_minus_mean": start - mean,
    }


def distances(pairs: Sequence[Comparison], best: int, sign: float) -> dict[int, dict[str, Any]]:
    """Difference of each system from the best one, with its interval."""
    itself = Estimate(0.0, undefined_interval("the best system itself"))
    found = {best: itself.as_fields("from_best")}
    for pair in pairs:
        if best in (pair.first, pair.second):
            behind = pair if pair.second == best else pair.turned()
            found[behind.first] = behind.difference.signed(sign).as_fields("from_best")
    return found


OF_PAIR = ("p", "p_holm", "p_better", "p_equivalent", "p_worse", "decision")


def pair_rows(
    table: ScoreTable, pairs: Sequence[Comparison], options: Options
) -> list[dict[str, Any]]:
    """One row per pair of systems: difference of means, p by itself and by Holm, probabilities."""
    names, has = table.systems, (~np.isnan(table.compared)).astype(float)
    of_both = (has.T @ has).astype(np.int64).tolist()
    turned = (p if names[p.first] < names[p.second] else p.turned() for p in pairs)
    rows: list[dict[str, Any]] = [
        {
            "system": names[pair.first],
            "other": names[pair.second],
            "n_units": of_both[pair.first][pair.second],
            **pair.difference.signed(_sign(options)).as_fields("difference"),
            **{name: getattr(pair, name) for name in OF_PAIR},
            **pair.wins.as_fields("wins"),
        }
        for pair in turned
    ]
    return sorted(rows, key=lambda row: (row["system"], row["other"]))


def _sign(options: Options) -> float:
    return 1.0 if options.higher_is_better else -1.0
