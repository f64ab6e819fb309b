"""Runs independent tasks in other processes: on this machine, or by Ray Data on one or many.

A task is anything that can be pickled, under a name; `call` is a function of a module. A worker
that dies takes one task with it, which is tried again and then given up with an error that names
it; nothing stops the others. Every worker computes with one thread.

The local engine is not joblib's loky: there a worker that dies takes all that is under way with it,
and no task is named.
"""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from research.engine.store import StoreError

Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")
N_ATTEMPTS = 2
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

_NAMES = ("EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS")
FULL_OR_BROKEN = {getattr(errno, name) for name in _NAMES if hasattr(errno, name)}


@dataclass(frozen=True)
class Workers:
    """What runs tasks; a ValueError for what no engine can do."""

    n: int | None = 1  # None for all that the cluster at the address has room for
    engine: Engine = "local"
    address: str | None = None  # of a running Ray cluster; by default one is started here
    gpus: float = 0  # of each worker, under Ray; several share one where it is a fraction

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
    """What became of a task: what `call` returned, or kind and text of the error that ended it."""

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
    """What a process does with tasks: `call` takes one, and what `load` made once, if any."""

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

    It says nothing of the task, and so of a model, and is never recorded.
    """
    if isinstance(error, OSError):
        return error.errno in FULL_OR_BROKEN
    is_of_torch = type(error).__name__ == "OutOfMemoryError"
    return is_of_torch or isinstance(error, MemoryError | ImportError | StoreError)


def describe_error(error: BaseException) -> str:
    """Kind and text of an error in one line."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:500]


def run(
    tasks: Iterable[tuple[str, Any]],
    workers: Workers,
    call: Callable[..., Any],
    load: Callable[[], Any] | None = None,
) -> Iterator[Outcome]:
    """Outcomes of all tasks, each under a name of its own, in the order in which they finish.

    Tasks are read one by one as workers become free; Ray gets all at once, and keeps them outside
    the memory of this process. `call` gets a task and what `load` made, once in each worker.
    """
    with _environment(ONE_THREAD):
        if workers.engine == "ray":
            from research.engine import ray_engine

            yield from ray_engine.outcomes(Worker(call, load), tasks, workers)
        else:
            yield from _local_outcomes(Worker(call, load), iter(tasks), workers.n or 1)


def _local_outcomes(worker: Worker, tasks: Iterator[tuple[str, Any]], n: int) -> Iterator[Outcome]:
    """Outcomes from n executors of one process each, so that a death is known to be of one task."""
    from concurrent.futures import FIRST_COMPLETED, wait
    from concurrent.futures.process import BrokenProcessPool

    free = [_executor(worker) for _ in range(n)]
    busy: dict[Any, tuple[Any, str, Any, int]] = {}

    def begin(name: str, task: Any, attempt: int) -> None:
        executor = free.pop()
        busy[executor.submit(_do, name, task)] = (executor, name, task, attempt)

    try:
        while True:
            while free and (named := next(tasks, None)) is not None:
                begin(*named, 1)
            if not busy:
                return
            future = next(iter(wait(busy, return_when=FIRST_COMPLETED).done))
            executor, name, task, attempt = busy.pop(future)
            error = future.exception()
            is_dead = isinstance(error, BrokenProcessPool)
            if is_dead:
                executor.shutdown(wait=False)
            free.append(_executor(worker) if is_dead else executor)
            if error is None:
                yield future.result()
            elif not is_dead:  # a task or a result that cannot be pickled
                yield Outcome(name, None, describe_error(error), is_of_the_machine(error))
            elif attempt < N_ATTEMPTS:
                begin(name, task, attempt + 1)
            else:
                yield Outcome.of_death(name, type(error).__name__, attempt)
    finally:
        _stop(free, [executor for executor, *_ in busy.values()])


def _executor(worker: Worker) -> Any:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin, initargs=(worker,))


def _stop(free: list[Any], busy: list[Any]) -> None:
    """Ends all processes, at work or not."""
    for executor in [*free, *busy]:
        processes = list((getattr(executor, "_processes", None) or {}).values())
        executor.shutdown(wait=False, cancel_futures=True)
        for process in processes if executor in busy else []:
            process.terminate()


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
    before = {name: os.environ[name] for name in variables if name in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update(before)
