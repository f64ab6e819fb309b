"""Answers from any OpenAI-compatible chat endpoint: several requests at once, with retries.

The key comes from an environment variable, is sent nowhere but to the endpoint, and stands in no
message. Answers come as they arrive, so that whoever stores them loses none when a request fails
for good or the run is stopped.

An answer is read no longer than the attempt may last, and no further than `MOST_BYTES` of
`ground.endpoints`, however far it was compressed. A field beside the text that is not what it
should be, such as a count of tokens that is no number, is kept as missing; the first of each is
told.

What may pass is tried again: a broken connection, a busy server, an answer that is none. What
cannot pass stops the run: a wrong address, key or model. What is refused for one question alone (it
is too long, a filter objects) is an answer with a `problem`, missing and no mistake.
"""

import json
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from garden_path.models.prompts import Prompts
from garden_path.models.questions import Answer, Question, split_reasoning
from garden_path.models.system import Settings
from ground.command_line import json_object
from ground.endpoints import (
    Pace,
    PassingError,
    check_address,
    is_hopeless,
    read_key,
    text_of,
    within,
    without_key,
)
from ground.retry_after import retry_after
from metrics._shared.option_fields import option
from metrics._shared.replies import content_texts

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 413, 422, 451})  # this question alone; the next one may be answered
LONGEST_WAIT = 120.0
MOST_DIGITS = 18  # of a whole number that the store takes
CREDENTIALS = frozenset({"api_key", "apikey", "key", "token", "authorization", "password"})
REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
Tell = Callable[[str, object], None]


class EndpointError(RuntimeError):
    """No question will be answered; says which endpoint, what it answered, what was expected."""


@dataclass(frozen=True)
class EndpointSettings(Settings):
    """How a chat endpoint is asked; see `Settings` for the first four."""

    base_url: str | None = option(
        None, "chat endpoint, up to and without /chat/completions", metavar="URL"
    )
    key_variable: str = option(
        "OPENAI_API_KEY", "environment variable with the endpoint's key", metavar="NAME"
    )
    concurrency: int = option(8, "requests under way at once", low=1)
    rate: float | None = option(
        None, "requests per second at most (default: no limit)", kind=float, low=0
    )
    timeout: float = option(300.0, "seconds until an attempt is given up", low=0)
    retries: int = option(6, "further attempts after one that may succeed later", low=0)
    request: Mapping[str, Any] = option(
        {"temperature": 0},
        "further fields of a request, such as '{\"max_tokens\": 16000}'",
        parse=json_object,
    )


class ChatEndpoint:
    """One model behind one endpoint.

    Args:
        model: The model's name there.
        prompts: Texts around the question.
        settings: Address, key, pace and retries.
        first_wait: Seconds before the second attempt; twice as many before each further one, and up
            to `first_wait` more at random, so that not all come back at once.
        sleep: How to wait; by default until the time is over or the run is stopped.

    Raises:
        ValueError: The address, the key or a field of the request cannot be right.
    """

    def __init__(
        self,
        model: str,
        prompts: Prompts,
        settings: EndpointSettings,
        *,
        first_wait: float = 1.0,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        for name in settings.request:
            if name.lower() in CREDENTIALS:
                raise ValueError(
                    f"request: field, got {name!r}; expected the key in the environment variable"
                    f" {settings.key_variable}, since requests are put on record"
                )
        self.model, self.prompts, self.settings = model, prompts, settings
        self.first_wait, self.sleep = first_wait, sleep
        self.base_url = check_address(settings.base_url or "")
        self._key = read_key(settings.key_variable)
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

        n, timeout = self.settings.concurrency, self.settings.timeout
        stop, pace = threading.Event(), Pace(self.settings.rate)
        # an attempt that was given up may hold its connection for a while
        limits = httpx.Limits(max_keepalive_connections=n)
        waiting, asked = enumerate(questions), dict[Future[Answer], int]()
        with (
            httpx.Client(timeout=timeout, limits=limits, headers=self._headers()) as client,
            ThreadPoolExecutor(n) as pool,
        ):

            def ask(n: int) -> None:
                for i, question in islice(waiting, n):
                    asked[pool.submit(self._ask, client, question, stop, pace)] = i

            ask(n)
            try:
                while asked:
                    done = next(iter(wait(asked, return_when=FIRST_COMPLETED).done))
                    if done.exception() is not None:
                        break
                    yield asked.pop(done), done.result()
                    ask(1)
            finally:
                stop.set()
        yield from ((i, done.result()) for done, i in asked.items() if done.exception() is None)
        for done in asked:
            done.result()  # raises what stopped the run

    def _headers(self) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return {"Accept-Encoding": "gzip", **key}

    def _ask(self, client: Any, question: Question, stop: threading.Event, pace: Pace) -> Answer:
        """One answer, after as many attempts as are allowed; none once the run is stopped."""
        sleep, attempt, retries = self.sleep or stop.wait, 1, self.settings.retries
        while True:
            if early := pace.wait():
                sleep(early)
            try:
                answer = within(self.settings.timeout, lambda: self._ask_once(client, question))
            except PassingError as error:
                if attempt > retries or stop.is_set():
                    return self._given_up(error, attempt)
                # lest a wrong address look like a slow one
                self._tell(str(error), f"got {error}; trying again, up to {retries} times")
                usual = self.first_wait * (2 ** min(attempt - 1, 16) + random.random())
                sleep(min(LONGEST_WAIT, usual if error.wait is None else error.wait))
                attempt += 1
            else:
                self._n_read += 1
                return answer

    def _given_up(self, error: PassingError, attempts: int) -> Answer:
        """An answer that is missing, where this endpoint has answered other questions."""
        if error.is_answered and self._n_read:
            return Answer("", finish_reason="", problem=f"{error} {attempts} times")
        raise EndpointError(
            f"{self.base_url}: got {error} after {attempts} attempts; expected an answer"
        ) from None

    def _ask_once(self, client: Any, question: Question) -> Answer:
        import httpx

        messages = self.prompts.messages(question)
        body = {"model": self.model, "messages": messages, **self.settings.request}
        end = time.monotonic() + self.settings.timeout
        try:
            url = f"{self.base_url.rstrip('/')}/chat/completions"
            with client.stream("POST", url, json=body) as response:
                text = without_key(text_of(response, end), self._key)
        except httpx.TransportError as error:
            if is_hopeless(error):
                raise EndpointError(
                    f"{self.base_url}: got {type(error).__name__} ({error}); expected the address"
                    " of an endpoint"
                ) from None
            raise PassingError(type(error).__name__) from None
        status = response.status_code
        if status in BUSY:
            raise PassingError(f"HTTP {status}", retry_after(response.headers.get("retry-after")))
        if status in REFUSED and self._n_read:
            return Answer("", finish_reason="", problem=f"HTTP {status} {_shown(text)}")
        if status != 200:
            raise EndpointError(f"{self.base_url}: got HTTP {status} {_shown(text)}; expected 200")
        return self._read(text)

    def _read(self, text: str) -> Answer:
        def tell(field: str, got: object) -> None:
            self._tell(field, f"{field}, got {repr(got)[:100]}; kept as missing")

        try:
            answer = read_completion(json.loads(text, parse_int=_whole_number), tell)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            told = f"no chat completion but {_shown(text)}"
            raise PassingError(told, is_answered=True) from None
        if not (answer.text or answer.reasoning or answer.problem):
            raise PassingError("an empty answer", is_answered=True)
        return answer

    def _tell(self, what: str, message: str) -> None:
        """Says a thing once."""
        if what not in self._told:
            self._told.add(what)
            sys.stderr.write(f"{self.base_url}: {message}\n")


def read_completion(completion: Mapping[str, Any], tell: Tell = lambda field, got: None) -> Answer:
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
    apart = next((message[name] for name in REASONING if message.get(name)), None)
    is_instead = apart or message.get("refusal") or message.get("tool_calls")
    content = message.get("content") if is_instead else message["content"]
    text, reasoning = map(_clean, split_reasoning(content))
    usage = _field(completion, "usage", dict, tell) or {}
    details = _field(usage, "completion_tokens_details", dict, tell) or {}
    reason = _field(choice, "finish_reason", str, tell) or ""
    refusal = message.get("refusal") or ("a filter" if reason == "content_filter" else "")
    return Answer(
        text,
        "\n".join(filter(None, (_reasoning_of(apart, tell), reasoning))),
        _field(usage, "prompt_tokens", int, tell),
        _field(usage, "completion_tokens", int, tell),
        _field(details, "reasoning_tokens", int, tell),
        reason,
        _clean(f"refused: {refusal}")[:300] if refusal and not text else "",
    )


def _reasoning_of(sent: Any, tell: Tell) -> str:
    """Reasoning that was sent apart, as one text; "" where it is odd."""
    try:
        return _clean("".join(content_texts(sent)))
    except TypeError:
        tell("reasoning", sent)
        return ""


def _field(given: Mapping[str, Any], name: str, kind: type, tell: Tell) -> Any:
    """A field of its kind, a text without lone surrogates; None where it is absent or odd."""
    value = given.get(name)
    is_odd = value is not None and (not isinstance(value, kind) or isinstance(value, bool))
    if is_odd or (kind is int and value is not None and value < 0):
        tell(name, value)
        return None
    return _clean(value) if kind is str and value else value


def _clean(text: str) -> str:
    """A text with U+FFFD for halves of characters, which no file holds; a TypeError for no text."""
    if not isinstance(text, str):
        raise TypeError(f"text, got {type(text).__name__}; expected str")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole_number(digits: str) -> int | str:
    """A number that a store can hold, or its digits."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _shown(text: str) -> str:
    """What a server says, shortened, with what looks like a key blotted out."""
    return repr(re.sub(r"(?i)(bearer\s+|\bsk-)\S+", r"\1***", text)[:300])
