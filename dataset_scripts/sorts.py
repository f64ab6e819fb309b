"""SORTS as a `datasets` builder: clauses with full trees, as sentences, a lite subset, released."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from builders.sorts.views import VIEWS
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


def clause_config(
    name: str, text: str, tables: Path = GERMAN, *, is_lite: bool = False, is_sentence: bool = False
) -> Config:
    """A config of clauses with full trees, or as sentences.

    Dutch has one size and one placement. It stands beside the German design, so that its one hash
    stays.
    """

    def make_table(columns: Columns) -> pa.Table:
        if is_sentence:
            return clause_table(sentence_columns(columns), SENTENCE_SCHEMA)
        return clause_table(columns, CONLL_SCHEMA)

    def batches(split: Split, options: SortsConfig) -> Iterator[pa.Table]:
        size = options.size or 1
        return map(make_table, draw_batches(split, options.seed, size, options.placement))

    def rows(options: SortsConfig) -> Rows:
        """The splits of a draw; of one larger than the published one as it is drawn."""
        if tables == DUTCH:
            drawn = drawn_columns(options.seed, lite=is_lite, tables=DUTCH)
        elif is_lite or options.size in (None, 1):
            drawn = drawn_columns(options.seed, lite=is_lite, placement=options.placement)
        else:
            return {split: Redrawn(partial(batches, split, options)) for split in SPLITS}
        return {split: make_table(columns) for split, columns in drawn.items()}

    schema = SENTENCE_SCHEMA if is_sentence else CONLL_SCHEMA
    config = Config(name, text, schema, rows, "view" if tables == DUTCH else "draw")
    problems = partial(validity.problems, tables=tables)
    return config if is_sentence else replace(config, problems=problems)


def likelihood_config(
    name: str,
    text: str,
    schema: pa.Schema,
    make_table: Callable[[int], pa.Table],
    version: str = "",
) -> Config:
    """A config for language models, from the seed."""

    def rows(options: SortsConfig) -> pa.Table:
        return make_table(options.seed)

    text = f"For language models: {text}."
    return Config(name, text, schema, rows, "view", validity.problems, version=version)


def twin_config(name: str, text: str, tables: Path) -> Config:
    """A config of twins: clauses and the same nouns with their roles exchanged."""

    def rows(options: SortsConfig) -> pa.Table:
        return clause_table(twin_columns(options.seed, tables), TWIN_SCHEMA)

    def problems(table: pa.Table) -> Sequence[str]:
        found = list(twin_problems(table.to_pydict()))
        return [*validity.problems(table, tables), *found]

    return Config(name, text, TWIN_SCHEMA, rows, "view", problems)


def released_config(name: str, text: str) -> Config:
    """A config of the authors' rows; it is built where a folder has the files of its version."""

    def rows(options: SortsConfig) -> Rows:
        tables = released_columns(options.released_folder())
        if name not in tables:
            got = f"{name}: files of this version, got none in {options.released}"
            raise ValueError(f"{got}; it has {', '.join(tables)}")
        splits = tables[name].items()
        return {split: clause_table(columns, RELEASED_SCHEMA) for split, columns in splits}

    def has_files(folder: Path) -> bool:
        return name in released_configs(folder)

    return Config(name, text, RELEASED_SCHEMA, rows, "released", has_files=has_files)


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
        clause_config("conll", "Clauses with full trees."),
        clause_config("sentence", "The same clauses as sentences.", is_sentence=True),
        clause_config(
            "conll_lite", "Five clauses of each base triple, items of every block.", is_lite=True
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
        clause_config("dutch", "Dutch clauses with full trees.", DUTCH),
        clause_config(
            "dutch_sentence", "The same Dutch clauses as sentences.", DUTCH, is_sentence=True
        ),
        clause_config("dutch_lite", "Five Dutch clauses of each base triple.", DUTCH, is_lite=True),
        twin_config("dutch_twins", "Dutch clauses and their twins, settled by agreement.", DUTCH),
        likelihood_config(
            "dutch_pairs",
            "the same Dutch words, grammatical and violated",
            LIKELIHOOD_SCHEMA,
            partial(likelihood_table, tables=DUTCH),
            version="3.1.0",
        ),
        likelihood_config(
            "dutch_preference",
            "Dutch clauses alike but for roles, both grammatical",
            PREFERENCE_SCHEMA,
            partial(preference_table, tables=DUTCH),
        ),
        released_config("released_paper", "The authors' rows of the paper (2020), as published."),
        released_config("released_paper_repaired", "The same, with the defects mended."),
        released_config("released_head", "The authors' newest rows, as published."),
        released_config("released_head_repaired", "The same, with the defects mended."),
        released_config("released_dutch_head", "The authors' newest Dutch rows, as published."),
        *view_configs(VIEWS),
    )
    CITATION = "fischer-etal-2020-beards"

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """The authors' files of the paper's version and of the newest one."""
        return downloadable_files()
