"""Answers from any generation model of transformers: batched, with its chat template, greedy.

Needs torch and transformers, imported when a model is loaded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from systems.checkpoints import Checkpoint, load_checkpoint
from systems.prompts import Prompts
from systems.questions import Answer, Question, split_reasoning
from systems.system import Settings

BATCH_SIZE = 16
MAX_NEW_TOKENS = 96


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

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Answers batch by batch, longest prompts first: what exceeds the memory fails at once."""
        prompts = [self.prompt(question) for question in questions]
        order = sorted(range(len(prompts)), key=lambda i: -len(prompts[i]))
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            yield from zip(places, self.generate([prompts[i] for i in places]), strict=True)

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

    def generate(self, prompts: Sequence[str]) -> list[Answer]:
        """Continues a batch of prompts, greedily."""
        import torch

        has_template = bool(self.tokenizer.chat_template)
        batch = self.tokenizer(
            list(prompts), return_tensors="pt", padding=True, add_special_tokens=not has_template
        )
        batch = batch.to(self.model.device)
        batch.pop("token_type_ids", None)
        with torch.inference_mode():
            written = self.model.generate(
                **batch,
                do_sample=False,
                max_new_tokens=self.max_new_tokens,
                pad_token_id=self.tokenizer.pad_token_id,
            )
        given = (
            1 if self.model.config.is_encoder_decoder else batch["input_ids"].shape[1]
        )  # a decoder starts with one token of its own
        written = written[:, given:]
        return [
            self._answer(tokens, int(mask.sum()))
            for tokens, mask in zip(written, batch["attention_mask"], strict=True)
        ]

    def _answer(self, tokens: Any, n_prompt_tokens: int) -> Answer:
        ends = {self.tokenizer.eos_token_id, self.tokenizer.pad_token_id}
        ends |= set(_as_list(self.model.generation_config.eos_token_id))
        numbers = tokens.tolist()
        length = next((i for i, number in enumerate(numbers) if number in ends), len(numbers))
        text, reasoning = split_reasoning(
            self.tokenizer.decode(numbers[:length], skip_special_tokens=True)
        )
        reason = "length" if length >= self.max_new_tokens else "stop"
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
