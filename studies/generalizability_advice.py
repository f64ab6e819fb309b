"""One page of plain advice: with these data, how sure can one be of the winner?"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from studies.report import percent

SURE, UNDECIDED = 0.95, 0.5


def advice(results: Sequence[Mapping[str, Any]], titles: Sequence[str]) -> str:
    """Gives the page.

    Args:
        results: What `ranking_generalizability` says of the F1 of each setting.
        titles: The settings' names.

    Returns:
        Markdown; nothing without results.
    """
    if not results:
        return ""
    lines = [f"- **{title}.** {verdict(result)}" for title, result in zip(titles, results, strict=True)]
    return "## How sure can you be of the winner?\n\n" + "\n".join([*lines, "", *_rules(results)]) + "\n"


def verdict(result: Mapping[str, Any]) -> str:
    """Gives one setting's answer in a few sentences."""
    best, certainty, n = result["best_on_average"], result["certainty"], result["n_units"]
    if certainty >= SURE:
        opening = f"`{best}` is the best of these models, with {percent(certainty):.0f} % certainty over {n} data sets."
    elif certainty >= UNDECIDED:
        opening = f"`{best}` is probably the best, but {n} data sets give no more than {percent(certainty):.0f} % certainty."
    else:
        opening = f"{n} data sets do not tell which model is best; `{best}` leads with a chance of {percent(certainty):.0f} %."
    return f"{opening} {_one_data_set(result)} {_cost(result)} {_needed(result)}"


def _one_data_set(result: Mapping[str, Any]) -> str:
    agreement = percent(result["winner_agreement"])
    text = f"Two data sets name the same winner {agreement:.0f} times in 100"
    null = next((row["winner_agreement"] for row in result["by_null"] if row["noise"] == "repeat"), math.nan)
    if not math.isnan(null):
        text += f"; if every data set had the same true scores, the noise of the splits alone would leave {percent(null):.0f}"
    return text + "."


def _cost(result: Mapping[str, Any]) -> str:
    regret = percent(result["expected_regret"])
    return f"Trusting one data set's winner costs {regret:.2f} points of F1 on average."


def _needed(result: Mapping[str, Any]) -> str:
    n, certainty = result["n_units_to_settle"], percent(result["certainty_wanted"])
    if math.isnan(n):
        return "The leading models tie: no number of data sets would part them."
    if n <= 1:
        return f"One data set is enough for {certainty:.0f} % certainty."
    low, high = result["n_units_to_settle_low"], result["n_units_to_settle_high"]
    span = "" if math.isnan(low) else f" (95 % interval {low:,.0f} to {high:,.0f})"
    return f"{certainty:.0f} % certainty takes about {n:,.0f} data sets{span}."


def _rules(results: Sequence[Mapping[str, Any]]) -> list[str]:
    regrets = [percent(result["expected_regret"]) for result in results]
    spreads = [percent(row["range"]) for result in results for row in result["by_system"]]
    return [
        f"Across these settings a single data set's winner loses {min(regrets):.2f} to {max(regrets):.2f} points against the best model,"
        f" while one model's score moves by {min(spreads):.1f} to {max(spreads):.1f} points from data set to data set. So:",
        "",
        "1. Report several data sets, their mean and range, not one score; the range says more about a new corpus than the mean does.",
        "2. Before naming a winner, look at what noise alone would give. Where agreement is no higher, the models are as good as tied.",
        "3. Choose among tied models by cost: the regret above is what the choice can cost you, and it is usually small.",
        "4. More splits of one data set make its score steadier, but only more data sets tell whether the ranking holds.",
        "5. All this is about further samples of the same word list. Another text, dialect or annotation can still turn the ranking round.",
    ]
