"""Runs independent tasks in other processes: on this machine, or by Ray Data on one or many.

Both engines yield outcomes as they finish. A task is anything that can be pickled, under a name;
`call` is a function of a module, and returns what can be pickled. What all tasks share, such as a
loaded model, each worker makes once. A worker that dies takes one task with it, which is tried
again and then given up with an error that names it; nothing stops the others. Every worker computes
with one thread.

The local engine is a few lines of the standard library because loky, joblib's, gives less: there a
worker that dies breaks the whole pool, every task under way is lost with it, and none is named
(`tests/research/test_engines.py` shows it).
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from research.engine.work import (
    N_ATTEMPTS,
    ONE_THREAD,
    Outcome,
    Worker,
    Workers,
    describe_error,
    is_of_the_machine,
)


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
        """Hands a task to a free process; gives its handle."""
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
        """Ends all processes, at work or not."""
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
