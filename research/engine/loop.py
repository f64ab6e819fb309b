"""The one loop of all studies: what is to do, who does it, what is stored, how far it is.

Work comes as tasks; each gives one row per key, and what is stored under its key is never done
again. One process works on a store at a time; `--shard i/n` gives each of several machines, with a
store of its own, a part of the work. Rows leave memory when their shard is on the disk, no sooner.
What a system fails at is an error of the study or, where a study keeps failures, a row of its own;
an error of the machine is neither, and is told at the end.
"""

import contextlib
import functools
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from research.engine.engines import run
from research.engine.journal import Journal, recover
from research.engine.store import KEY, Store, StoreError, named
from research.engine.work import Outcome, Workers

LINE_SECONDS = 60.0


class Progress:
    """A bar on a terminal; elsewhere a line at the start and one a minute.

    `total` pieces take about `seconds` of one core, nan where nobody knows.
    """

    def __init__(self, title: str, total: int, seconds: float = math.nan) -> None:
        self.title, self.total, self.done = title, total, 0
        self.start = self.last = time.monotonic()
        self.bar = tqdm(total=total, desc=title, leave=False, disable=None) if total else None
        if total:
            about = f", about {_duration(seconds)} of one core" if seconds == seconds else ""
            print(f"{title}: {total:,} to do{about}", file=sys.stderr)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def update(self, n: int = 1) -> None:
        """Counts pieces."""
        self.done += n
        now = time.monotonic()
        if self.bar is not None and not self.bar.disable:
            self.bar.update(n)
        elif now - self.last >= LINE_SECONDS:
            self.last = now
            left = (now - self.start) / self.done * (self.total - self.done)
            print(
                f"{self.title}: {self.done:,} of {self.total:,}, about {_duration(left)} left",
                file=sys.stderr,
            )


def _duration(seconds: float) -> str:
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:{'.2g' if seconds < 100 * unit else '.0f'}} {name}"
    return f"{seconds:.0f} s"


class BackgroundWriter:
    """A thread that writes to a store, one thing at a time; who gives it another waits."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.writing: Future[None] | None = None

    def do(self, write: Callable[[], None]) -> None:
        """Begins to write, when what was written before is there; tells what went wrong then."""
        if self.writing is not None:
            self.writing.result()
        self.writing = self.thread.submit(write)

    def wait(self) -> None:
        """Waits for the last, and ends the thread; what went wrong is told by who tries again."""
        self.thread.shutdown()


FLUSH_SECONDS, FLUSH_ROWS = 5.0, 4096
MOST_SHARDS = 4  # of a store; a setting of a study has at most five stores
FAILURES = pa.schema([("error", pa.string())])
Row = dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """What stands for the row of a piece of work that a model failed at."""

    error: str


Call = Callable[[Any, Sequence[Any]], Iterable[tuple[int, Row | Failed]]]


@dataclass(frozen=True)
class Task:
    """Pieces of work that are done together, each under its key; `call` gets those not done."""

    keys: tuple[str, ...]
    parts: tuple[Any, ...]
    given: Any = None  # what else `call` gets
    is_whole: bool = False  # whether all pieces are made again where one is missing
    seconds: float = math.nan  # how long it takes, roughly; nan where nobody knows
    name: str = ""  # its first key, done or not

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
    """Pieces of work by the keys of their results, in tasks of `size`; `seconds` is about each."""
    keys = list(parts)
    return [
        Task(tuple(some), tuple(parts[key] for key in some), given, seconds=seconds * len(some))
        for some in (keys[i : i + size] for i in range(0, len(keys), size))
    ]


@dataclass(frozen=True)
class Stage:
    """Work of one kind, whose rows go to a store.

    Attributes:
        tasks: All tasks, done or not; a key that several have is done with the first.
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
        rows_at_once: Rows that are kept in memory until they go to the store together.
        is_costly: Whether every row is forced to the disk as it comes, and asked for again only
            with leave; its values must be JSON's.
    """

    title: str
    store: Store
    tasks: Callable[[], Iterable[Task]]
    call: Call
    failures: Store | None = None
    retries_failed: bool = False
    in_workers: bool = False
    load: Callable[[], Any] | None = None
    rows_at_once: int = FLUSH_ROWS
    is_costly: bool = False

    @property
    def stores(self) -> tuple[Store, ...]:
        """Its stores: of rows and, if it has one, of failures."""
        return (self.store,) if self.failures is None else (self.store, self.failures)


class MachineError(RuntimeError):
    """Work is left undone because of the machine: a dead worker, no memory, no space."""


@dataclass
class Loop:
    """How the work of a study is shared out."""

    shard: tuple[int, int] = (1, 1)  # which part of the work is ours, and of how many
    workers: Workers = field(default_factory=Workers)
    sets_aside: bool = False  # shards that cannot be used, even where it costs to do them again
    n_elsewhere: int = field(default=0, init=False)  # pieces that other shards have still to do
    n_failed: int = field(default=0, init=False)  # pieces that a model failed at

    def fill(self, stage: Stage) -> None:
        """Does what is not done yet; stopped at any time, it loses no more than some seconds' work.

        Where all is done nothing is written, and nobody has to be alone.

        Raises:
            ValueError: A task failed, and the stage does not keep failures.
            MachineError: The machine failed; what it failed at is not recorded.
            StoreError: Another process works on the store; or some of its shards cannot be used,
                and what they held costs.
        """
        is_whole = not any(store.unusable() for store in stage.stores)
        own, elsewhere = self._left(stage) if is_whole else ([], 0)
        if own or not is_whole:
            del own
            with stage.store.alone():
                elsewhere = self._fill_alone(stage)
        self.n_elsewhere += elsewhere
        failed = stage.failures.keys() - stage.store.keys() if stage.failures else set()
        self.n_failed += len(failed & {key for task in stage.tasks() for key in task.keys})

    def _fill_alone(self, stage: Stage) -> int:
        """Does what is left; gives the number of pieces that other shards have."""
        self._tidy(stage)
        own, elsewhere = self._left(stage)
        n, seconds = sum(len(task.keys) for task in own), sum(task.seconds for task in own)
        if own:
            with contextlib.ExitStack() as held:
                progress = held.enter_context(Progress(stage.title, n, seconds))
                journal = held.enter_context(Journal(stage.store)) if stage.is_costly else None
                _Round(self, stage, progress, journal).do(own)
        for store in stage.stores:
            store.compact(MOST_SHARDS)
        return elsewhere

    def _tidy(self, stage: Stage) -> None:
        """Sets aside what cannot be used, and takes up what a killed process left."""
        for store in stage.stores:
            unusable = store.unusable()
            if unusable and stage.is_costly and not self.sets_aside:
                raise StoreError(
                    f"{store.folder}: shards, got {named(unusable)}; expected whole ones of this"
                    " study. Nothing was asked again, since that costs: --set-aside goes on without"
                    " them"
                )
            if unusable:
                store.set_aside(unusable)
            store.sweep()
        recover(stage.store)

    def _left(self, stage: Stage) -> tuple[list[Task], int]:
        """Our tasks that have pieces left, and the number of pieces that other shards have."""
        done = stage.store.keys()
        if stage.failures is not None and not stage.retries_failed:
            done |= stage.failures.keys()
        own, elsewhere = [], 0
        for task in stage.tasks():
            left = task.without(done)
            done.update(left.keys)
            if left.keys and int(task.name, 16) % self.shard[1] == self.shard[0] - 1:
                own.append(left)
            else:
                elsewhere += len(left.keys)
        return own, elsewhere


@dataclass
class _Rows:
    """What came since the last write: rows by key, tables with keys first, errors by key."""

    rows: dict[str, Row] = field(default_factory=dict)
    tables: list[pa.Table] = field(default_factory=list)
    errors: dict[str, Row] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows) + sum(int(table.num_rows) for table in self.tables)


class _Round:
    """One pass over tasks, which stores their rows."""

    def __init__(
        self, loop: Loop, stage: Stage, progress: Progress, journal: Journal | None
    ) -> None:
        self.loop, self.stage, self.progress, self.journal = loop, stage, progress, journal
        self.fresh = _Rows()
        self.unstored: list[_Rows] = []  # to be written, or being written
        self.last = time.monotonic()
        self.problems: list[tuple[str, bool]] = []
        self.writer = BackgroundWriter() if self._is_shared() and journal is None else None

    def do(self, tasks: Sequence[Task]) -> None:
        """Does the tasks; whatever ends it, what has come is stored."""
        try:
            for _ in self._in_workers(tasks) if self._is_shared() else self._here(tasks):
                self._flush_now_and_then()
        finally:
            self.unstored.append(self.fresh)
            if self.writer is not None:
                self.writer.wait()
            self._store()
        if self.problems:
            self._tell()

    def _here(self, tasks: Iterable[Task]) -> Iterator[Task]:
        for task in tasks:
            self._take(task, self.stage.call(task.given, task.parts))
            yield task

    def _is_shared(self) -> bool:
        """Whether other processes do the work."""
        is_movable = self.stage.load is not None and not self.loop.workers.is_here
        return self.stage.in_workers or is_movable

    def _in_workers(self, tasks: Iterable[Task]) -> Iterator[Task]:
        under_way: dict[str, Task] = {}  # without their parts, which may be many

        def handed_out() -> Iterator[tuple[str, Task]]:
            for task in tasks:
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
        stage = self.stage
        schema = None if self.journal is not None else stage.store.schema.remove(0)
        call = functools.partial(_collect, stage.call, schema)
        return run(tasks, self.loop.workers, call, stage.load)

    def _take(self, task: Task, found: Iterable[tuple[int, Row | Failed]]) -> None:
        left = set(task.keys)
        for place, row in found:
            key = task.keys[place]
            if isinstance(row, Failed):
                self.fresh.errors[key] = {"error": row.error}
            else:
                self._keep(key, row)
            left.discard(key)
            self.progress.update()
            self._flush_now_and_then()
        self._check(task, left)

    def _keep(self, key: str, row: Row) -> None:
        if self.journal is None:
            self.fresh.rows[key] = row
            return
        self.stage.store.check_row(key, row)
        self.fresh.rows[key] = row  # before the journal, which may fail where a shard does not
        self.journal.add({key: row})

    def _take_table(self, task: Task, found: "_Found") -> None:
        keys = [task.keys[place] for place in found.places]
        self.fresh.tables.append(found.table.add_column(0, KEY, pa.array(keys, pa.string())))
        failed = {task.keys[place]: {"error": one.error} for place, one in found.failed}
        self.fresh.errors |= failed
        self.progress.update(len(keys) + len(failed))
        self._check(task, set(task.keys).difference(keys, failed))

    def _check(self, task: Task, left: set[str]) -> None:
        if left:
            raise ValueError(
                f"{self.stage.title}: rows, got {len(task.keys) - len(left)};"
                f" expected {len(task.keys)}, one per piece of work"
            )

    def _flush_now_and_then(self) -> None:
        """Stores what came since the last time; beside the workers, so that none waits for it."""
        is_time = time.monotonic() - self.last > FLUSH_SECONDS
        if not is_time and len(self.fresh) < self.stage.rows_at_once:
            return
        self.unstored.append(self.fresh)
        self.fresh, self.last = _Rows(), time.monotonic()
        if self.writer is None:
            self._store()
        else:
            self.writer.do(self._store)

    def _store(self) -> None:
        """Stores what is unstored; it leaves memory, and the journal, when it is on the disk."""
        while self.unstored:
            came = self.unstored[0]
            self.stage.store.append_rows(came.rows)
            if came.tables:
                table = pa.concat_tables(came.tables)
                columns = {name: table[name] for name in table.column_names[1:]}
                self.stage.store.append(table[KEY].to_pylist(), columns)
            if self.stage.failures is not None:
                self.stage.failures.append_rows(came.errors)
            del self.unstored[0]
        if self.journal is not None:
            self.journal.clear()

    def _tell(self) -> None:
        error, n = self.problems[0][0], len(self.problems)
        if all(is_machine for _, is_machine in self.problems):
            raise MachineError(f"{self.stage.title}: {n} not done, by the machine's fault: {error}")
        error = next(error for error, is_machine in self.problems if not is_machine)
        raise ValueError(f"{self.stage.title}: {n} failed; the first: {error}")


@dataclass(frozen=True)
class _Found:
    """What a worker found: places of rows among a task's parts, rows in Arrow, failed places."""

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
