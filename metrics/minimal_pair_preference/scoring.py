"""Which member of a minimal pair a language model prefers: shares, effects, nulls.

Accuracy where one member is right, a preference where none is: the same share. Source: Warstadt et
al. (2020) on minimal pairs, Liu et al. (2024) on the sub-linear length norm (slln).

The effect of a pair under a rule:

two members     log P(first) - log P(second)
four members    the same, minus log P(third) - log P(fourth): whatever is only likelier cancels
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._shared.columns import BoolArray, FloatArray, IntArray, check_lengths
from .._shared.stratified import stratified_interval
from .._shared.uncertainty import cluster_ratio_interval, holm, sign_flip_test, undefined_interval
from .inputs import INPUTS, as_matrix, check_signs
from .options import RULES, Options

VERSION = "1.0.0"
CHANCE = 0.5
WHERE = Options.metric
SIGNS = {2: np.array([1.0, -1.0]), 4: np.array([1.0, -1.0, -1.0, 1.0])}
FEWEST_CLUSTERS = 5  # a studentised bootstrap of fewer has ends without meaning
SMALLEST = 1e-9  # of an effect in nats; below it is what adding in another order makes


def score(
    inputs: Mapping[str, Any],
    options: Options | None = None,
    nulls: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Preferences of n pairs.

    Args:
        inputs: `predictions`, the log-probabilities of a pair's members, shape (n, 2) or (n, 4);
            `references`, rows with `construction` and `cluster`; `n_tokens`, shaped alike, if any.
        options: What `read_options` returns; its defaults if None.
        nulls: Predictions of models that know nothing, by name, shaped as the predictions.

    Returns:
        `accuracy`, the share of pairs whose effect is positive, ties half, in [0, 1], chance 1/2;
        `effect`, its mean in nats, with a sign-flip p over clusters; each with an interval over
        clusters. `accuracy_<rule>` for every rule (nan without `n_tokens`), `accuracy_uncrossed`
        (four members: of both halves alone), `by_construction`, `by_null`, counts, options.

    Raises:
        ValueError: Shapes differ, there are no pairs, a value is not finite or a log-probability
            above 0, a number of tokens is below 1, or the rule needs `n_tokens`.
    """
    options = options or Options()
    read = INPUTS.read(inputs)
    sums = check_signs(as_matrix(f"{WHERE}: predictions", read["predictions"]))
    n_tokens = read["n_tokens"]
    if n_tokens is not None:
        n_tokens = as_matrix(f"{WHERE}: n_tokens", n_tokens, sums.shape)
    constructions, names = (read["references"][name] for name in ("construction", "cluster"))
    members = under_rule(sums, n_tokens, options.rule, options.exponent)
    if members is None:
        raise ValueError(f"{WHERE}: n_tokens, got none; expected them for the rule {options.rule}")
    clusters = _numbered(names)
    effect = effects(members)
    result = _summary(effect, clusters, options)
    result |= {"n": len(sums), "n_clusters": int(clusters.max()) + 1}
    result["n_ties"] = int((effect == 0).sum())
    result |= {"chance": CHANCE, **_by_rule(sums, n_tokens, options), **_uncrossed(members)}
    result["by_construction"] = _by_construction(effect, clusters, constructions, options)
    given = {} if n_tokens is None else {"length": -n_tokens}  # prefers whatever has fewer tokens
    for name, values in (nulls or {}).items():
        given[name] = as_matrix(f"{WHERE}: nulls {name}", values, sums.shape)
    result["by_null"] = _by_null(given, effect, clusters, options)
    result |= options.provenance(VERSION)
    if options.per_item:
        result["by_pair"] = [
            {"construction": construction, "cluster": name, "effect": value}
            for construction, name, value in zip(constructions, names, effect.tolist(), strict=True)
        ]
    return result


def score_choices(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Shares of questions whose right answer is the best of several, ties in shares of one.

    Args:
        inputs: `predictions`, what each choice gets, the right one first, any number of them a row;
            `references`, rows with `construction` and `cluster`; `n_tokens`, shaped alike, where
            these are log-probabilities, which then are compared by SLLN; and `nulls`, predictions
            of who knows nothing, by name.
        options: What `read_options` returns; its defaults if None.

    Returns:
        `accuracy` in [0, 1] with an interval over clusters; `chance`, the mean of one over the
        number of choices; `chance_NULL` of each null; `by_construction`; counts, options.

    Raises:
        ValueError: There are no rows, or numbers of rows or choices differ.
    """
    options = options or Options()
    choices, rows = inputs["predictions"], inputs["references"]
    check_lengths(WHERE, predictions=choices, references=rows)
    lengths = inputs.get("n_tokens")
    exponent = 0.0 if lengths is None else options.exponent
    lengths = [[1.0] * len(one) for one in choices] if lengths is None else lengths
    right = best_choices(choices, lengths, exponent)
    clusters = _numbered([str(row["cluster"]) for row in rows])
    result = share(right, clusters, options, "accuracy")
    result |= {"n": len(rows), "n_clusters": int(clusters.max()) + 1}
    result["chance"] = float(np.mean([1 / len(one) for one in choices]))
    ones = [[1.0] * len(one) for one in choices]
    for name, given in (inputs.get("nulls") or {}).items():
        result[f"chance_{name}"] = float(best_choices(given, ones, 0.0).mean())
    result["by_construction"] = [
        {"construction": one, "n": int(own.sum())}
        | share(right[own], clusters[own], options, "accuracy")
        for one, own in _constructions([str(row["construction"]) for row in rows])
    ]
    result |= options.provenance(VERSION)
    if options.per_item:
        result["by_pair"] = [
            {"construction": row["construction"], "cluster": row["cluster"], "right": value}
            for row, value in zip(rows, right.tolist(), strict=True)
        ]
    return result


def _numbered(names: Sequence[str]) -> IntArray:
    return np.unique(np.array(names, dtype=str), return_inverse=True)[1].astype(np.int64)


def _summary(effect: FloatArray, clusters: IntArray, options: Options) -> dict[str, Any]:
    found = share(wins(effect), clusters, options, "accuracy")
    found |= mean(effect, clusters, options, "effect")
    means = np.divide(*_sums(effect, clusters))
    means = np.where(np.abs(means) < SMALLEST, 0.0, means)
    return found | {"effect_p": sign_flip_test(means, seed=options.seed)}


def _by_rule(sums: FloatArray, n_tokens: FloatArray | None, options: Options) -> dict[str, float]:
    members = {rule: under_rule(sums, n_tokens, rule, options.exponent) for rule in RULES}
    return {
        f"accuracy_{rule}": math.nan if one is None else float(wins(effects(one)).mean())
        for rule, one in members.items()
    }


def _uncrossed(members: FloatArray) -> dict[str, float]:
    """What the halves of four members say alone; nan for two members, which have none."""
    if members.shape[1] == 2:
        return {"accuracy_uncrossed": math.nan, "effect_of_first_half": math.nan}
    first, second = effects(members[:, :2]), effects(members[:, :1:-1])
    return {
        "accuracy_uncrossed": float(np.concatenate([wins(first), wins(second)]).mean()),
        "effect_of_first_half": float(first.mean()),
    }


def _constructions(names: Sequence[Any]) -> list[tuple[Any, BoolArray]]:
    """Each construction, in the order in which they occur, and which rows are of it."""
    return [(name, np.array([one == name for one in names])) for name in dict.fromkeys(names)]


def _by_construction(
    effect: FloatArray, clusters: IntArray, constructions: list[Any], options: Options
) -> list[dict[str, Any]]:
    """One row per construction, its p corrected for their number (Holm)."""
    table = []
    for construction, own in _constructions(constructions):
        row = {"construction": construction, "n": int(own.sum())}
        row["n_clusters"] = len(set(clusters[own].tolist()))
        table.append(row | _summary(effect[own], clusters[own], options))
    corrected = holm([row["effect_p"] for row in table])
    return [row | {"effect_p_holm": p} for row, p in zip(table, corrected, strict=True)]


def _by_null(
    nulls: Mapping[str, FloatArray], effect: FloatArray, clusters: IntArray, options: Options
) -> list[dict[str, Any]]:
    """One row per null; `accuracy_above` is what the model has more of, pair by pair."""
    table = []
    for name, values in nulls.items():
        own = effects(values)
        row = {"null": name, **share(wins(own), clusters, options, "accuracy")}
        above = wins(effect) - wins(own)
        table.append(row | mean(above, clusters, options, "accuracy_above"))
    return table


# --- Effects of pairs, and what clusters of them say: shares, means, intervals, p values


def under_rule(sums: FloatArray, n_tokens: FloatArray | None, rule: str, exponent: float) -> Any:
    """Log-probabilities as a rule compares them, shape (n, members); None where it needs tokens."""
    if rule == "sum":
        return sums
    if n_tokens is None:
        return None
    return sums / n_tokens ** (1.0 if rule == "per_token" else exponent)


def effects(members: FloatArray) -> FloatArray:
    """Effect of each pair, shape (n,); positive where the first member is preferred."""
    found: FloatArray = members @ SIGNS[members.shape[1]]
    return np.where(np.abs(found) < SMALLEST, 0.0, found)


def wins(effect: FloatArray) -> FloatArray:
    """1 for a positive effect, 0 for a negative one, 1/2 for a tie."""
    return (np.sign(effect) + 1) / 2


def best_choices(
    sums: Sequence[Sequence[float]], lengths: Sequence[Sequence[float]], exponent: float
) -> FloatArray:
    """Whether the first of several choices, the right one, is the best, shape (n,).

    1, 0, or 1 / k where k choices tie for the best and the first is one of them. Log-probabilities
    are divided by the number of tokens to the exponent: 0.5 is the SLLN.
    """
    right = []
    for totals, numbers in zip(sums, lengths, strict=True):
        scores = np.asarray(totals) / np.maximum(numbers, 1) ** exponent
        best = scores >= scores.max() - SMALLEST
        right.append(best[0] / best.sum())
    return np.array(right)


def share(values: FloatArray, clusters: IntArray, options: Options, name: str) -> dict[str, Any]:
    """A mean of values in [0, 1] with its interval over clusters."""
    return mean(values, clusters, options, name, is_share=True)


def mean(
    values: FloatArray, clusters: IntArray, options: Options, name: str, *, is_share: bool = False
) -> dict[str, Any]:
    """A mean with its interval over clusters; of values without bounds if these are not few."""
    found = {name: float(values.mean())}
    if options.confidence is None:
        return found
    sums, counts = _sums(values, clusters)
    if is_share:
        strata = np.zeros(len(sums), dtype=int)
        interval = stratified_interval(sums, counts, strata, **options.resampling())
    elif len(sums) < FEWEST_CLUSTERS:
        interval = undefined_interval(f"{len(sums)} clusters, fewer than {FEWEST_CLUSTERS}")
    else:
        interval = cluster_ratio_interval(sums, counts, **options.resampling())
    return found | interval.as_fields(name)


def _sums(values: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sum and number of the values of each cluster that has some."""
    counts = np.bincount(clusters).astype(float)
    is_there = counts > 0
    sums = np.bincount(clusters, weights=values).astype(float)
    return sums[is_there], counts[is_there]
