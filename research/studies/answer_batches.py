"""Work of studies that hand every part of their rows to every system, in stored batches.

A batch is kept under all that its answers depend on: the system with its version, which holds the
hash of its weights, and the inputs themselves. What was given to a system once is not given again,
whichever draw or config it stood in.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies.study import Run

ITEMS_AT_ONCE = 32768  # whose answers are kept in memory until they go to the store


@dataclass(frozen=True)
class Batches:
    """How a kind of system answers.

    `inputs` gives those of a part of the rows to a system, in order, JSON-like, in a list or an
    Arrow column; `answer` gives the row of a batch. A study with several kinds of answers has a
    `store` for each. `takes` says of a part, by its name, whether a system is asked about it.
    """

    schema: pa.Schema
    inputs: Callable[[Any, Any], Sequence[Any]]
    answer: Callable[[Any, Sequence[Any]], Row]
    store: str = "answers"
    takes: Callable[[Any, str], bool] | None = None

    def work(self, rows: Mapping[str, Any], run: Run) -> None:
        """Has every system that works in batches answer every part; others answer when scored."""
        for name in run.options.systems:
            system = run.system(name)
            for part, of_part in rows.items() if system.batch_size else ():
                if self.takes is None or self.takes(system, part):
                    self.fill(f"{name}, {part}", system, of_part, run, run.loader(name))

    def fill(
        self, title: str, system: Any, of_part: Any, run: Run, load: Callable[[], Any]
    ) -> None:
        """Has a system, loaded elsewhere by `load`, answer what it has not yet of a part."""
        tasks = self.tasks(system, of_part)
        store = run.store(self.store, self.schema)
        n = max(1, ITEMS_AT_ONCE // system.batch_size)
        run.fill(Stage(title, store, lambda: tasks, self.call, load=load, rows_at_once=n))

    def answers(
        self, system: Any, of_part: Any, run: Run, keep: Callable[[Row], Any] = lambda row: row
    ) -> list[Any]:
        """What is kept of the rows of all batches of a part, in order; less than all for many."""
        if system.batch_size is None:
            inputs = self.inputs(system, of_part)
            return [keep(self.answer(system, Batch(inputs, 0, len(inputs)).items()))]
        keys = [task.name for task in self.tasks(system, of_part)]
        store = run.store(self.store, self.schema)
        kept = {key: keep(row) for key, row in store.each(keys)}
        return [kept[key] for key in keys]

    def tasks(self, system: Any, of_part: Any) -> list[Task]:
        """The batches of a part, each under the key of its answers."""
        inputs, size = self.inputs(system, of_part), system.batch_size
        tasks = []
        for batch in (Batch(inputs, i, size) for i in range(0, len(inputs), size)):
            key = make_key(system=system.name, version=system.version, inputs=batch.items())
            tasks.append(Task((key,), (batch,), system))
        return tasks

    def call(self, system: Any, batches: Sequence["Batch"]) -> Iterator[tuple[int, Row]]:
        """The answers to some batches."""
        for place, batch in enumerate(batches):
            yield place, self.answer(system, batch.items())


@dataclass(frozen=True)
class Batch:
    """A stretch of inputs, looked up when it is needed; pickled, it takes along no others.

    They are an Arrow column or anything that can be sliced.
    """

    inputs: Any
    start: int
    size: int

    def items(self) -> list[Any]:
        """The inputs."""
        found = self._found()
        return found.to_pylist() if isinstance(found, pa.ChunkedArray) else list(found)

    def __reduce__(self) -> tuple[Any, ...]:
        own = self._found()
        if isinstance(own, pa.ChunkedArray):
            none = pa.array([], own.type)  # joined, they are a copy; a slice takes all along
            joined = pa.concat_arrays([none, *own.chunks])
            return Batch, (pa.chunked_array([joined]), 0, self.size)
        return Batch, (list(own), 0, self.size)

    def _found(self) -> Any:
        return self.inputs[self.start : self.start + self.size]


TREES = pa.schema(
    [("heads", pa.list_(pa.list_(pa.int32()))), ("deprels", pa.list_(pa.list_(pa.string())))]
)


@dataclass(frozen=True, eq=False)
class GoldClauses:
    """Sentences to be parsed, of `config/split` or another place: columns as in the suite.

    `split` is that of German clauses, beside which published figures stand.
    """

    name: str
    columns: Mapping[str, list[Any]]
    split: str = ""

    @property
    def config_and_split(self) -> tuple[str, str]:
        """Config and split of the suite that they are."""
        config, _, split = self.name.partition("/")
        return config, split


def sentences(parser: Any, gold: GoldClauses) -> Sequence[Any]:
    """The tokens of every sentence; all of the gold for a parser without batches."""
    return gold.columns["tokens"] if parser.batch_size else [gold.columns]


def parse(parser: Any, batch: Sequence[Any]) -> Row:
    """The trees of a batch."""
    trees: Row = parser.predict({"tokens": batch} if parser.batch_size else batch[0])
    return trees


BATCHES = Batches(TREES, sentences, parse)


def trees_of(parser: Any, gold: GoldClauses, run: Run) -> dict[str, list[Any]]:
    """`tokens`, `heads` and `deprels` that a parser gave to each sentence."""
    batches = BATCHES.answers(parser, gold, run)
    trees = {name: [tree for batch in batches for tree in batch[name]] for name in TREES.names}
    return trees | {"tokens": batches[0].get("tokens", gold.columns["tokens"])}


def scored_trees(
    score: Callable[..., dict[str, Any]], parser: Any, gold: GoldClauses, run: Run, options: Any
) -> dict[str, Any]:
    """A metric's result of what a parser gave, with `system` and `system_version`."""
    inputs = {"predictions": trees_of(parser, gold, run), "references": gold.columns}
    named = {"system": parser.name, "system_version": parser.version}
    return score(inputs, options) | named


def parser_options(parser: Any, run: Run, config: str = "", split: str = "test") -> dict[str, Any]:
    """Options of a metric of parsers, on a config and split or on rows of no draw."""
    about = {"scheme": parser.scheme, "run": run.about(parser, config, split)}
    return {"n_resamples": run.options.resamples, **about}
