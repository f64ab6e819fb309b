"""The suite CenterBench as `datasets` builders: the project's own draw, and the authors' rows where they are given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa
from datasets import Features, Value

from builders.centerbench.columns import question_columns, sentence_columns
from builders.centerbench.draw import LEVELS, PAIRS_PER_LEVEL, STRESS_LEVELS, PairDrawer, SentencePair
from builders.centerbench.relations import KnowledgeBase
from dataset_scripts.suite import SuiteBuilder, SuiteConfig

LITE_PAIRS_PER_LEVEL = 10
PAIRS_PER_BATCH = 500

VERB = {name: Value("string") for name in ("base", "past", "participle", "gerund", "third", "tail")}
EVENTS = datasets.List({"subject": Value("string"), "verb": VERB, "object": Value("string")})
COVARIATES = {
    "n_words": Value("int32"),
    "n_characters": Value("int32"),
    "noun_zipf": Value("float32"),
    "verb_zipf": Value("float32"),
    "rating_mean": Value("float32"),
    "n_raters": Value("int32"),
}
SENTENCE = {
    "id": Value("string"),
    "pair_id": Value("string"),
    "condition": Value("string"),
    "level": Value("int32"),
    "domain": Value("string"),
    "sentence": Value("string"),
    "nouns": datasets.List(Value("string")),
    "verbs": datasets.List(Value("string")),
    "events": EVENTS,
    "violated": datasets.List(Value("string")),
    **COVARIATES,
}
QUESTION = {
    "id": Value("string"),
    "pair_id": Value("string"),
    "sentence_id": Value("string"),
    "condition": Value("string"),
    "level": Value("int32"),
    "domain": Value("string"),
    "sentence": Value("string"),
    "entity": Value("string"),
    "depth": Value("int32"),
    "question_type": Value("string"),
    "difficulty": Value("string"),
    "question": Value("string"),
    "answer": Value("string"),
    "events": EVENTS,
    **COVARIATES,
}


@dataclass
class CenterBenchConfig(SuiteConfig):
    """One config of CenterBench; `size` is the number of pairs per level.

    Attributes:
        levels: The levels to draw.
        largest_size: A bound on `size` for a fixed subset; None if there is none.
    """

    levels: tuple[int, ...] = LEVELS
    largest_size: int | None = None


class CenterBench(SuiteBuilder):
    """Center-embedded sentences in minimal pairs, with six questions about each entity."""

    VERSION = datasets.Version("1.0.0")
    BUILDER_CONFIG_CLASS = CenterBenchConfig
    DEFAULT_CONFIG_NAME = "questions"
    CLOSED_SETS = ("condition", "domain", "question_type", "difficulty")
    BUILDER_CONFIGS = [  # noqa: RUF012  # `datasets` reads it from the class
        CenterBenchConfig(name="questions", version=VERSION, features=Features(QUESTION)),
        CenterBenchConfig(name="sentences", version=VERSION, features=Features(SENTENCE)),
        CenterBenchConfig(name="questions_lite", version=VERSION, features=Features(QUESTION), largest_size=LITE_PAIRS_PER_LEVEL),
        CenterBenchConfig(name="stress", version=VERSION, features=Features(QUESTION), levels=STRESS_LEVELS),
    ]

    config: CenterBenchConfig

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives the split `test`."""
        return {"test": pa.concat_tables(self.batches())}

    def batches(self) -> Iterator[pa.Table]:
        """Gives the rows of the draw in tables of `PAIRS_PER_BATCH` pairs."""
        knowledge = KnowledgeBase()
        drawer = PairDrawer(knowledge)
        size = min(self.config.size or PAIRS_PER_LEVEL, self.config.largest_size or self.config.size or PAIRS_PER_LEVEL)
        make_table = sentence_table if self.config.features == Features(SENTENCE) else question_table
        for level in self.config.levels:
            pairs = drawer.draw(level, self.config.seed, size)
            for start in range(0, len(pairs), PAIRS_PER_BATCH):
                yield make_table(pairs[start : start + PAIRS_PER_BATCH], knowledge)


def sentence_table(pairs: list[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Gives one row per sentence of the pairs."""
    return pa.table(sentence_columns(pairs, knowledge), schema=Features(SENTENCE).arrow_schema)


def question_table(pairs: list[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Gives one row per question about the sentences of the pairs."""
    sentences = sentence_table(pairs, knowledge).rename_columns({"id": "sentence_id"})
    columns: dict[str, Any] = question_columns(pairs, knowledge)
    shared = sentences.take(pa.array(columns.pop("sentence_row"), pa.int32()))
    schema = Features(QUESTION).arrow_schema
    return pa.table({name: columns[name] if name in columns else shared[name] for name in schema.names}, schema=schema)
