"""The one loop of all studies: what is to do, who does it, what is stored, how far it is.

Work comes as tasks; each gives one row per key, and what is stored under its key is never done
again. What a system fails at is an error of the study or, where a study keeps failures, a row of
its own; an error of the machine is neither, and is told at the end.
"""

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from research.engine.journal import Journal, recover
from research.engine.store import Store, StoreError, named
from research.engine.work import Workers, run

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


def tasks_of(parts: Mapping[str, Any], size: int, given: Any = None) -> list[Task]:
    """Pieces of work by the keys of their results, in tasks of `size`."""
    keys = list(parts)
    return [
        Task(tuple(some), tuple(parts[key] for key in some), given)
        for some in (keys[i : i + size] for i in range(0, len(keys), size))
    ]


@dataclass(frozen=True)
class Stage:
    """Work of one kind, whose rows go to a store.

    `call` takes `given` and `parts` of a task, and gives the place of each part with its row as it
    is ready. `load` makes in another process what tasks have here as `given`, such as a loaded
    system: they run there where the loop has several workers or Ray. Without it, and not
    `in_workers`, they run in this process. A row that `is_costly` is forced to the disk as it
    comes, and asked for again only with leave; its values must be JSON's.
    """

    title: str
    store: Store
    tasks: Callable[[], Iterable[Task]]  # done or not; a key of several is done with the first
    call: Call
    failures: Store | None = None  # of models, with schema FAILURES; else one ends the study
    retries_failed: bool = False
    in_workers: bool = False  # even where there is one; `call` is then a module's function
    load: Callable[[], Any] | None = None
    rows_at_once: int = FLUSH_ROWS  # are kept in memory until they go to the store together
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
        if own:
            with contextlib.ExitStack() as held:
                n = sum(len(task.keys) for task in own)
                progress = held.enter_context(_progress(stage.title, n))
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


def _progress(title: str, total: int) -> Any:
    """A bar on a terminal; elsewhere a line at the start and one a minute."""
    print(f"{title}: {total:,} to do", file=sys.stderr)
    how: dict[str, Any] = {"desc": title, "leave": False}
    if not sys.stderr.isatty():
        how |= {"mininterval": 60, "maxinterval": 60, "delay": 60}
    return tqdm(total=total, **how)


class _Round:
    """One pass over tasks, which stores their rows."""

    def __init__(self, loop: Loop, stage: Stage, progress: Any, journal: Journal | None) -> None:
        self.loop, self.stage, self.progress, self.journal = loop, stage, progress, journal
        self.rows: dict[str, Row] = {}  # that came since the last write, by key
        self.errors: dict[str, Row] = {}
        self.last = time.monotonic()
        self.problems: list[tuple[str, bool]] = []

    def do(self, tasks: Sequence[Task]) -> None:
        """Does the tasks; whatever ends it, what has come is stored."""
        is_movable = self.stage.load is not None and not self.loop.workers.is_here
        try:
            if self.stage.in_workers or is_movable:
                self._in_workers(tasks)
            else:
                for task in tasks:
                    self._take(task, self.stage.call(task.given, task.parts))
        finally:
            self._store()
        if self.problems:
            self._tell()

    def _in_workers(self, tasks: Sequence[Task]) -> None:
        stage, by_name = self.stage, {task.name: task for task in tasks}
        handed_out = (
            (task.name, replace(task, given=None) if stage.load else task) for task in tasks
        )
        call = functools.partial(_done, stage.call)
        for outcome in run(handed_out, self.loop.workers, call, stage.load):
            task, error = by_name[outcome.name], outcome.error
            if outcome.result is not None:
                self._take(task, outcome.result)
            elif outcome.is_of_the_machine or stage.failures is None:
                self.problems.append((error, outcome.is_of_the_machine))
            else:
                self._take(task, [(i, Failed(error)) for i in range(len(task.keys))])

    def _take(self, task: Task, found: Iterable[tuple[int, Row | Failed]]) -> None:
        left = set(task.keys)
        for place, row in found:
            key = task.keys[place]
            if isinstance(row, Failed):
                self.errors[key] = {"error": row.error}
            else:
                self._keep(key, row)
            left.discard(key)
            self.progress.update()
            is_time = time.monotonic() - self.last > FLUSH_SECONDS
            if is_time or len(self.rows) >= self.stage.rows_at_once:
                self._store()
        if left:
            raise ValueError(
                f"{self.stage.title}: rows, got {len(task.keys) - len(left)};"
                f" expected {len(task.keys)}, one per piece of work"
            )

    def _keep(self, key: str, row: Row) -> None:
        if self.journal is not None:
            self.stage.store.check_row(key, row)
        self.rows[key] = row  # before the journal, which may fail where a shard does not
        if self.journal is not None:
            self.journal.add({key: row})

    def _store(self) -> None:
        """Stores what came; it leaves memory, and the journal, when it is on the disk."""
        self.stage.store.append_rows(self.rows)
        if self.stage.failures is not None:
            self.stage.failures.append_rows(self.errors)
        self.rows, self.errors, self.last = {}, {}, time.monotonic()
        if self.journal is not None:
            self.journal.clear()

    def _tell(self) -> None:
        error, n = self.problems[0][0], len(self.problems)
        if all(is_machine for _, is_machine in self.problems):
            raise MachineError(f"{self.stage.title}: {n} not done, by the machine's fault: {error}")
        error = next(error for error, is_machine in self.problems if not is_machine)
        raise ValueError(f"{self.stage.title}: {n} failed; the first: {error}")


def _done(call: Call, task: Task, *loaded: Any) -> list[tuple[int, Row | Failed]]:
    """What `call` gives for a task, in the process that does it."""
    (given,) = loaded or (task.given,)
    return list(call(given, task.parts))
