"""Subject-object LAS of parsers on the Dutch clauses: `subject_object` for Dutch.

    python -m studies sorts dutch_parsers
    python -m studies sorts dutch_parsers --systems trained:spacy/dutch/1
    python -m studies sorts dutch_parsers --gold released_dutch_head/amb --released DIR

No German figure stands beside Dutch clauses: the paper has none for these.

Source: Fischer et al. (2020), section 4, for the measures.
"""

from collections.abc import Sequence
from dataclasses import replace

from studies.sorts.clauses import GoldClauses
from studies.sorts.parser_tables import Result
from studies.sorts.subject_object import STUDY as GERMAN
from studies.sorts.subject_object import shown
from studies.study import Options, Shown

GOLD = ["dutch_lite/amb", "dutch_lite/part_amb"]


def show(scored: Sequence[tuple[GoldClauses, list[Result]]], options: Options) -> list[Shown]:
    """Tables, figures and a heat map for each part of the gold."""
    return [shown("dutch_parsers", gold, results) for gold, results in scored]


STUDY = replace(
    GERMAN,
    module=__name__,
    about=__doc__,
    show=show,
    options=tuple(
        replace(option, default=GOLD) if option.name == "gold" else option
        for option in GERMAN.options
    ),
    systems=("subject-first", "random-roles", "trained:spacy/dutch/0"),  # two null systems
)
