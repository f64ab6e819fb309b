"""Answers from any OpenAI-compatible chat endpoint; `ground.endpoints` says how it is asked.

Answers come as they arrive. A field beside the text that is not what it should be is kept as
missing, and the first of each is told. What is refused for one question alone is an answer with a
`problem`, missing and no mistake.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garden_path.models.questions import Answer, Prompts, Question
from garden_path.models.system import Settings
from ground.command_line import json_object
from ground.endpoints import Endpoint, PassingError, check_address, read_key, shown
from metrics._shared.option_fields import option
from metrics._shared.replies import content_texts, split_reply

PATH = "/chat/completions"
MOST_DIGITS = 18  # of a whole number that the store takes
CREDENTIALS = frozenset({"api_key", "apikey", "key", "token", "authorization", "password"})
REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
Tell = Callable[[str, object], None]


@dataclass(frozen=True)
class EndpointSettings(Settings):
    """How a chat endpoint is asked; see `Settings` for the first four."""

    base_url: str | None = option(None, f"chat endpoint, up to and without {PATH}", metavar="URL")
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
    """One model behind one endpoint; `more` are `first_wait` and `sleep` of an `Endpoint`."""

    def __init__(
        self, model: str, prompts: Prompts, settings: EndpointSettings, **more: Any
    ) -> None:
        for name in settings.request:
            if name.lower() in CREDENTIALS:
                raise ValueError(
                    f"request: field, got {name!r}; expected the key in the environment variable"
                    f" {settings.key_variable}, since requests are put on record"
                )
        self.model, self.prompts, self.request = model, prompts, settings.request
        names = ("concurrency", "rate", "timeout", "retries")
        self.endpoint = Endpoint(
            check_address(settings.base_url or ""),
            PATH,
            read_key(settings.key_variable),
            read=self._read,
            missing=lambda problem: Answer("", finish_reason="", problem=problem),
            **{name: getattr(settings, name) for name in names},
            **more,
        )

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Answers as they arrive; an EndpointError that stops the run, after those under way."""
        every = map(self.prompts.messages, questions)
        requests = ({"model": self.model, "messages": one, **self.request} for one in every)
        return self.endpoint.answers(requests)

    def _read(self, text: str) -> Answer:
        def tell(field: str, got: object) -> None:
            self.endpoint.tell(field, f"{field}, got {repr(got)[:100]}; kept as missing")

        try:
            answer = read_completion(json.loads(text, parse_int=_whole_number), tell)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            told = f"no chat completion but {shown(text)}"
            raise PassingError(told, is_answered=True) from None
        if not (answer.text or answer.reasoning or answer.problem):
            raise PassingError("an empty answer", is_answered=True)
        return answer


def read_completion(completion: Mapping[str, Any], tell: Tell = lambda field, got: None) -> Answer:
    """Answer of a chat completion: its first choice, with reasoning and token counts.

    Servers put the reasoning into a field of its own, into a chunk of the content or into its text.
    `tell` takes the name of a field that is odd, and what it holds.
    """
    choice = completion["choices"][0]
    message = choice["message"]
    apart = next((message[name] for name in REASONING if message.get(name)), None)
    is_instead = apart or message.get("refusal") or message.get("tool_calls")
    content = message.get("content") if is_instead else message["content"]
    text, reasoning = map(_clean, split_reply(content))
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
