"""The one loop of all studies: what is to do, who does it, what is stored, how far it is.

Work comes as tasks; each gives one row per key, and what is stored under its key is never done
again. Several processes share the work of one store by claims; `--shard i/n` gives each a part of
its own. What a system fails at is an error of the study or, where a study keeps failures, a row of
its own; an error of the machine is neither, and is told at the end.
"""

import contextlib
import functools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from ground import ray_inference
from ground.addresses import Address
from ground.claims import Held, claims_in
from ground.engines import Outcome, Workers, run_tasks
from ground.journal import AnyJournal, journal_of, recover
from ground.progress import Progress
from ground.ray_inference import Inference
from ground.store import KEY, Store
from ground.writer import BackgroundWriter

FLUSH_SECONDS, FLUSH_ROWS = 5.0, 4096
MOST_SHARDS = 4  # of a store; a setting of a study has at most five stores
PATIENCE = 1.0  # seconds between two looks at what other processes have finished
FAILURES = pa.schema([("error", pa.string())])
Row = dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """What stands for the row of a piece of work that a model failed at."""

    error: str


Call = Callable[[Any, Sequence[Any]], Iterable[tuple[int, Row | Failed]]]


@dataclass(frozen=True)
class Task:
    """Pieces of work that are done together.

    Attributes:
        keys: The key of each piece.
        parts: The pieces, one per key; `call` gets those that are not done.
        given: What else `call` gets.
        is_whole: Whether all pieces are made again where one is missing.
        seconds: How long it takes, roughly; nan where nobody knows.
        name: By which it is claimed: its first key, done or not.
    """

    keys: tuple[str, ...]
    parts: tuple[Any, ...]
    given: Any = None
    is_whole: bool = False
    seconds: float = math.nan
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.keys[0])

    def without(self, done: set[str]) -> "Task":
        """The pieces that are left."""
        left = [i for i, key in enumerate(self.keys) if key not in done]
        if len(left) == len(self.keys) or (left and self.is_whole):
            return self
        keys, parts = (tuple(values[i] for i in left) for values in (self.keys, self.parts))
        return replace(self, keys=keys, parts=parts)


def tasks_of(
    parts: Mapping[str, Any], size: int, given: Any = None, seconds: float = math.nan
) -> list[Task]:
    """Pieces of work by key, in tasks.

    Args:
        parts: Each piece under the key of its result.
        size: Pieces of a task, the last may have fewer.
        given: What all tasks are given.
        seconds: How long a piece takes, if that is known.
    """
    keys = list(parts)
    return [
        Task(tuple(some), tuple(parts[key] for key in some), given, seconds=seconds * len(some))
        for some in (keys[i : i + size] for i in range(0, len(keys), size))
    ]


@dataclass(frozen=True)
class Stage:
    """Work of one kind.

    Attributes:
        title: What is done, for the progress line.
        store: Where its rows go.
        tasks: All tasks, done or not; asked anew after each round.
        call: Takes `given` and `parts` of a task; gives the place of each part with its row as it
            is ready.
        failures: Where failures of models are recorded, with schema FAILURES; without it a failure
            ends the study.
        retries_failed: Whether what failed before is tried again.
        in_workers: Whether tasks run in other processes even where there is one worker; `call` must
            then be a module's function.
        load: Makes in another process what tasks have here as `given`, such as a loaded system;
            tasks run there where the loop has several workers or Ray. Without it, and not
            `in_workers`, they run in this process.
        inference: How vLLM does the parts, through Ray Data, in place of `call`.
        rows_at_once: Rows that are kept in memory until they go to the store together.
        is_costly: Whether every row is forced to the disk as it comes; its values must be JSON's.
    """

    title: str
    store: Store
    tasks: Callable[[], Iterable[Task]]
    call: Call
    failures: Store | None = None
    retries_failed: bool = False
    in_workers: bool = False
    load: Callable[[], Any] | None = None
    inference: Inference | None = None
    rows_at_once: int = FLUSH_ROWS
    is_costly: bool = False


class MachineError(RuntimeError):
    """Work is left undone because of the machine: a dead worker, no memory, no space."""


@dataclass
class Loop:
    """How the work of a study is shared out.

    Attributes:
        shard: Which part of the work is ours, and of how many: (1, 1) for all of it.
        workers: What runs tasks.
        n_elsewhere: Pieces that other shards have still to do.
        n_failed: Pieces that a model failed at.
    """

    shard: tuple[int, int] = (1, 1)
    workers: Workers = field(default_factory=Workers)
    n_elsewhere: int = field(default=0, init=False)
    n_failed: int = field(default=0, init=False)

    def fill(self, stage: Stage) -> None:
        """Does what is not done yet; stopped at any time, it loses no more than some seconds' work.

        Raises:
            ValueError: A task failed, and the stage does not keep failures.
            MachineError: The machine failed; what it failed at is not recorded.
        """
        with contextlib.ExitStack() as stack:
            claims = stack.enter_context(claims_in(stage.store.folder / "claims"))
            if stage.is_costly:
                recover(stage.store)
            own, elsewhere = self._left(stage, is_first=True)
            n = sum(len(task.keys) for task in own)
            with Progress(stage.title, n, sum(task.seconds for task in own)) as progress:
                costly = stage.is_costly and bool(own)
                journal = stack.enter_context(journal_of(stage.store)) if costly else None
                while own:
                    if not _Round(self, stage, claims, progress, journal).do(own):
                        time.sleep(PATIENCE)
                    own, elsewhere = self._left(stage)
            self.n_elsewhere += elsewhere
            failed = stage.failures.keys() - stage.store.keys() if stage.failures else set()
            self.n_failed += len(failed & {key for task in stage.tasks() for key in task.keys})
            if claims.take("compact"):
                for store in filter(None, (stage.store, stage.failures)):
                    store.compact(MOST_SHARDS)
        _remove_empty(stage)

    def _left(self, stage: Stage, *, is_first: bool = False) -> tuple[list[Task], int]:
        """Our tasks that have pieces left, and the number of pieces that other shards have."""
        done = stage.store.keys()
        if stage.failures is not None and not (stage.retries_failed and is_first):
            done |= stage.failures.keys()
        own, elsewhere = [], 0
        for task in stage.tasks():
            left = task.without(done)
            if not left.keys:
                continue
            if int(task.name, 16) % self.shard[1] == self.shard[0] - 1:
                own.append(left)
            else:
                elsewhere += len(left.keys)
        return own, elsewhere


class _Round:
    """One pass over tasks: claims each, does it, stores its rows, gives the claim up."""

    def __init__(
        self,
        loop: Loop,
        stage: Stage,
        claims: Held,
        progress: Progress,
        journal: AnyJournal | None = None,
    ) -> None:
        self.loop, self.stage, self.claims, self.progress = loop, stage, claims, progress
        self.journal = journal
        self.rows: dict[str, Row] = {}
        self.tables: list[pa.Table] = []
        self.errors: dict[str, Row] = {}
        self.finished: list[str] = []
        self.last = time.monotonic()
        self.problems: list[tuple[str, bool]] = []
        self.writer = BackgroundWriter() if self._is_shared() and journal is None else None

    def do(self, tasks: Sequence[Task]) -> bool:
        """Does the tasks that nobody else is doing; says whether there were any."""
        is_any = False
        claimed = self._claimed(tasks)
        try:
            for task in self._in_workers(claimed) if self._is_shared() else self._here(claimed):
                is_any = True
                self.finished.append(task.name)
                self._flush_now_and_then()
        finally:
            self._flush()
            if self.writer is not None:
                self.writer.close()
        if self.problems:
            self._tell()
        return is_any

    def _claimed(self, tasks: Sequence[Task]) -> Iterator[Task]:
        for task in tasks:
            if self.claims.take(task.name):
                left = task.without(self.stage.store.done(task.keys))
                if left.keys:
                    yield left
                else:
                    self.finished.append(task.name)

    def _here(self, claimed: Iterable[Task]) -> Iterator[Task]:
        for task in claimed:
            self._take(task, self.stage.call(task.given, task.parts))
            yield task

    def _is_shared(self) -> bool:
        """Whether other processes do the work."""
        is_movable = self.stage.load is not None and not self.loop.workers.is_here
        return self.stage.in_workers or is_movable

    def _in_workers(self, claimed: Iterable[Task]) -> Iterator[Task]:
        under_way: dict[str, Task] = {}  # without their parts, which may be many

        def handed_out() -> Iterator[tuple[str, Task]]:
            for task in claimed:
                under_way[task.name] = replace(task, parts=(), given=None)
                yield task.name, replace(task, given=None) if self.stage.load else task

        for outcome in self._outcomes(handed_out()):
            task, error = under_way.pop(outcome.name), outcome.error
            if isinstance(outcome.result, _Found):
                self._take_table(task, outcome.result)
            elif outcome.result is not None:
                self._take(task, outcome.result)
            elif outcome.is_of_the_machine or self.stage.failures is None:
                self.problems.append((error, outcome.is_of_the_machine))
            else:
                self._take(task, [(i, Failed(error)) for i in range(len(task.keys))])
            yield task

    def _outcomes(self, tasks: Iterable[tuple[str, Task]]) -> Iterator[Outcome]:
        stage, workers = self.stage, self.loop.workers
        if stage.inference is not None:
            return ray_inference.outcomes(stage.inference, tasks, workers)
        schema = None if self.journal is not None else stage.store.schema.remove(0)
        return run_tasks(
            functools.partial(_collect, stage.call, schema), tasks, workers, stage.load
        )

    def _take(self, task: Task, found: Iterable[tuple[int, Row | Failed]]) -> None:
        left = set(task.keys)
        for place, row in found:
            key = task.keys[place]
            if isinstance(row, Failed):
                self.errors[key] = {"error": row.error}
            else:
                self.rows[key] = row
                if self.journal is not None:
                    self.journal.add({key: row})
            left.discard(key)
            self.progress.update()
            self._flush_now_and_then()
        self._check(task, left)

    def _take_table(self, task: Task, found: "_Found") -> None:
        keys = [task.keys[place] for place in found.places]
        self.tables.append(found.table.add_column(0, KEY, pa.array(keys, pa.string())))
        failed = {task.keys[place]: {"error": one.error} for place, one in found.failed}
        self.errors |= failed
        self.progress.update(len(keys) + len(failed))
        self._check(task, set(task.keys).difference(keys, failed))
        self._flush_now_and_then()

    def _check(self, task: Task, left: set[str]) -> None:
        if left:
            raise ValueError(
                f"{self.stage.title}: rows, got {len(task.keys) - len(left)};"
                f" expected {len(task.keys)}, one per piece of work"
            )

    def _flush_now_and_then(self) -> None:
        cost = self.stage.store.write_cost
        is_time = time.monotonic() - self.last > FLUSH_SECONDS * cost
        n = len(self.rows) + sum(table.num_rows for table in self.tables)
        if is_time or n >= self.stage.rows_at_once * cost:
            self._flush()

    def _flush(self) -> None:
        """Stores what came since the last time; beside the workers, so that none waits for it."""
        write = functools.partial(self._store, self.rows, self.tables, self.errors, self.finished)
        self.rows, self.tables, self.errors = {}, [], {}
        self.finished, self.last = [], time.monotonic()
        if self.writer is None:
            write()
        else:
            self.writer.do(write)

    def _store(
        self,
        rows: Mapping[str, Row],
        tables: Sequence[pa.Table],
        errors: Mapping[str, Row],
        finished: Sequence[str],
    ) -> None:
        self.stage.store.append_rows(rows)
        if tables:
            table = pa.concat_tables(tables)
            columns = {name: table[name] for name in table.column_names[1:]}
            self.stage.store.append(table[KEY].to_pylist(), columns)
        if self.journal is not None:
            self.journal.clear()
        if self.stage.failures is not None:
            self.stage.failures.append_rows(errors)
        self.claims.release(finished)

    def _tell(self) -> None:
        error, n = self.problems[0][0], len(self.problems)
        if all(is_machine for _, is_machine in self.problems):
            raise MachineError(f"{self.stage.title}: {n} not done, by the machine's fault: {error}")
        error = next(error for error, is_machine in self.problems if not is_machine)
        raise ValueError(f"{self.stage.title}: {n} failed; the first: {error}")


@dataclass(frozen=True)
class _Found:
    """What a worker found, rows in Arrow: their way between processes and to the store is short.

    Attributes:
        places: Of the rows among the parts of the task.
        table: The rows.
        failed: Places of the parts that a model failed at.
    """

    places: tuple[int, ...]
    table: pa.Table
    failed: tuple[tuple[int, Failed], ...]


def _collect(
    call: Call, schema: pa.Schema | None, task: Task, *loaded: Any
) -> list[tuple[int, Row | Failed]] | _Found:
    """What `call` gives for a task; as it is where there is no schema to put it into."""
    (given,) = loaded or (task.given,)
    found = list(call(given, task.parts))
    if schema is None:
        return found
    failed = tuple((place, row) for place, row in found if isinstance(row, Failed))
    rows = {place: row for place, row in found if not isinstance(row, Failed)}
    columns = {name: [row[name] for row in rows.values()] for name in schema.names}
    return _Found(tuple(rows), pa.table(columns, schema=schema), failed)


def _remove_empty(stage: Stage) -> None:
    folder = stage.store.folder
    if isinstance(folder, Address):
        return  # an address has no folders, only objects
    with contextlib.suppress(OSError):  # another process holds a claim, or there was none
        (folder / "claims").rmdir()
