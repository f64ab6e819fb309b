"""Times two things in one run and compares their ratio with a goal.

Absolute seconds say nothing on another machine.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ground.markdown import markdown_table


class Goal(NamedTuple):
    """One line of a benchmark.

    What was measured, the value, its goal, and whether larger is better.
    """

    what: str
    value: float
    goal: float
    larger_is_better: bool = True

    @property
    def is_met(self) -> bool:
        """Whether the value reaches the goal."""
        return self.value >= self.goal if self.larger_is_better else self.value <= self.goal


def measure(call: Callable[[], object], repeats: int = 5) -> float:
    """Median wall-clock seconds of `repeats` calls, after one call that is not counted."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def report(title: str, goals: Sequence[Goal]) -> int:
    """Prints a table of the goals; gives the exit code, 1 where a goal is missed."""
    rows = [
        {
            "measured": g.what,
            "value": f"{g.value:.3g}",
            "goal": f"{'>=' if g.larger_is_better else '<='} {g.goal:g}",
            "met": g.is_met,
        }
        for g in goals
    ]
    print(f"{title}\n\n{markdown_table(rows)}")
    return 0 if all(goal.is_met for goal in goals) else 1
