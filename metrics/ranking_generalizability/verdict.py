"""What a result says, in sentences that a person can quote."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .settlement import LEAST_CERTAINTY

SURE = 0.95
MOST_NAMED = 4


def quotable(result: Mapping[str, Any], unit: str = "unit") -> str:
    """The whole verdict of a result: winner, agreement, regret, units needed, comparisons."""
    return " ".join(filter(None, [verdict(result, unit), compared(result, unit)]))


def verdict(
    result: Mapping[str, Any],
    unit: str = "unit",
    scale: float = 1.0,
    points: str = "points",
    repeat: str = "repeat",
) -> str:
    """How sure the winner is, in a few sentences.

    Args:
        result: What `ranking_generalizability` says.
        unit: What was resampled.
        scale: By which a score is multiplied where it is shown, such as 100 for shares.
        points: What it is counted in then, such as "points of F1".
        repeat: What a unit's runs are.
    """
    best, certainty = result["best_on_average"], result["certainty"]
    n = result["n_units"] + result.get("n_units_partial", 0)
    if math.isnan(certainty):
        return f"{n} {unit}s are too few to say which is best; at least three are needed."
    if math.isnan(result["n_units_to_settle"]) and result["n_units"] > 1:
        opening = f"{_tied_leaders(result)} tie: no number of {unit}s would part them."
    elif certainty >= SURE:
        opening = (
            f"`{best}` is the best of these, with {_certain(certainty)} % certainty over {n}"
            f" {unit}s."
        )
    elif certainty >= LEAST_CERTAINTY:
        opening = (
            f"`{best}` is probably the best, but {n} {unit}s give no more than"
            f" {_percent(certainty)} % certainty."
        )
    else:
        opening = (
            f"Undecided: {n} {unit}s do not tell which is best; `{best}` leads with a chance of"
            f" {_percent(certainty)} %."
        )
    lost = scale * result["expected_regret"]
    cost = f"{lost:.2f}" if scale != 1 else f"{lost:.2g}"
    regret = f"Trusting one {unit}'s winner costs {cost} {points} on average."
    agreement = [_one_unit(result, unit, repeat), regret] if not math.isnan(lost) else []
    return " ".join(filter(None, [opening, *agreement, _needed(result, unit)]))


def compared(result: Mapping[str, Any], unit: str = "unit") -> str:
    """What the best system is shown to be better than, with Holm's correction over all pairs."""
    best = result["best_on_average"]
    by_decision: dict[str, list[str]] = {"better": [], "equivalent": [], "open": []}
    for row in result["by_pair"]:
        if best not in (row["system"], row["other"]):
            continue
        other = row["other"] if row["system"] == best else row["system"]
        kind = row["decision"] if row["decision"] in ("equivalent", "open") else "better"
        by_decision[kind].append(f"`{other}`")
    if math.isnan(result["certainty"]):
        return ""
    better, equivalent, left = by_decision.values()
    level = (
        f"Holm over {len(result['by_pair'])} pairs, {_percent(1 - result['confidence'])} % level"
    )
    parts = [f"is shown to be better than {_listed(better)} ({level})"] if better else []
    parts += [f"is practically equal to {_listed(equivalent)}"] if equivalent else []
    parts += [f"is not shown to differ from {_listed(left)}"] if left else []
    return f"`{best}` {_joined(parts)}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _certain(share: float) -> str:
    # nobody is certain: what rounds to 100 is "over 99"
    return "over 99" if _percent(share) == "100" else _percent(share)


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} others"
    return _joined(names)


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _tied_leaders(result: Mapping[str, Any]) -> str:
    best = next(
        row["mean"] for row in result["by_system"] if row["system"] == result["best_on_average"]
    )
    return _joined(
        [
            f"`{row['system']}`"
            for row in result["by_system"]
            if math.isclose(row["mean"], best, rel_tol=1e-12)
        ]
    )


def _one_unit(result: Mapping[str, Any], unit: str, repeat: str) -> str:
    text = f"Two {unit}s name the same winner {_percent(result['winner_agreement'])} times in 100"
    null = next(
        (row["winner_agreement"] for row in result["by_null"] if row["noise"] == "repeat"), math.nan
    )
    if not math.isnan(null):
        text += (
            f"; if every {unit} had the same true scores, the noise of the {repeat}s alone would"
            f" leave {_percent(null)}"
        )
    return text + "."


def _needed(result: Mapping[str, Any], unit: str) -> str:
    n, certainty = result["n_units_to_settle"], _percent(result["certainty_wanted"])
    if math.isnan(n):
        return ""
    if n <= 1:
        return f"One {unit} is enough for {certainty} % certainty."
    low, high = result["n_units_to_settle_low"], result["n_units_to_settle_high"]
    level = _percent(result["confidence"])
    span = "" if math.isnan(low) else f" ({level} % interval {low:,.0f} to {high:,.0f})"
    return f"{certainty} % certainty takes about {n:,.0f} {unit}s{span}."
