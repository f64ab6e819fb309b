"""The suite CenterBench as `datasets` builders: the project's own draw, and the authors' rows where they are given."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, Value

from builders.centerbench.columns import question_columns, sentence_columns
from builders.centerbench.draw import LEVELS, PAIRS_PER_LEVEL, STRESS_LEVELS, Drawer, SentencePair
from builders.centerbench.invariants import question_problems, sentence_problems
from builders.centerbench.relations import KnowledgeBase
from builders.centerbench.released import downloadable_files, released_tables
from dataset_scripts.suite import SuiteBuilder, SuiteConfig, option
from ground.downloads import Source

LITE_PAIRS_PER_LEVEL = 10
PAIRS_PER_BATCH = 500

TEXT, COUNT, FREQUENCY = Value("string"), Value("int32"), Value("float32")
VERB = dict.fromkeys(("base", "past", "participle", "gerund", "third", "tail"), TEXT)
EVENTS = datasets.List({"subject": TEXT, "verb": VERB, "object": TEXT})
PLACE = {"condition": TEXT, "level": COUNT, "domain": TEXT, "sentence": TEXT}
COVARIATES = {
    "n_words": COUNT,
    "n_characters": COUNT,
    "noun_zipf": FREQUENCY,
    "verb_zipf": FREQUENCY,
    "rating_mean": FREQUENCY,
    "n_raters": COUNT,
}
SENTENCE = {
    "id": TEXT,
    "pair_id": TEXT,
    **PLACE,
    "nouns": datasets.List(TEXT),
    "verbs": datasets.List(TEXT),
    "events": EVENTS,
    "violated": datasets.List(TEXT),
    **COVARIATES,
}
QUESTION = {
    "id": TEXT,
    "pair_id": TEXT,
    "sentence_id": TEXT,
    **PLACE,
    "entity": TEXT,
    "depth": COUNT,
    "question_type": TEXT,
    "difficulty": TEXT,
    "question": TEXT,
    "answer": TEXT,
    "events": EVENTS,
    **COVARIATES,
}
ORIGINALS = dict.fromkeys(
    ("original_question", "original_answer", "question_difference", "answer_difference"), TEXT
)


@dataclass
class CenterBenchConfig(SuiteConfig):
    """One config of CenterBench; `size` is the number of pairs per level.

    Attributes:
        levels: The levels to draw.
        largest_size: A bound on `size` for a fixed subset; None if there is none.
        unpaired: Whether to draw sentences that are matched by level only, over all relations of
            the knowledge base.
        exclude: A file of sentences that must not be drawn: one per line, or the column `sentence`
            of a Parquet file.
    """

    levels: tuple[int, ...] = LEVELS
    largest_size: int | None = None
    unpaired: bool = option(False, "sentences matched by level only, over all relations", bool)
    exclude: Path | None = option(
        None,
        "sentences that must not be drawn, one per line or Parquet",
        Path,
        metavar="FILE",
    )


class CenterBench(SuiteBuilder):
    """Center-embedded sentences in minimal pairs, with six questions about each entity."""

    VERSION = datasets.Version("1.0.0")
    BUILDER_CONFIG_CLASS = CenterBenchConfig
    DEFAULT_CONFIG_NAME = "questions"
    CITATION = """@inproceedings{madhusudan-etal-2026-centerbench,
  title = {The Dog the Cat Chased Stumped the Model: Measuring When Language Models Abandon Structure for Shortcuts},
  author = {Madhusudan, Sangmitra and Chen, Kaige and Emami, Ali},
  booktitle = {Proceedings of EACL 2026},
  pages = {428--453},
  year = {2026}
}"""
    CLOSED_SETS = ("condition", "domain", "question_type", "difficulty")
    BUILDER_CONFIGS = [  # noqa: RUF012  # `datasets` reads it from the class
        CenterBenchConfig(name="questions", version=VERSION, features=Features(QUESTION)),
        CenterBenchConfig(name="sentences", version=VERSION, features=Features(SENTENCE)),
        CenterBenchConfig(
            name="questions_lite",
            version=VERSION,
            features=Features(QUESTION),
            largest_size=LITE_PAIRS_PER_LEVEL,
        ),
        CenterBenchConfig(
            name="stress", version=VERSION, features=Features(QUESTION), levels=STRESS_LEVELS
        ),
        CenterBenchConfig(
            name="released_questions",
            version=VERSION,
            features=Features(QUESTION | ORIGINALS),
            is_released=True,
            source_licence="cc-by-4.0",
        ),
        CenterBenchConfig(
            name="released_sentences",
            version=VERSION,
            features=Features(SENTENCE | {"has_structure": Value("bool")}),
            is_released=True,
            source_licence="cc-by-4.0",
        ),
    ]

    config: CenterBenchConfig

    @classmethod
    def released_sources(cls) -> Sequence[Source]:
        """Gives the authors' two files."""
        return downloadable_files()

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives the split `test`."""
        if self.config.is_released:
            columns = released_tables(self.released_folder())[self.config.name]
            schema = self.config.features.arrow_schema  # type: ignore[union-attr]  # every config above has features
            return {
                split: pa.table({name: rows[name] for name in schema.names}, schema=schema)
                for split, rows in columns.items()
            }
        return {"test": pa.concat_tables(self.batches())}

    def batches(self) -> Iterator[pa.Table]:
        """Gives the rows of the draw level by level, in tables of at most `PAIRS_PER_BATCH` pairs each.

        Raises:
            ValueError: The knowledge base cannot fill the draw, or `exclude` is no such file.
        """
        drawer = _drawer()
        draw = drawer.draw_unpaired if self.config.unpaired else drawer.draw
        exclude = read_sentences(self.config.exclude) if self.config.exclude else frozenset()
        make_table = sentence_table if self.config.name == "sentences" else question_table
        for level in self.config.levels:
            pairs = draw(level, self.config.seed, self._size(), exclude)
            for start in range(0, len(pairs), PAIRS_PER_BATCH):
                yield make_table(pairs[start : start + PAIRS_PER_BATCH], drawer.knowledge)

    def problems(self, table: pa.Table) -> list[str]:
        """Checks that the members of each pair are minimal pairs; released and unpaired rows are matched by level only."""
        if self.config.is_released or self.config.unpaired:
            return []
        check = sentence_problems if self.config.name == "sentences" else question_problems
        return check(table.to_pydict())

    def _size(self) -> int:
        size = PAIRS_PER_LEVEL if self.config.size is None else self.config.size
        if size < 1:
            raise ValueError(f"centerbench: size, got {size}; expected 1 or more pairs per level")
        return min(size, self.config.largest_size or size)


def sentence_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Gives one row per sentence of the pairs."""
    return pa.table(sentence_columns(pairs, knowledge), schema=Features(SENTENCE).arrow_schema)


def question_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Gives one row per question about the sentences of the pairs."""
    sentences = sentence_table(pairs, knowledge).rename_columns({"id": "sentence_id"})
    columns: dict[str, Any] = question_columns(pairs, knowledge)
    shared = sentences.take(pa.array(columns.pop("sentence_row"), pa.int32()))
    schema = Features(QUESTION).arrow_schema
    return pa.table(
        {name: columns[name] if name in columns else shared[name] for name in schema.names},
        schema=schema,
    )


def read_sentences(path: Path) -> frozenset[str]:
    """Reads the sentences of a Parquet file's column `sentence`, or of a text file with one per line.

    Raises:
        ValueError: The file is not there, has no such column or no sentence.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(
            f"{path}: exclude, got no file; expected one with sentences, a Parquet file or one per line"
        )
    if path.suffix == ".parquet":
        if "sentence" not in pq.read_schema(path).names:
            raise ValueError(
                f"{path}: columns, got {', '.join(pq.read_schema(path).names)}; expected one named sentence"
            )
        sentences = pq.read_table(path, columns=["sentence"])["sentence"].to_pylist()
    else:
        sentences = path.read_text(encoding="utf-8").splitlines()
    if not any(sentences):
        raise ValueError(f"{path}: exclude, got no sentence; expected at least one")
    return frozenset(sentence.strip() for sentence in sentences)


@cache
def _drawer() -> Drawer:
    return Drawer(KnowledgeBase())
