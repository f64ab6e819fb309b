"""Tables of the study `polar`: effects and the width of their intervals by set of paradigms."""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ground.markdown import interval, markdown_table, percent
from research.studies.eras.joint_measures import ModelScores, compare, of_condition, shown_estimate
from research.studies.seed_intervals import CrossedMean
from research.systems.classifiers.joint_training import CONDITIONS

PUBLISHED, EXTENDED, BOTH = "the 39 paradigms", "extended, polar", "both"
MEASURES = {"occlusion_effect": (1, 2), "gper_excess": (100, 1)}
"""What is compared, with the factor and the digits with which it is shown."""
TITLES = {"occlusion_effect": "occlusion effect", "gper_excess": "excess"}


def result_text(scored: Mapping[str, Any]) -> str:
    """What classifiers show on each set, what three times the clusters change, joint training."""
    systems, models = scored["systems"], scored["models"]
    over = "classifiers and conditions" if models else "classifiers"
    sizes = {row["set"]: row for row in systems}
    counts = "; ".join(
        f"{which}: {row['n_paradigms']} in {row['n_clusters']} families, {row['n']:,} pairs"
        for which, row in sizes.items()
    )
    parts = [
        "#### With three times the clusters",
        f"The published paradigms and the extended ones with words of opposite sentiment ({counts};"
        " 25 of each paradigm). Columns as in the table of sentiment classifiers; ±: half the"
        f" interval. {change_text(list(ratios(scored)), over)}",
        markdown_table([system_row(row) for row in systems]),
    ]
    if models:
        parts += [
            "The models of joint training by condition (means over seeds), and what CWS and"
            " WWM+CWS differ by from Sentiment Only and WWM; detectable: what four of five such"
            f" studies would find. {claim_text(models)}",
            markdown_table(list(condition_rows(models))),
            markdown_table(list(contrast_rows(models))),
        ]
    return "\n\n".join(parts)


def ratios(scored: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """For each measure and classifier or condition, width on both sets by that on the 39."""
    for name in dict.fromkeys(row["system"] for row in scored["systems"]):
        rows = {row["set"]: row for row in scored["systems"] if row["system"] == name}
        for measure in MEASURES:
            yield measure, _width(rows[BOTH], measure) / _width(rows[PUBLISHED], measure)
    for condition in CONDITIONS if scored["models"] else ():
        found = {
            which: of_condition(models, condition.name)
            for which, models in scored["models"].items()
        }
        for measure in MEASURES:
            both, published = (shown_estimate(found[which], measure) for which in (BOTH, PUBLISHED))
            yield measure, (both.high - both.low) / (published.high - published.low)


def change_text(found: Sequence[tuple[str, float]], over: str) -> str:
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
        f" {medians['gper_excess']:.2f} times (median over {n} {over})."
    )


def claim_text(models: Mapping[str, Sequence[ModelScores]]) -> str:
    """What learning to segment changes in the occlusion effect, on all paradigms and on the 39."""
    both, published = (
        compare(models[which], "occlusion_effect")[0].estimate for which in (BOTH, PUBLISHED)
    )
    verdict = "That stays open" if both.is_open else "That is not 0"
    return (
        f"{verdict} with all paradigms: {_crossed(both, 1, 2)} logits, where {both.detectable:.2f}"
        f" could have been found, and {published.detectable:.2f} on the 39."
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


def condition_rows(models: Mapping[str, Sequence[ModelScores]]) -> Iterator[dict[str, object]]:
    """A line for each condition and set."""
    for condition in CONDITIONS:
        for which, found in models.items():
            chosen = of_condition(found, condition.name)
            line: dict[str, object] = {
                "condition": condition.name,
                "seeds": len(chosen),
                "set": which,
            }
            for measure, (factor, digits) in MEASURES.items():
                one = shown_estimate(chosen, measure)
                line[TITLES[measure]] = _crossed(one, factor, digits)
                line[f"± {TITLES[measure]}"] = f"{factor * (one.high - one.low) / 2:.{digits}f}"
            sensitivity = shown_estimate(chosen, "sensitivity")
            line["sensitivity"] = _crossed(sensitivity, 1, 2)
            yield line | {"GPER": percent(shown_estimate(chosen, "gper").value)}


def contrast_rows(models: Mapping[str, Sequence[ModelScores]]) -> Iterator[dict[str, object]]:
    """What learning to segment changes, by set."""
    for which, found in models.items():
        line: dict[str, object] = {"set": which}
        for measure, (factor, digits) in MEASURES.items():
            one = compare(found, measure)[0].estimate
            line[f"segmentation: {TITLES[measure]}"] = _crossed(one, factor, digits)
            line[f"detectable: {TITLES[measure]}"] = f"{factor * one.detectable:.{digits}f}"
            if measure == "occlusion_effect":
                line["p"] = f"{one.p:.3f}"
        yield line


def figures_of(scored: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers by classifier and set, by condition and set, and the contrasts."""
    names = [f"{m}{end}" for m in MEASURES for end in ("", "_low", "_high")]
    return {
        "systems": {
            f"{row['system']}, {row['set']}": {name: row[name] for name in (*names, "n_clusters")}
            for row in scored["systems"]
        },
        "conditions": {
            f"{condition.name}, {which}": {
                measure: shown_estimate(of_condition(found, condition.name), measure)._asdict()
                for measure in MEASURES
            }
            for which, found in scored["models"].items()
            for condition in CONDITIONS
        },
        "segmentation": {
            which: {measure: compare(found, measure)[0].estimate._asdict() for measure in MEASURES}
            for which, found in scored["models"].items()
        },
    }


def _width(row: Mapping[str, Any], measure: str) -> float:
    return float(row[f"{measure}_high"] - row[f"{measure}_low"])


def _crossed(found: CrossedMean, factor: int, digits: int) -> str:
    ends = interval(factor * found.low, factor * found.high, digits)
    return f"{factor * found.value:z.{digits}f}{ends}"
