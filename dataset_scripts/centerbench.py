"""CenterBench as `datasets` builders: the project's own draw, and the authors' rows where given."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from builders.centerbench import DRAW, VERSION, columns, validity
from builders.centerbench.crossings import CROSSED_LEVELS
from builders.centerbench.draw import (
    IMPLAUSIBLE,
    LEVELS,
    PAIRS_PER_LEVEL,
    STRESS_LEVELS,
    Implausible,
    SentencePair,
    default_drawer,
    draw,
)
from builders.centerbench.likelihoods import choice_table, likelihood_table
from builders.centerbench.released import downloadable_files, released_tables
from builders.centerbench.views import VIEWS
from dataset_scripts.suite import Config, Redrawn, Rows, SuiteBuilder, SuiteConfig, view_configs
from ground.command_line import file
from ground.downloads import SourceFile
from ground.tables import read_text
from metrics._shared.option_fields import option
from metrics._shared.plain_text import lines_of

LITE_PAIRS_PER_LEVEL = 10
PAIRS_PER_BATCH = 30


@dataclass
class CenterBenchConfig(SuiteConfig):
    """One config of CenterBench; `size` is the number of pairs per level."""

    unpaired: bool = option(False, "sentences matched by level only, over all relations")
    implausible: Implausible = option(
        "reversed-nouns",
        "how implausible members are made (default: reversed-nouns; the paper: circular-swap)",
        choices=IMPLAUSIBLE,
        expected=" or ".join(IMPLAUSIBLE),
    )
    exclude: Path | None = option(
        None, "sentences that must not be drawn, one per line or Parquet", parse=file
    )

    def check(self) -> None:
        """Raises a ValueError that names the first option that no draw can have."""
        super().check()
        if self.unpaired and self.implausible != "reversed-nouns":
            raise ValueError("implausible, got it with unpaired; expected one of the two options")


def pair_rows(
    make_table: Callable[..., pa.Table],
    options: CenterBenchConfig,
    *,
    levels: tuple[int, ...] = LEVELS,
    most: int | None = None,
    is_joint: bool = False,
) -> Rows:
    """The split `test` as it is drawn, in tables of at most `PAIRS_PER_BATCH` pairs per level.

    A fixed subset has a bound, `most`, on the pairs per level; `is_joint`: a table is made of pairs
    of all levels together, not of one.
    """

    def batches() -> Iterator[pa.Table]:
        exclude = read_sentences(options.exclude) if options.exclude else frozenset()
        size = PAIRS_PER_LEVEL if options.size is None else options.size
        drawn = draw(
            options.seed,
            min(size, most or size),
            levels=levels,
            is_unpaired=options.unpaired,
            implausible=options.implausible,
            exclude=exclude,
        )
        parts = map(_in_batches, drawn)
        if is_joint:
            joint = map(chain.from_iterable, zip(*parts, strict=True))
        for pairs in map(list, joint) if is_joint else chain.from_iterable(parts):
            yield make_table(pairs, default_drawer().knowledge)

    return {"test": Redrawn(batches)}


def _in_batches(pairs: list[SentencePair]) -> Iterator[list[SentencePair]]:
    for start in range(0, len(pairs), PAIRS_PER_BATCH):
        yield pairs[start : start + PAIRS_PER_BATCH]


def question_config(name: str, text: str, **chosen: Any) -> Config:
    """A config of questions about chosen levels or pairs of a draw."""
    rows = partial(pair_rows, columns.question_table, **chosen)
    return Config(name, text, columns.QUESTION_SCHEMA, rows, together="question_type")


def crossed_rows(make_table: Callable[..., pa.Table], options: CenterBenchConfig) -> Rows:
    """The draw for language models: always of minimal pairs."""
    paired = dataclasses.replace(options, unpaired=False, implausible="reversed-nouns")
    return pair_rows(make_table, paired, levels=CROSSED_LEVELS, is_joint=True)


def released_config(name: str, text: str, schema: pa.Schema) -> Config:
    """A config of the authors' own rows."""
    return Config(
        name,
        text,
        schema,
        lambda options: released_tables(options.released_folder())[name],
        "released",
        has_files=lambda folder: True,
        source_licence="cc-by-4.0",
    )


class CenterBench(SuiteBuilder):
    """Center-embedded sentences in minimal pairs, with six questions about each entity."""

    VERSION = datasets.Version(VERSION)
    SINCE = DRAW
    BUILDER_CONFIG_CLASS = CenterBenchConfig
    DEFAULT_CONFIG_NAME = "questions"
    CITATION = "madhusudan-etal-2026-dog"
    CLOSED_SETS = ("condition", "domain", "question_type", "difficulty")
    UNIT = "pair_id"
    CONFIGS = (
        question_config("questions", "six questions about each entity of every sentence"),
        Config(
            "sentences",
            "the sentences with their events",
            columns.SENTENCE_SCHEMA,
            partial(pair_rows, columns.sentence_table),
            together="pair_id",
        ),
        question_config(
            "questions_lite",
            "the questions about the first 10 pairs of each level",
            most=LITE_PAIRS_PER_LEVEL,
        ),
        question_config(
            "stress", "questions about levels 7 to 10; outside all averages", levels=STRESS_LEVELS
        ),
        Config(
            "controls",
            "the same events and questions, right-branching and passive",
            columns.CONTROL_SCHEMA,
            partial(pair_rows, columns.control_table),
            together="question_type",
        ),
        Config(
            "pairs",
            "for language models: two nouns after a sentence and after one that exchanges them",
            columns.LIKELIHOOD_SCHEMA,
            partial(crossed_rows, likelihood_table),
            "view",
            validity.problems,
            version="3.2.0",
        ),
        Config(
            "choice",
            "for language models: two answers to a question; no place or distance tells which",
            columns.CHOICE_SCHEMA,
            partial(crossed_rows, choice_table),
            "view",
            validity.problems,
            together="question_type",
            version="3.2.0",
        ),
        released_config(
            "released_questions",
            "the authors' own questions, put right where they contradict the sentence",
            columns.RELEASED_QUESTION_SCHEMA,
        ),
        released_config(
            "released_sentences", "the authors' own sentences", columns.RELEASED_SENTENCE_SCHEMA
        ),
        *view_configs(VIEWS),
    )

    config: CenterBenchConfig

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """The authors' two files."""
        return downloadable_files()

    def problems(self, table: pa.Table) -> Sequence[str]:
        """Pairs of a draw that are no minimal pairs; unpaired rows are matched by level only."""
        if self.config.kind != "draw":
            return super().problems(table)
        return [] if self.config.unpaired else validity.problems(table, self.config.implausible)


def read_sentences(path: Path) -> frozenset[str]:
    """Sentences of a Parquet file's column `sentence`, or of a text file with one per line.

    A ValueError where the file is not there, has no such column or no sentence.
    """
    path = Path(path)
    if not path.is_file():
        expected = "expected one with sentences, a Parquet file or one per line"
        raise ValueError(f"{path}: exclude, got no file; {expected}")
    if path.suffix == ".parquet":
        names = pq.read_schema(path).names
        if "sentence" not in names:
            got = f"{path}: columns, got {', '.join(names)}"
            raise ValueError(f"{got}; expected one named sentence")
        sentences = pq.read_table(path, columns=["sentence"])["sentence"].to_pylist()
    else:
        sentences = lines_of(read_text(path))
    if not any(sentences):
        raise ValueError(f"{path}: exclude, got no sentence; expected at least one")
    return frozenset(sentence.strip() for sentence in sentences)
