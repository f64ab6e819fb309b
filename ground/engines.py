"""Runs independent tasks in other processes: on this machine, or by Ray on one or many.

Both engines yield outcomes as they finish. A task is anything that can be pickled; `call` is a
function of a module, and returns what can be pickled. A worker that dies takes one task with it,
which is tried once more and then given up with an error; nothing stops the others. Few tasks are
under way at a time, so memory does not grow with their number. Every worker computes with one
thread.
"""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from ground.paths import ROOT
from ground.store import StoreError

Task = TypeVar("Task")
Result = TypeVar("Result")
Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")
N_ATTEMPTS = 2
RAY_STARTS, RAY_WAIT = 5, 150  # tries, and seconds for its server to open its port
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


FULL_OR_BROKEN = {
    getattr(errno, name)
    for name in ("EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS")
    if hasattr(errno, name)
}


@dataclass(frozen=True)
class Outcome(Generic[Task, Result]):
    """A finished task with its result, or None and the error that ended it.

    Attributes:
        task: As it was given.
        result: What `call` returned.
        error: Kind and text of the error, "" without one.
        is_of_the_machine: Whether the error says nothing of the task: see `is_of_the_machine`.
    """

    task: Task
    result: Result | None
    error: str = ""
    is_of_the_machine: bool = False


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


def run_tasks(
    call: Callable[[Task], Result],
    tasks: Iterable[Task],
    n_processes: int,
    engine: Engine = "local",
    address: str | None = None,
) -> Iterator[Outcome[Task, Result]]:
    """Outcomes of all tasks, in the order in which they finish.

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

    def wait(self) -> tuple[Any, Any, BaseException | None, bool]:
        """The next finished handle with its result, or the error and whether the worker died."""
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        future = next(iter(wait(self.busy, return_when=FIRST_COMPLETED).done))
        executor = self.busy.pop(future)
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            executor.shutdown(wait=False)
            self.free.append(self._executor())
            return future, None, error, True
        self.free.append(executor)
        return future, None if error else future.result(), error, False

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


def _start_ray(ray: Any, **settings: Any) -> None:
    """Connects to Ray or starts it, again where a busy machine was too slow for Ray's own limit.

    Raises:
        Exception: What Ray raises where it cannot start, or not in any of `RAY_STARTS` tries.
    """
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", str(RAY_WAIT))
    for left in reversed(range(RAY_STARTS)):
        try:
            ray.init(**settings)
            return
        except Exception as error:  # Ray has no class for it; its limit of 30 s is no setting
            if left == 0 or "timed out during startup" not in str(error):
                raise
            ray.shutdown()


class _RayWorkers:
    """Ray tasks without Ray's own retries."""

    def __init__(self, call: Callable[[Any], Any], n: int, address: str | None) -> None:
        import ray

        environment = {"env_vars": {**ONE_THREAD, "PYTHONPATH": str(ROOT), "RAY_DEDUP_LOGS": "0"}}
        local = {} if address else {"num_cpus": n, "include_dashboard": False}
        _start_ray(
            ray,
            address=address,
            runtime_env=environment,
            log_to_driver=False,
            logging_level="ERROR",
            **local,
        )
        self.ray, self.call = ray, ray.remote(max_retries=0)(lambda task: call(task))
        self.n_workers = int(ray.cluster_resources().get("CPU", n))
        self.busy: list[Any] = []

    def submit(self, task: Any) -> Any:
        handle = self.call.remote(task)
        self.busy.append(handle)
        return handle

    def wait(self) -> tuple[Any, Any, BaseException | None, bool]:
        (handle,), self.busy = self.ray.wait(self.busy, num_returns=1)
        try:
            return handle, self.ray.get(handle), None, False
        except self.ray.exceptions.RayTaskError as error:
            return handle, None, error.cause, False
        except self.ray.exceptions.RayError as error:
            return handle, None, error, True

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
        elif is_death:
            died = f"the worker process died ({type(error).__name__}), {attempt} times"
            yield Outcome(task, None, died, is_of_the_machine=True)
        elif error is not None:
            yield Outcome(task, None, describe_error(error), is_of_the_machine(error))
        else:
            yield Outcome(task, result)


def describe_error(error: BaseException) -> str:
    """Kind and text of an error in one line."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:500]


_NO_TASK: Any = object()


def _prepare_worker() -> None:
    """Leaves an interrupt to the parent, and ends the worker when the parent is gone."""
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
