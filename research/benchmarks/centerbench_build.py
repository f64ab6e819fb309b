"""CenterBench: building the default draw from nothing, and a million questions apart."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from builders.centerbench.draw import Drawer, default_drawer
from builders.centerbench.mirror import patterns
from builders.centerbench.relations import DOMAINS, KnowledgeBase
from dataset_scripts import centerbench
from dataset_scripts.registry import builder_for
from dataset_scripts.suite import canary
from publish.build.parquet import count_rows, write_split
from research.benchmarks.timing import Goal, apart, at_most, measure, scaled

PAIRS, MILLION = 30, 3_087  # pairs per level: 324 questions each over levels 1 to 6
PATTERN = patterns(6)[1]  # down, down, up, up, down, down


def write_questions(options: Mapping[str, int]) -> int:
    """Reads the tables, counts, draws, asks, writes batch by batch; gives the number of rows."""
    default_drawer.cache_clear()
    with tempfile.TemporaryDirectory() as folder:
        builder = builder_for(centerbench.CenterBench, "centerbench", "questions", options, folder)
        batches, features = builder.split_batches()["test"], builder.config.features
        assert features is not None
        paths = write_split(batches, features, Path(folder), "test", canary("centerbench"))
        return count_rows(paths)


def count_chains() -> None:
    """Counts what can be drawn of one pattern."""
    for domain in DOMAINS:
        Drawer(KnowledgeBase()).space(domain).count(PATTERN)


def run(share: float) -> list[Goal]:
    """Builds the default draw, and a million questions in a process of their own."""
    size = {} if share == 1 else {"size": scaled(PAIRS, share)}
    seconds = measure(lambda: write_questions(size), 3)
    million = apart(write_questions, {"size": scaled(MILLION, share)})
    return [
        at_most("the default draw, generated and written", seconds, 2),
        at_most("of which reading and counting", measure(count_chains, 3), None),
        at_most(f"{million.result:,} questions, generated and written", million.seconds, 60),
        at_most(f"{million.result:,} questions: memory", million.megabytes, 1_000, "MB"),
    ]
