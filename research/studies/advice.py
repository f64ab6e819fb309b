"""One page of plain advice: with these data, how sure can one be of the winner?"""

from collections.abc import Mapping, Sequence
from typing import Any

from ground.markdown import percent
from metrics.ranking_generalizability.scoring import verdict


def advice(results: Sequence[Mapping[str, Any]], titles: Sequence[str]) -> str:
    """The page for what `ranking_generalizability` says of the F1 of each setting; "" for none."""
    if not results:
        return ""
    lines = [
        f"- **{title}.** {percent_verdict(result)}"
        for title, result in zip(titles, results, strict=True)
    ]
    return (
        "## How sure can you be of the winner?\n\n"
        + "\n".join([*lines, "", *_rules(results)])
        + "\n"
    )


def percent_verdict(result: Mapping[str, Any], unit: str = "data set", metric: str = "F1") -> str:
    """How sure the winner is of scores that are shares, in a few sentences and percent."""
    return verdict(result, unit, 100, f"points of {metric}", "split")


def _rules(results: Sequence[Mapping[str, Any]]) -> list[str]:
    regrets = [percent(result["expected_regret"]) for result in results]
    spreads = [percent(row["range"]) for result in results for row in result["by_system"]]
    opening = "Across these settings a" if len(results) > 1 else "A"
    return [
        f"{opening} single data set's winner loses {_span(regrets, 2)} points against the best"
        f" model, while one model's score moves by {_span(spreads, 1)} points from data set to data"
        " set. So:",
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
