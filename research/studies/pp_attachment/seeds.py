"""Parsers of three seeds on PP attachment: what another training moves.

    python -m research pp_attachment seeds
    python -m research pp_attachment seeds --config lite --systems trained:spacy/german-free/0 ...

The systems are parsers that are trained here (`python -m research sorts train_parser`); those that
differ in their seed alone are one line, with intervals over base items and seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dataset_scripts.headlines import HEADLINES
from garden_path.models.arrays import BoolArray
from ground.markdown import markdown_table
from metrics.pp_attachment_accuracy.inputs import UNDECIDED
from research.studies.pp_attachment.attachment import STUDY as SINGLE
from research.studies.pp_attachment.attachment import GoldPhrases, score_system
from research.studies.report import Shown
from research.studies.seeds import (
    SEEDS_NOTE,
    Cells,
    Hits,
    as_numbers,
    by_recipe,
    crossed_score,
    in_cell,
    seeds_of,
)
from research.studies.study import Options, Rows, Run

RECIPES = ("spacy/german-free",)
PARTS = ("resolved_by", "position")
TITLES = {"topology": "topology pairs", "head": "head", "right": "head and label"}


def score(gold: Mapping[str, GoldPhrases], run: Run) -> dict[str, Cells]:
    """Every mean of each recipe, by table and row."""
    (part,) = gold.values()
    found = {}
    for name, systems in by_recipe(run.options.systems).items():
        results = [score_system(run.system(one), part, run, per_item=True) for one in systems]
        found[name] = cells([result["per_item"] for result in results])
    return found


def cells(tables: Sequence[Rows]) -> Cells:
    """The means of a recipe from the rows of its seeds: topology pairs, heads, heads by part."""
    rows = tables[0]
    heads, right = (
        np.array([[row[name] for row in table] for table in tables])
        for name in ("is_head_right", "is_right")
    )
    is_decided = np.array([row["resolved_by"] not in UNDECIDED for row in rows])
    hits = {
        ("overall", "topology"): pair_hits(rows, right, is_decided),
        ("overall", "head"): sentence_hits(rows, heads, is_decided),
        ("overall", "right"): sentence_hits(rows, right, is_decided),
    }
    for part in PARTS:
        for name in dict.fromkeys(row[part] for row in rows):
            is_in = np.array([row[part] == name for row in rows])
            chosen = is_in if part == "resolved_by" else is_in & is_decided
            hits[part, name] = sentence_hits(rows, heads, chosen)
    return {place: crossed_score(one) for place, one in hits.items()}


def sentence_hits(rows: Rows, is_right: BoolArray, chosen: BoolArray) -> Hits:
    """Some sentences, each its own unit."""
    places = np.flatnonzero(chosen).tolist()
    clusters = [str(rows[i]["item_id"]) for i in places]
    return Hits(is_right[:, places].astype(float), np.ones(len(places)), clusters)


def pair_hits(rows: Rows, is_right: BoolArray, is_decided: BoolArray) -> Hits:
    """Topology pairs both of whose members are decided: right where both are."""
    pairs: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if row["pair_factor"] == "topology" and is_decided[i]:
            pairs.setdefault(row["pair_id"], []).append(i)
    both = [places for places in pairs.values() if len(places) == 2]
    hits = np.array([is_right[:, places].all(axis=1) for places in both], np.float64)
    clusters = [str(rows[places[0]]["item_id"]) for places in both]
    return Hits(hits.reshape(len(both), len(is_right)).T, np.ones(len(both)), clusters)


def show(scored: Mapping[str, Cells], options: Options) -> list[Shown]:
    """Tables and figures."""
    return [Shown("seeds", result_text(scored, options), as_numbers(scored))]


def result_text(scored: Mapping[str, Cells], options: Options) -> str:
    """The tables, and how to read them."""
    overall = [
        {"parser": name, **{title: in_cell(found["overall", key]) for key, title in TITLES.items()}}
        for name, found in scored.items()
    ]
    note = SEEDS_NOTE.format(clusters="base items")
    parts = [
        f"### Parsers of several seeds, `{options.config}`\n\nPercent."
        f" {HEADLINES['pp_attachment'].sentence_of(f'{options.config}/test')} {note}\n\n"
        f"{markdown_table(overall)}"
    ]
    for part in PARTS:
        names = [name for table, name in next(iter(scored.values())) if table == part]
        rows = [
            {part: name} | {one: in_cell(found[part, name]) for one, found in scored.items()}
            for name in names
        ]
        parts.append(f"Share on the right head, by {part}:\n\n{markdown_table(rows)}")
    return "\n".join(parts)


STUDY = replace(
    SINGLE,
    module=__name__,
    about=__doc__,
    score=score,
    show=show,
    options=tuple(
        one for one in SINGLE.options if one.name in ("config", "seed", "scheme", "resamples")
    ),
    systems=seeds_of(*RECIPES),
)
