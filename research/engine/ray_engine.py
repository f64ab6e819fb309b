"""Tasks by Ray Data: it places them, moves them and starts workers; here stands what it is told.

Tasks lie in Ray's object store, one in a block, and a pool of actors maps them: `map_batches` with
a class that holds a `Worker`. A task whose actor or node died is missing at the end, and is tried
again; what is finished is not. Whoever is missing twice is tried alone, so that a death is known to
belong to it. Ray's own retries are off: it would try a task that kills its worker for ever. Ray
2.64 has no way to say so, and `pyproject.toml` asks for an older one.
"""

import logging
import os
import pickle
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from ground.paths import ROOT
from research.engine.work import N_ATTEMPTS, ONE_THREAD, Outcome, Worker, Workers

RAY_STARTS, RAY_WAIT = 5, 150  # tries, and seconds for its server to open its port
_STARTED: list[tuple[int | None, str | None, float]] = []  # with what Ray was started by us


class TaskActor:
    """What an actor does with a batch of tasks."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def __call__(self, batch: pa.Table) -> dict[str, list[bytes]]:
        """Outcomes of the tasks in the columns `name` and `task`, pickled."""
        named = zip(batch["name"].to_pylist(), batch["task"].to_pylist(), strict=True)
        done = [self.worker.do(name, pickle.loads(task)) for name, task in named]
        return {"outcome": [pickle.dumps(outcome) for outcome in done]}


def outcomes(
    worker: Worker, tasks: Iterable[tuple[str, Any]], workers: Workers
) -> Iterator[Outcome]:
    """Outcomes of all tasks, in the order in which they finish; Ray is left running."""
    import ray

    start(workers)
    waiting = {name: ray.put(_block(name, task)) for name, task in tasks}
    kind, attempt, is_alone = "", 0, False
    while waiting and not is_alone:
        attempt += 1
        is_alone = attempt > N_ATTEMPTS or (attempt > 1 and len(waiting) == 1)
        for names in [[name] for name in waiting] if is_alone else [list(waiting)]:
            try:
                for outcome in _mapped(worker, [waiting[name] for name in names], workers):
                    del waiting[outcome.name]
                    yield outcome
            except ray.exceptions.RayError as error:
                kind = type(error).__name__
    for name in waiting:
        yield Outcome.of_death(name, kind or "actor or node lost", attempt)


def start(workers: Workers) -> None:
    """Connects to Ray, or starts it here; nothing where it runs as it should, or by a caller."""
    import ray

    wanted = (workers.n, workers.address, workers.gpus)
    if ray.is_initialized():
        if all(one == wanted for one in _STARTED):
            return
        stop()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # what is done here is nobody's business
    environment = {"env_vars": {**ONE_THREAD, "PYTHONPATH": str(ROOT), "RAY_DEDUP_LOGS": "0"}}
    local = {} if workers.address else {"num_cpus": workers.n, "include_dashboard": False}
    address = workers.address or "local"  # not a cluster that happens to run here
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    _start_ray(ray, address=address, runtime_env=environment, **quiet, **local)
    _STARTED[:] = [wanted]


def stop() -> None:
    """Stops Ray, or leaves its cluster, if it was started here."""
    if _STARTED:
        import ray

        ray.shutdown()
        _STARTED.clear()


def _start_ray(ray: Any, **settings: Any) -> None:
    """Connects to Ray or starts it, again where a busy machine was too slow for Ray's own limit."""
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", str(RAY_WAIT))
    for left in reversed(range(RAY_STARTS)):
        try:
            ray.init(**settings)
            return
        except Exception as error:  # Ray has no class for it; its limit of 30 s is no setting
            if left == 0 or "timed out during startup" not in str(error):
                raise
            ray.shutdown()


def _block(name: str, task: Any) -> pa.Table:
    return pa.table({"name": [name], "task": [pickle.dumps(task)]})


def _mapped(worker: Worker, blocks: Sequence[Any], workers: Workers) -> Iterator[Outcome]:
    """Outcomes of blocks, as they come; those that a dead actor or node had are missing."""
    import ray.data

    n = min(workers.n or _room(workers.gpus), len(blocks))
    # one task at a time: what waits at an actor would die with the one before it
    pool = ray.data.ActorPoolStrategy(size=n, max_tasks_in_flight_per_actor=1)
    with _quietly():
        given = ray.data.from_arrow_refs(list(blocks))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray 2.64 takes neither; no other way to say it
            mapped = given.map_batches(
                TaskActor,
                fn_constructor_kwargs={"worker": worker},
                batch_size=1,
                batch_format="pyarrow",
                num_cpus=1,
                num_gpus=workers.gpus or None,
                compute=pool,
                max_restarts=-1,
                max_task_retries=0,
            )
        how = {"batch_size": None, "batch_format": "pyarrow", "prefetch_batches": 0}
        for batch in mapped.iter_batches(**how):
            yield from map(pickle.loads, batch["outcome"].to_pylist())


def _room(gpus: float) -> int:
    """How many workers a cluster has room for."""
    import ray

    there = ray.cluster_resources()
    return max(1, int(there.get("GPU", 0) / gpus if gpus else there.get("CPU", 1)))


@contextmanager
def _quietly() -> Iterator[None]:
    """Leaves to our own outcomes what Ray Data would say of each, and lets it go on."""
    from ray.data import DataContext

    context, log = DataContext.get_current(), logging.getLogger("ray.data")
    before = context.max_errored_blocks, context.enable_progress_bars, log.level
    context.max_errored_blocks, context.enable_progress_bars = -1, False
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        context.max_errored_blocks, context.enable_progress_bars = before[:2]
        log.setLevel(before[2])
