"""The Space of a form in a headless Chromium, against the test Hub. What is answered here is
invented, and lies in the test's own Hub."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import push
from publish.form.sheets import find_form, sheet_content, write_space
from tests.product.test_form_pages import NAMES
from tests.support.browser import free_port, text_of, violations, wait_for
from tests.support.cases import cases
from tests.support.form_pages import (
    PHONE,
    answer_pages,
    answer_sheet,
    as_phone,
    begin,
    right,
    state,
)
from tests.support.hub_server import Fault, HubServer, hub_server

pytestmark = pytest.mark.clock

DATASET = "ns/answers"
RATER = "0123456789ab"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with hub_server() as started:
        yield started


@pytest.fixture(scope="module")
def browser(browser: Any) -> Any:
    return as_phone(browser)


def committed(hub: HubServer, rater: str) -> list[dict[str, Any]]:
    """A rater's answers in the data set."""
    repository = hub.repositories.get(("dataset", DATASET))
    content = repository.head.files.get(f"answers/{rater}.jsonl", b"") if repository else b""
    return [json.loads(line) for line in content.decode().split("\n") if line]


def kept(browser: Any, *, has_answers: bool = True) -> dict[str, Any]:
    """What the page keeps in the browser: the rater's number and answers, or the sheet's number."""
    texts = browser.execute_script("return Object.values(localStorage)")
    found: dict[str, Any] = next(
        record for text in texts if has_answers == ("answers" in (record := json.loads(text)))
    )
    return found


def pages_of(browser: Any, name: str) -> list[dict[str, Any]]:
    """The pages of the sheet that the Space gave to the open page."""
    sheet = kept(browser, has_answers=False)["sheet"]
    pages: list[dict[str, Any]] = sheet_content(find_form(name), 0, int(sheet))["pages"]
    return pages


def fresh(browser: Any, url: str) -> None:
    """Opens a Space as somebody new."""
    browser.get(url)
    browser.execute_script("localStorage.clear()")
    browser.refresh()
    begin(browser)


def api_of(hub: HubServer) -> Any:
    from huggingface_hub import HfApi

    return HfApi(endpoint=hub.url, token="hf_writer")


Serve = Callable[[str], str]


@pytest.fixture
def serve(hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a Space in this process, with a folder of its own; gives its address."""
    from publish.form import app

    monkeypatch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
    started = []

    def start(name: str) -> str:
        sheets = [sheet_content(find_form(name), 0, number) for number in range(2)]
        answers = app.Answers(DATASET, sheets, 0.01, tmp_path / "space", api_of(hub))
        blocks = app.page(answers, name)
        style = (app.HERE / "form.css").read_text(encoding="utf-8")
        how = {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
        _, url, _ = blocks.launch(css=style, footer_links=[], **how)
        started.append((blocks, answers))
        return str(url)

    yield start
    for blocks, answers in started:
        answers.scheduler.stop()
        blocks.close()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "sorts-who" else pytest.mark.slow) for name in NAMES],
)
def test_a_form_is_answered_to_the_end_in_the_space(name, browser, hub, serve):
    fresh(browser, serve(name))
    assert violations(browser) == []
    pages = pages_of(browser, name)
    width = answer_sheet(browser, pages, right)
    assert width <= PHONE
    wait_for(lambda: state(browser)["isEnd"], "the last page")
    rater = kept(browser)["rater"]
    wait_for(lambda: len(committed(hub, rater)) == len(pages) + 1, "all answers in the data set")
    assert committed(hub, rater) == kept(browser)["answers"]
    assert hub.repositories["dataset", DATASET].is_private
    wait_for(lambda: "All answers are stored" in text_of(browser, ".state"), "the page says so")
    assert violations(browser) == []


def start_process(folder: Path, hub: HubServer, port: int, home: Path) -> subprocess.Popen[bytes]:
    """Starts a Space as the Hub does: its folder alone, nothing kept of an earlier start."""
    served = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    served["GRADIO_ANALYTICS_ENABLED"] = "False"
    environment = {**os.environ, **hub.environment(home), **served}
    return subprocess.Popen([sys.executable, "app.py"], cwd=folder, env=environment)


@pytest.mark.slow
def test_a_killed_space_loses_the_open_page_at_most(browser, hub, tmp_path):
    """Nothing is committed before the kill, which is the worst case: the page sends all again."""
    write_space(find_form("centerbench-reading"), 2, 0, tmp_path / "space", DATASET)
    settings = tmp_path / "space" / "space.toml"
    settings.write_text(settings.read_text().replace("minutes = 1", "minutes = 0.01"))
    port = free_port()
    hub.faults.append(Fault(r"POST .*/commit/", status=503, times=1000))
    first = start_process(tmp_path / "space", hub, port, tmp_path / "first")
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: browser.get(url) is None, "the Space")
        fresh(browser, url)
        pages = pages_of(browser, "centerbench-reading")
        answer_pages(browser, pages[:6], right)
        wait_for(lambda: "Answers stored: 0 of 6" in text_of(browser, ".state"), "the page's state")
        rater = kept(browser)["rater"]
        assert committed(hub, rater) == []
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    answer_pages(browser, pages[6:8], right)
    wait_for(lambda: "No connection" in text_of(browser, ".state"), "the page notices")
    hub.faults.clear()
    second = start_process(tmp_path / "space", hub, port, tmp_path / "second")
    try:
        wait_for(lambda: len(committed(hub, rater)) == 8, "what the killed one had")
        answer_sheet(browser, pages[8:], right)
        wait_for(lambda: len(committed(hub, rater)) == len(pages) + 1, "all answers")
        assert committed(hub, rater) == kept(browser)["answers"]
    finally:
        second.send_signal(signal.SIGKILL)
        second.wait()


# --- The server without a page
@pytest.fixture
def answers(hub: HubServer, tmp_path: Path) -> Iterator[Any]:
    from publish.form import app

    pages = [{"id": "invented", "role": "item"}]
    sheets = [{"sheet": number, "pages": pages, "form": "eras-x"} for number in range(3)]
    made = app.Answers(DATASET, sheets, 60, tmp_path / "space", api_of(hub))
    yield made
    made.scheduler.stop()


def line(place: int, rater: str = RATER, **more: Any) -> dict[str, Any]:
    return {"rater": rater, "place": place, "sheet": 0, "item": "invented", **more}


def test_sheets_are_given_to_raters_in_turn_and_again_to_whom_they_belong(answers):
    raters = [f"{i:012x}" for i in range(4)]
    assert [answers.open_sheet(rater, -1)["sheet"] for rater in raters] == [0, 1, 2, 0]
    assert answers.open_sheet(raters[2], -1)["sheet"] == 2
    assert answers.open_sheet("f" * 12, 1)["sheet"] == 1  # begun before the Space was restarted


def test_answers_sent_twice_are_stored_once(answers, hub):
    answers.open_sheet(RATER, -1)
    assert answers.answer(RATER, 0, [line(0), line(1)])["arrived"] == 2
    assert answers.answer(RATER, 1, [line(1), line(2)])["arrived"] == 3
    assert answers.answer(RATER, 7, [line(7)])["arrived"] == 3  # the page then sends from 3 on
    answers.scheduler.trigger().result()
    assert [found["place"] for found in committed(hub, RATER)] == [0, 1, 2]
    assert answers.answer(RATER, 3, [])["stored"] == 3


@pytest.mark.parametrize(*cases("form_space/what_no_page_sends_is_refused"))
def test_what_no_page_sends_is_refused(answers, changes, message):
    answers.open_sheet(RATER, -1)
    for given, told in (
        (line(0) | changes, message),
        ("text", "expected the page's fields"),
        (line(0, answer={"text": "x" * 30_000}), "too long"),
    ):
        with pytest.raises(ValueError, match=told):
            answers.answer(RATER, 0, [given])
    with pytest.raises(ValueError, match="expected 12 hex digits"):
        answers.open_sheet("../answers", -1)


def test_a_pasted_line_separator_stops_nobody(answers, hub):
    said = "my name is Eve\u2028Smith\u2029\u0085"
    for rater in (RATER, "f" * 12):
        answers.open_sheet(rater, -1)
        comment = line(0, rater, item="comment", role="comment", answer={"text": said})
        answers.answer(rater, 0, [comment, line(1, rater)])
    answers.scheduler.trigger().result()
    assert answers.answer(RATER, 2, [line(2)])["arrived"] == 3
    answers.scheduler.trigger().result()
    for rater, n in ((RATER, 3), ("f" * 12, 2)):
        found = committed(hub, rater)
        assert [one["place"] for one in found] == list(range(n))
        assert found[0]["answer"]["text"] == said


def test_a_broken_line_is_set_aside_and_sent_again(answers, hub):
    from publish.form import app

    for rater in (RATER, "f" * 12):
        answers.open_sheet(rater, -1)
        answers.answer(rater, 0, [line(0, rater), line(1, rater)])
    path = answers.folder / f"{RATER}.jsonl"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace('{"rater"', "{rater", 1) + '{"rater": "half', encoding="utf-8")
    assert answers.answer(RATER, 2, [])["arrived"] == 0  # the page sends from the first on
    assert answers.answer(RATER, 0, [line(0), line(1), line(2)])["arrived"] == 3
    answers.scheduler.trigger().result()
    assert [one["place"] for one in committed(hub, RATER)] == [1, 0, 1, 2]
    assert path.with_suffix(".broken").read_text(encoding="utf-8").count("\n") == 2
    assert [one["place"] for one in committed(hub, "f" * 12)] == [0, 1]
    assert app.n_in_order(app.read_lines(path)) == 3


def test_whoever_opens_many_sheets_decides_nothing(answers):
    for i in range(8):
        answers.open_sheet(f"{i:012x}", 0)
    assert answers.open_sheet("f" * 12, -1)["sheet"] == 1
    answers.answer("f" * 12, 0, [line(0, "f" * 12)])
    assert [answers.open_sheet(f"{i:012x}", -1)["sheet"] for i in (100, 101)] == [2, 1]


def test_who_asks_too_often_waits_and_nobody_else(answers):
    from publish.form import app

    now = [0.0]
    answers.sheet_pace = app.CallPace(3, 2.0, lambda: now[0])
    answers.call_pace = app.CallPace(2, 1.0, lambda: now[0])
    raters = [f"{i:012x}" for i in range(9)]
    for rater in raters[:3]:
        answers.open_sheet(rater, -1, "a class")
    with pytest.raises(ValueError, match="more than 3 at once; expected the next in 2 s"):
        answers.open_sheet(raters[3], -1, "a class")
    assert raters[3] not in answers.given
    answers.open_sheet(raters[0], -1, "a class")  # who has a sheet has it
    answers.open_sheet(raters[4], -1, "elsewhere")
    now[0] = 2.0
    answers.open_sheet(raters[3], -1, "a class")
    for place in (0, 1):
        answers.answer(raters[0], place, [line(place, raters[0])])
    with pytest.raises(ValueError, match="more than 2 at once; expected the next in 1 s"):
        answers.answer(raters[0], 2, [line(2, raters[0])])
    assert answers.answer(raters[1], 0, [line(0, raters[1])])["arrived"] == 1
    now[0] = 3.0
    assert answers.answer(raters[0], 2, [line(2, raters[0])])["arrived"] == 3, "it came again"


def test_a_page_that_must_wait_says_so_and_goes_on(browser, serve, monkeypatch):
    from publish.form import app

    monkeypatch.setattr(app, "SHEETS_AT_ONCE", 1)
    monkeypatch.setattr(app, "SHEET_EVERY", 3600.0)
    url = serve("centerbench-reading")
    browser.get(url)
    has_sheet = "return Object.values(localStorage).some((text) => JSON.parse(text).sheet >= 0)"
    wait_for(lambda: browser.execute_script(has_sheet), "the first rater's sheet")
    browser.get("about:blank")  # a page writes its state when it is left
    told = {"origin": url.rstrip("/"), "storageTypes": "local_storage"}
    browser.execute_cdp_cmd("Storage.clearDataForOrigin", told)
    browser.get(url)
    wait_for(lambda: "This page goes on by itself" in text_of(browser, "#form"), "what it says")
    monkeypatch.setattr(app.CallPace, "let", lambda pace, caller: None)
    wait_for(lambda: browser.execute_script(has_sheet), "the sheet of the second")
    begin(browser)


def test_a_rater_is_forgotten_on_the_hub(answers, hub, tmp_path, monkeypatch, capsys):
    from publish.form import app

    for rater in (RATER, "f" * 12):
        answers.open_sheet(rater, -1)
        answers.answer(rater, 0, [line(0, rater)])
    with (answers.folder / f"{RATER}.jsonl").open("a", encoding="utf-8") as file:
        file.write(f'{{"rater": "{RATER}", broken\n')
    answers.answer(RATER, 1, [line(1)])
    answers.scheduler.trigger().result()
    assert f"answers/{RATER}.broken" in hub.repositories["dataset", DATASET].head.files
    monkeypatch.setattr("huggingface_hub.utils.get_token", lambda: "hf_writer")
    monkeypatch.setattr("huggingface_hub.utils._headers.get_token", lambda: "hf_writer")
    command = ["form", "--forget", RATER, "--dataset", DATASET, "--endpoint", hub.url]
    assert push.main(command) == 0
    repository = hub.repositories["dataset", DATASET]
    names = {name for commit in repository.commits for name in commit.files}
    assert not {name for name in names if RATER in name}
    assert f"answers/{'f' * 12}.jsonl" in repository.head.files
    assert push.main(command) == 1
    assert "expected a rater with answers in ns/answers" in capsys.readouterr().err
    again = app.Answers(DATASET, answers.sheets, 60, tmp_path / "again", api_of(hub))
    again.scheduler.stop()
    again.open_sheet(RATER, 0)
    assert again.answer(RATER, 0, [line(0)]) == {"arrived": 0, "stored": 0, "isGone": True}
    assert not (tmp_path / "again" / "answers" / f"{RATER}.jsonl").exists()
