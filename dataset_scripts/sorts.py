"""SORTS as a `datasets` builder: German clauses with full trees, the same as sentences, a fixed lite subset, and the authors' own rows."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
from datasets import Features, List, Value

from builders.sorts import VERSION
from builders.sorts.design import Split
from builders.sorts.released import downloadable_files, released_tables
from builders.sorts.suite import Columns, suite_columns
from builders.sorts.validity import clause_problems
from builders.sorts.writers import sentence_columns
from dataset_scripts.suite import SuiteBuilder, SuiteConfig
from ground.downloads import Source

CONLL_FEATURES = Features(
    {
        "id": Value("string"),
        "item_id": Value("string"),
        "base_item_id": Value("string"),
        "triple_id": Value("string"),
        "word_order": Value("string"),
        "properties": List(Value("string")),
        "resolved_by": Value("string"),
        "tokens": List(Value("string")),
        "lemmas": List(Value("string")),
        "upos": List(Value("string")),
        "xpos": List(Value("string")),
        "feats": List(Value("string")),
        "heads": List(Value("int32")),
        "deprels": List(Value("string")),
        "fields": List(Value("string")),
        "subject": Value("int32"),
        "verb": Value("int32"),
        "object": Value("int32"),
        "n_tokens": Value("int32"),
        "subject_zipf": Value("float32"),
        "verb_zipf": Value("float32"),
        "object_zipf": Value("float32"),
        "rating_mean": Value("float64"),
        "n_raters": Value("int32"),
    }
)
SENTENCE_FEATURES = Features(
    {
        "id": Value("string"),
        "word_order": Value("string"),
        "properties": List(Value("string")),
        "subject_position": Value("int32"),
        "object_position": Value("int32"),
        "sentence": Value("string"),
    }
)
RELEASED_FEATURES = Features({**CONLL_FEATURES, "irregularities": List(Value("string"))})
RELEASED = {
    "released_paper": "The authors' rows of the paper (2020), as published.",
    "released_paper_repaired": "The same, with the defects mended.",
    "released_head": "The authors' newest rows, as published.",
    "released_head_repaired": "The same, with the defects mended.",
}


class Sorts(SuiteBuilder):
    """German subject-object resolution: does a parser tell who does what to whom when order, case, animacy or meaning mislead?

    `size` multiplies the paper's 18,502 clauses.
    """

    VERSION = datasets.Version(VERSION)
    DEFAULT_CONFIG_NAME = "conll"
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        SuiteConfig(name="conll", description="Clauses with full trees.", features=CONLL_FEATURES),
        SuiteConfig(
            name="sentence",
            description="The same clauses as sentences.",
            features=SENTENCE_FEATURES,
        ),
        SuiteConfig(
            name="conll_lite",
            description="2,000 clauses with items of every block.",
            features=CONLL_FEATURES,
        ),
        *(
            SuiteConfig(name=name, description=text, features=RELEASED_FEATURES, is_released=True)
            for name, text in RELEASED.items()
        ),
    ]
    CITATION = """@inproceedings{fischer-etal-2020-sorts,
  title = {When Beards Start Shaving Men: A Subject-object Resolution Test Suite for Morpho-syntactic and Semantic Model Introspection},
  author = {Fischer, Patricia and de Kok, Dani{\\"e}l and Hinrichs, Erhard},
  booktitle = {Proceedings of COLING 2020},
  year = {2020}
}"""

    @classmethod
    def released_sources(cls) -> Sequence[Source]:
        """Gives the authors' files of the paper's version and of the newest one."""
        return downloadable_files()

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives the splits `part_amb` and `amb` of this config."""
        if self.config.is_released:
            return {
                split: _table(columns, RELEASED_FEATURES)
                for split, columns in self._released().items()
            }
        drawn = drawn_columns(self.config.seed, self.config.size, self.config.name == "conll_lite")
        if self.config.name == "sentence":
            return {
                split: _table(sentence_columns(columns), SENTENCE_FEATURES)
                for split, columns in drawn.items()
            }
        return {split: _table(columns, CONLL_FEATURES) for split, columns in drawn.items()}

    def problems(self, table: pa.Table) -> list[str]:
        """Checks every clause of the generated suite: readings, tree, id, one tree per sentence."""
        return (
            []
            if self.config.is_released or self.config.name == "sentence"
            else clause_problems(table.to_pydict())
        )

    def _released(self) -> Mapping[str, Mapping[str, Any]]:
        tables = released_columns(self.released_folder())
        if self.config.name not in tables:
            raise ValueError(
                f"{self.config.name}: files of this version, got none in {self.config.released}; it has {', '.join(tables)}"
            )
        return tables[self.config.name]


@functools.lru_cache(maxsize=2)
def drawn_columns(seed: int, size: int | None, lite: bool) -> Mapping[Split, Columns]:
    """Gives the columns that the configs of one build share."""
    return suite_columns(seed, size, lite=lite)


@functools.lru_cache(maxsize=1)
def released_columns(folder: Path) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Gives the authors' rows, which their configs share."""
    return released_tables(folder)


def _table(columns: Mapping[str, Any], features: Features) -> pa.Table:
    """Gives columns as a table; what nobody has said yet, such as ratings by people, is null."""
    known = dict(columns)
    if "n_tokens" in features:
        known["n_tokens"] = [len(tokens) for tokens in columns["tokens"]]
    schema = features.arrow_schema
    return pa.table(
        {name: known.get(name, pa.nulls(len(columns["id"]))) for name in schema.names}
    ).cast(schema)
