"""Answerers behind one small interface: questions about sentences in, answers out, as they are ready.

structure             parses the sentence with the suite's lexicon: the ceiling
linear-order          takes the words as they come
plausibility          answers from the knowledge base alone, whatever the structure: the shortcut
transformers:MODEL    any generation model by name or path: batched, with its chat template, greedy
chat:MODEL            any OpenAI-compatible chat endpoint
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ground.store import make_key
from systems.answers import Answerer, read_prompts
from systems.center_embedding_readers import BELIEFS, load_reader
from systems.chat_endpoint import ChatEndpoint
from systems.generation import load_generation_model

NAMES = (*BELIEFS, "transformers:MODEL", "chat:MODEL")


@dataclass(frozen=True)
class Settings:
    """What an answerer is loaded with; each uses what concerns it.

    Attributes:
        suite_version: VERSION of the suite, whose lexicon the first three use.
        system_prompt: File with another system prompt.
        batch_size, max_new_tokens, device, dtype: Of a transformers model.
        base_url: Of a chat endpoint, up to `/chat/completions`.
        key_variable: Environment variable with the endpoint's key.
        concurrency: Requests under way at once.
        request: Further fields of a request, such as `temperature`.
    """

    suite_version: str = ""
    system_prompt: Path | None = None
    batch_size: int = 16
    max_new_tokens: int = 96
    device: str = "cpu"
    dtype: str = "auto"
    base_url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 8
    request: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})


def load_answerer(name: str, settings: Settings) -> Answerer:
    """Loads an answerer by its name on the command line.

    Raises:
        ValueError: There is no such answerer, or a chat model has no endpoint.
    """
    kind, _, model = name.partition(":")
    if name in BELIEFS:
        return load_reader(name, settings.suite_version)
    if kind == "transformers" and model:
        return _load_transformers(name, model, settings)
    if kind == "chat" and model:
        return _load_chat(name, model, settings)
    raise ValueError(f"answerer, got {name!r}; expected one of {', '.join(NAMES)}")


def _load_transformers(name: str, model: str, settings: Settings) -> Answerer:
    prompts = read_prompts(settings.system_prompt)
    loaded = load_generation_model(
        model,
        prompts,
        batch_size=settings.batch_size,
        max_new_tokens=settings.max_new_tokens,
        device=settings.device,
        dtype=settings.dtype,
    )
    version = make_key(
        prompts=prompts, max_new_tokens=settings.max_new_tokens, dtype=settings.dtype
    )
    return Answerer(name, version, loaded.answer)


def _load_chat(name: str, model: str, settings: Settings) -> Answerer:
    if not settings.base_url:
        raise ValueError(
            f"{name}: base_url, got none; expected the endpoint, such as https://api.openai.com/v1 (--base-url)"
        )
    prompts = read_prompts(settings.system_prompt)
    endpoint = ChatEndpoint(
        settings.base_url,
        model,
        prompts,
        key_variable=settings.key_variable,
        concurrency=settings.concurrency,
        options=dict(settings.request),
    )
    version = make_key(prompts=prompts, base_url=settings.base_url, request=dict(settings.request))
    return Answerer(name, version, endpoint.answer)
