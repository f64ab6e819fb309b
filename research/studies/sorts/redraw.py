"""How SORTS is drawn again: readers of cues on clauses from other triples.

`endless` has the triples of a draw with replacement.
"""

import dataclasses
import random
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from builders.sorts import DRAW
from builders.sorts.design import pools
from builders.sorts.draw import draw, item_columns, items_of, triples_of
from builders.sorts.lexicon import GERMAN, Triple
from metrics.subject_object_las import scoring
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import ROLES
from research.studies.levels import GroupScores
from research.studies.redraw import Redrawable, redraw_study


def draw_with_replacement(seed: int, size: int) -> Mapping[str, Any]:
    """Both splits from triples with replacement, as if the tables were an endless supply.

    Draws of the tables share nothing until all is used up, so they differ less from each other than
    samples of all that could be said. `size` is 1, a ValueError says so of another.
    """
    if size != 1:
        raise ValueError(f"sorts redraw, endless: size, got {size}; expected 1")
    draws = {source: [triples] for source, triples in sample_triples(seed).items()}
    items = items_of(draws, GERMAN).items()
    return {str(split): item_columns(found, tables=GERMAN) for split, found in items}


def sample_triples(seed: int) -> dict[str, list[Triple]]:
    """Triples with replacement under each source, numbered anew: one that comes twice is two."""
    found = {}
    for source, pool in pools(GERMAN).items():
        taken: list[Triple] = []
        for is_plural, n in ((False, pool.singular), (True, pool.plural)):
            generator = random.Random(f"sorts/{DRAW}/endless/{seed}/{source}/{is_plural}")
            taken += generator.choices(triples_of(source, is_plural, GERMAN), k=n) if n else []
        found[source] = [dataclasses.replace(one, number=i) for i, one in enumerate(taken)]
    return found


def score(parser: Any, splits: Mapping[str, Any]) -> Mapping[str, Any]:
    """Headline and LAS of each split, with intervals, and the null of `part_amb`."""
    options = read_options(scheme=parser.scheme, per_item=True)
    scores: dict[str, Any] = {}
    for split, rows in splits.items():
        inputs = {"predictions": parser.predict(rows), "references": rows}
        result = scoring.score(inputs, options)
        for name in ("informedness", "svo_ovs_score", "las", "las_merged"):
            scores |= {
                f"{name}_{split}{end}": result[f"{name}{end}"] for end in ("", "_low", "_high")
            }
        if split == "part_amb":
            scores["informedness_chance"] = result["informedness_chance"]
            scores["per_item"] = result["per_item"]
    return scores


def groups(result: Mapping[str, Any], splits: Mapping[str, Any]) -> GroupScores:
    """Informedness of the items of each triple in `part_amb` that the headline counts."""
    items: dict[str, list[Mapping[str, Any]]] = {}
    for row in result["per_item"]:
        items.setdefault(row["item_id"], []).append(row)
    cells: dict[tuple[str, str], list[float]] = {}
    for rows in items.values():
        both = {row["word_order"]: row for row in rows if row["word_order"] in (SVO, OVS)}
        if len(both) == 2 and not any(row["resolved_by"] in UNDECIDED for row in rows):
            right = [all(row[f"is_{role}_right"] for role in ROLES) for row in both.values()]
            triple = rows[0]["triple_id"]
            cells.setdefault((triple.partition("/")[0], triple), []).append(2 * fmean(right) - 1)
    return GroupScores.of(cells)


METRICS = ("informedness", "las")
SUITE = Redrawable(
    suite="sorts",
    version=lambda: DRAW,
    draw=draw,
    items=lambda splits: [" ".join(one) for rows in splits.values() for one in rows["tokens"]],
    score=score,
    kind="parser",
    systems=("subject-first", "animacy-first", "inflection-first", "inflection-then-animacy"),
    size=(1, "times 18,502 clauses"),
    metrics={f"{name}_{split}": True for name in METRICS for split in ("part_amb", "amb")},
    speaks_of=(
        "Draws take other triples of subject, verb and object through the same word orders and"
        " properties: the answer speaks about other words, not about other constructions."
    ),
    levels=("family", "triple"),
    drawn="triple",
    groups=groups,
)
ENDLESS = dataclasses.replace(
    SUITE,
    variant="endless",
    about="""SORTS drawn again from an endless supply: do its intervals say how far scores spread?

An interval of `subject_object_las` speaks of all triples that could be asked for. Draws of the
suite are no such samples: each takes a quarter of the tables' triples, none twice, so that they
differ less from each other. Here the triples of a draw come with replacement.""",
    draw=draw_with_replacement,
    speaks_of=(
        "Draws take their triples with replacement, as from an endless supply like the tables: what"
        " intervals speak of."
    ),
    n_draws=200,  # a standard deviation of 50 draws is known to a fifth of it, of 200 to a tenth
    levels=(),  # its triples are numbered by place, so that no group comes twice
    drawn="",
    groups=None,
)
STUDY = redraw_study(SUITE, ENDLESS)
