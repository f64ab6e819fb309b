"""Answerers: questions about sentences in, answers out, as they are ready.

structure             parses the sentence with the suite's lexicon: the ceiling
linear-order          takes the words as they come
plausibility          answers from the knowledge base alone, whatever the structure: the shortcut
spacy:NAME            a dependency parser, such as spacy:en_core_web_sm: its tree answers
transformers:NAME     any generation model: batched, with its chat template, greedy
gguf:NAME             one that packages carry (`python -m systems weights --list`)
chat:MODEL            any OpenAI-compatible chat endpoint
python:package.module:function   your own: a list of dicts with `sentence`, `question`, `entity`
                      and `question_type` in, a list of texts out
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from builders.centerbench import VERSION
from ground.ray_inference import Inference
from ground.revisions import split_revision
from ground.store import make_key
from systems.centerbench_readers import BELIEFS, load_reader
from systems.chat_endpoint import ChatEndpoint, check_address
from systems.generation import (
    BATCH_SIZE,
    MAX_NEW_TOKENS,
    GenerationModel,
    load_generation_model,
)
from systems.prompts import read_prompts
from systems.questions import Answer, Answerer, Question, split_reasoning
from systems.system import Loader, Settings, as_list


@dataclass(frozen=True)
class AnswererSettings(Settings):
    """How an answerer is loaded; each uses what concerns it. See `Settings` for the first four."""

    dtype: str = field(default="auto", metadata=Settings.__dataclass_fields__["dtype"].metadata)
    suite_version: str = field(
        default="", metadata={"help": "VERSION of the suite, whose lexicon the readers use"}
    )
    system_prompt: Path | None = field(
        default=None, metadata={"help": "another system prompt", "metavar": "FILE"}
    )
    max_new_tokens: int = field(
        default=MAX_NEW_TOKENS, metadata={"help": "where an answer of a model is cut"}
    )
    base_url: str | None = field(
        default=None,
        metadata={
            "help": "chat endpoint, up to and without /chat/completions",
            "metavar": "URL",
        },
    )
    key_variable: str = field(
        default="OPENAI_API_KEY",
        metadata={"help": "environment variable with the endpoint's key", "metavar": "NAME"},
    )
    concurrency: int = field(default=8, metadata={"help": "requests under way at once"})
    rate: float | None = field(
        default=None, metadata={"help": "requests per second at most (default: no limit)"}
    )
    timeout: float = field(default=300.0, metadata={"help": "seconds until an attempt is given up"})
    retries: int = field(
        default=6, metadata={"help": "further attempts after one that may succeed later"}
    )
    request: Mapping[str, Any] = field(
        default_factory=lambda: {"temperature": 0},
        metadata={
            "help": "further fields of a request, such as '{\"max_tokens\": 16000}'",
            "metavar": "JSON",
        },
    )
    max_reasoning_tokens: int | None = field(
        default=None,
        metadata={"help": "reasoning that a chat endpoint is asked to keep to (default: its own)"},
    )
    budget_field: str = field(
        default="reasoning.max_tokens",
        metadata={
            "help": "field of a request that holds it: thinking.budget_tokens, for example",
            "metavar": "FIELD",
        },
    )

    def __post_init__(self) -> None:
        """Raises a ValueError for a system prompt that is no file, whether or not a system asks."""
        super().__post_init__()
        if self.system_prompt is not None and not Path(self.system_prompt).is_file():
            raise ValueError(f"{self.system_prompt}: system prompt, got no file; expected a text")


SETTINGS = AnswererSettings


def of_function(
    name: str,
    version: str,
    function: Callable[[list[dict[str, str]]], Sequence[str]],
    settings: AnswererSettings,
) -> Answerer:
    """An answerer of a user's function: a list of question dicts in, a list of texts out.

    Raises:
        ValueError: When it runs: there is not one string for every question.
    """
    size = settings.batch_size or BATCH_SIZE

    def stream(questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for start in range(0, len(questions), size):
            asked = [question._asdict() for question in questions[start : start + size]]
            found = as_list(name, "answers", function(asked), len(asked))
            for i, text in enumerate(found, start):
                if not isinstance(text, str):
                    raise ValueError(f"{name}: answer, got {text!r}; expected a string")
                yield i, Answer(*split_reasoning(text))

    return Answerer.of_stream(name, version, stream, batch_size=size)


def load_belief(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads one of the suite's own readers."""
    return load_reader(name, settings.suite_version or VERSION)


def load_spacy(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads a spaCy pipeline, whose trees answer."""
    from systems.parsed_answers import load_parsed_answerer

    return load_parsed_answerer(name, argument)


def load_gguf(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads a generation model that packages carry as GGUF, by its name in `weights.toml`.

    Raises:
        ValueError: There is no such model, or it is not here; the message says how to get it.
    """
    from systems import gguf, weights

    answerer = load_transformers(name, str(gguf.packaged_folder(argument)), settings)
    _, _, asked = answerer.version.partition(" prompts ")
    number_type = answerer.version.partition(" prompts ")[0].rpartition(" ")[2]
    version = f"{weights.version(argument)} {number_type} prompts {asked}"
    return replace(answerer, version=version)


def load_transformers(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads a generation model of transformers."""
    prompts = read_prompts(settings.system_prompt)
    model, checkpoint = load_generation_model(argument, prompts, settings, settings.max_new_tokens)
    until = {} if model.lines is None else {"until": "line"}
    asked = make_key(prompts=prompts, max_new_tokens=settings.max_new_tokens, **until)
    return Answerer.of_stream(
        name,
        f"{checkpoint.version} prompts {asked}",
        model.answer,
        n_parameters=checkpoint.n_parameters,
        batch_size=model.batch_size,
        inference=vllm_inference(argument, model, settings),
    )


def vllm_inference(
    argument: str, model: GenerationModel, settings: AnswererSettings
) -> Inference | None:
    """How vLLM answers as a model does: the same tokens in, greedily; None where it cannot."""
    if model.model.config.is_encoder_decoder:
        return None
    name, revision = split_revision(argument, settings.revision)
    number_type = str(model.model.dtype).removeprefix("torch.")
    sampling = {"temperature": 0.0, "max_tokens": model.max_new_tokens, "detokenize": False}
    return Inference(
        {"model_source": name, "engine_kwargs": {"revision": revision, "dtype": number_type}},
        lambda questions: [
            {"tokenized_prompt": tokens, "sampling_params": sampling}
            for tokens in model.tokens(questions)
        ],
        lambda n_prompt_tokens, tokens: model.read(n_prompt_tokens, tokens)._asdict(),
    )


def load_chat(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Makes ready to ask a chat endpoint; nothing is sent yet.

    Raises:
        ValueError: There is no address, or it, the key or the request is not in order.
    """
    if not settings.base_url:
        raise ValueError(
            f"{name}: base_url, got none; expected the endpoint, such as"
            " https://api.openai.com/v1 (--base-url)"
        )
    prompts = read_prompts(settings.system_prompt)
    request = budgeted(settings.request, settings.max_reasoning_tokens, settings.budget_field)
    endpoint = ChatEndpoint(
        check_address(settings.base_url),
        argument,
        prompts,
        key_variable=settings.key_variable,
        concurrency=settings.concurrency,
        rate=settings.rate,
        timeout=settings.timeout,
        n_retries=settings.retries,
        options=request,
    )
    version = make_key(prompts=prompts, base_url=endpoint.base_url, request=request)
    return Answerer.of_stream(name, version, endpoint.answer)


def budgeted(request: Mapping[str, Any], n_tokens: int | None, place: str) -> dict[str, Any]:
    """The fields of a request with a budget of reasoning; servers call it by different names.

    Args:
        request: Its other fields.
        n_tokens: The budget; None for none.
        place: Name of the field, fields of fields joined by dots.

    Raises:
        ValueError: The request has that field already, or something else where it should lie.

    Example:
        >>> budgeted({"temperature": 0}, 512, "thinking.budget_tokens")
        {'temperature': 0, 'thinking': {'budget_tokens': 512}}
    """
    made = copy.deepcopy(dict(request))
    if n_tokens is None:
        return made
    *outer, last = place.split(".")
    inner: Any = made
    for name in outer:
        inner = inner.setdefault(name, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or last in inner or "" in (*outer, last):
        raise ValueError(
            f"budget_field, got {place!r} with the request {json.dumps(dict(request))}; expected a"
            " field that it leaves open"
        )
    inner[last] = n_tokens
    return made


LOADERS: Mapping[str, Loader] = {
    **{belief: Loader(load_belief) for belief in BELIEFS},
    "spacy": Loader(load_spacy, "NAME", install="'.[models]'"),
    "gguf": Loader(load_gguf, "NAME", install="'.[models,real]'"),
    "transformers": Loader(load_transformers, "NAME[@REVISION]", install="'.[models]'"),
    "chat": Loader(load_chat, "MODEL", install="'.[chat]'"),
}
