"""How answers fail, endpoints that fail at times, and budgets of reasoning, on a local server."""

import functools
import json
import time
import zlib
from typing import Any

import pyarrow as pa
import pytest

from garden_path.models import answerers
from garden_path.models.chat_endpoint import ChatEndpoint
from research.studies.__main__ import main
from research.studies.centerbench import answers
from research.studies.centerbench.budgets import budgeted
from research.studies.centerbench.failures import count_kinds, failure_text, kind_of
from tests.product.test_chat_endpoint import Server, completion, endpoint, questions, serve  # noqa: F401  # a fixture
from tests.support.cases import cases
from tests.support.centerbench_draw import question_rows

pytestmark = pytest.mark.clock


@functools.cache
def pair() -> list[dict[str, Any]]:
    return [row for row in question_rows() if row["pair_id"] == "2-00001"]


def plausible() -> dict[str, Any]:
    return next(row for row in pair() if row["condition"] == "plausible")


def asked() -> dict[str, Any]:
    """Of "The president that the sergeant that the cadet commanded punished saluted."."""
    told = ("implausible", "Who commanded the sergeant?")
    return next(row for row in pair() if (row["condition"], row["question"]) == told)


def answer(text: str, reasoning: str = "") -> Any:
    return {"text": text, "reasoning": reasoning, "finish_reason": "stop", "problem": ""}


@pytest.mark.parametrize(*cases("answer_failures/kinds_of_failures"))
def test_kinds_of_failures(given, kind):
    assert kind_of(given, asked(), plausible()) == kind


def test_without_the_plausible_sentence_nothing_interferes():
    assert kind_of(answer("the president"), asked()) == "other"
    foreign = {**plausible(), "events": [{**e, "subject": "goat"} for e in plausible()["events"]]}
    assert kind_of(answer("the president"), asked(), foreign) == "other"


def test_kinds_are_counted_by_condition():
    given = [answer(row["answer"], "two words") for row in pair()]
    given[pair().index(asked())] = answer("the president", "five words of reasoning here")
    counts = {row["condition"]: row for row in count_kinds(given, pair())}
    n = len(pair()) // 2
    assert counts["plausible"]["right"] == counts["plausible"]["n"] == n
    assert counts["plausible"]["words_wrong"] is None
    unlike = counts["implausible"]
    assert (unlike["right"], unlike["interference"], unlike["n"]) == (n - 1, 1, n)
    assert (unlike["words_right"], unlike["words_wrong"]) == (2, 5)
    text = failure_text({"a": list(counts.values())})
    assert f"| a | implausible | {n} | {100 * (n - 1) / n:.1f} | 0.0 | 0.0 | 5.6 |" in text


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endpoints wait for nothing, and are asked about one pair."""
    table = pa.Table.from_pylist(pair())
    monkeypatch.setattr(answers, "split_table", lambda *_: table)
    patient = functools.partial(ChatEndpoint, sleep=lambda seconds: None)
    monkeypatch.setattr(answerers, "ChatEndpoint", patient)


@pytest.mark.usefixtures("impatient")
def test_five_percent_of_each_fault_still_give_a_score(serve, tmp_path, capsys):  # noqa: F811
    """One request in 20 each: malformed, empty, an error, too busy, too slow; one question no."""

    def script(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        asked = str(body["messages"][-1]["content"])
        if "Who commanded the sergeant?" in asked and "The president that" in asked:
            return 400, {}, {"error": "too odd"}
        kind = zlib.crc32(f"{number} {asked}".encode()) % 20
        if kind == 4:
            time.sleep(0.7)
        faults = {0: (200, {}, "{"), 1: (200, {}, completion("")), 2: (500, {}, "no")}
        return (faults | {3: (429, {"Retry-After": "0"}, "")}).get(
            kind, (200, {}, completion("the cadet"))
        )

    command = ["centerbench", "answers", "--systems", "chat:toy"]
    command += ["--base-url", serve(script).url, "--timeout", "0.5", "--failures"]
    command += ["--store", str(tmp_path / "store"), "--out", str(tmp_path)]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "chat:toy: coverage 97.2 %; 1 answers are missing and counted as wrong (1 times " in text
    assert "too odd" in text
    assert "| system | condition | n | right | missing | refusal | interference |" in text
    (result,) = (json.loads(path.read_text()) for path in tmp_path.glob("chat-toy*.json"))
    assert (result["n_missing"], result["n"]) == (1, len(pair()))


def test_chat_asks_no_further_than_what_was_taken(serve):  # noqa: F811
    """Whoever is slow to store an answer finds no more than those under way asked beyond it."""
    server = serve(lambda number, body: (200, {}, completion("bark")))
    stream = endpoint(server.url, concurrency=3).answer(questions(20))
    for n_taken in range(1, 5):
        next(stream)
        time.sleep(0.3)
        assert len(server.requests) <= n_taken - 1 + 3
    assert len(list(stream)) == 16


def test_a_budget_stands_where_the_server_looks_for_it():
    request = {"temperature": 0, "thinking": {"type": "enabled"}}
    made = budgeted(request, 512, "thinking.budget_tokens")
    assert made["thinking"] == {"type": "enabled", "budget_tokens": 512}
    assert request["thinking"] == {"type": "enabled"}
    for place in ("thinking", "temperature.n", "temperature.n.m", "a..b"):
        with pytest.raises(ValueError, match="expected a field that it leaves open"):
            budgeted(request, 512, place)


@pytest.mark.usefixtures("impatient")
def test_the_curve_of_budgets(serve, tmp_path, capsys):  # noqa: F811
    """A model that is right once it may think for 64 tokens."""
    by_question = {(row["sentence"], row["question"]): row["answer"] for row in pair()}

    def script(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        asked = str(body["messages"][-1]["content"])
        gold = next(a for (s, q), a in by_question.items() if s in asked and q in asked)
        is_enough = body["reasoning"]["max_tokens"] >= 64
        return 200, {}, completion(gold if is_enough else "the idea", reasoning="hm")

    server = serve(script)
    command = ["centerbench", "budgets", "--systems", "chat:toy"]
    command += ["--base-url", server.url, "--store", str(tmp_path / "store")]
    assert main([*command, "--budgets", "64", "0", "--out", str(tmp_path)]) == 0
    shown = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    plausible = next(cells for cells in shown if "plausible" in cells).index("plausible")
    rows = [cells for cells in shown if cells[0] == "| chat:toy"]
    assert [(cells[1], cells[plausible]) for cells in rows] == [("0", "0.0"), ("64", "100.0")]
    assert (tmp_path / "budgets.png").read_bytes().startswith(b"\x89PNG")
    n_asked = len(server.requests)
    assert main([*command, "--budgets", "0", "64"]) == 0
    assert len(server.requests) == n_asked  # all stored, each under its budget


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(*cases("answer_failures/budgets_that_would_say_nothing_are_refused"))
def test_budgets_that_would_say_nothing_are_refused(arguments, message, tmp_path, capsys):
    assert main(["centerbench", "budgets", *arguments, "--store", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err
