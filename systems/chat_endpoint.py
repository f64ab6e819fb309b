"""Answers from any OpenAI-compatible chat endpoint: several requests at once, retries with back-off, reasoning and token counts kept apart.

The key comes from an environment variable and is sent nowhere but to the endpoint. Answers come as
they arrive, so that whoever stores them loses none when a request fails for good or the run is
stopped.
"""

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from ground.retry_after import retry_after
from systems.answers import Answer, Prompts, Question, split_reasoning

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_WAIT = 120.0


class EndpointError(RuntimeError):
    """A request failed for good; the message says which endpoint, what it answered and what was expected."""


class _TransientError(Exception):
    """A request that may succeed later, after `wait` seconds if the server said so."""

    def __init__(self, reason: str, wait: float | None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass
class ChatEndpoint:
    """One model behind one endpoint.

    Attributes:
        base_url: Up to and without `/chat/completions`, such as `https://api.openai.com/v1`.
        model: The model's name there.
        prompts: Texts around the question.
        key_variable: Environment variable with the key; unset for servers that want none.
        concurrency: Requests under way at once.
        n_retries: Further attempts after one that may succeed later.
        first_wait: Seconds before the first of them; doubled each time, and halved to half as much
            again at random.
        timeout: Seconds until an attempt is given up.
        options: Further fields of the request, such as `temperature` or `max_tokens`.
        sleep: How to wait.
    """

    base_url: str
    model: str
    prompts: Prompts
    key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 8
    n_retries: int = 6
    first_wait: float = 1.0
    timeout: float = 300.0
    options: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    sleep: Callable[[float], object] = time.sleep

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Gives the answers as they arrive; a request that fails for good stops the run after those under way have arrived.

        Raises:
            EndpointError: The endpoint refuses, or does not answer after all retries.
        """
        import httpx

        stop = threading.Event()
        limits = httpx.Limits(
            max_connections=self.concurrency, max_keepalive_connections=self.concurrency
        )
        pool = ThreadPoolExecutor(self.concurrency)
        with httpx.Client(timeout=self.timeout, limits=limits, headers=self._headers()) as client:
            asked = {
                pool.submit(self._ask, client, question, stop): i
                for i, question in enumerate(questions)
            }
            try:
                for done in as_completed(asked):
                    if done.exception() is not None:
                        break
                    yield asked.pop(done), done.result()
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        under_way = [done for done in asked if not done.cancelled()]
        yield from ((asked[done], done.result()) for done in under_way if done.exception() is None)
        for done in under_way:
            done.result()  # raises what stopped the run

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self.key_variable)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _ask(self, client: Any, question: Question, stop: threading.Event) -> Answer:
        wait = self.first_wait
        for attempt in range(self.n_retries + 1):
            try:
                return self._ask_once(client, question)
            except _TransientError as error:
                if attempt == self.n_retries or stop.is_set():
                    raise EndpointError(
                        f"{self.base_url}: got {error} after {attempt + 1} attempts; expected an answer"
                    ) from None
                self.sleep(
                    min(
                        LONGEST_WAIT,
                        error.wait if error.wait is not None else wait * random.uniform(0.5, 1.5),
                    )
                )
                wait *= 2
        raise AssertionError("unreachable")

    def _ask_once(self, client: Any, question: Question) -> Answer:
        import httpx

        body = {"model": self.model, "messages": self.prompts.messages(question), **self.options}
        try:
            response = client.post(f"{self.base_url.rstrip('/')}/chat/completions", json=body)
        except httpx.TransportError as error:
            raise _TransientError(type(error).__name__, None) from None
        if response.status_code in RETRIED:
            raise _TransientError(
                f"HTTP {response.status_code}", retry_after(response.headers.get("retry-after"))
            )
        if response.status_code != 200:
            raise EndpointError(
                f"{self.base_url}: got HTTP {response.status_code} {response.text[:300]!r}; expected 200"
            )
        return self._read(response)

    def _read(self, response: Any) -> Answer:
        try:
            return read_completion(response.json())
        except (ValueError, KeyError, IndexError, TypeError):
            raise EndpointError(
                f"{self.base_url}: got {response.text[:300]!r}; expected a chat completion"
            ) from None


def read_completion(completion: Mapping[str, Any]) -> Answer:
    """Reads a chat completion: the first choice, its reasoning from whichever field the server puts it in, and the token counts.

    Raises:
        KeyError, IndexError, TypeError: It is no chat completion.
    """
    choice, usage = completion["choices"][0], completion.get("usage") or {}
    message = choice["message"]
    text, reasoning = split_reasoning(message["content"] or "")
    sent_apart = message.get("reasoning_content") or message.get("reasoning") or ""
    details = usage.get("completion_tokens_details") or {}
    return Answer(
        text,
        "\n".join(filter(None, (sent_apart, reasoning))),
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        details.get("reasoning_tokens"),
        choice.get("finish_reason") or "",
    )
