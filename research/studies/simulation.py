"""Studies that draw again and again in worlds whose truth is known, and keep what every draw gave.

A world is anything with a name; a draw is a function of the world and the draw's number, so that
draws can be shared among workers, stored and added to.
"""

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from metrics._shared.columns import FloatArray
from research.engine.loop import Row, Stage, tasks_of
from research.engine.store import make_key
from research.studies.report import metric_versions
from research.studies.study import Options, Run, Study

NUMBERS = pa.schema([("numbers", pa.string())])  # JSON: name -> number
AT_ONCE = 50  # draws that one worker makes in a row
Draw = Callable[[Any, int], Mapping[str, float]]


@dataclass(frozen=True)
class DrawnWorld:
    """A world and how often it is drawn, shown by its name.

    A draw gets `given` and its number, from 0 on; `rests_on` is what its key is made of besides.
    """

    name: str
    given: Any
    n_draws: int
    rests_on: Mapping[str, Any]

    def keys(self) -> list[str]:
        """The key of each draw."""
        common = make_key(**self.rests_on)
        return [make_key(world=common, draw=number) for number in range(self.n_draws)]


@dataclass(frozen=True)
class Simulation:
    """How worlds are drawn: a module's function from `given` and a draw's number to its numbers."""

    draw: Draw
    in_workers: bool = False

    def work(self, worlds: Sequence[DrawnWorld], run: Run) -> None:
        """Makes the draws that are not stored yet."""
        tasks = [
            task
            for world in worlds
            for task in tasks_of(
                {key: number for number, key in enumerate(world.keys())}, AT_ONCE, world.given
            )
        ]
        call = functools.partial(_numbers, self.draw)
        store = run.store("draws", NUMBERS)
        run.fill(Stage("draws", store, lambda: tasks, call, in_workers=self.in_workers))

    def score(self, worlds: Sequence[DrawnWorld], run: Run) -> dict[str, dict[str, FloatArray]]:
        """Numbers of the stored draws, in their order, by world and name."""
        keys = {world.name: world.keys() for world in worlds}
        found = run.store("draws", NUMBERS).rows([key for some in keys.values() for key in some])
        return {
            name: _columns([json.loads(found[key]["numbers"]) for key in of_world if key in found])
            for name, of_world in keys.items()
        }


def _numbers(draw: Draw, given: Any, numbers: Sequence[int]) -> Iterator[tuple[int, Row]]:
    for place, number in enumerate(numbers):
        yield place, {"numbers": json.dumps(dict(draw(given, number)))}


def _columns(draws: Sequence[Mapping[str, float]]) -> dict[str, FloatArray]:
    names = draws[0] if draws else ()
    return {name: np.array([draw[name] for draw in draws], float) for name in names}


def table_study(module: str, metric: str, draw: Draw) -> Study:
    """The study of a table with a line for each of a module's `cells`, which have `n_studies`."""
    simulation = Simulation(draw, in_workers=True)

    def rows(options: Options) -> list[DrawnWorld]:
        cells = vars(sys.modules[module])["cells"]()
        rests_on = {"of": module, **metric_versions([metric])}
        return [DrawnWorld(str(c), c, c.n_studies, {**rests_on, **asdict(c)}) for c in cells]

    return Study.of(
        module,
        rows=rows,
        score=simulation.score,
        work=simulation.work,
        has_workers=True,
        stamp=lambda: {"versions": metric_versions([metric])},
    )
