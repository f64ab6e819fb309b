"""Both engines: all tasks done, errors and deaths recorded, what they share made once."""

import importlib.util
import re
from collections.abc import Iterator, Sequence

import pytest

from research.engine import ray_engine
from research.engine.ray_engine import _start_ray
from research.engine.work import Outcome, Workers, run
from tests.support.engine_tasks import Loading, act

pytestmark = pytest.mark.clock

HAS_RAY = importlib.util.find_spec("ray") is not None
RAY = [pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")]
ENGINES = ["local", pytest.param("ray", marks=[*RAY, pytest.mark.slow])]  # it starts in 15 s


@pytest.fixture(scope="module", autouse=True)
def _stopped() -> Iterator[None]:
    """Ray is started once for all tests of this module."""
    yield
    ray_engine.stop()


def named(tasks: Sequence[str]) -> list[tuple[str, str]]:
    """Tasks under the names t0, t1, ..."""
    return [(f"t{i}", task) for i, task in enumerate(tasks)]


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_do_everything_whatever_happens(engine, tmp_path):
    once = f"die-once {tmp_path / 'marker'}"
    tasks = ["well", "fail 3", "well", "die", "well", once, *["well"] * 3]
    load = Loading(tmp_path / "log")
    outcomes = {o.name: o for o in run(named(tasks), Workers(2, engine), act, load)}
    assert len(outcomes) == len(tasks)
    for i in (0, 2, 4, 6, 7, 8):  # with one thread each
        assert outcomes[f"t{i}"] == Outcome(f"t{i}", "well 1 loaded")
    assert outcomes["t1"] == Outcome("t1", None, "ValueError: argument, got 3; expected another")
    assert outcomes["t5"] == Outcome("t5", "die-once 1 loaded")
    died = outcomes["t3"]
    assert (died.result, died.is_of_the_machine) == (None, True)
    assert re.fullmatch(r"the worker process died \(.+\), [23] times", died.error)
    processes = (tmp_path / "log").read_text(encoding="utf-8").split()
    assert len(processes) == len(set(processes))  # no worker loads twice
    assert len(processes) <= 2 + 4  # two, and one for each death: three of `die`, one of `once`


@pytest.mark.parametrize("engine", ENGINES)
def test_what_fails_in_loading_says_nothing_of_a_task(engine, tmp_path):
    load = Loading(tmp_path / "log", "model, got none")
    outcomes = list(run(named(["well"] * 3), Workers(2, engine), act, load))
    assert sorted(o.name for o in outcomes) == ["t0", "t1", "t2"]
    told = {(o.error, o.is_of_the_machine) for o in outcomes}
    assert told == {("ValueError: model, got none", True)}


def test_the_local_engine_reads_tasks_as_workers_become_free():
    read = []

    def tasks() -> Iterator[tuple[str, str]]:
        for n in range(10):
            read.append(n)
            yield f"{n}", "well"

    outcomes = run(tasks(), Workers(2), act)
    next(outcomes)
    assert len(read) <= 3
    outcomes.close()  # type: ignore[attr-defined]


def test_workers_refuse():
    with pytest.raises(ValueError, match="engine, got 'spark'; expected local or ray"):
        Workers(1, "spark")  # type: ignore[arg-type]
    for n in (0, None):
        with pytest.raises(ValueError, match=f"workers, got {n}; expected at least 1"):
            Workers(n, "ray")
    with pytest.raises(ValueError, match="engine local, got address auto; expected engine ray"):
        Workers(1, address="auto")
    with pytest.raises(ValueError, match=r"engine local, got 0\.5 GPUs a worker; expected engine"):
        Workers(1, gpus=0.5)


@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
def test_ray_is_started_here_even_where_another_cluster_runs(monkeypatch):
    ray_engine.stop()
    asked: list[dict[str, object]] = []
    monkeypatch.setattr(ray_engine, "_start_ray", lambda ray, **settings: asked.append(settings))
    for workers in (Workers(2, "ray"), Workers(None, "ray", "there:6379")):
        ray_engine.start(workers)
        ray_engine.stop()
    found = [(one["address"], one.get("num_cpus")) for one in asked]
    assert found == [("local", 2), ("there:6379", None)]


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


def test_ray_is_started_again_where_the_machine_was_too_slow():
    ray = SlowRay(3)
    _start_ray(ray, num_cpus=1)
    assert ray.calls == ["init", "shutdown", "init", "shutdown", "init"]
    with pytest.raises(Exception, match="timed out during startup"):
        _start_ray(SlowRay(9))
    ray = SlowRay(2, "no such address")
    with pytest.raises(Exception, match="no such address"):
        _start_ray(ray)
    assert ray.calls == ["init"]
