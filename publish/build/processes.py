"""Suites side by side: each is worked on by itself, several at once where there are cores."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from functools import partialmethod
from typing import Any, TypeVar

from tqdm import tqdm

from ground.faults import is_foreseen, one_line

Result = TypeVar("Result")


def side_by_side(
    work: Callable[[str], Result], names: Sequence[str], n_cores: int | None = None
) -> Iterator[tuple[str, Result]]:
    """Does the same for several suites; in this process where there is one, or one core.

    `work` and what it gives travel to other processes. Where one goes wrong, a RuntimeError says so
    in one line; nothing more is begun, and what is under way is stopped.
    """
    if not n_cores:  # those that this process may use
        affinity = getattr(os, "sched_getaffinity", None)
        n_cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    n_workers = min(len(names), n_cores)
    if n_workers < 2:
        yield from ((name, work(name)) for name in names)
        return
    start = multiprocessing.get_context("spawn")  # Arrow's threads do not survive a fork
    with ProcessPoolExecutor(n_workers, mp_context=start, initializer=_begin) as pool:
        waiting: dict[Future[Result], str] = {
            pool.submit(_told_in_one_line, work, name): name for name in names
        }
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                if process.pid is not None:
                    os.kill(process.pid, signal.SIGINT)
            raise


def _told_in_one_line(work: Callable[[str], Result], name: str) -> Result:
    """The work's result; an error that a person can mend as its line, since not all can travel."""
    try:
        return work(name)
    except Exception as error:
        if is_foreseen(error):
            raise RuntimeError(one_line(error)) from None
        raise


def _begin() -> None:
    """Lets one bar show, and an interrupt end this process without a word."""
    tqdm.__init__ = partialmethod(tqdm.__init__, disable=True)  # type: ignore[assignment,method-assign]
    signal.signal(signal.SIGINT, _stop)


def _stop(*_: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit(130)
