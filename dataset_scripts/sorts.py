"""SORTS as a `datasets` builder: clauses with full trees, as sentences, a lite subset, released."""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import datasets
import pyarrow as pa
from datasets import Features

from builders.sorts import VERSION, validity
from builders.sorts.columns import (
    CHOICE_SCHEMA,
    CONLL_SCHEMA,
    LIKELIHOOD_SCHEMA,
    PREFERENCE_SCHEMA,
    RELEASED_SCHEMA,
    SENTENCE_SCHEMA,
    Columns,
    clause_table,
)
from builders.sorts.design import SPLITS, Split
from builders.sorts.draw import draw, draw_batches
from builders.sorts.lexicon import DUTCH, GERMAN
from builders.sorts.likelihood_questions import question_table
from builders.sorts.likelihoods import likelihood_table, preference_table
from builders.sorts.placement import PLACEMENTS, Placement
from builders.sorts.released import configs_in, downloadable_files, released_tables
from builders.sorts.views import VIEWS, view_tables
from builders.sorts.writers import sentence_columns
from dataset_scripts.suite import Redrawn, SuiteBuilder, SuiteConfig, option, view_configs
from ground.downloads import SourceFile

CONLL_FEATURES = Features.from_arrow_schema(CONLL_SCHEMA)
SENTENCE_FEATURES = Features.from_arrow_schema(SENTENCE_SCHEMA)
RELEASED_FEATURES = Features.from_arrow_schema(RELEASED_SCHEMA)
RELEASED = {
    "released_paper": "The authors' rows of the paper (2020), as published.",
    "released_paper_repaired": "The same, with the defects mended.",
    "released_head": "The authors' newest rows, as published.",
    "released_head_repaired": "The same, with the defects mended.",
    "released_dutch_head": "The authors' newest Dutch rows, as published.",
}
DUTCH_CONFIGS = {  # beside the German design, so that its one hash stays
    "dutch": ("Dutch clauses with full trees.", CONLL_FEATURES),
    "dutch_sentence": ("The same Dutch clauses as sentences.", SENTENCE_FEATURES),
    "dutch_lite": ("Five Dutch clauses of each base triple.", CONLL_FEATURES),
}
LIKELIHOOD_VIEWS = {
    "pairs": ("twins, one grammatical and one violated", LIKELIHOOD_SCHEMA),
    "preference": ("clauses alike but for roles or order, both grammatical", PREFERENCE_SCHEMA),
    "questions": ("who does what to whom, by choice", CHOICE_SCHEMA),
}


@dataclass
class SortsConfig(SuiteConfig):
    """One config of SORTS.

    Attributes:
        placement: The rule set for the order of words; see `builders.sorts.placement`.
    """

    placement: Placement = option(
        "idiomatic",
        "order of words: idiomatic, or the authors' of 2020 (paper) or now (head)",
        str,
        choices=PLACEMENTS,
    )


class Sorts(SuiteBuilder):
    """Subject-object resolution in German and Dutch: does a parser tell who does what to whom?

    Order, case, animacy or meaning misleads it.

    `size` multiplies the paper's 18,502 clauses; the Dutch configs have one size.
    """

    VERSION = datasets.Version(VERSION)
    BUILDER_CONFIG_CLASS = SortsConfig
    DEFAULT_CONFIG_NAME = "conll"
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        SortsConfig(name="conll", description="Clauses with full trees.", features=CONLL_FEATURES),
        SortsConfig(
            name="sentence",
            description="The same clauses as sentences.",
            features=SENTENCE_FEATURES,
        ),
        SortsConfig(
            name="conll_lite",
            description="Five clauses of each base triple, items of every block.",
            features=CONLL_FEATURES,
        ),
        *(
            SortsConfig(
                name=name,
                description=f"For language models: {text}.",
                features=Features.from_arrow_schema(schema),
                is_view=True,
            )
            for name, (text, schema) in LIKELIHOOD_VIEWS.items()
        ),
        *(
            SortsConfig(name=name, description=text, features=features, is_view=True)
            for name, (text, features) in DUTCH_CONFIGS.items()
        ),
        *(
            SortsConfig(name=name, description=text, features=RELEASED_FEATURES, is_released=True)
            for name, text in RELEASED.items()
        ),
        *view_configs(SortsConfig, VIEWS),
    ]
    CITATION = "fischer-etal-2020-beards"

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """The authors' files of the paper's version and of the newest one."""
        return downloadable_files()

    @classmethod
    def has_files(cls, config: str, released: Path) -> bool:
        """Whether a folder has the gold files of a released config."""
        return config in released_configs(released)

    def split_tables(self) -> Mapping[str, pa.Table]:
        """The splits `part_amb` and `amb` of this config."""
        if self.config.is_training:
            return view_tables(self.config.name)
        if self.config.is_released:
            return {
                split: clause_table(columns, RELEASED_SCHEMA)
                for split, columns in self._released().items()
            }
        config = cast(SortsConfig, self.config)
        if config.name in LIKELIHOOD_VIEWS:
            return {"test": likelihood_rows(config.name, config.seed)}
        drawn = _drawn(config)
        if self.config.name.endswith("sentence"):
            return {
                split: clause_table(sentence_columns(columns), SENTENCE_SCHEMA)
                for split, columns in drawn.items()
            }
        return {split: clause_table(columns, CONLL_SCHEMA) for split, columns in drawn.items()}

    def split_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """The splits of a draw larger than the published one as it is drawn; else as a whole."""
        config = cast(SortsConfig, self.config)
        if config.name not in ("conll", "sentence") or (config.size or 1) == 1:
            return super().split_batches()
        return {split: Redrawn(functools.partial(self._batches, split)) for split in SPLITS}

    def _batches(self, split: Split) -> Iterator[pa.Table]:
        config = cast(SortsConfig, self.config)
        for columns in draw_batches(split, config.seed, config.size or 1, config.placement):
            if config.name == "sentence":
                yield clause_table(sentence_columns(columns), SENTENCE_SCHEMA)
            else:
                yield clause_table(columns, CONLL_SCHEMA)

    def problems(self, table: pa.Table) -> list[str]:
        """Checks every clause of the generated suite: readings, tree, id, one tree per sentence."""
        is_checked = not self.config.is_released and not self.config.name.endswith("sentence")
        return validity.problems(table, tables_of(self.config.name)) if is_checked else []

    def _released(self) -> Mapping[str, Mapping[str, Any]]:
        tables = released_columns(self.released_folder())
        if self.config.name not in tables:
            raise ValueError(
                f"{self.config.name}: files of this version, got none in {self.config.released}; "
                f"it has {', '.join(tables)}"
            )
        return tables[self.config.name]


def tables_of(config: str) -> Path:
    """The tables of a config's language."""
    return DUTCH if config in DUTCH_CONFIGS else GERMAN


def _drawn(config: SortsConfig) -> Mapping[Split, Columns]:
    is_dutch, is_lite = config.name in DUTCH_CONFIGS, config.name.endswith("lite")
    size = None if is_dutch else config.size
    placement = "idiomatic" if is_dutch else config.placement
    return drawn_columns(config.seed, size, is_lite, placement, tables_of(config.name))


def likelihood_rows(name: str, seed: int) -> pa.Table:
    """Rows of a config for language models."""
    make = {"pairs": likelihood_table, "preference": preference_table, "questions": question_table}
    return make[name](seed)


@functools.lru_cache(maxsize=4)
def drawn_columns(
    seed: int, size: int | None, lite: bool, placement: Placement, tables: Path = GERMAN
) -> Mapping[Split, Columns]:
    """Columns that the configs of one build share."""
    return draw(seed, size, lite=lite, placement=placement, tables=tables)


@functools.lru_cache(maxsize=1)
def released_configs(folder: Path) -> list[str]:
    """Names of the configs that a folder's files make, told by checksum."""
    return configs_in(folder)


@functools.lru_cache(maxsize=1)
def released_columns(folder: Path) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """The authors' rows, which their configs share."""
    return released_tables(folder)
