"""PP attachment as a `datasets` builder: clauses with full trees, as sentences, a lite subset."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa
from datasets import Features

from builders.pp_attachment import VERSION, validity
from builders.pp_attachment.columns import (
    CONLL_SCHEMA,
    LIKELIHOOD_SCHEMA,
    NATURAL_SCHEMA,
    SENTENCE_SCHEMA,
    clause_table,
)
from builders.pp_attachment.draw import draw
from builders.pp_attachment.likelihoods import crossed_problems, likelihood_table
from builders.pp_attachment.natural_rows import natural_problems, natural_table
from builders.pp_attachment.views import VIEWS, view_tables
from builders.pp_attachment.writers import sentence_columns
from dataset_scripts.suite import SuiteBuilder, SuiteConfig, natural_option, view_configs

CONLL_FEATURES = Features.from_arrow_schema(CONLL_SCHEMA)
PAIRS = "pairs"


@dataclass
class PpAttachmentConfig(SuiteConfig):
    """A config of PP attachment.

    Attributes:
        natural: CoNLL-U files of UD treebanks; their phrases with several candidate heads are the
            config `natural`, which is never published.
    """

    natural: Sequence[str] = natural_option()


class PpAttachment(SuiteBuilder):
    """German PP attachment: does a parser tell what a prepositional phrase belongs to?

    Order, selection or exclusion decides; position alone misleads.

    `size` counts sentences, and is even, since they come in pairs.
    """

    VERSION = datasets.Version(VERSION)
    BUILDER_CONFIG_CLASS = PpAttachmentConfig
    DEFAULT_CONFIG_NAME = "conll"
    LOCAL_OPTION = "natural"
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        PpAttachmentConfig(
            name="conll", description="Clauses with full trees.", features=CONLL_FEATURES
        ),
        PpAttachmentConfig(
            name="sentence",
            description="The same clauses as sentences.",
            features=Features.from_arrow_schema(SENTENCE_SCHEMA),
        ),
        PpAttachmentConfig(
            name="lite",
            description="1,000 of the clauses, the frames in turn.",
            features=CONLL_FEATURES,
        ),
        PpAttachmentConfig(
            name=PAIRS,
            description="For language models: two orders crossed with two words.",
            features=Features.from_arrow_schema(LIKELIHOOD_SCHEMA),
            is_view=True,
        ),
        PpAttachmentConfig(
            name="natural",
            description="Phrases of treebanks that you have; built by --natural.",
            features=Features.from_arrow_schema(NATURAL_SCHEMA),
            is_local=True,
        ),
        *view_configs(PpAttachmentConfig, VIEWS),
    ]
    CITATION = "fischer-etal-2020-beards"
    CLOSED_SETS = (
        *("pair_factor", "group", "word_order", "position", "preposition"),
        *("definiteness", "dependent", "resolved_by"),
    )

    config: PpAttachmentConfig

    def split_tables(self) -> Mapping[str, pa.Table]:
        """All clauses stand in the split `test`, but those of training views."""
        if self.config.is_training:
            return view_tables(self.config.name)
        if self.config.is_local:
            return {"test": natural_table(self.config.natural)}
        if self.config.name == PAIRS:
            return {"test": likelihood_table(self.config.seed)}
        columns = drawn_columns(self.config.seed, self.config.size, self.config.name == "lite")
        if self.config.name == "sentence":
            return {"test": clause_table(sentence_columns(columns), SENTENCE_SCHEMA)}
        return {"test": clause_table(columns, CONLL_SCHEMA)}

    def problems(self, table: pa.Table) -> list[str]:
        """Checks every clause: what decides, its head, its tree, its pair."""
        if self.config.name == PAIRS:
            return list(crossed_problems(table.to_pydict()))
        if self.config.is_local:
            return list(natural_problems(table.to_pylist()))
        return [] if self.config.name == "sentence" else validity.problems(table)


@functools.lru_cache(maxsize=2)
def drawn_columns(seed: int, size: int | None, lite: bool) -> Mapping[str, Any]:
    """Columns that the configs of one build share."""
    return draw(seed, size, lite=lite)
