"""The processes of a page that score: at once, each for itself, and what is said if one ends."""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.support.browser import wait_for
from tests.support.processes import captured
from tests.support.staged_pages import load_app, load_part

pytestmark = pytest.mark.clock

HEADER = "paradigm_id,p_test,p_control\n"
ROWS = "".join(f"{i % 39 + 1},{i % 7 / 7:.2f},{i % 5 / 5:.2f}\n" for i in range(390))


@pytest.fixture(scope="module")
def space(staged_metrics: Path) -> Path:
    return staged_metrics / "gper"


@pytest.fixture(scope="module")
def scoring(space: Path) -> ModuleType:
    return load_part(space, "app_scoring")


@pytest.fixture(scope="module")
def scorers(scoring: ModuleType) -> Iterator[Any]:
    """Two processes that score."""
    made = scoring.Scorers(2)
    yield made
    while not made.idle.empty():
        if process := made.idle.get().process:
            process.kill()
            process.communicate()


def request(folder: Path, rows: str = ROWS) -> dict[str, Any]:
    given = {"file": None, "text": HEADER + rows, "config": "", "folder": str(folder)}
    return {**given, "options": {}}


@pytest.mark.slow
def test_requests_at_once_are_answered_by_two_processes(scorers, tmp_path):
    """Each has its own result and its own warnings; a broken file is refused beside the others."""
    few, many, broken = "1,0.2,0.6\n", ROWS, "1,0.2,x\n"
    given = [request(tmp_path, rows) for rows in (few, many, broken) * 4]
    alone = [scorers.ask(one) for one in given[:3]]
    assert [bool(found.get("failure")) for found in alone] == [False, False, True]
    assert "p_control, got" in alone[2]["failure"]
    assert alone[0]["remarks"] != alone[1]["remarks"]
    with ThreadPoolExecutor(12) as threads:
        assert list(threads.map(scorers.ask, given)) == alone * 4
    assert len({scorer.process.pid for scorer in scorers.idle.queue}) == 2


@pytest.mark.slow
def test_a_process_that_ends_ends_its_own_request_only(scoring, scorers, tmp_path, monkeypatch):
    expected = scorers.ask(request(tmp_path))
    scorer = scoring.Scorer()
    process = scorer.begin()
    process.send_signal(signal.SIGSTOP)  # it takes for ever
    killed = threading.Timer(0.5, process.kill)
    killed.start()
    assert (
        "got the end of its process; expected a result" in scorer.ask(request(tmp_path))["failure"]
    )
    assert scorer.ask(request(tmp_path)) == expected, "another process took its place"
    monkeypatch.setattr(scoring, "SECONDS", 0.5)
    scorer.process.send_signal(signal.SIGSTOP)
    assert "got no end after 0.5 s; expected a result" in scorer.ask(request(tmp_path))["failure"]
    assert scorer.process.poll() == -signal.SIGKILL
    assert scorers.ask(request(tmp_path)) == expected


@pytest.mark.slow
def test_a_request_of_more_memory_than_there_is_says_so(space, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text(HEADER + ROWS * 400, encoding="utf-8")
    code = f"""if True:
        import sys
        sys.path.insert(0, {str(space)!r})
        import app_scoring
        metric = app_scoring.load_metric()
        with open("/proc/self/statm") as file:
            app_scoring.bound_memory(int(file.read().split()[0]) * 4096 + (20 << 20))
        given = dict(file={str(rows)!r}, text=None, config="", options={{}}, folder="/nowhere")
        print(app_scoring.parts(given, metric)["failure"])
    """
    run = captured([sys.executable, "-c", code])
    assert "more memory than there is" in run.stdout, run.stderr[-500:]


@pytest.mark.parametrize(("told", "n"), [("2", 2), ("64", 8), ("", os.cpu_count()), ("0", None)])
def test_a_space_says_how_many_cores_it_has(scoring, monkeypatch, told, n):
    monkeypatch.setenv("CPU_CORES", told)
    assert scoring.n_at_once() == min(n or os.cpu_count() or 1, 8)


@pytest.mark.slow
def test_a_page_that_is_busy_says_so_and_answers_who_waits(space, tmp_path, monkeypatch):
    """One request is scored, two wait, the fourth is refused: the browser shows that it is busy."""
    settings = {"GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_TEMP_DIR": str(tmp_path)}
    for name, value in {**settings, "CPU_CORES": "1"}.items():
        monkeypatch.setenv(name, value)
    app = load_app(space)
    scorers = app.Scorers(1)
    process = scorers.idle.queue[0].process
    monkeypatch.setattr(app, "Scorers", lambda n: scorers)
    monkeypatch.setattr(app, "MOST_WAITING", 2)
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True)
    given = {"data": [None, HEADER + ROWS, None, "probability", "default", "family"]}
    try:
        with httpx.Client(base_url=f"{url}gradio_api/call/", timeout=60) as page:
            process.send_signal(signal.SIGSTOP)
            first = page.post("give", json=given).json()["event_id"]
            wait_for(lambda: not scorers.idle.queue, "the first request's turn")
            others = [page.post("give", json=given).json()["event_id"] for _ in range(2)]
            refused = page.post("give", json=given)
            assert refused.status_code == 503
            assert refused.json()["detail"].startswith("Queue is full.")
            process.send_signal(signal.SIGCONT)
            answers = [page.get(f"give/{event}").text for event in (first, *others)]
            assert all("event: complete" in text and "gper_excess" in text for text in answers)
    finally:
        importlib.import_module("gradio").close_all(verbose=False)
        process.kill()
        process.communicate()
