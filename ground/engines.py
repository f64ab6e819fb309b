"""Runs independent tasks in other processes: on this machine, or by Ray Data on one or many.

Both engines yield outcomes as they finish. A task is anything that can be pickled, under a name;
`call` is a function of a module, and returns what can be pickled. What all tasks share, such as a
loaded model, each worker makes once. A worker that dies takes one task with it, which is tried
again and then given up with an error that names it; nothing stops the others. Every worker computes
with one thread.

The local engine is a few lines of the standard library because loky, joblib's, gives less: there a
worker that dies breaks the whole pool, every task under way is lost with it, and none is named
(`tests/test_engines.py` shows it).
"""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from ground.store import StoreError

Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")
N_ATTEMPTS = 2
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

FULL_OR_BROKEN = {
    getattr(errno, name)
    for name in ("EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS")
    if hasattr(errno, name)
}


@dataclass(frozen=True)
class Workers:
    """What runs tasks.

    Attributes:
        n: How many workers; None for all that the cluster at the address has room for.
        engine: "local" or "ray".
        address: Address of a running Ray cluster; by default one is started here.
        gpus: GPUs of each worker, under Ray; several share one where it is a fraction.

    Raises:
        ValueError: The engine is unknown, the number is not positive, or is left open, or GPUs are
            asked for, where no cluster says how many there are.
    """

    n: int | None = 1
    engine: Engine = "local"
    address: str | None = None
    gpus: float = 0

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ValueError(f"engine, got {self.engine!r}; expected {' or '.join(ENGINES)}")
        if self.engine == "local" and (self.address or self.gpus):
            got = f"address {self.address}" if self.address else f"{self.gpus:g} GPUs a worker"
            raise ValueError(f"engine local, got {got}; expected engine ray with it")
        if (self.n is None and not self.address) or (self.n is not None and self.n < 1):
            raise ValueError(f"workers, got {self.n}; expected at least 1")

    @property
    def is_here(self) -> bool:
        """Whether this process can do the work itself."""
        return self.engine == "local" and self.n == 1


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes:
        name: The task's.
        result: What `call` returned, None where it did not.
        error: Kind and text of the error that ended it, "" without one.
        is_of_the_machine: Whether the error says nothing of the task: see `is_of_the_machine`.
    """

    name: str
    result: Any
    error: str = ""
    is_of_the_machine: bool = False

    @classmethod
    def of_death(cls, name: str, kind: str, attempts: int) -> "Outcome":
        """Of a task whose worker died whenever it was tried."""
        error = f"the worker process died ({kind}), {attempts} times"
        return cls(name, None, error, is_of_the_machine=True)


class Worker:
    """What a process does with tasks.

    Args:
        call: Takes a task, and what all share, if there is anything.
        load: Makes what all share; called once, at the first task.
    """

    def __init__(self, call: Callable[..., Any], load: Callable[[], Any] | None = None) -> None:
        self.call, self.load = call, load
        self._shared: tuple[Any, ...] | None = None if load else ()

    def do(self, name: str, task: Any) -> Outcome:
        """What becomes of a task; an error in what all share says nothing of it."""
        try:
            if self._shared is None and self.load:
                self._shared = (self.load(),)
        except Exception as error:
            return Outcome(name, None, describe_error(error), is_of_the_machine=True)
        try:
            return Outcome(name, self.call(task, *(self._shared or ())))
        except Exception as error:
            return Outcome(name, None, describe_error(error), is_of_the_machine(error))


def is_of_the_machine(error: BaseException) -> bool:
    """Whether an error is the machine's: no space, no memory, a missing package, a broken shard.

    What a task, and so a model, did cannot be told from it, so that it is never recorded.
    """
    if isinstance(error, OSError):
        return error.errno in FULL_OR_BROKEN
    return (
        isinstance(error, MemoryError | ImportError | StoreError)
        or type(error).__name__ == "OutOfMemoryError"  # of torch
    )


def describe_error(error: BaseException) -> str:
    """Kind and text of an error in one line."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:500]


def run_tasks(
    call: Callable[..., Any],
    tasks: Iterable[tuple[str, Any]],
    workers: Workers,
    load: Callable[[], Any] | None = None,
) -> Iterator[Outcome]:
    """Outcomes of all tasks, in the order in which they finish.

    Args:
        call: What is done with a task; gets it, and what `load` made.
        tasks: Each with its name, all names different. Read one by one as workers become free;
            Ray gets all at once, and keeps them outside the memory of this process.
        workers: What runs them.
        load: Makes what all tasks share, once in each worker.
    """
    with _environment(ONE_THREAD):
        if workers.engine == "ray":
            from ground import ray_engine

            yield from ray_engine.outcomes(Worker(call, load), tasks, workers)
        else:
            yield from _local_outcomes(Worker(call, load), iter(tasks), workers.n or 1)


def _local_outcomes(worker: Worker, tasks: Iterator[tuple[str, Any]], n: int) -> Iterator[Outcome]:
    pool = _LocalPool(worker, n)
    under_way: dict[Any, tuple[str, Any, int]] = {}
    try:
        while True:
            while len(under_way) < n and (named := next(tasks, None)) is not None:
                under_way[pool.submit(*named)] = (*named, 1)
            if not under_way:
                return
            handle, outcome = pool.wait()
            name, task, attempt = under_way.pop(handle)
            if isinstance(outcome, Outcome):
                yield outcome
            elif attempt < N_ATTEMPTS:
                under_way[pool.submit(name, task)] = (name, task, attempt + 1)
            else:
                yield Outcome.of_death(name, type(outcome).__name__, attempt)
    finally:
        pool.stop()


class _LocalPool:
    """One executor of one process per worker, so that a death is known to belong to one task."""

    def __init__(self, worker: Worker, n: int) -> None:
        self.worker = worker
        self.free = [self._executor() for _ in range(n)]
        self.busy: dict[Any, tuple[Any, str]] = {}

    def submit(self, name: str, task: Any) -> Any:
        executor = self.free.pop()
        future = executor.submit(_do, name, task)
        self.busy[future] = (executor, name)
        return future

    def wait(self) -> tuple[Any, Outcome | BaseException]:
        """The next finished handle with its outcome, or with the error of a worker that died."""
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        future = next(iter(wait(self.busy, return_when=FIRST_COMPLETED).done))
        executor, name = self.busy.pop(future)
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            executor.shutdown(wait=False)
            self.free.append(self._executor())
            return future, error
        self.free.append(executor)
        if error is not None:  # a task or a result that cannot be pickled
            return future, Outcome(name, None, describe_error(error), is_of_the_machine(error))
        return future, future.result()

    def stop(self) -> None:
        busy = [executor for executor, _ in self.busy.values()]
        for executor in [*self.free, *busy]:
            processes = list((getattr(executor, "_processes", None) or {}).values())
            executor.shutdown(wait=False, cancel_futures=True)
            for process in processes if executor in busy else []:
                process.terminate()

    def _executor(self) -> Any:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        return ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_begin, initargs=(self.worker,)
        )


_HERE: list[Worker] = []  # the worker that this process is, if it is one


def _do(name: str, task: Any) -> Outcome:
    return _HERE[0].do(name, task)


def _begin(worker: Worker) -> None:
    """Leaves an interrupt to the parent, and ends the worker when the parent is gone."""
    import signal
    import threading
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    _HERE[:] = [worker]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        threading.Thread(target=lambda: (wait([sentinel]), os._exit(1)), daemon=True).start()


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
