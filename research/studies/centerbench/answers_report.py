"""What the study of answers shows: tables, a sentence on where structure is left, a plot."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataset_scripts.headlines import HEADLINES, Result
from ground.markdown import markdown_table, percent, percent_with_interval
from research.studies.centerbench.failures import failure_text
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.report import png

CONDITIONS = ("plausible", "implausible")
DIFFICULTIES = ("easy", "medium", "hard")


def result_text(results: Sequence[Result]) -> str:
    """The headline, where each system leaves structure, and the paper's Tables 4, 12 and 13."""
    first = results[0]
    scorer = f"scorer: {first['options']['scorer']}"
    lines = [
        f"Accuracy in percent on {first['n']:,} questions about {2 * first['n_clusters']:,}"
        f" sentences ({scorer}); 95 % intervals over sentence pairs."
        f" {headline_sentence(HEADLINES['centerbench'])}"
        " Core: action, agent and nested dependency, which the structure alone decides; convention:"
        " causal sequence and consequence.",
        markdown_table([headline_row(result) for result in results]),
        "\n".join(f"- {verdict(result)}" for result in results),
        "By level and difficulty, as the paper has it (easy: action, agent; medium: count, nested"
        " dependency; hard: causal sequence,"
        " consequence):",
        markdown_table([row for result in results for row in level_rows(result)]),
    ]
    if any(result["n_completion_tokens"] for result in results):
        lines.append(markdown_table([token_row(result) for result in results]))
    lines += [missing_text(result) for result in results if result["problems"]]
    if by_system := {str(r["system"]): r["failures"] for r in results if "failures" in r}:
        lines.append(failure_text(by_system))
    return "\n\n".join(line.rstrip("\n") for line in lines) + "\n"


def headline_row(result: Result) -> dict[str, object]:
    """One line of the headline table, in percent."""
    return {
        "system": result["system"],
        **headline_columns(HEADLINES["centerbench"], result),
        "plausible": percent(result["accuracy_plausible_core"]),
        "implausible": percent(result["accuracy_implausible_core"]),
        "gap": percent_with_interval(result, "gap_core"),
        "both right": percent(result["both_correct_core"]),
        "convention": percent(result["accuracy_convention"]),
        "count": percent(result["accuracy_count"]),
        "all": percent(result["accuracy"]),
    }


def verdict(result: Result) -> str:
    """Says whether a system reads structure, and from which level on it leaves it."""
    levels = [row["level"] for row in result["by_level"]]
    level, span = result["opening_level_core"], f"levels {levels[0]} to {levels[-1]}"
    text = (
        f"leaves structure for plausibility at level {level}"
        if level != "none"
        else "shows no gap that opens"
    )
    text = f"{result['system']}: {text} ({span})"
    if result["accuracy_plausible_core"] <= result["chance_linear_order_core"]:
        text += ", but is no better than reading the words in linear order"
    median, absolute = percent(result["median_gap"]), percent(result["median_absolute_gap"])
    return (
        f"{text}. Median gap over the cells of level and question type: {median:.1f} points,"
        f" without sign {absolute:.1f}."
    )


def missing_text(result: Result) -> str:
    """How much of the suite a system answered, and why not all; what is missing counts as wrong."""
    reasons = ", ".join(f"{n:,} times {why}" for why, n in result["problems"].most_common())
    coverage, n = percent(result["coverage"]), result["n_missing"]
    return (
        f"{result['system']}: coverage {coverage:.1f} %; {n:,} answers are missing and counted as"
        f" wrong ({reasons})."
    )


def level_rows(result: Result) -> list[dict[str, object]]:
    """The lines of a system in the layout of Tables 4, 12 and 13, in percent."""
    cells = {(row["level"], row["difficulty"]): row for row in result["by_level_difficulty"]}
    return [
        {
            "level": row["level"],
            "system": result["system"],
            **{
                f"{d} {c}": percent(cells[row["level"], d][f"accuracy_{c}"])
                for d in DIFFICULTIES
                for c in CONDITIONS
            },
            "gap": percent(row["gap"]),
        }
        for row in result["by_level"]
    ]


def token_row(result: Result) -> dict[str, object]:
    """The tokens that a system read and wrote."""
    return {
        "system": result["system"],
        "asked": result["n_asked"],
        "prompt tokens": result["n_prompt_tokens"],
        "completion tokens": result["n_completion_tokens"],
        "of them reasoning": result["n_reasoning_tokens"],
        "cut off": result["n_cut"],
    }


def plot(results: Sequence[Result]) -> bytes:
    """Core accuracy by level and condition, and the gap by question type, of each system."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.4 * len(results)), layout="constrained")
    axes = figure.subplots(len(results), 2, squeeze=False)
    for row, result in zip(axes, results, strict=True):
        _draw_accuracies(row[0], result)
        _draw_gaps(row[1], result)
    return png(figure)


def _draw_accuracies(axes: Any, result: Result) -> None:
    levels = [row["level"] for row in result["by_level"]]
    for condition, marker in zip(CONDITIONS, "os", strict=True):
        name = f"accuracy_{condition}_core"
        values, low, high = (
            np.array([100 * row[key] for row in result["by_level"]])
            for key in (name, f"{name}_low", f"{name}_high")
        )
        (line,) = axes.plot(levels, values, marker=marker, label=condition)
        axes.fill_between(levels, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    null = percent(HEADLINES["centerbench"].null(result))
    axes.axhline(null, color="tab:red", linestyle="--", linewidth=1, label="NULL")
    level = result["opening_level_core"]
    if isinstance(level, int):
        axes.axvline(level, color="black", linestyle=":", linewidth=1, label="gap opens")
    axes.set(
        title=result["system"],
        xlabel="level",
        ylabel="accuracy, core questions (%)",
        ylim=(-3, 103),
        xticks=levels,
    )
    axes.legend()


def _draw_gaps(axes: Any, result: Result) -> None:
    rows = result["by_question_type"][::-1]
    gaps, low, high = (
        np.array([100 * row[key] for row in rows]) for key in ("gap", "gap_low", "gap_high")
    )
    errors = np.maximum(np.nan_to_num(np.stack([gaps - low, high - gaps])), 0)
    axes.barh(range(len(rows)), gaps, xerr=errors, capsize=3, color="tab:gray")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row["question_type"].replace("_", " ") for row in rows])
    axes.set(xlabel="gap, plausible minus implausible (points)", xlim=(-105, 105))
