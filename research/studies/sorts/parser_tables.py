"""Tables and the heat map of the study of parsers, from results of the metric per clause."""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from dataset_scripts.headlines import HEADLINES
from ground.markdown import percent, percent_with_interval
from metrics._shared.columns import FloatArray
from metrics._shared.uncertainty import cluster_interval, holm, sign_flip_test
from metrics.subject_object_las.inputs import PROPERTIES, UNDECIDED, WORD_ORDERS
from research.studies.headline_columns import headline_columns
from research.studies.published_tables import SubjectObjectRow, subject_object_rows
from research.studies.report import cell_map, new_figure, png

Result = dict[str, Any]
Row = dict[str, object]
OVERALL = {
    "SVO and OVS": "svo_ovs_score",
    "gap": "plausibility_gap",
    "LAS": "las",
    "LAS merged": "las_merged",
    "UAS": "uas",
    "label": "label_accuracy",
    "clause": "clause_score",
    "swap": "swap_rate",
    "item": "item_score",
    "las unresolved": "las_unresolved",
}
PUBLISHED_SPLITS = ("part_amb", "amb")
PUBLISHED_PARSERS = (
    *("baseline", "baseline_pmis", "baseline_embeds"),
    *("sticker1", "sticker1_self_distill", "sticker2"),
)


def overall_rows(results: Sequence[Result], place: str) -> list[Row]:
    """One line per system on `CONFIG/SPLIT`, percent; LAS with interval and without `amb`."""
    rows = []
    for result in results:
        row: Row = {
            "system": result["system"],
            **headline_columns(HEADLINES["sorts"], result, place),
        }
        row |= {name: percent(result[score]) for name, score in OVERALL.items()}
        row["LAS"] = percent_with_interval(result, "las", 2)
        row["LAS without amb"] = percent(las_without(result, "amb"))
        rows.append(row)
    defined = {name for row in rows for name, cell in row.items() if cell == cell}  # not nan
    return [{name: cell for name, cell in row.items() if name in defined} for row in rows]


def las_without(result: Result, tag: str) -> float:
    """LAS over the clauses without a property, as in Table 6; nan where no clause has it."""
    row = next((row for row in result["by_property"] if row["property"] == tag), None)
    if row is None or row["n"] == result["n"]:
        return math.nan
    return float((result["las"] * result["n"] - row["las"] * row["n"]) / (result["n"] - row["n"]))


def published_parts(split: str) -> dict[str, SubjectObjectRow]:
    """What the paper has for each part of a split; {} for a split that it does not have."""
    rows = subject_object_rows(split) if split in PUBLISHED_SPLITS else ()
    return {row.part_of_suite: row for row in rows}


def part_rows(
    results: Sequence[Result], part: Literal["word_order", "property"], split: str
) -> list[Row]:
    """LAS in percent by word order or property, one column per system and the paper's sticker2."""
    published = published_parts(split)
    rows: list[Row] = []
    for name in WORD_ORDERS if part == "word_order" else PROPERTIES:
        found = {
            result["system"]: row
            for result in results
            for row in result[f"by_{part}"]
            if row[part] == name
        }
        if found:
            row: Row = {part: name, "n": next(iter(found.values()))["n"]}
            row |= {name: percent_with_interval(own, "las", 2) for name, own in found.items()}
            if published:
                row["sticker2 (published)"] = getattr(published.get(name), "sticker2", math.nan)
            rows.append(row)
    return rows


def published_rows(split: str) -> list[Row]:
    """LAS in percent of the paper's six parsers, a line each: of all by n, then by word order."""
    found = [row for row in subject_object_rows(split) if row.part_of_suite in WORD_ORDERS]
    total = sum(row.n for row in found)
    return [
        {
            "parser": name,
            "LAS": sum(row.n * getattr(row, name) for row in found) / total,
            **{row.part_of_suite: getattr(row, name) for row in found},
        }
        for name in PUBLISHED_PARSERS
    ]


def paired_rows(results: Sequence[Result]) -> list[Row]:
    """Difference of LAS of each pair of systems in points, its interval, p, and p after Holm.

    The pairs are subjects and objects of the same clauses; what is resampled and what has its sign
    flipped is the base triple.
    """
    pairs = [
        (first, second, *paired_sums(first, second))
        for first, second in itertools.combinations(results, 2)
    ]
    p_values = [sign_flip_test(hits) if len(hits) > 1 else math.nan for _, _, hits, _ in pairs]
    rows: list[Row] = []
    for (first, second, hits, counts), p, corrected in zip(
        pairs, p_values, holm(p_values), strict=True
    ):
        interval = cluster_interval(functools.partial(_ratio, hits, counts), len(hits))
        row: Row = {"system": first["system"], "other": second["system"]}
        row["difference"] = percent(float(hits.sum() / counts.sum()))
        row |= {"low": percent(interval.low), "high": percent(interval.high)}
        rows.append(row | {"p": _p(p), "p (Holm)": _p(corrected)})
    return rows


def paired_sums(first: Result, second: Result) -> tuple[FloatArray, FloatArray]:
    """Words by which the first system is ahead in each base triple, and all words, shapes (c,)."""
    sums: dict[str, list[int]] = {}
    for one, other in zip(first["per_item"], second["per_item"], strict=True):
        if one["resolved_by"] in UNDECIDED and first["options"]["unresolved"] == "apart":
            continue
        entry = sums.setdefault(str(one["triple_id"]), [0, 0])
        entry[0] += sum(one[name] - other[name] for name in ("is_subject_right", "is_object_right"))
        entry[1] += 2
    array = np.array(list(sums.values()), float)
    return array[:, 0], array[:, 1]


def heat_map(results: Sequence[Result]) -> bytes:
    """Draws LAS of each system by property (rows) and word order; white without clauses."""
    figure = new_figure(1.5 + 4.5 * len(results), 7)
    panels = figure.subplots(1, len(results), squeeze=False)[0]
    found = {row["property"] for row in results[0]["by_property"]}
    tags = [tag for tag in PROPERTIES if tag in found]
    for axes, result in zip(panels, results, strict=True):
        cells = {
            (row["property"], row["word_order"]): percent(row["las"])
            for row in result["by_property_and_word_order"]
        }
        matrix = np.array(
            [[cells.get((tag, order), math.nan) for order in WORD_ORDERS] for tag in tags]
        )
        image = cell_map(axes, matrix, (tags, WORD_ORDERS), fontsize=7, rotation=90)
        axes.set_title(result["system"])
    figure.colorbar(image, ax=panels, label="subject-object LAS, percent")
    return png(figure)


def _ratio(hits: FloatArray, counts: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray((weights @ hits) / (weights @ counts))


def _p(value: float) -> str | None:
    return f"{value:.4f}" if value == value else None
