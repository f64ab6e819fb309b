"""CenterBench as `datasets` builders: the project's own draw, and the authors' rows where given."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features

from builders.centerbench import VERSION, columns, validity
from builders.centerbench.draw import (
    IMPLAUSIBLE,
    LEVELS,
    PAIRS_PER_LEVEL,
    STRESS_LEVELS,
    Implausible,
    default_drawer,
    draw,
)
from builders.centerbench.likelihoods import choice_table, likelihood_table
from builders.centerbench.released import downloadable_files, released_tables
from builders.centerbench.views import VIEWS, view_tables
from dataset_scripts.suite import Redrawn, SuiteBuilder, SuiteConfig, option, view_configs
from ground.downloads import SourceFile

LITE_PAIRS_PER_LEVEL = 10
PAIRS_PER_BATCH = 30
QUESTIONS = Features.from_arrow_schema(columns.QUESTION_SCHEMA)
TABLES = {
    "sentences": columns.sentence_table,
    "controls": columns.control_table,
    "pairs": likelihood_table,
    "choice": choice_table,
}


@dataclass
class CenterBenchConfig(SuiteConfig):
    """One config of CenterBench; `size` is the number of pairs per level.

    Attributes:
        levels: The levels to draw.
        largest_size: A bound on `size` for a fixed subset; None if there is none.
        unpaired: Whether to draw sentences that are matched by level only, over all relations of
            the knowledge base.
        implausible: How the implausible member of a pair is made; `circular-swap` is the paper's.
        exclude: A file of sentences that must not be drawn: one per line, or the column `sentence`
            of a Parquet file.
    """

    levels: tuple[int, ...] = LEVELS
    largest_size: int | None = None
    unpaired: bool = option(False, "sentences matched by level only, over all relations", bool)
    implausible: Implausible = option(
        "reversed-nouns",
        "how implausible members are made (default: reversed-nouns; the paper: circular-swap)",
        str,
        choices=IMPLAUSIBLE,
    )
    exclude: Path | None = option(
        None,
        "sentences that must not be drawn, one per line or Parquet",
        Path,
        metavar="FILE",
    )

    def check(self) -> None:
        """Raises a ValueError that names the first option that no draw can have."""
        super().check()
        if self.implausible not in IMPLAUSIBLE:
            expected = " or ".join(IMPLAUSIBLE)
            raise ValueError(f"implausible, got {self.implausible!r}; expected {expected}")
        if self.unpaired and self.implausible != "reversed-nouns":
            raise ValueError("implausible, got it with unpaired; expected one of the two options")


class CenterBench(SuiteBuilder):
    """Center-embedded sentences in minimal pairs, with six questions about each entity."""

    VERSION = datasets.Version(VERSION)
    BUILDER_CONFIG_CLASS = CenterBenchConfig
    DEFAULT_CONFIG_NAME = "questions"
    CITATION = "madhusudan-etal-2026-dog"
    CLOSED_SETS = ("condition", "domain", "question_type", "difficulty")
    UNIT = "pair_id"
    BUILDER_CONFIGS = [  # noqa: RUF012  # `datasets` reads it from the class
        CenterBenchConfig(
            name="questions",
            description="six questions about each entity of every sentence",
            features=QUESTIONS,
        ),
        CenterBenchConfig(
            name="sentences",
            description="the sentences with their events",
            features=Features.from_arrow_schema(columns.SENTENCE_SCHEMA),
        ),
        CenterBenchConfig(
            name="questions_lite",
            description="the questions about the first 10 pairs of each level",
            features=QUESTIONS,
            largest_size=LITE_PAIRS_PER_LEVEL,
        ),
        CenterBenchConfig(
            name="stress",
            description="questions about levels 7 to 10; outside all averages",
            features=QUESTIONS,
            levels=STRESS_LEVELS,
        ),
        CenterBenchConfig(
            name="controls",
            description="the same events and questions, right-branching and passive",
            features=Features.from_arrow_schema(columns.CONTROL_SCHEMA),
        ),
        *(
            CenterBenchConfig(
                name=name,
                description=f"for language models: {text}",
                features=Features.from_arrow_schema(schema),
                largest_size=LITE_PAIRS_PER_LEVEL,
                is_view=True,
            )
            for name, text, schema in (
                ("pairs", "two nouns after both members of a pair", columns.LIKELIHOOD_SCHEMA),
                ("choice", "questions with the choices to answer them", columns.CHOICE_SCHEMA),
            )
        ),
        CenterBenchConfig(
            name="released_questions",
            description="the authors' own questions, put right where they contradict the sentence",
            features=Features.from_arrow_schema(columns.RELEASED_QUESTION_SCHEMA),
            is_released=True,
            source_licence="cc-by-4.0",
        ),
        CenterBenchConfig(
            name="released_sentences",
            description="the authors' own sentences",
            features=Features.from_arrow_schema(columns.RELEASED_SENTENCE_SCHEMA),
            is_released=True,
            source_licence="cc-by-4.0",
        ),
        *view_configs(CenterBenchConfig, VIEWS),
    ]

    config: CenterBenchConfig

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """The authors' two files."""
        return downloadable_files()

    def split_tables(self) -> Mapping[str, pa.Table]:
        """The split `test`."""
        if self.config.is_training:
            return view_tables(self.config.name)
        if self.config.is_released:
            return released_tables(self.released_folder())[self.config.name]
        return {split: pa.concat_tables(tables) for split, tables in self.split_batches().items()}

    def split_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """The split `test` as it is drawn; views and the authors' rows as a whole."""
        if self.config.is_training or self.config.is_released:
            return super().split_batches()
        return {"test": Redrawn(self.batches)}

    def batches(self) -> Iterator[pa.Table]:
        """Rows of the draw level by level, in tables of at most `PAIRS_PER_BATCH` pairs each.

        Raises:
            ValueError: The knowledge base cannot fill the draw, or `exclude` is no such file.
        """
        exclude = read_sentences(self.config.exclude) if self.config.exclude else frozenset()
        size = PAIRS_PER_LEVEL if self.config.size is None else self.config.size
        drawn = draw(
            self.config.seed,
            min(size, self.config.largest_size or size),
            levels=self.config.levels,
            is_unpaired=self.config.unpaired and not self.config.is_view,
            implausible="reversed-nouns" if self.config.is_view else self.config.implausible,
            exclude=exclude,
        )
        make_table = TABLES.get(self.config.name, columns.question_table)
        for pairs in drawn:
            for start in range(0, len(pairs), PAIRS_PER_BATCH):
                batch = pairs[start : start + PAIRS_PER_BATCH]
                yield make_table(batch, default_drawer().knowledge)

    def problems(self, table: pa.Table) -> list[str]:
        """Pairs that are no minimal pairs; released and unpaired rows are matched by level only."""
        if self.config.is_view:
            return validity.problems(table)
        if self.config.is_released or self.config.unpaired:
            return []
        return validity.problems(table, self.config.implausible)


def read_sentences(path: Path) -> frozenset[str]:
    """Sentences of a Parquet file's column `sentence`, or of a text file with one per line.

    Raises:
        ValueError: The file is not there, has no such column or no sentence.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(
            f"{path}: exclude, got no file; "
            "expected one with sentences, a Parquet file or one per line"
        )
    if path.suffix == ".parquet":
        names = pq.read_schema(path).names
        if "sentence" not in names:
            raise ValueError(
                f"{path}: columns, got {', '.join(names)}; expected one named sentence"
            )
        sentences = pq.read_table(path, columns=["sentence"])["sentence"].to_pylist()
    else:
        sentences = path.read_text(encoding="utf-8").splitlines()
    if not any(sentences):
        raise ValueError(f"{path}: exclude, got no sentence; expected at least one")
    return frozenset(sentence.strip() for sentence in sentences)
