"""SORTS as a `datasets` builder: clauses with full trees, as sentences, a lite subset, released."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import datasets
import pyarrow as pa

from builders.sorts import DRAW, VERSION, validity
from builders.sorts.columns import (
    CHOICE_SCHEMA,
    CONLL_SCHEMA,
    LIKELIHOOD_SCHEMA,
    PREFERENCE_SCHEMA,
    RELEASED_SCHEMA,
    SENTENCE_SCHEMA,
    TWIN_SCHEMA,
    Columns,
    clause_table,
)
from builders.sorts.design import SPLITS, Split
from builders.sorts.draw import draw, draw_batches
from builders.sorts.lexicon import DUTCH, GERMAN
from builders.sorts.likelihoods import likelihood_table, preference_table, question_table
from builders.sorts.realizer import PLACEMENTS, Placement
from builders.sorts.released import configs_in, downloadable_files, released_tables
from builders.sorts.twins import twin_columns, twin_problems
from builders.sorts.views import VIEWS, view_tables
from builders.sorts.writers import sentence_columns
from dataset_scripts.suite import Config, Redrawn, Rows, SuiteBuilder, SuiteConfig, view_configs
from ground.downloads import SourceFile
from metrics._shared.option_fields import option


@dataclass
class SortsConfig(SuiteConfig):
    """One config of SORTS."""

    placement: Placement = option(
        "idiomatic",
        "order of words: idiomatic, or the authors' of 2020 (paper) or now (head)",
        choices=PLACEMENTS,
        expected=", ".join(PLACEMENTS),
    )


drawn_columns = lru_cache(maxsize=4)(draw)
"""Columns that the configs of one build share."""
released_configs = lru_cache(maxsize=1)(configs_in)
released_columns = lru_cache(maxsize=1)(released_tables)


def clause_rows(columns: Columns) -> pa.Table:
    """Clauses with full trees."""
    return clause_table(columns, CONLL_SCHEMA)


def sentence_rows(columns: Columns) -> pa.Table:
    """The same clauses as sentences."""
    return clause_table(sentence_columns(columns), SENTENCE_SCHEMA)


def german(
    make_table: Callable[[Columns], pa.Table], options: SortsConfig, *, is_lite: bool = False
) -> Rows:
    """The splits of a draw; of one larger than the published one as it is drawn."""
    size = options.size or 1
    if is_lite or size == 1:
        placement = options.placement
        drawn = drawn_columns(options.seed, options.size, lite=is_lite, placement=placement)
        return {split: make_table(columns) for split, columns in drawn.items()}

    def batches(split: Split) -> Iterator[pa.Table]:
        return map(make_table, draw_batches(split, options.seed, size, options.placement))

    return {split: Redrawn(partial(batches, split)) for split in SPLITS}


def dutch(
    make_table: Callable[[Columns], pa.Table], options: SortsConfig, *, is_lite: bool = False
) -> Rows:
    """The splits of a Dutch draw, which has one size and one placement."""
    drawn = drawn_columns(options.seed, lite=is_lite, tables=DUTCH)
    return {split: make_table(columns) for split, columns in drawn.items()}


def likelihood_config(
    name: str,
    text: str,
    schema: pa.Schema,
    make_table: Callable[..., pa.Table],
    version: str = "",
    **given: Path,
) -> Config:
    """A config for language models, from the seed; `tables` of German where none are given."""
    return Config(
        name,
        f"For language models: {text}.",
        schema,
        lambda options: {"test": make_table(options.seed, **given)},
        "view",
        validity.problems,
        version=version,
    )


def twin_config(name: str, text: str, tables: Path) -> Config:
    """A config of twins: clauses and the same nouns with their roles exchanged."""

    def rows(options: SortsConfig) -> Rows:
        return {"test": clause_table(twin_columns(options.seed, tables), TWIN_SCHEMA)}

    def problems(table: pa.Table) -> Sequence[str]:
        found = list(twin_problems(table.to_pydict()))
        return [*validity.problems(table, tables), *found]

    return Config(name, text, TWIN_SCHEMA, rows, "view", problems)


def released_config(name: str, text: str) -> Config:
    """A config of the authors' rows; it is built where a folder has the files of its version."""

    def rows(options: SortsConfig) -> Rows:
        tables = released_columns(options.released_folder())
        if name not in tables:
            raise ValueError(
                f"{name}: files of this version, got none in {options.released}; "
                f"it has {', '.join(tables)}"
            )
        return {
            split: clause_table(columns, RELEASED_SCHEMA) for split, columns in tables[name].items()
        }

    return Config(
        name,
        text,
        RELEASED_SCHEMA,
        rows,
        "released",
        has_files=lambda folder: name in released_configs(folder),
    )


class Sorts(SuiteBuilder):
    """Subject-object resolution in German and Dutch: does a parser tell who does what to whom?

    Order, case, animacy or meaning misleads it.

    `size` multiplies the paper's 18,502 clauses; the Dutch configs have one size.
    """

    VERSION = datasets.Version(VERSION)
    SINCE = DRAW
    BUILDER_CONFIG_CLASS = SortsConfig
    DEFAULT_CONFIG_NAME = "conll"
    CONFIGS = (
        Config(
            "conll",
            "Clauses with full trees.",
            CONLL_SCHEMA,
            partial(german, clause_rows),
            problems=validity.problems,
        ),
        Config(
            "sentence",
            "The same clauses as sentences.",
            SENTENCE_SCHEMA,
            partial(german, sentence_rows),
        ),
        Config(
            "conll_lite",
            "Five clauses of each base triple, items of every block.",
            CONLL_SCHEMA,
            partial(german, clause_rows, is_lite=True),
            problems=validity.problems,
        ),
        twin_config(
            "twins", "Clauses and their twins with roles exchanged, settled by form.", GERMAN
        ),
        likelihood_config(
            "pairs",
            "the same words, grammatical and violated",
            LIKELIHOOD_SCHEMA,
            likelihood_table,
            version="3.1.0",
        ),
        likelihood_config(
            "preference",
            "clauses alike but for roles or order, both grammatical",
            PREFERENCE_SCHEMA,
            preference_table,
        ),
        likelihood_config(
            "questions",
            "who does what to whom, by choice",
            CHOICE_SCHEMA,
            question_table,
            version="3.2.0",
        ),
        # Dutch stands beside the German design, so that its one hash stays
        Config(
            "dutch",
            "Dutch clauses with full trees.",
            CONLL_SCHEMA,
            partial(dutch, clause_rows),
            "view",
            partial(validity.problems, tables=DUTCH),
        ),
        Config(
            "dutch_sentence",
            "The same Dutch clauses as sentences.",
            SENTENCE_SCHEMA,
            partial(dutch, sentence_rows),
            "view",
        ),
        Config(
            "dutch_lite",
            "Five Dutch clauses of each base triple.",
            CONLL_SCHEMA,
            partial(dutch, clause_rows, is_lite=True),
            "view",
            partial(validity.problems, tables=DUTCH),
        ),
        twin_config("dutch_twins", "Dutch clauses and their twins, settled by agreement.", DUTCH),
        likelihood_config(
            "dutch_pairs",
            "the same Dutch words, grammatical and violated",
            LIKELIHOOD_SCHEMA,
            likelihood_table,
            version="3.1.0",
            tables=DUTCH,
        ),
        likelihood_config(
            "dutch_preference",
            "Dutch clauses alike but for roles, both grammatical",
            PREFERENCE_SCHEMA,
            preference_table,
            tables=DUTCH,
        ),
        released_config("released_paper", "The authors' rows of the paper (2020), as published."),
        released_config("released_paper_repaired", "The same, with the defects mended."),
        released_config("released_head", "The authors' newest rows, as published."),
        released_config("released_head_repaired", "The same, with the defects mended."),
        released_config("released_dutch_head", "The authors' newest Dutch rows, as published."),
        *view_configs(VIEWS, lambda name, options: view_tables(name)),
    )
    CITATION = "fischer-etal-2020-beards"
    MIXES = True

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """The authors' files of the paper's version and of the newest one."""
        return downloadable_files()
