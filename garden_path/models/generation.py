"""Answers from any generation model of transformers: batched, with its chat template, greedy.

What all prompts begin with (instructions and examples: 275 of 302 tokens) is computed once and its
keys and values are lent to every batch, where the model is causal and keeps such a cache. Between
that beginning and the shorter prompts' rests stands padding that the model does not attend to.

A model without a chat template goes on after its answer, mostly with a question of its own: what it
says is the first line that it writes, and there it is stopped.

Needs torch and transformers, imported when a model is loaded.
"""

import copy
import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from garden_path.models.checkpoints import Checkpoint, load_checkpoint
from garden_path.models.prompts import Prompts
from garden_path.models.questions import Answer, Question, split_reasoning
from garden_path.models.system import Settings
from metrics._shared.language_models import batches

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
    lists = [list(one) for one in tokens]
    first, last = min(lists), max(lists)  # whatever these two share, all between them share
    most = min(map(len, tokens)) - 1
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return min(sum(1 for _ in same), most)


@dataclass(frozen=True)
class LineTokens:
    """Tokens by what their text says of a line's end.

    Attributes:
        ends: Ids of tokens with a line break in their text.
        blanks: Ids of tokens without anything but white space, line breaks among them.
    """

    ends: frozenset[int]
    blanks: frozenset[int]

    @classmethod
    def of(cls, tokenizer: Any) -> "LineTokens":
        """Those of a tokenizer's vocabulary."""
        ids = sorted(set(tokenizer.get_vocab().values()) - set(tokenizer.all_special_ids))
        texts = dict(zip(ids, tokenizer.batch_decode([[i] for i in ids]), strict=True))
        return cls(
            frozenset(i for i, text in texts.items() if "\n" in text),
            frozenset(i for i, text in texts.items() if text and not text.strip()),
        )

    def first_line(self, numbers: Sequence[int]) -> int | None:
        """How many tokens the first line that says something takes; None where it has no end."""
        is_begun = False
        for n, number in enumerate(numbers, 1):
            is_begun = is_begun or number not in self.blanks
            if is_begun and number in self.ends:
                return n
        return None


@dataclass
class GenerationModel:
    """A loaded model.

    Attributes:
        tokenizer: Of transformers; its chat template is used where it has one.
        model: A causal or an encoder-decoder model.
        prompts: Texts around the question.
        batch_size: Questions per batch; questions of like length go together.
        max_new_tokens: Where an answer is cut; reasoning models need thousands.
    """

    tokenizer: Any
    model: Any
    prompts: Prompts
    batch_size: int = BATCH_SIZE
    max_new_tokens: int = MAX_NEW_TOKENS

    @functools.cached_property
    def lines(self) -> LineTokens | None:
        """Where the answer is one line, the tokens that end it; None for a model that chats."""
        return None if self.tokenizer.chat_template else LineTokens.of(self.tokenizer)

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
        is_plain = not self.tokenizer.chat_template
        found: list[list[int]] = self.tokenizer(prompts, add_special_tokens=is_plain)["input_ids"]
        return found

    def beginning(self, tokens: Sequence[Sequence[int]]) -> "Beginning | None":
        """What all prompts begin with, computed; None where that is short or cannot be lent.

        Args:
            tokens: Token ids of every prompt; each keeps at least one of its own.
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
        if not self.tokenizer.chat_template:
            return self.prompts.in_plain_text(question)
        messages = self.prompts.messages(question)
        try:
            return str(
                self.tokenizer.apply_chat_template(
                    messages, tokenize=False, add_generation_prompt=True
                )
            )
        except Exception as error:
            if type(error).__module__.split(".")[0] != "jinja2":
                raise
            merged = [
                {"role": "user", "content": "\n\n".join(message["content"] for message in messages)}
            ]
            return str(
                self.tokenizer.apply_chat_template(
                    merged, tokenize=False, add_generation_prompt=True
                )
            )

    def generate(
        self, prompts: Sequence[Sequence[int]], beginning: "Beginning | None" = None
    ) -> list[Answer]:
        """Continues a batch of prompts, greedily.

        Args:
            prompts: Token ids of each.
            beginning: What they all begin with, computed.
        """
        import torch

        n = beginning.n if beginning else 0
        longest = max(map(len, prompts))
        ids = [
            [*one[:n], *[self.tokenizer.pad_token_id] * (longest - len(one)), *one[n:]]
            for one in prompts
        ]
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
        return [
            self.read(len(one), tokens.tolist())
            for tokens, one in zip(written[:, given:], prompts, strict=True)
        ]

    def stopping(self, n_given: int) -> list[Any]:
        """What stops a sequence besides its own end: the end of the line, for who does not chat."""
        import torch

        if (lines := self.lines) is None:
            return []

        def is_done(ids: Any, scores: Any, **given: Any) -> Any:
            ends = [lines.first_line(row) is not None for row in ids[:, n_given:].tolist()]
            return torch.tensor(ends, device=ids.device)

        return [is_done]

    def read(self, n_prompt_tokens: int, numbers: Sequence[int]) -> Answer:
        """The answer that generated tokens are, up to the first that ends it."""
        ends = {self.tokenizer.eos_token_id, self.tokenizer.pad_token_id}
        ends |= set(_as_list(self.model.generation_config.eos_token_id))
        length = next((i for i, number in enumerate(numbers) if number in ends), len(numbers))
        reason = "length" if length >= self.max_new_tokens else "stop"
        line = self.lines.first_line(numbers[:length]) if self.lines else None
        if line is not None:
            length, reason = line, "stop"
        written = self.tokenizer.decode(numbers[:length], skip_special_tokens=True)
        if line is not None:
            written = written.strip().partition("\n")[0]
        text, reasoning = split_reasoning(written)
        return Answer(text, reasoning, n_prompt_tokens, length, None, reason)


def load_generation_model(
    argument: str, prompts: Prompts, settings: Settings, max_new_tokens: int = MAX_NEW_TOKENS
) -> tuple[GenerationModel, Checkpoint]:
    """A model by name or folder, ready to answer, and its checkpoint.

    Args:
        argument: `NAME[@REVISION]` on the Hub, or a folder.
        prompts: Texts around the question.
        settings: Device, number type, batch size, revision.
        max_new_tokens: Where an answer is cut.
    """
    checkpoint = load_checkpoint(
        argument,
        settings,
        "AutoModelForCausalLM",
        encoder_decoder="AutoModelForSeq2SeqLM",
        padding_side="left",
    )
    if checkpoint.tokenizer.pad_token is None:
        checkpoint.tokenizer.pad_token = checkpoint.tokenizer.eos_token
    batch_size = settings.batch_size or BATCH_SIZE
    model = GenerationModel(
        checkpoint.tokenizer, checkpoint.model, prompts, batch_size, max_new_tokens
    )
    return model, checkpoint


def _as_list(value: int | list[int] | None) -> list[int]:
    return value if isinstance(value, list) else [] if value is None else [value]
