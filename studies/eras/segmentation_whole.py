"""The whole suite beside its lite config: does a hundred times as many pairs say anything else?

    python -m studies eras segmentation_whole

As `segmentation`, in simplified script: 407,888 sentences beside 3,900. Jieba and Wapic need
seconds for them; THULAC cuts 4,300 sentences a second of one core, PKUSEG 1,200 and LAC 800: 17
minutes of a core for all. `--store` keeps what is done.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from dataset_scripts.headlines import HEADLINES
from ground.markdown import markdown_table, percent
from studies.eras.pairs import configs
from studies.eras.segmentation import STUDY as LITE
from studies.eras.segmentation import table_row
from studies.report import numbers
from studies.study import Options, Shown

HEADLINE = HEADLINES["eras"]
OTHERS = ("resolution", "commitment", "test_accuracy", "control_accuracy", "garden_path_rate")
COLUMNS = (
    *("system", "pairs", HEADLINE.title, "NULL", "resolution", "commitment"),
    *("test", "control", "difference", "garden path"),
)
Scores = dict[str, Any]


def twins(results: Sequence[Scores]) -> list[tuple[Scores, Scores]]:
    """The results of a system on a whole config and on its lite one."""
    by_place = {(result["system"], result["config"]): result for result in results}
    return [
        (whole, by_place[system, f"{config}_lite"])
        for (system, config), whole in by_place.items()
        if (system, f"{config}_lite") in by_place
    ]


def largest_gap(pairs: Sequence[tuple[Scores, Scores]], scores: Sequence[str]) -> float:
    """The largest difference of whole and lite in any of the scores, in points."""
    return max(percent(abs(whole[name] - lite[name])) for whole, lite in pairs for name in scores)


def width_ratio(whole: Scores, lite: Scores) -> float:
    """How many times as wide the whole's interval of the headline is as the lite one's."""
    ends = [
        [result[f"{HEADLINE.score}_{end}"] for end in ("low", "high")] for result in (whole, lite)
    ]
    (low, high), (lite_low, lite_high) = ends
    return float((high - low) / (lite_high - lite_low))


def verdict(pairs: Sequence[tuple[Scores, Scores]]) -> str:
    """By how many points whole and lite differ, and whether intervals are narrower."""
    ratios = sorted({f"{width_ratio(*pair):.2f}" for pair in pairs})
    return (
        f"Whole and lite differ by at most {largest_gap(pairs, [HEADLINE.score]):.1f} points in"
        f" {HEADLINE.title} and by at most {largest_gap(pairs, OTHERS):.1f} in any other rate of"
        f" the table. Both have their intervals over the same families: the whole's are"
        f" {' to '.join(dict.fromkeys((ratios[0], ratios[-1])))} times as wide. "
    )


def result_text(results: Sequence[Scores]) -> str:
    """What differs, and the table: each whole config above its lite one."""
    rows = [table_row(result) | {"pairs": result["n"]} for result in results]
    pairs = twins(results)
    n = {result["n_clusters"] for result in results}
    return (
        "### Word segmentation: the whole suite beside lite\n\n"
        f"{verdict(pairs) if pairs else ''}Percent, 39 paradigms of equal weight, intervals over"
        f" {max(n)} families; the row of fewer pairs is the lite one. {HEADLINE.sentence}\n\n"
        f"<details><summary>All {len(rows)} rows</summary>\n\n{markdown_table(rows, COLUMNS)}\n"
        "</details>\n"
    )


def show(results: Sequence[Scores], options: Options) -> list[Shown]:
    """Table and figures; a lite row beside its whole one is not a figure of this record."""
    twice = [lite for _, lite in twins(results)]
    own = [result for result in results if not any(result is lite for lite in twice)]
    figures = numbers(own, "system", "config")
    return [Shown("segmentation_whole", result_text(results), figures)]


STUDY = dataclasses.replace(
    LITE,
    module=__name__,
    about=__doc__,
    show=show,
    options=(configs("simplified", "simplified_lite"), *LITE.options[1:]),
    systems=("jieba", "wapic", "thulac", "pkuseg", "lac"),
)
