"""Answers from any OpenAI-compatible chat endpoint: several requests at once, with retries.

The key comes from an environment variable, is sent nowhere but to the endpoint, and stands in no
message. Answers come as they arrive, so that whoever stores them loses none when a request fails
for good or the run is stopped.

An answer is read no longer than the attempt may last, and no further than `MOST_BYTES`, however far
it was compressed. A field beside the text that is not what it should be, such as a count of tokens
that is no number, is kept as missing; the first of each is told.

What may pass is tried again: a broken connection, a busy server, an answer that is none. What
cannot pass stops the run: a wrong address, key or model. What is refused for one question alone (it
is too long, a filter objects) is an answer with a `problem`, missing and no mistake.
"""

import json
import os
import re
import socket
import sys
import threading
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import quote, urlsplit

from garden_path.models.prompts import Prompts
from garden_path.models.questions import Answer, Question, split_reasoning
from ground.retry_after import retry_after
from metrics._shared.replies import content_texts

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 413, 422, 451})  # this question alone; the next one may be answered
LONGEST_WAIT = 120.0
MOST_BYTES = 2**24  # of an answer, once it is decompressed
MOST_DIGITS = 18  # of a whole number that the store takes
LEAST_KEY = 6  # a shorter one is no secret, and a part of many words
CREDENTIALS = frozenset({"api_key", "apikey", "key", "token", "authorization", "password"})


class EndpointError(RuntimeError):
    """No question will be answered; says which endpoint, what it answered, what was expected."""


class _PassingError(Exception):
    """A request that may succeed later, after `wait` seconds if the server said so."""

    def __init__(self, reason: str, wait: float | None = None, *, is_answered: bool = False):
        super().__init__(reason)
        self.wait = wait
        self.is_answered = is_answered  # the endpoint is there and answers, though no completion


class Pace:
    """Starts of requests at least 1 / rate seconds apart, over all threads.

    Args:
        rate: Requests per second; None for no limit.
        clock: What tells the time, in seconds.
    """

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.gap = 1 / rate if rate else 0.0
        self.next = 0.0
        self.lock = threading.Lock()

    def wait(self) -> float:
        """Seconds until the next request may start; its place is taken by asking."""
        with self.lock:
            now = self.clock()
            start = max(now, self.next)
            self.next = start + self.gap
        return start - now


@dataclass
class ChatEndpoint:
    """One model behind one endpoint.

    Attributes:
        base_url: Up to and without `/chat/completions`, such as `https://api.openai.com/v1`.
        model: The model's name there.
        prompts: Texts around the question.
        key_variable: Environment variable with the key; unset for servers that want none.
        concurrency: Requests under way at once.
        rate: Requests per second at most; None for no limit.
        n_retries: Further attempts after one that may succeed later.
        first_wait: Seconds before the second attempt; twice as many before each further one, and up
            to `first_wait` more at random, so that not all come back at once.
        timeout: Seconds until an attempt is given up, from its start to the last byte.
        options: Further fields of the request, such as `temperature` or `max_tokens`.
        sleep: How to wait; by default until the time is over or the run is stopped.

    Raises:
        ValueError: The address, the key or a field of the request cannot be right.
    """

    base_url: str
    model: str
    prompts: Prompts
    key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 8
    rate: float | None = None
    n_retries: int = 6
    first_wait: float = 1.0
    timeout: float = 300.0
    options: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    sleep: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        check_address(self.base_url)
        for name in self.options:
            if name.lower() in CREDENTIALS:
                raise ValueError(
                    f"request: field, got {name!r}; expected the key in the environment variable"
                    f" {self.key_variable}, since requests are put on record"
                )
        self._key = read_key(self.key_variable)
        self._n_read = 0
        self._told: set[str] = set()

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Answers as they arrive; what stops the run is raised after those under way.

        A question is asked only when an answer has been taken and the next is wanted: of whoever
        stores each before going on, a kill costs the `concurrency` requests under way and no more.

        Raises:
            EndpointError: The endpoint refuses, or does not answer after all retries.
        """
        import httpx

        stop, pace = threading.Event(), Pace(self.rate)
        # an attempt that was given up may hold its connection for a while
        limits = httpx.Limits(max_keepalive_connections=self.concurrency)
        pool = ThreadPoolExecutor(self.concurrency)
        with httpx.Client(
            timeout=self.timeout, limits=limits, headers=self._headers(), follow_redirects=False
        ) as client:
            waiting = enumerate(questions)
            asked: dict[Future[Answer], int] = {}

            def ask(n: int) -> None:
                for i, question in islice(waiting, n):
                    asked[pool.submit(self._ask, client, question, stop, pace)] = i

            ask(self.concurrency)
            try:
                while asked:
                    done = next(iter(wait(asked, return_when=FIRST_COMPLETED).done))
                    if done.exception() is not None:
                        break
                    yield asked.pop(done), done.result()
                    ask(1)
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        under_way = [done for done in asked if not done.cancelled()]
        yield from ((asked[done], done.result()) for done in under_way if done.exception() is None)
        for done in under_way:
            done.result()  # raises what stopped the run

    def _headers(self) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return {"Accept-Encoding": "gzip", **key}

    def _ask(self, client: Any, question: Question, stop: threading.Event, pace: Pace) -> Answer:
        """One answer, after as many attempts as are allowed."""
        import tenacity

        def attempt() -> Answer:
            if early := pace.wait():
                (self.sleep or stop.wait)(early)
            return _within(self.timeout, lambda: self._ask_once(client, question))

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_PassingError),
            stop=tenacity.stop_after_attempt(self.n_retries + 1)
            | tenacity.stop_when_event_set(stop),
            wait=_asked_or(
                tenacity.wait_exponential_jitter(
                    self.first_wait, LONGEST_WAIT, jitter=self.first_wait
                )
            ),
            sleep=self.sleep or tenacity.sleep_using_event(stop),
            before_sleep=self._tell_of_retry,
            reraise=True,
        )
        try:
            answer = retrying(attempt)
        except _PassingError as error:
            attempts = retrying.statistics["attempt_number"]
            if error.is_answered and self._n_read:
                return Answer("", finish_reason="", problem=f"{error} {attempts} times")
            raise EndpointError(
                f"{self.base_url}: got {error} after {attempts} attempts; expected an answer"
            ) from None
        self._n_read += 1
        return answer

    def _ask_once(self, client: Any, question: Question) -> Answer:
        import httpx

        body = {"model": self.model, "messages": self.prompts.messages(question), **self.options}
        url, end = f"{self.base_url.rstrip('/')}/chat/completions", time.monotonic() + self.timeout
        try:
            with client.stream("POST", url, json=body) as response:
                text = self._without_key(_text_of(response, end))
        except httpx.TransportError as error:
            if is_hopeless(error):
                raise EndpointError(
                    f"{self.base_url}: got {type(error).__name__} ({error}); expected the address"
                    " of an endpoint"
                ) from None
            raise _PassingError(type(error).__name__) from None
        status = response.status_code
        if status in BUSY:
            raise _PassingError(f"HTTP {status}", retry_after(response.headers.get("retry-after")))
        if status in REFUSED and self._n_read:
            return Answer("", finish_reason="", problem=f"HTTP {status} {_shown(text)}")
        if status != 200:
            raise EndpointError(f"{self.base_url}: got HTTP {status} {_shown(text)}; expected 200")
        return self._read(text)

    def _read(self, text: str) -> Answer:
        try:
            answer = read_completion(json.loads(text, parse_int=_whole_number), self._tell)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise _PassingError(
                f"no chat completion but {_shown(text)}", is_answered=True
            ) from None
        if not (answer.text or answer.reasoning or answer.problem):
            raise _PassingError("an empty answer", is_answered=True)
        return answer

    def _without_key(self, text: str) -> str:
        """A text with the key blotted out, as it is, quoted for an address or in base64."""
        if len(self._key) < LEAST_KEY:
            return text
        for form in (self._key, quote(self._key, safe=""), b64encode(self._key.encode()).decode()):
            text = text.replace(form, "***")
        return text

    def _tell_of_retry(self, state: Any) -> None:
        """Says once that an attempt has failed, lest a wrong address look like a slow one."""
        error = state.outcome.exception()
        if str(error) not in self._told:
            self._told.add(str(error))
            sys.stderr.write(
                f"{self.base_url}: got {error}; trying again, up to {self.n_retries} times\n"
            )

    def _tell(self, field: str, got: str) -> None:
        """Says once of each field that it is not what it should be."""
        if field not in self._told:
            self._told.add(field)
            sys.stderr.write(f"{self.base_url}: {field}, got {got}; kept as missing\n")


def check_address(url: str) -> str:
    """The address of an endpoint, if it can be one.

    Raises:
        ValueError: It is no http address, or a name and password stand in it, which would be put on
            record with the command.

    Example:
        >>> check_address("https://api.openai.com/v1")
        'https://api.openai.com/v1'
    """
    parts = urlsplit(url.strip())
    if "@" in url or parts.query:
        raise ValueError(
            "base_url, got one with a password or a query; expected it without,"
            " and the key in the environment variable of --key-variable"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"base_url, got {url!r}; expected an address such as https://api.openai.com/v1"
        )
    return url.strip()


def read_key(variable: str) -> str:
    """The key that an environment variable holds, "" where it is unset.

    Raises:
        ValueError: It cannot be sent as it is; the message does not show it.
    """
    key = os.environ.get(variable, "")
    if not all("!" <= character <= "~" for character in key):
        raise ValueError(
            f"environment variable {variable}, got a key with a blank, a line end or a character"
            " outside ASCII; expected the key alone"
        )
    return key


def is_hopeless(error: BaseException) -> bool:
    """Whether no attempt can succeed: the protocol is wrong, or the host has no address."""
    import httpx

    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return True
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return cause.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None))
        cause = cause.__cause__ or cause.__context__
    return False


def read_completion(
    completion: Mapping[str, Any], tell: Callable[[str, str], None] = lambda field, got: None
) -> Answer:
    """Answer of a chat completion: its first choice, with reasoning and token counts.

    Servers put the reasoning into a field of its own, into a chunk of the content or into its text.

    Args:
        completion: The whole object.
        tell: Takes the name of a field that is not what it should be, and what it holds; the
            answer is without it.

    Raises:
        KeyError, IndexError, TypeError: It is no chat completion.
    """
    choice = completion["choices"][0]
    message = choice["message"]
    text, reasoning = map(_clean, split_reasoning(_content(message)))
    usage = _field(completion, "usage", dict, tell) or {}
    details = _field(usage, "completion_tokens_details", dict, tell) or {}
    sent_apart = _reasoning_of(_sent_apart(message), tell)
    reason = _field(choice, "finish_reason", str, tell) or ""
    refusal = message.get("refusal") or ("a filter" if reason == "content_filter" else "")
    return Answer(
        text,
        "\n".join(filter(None, (sent_apart, reasoning))),
        _field(usage, "prompt_tokens", int, tell),
        _field(usage, "completion_tokens", int, tell),
        _field(details, "reasoning_tokens", int, tell),
        reason,
        _clean(f"refused: {refusal}")[:300] if refusal and not text else "",
    )


def _field(
    given: Mapping[str, Any], name: str, kind: type, tell: Callable[[str, str], None]
) -> Any:
    """A field of its kind, a text without lone surrogates; None where it is absent or odd."""
    value = given.get(name)
    is_odd = value is not None and (not isinstance(value, kind) or isinstance(value, bool))
    if is_odd or (kind is int and value is not None and value < 0):
        tell(name, repr(value)[:100])
        return None
    return _clean(value) if kind is str and value else value


def _clean(text: str) -> str:
    """A text without the halves of characters, which no file can hold: U+FFFD stands there.

    Raises:
        TypeError: It is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"text, got {type(text).__name__}; expected str")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole_number(digits: str) -> int | str:
    """A number that a store can hold, or its digits."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _text_of(response: Any, end: float) -> str:
    """The body of a response, read until `end` by the monotonic clock, and to `MOST_BYTES`.

    Raises:
        _PassingError: It takes longer, is longer, or its compression is broken.
    """
    is_packed = response.headers.get("content-encoding", "") in ("gzip", "x-gzip")
    unpack, body = zlib.decompressobj(zlib.MAX_WBITS | 16), bytearray()
    try:
        for raw in response.iter_raw():
            body += unpack.decompress(raw, MOST_BYTES + 1 - len(body)) if is_packed else raw
            if len(body) > MOST_BYTES:
                raise _PassingError(f"more than {MOST_BYTES:,} bytes", is_answered=True)
            if time.monotonic() > end:
                raise _PassingError("no end of the answer in time")
    except zlib.error as error:
        raise _PassingError(f"broken compression ({error})", is_answered=True) from None
    if is_packed and body and not unpack.eof:
        raise _PassingError("broken compression (cut off)", is_answered=True)
    return body.decode("utf-8-sig", "replace")


def _within(seconds: float, attempt: Callable[[], Answer]) -> Answer:
    """What an attempt gives, in another thread: one that sends its headers drop by drop is left.

    Raises:
        _PassingError: It takes longer.
    """
    done: Future[Answer] = Future()

    def work() -> None:
        try:
            done.set_result(attempt())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    if not wait([done], seconds).done:
        raise _PassingError(f"no answer in {seconds:g} s")
    return done.result()


def _shown(text: str) -> str:
    """What a server says, shortened, with what looks like a key blotted out."""
    return repr(re.sub(r"(?i)(bearer\s+|\bsk-)\S+", r"\1***", text)[:300])


def _content(message: Mapping[str, Any]) -> Any:
    """Content of a message; a KeyError where it has neither that nor anything in its place."""
    instead = ("refusal", "tool_calls")
    if _sent_apart(message) or any(message.get(name) for name in instead):
        return message.get("content")
    return message["content"]


def _sent_apart(message: Mapping[str, Any]) -> Any:
    """Reasoning that a server sends beside the content."""
    names = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
    return next((message[name] for name in names if message.get(name)), None)


def _reasoning_of(sent: Any, tell: Callable[[str, str], None]) -> str:
    """Reasoning that was sent apart, as one text; "" where it is odd."""
    try:
        return _clean("".join(content_texts(sent)))
    except TypeError:
        tell("reasoning", repr(sent)[:100])
        return ""


def _asked_or(usual: Callable[[Any], float]) -> Callable[[Any], float]:
    """What the server asks to wait, at most LONGEST_WAIT seconds, or the usual time."""

    def wait(state: Any) -> float:
        asked = state.outcome.exception().wait
        return usual(state) if asked is None else min(LONGEST_WAIT, asked)

    return wait
