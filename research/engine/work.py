"""What engines have in common: who runs tasks, what is done with one, what became of it."""

import errno
from collections.abc import Callable
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
