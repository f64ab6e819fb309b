"""Runs independent tasks in other processes: on this machine, or by Ray on one or many. Both yield outcomes as they finish.

A task is anything that can be pickled; `call` is a function of a module, and returns what can be
pickled. A worker that dies takes one task with it, which is tried once more and then given up with
an error; nothing stops the others. Few tasks are under way at a time, so memory does not grow with
their number. Every worker computes with one thread.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ground.paths import ROOT

Task = TypeVar("Task")
Result = TypeVar("Result")
Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")
N_ATTEMPTS = 2
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Outcome(NamedTuple, Generic[Task, Result]):
    """A finished task with its result, or None and the error that ended it."""

    task: Task
    result: Result | None
    error: str


def run_tasks(
    call: Callable[[Task], Result],
    tasks: Iterable[Task],
    n_processes: int,
    engine: Engine = "local",
    address: str | None = None,
) -> Iterator[Outcome[Task, Result]]:
    """Yields the outcome of every task, in the order in which they finish.

    Args:
        call: What is done with a task.
        tasks: Read one by one as workers become free.
        n_processes: Workers on this machine; Ray at an address uses what the cluster has.
        engine: "local" or "ray".
        address: Address of a running Ray cluster; by default one is started here.

    Raises:
        ValueError: The engine is unknown or the number of processes is not positive.
    """
    if engine not in ENGINES:
        raise ValueError(f"run_tasks: engine, got {engine!r}; expected {' or '.join(ENGINES)}")
    if n_processes < 1:
        raise ValueError(f"run_tasks: n_processes, got {n_processes}; expected at least 1")
    workers = (
        _RayWorkers(call, n_processes, address)
        if engine == "ray"
        else _LocalWorkers(call, n_processes)
    )
    with _environment(ONE_THREAD):
        try:
            yield from _run(workers, iter(tasks))
        finally:
            workers.stop()


class _LocalWorkers:
    """One executor of one process per worker, so that a death is known to belong to one task."""

    def __init__(self, call: Callable[[Any], Any], n: int) -> None:
        self.call, self.n_workers = call, n
        self.free = [self._executor() for _ in range(n)]
        self.busy: dict[Any, Any] = {}

    def submit(self, task: Any) -> Any:
        executor = self.free.pop()
        future = executor.submit(self.call, task)
        self.busy[future] = executor
        return future

    def wait(self) -> tuple[Any, Any, str, bool]:
        """Gives the next finished handle with its result, or the error and whether it was the worker's death."""
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        future = next(iter(wait(self.busy, return_when=FIRST_COMPLETED).done))
        executor = self.busy.pop(future)
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            executor.shutdown(wait=False)
            self.free.append(self._executor())
            return future, None, "the worker process died", True
        self.free.append(executor)
        return (
            (future, None, describe_error(error), False)
            if error
            else (future, future.result(), "", False)
        )

    def stop(self) -> None:
        for executor in [*self.free, *self.busy.values()]:
            processes = list((getattr(executor, "_processes", None) or {}).values())
            executor.shutdown(wait=False, cancel_futures=True)
            for process in processes if executor not in self.free else []:
                process.terminate()

    @staticmethod
    def _executor() -> Any:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_prepare_worker)


class _RayWorkers:
    """Ray tasks without Ray's own retries."""

    def __init__(self, call: Callable[[Any], Any], n: int, address: str | None) -> None:
        import ray

        environment = {"env_vars": {**ONE_THREAD, "PYTHONPATH": str(ROOT), "RAY_DEDUP_LOGS": "0"}}
        local = {} if address else {"num_cpus": n, "include_dashboard": False}
        ray.init(
            address=address,
            runtime_env=environment,
            log_to_driver=False,
            logging_level="ERROR",
            **local,
        )
        self.ray, self.call = ray, ray.remote(max_retries=0)(call)
        self.n_workers = int(ray.cluster_resources().get("CPU", n))
        self.busy: list[Any] = []

    def submit(self, task: Any) -> Any:
        handle = self.call.remote(task)
        self.busy.append(handle)
        return handle

    def wait(self) -> tuple[Any, Any, str, bool]:
        (handle,), self.busy = self.ray.wait(self.busy, num_returns=1)
        try:
            return handle, self.ray.get(handle), "", False
        except self.ray.exceptions.RayTaskError as error:
            return handle, None, describe_error(error.cause), False
        except self.ray.exceptions.RayError as error:
            return handle, None, f"the worker process died ({type(error).__name__})", True

    def stop(self) -> None:
        self.ray.shutdown()


def _run(workers: Any, tasks: Iterator[Task]) -> Iterator[Outcome[Task, Any]]:
    under_way: dict[Any, tuple[Task, int]] = {}
    while True:
        while (
            len(under_way) < workers.n_workers and (task := next(tasks, _NO_TASK)) is not _NO_TASK
        ):
            under_way[workers.submit(task)] = (task, 1)
        if not under_way:
            return
        handle, result, error, is_death = workers.wait()
        task, attempt = under_way.pop(handle)
        if is_death and attempt < N_ATTEMPTS:
            under_way[workers.submit(task)] = (task, attempt + 1)
        else:
            yield Outcome(task, result, f"{error}, {attempt} times" if is_death else error)


def describe_error(error: BaseException | None) -> str:
    """Gives an error as one line: its kind and text."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:500]


_NO_TASK: Any = object()


def _prepare_worker() -> None:
    """Leaves an interrupt to the parent, and ends the worker when the parent is gone, however that happened."""
    import signal
    import threading
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

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
