"""The chat endpoint against a local server: retries, refusals, keys, addresses, reasoning."""

import gzip
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from garden_path.models.chat_endpoint import ChatEndpoint, EndpointSettings, read_completion
from garden_path.models.questions import Answer, Question, read_prompts
from garden_path.models.registry import USERS
from ground.endpoints import EndpointError, Pace
from tests.support.cases import cases

pytestmark = pytest.mark.clock

TEXTS = ("The goat that the horse kicked bleated.", "What kicked the goat?")
QUESTION = Question(*TEXTS, "goat", "agent_identification")
Script = Callable[[int, dict[str, Any]], tuple[int, dict[str, str], Any]]
"""Status, headers and body of the answer to a request, by its number and what it holds."""


class Server:
    """A chat endpoint that answers as its script says."""

    def __init__(self, script: Script) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.n_under_way = self.most_under_way = 0
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    number = len(outer.requests)
                    outer.requests.append(body | {"path": self.path})
                    outer.headers.append(dict(self.headers))
                    outer.n_under_way += 1
                    outer.most_under_way = max(outer.most_under_way, outer.n_under_way)
                status, headers, answer = script(number, body)
                with lock:
                    outer.n_under_way -= 1
                if not isinstance(answer, str | bytes):
                    answer = json.dumps(answer)
                content = answer.encode() if isinstance(answer, str) else answer
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Starts servers: of a script, or of the body that is always the answer, and its status."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers: list[Server] = []

    def start(answer: Any, status: int = 200) -> Server:
        script = answer if callable(answer) else lambda number, body: (status, {}, answer)
        servers.append(Server(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    usage: dict[str, Any] = {"prompt_tokens": 11, "completion_tokens": 7}
    usage["completion_tokens_details"] = {"reasoning_tokens": 5}
    said = {"role": "assistant", "content": text, **message}
    return {"choices": [{"message": said, "finish_reason": "stop"}], "usage": usage}


def endpoint(url: str, **options: Any) -> ChatEndpoint:
    own = {name: options.pop(name) for name in ("sleep", "first_wait") if name in options}
    settings = EndpointSettings(base_url=url, **options)
    return ChatEndpoint(
        "a-model", read_prompts(), settings, **{"sleep": lambda seconds: None, **own}
    )


def questions(n: int) -> list[Question]:
    return [QUESTION._replace(question=f"Question {i}?") for i in range(n)]


def number_of(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"]).split("Question: Question ")[1].split("?")[0]


def test_chat_answers_come_with_their_places(serve, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "a-secret")
    server = serve(lambda number, body: (200, {}, completion(f"answer {number_of(body)}")))
    request = {"temperature": 0, "max_tokens": 9}
    asked = endpoint(server.url, key_variable="SOME_KEY", request=request)
    answers = dict(asked.answer(questions(20)))
    assert [answers[i].text for i in range(20)] == [f"answer {i}" for i in range(20)]
    assert answers[0] == Answer("answer 0", "", 11, 7, 5, "stop")
    sent = server.requests[0]
    about = (sent["path"], sent["model"], sent["max_tokens"])
    assert about == ("/v1/chat/completions", "a-model", 9)
    system, user = sent["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "no prior events" in system["content"]
    assert user["content"].startswith(f"Sentence: {TEXTS[0]}\nQuestion: Question ")
    assert server.headers[0]["Authorization"] == "Bearer a-secret"
    list(endpoint(server.url, key_variable="NO_SUCH_KEY").answer(questions(1)))
    assert "Authorization" not in server.headers[-1]


def test_chat_requests_run_at_once_but_not_more_than_allowed(serve):
    has_company = threading.Event()

    def in_company(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        if number:
            has_company.set()
        has_company.wait()  # the first waits for the second, however slow the machine
        return 200, {}, completion("x")

    server = serve(in_company)
    assert len(list(endpoint(server.url, concurrency=4).answer(questions(16)))) == 16
    assert 2 <= server.most_under_way <= 4


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_chat_tries_again_and_waits_as_long_as_it_is_told(serve, status):
    busy = (status, {"Retry-After": "7"}, "busy")
    server = serve(lambda number, _: (200, {}, completion("x")) if number >= 2 else busy)
    waits: list[float] = []
    ((_, answer),) = endpoint(server.url, sleep=waits.append).answer(questions(1))
    assert (answer.text, waits) == ("x", [7.0, 7.0])


def test_chat_waits_longer_each_time_where_it_is_not_told(serve):
    server = serve(lambda n, body: (200, {}, completion("x")) if n >= 4 else (500, {}, "oops"))
    waits: list[float] = []
    list(endpoint(server.url, sleep=waits.append, first_wait=1.0).answer(questions(1)))
    assert all(2**i <= wait <= 2**i + 1 for i, wait in enumerate(waits))
    assert len(waits) == 4


def test_chat_gives_up_with_a_message(serve):
    server = serve("down", 503)
    message = r"http://127.*: got HTTP 503 after 3 attempts; expected an answer"
    with pytest.raises(EndpointError, match=message):
        list(endpoint(server.url, retries=2).answer(questions(1)))
    server.close()
    with pytest.raises(EndpointError, match=r"got Connect.* after 2 attempts"):
        list(endpoint(server.url, retries=1).answer(questions(1)))


@pytest.mark.parametrize(*cases("chat_endpoint/chat_does_not_repeat_what_cannot_succeed"))
def test_chat_does_not_repeat_what_cannot_succeed(serve, status, body, message):
    server = serve(body, status)
    with pytest.raises(EndpointError) as error:
        list(endpoint(server.url, concurrency=1).answer(questions(5)))
    assert message in str(error.value)
    assert len(server.requests) <= 2  # the rest was called off


def test_chat_gives_what_arrived_before_it_fails(serve):
    server = serve(lambda n, body: (200, {}, completion("x")) if n < 5 else (403, {}, "enough"))
    answers = endpoint(server.url, concurrency=1).answer(questions(9))
    assert sorted(place for place, _ in itertools.islice(answers, 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(EndpointError, match="HTTP 403 'enough'"):
        next(answers)


def test_chat_stops_asking_when_nobody_listens(serve):
    def slowly(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        time.sleep(0.02)
        return 200, {}, completion("x")

    server = serve(slowly)
    answers = endpoint(server.url, concurrency=2).answer(questions(1000))
    next(answers)
    answers.close()
    assert len(server.requests) < 500


def test_reasoning_is_kept_apart_wherever_it_is():
    assert read_completion(completion("x", reasoning_content="because")).reasoning == "because"
    assert read_completion(completion("x", reasoning="because")).reasoning == "because"
    assert read_completion(completion("<think>hm</think>x"))[:2] == ("x", "hm")
    assert read_completion(completion(None))[:2] == ("", "")  # cut before the answer
    bare = {"choices": [{"message": {"content": "x"}}]}
    assert read_completion(bare) == Answer("x", "", None, None, None, "")


@pytest.mark.parametrize(*cases("chat_endpoint/chat_asks_again_after_an_answer_that_is_none"))
def test_chat_asks_again_after_an_answer_that_is_none(serve, body, told):
    server = serve(lambda number, request: (200, {}, body if number < 2 else completion("x")))
    ((_, answer),) = endpoint(server.url).answer(questions(1))
    assert (answer.text, len(server.requests)) == ("x", 3)
    server = serve(body)
    with pytest.raises(EndpointError) as error:  # nothing but such answers: the address is wrong
        list(endpoint(server.url, retries=1).answer(questions(1)))
    assert str(error.value) == f"{server.url}: got {told} after 2 attempts; expected an answer"


@pytest.mark.parametrize(*cases("chat_endpoint/chat_leaves_out_one_question_and_answers_the_rest"))
def test_chat_leaves_out_one_question_and_answers_the_rest(serve, status, body, problem):
    bad, good = (status, {}, body), (200, {}, completion("x"))
    server = serve(lambda number, asked: bad if number_of(asked) == "3" else good)
    answers = dict(endpoint(server.url, concurrency=1, retries=2).answer(questions(6)))
    assert answers[3] == Answer("", finish_reason="", problem=problem)
    assert [answers[i].text for i in (0, 1, 2, 4, 5)] == ["x"] * 5
    assert not any(answers[i].problem for i in (0, 1, 2, 4, 5))


@pytest.mark.parametrize(
    *cases("chat_endpoint/an_odd_field_is_missing_and_told_and_the_answer_is_kept")
)
def test_an_odd_field_is_missing_and_told_and_the_answer_is_kept(serve, capsys, field, value):
    sent = completion("the dog")
    choice = sent["choices"][0]
    place = {"finish_reason": choice, "usage": sent, "reasoning": choice["message"]}
    place.get(field, sent["usage"])[field] = value
    server = serve(sent)
    answers = dict(endpoint(server.url).answer(questions(3)))
    assert [answer.text for answer in answers.values()] == ["the dog"] * 3
    assert len(server.requests) == 3
    names = {"completion_tokens_details": "n_reasoning_tokens", "usage": "n_prompt_tokens"}
    name = names.get(field, field if field in Answer._fields else f"n_{field}")
    assert not getattr(answers[0], name)
    assert not answers[0].problem
    told = capsys.readouterr().err
    assert told.startswith(f"{server.url}: {field}, got ")
    assert str(value).strip("{}[]") in told
    assert told.count("kept as missing") == 1


def test_half_a_character_ends_nothing(serve):
    text = json.dumps(completion("ab", reasoning="c", refusal="d")).replace('"ab"', r'"a\ud83db"')
    text = text.replace('"c"', r'"\ude00\ud83d\ude00"').replace('"stop"', r'"\udc00"')
    ((_, answer),) = endpoint(serve(text).url).answer(questions(1))
    found = (answer.text, answer.reasoning, answer.finish_reason)
    assert found == ("a\ufffdb", "\ufffd😀", "\ufffd")


GZIPPED = gzip.compress(json.dumps(completion("x")).encode())
GZIP = {"Content-Encoding": "gzip"}


BROKEN = {
    "broken compression (Error -3 while decompressing data": (GZIP, b"no gzip"),
    "broken compression (cut off)": (GZIP, GZIPPED[:-9]),
    "more than 16,777,216 bytes": (GZIP, gzip.compress(bytes(2**25))),
    "no chat completion but '[[[": ({}, "[" * 100_000),
    "no chat completion but '{": ({}, '{"choices": [{"message": {"content": 7}}]}'),
}


@pytest.mark.parametrize("told", BROKEN)
def test_a_broken_body_is_asked_for_again(serve, told):
    bad, good = (200, *BROKEN[told]), (200, GZIP, GZIPPED)
    server = serve(lambda number, asked: bad if number < 2 else good)
    ((_, answer),) = endpoint(server.url).answer(questions(1))
    assert (answer.text, len(server.requests)) == ("x", 3)
    server = serve(lambda number, asked: bad if number_of(asked) == "3" else good)
    answers = dict(endpoint(server.url, concurrency=1, retries=1).answer(questions(5)))
    assert told in answers[3].problem
    assert [answers[i].text for i in (0, 1, 2, 4)] == ["x"] * 4


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_drip_is_given_up_when_the_time_is_over(where):
    """Each byte comes in time for a reader that waits for the next; the answer does not."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(2**16)
                if where == "body":
                    connection.sendall(head)
                for byte in itertools.chain(head[:9] if where == "head" else b"", b" " * 200):
                    try:
                        connection.sendall(bytes([byte]))
                    except OSError:
                        return
                    time.sleep(0.05)

        threading.Thread(target=drip, daemon=True).start()
        url, start = f"http://127.0.0.1:{server.getsockname()[1]}/v1", time.monotonic()
        with pytest.raises(EndpointError, match=r"got no (answer in 2 s|end of the answer in ti)"):
            list(endpoint(url, timeout=2, retries=0).answer(questions(1)))
        assert time.monotonic() - start < 9


def test_chat_reads_a_refusal():
    refused = completion(None, refusal="I cannot say that.")
    assert read_completion(refused).problem == "refused: I cannot say that."
    filtered = completion(None)
    filtered["choices"][0]["finish_reason"] = "content_filter"
    assert read_completion(filtered).problem == "refused: a filter"


def test_chat_shows_no_key(serve, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "opensesame")
    body = "Incorrect key provided: Bearer opensesame, or sk-another, or OPENSESAME"
    server = serve(body, 401)
    with pytest.raises(EndpointError) as error:
        list(endpoint(server.url, key_variable="SOME_KEY").answer(questions(1)))
    told = "'Incorrect key provided: Bearer *** or sk-*** or OPENSESAME'"
    assert str(error.value) == f"{server.url}: got HTTP 401 {told}; expected 200"


@pytest.mark.parametrize("form", ["open=sesame", "open%3Dsesame", "b3Blbj1zZXNhbWU="])
def test_an_answer_that_repeats_the_key_is_kept_without_it(serve, monkeypatch, form):
    monkeypatch.setenv("SOME_KEY", "open=sesame")
    said = completion(f"You sent {form}.", reasoning_content=f"The key is {form}")
    server = serve(said)
    ((_, answer),) = endpoint(server.url, key_variable="SOME_KEY").answer(questions(1))
    assert (answer.text, answer.reasoning) == ("You sent ***.", "The key is ***")


def test_a_redirect_is_not_followed(serve, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "opensesame")
    other = serve(completion("a dog"))
    server = serve(lambda number, request: (307, {"Location": f"{other.url}/x"}, ""))
    with pytest.raises(EndpointError, match="got HTTP 307 ''; expected 200"):
        list(endpoint(server.url, key_variable="SOME_KEY").answer(questions(1)))
    assert other.requests == []


@pytest.mark.parametrize("key", ["a-key\n", "two words", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_told_at_once(key, monkeypatch):
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(ValueError, match="environment variable SOME_KEY, got a key with") as error:
        endpoint("http://localhost", key_variable="SOME_KEY")
    assert key.strip() not in str(error.value)


@pytest.mark.parametrize(*cases("chat_endpoint/a_bad_address_is_told_at_once"))
def test_a_bad_address_is_told_at_once(url, told):
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the message is looked at below
        USERS.load("answerer", "chat:m", base_url=url)
    assert told in str(error.value)
    assert "opensesame" not in str(error.value)


def test_a_host_without_an_address_is_not_asked_again(monkeypatch):
    def nowhere(*arguments: object, **options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    waits: list[float] = []
    made = endpoint("http://no-such-host.invalid/v1", sleep=waits.append, concurrency=1)
    with pytest.raises(EndpointError, match=r"no-such-host.*expected the address of an endpoint"):
        list(made.answer(questions(1)))
    assert waits == []


def test_a_request_carries_no_key():
    with pytest.raises(ValueError, match=r"request: field, got 'api_key'; expected the key in"):
        USERS.load("answerer", "chat:m", base_url="http://localhost", request={"api_key": "x"})


def test_chat_keeps_its_pace(serve):
    server = serve(completion("x"))
    waits: list[float] = []
    list(endpoint(server.url, rate=1e-4, concurrency=1, sleep=waits.append).answer(questions(3)))
    # the first starts at once; nothing sleeps here, so that the waits add up
    assert [round(wait, -3) for wait in waits] == [10_000, 20_000]


def test_a_pace_counts_from_the_last_start():
    times = iter([0.0, 1.0, 1.0, 30.0])
    pace = Pace(0.5, clock=lambda: next(times))
    assert [pace.wait() for _ in range(4)] == [0.0, 1.0, 3.0, 0.0]
    assert Pace(None, clock=lambda: 5.0).wait() == 0.0
