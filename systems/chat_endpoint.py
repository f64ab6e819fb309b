"""Answers from any OpenAI-compatible chat endpoint: several requests at once, with retries.

The key comes from an environment variable, is sent nowhere but to the endpoint, and stands in no
message. Answers come as they arrive, so that whoever stores them loses none when a request fails
for good or the run is stopped.

What may pass is tried again: a broken connection, a busy server, an answer that is none. What
cannot pass stops the run: a wrong address, key or model. What is refused for one question alone (it
is too long, a filter objects) is an answer with a `problem`, missing and no mistake.
"""

import json
import os
import re
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import quote, urlsplit

from ground.retry_after import retry_after
from systems.prompts import Prompts
from systems.questions import Answer, Question, split_reasoning

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 413, 422, 451})  # this question alone; the next one may be answered
LONGEST_WAIT = 120.0
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
        timeout: Seconds until an attempt is given up.
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

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Answers as they arrive; what stops the run is raised after those under way.

        A question is asked only when an answer has been taken and the next is wanted: of whoever
        stores each before going on, a kill costs the `concurrency` requests under way and no more.

        Raises:
            EndpointError: The endpoint refuses, or does not answer after all retries.
        """
        import httpx

        stop, pace = threading.Event(), Pace(self.rate)
        limits = httpx.Limits(
            max_connections=self.concurrency, max_keepalive_connections=self.concurrency
        )
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
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _ask(self, client: Any, question: Question, stop: threading.Event, pace: Pace) -> Answer:
        """One answer, after as many attempts as are allowed."""
        import tenacity

        def attempt() -> Answer:
            if early := pace.wait():
                (self.sleep or stop.wait)(early)
            return self._ask_once(client, question)

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
        try:
            response = client.post(f"{self.base_url.rstrip('/')}/chat/completions", json=body)
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
            return Answer("", finish_reason="", problem=f"HTTP {status} {self._shown(response)}")
        if status != 200:
            raise EndpointError(
                f"{self.base_url}: got HTTP {status} {self._shown(response)}; expected 200"
            )
        return self._read(response)

    def _read(self, response: Any) -> Answer:
        try:
            answer = read_completion(json.loads(self._without_key(response.text)))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise _PassingError(
                f"no chat completion but {self._shown(response)}", is_answered=True
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

    def _shown(self, response: Any) -> str:
        """What a server says, shortened, with the key blotted out wherever it repeats it."""
        text = self._without_key(response.text)
        return repr(re.sub(r"(?i)(bearer\s+|\bsk-)\S+", r"\1***", text)[:300])


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


def read_completion(completion: Mapping[str, Any]) -> Answer:
    """Answer of a chat completion: its first choice, with reasoning and token counts.

    Servers put the reasoning into one of two fields or into the text.

    Raises:
        KeyError, IndexError, TypeError: It is no chat completion.
    """
    choice, usage = completion["choices"][0], completion.get("usage") or {}
    message = choice["message"]
    text, reasoning = split_reasoning(message["content"] or "")
    sent_apart = message.get("reasoning_content") or message.get("reasoning") or ""
    details = usage.get("completion_tokens_details") or {}
    reason = choice.get("finish_reason") or ""
    refusal = message.get("refusal") or ("a filter" if reason == "content_filter" else "")
    return Answer(
        text,
        "\n".join(filter(None, (sent_apart, reasoning))),
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        details.get("reasoning_tokens"),
        reason,
        f"refused: {refusal}" if refusal and not text else "",
    )


def _asked_or(usual: Callable[[Any], float]) -> Callable[[Any], float]:
    """What the server asks to wait, at most LONGEST_WAIT seconds, or the usual time."""

    def wait(state: Any) -> float:
        asked = state.outcome.exception().wait
        return usual(state) if asked is None else min(LONGEST_WAIT, asked)

    return wait
