"""Does a headline follow quality? Its rank correlation with an outside measure over systems.

Read from committed records, nothing is run: SORTS against LAS on a treebank, ERAS against the same
ambiguity in running text, PP attachment against heads on a treebank. A headline that does not reach
.6 over eight systems and more is no ranking, and its card says so.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ground.markdown import format_cell, markdown_table
from ground.paths import RESULTS
from research.studies.report import committed_figures

LEAST_SYSTEMS, GOAL = 8, 0.6
Points = Mapping[str, tuple[float, float]]
"""Of each system its headline and the outside measure."""
Records = Callable[[str], Mapping[str, Any]]
"""Figures of a record, by `SUITE/RECORD`; {} where there is none."""


@dataclass(frozen=True)
class Following:
    """How a headline follows a measure outside of the suite, over systems that know something."""

    suite: str
    score: str
    outside: str
    n_systems: int
    spearman: float


def followings(folder: Path = RESULTS) -> list[Following]:
    """Every headline with its outside measure; correlation nan if there are no two systems."""
    return [
        Following(suite, score, outside, len(points), _spearman(list(points.values())))
        for suite, score, outside, points in _measured(partial(committed_figures, folder=folder))
    ]


def _measured(figures: Records) -> Iterator[tuple[str, str, str, Points]]:
    systems, in_text = figures("eras/validity").get("systems", {}), "natural site_accuracy"
    for which, score in (("ERAS", "pair_accuracy"), *(("extended", s) for s in ERAS_SCORES)):
        title = f"{score}, {'the 39' if which == 'ERAS' else which}"
        both = {n: one for n, one in systems.items() if {f"{which} {score}", in_text} <= one.keys()}
        points = {name: (one[f"{which} {score}"], one[in_text]) for name, one in both.items()}
        yield "eras", title, PLACES, points
    read = figures("eras/segmentation_two_readings")
    points = {
        name: (read[key]["pair_accuracy"], found[in_text])
        for name, found in systems.items()
        for key in [f"{name}/two_readings{'_traditional' * (name.endswith(TRADITIONAL))}"]
        if key in read and in_text in found
    }
    yield "eras", "pair_accuracy, two_readings", PLACES, points
    las = {
        f"trained:{recipe}": found["las"]
        for record in TRAINED
        for recipe, found in figures(f"sorts/{record}").items()
    }
    for title, records in PARSED.items():
        parsers = {name: own for one in records for name, own in figures(f"sorts/{one}").items()}
        for score in SORTS_SCORES:
            points = {name: (parsers[name][score], las[name]) for name in parsers if name in las}
            yield "sorts", f"{score}, {title}", "LAS on a treebank", points
    answers, heads = figures("pp_attachment/attachment"), figures("pp_attachment/treebanks")
    for name in UNSEEN:
        found = heads.get(name, {})
        points = {
            system: (answers[system]["beyond_order_pair_accuracy"], found[system]["accuracy"])
            for system in sorted(set(answers) & set(found))
            if system.startswith("trained:")
        }
        yield "pp_attachment", "beyond_order_pair_accuracy", f"heads on {name}", points


UNSEEN = ("GSD test", "LIT test")
"""Treebanks that none of the trained parsers has seen."""
ERAS_SCORES, PLACES = ("pair_accuracy", "resolution"), "right at ambiguous places of gold text"
TRADITIONAL = (":as", ":cityu")  # ends of the names of systems whose texts are
SORTS_SCORES = ("informedness", "svo_ovs_score")
TRAINED = ("train_parser", "train_parser_biaffine", "train_parser_parts")
PARSED = {
    "twins": ("subject_object_twins_test", "parts_twins_test"),
    "twins, nine parsers": ("subject_object_twins_test",),
    "part_amb": ("subject_object_part_amb",),
    "amb": ("subject_object_amb",),
}
"""Parts of SORTS, and the records of the parsers: `parts` has those of parts of the treebanks."""


def _spearman(points: Sequence[tuple[float, float]]) -> float:
    from scipy.stats import spearmanr

    if len(points) < 2:
        return math.nan
    return float(spearmanr([a for a, _ in points], [b for _, b in points]).statistic)


def quality_text(found: Sequence[Following]) -> str:
    """The table, and what a number is worth."""
    rows = []
    for one in found:
        score, *parts = one.score.split(", ")
        row: dict[str, object] = {"suite": one.suite, "score": ", ".join([f"`{score}`", *parts])}
        row |= {"outside measure": one.outside, "systems": one.n_systems}
        rows.append(row | {"Spearman": format_cell(one.spearman, 2), "": _verdict(one)})
    return (
        "## Do headlines follow quality?\n\n"
        "Rank correlation of a headline with a measure outside of its suite, over the systems of"
        f" the committed records. Under {LEAST_SYSTEMS} systems it shows little.\n\n"
        f"{markdown_table(rows)}"
    )


def _verdict(one: Following) -> str:
    if math.isnan(one.spearman):
        return "not measured"
    if one.n_systems < LEAST_SYSTEMS:
        return "too few systems"
    return "follows it" if one.spearman > GOAL else "does not follow it"
