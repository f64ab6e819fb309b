"""One page of plain advice: with these data, how sure can one be of the winner?"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ground.markdown import percent
from metrics.ranking_generalizability.settlement import LEAST_CERTAINTY

SURE = 0.95


def advice(results: Sequence[Mapping[str, Any]], titles: Sequence[str]) -> str:
    """The page.

    Args:
        results: What `ranking_generalizability` says of the F1 of each setting.
        titles: The settings' names.

    Returns:
        Markdown; nothing without results.
    """
    if not results:
        return ""
    lines = [
        f"- **{title}.** {verdict(result)}" for title, result in zip(titles, results, strict=True)
    ]
    return (
        "## How sure can you be of the winner?\n\n"
        + "\n".join([*lines, "", *_rules(results)])
        + "\n"
    )


def verdict(result: Mapping[str, Any], unit: str = "data set", metric: str = "F1") -> str:
    """One setting's answer in a few sentences.

    Args:
        result: What `ranking_generalizability` says.
        unit: What was resampled.
        metric: The score's name.
    """
    best, certainty, n = result["best_on_average"], result["certainty"], result["n_units"]
    if math.isnan(certainty):
        return f"{n} {unit}s are too few to say which is best; at least three are needed."
    if math.isnan(result["n_units_to_settle"]):
        opening = f"{_tied_leaders(result)} tie: no number of {unit}s would part them."
    elif certainty >= SURE:
        opening = (
            f"`{best}` is the best of these, with {percent(certainty):.0f} % certainty over {n}"
            f" {unit}s."
        )
    elif certainty >= LEAST_CERTAINTY:
        opening = (
            f"`{best}` is probably the best, but {n} {unit}s give no more than"
            f" {percent(certainty):.0f} % certainty."
        )
    else:
        opening = (
            f"Undecided: {n} {unit}s do not tell which is best; `{best}` leads with a chance of"
            f" {percent(certainty):.0f} %."
        )
    regret = (
        f"Trusting one {unit}'s winner costs {percent(result['expected_regret']):.2f} points of"
        f" {metric} on average."
    )
    return f"{opening} {_one_unit(result, unit)} {regret} {_needed(result, unit)}".rstrip()


def _tied_leaders(result: Mapping[str, Any]) -> str:
    best = next(
        row["mean"] for row in result["by_system"] if row["system"] == result["best_on_average"]
    )
    names = [
        f"`{row['system']}`"
        for row in result["by_system"]
        if math.isclose(row["mean"], best, rel_tol=1e-12)
    ]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _one_unit(result: Mapping[str, Any], unit: str) -> str:
    text = (
        f"Two {unit}s name the same winner {percent(result['winner_agreement']):.0f} times in 100"
    )
    null = next(
        (row["winner_agreement"] for row in result["by_null"] if row["noise"] == "repeat"), math.nan
    )
    if not math.isnan(null):
        text += (
            f"; if every {unit} had the same true scores, the noise of the splits alone would leave"
            f" {percent(null):.0f}"
        )
    return text + "."


def _needed(result: Mapping[str, Any], unit: str) -> str:
    n, certainty = result["n_units_to_settle"], percent(result["certainty_wanted"])
    if math.isnan(n):
        return ""
    if n <= 1:
        return f"One {unit} is enough for {certainty:.0f} % certainty."
    low, high = result["n_units_to_settle_low"], result["n_units_to_settle_high"]
    span = "" if math.isnan(low) else f" (95 % interval {low:,.0f} to {high:,.0f})"
    return f"{certainty:.0f} % certainty takes about {n:,.0f} {unit}s{span}."


def _rules(results: Sequence[Mapping[str, Any]]) -> list[str]:
    regrets = [percent(result["expected_regret"]) for result in results]
    spreads = [percent(row["range"]) for result in results for row in result["by_system"]]
    opening = "Across these settings a" if len(results) > 1 else "A"
    return [
        f"{opening} single data set's winner loses {_span(regrets, 2)} points against the best"
        " model,"
        f" while one model's score moves by {_span(spreads, 1)} points from data set to data set."
        " So:",
        "",
        "1. Report several data sets, their mean and range, not one score; the range says more"
        " about a new corpus than the mean does.",
        "2. Before naming a winner, look at what noise alone would give. Where agreement is no"
        " higher, the models are as good as tied.",
        "3. Choose among tied models by cost: the regret above is what the choice can cost you, and"
        " it is usually small.",
        "4. More splits of one data set make its score steadier, but only more data sets tell"
        " whether the ranking holds.",
        "5. All this is about further samples of the same word list. Another text, dialect or"
        " annotation can still turn the ranking round.",
    ]


def _span(values: Sequence[float], digits: int) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"
