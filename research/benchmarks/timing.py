"""Times two things in one run, since absolute seconds say nothing on another machine."""

import math
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple


class Goal(NamedTuple):
    """One line of a benchmark: what was measured and what came out, beside what it should reach.

    Without a goal it is not judged. The unit "x" is a ratio, of a peer's time to ours where larger
    is better.
    """

    what: str
    value: float
    goal: float | None = None
    unit: str = "x"
    peer: str = ""
    larger_is_better: bool = True

    def is_met(self) -> bool:
        """Whether the value reaches the goal, if there is one."""
        if self.goal is None:
            return True
        return self.value >= self.goal if self.larger_is_better else self.value <= self.goal

    def row(self) -> dict[str, Any]:
        """The goal as a row of the table."""
        sign = ">=" if self.larger_is_better else "<="
        return {
            "measured": self.what,
            "value": f"{self.value:,.3g}" if self.value < 1000 else f"{self.value:,.0f}",
            "goal": "" if self.goal is None else f"{sign} {self.goal:,g}",
            "unit": self.unit,
            "met": "" if self.goal is None else "yes" if self.is_met() else "**no**",
            "peer": self.peer,
        }


def at_most(what: str, value: float, goal: float | None, unit: str = "s", peer: str = "") -> Goal:
    """A goal that the value must not exceed."""
    return Goal(what, value, goal, unit, peer, larger_is_better=False)


def measure(call: Callable[[], object], repeats: int = 5) -> float:
    """Median wall-clock seconds of calls after one that is not counted; of a share, of one."""
    if _IS_SMOKE:
        return wall(call)
    call()
    return statistics.median(wall(call) for _ in range(repeats))


_IS_SMOKE = False


def judge_nothing() -> None:
    """From now on each thing is measured once, and in this process."""
    global _IS_SMOKE
    _IS_SMOKE = True


def wall(call: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def used(call: Callable[[], object]) -> float:
    """Seconds of the processor that one call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start


class Apart(NamedTuple):
    """What a call in a process of its own gave: result, processor seconds in all, peak of MB."""

    result: Any
    seconds: float
    megabytes: float


def apart(call: Callable[..., Any], *arguments: Any) -> Apart:
    """Calls a function of a module in a fresh process, whose imports count; of a share, here."""
    if _IS_SMOKE:
        return _here(call, arguments)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_here, call, arguments).result()


def _here(call: Callable[..., Any], arguments: Sequence[Any]) -> Apart:
    result = call(*arguments)
    return Apart(result, time.process_time(), peak())


def load_staged(name: str) -> Any:
    """The evaluate module of a metric, staged as for the Hub: evaluate takes flat folders only.

    evaluate imports torch by way of transformers: three seconds that no metric needs.
    """
    from publish.build.build import stage_metric
    from publish.check.stranger import Hiding

    sys.meta_path[:] = [Hiding(finder, ["transformers"]) for finder in sys.meta_path]
    import evaluate

    with tempfile.TemporaryDirectory() as folder:
        stage_metric(name, Path(folder))
        return evaluate.load(str(Path(folder) / name))


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def growth(
    what: str, work: Callable[[int], float], sizes: Sequence[int], most: Sequence[float | None]
) -> list[Goal]:
    """Seconds that a function of a module gives for each size, ascending, in a fresh process.

    Beside them the exponent between the two largest sizes, and memory of the largest.
    """
    found = [apart(work, size) for size in sizes]
    goals = [
        at_most(f"{what}, {size:,}", one.result, limit)
        for size, one, limit in zip(sizes, found, most, strict=True)
    ]
    exponent = math.log(found[-1].result / found[-2].result) / math.log(sizes[-1] / sizes[-2])
    return [
        *goals,
        # an exponent of two measurements is known to a tenth, and 1.05 is linear
        at_most(f"{what}: exponent between the two largest", exponent, 1.15, ""),
        at_most(f"{what}, {sizes[-1]:,}: memory", found[-1].megabytes, None, "MB"),
    ]


def scaled(n: int, share: float, least: int = 1) -> int:
    """A number of things for a share of the work."""
    return max(least, round(n * share))
