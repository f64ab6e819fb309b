"""Trees that parsers give to gold sentences, kept batch by batch: what studies of parsers share."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from research.engine.loop import Row
from research.studies.answer_batches import Batches
from research.studies.study import Run

TREES = pa.schema(
    [("heads", pa.list_(pa.list_(pa.int32()))), ("deprels", pa.list_(pa.list_(pa.string())))]
)


class GoldSentences(Protocol):
    """Sentences to be parsed: columns by name, `tokens` among them."""

    @property
    def columns(self) -> Mapping[str, list[Any]]:
        """The columns, as lists."""


def sentences(parser: Any, gold: GoldSentences) -> Sequence[Any]:
    """The tokens of every sentence; all of the gold for a parser without batches."""
    return gold.columns["tokens"] if parser.batch_size else [gold.columns]


def parse(parser: Any, batch: Sequence[Any]) -> Row:
    """The trees of a batch."""
    trees: Row = parser.predict({"tokens": batch} if parser.batch_size else batch[0])
    return trees


BATCHES = Batches(TREES, sentences, parse)


def trees_of(parser: Any, gold: GoldSentences, run: Run) -> dict[str, list[Any]]:
    """`tokens`, `heads` and `deprels` that a parser gave to each sentence."""
    batches = BATCHES.answers(parser, gold, run)
    trees = {name: [tree for batch in batches for tree in batch[name]] for name in TREES.names}
    return trees | {"tokens": batches[0].get("tokens", gold.columns["tokens"])}
