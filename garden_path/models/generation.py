"""Answers from any generation model of transformers: batched, with its chat template, greedy.

What all prompts begin with (275 of 302 tokens) is computed once and its keys and values are lent to
every batch, where the model is causal; padding stands between it and the rests of shorter prompts.
A model without a chat template is stopped after the first line that it writes: it would go on with
a question of its own.
"""

import copy
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from garden_path.models.checkpoints import Checkpoint, load_checkpoint
from garden_path.models.questions import Answer, Prompts, Question
from garden_path.models.system import Settings
from metrics._shared.language_models import CAUSAL, batches
from metrics._shared.replies import split_reply

BATCH_SIZE = 16
MAX_NEW_TOKENS = 96
ANY_ROOM = 1 << 62  # prompts of a batch are counted, not their tokens
SHORTEST_BEGINNING = 16  # tokens; less is not worth a copy of the cache


@dataclass(frozen=True)
class Beginning:
    """The first `n` tokens of all prompts, with the model's keys and values of them."""

    n: int
    cache: Any

    def lent_to(self, n_prompts: int) -> Any:
        """A copy of the cache for a batch."""
        cache = copy.deepcopy(self.cache)
        cache.batch_repeat_interleave(n_prompts)
        return cache


def shared_length(tokens: Sequence[Sequence[int]]) -> int:
    """How many tokens all prompts begin with, less than the shortest has.

    Example:
        >>> shared_length([[5, 6, 7, 8], [5, 6, 9]])
        2
    """
    first, last = min(map(list, tokens)), max(map(list, tokens))  # what these share, all share
    most = min(map(len, tokens)) - 1
    return next((i for i in range(most) if first[i] != last[i]), most)


@dataclass
class GenerationModel:
    """A loaded model, causal or with encoder and decoder, and the prompts that it is asked with.

    An answer is cut after `max_new_tokens`; reasoning models need thousands.
    """

    tokenizer: Any
    model: Any
    prompts: Prompts
    batch_size: int = BATCH_SIZE
    max_new_tokens: int = MAX_NEW_TOKENS

    @property
    def is_one_line(self) -> bool:
        """Whether its answer is one line: that of a model that does not chat."""
        return not self.tokenizer.chat_template

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Answers batch by batch, longest prompts first: what exceeds the memory fails at once.

        What is asked in the same words about several entities of a sentence is asked once.
        """
        tokens = self.tokens(questions)
        beginning = self.beginning(tokens)
        places: dict[tuple[int, ...], list[int]] = {}
        for place, asked in enumerate(tokens):
            places.setdefault(tuple(asked), []).append(place)
        distinct = list(places)
        for some in batches([len(one) for one in distinct], ANY_ROOM, self.batch_size):
            prompts = [distinct[place] for place in some]
            for prompt, answer in zip(prompts, self.generate(prompts, beginning), strict=True):
                yield from ((place, answer) for place in places[prompt])

    def tokens(self, questions: Sequence[Question]) -> list[list[int]]:
        """Token ids of every prompt."""
        prompts = [self.prompt(question) for question in questions]
        asked = self.tokenizer(prompts, add_special_tokens=self.is_one_line)
        return list(asked["input_ids"])

    def beginning(self, tokens: Sequence[Sequence[int]]) -> Beginning | None:
        """What all prompts begin with, computed; None where that is short or cannot be lent.

        Each prompt keeps at least one token of its own.
        """
        import torch

        n = shared_length(tokens)
        if n < SHORTEST_BEGINNING or len(tokens) < 2 or self.model.config.is_encoder_decoder:
            return None
        with torch.inference_mode():
            given = torch.tensor([tokens[0][:n]], device=self.model.device)
            cache = self.model(given, use_cache=True).past_key_values
        return Beginning(n, cache) if hasattr(cache, "batch_repeat_interleave") else None

    def prompt(self, question: Question) -> str:
        """Whole text that a model continues.

        A template without a system role gets its text at the head of the user's.
        """
        if self.is_one_line:
            return self.prompts.in_plain_text(question)
        chat = functools.partial(
            self.tokenizer.apply_chat_template, tokenize=False, add_generation_prompt=True
        )
        messages = self.prompts.messages(question)
        try:
            return str(chat(messages))
        except Exception as error:
            if type(error).__module__.split(".")[0] != "jinja2":
                raise
            merged = "\n\n".join(message["content"] for message in messages)
            return str(chat([{"role": "user", "content": merged}]))

    def generate(
        self, prompts: Sequence[Sequence[int]], beginning: Beginning | None = None
    ) -> list[Answer]:
        """Continues a batch of prompts, token ids of each, greedily, from what they share."""
        import torch

        n = beginning.n if beginning else 0
        longest = max(map(len, prompts))
        pad = [self.tokenizer.pad_token_id]
        ids = [[*one[:n], *pad * (longest - len(one)), *one[n:]] for one in prompts]
        mask = [[1] * n + [0] * (longest - len(one)) + [1] * (len(one) - n) for one in prompts]
        device = self.model.device
        # a decoder starts with one token of its own
        given = 1 if self.model.config.is_encoder_decoder else longest
        with torch.inference_mode():
            written = self.model.generate(
                input_ids=torch.tensor(ids, device=device),
                attention_mask=torch.tensor(mask, device=device),
                do_sample=False,
                max_new_tokens=self.max_new_tokens,
                pad_token_id=self.tokenizer.pad_token_id,
                stopping_criteria=self.stopping(given),
                **({"past_key_values": beginning.lent_to(len(ids))} if beginning else {}),
            )
        every = zip(prompts, written[:, given:].tolist(), strict=True)
        return [self.read(len(prompt), numbers) for prompt, numbers in every]

    def stopping(self, n_given: int) -> list[Any]:
        """What stops a sequence besides its own end: the end of the line, for who does not chat."""
        import torch

        def is_done(ids: Any, scores: Any, **given: Any) -> Any:
            ends = [has_line(self.written(row)) for row in ids[:, n_given:].tolist()]
            return torch.tensor(ends, device=ids.device)

        return [is_done] if self.is_one_line else []

    def written(self, numbers: Sequence[int]) -> str:
        """The text of generated tokens."""
        return str(self.tokenizer.decode(numbers, skip_special_tokens=True))

    def read(self, n_prompt_tokens: int, numbers: Sequence[int]) -> Answer:
        """The answer that generated tokens are, up to the first that ends it."""
        own = self.model.generation_config.eos_token_id
        ends = {self.tokenizer.eos_token_id, self.tokenizer.pad_token_id}
        ends |= set(own if isinstance(own, list) else [own])
        length = next((i for i, number in enumerate(numbers) if number in ends), len(numbers))
        reason = "length" if length >= self.max_new_tokens else "stop"
        text = self.written(numbers[:length])
        if self.is_one_line and has_line(text):
            lengths = range(1, length + 1)
            length = next(n for n in lengths if has_line(self.written(numbers[:n])))
            text, reason = text.strip().partition("\n")[0], "stop"
        answer, reasoning = split_reply(text)
        return Answer(answer, reasoning, n_prompt_tokens, length, None, reason)


def has_line(text: str) -> bool:
    """Whether a line that says something has its end."""
    return "\n" in text.lstrip()


def load_generation_model(
    argument: str, prompts: Prompts, settings: Settings, max_new_tokens: int = MAX_NEW_TOKENS
) -> tuple[GenerationModel, Checkpoint]:
    """A model, `NAME[@REVISION]` on the Hub or a folder, ready to answer, and its checkpoint."""
    classes = {"architecture": CAUSAL, "encoder_decoder": "AutoModelForSeq2SeqLM"}
    found = load_checkpoint(argument, settings, **classes, padding_side="left")
    if found.tokenizer.pad_token is None:
        found.tokenizer.pad_token = found.tokenizer.eos_token
    size = settings.batch_size or BATCH_SIZE
    return GenerationModel(found.tokenizer, found.model, prompts, size, max_new_tokens), found
