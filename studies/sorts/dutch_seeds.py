"""Parsers of three seeds on Dutch clauses, ours and the authors': `seeds` for Dutch.

    python -m studies sorts dutch_seeds
    python -m studies sorts dutch_seeds --gold dutch_lite/amb

The authors' newest Dutch clauses (`released_dutch_head`) are files that you have: in --released, or
in the folder sorts/dutch of GARDENPATH_SOURCES. No German figure stands beside Dutch clauses: the
paper has none for these.

Source: Fischer et al. (2020), section 4, for the measures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ground.sources import sources_folder
from studies.seeds import Cells, seeds_of
from studies.sorts.clauses import SPLITS, GoldClauses, read_gold
from studies.sorts.seeds import STUDY as GERMAN
from studies.sorts.seeds import shown
from studies.study import Options, Shown

GOLD = [f"{config}/{split}" for config in ("dutch_lite", "released_dutch_head") for split in SPLITS]


def rows(options: Options) -> dict[str, GoldClauses]:
    """Gold clauses by name; errors as of `subject_object`."""
    released = options.released or sources_folder() / "sorts" / "dutch"
    return {name: read_gold(name, released=released, seed=options.seed) for name in options.gold}


def show(
    scored: Sequence[tuple[GoldClauses, Mapping[str, Cells]]], options: Options
) -> list[Shown]:
    """Tables and figures for each part of the gold."""
    return [shown("dutch_seeds", gold, found) for gold, found in scored]


STUDY = replace(
    GERMAN,
    module=__name__,
    about=__doc__,
    rows=rows,
    show=show,
    options=tuple(
        replace(option, default=GOLD) if option.name == "gold" else option
        for option in GERMAN.options
    ),
    systems=seeds_of("spacy/dutch"),
)
