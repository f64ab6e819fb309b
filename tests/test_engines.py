"""Both engines: all tasks done, errors and deaths recorded, few tasks under way."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from ground.engines import Engine, _start_ray, run_tasks
from tests.engine_tasks import act

pytestmark = pytest.mark.clock

ENGINES = [
    "local",
    pytest.param(
        "ray",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("ray") is None, reason="ray is not installed"
        ),
    ),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_do_everything_whatever_happens(engine: Engine, tmp_path: Path) -> None:
    once = f"die-once {tmp_path / 'marker'}"
    tasks = ["well", "fail 3", "well", "die", "well", once, *["well"] * 3]
    outcomes = [(o.task, o.result, o.error) for o in run_tasks(act, tasks, 2, engine)]
    assert sorted(task for task, _, _ in outcomes) == sorted(tasks)
    assert [o for o in outcomes if o[0] == "well"] == [
        ("well", "well 1", "")
    ] * 6  # with one thread each
    assert [o for o in outcomes if o[0] == "fail 3"] == [
        ("fail 3", None, "ValueError: argument, got 3; expected another")
    ]
    assert [o for o in outcomes if o[0] == once] == [(once, "die-once 1", "")]
    ((_, result, error),) = [o for o in outcomes if o[0] == "die"]
    assert result is None
    assert error.startswith("the worker process died")
    assert error.endswith(", 2 times")


def test_engines_read_tasks_as_workers_become_free() -> None:
    read = []

    def tasks() -> Iterator[str]:
        for n in range(10):
            read.append(n)
            yield "well"

    outcomes = run_tasks(act, tasks(), 2)
    next(outcomes)
    assert len(read) <= 3
    outcomes.close()  # type: ignore[attr-defined]


def test_engines_refuse() -> None:
    with pytest.raises(ValueError, match="engine, got 'spark'; expected local or ray"):
        list(run_tasks(act, ["well"], 1, "spark"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_processes, got 0; expected at least 1"):
        list(run_tasks(act, ["well"], 0))


class SlowRay:
    """Starts at the n-th try; before that it fails as Ray does, or with another message."""

    def __init__(self, n: int, message: str = "The current node timed out during startup.") -> None:
        self.n, self.message, self.calls = n, message, list[str]()

    def init(self, **settings: object) -> None:
        self.calls.append("init")
        if self.calls.count("init") < self.n:
            raise Exception(self.message)

    def shutdown(self) -> None:
        self.calls.append("shutdown")


def test_ray_is_started_again_where_the_machine_was_too_slow() -> None:
    ray = SlowRay(3)
    _start_ray(ray, num_cpus=1)
    assert ray.calls == ["init", "shutdown", "init", "shutdown", "init"]
    with pytest.raises(Exception, match="timed out during startup"):
        _start_ray(SlowRay(9))
    ray = SlowRay(2, "no such address")
    with pytest.raises(Exception, match="no such address"):
        _start_ray(ray)
    assert ray.calls == ["init"]
