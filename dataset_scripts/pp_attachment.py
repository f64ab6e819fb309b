"""PP attachment as a `datasets` builder: clauses with full trees, as sentences, a lite subset."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import datasets
import pyarrow as pa

from builders.pp_attachment import DRAW, VERSION, columns, validity
from builders.pp_attachment.draw import draw
from builders.pp_attachment.likelihoods import likelihood_problems, likelihood_table
from builders.pp_attachment.natural_rows import natural_problems, natural_table
from builders.pp_attachment.views import VIEWS
from builders.pp_attachment.writers import sentence_columns
from builders.sorts.columns import clause_table
from dataset_scripts.suite import Config, SuiteBuilder, SuiteConfig, natural_option, view_configs


@dataclass
class PpAttachmentConfig(SuiteConfig):
    """A config of PP attachment."""

    natural: Sequence[str] = natural_option()


drawn_columns = functools.lru_cache(maxsize=2)(draw)
"""Columns that the configs of one build share."""


def clauses(options: PpAttachmentConfig, *, is_lite: bool = False) -> pa.Table:
    """Clauses with full trees."""
    drawn = drawn_columns(options.seed, options.size, lite=is_lite)
    return clause_table(drawn, columns.CONLL_SCHEMA)


def sentences(options: PpAttachmentConfig) -> pa.Table:
    """The same clauses as sentences."""
    drawn = sentence_columns(drawn_columns(options.seed, options.size, lite=False))
    return clause_table(drawn, columns.SENTENCE_SCHEMA)


class PpAttachment(SuiteBuilder):
    """German PP attachment: does a parser tell what a prepositional phrase belongs to?

    Order, selection or exclusion decides; position alone misleads.

    `size` counts sentences, and is even, since they come in pairs.
    """

    VERSION = datasets.Version(VERSION)
    SINCE = DRAW
    BUILDER_CONFIG_CLASS = PpAttachmentConfig
    DEFAULT_CONFIG_NAME = "conll"
    LOCAL_OPTION = "natural"
    CONFIGS = (
        Config(
            "conll",
            "Clauses with full trees.",
            columns.CONLL_SCHEMA,
            clauses,
            problems=validity.problems,
            together="pair_id",
        ),
        Config(
            "sentence",
            "The same clauses as sentences.",
            columns.SENTENCE_SCHEMA,
            sentences,
            together="pair_id",
        ),
        Config(
            "lite",
            "1,000 of the clauses, the frames in turn.",
            columns.CONLL_SCHEMA,
            functools.partial(clauses, is_lite=True),
            problems=validity.problems,
            together="pair_id",
        ),
        Config(
            "pairs",
            "For language models: two orders crossed with two words.",
            columns.LIKELIHOOD_SCHEMA,
            lambda options: likelihood_table(options.seed),
            "view",
            problems=lambda table: likelihood_problems(table.to_pydict()),
            version="4.1.0",
        ),
        Config(
            "natural",
            "Phrases of treebanks that you have; built by --natural.",
            columns.NATURAL_SCHEMA,
            lambda options: natural_table(options.natural),
            "local",
            problems=lambda table: list(natural_problems(table.to_pylist())),
        ),
        *view_configs(VIEWS),
    )
    CITATION = "fischer-etal-2020-beards"
    CLOSED_SETS = (
        *("pair_factor", "pair_kind", "group", "word_order", "position", "preposition"),
        *("definiteness", "dependent", "resolved_by"),
    )
