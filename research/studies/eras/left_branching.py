"""Does a segmenter prefer the left word? Its accuracy on left- and on right-branching paradigms.

The paper says so of three of its four Transformers (section 3.2). A paradigm has one branching, so
that the two accuracies are of different families, and their difference has MOVER's interval.
"""

from collections.abc import Sequence
from typing import Any

from ground.markdown import markdown_table, percent, percent_with_interval
from research.studies.report import Shown
from research.studies.seed_intervals import mover
from research.studies.study import Options

SIDES = ("left", "right")
SCORES = ("test_accuracy", "control_accuracy")


def preference(result: dict[str, Any]) -> dict[str, float]:
    """Shares of right sentences on each side with their intervals, and `left_minus_right`.

    Returns:
        For `left`, `right`, `left_control` and `right_control` a share with `_low` and `_high`;
        `left_minus_right` is about test sentences, from -1 to 1, above 0 where left is easier.
    """
    of_side = {row["branching"]: row for row in result["by_branching"]}
    found = {}
    for side in SIDES:
        for score, name in zip(SCORES, (side, f"{side}_control"), strict=True):
            for end in ("", "_low", "_high"):
                found[name + end] = of_side[side][score + end]
    ends = [(found[side], found[f"{side}_low"], found[f"{side}_high"]) for side in SIDES]
    found["left_minus_right"] = found["left"] - found["right"]
    return found | mover(*ends).as_fields("left_minus_right")


def preference_text(results: Sequence[dict[str, Any]]) -> str:
    """The table of the results, and how to read it."""
    rows = []
    for result in results:
        found = preference(result)
        row: dict[str, object] = {"system": result["system"], "config": result["config"]}
        row["pair accuracy"] = percent_with_interval(result, "pair_accuracy")
        for side in SIDES:
            row[f"{side} test"] = percent_with_interval(found, side)
            row[f"{side} control"] = percent(found[f"{side}_control"])
        rows.append(row | {"left minus right": percent_with_interval(found, "left_minus_right")})
    return (
        "### Do Transformers prefer the left word?\n\n"
        "Percent of right sentences, paradigms of equal weight; a sentence is right unless it is"
        " cut as the canary word wants it. encoder: STANDARD/SEED, a Transformer of two layers that"
        " was trained here. Left minus right: test sentences of left- and of right-branching"
        " paradigms; above 0, left ones are easier. The paper says so of AS, MSR and PKU and not"
        f" of CityU.\n\n{markdown_table(rows)}"
    )


def show_preference(results: Sequence[dict[str, Any]], options: Options) -> list[Shown]:
    """Table and figures."""
    figures = {f"{one['system']}/{one['config']}": preference(one) for one in results}
    return [Shown("segmentation_encoder", preference_text(results), figures)]
