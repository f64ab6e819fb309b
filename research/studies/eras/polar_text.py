"""Tables of the study `polar`: effects and the width of their intervals by set of paradigms."""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ground.markdown import interval, markdown_table, percent

PUBLISHED, EXTENDED, BOTH = "the 39 paradigms", "extended, polar", "both"
MEASURES = {"occlusion_effect": (1, 2), "gper_excess": (100, 1)}
"""What is compared, with the factor and the digits with which it is shown."""
TITLES = {"occlusion_effect": "occlusion effect", "gper_excess": "excess"}


def result_text(systems: Sequence[Mapping[str, Any]]) -> str:
    """What classifiers show on each set, and what three times the clusters change."""
    sizes = {row["set"]: row for row in systems}
    counts = "; ".join(
        f"{which}: {row['n_paradigms']} in {row['n_clusters']} families, {row['n']:,} pairs"
        for which, row in sizes.items()
    )
    head = (
        f"The published paradigms and the extended ones with words of opposite sentiment ({counts};"
        " 25 of each paradigm). Columns as in the table of sentiment classifiers; ±: half the"
        f" interval. {change_text(list(ratios(systems)))}"
    )
    table = markdown_table([system_row(row) for row in systems])
    return f"#### With three times the clusters\n\n{head}\n\n{table}"


def ratios(systems: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """For each measure and classifier, width on both sets by that on the 39."""
    for name in dict.fromkeys(row["system"] for row in systems):
        rows = {row["set"]: row for row in systems if row["system"] == name}
        for measure in MEASURES:
            yield measure, _width(rows[BOTH], measure) / _width(rows[PUBLISHED], measure)


def change_text(found: Sequence[tuple[str, float]]) -> str:
    """By how much the intervals became narrower, median over what the ratios are of."""
    known = {
        measure: [ratio for name, ratio in found if name == measure and math.isfinite(ratio)]
        for measure in MEASURES
    }
    if not all(known.values()):
        return "No classifier has intervals on both."
    medians = {measure: statistics.median(values) for measure, values in known.items()}
    n = min(map(len, known.values()))
    return (
        f"On both together the interval of the occlusion effect is"
        f" {medians['occlusion_effect']:.2f} times as wide as on the 39, that of the excess of GPER"
        f" {medians['gper_excess']:.2f} times (median over {n} classifiers)."
    )


def system_row(row: Mapping[str, Any]) -> dict[str, object]:
    """A classifier on a set."""
    line: dict[str, object] = {
        "system": row["system"],
        "set": row["set"],
        "paradigms": row["n_paradigms"],
        "families": row["n_clusters"],
    }
    for measure, (factor, digits) in MEASURES.items():
        value, low, high = (factor * row[f"{measure}{end}"] for end in ("", "_low", "_high"))
        line[TITLES[measure]] = f"{value:z.{digits}f}{interval(low, high, digits)}"
        line[f"± {TITLES[measure]}"] = f"{(high - low) / 2:.{digits}f}"
        if measure == "occlusion_effect":
            line["p"] = f"{row['occlusion_effect_p']:.3f}"
    standardised = row["occlusion_effect_standardised"]
    line["standardised"] = "–" if standardised != standardised else f"{standardised:z.2f}"
    for name in ("gper", "gper_reverse", "overall_accuracy"):
        line[name.replace("gper", "GPER").replace("_", " ")] = percent(row[name])
    return line


def figures_of(systems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Numbers by classifier and set; without conditions, which the overview would diagnose."""
    names = [f"{m}{end}" for m in MEASURES for end in ("", "_low", "_high")]
    return {
        "systems": {
            f"{row['system']}, {row['set']}": {name: row[name] for name in (*names, "n_clusters")}
            for row in systems
        },
        "conditions": {},
        "segmentation": {},
    }


def _width(row: Mapping[str, Any], measure: str) -> float:
    return float(row[f"{measure}_high"] - row[f"{measure}_low"])
