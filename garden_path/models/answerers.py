"""Answerers: questions about sentences in, answers out, as they are ready.

file:PATH             what another system answered: a table or JSON with `answer` and `sentence`,
                      `question`; or a line a reply, in the order of the questions
transformers:NAME     any generation model: batched, with its chat template, greedy
chat:MODEL            any OpenAI-compatible chat endpoint
python:package.module:function   your own: a list of dicts with `sentence`, `question`, `entity`
                      and `question_type` in, a list of texts out
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from garden_path.models.chat_endpoint import ChatEndpoint, EndpointSettings
from garden_path.models.checkpoints import output_version
from garden_path.models.generation import BATCH_SIZE, MAX_NEW_TOKENS, load_generation_model
from garden_path.models.questions import OWN, PROMPTS, Answer, Answerer, Question, read_prompts
from garden_path.models.system import Function, Loader, dtype_option, each_checked
from garden_path.readers.predictions import read_answers
from ground.command_line import file
from ground.hashes import make_key
from metrics._shared.option_fields import option
from metrics._shared.replies import split_reply


@dataclass(frozen=True)
class AnswererSettings(EndpointSettings):
    """How an answerer is loaded; each uses what concerns it. See `Settings` for the first four."""

    dtype: str = dtype_option("auto")
    prompt: str = option(
        OWN, "texts around a question, the project's or the paper's", choices=PROMPTS
    )
    system_prompt: Path | None = option(None, "another system prompt", parse=file)
    max_new_tokens: int = option(MAX_NEW_TOKENS, "where an answer of a model is cut", low=1)

    def __post_init__(self) -> None:
        """Raises a ValueError for a system prompt that is no file, whether or not a system asks."""
        super().__post_init__()
        if self.system_prompt is not None and not Path(self.system_prompt).is_file():
            raise ValueError(f"{self.system_prompt}: system prompt, got no file; expected a text")


SETTINGS = AnswererSettings


def of_function(
    name: str, version: str, function: Function, settings: AnswererSettings
) -> Answerer:
    """An answerer of a user's function: a list of question dicts in, a list of texts out."""
    size = settings.batch_size or BATCH_SIZE
    ask = each_checked(name, "answers", function, _answer, Question._asdict)

    def stream(questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for start in range(0, len(questions), size):
            yield from enumerate(ask(questions[start : start + size]), start)

    return Answerer.of_stream(name, version, stream, batch_size=size)


def _answer(name: str, question: Question, text: object) -> Answer:
    if not isinstance(text, str):
        raise ValueError(f"{name}: answer, got {text!r}; expected a string")
    return Answer(*split_reply(text))


def load_output(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Reads another system's answers from a file."""

    def stream(questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        asked = [f"{question.sentence} {question.question}" for question in questions]
        for i, text in enumerate(read_answers(argument, asked).told()):
            yield i, Answer(*split_reply(text))

    return Answerer.of_stream(name, output_version(argument), stream)


def load_transformers(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads a generation model of transformers."""
    prompts = read_prompts(settings.system_prompt, settings.prompt)
    model, checkpoint = load_generation_model(argument, prompts, settings, settings.max_new_tokens)
    until = {"until": "line"} if model.is_one_line else {}
    asked = make_key(prompts=prompts, max_new_tokens=settings.max_new_tokens, **until)
    version = f"{checkpoint.version} prompts {asked}"
    more = {"n_parameters": checkpoint.n_parameters, "batch_size": model.batch_size}
    return Answerer.of_stream(name, version, model.answer, **more)


def load_chat(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Makes ready to ask a chat endpoint; nothing is sent yet."""
    if not settings.base_url:
        raise ValueError(
            f"{name}: base_url, got none; expected the endpoint, such as"
            " https://api.openai.com/v1 (--base-url)"
        )
    prompts = read_prompts(settings.system_prompt, settings.prompt)
    endpoint = ChatEndpoint(argument, prompts, settings)
    asked = {"prompts": prompts, "base_url": settings.base_url.strip()}
    version = make_key(**asked, request=settings.request)
    return Answerer.of_stream(name, version, endpoint.answer)


LOADERS: Mapping[str, Loader] = {
    "file": Loader(load_output, "PATH"),
    "transformers": Loader(load_transformers, "NAME[@REVISION]", install="'.[models]'"),
    "chat": Loader(load_chat, "MODEL", install="'.[chat]'"),
}
