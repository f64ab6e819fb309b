"""Systems of every kind can predict in other processes: their work is pickled, done, brought back.
No process is started here; `test_engines.py` and `test_engine_reports.py` do that."""

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ground.paths import ROOT
from research.engine.work import Outcome, Worker, Workers
from research.studies.answer_batches import Batch
from research.studies.catalogue import find_study, studies
from research.systems.registry import load
from tests.support.cases import cases
from tests.support.processes import captured
from tests.support.study_runs import run_of

pytestmark = pytest.mark.clock  # it takes part in what waits for processes


class Carried:
    """In place of `run`: everything goes through pickle to a worker in this process."""

    def __init__(self) -> None:
        self.n_tasks, self.n_loaded = 0, 0

    def __call__(
        self,
        tasks: Iterable[tuple[str, Any]],
        workers: Workers,
        call: Callable[..., Any],
        load: Callable[[], Any],
    ) -> Iterator[Outcome]:
        assert workers == Workers(2)
        call, make = pickle.loads(pickle.dumps((call, load)))

        def counted() -> Any:
            self.n_loaded += 1
            return make()

        worker = Worker(call, counted)
        for name, task in tasks:
            self.n_tasks += 1
            assert task.given is None  # no system travels
            yield pickle.loads(pickle.dumps(worker.do(name, pickle.loads(pickle.dumps(task)))))


def work(line: str, folder: Path, workers: Workers) -> dict[str, pa.Table]:
    """What a study leaves in its stores, but the seconds that it took."""
    study, arguments = find_study(line.split())
    run = run_of(study, folder, *arguments, workers=workers)
    study.work(study.rows(run.options), run)
    tables = [pq.read_table(path) for path in sorted(folder.rglob("*.parquet"))]
    kept = [table.drop_columns({"seconds"} & set(table.column_names)) for table in tables]
    return {"rows": pa.concat_tables(kept).sort_by("key")}


@pytest.mark.slow
@pytest.mark.parametrize(*cases("moved_work/work_that_was_moved_is_the_same"))
def test_work_that_was_moved_is_the_same(line, tmp_path, monkeypatch):
    expected = work(line, tmp_path / "here", Workers())
    carried = Carried()
    monkeypatch.setattr("research.engine.loop.run", carried)
    assert work(line, tmp_path / "there", Workers(2)) == expected
    assert carried.n_tasks >= 1
    assert 1 <= carried.n_loaded <= carried.n_tasks


def test_every_study_with_systems_takes_the_engine():
    for study in studies():
        names = {option.name for option in study.all_options()}
        assert ({"engine", "address", "processes", "gpus"} <= names) == bool(
            study.kind or study.has_workers
        ), study.place


def test_a_batch_travels_without_the_others():
    column = pa.chunked_array([[f"sentence {i}" for i in range(k, k + 4000)] for k in (0, 4000)])
    batch = Batch(column, 3990, 20)
    there = pickle.dumps(batch)
    assert len(there) < 1000
    assert (
        pickle.loads(there).items() == batch.items() == [f"sentence {i}" for i in range(3990, 4010)]
    )
    last = pickle.loads(pickle.dumps(Batch(column, 7995, 20)))
    assert last.items() == [f"sentence {i}" for i in range(7995, 8000)]
    assert pickle.loads(pickle.dumps(Batch(["a", "b", "c"], 1, 5))).items() == ["b", "c"]


def test_a_worker_starts_without_what_only_the_driver_needs():
    """What it imports and reads for a segmenter: neither `datasets` nor jieba's dictionary."""
    code = (
        "import sys, research.studies.eras.segmentation\n"
        "from research.systems.registry import load\n"
        "load('segmenter', 'jieba').predict(['他喜欢上海。'])\n"
        "from builders.eras.dictionary import read_dictionary\n"
        "print(*{'datasets', 'pandas', 'torch'} & set(sys.modules), "
        "read_dictionary.cache_info().currsize)"
    )
    done = captured([sys.executable, "-c", code], check=True, cwd=ROOT)
    assert done.stdout.split() == ["0"]
    assert "上海" in (load("segmenter", "jieba").lexicon or ())
