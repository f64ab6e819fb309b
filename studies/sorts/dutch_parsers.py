"""Subject-object LAS of parsers on the Dutch clauses: `subject_object` for Dutch.

    python -m studies sorts dutch_parsers
    python -m studies sorts dutch_parsers --gold dutch_lite/amb --systems frog

The authors' newest Dutch clauses (`released_dutch_head`) are files that you have, as in
`dutch_seeds`. Frog is a parser of Dutch that Debian has (`apt-get install frog frogdata`), whose
labels are those of Alpino; the metric reads them as its card says. No German figure stands beside
Dutch clauses: the paper has none for these.

Source: Fischer et al. (2020), section 4, for the measures.
"""

from collections.abc import Sequence
from dataclasses import replace

from studies.sorts.clauses import GoldClauses
from studies.sorts.dutch_seeds import GOLD, rows
from studies.sorts.parser_tables import Result
from studies.sorts.subject_object import STUDY as GERMAN
from studies.sorts.subject_object import shown
from studies.study import Options, Shown


def show(scored: Sequence[tuple[GoldClauses, list[Result]]], options: Options) -> list[Shown]:
    """Tables, figures and a heat map for each part of the gold."""
    return [_shown(gold, results) for gold, results in scored]


def _shown(gold: GoldClauses, results: list[Result]) -> Shown:
    made, place = shown("dutch_parsers", gold, results), "_".join(gold.config_and_split)
    return replace(made, name=f"dutch_parsers_{place}") if place != "_" else made


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
    systems=("subject-first", "random-roles", "trained:spacy/dutch/0"),  # two nulls
)
