"""Language models: texts in, the log-probability of every token out.

    transformers:NAME   any causal language model
    python:package.module:function   your own: a list of texts in, for each a list of
                        (start, end, log-probability) of its tokens out

Log-probabilities are natural logarithms. Each text begins with exactly one start token, where the
model has one that it was trained to begin with; a tokenizer that adds it itself is not given a
second. Without a start token the first token of a text has no log-probability and is left out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from systems.arrays import FloatArray, IntArray
from systems.checkpoints import load_checkpoint
from systems.system import Loader, Settings, System, as_list

BATCH_SIZE = 16
STARTS = ("auto", "always", "never")


@dataclass(frozen=True)
class TokenScores:
    """Tokens of one text and their log-probabilities, each given all before it.

    Attributes:
        starts, ends: Character offsets of each token, half open, shape (tokens,).
        log_probabilities: Natural logarithms, at most 0, shape (tokens,).
    """

    starts: IntArray
    ends: IntArray
    log_probabilities: FloatArray


Score = Callable[[Sequence[str]], list[TokenScores]]


@dataclass(frozen=True)
class LanguageModel(System):
    """A language model ready to run.

    Attributes:
        predict: Token scores of each text.
    """

    predict: Score


@dataclass(frozen=True)
class LanguageModelSettings(Settings):
    """How a language model is loaded; see `Settings` for the first four."""

    start_token: str = field(
        default="auto",
        metadata={
            "help": "whether a text begins with the start token: as the tokenizer does it, or else",
            "choices": STARTS,
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start_token not in STARTS:
            raise ValueError(
                f"start_token, got {self.start_token!r}; expected one of {', '.join(STARTS)}"
            )


SETTINGS = LanguageModelSettings


def of_function(
    name: str,
    version: str,
    function: Callable[[list[str]], Sequence[Iterable[tuple[int, int, float]]]],
    settings: LanguageModelSettings,
) -> LanguageModel:
    """A language model of a user's function.

    Texts go in; (start, end, log-probability) of the tokens of each come out.

    Raises:
        ValueError: When it runs: there is not one list per text, or a value is no log-probability
            of a part of it.
    """

    def predict(texts: Sequence[str]) -> list[TokenScores]:
        found = as_list(name, "token scores of texts", function(list(texts)), len(texts))
        return [_checked(name, text, tokens) for text, tokens in zip(texts, found, strict=True)]

    return LanguageModel(name, version, predict, batch_size=BATCH_SIZE)


def load_transformers(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """Loads a causal language model of transformers.

    Raises:
        ValueError: The tokenizer gives no offsets, or a start token is wanted and there is none.
    """
    checkpoint = load_checkpoint(argument, settings, "AutoModelForCausalLM")
    tokenizer = checkpoint.tokenizer
    if not tokenizer.is_fast:
        raise ValueError(
            f"{argument}: tokenizer, got {type(tokenizer).__name__}; expected a fast one, which"
            " tells characters' offsets"
        )
    start = _start_token(argument, tokenizer, settings.start_token)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    begun = "without a start token" if start is None else f"after {tokenizer.decode([start])}"
    return LanguageModel(
        name,
        f"{checkpoint.version} {begun}",
        lambda texts: _score(checkpoint.model, tokenizer, start, texts),
        n_parameters=checkpoint.n_parameters,
        batch_size=BATCH_SIZE,
    )


def _start_token(argument: str, tokenizer: Any, wanted: str) -> int | None:
    """Number of the token that every text begins with, None for none."""
    is_added = tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id is not None
    if wanted == "never" or (wanted == "auto" and not is_added):
        return None
    if tokenizer.bos_token_id is None:
        raise ValueError(f"{argument}: start token, got none; expected start_token auto or never")
    return int(tokenizer.bos_token_id)


def _score(
    model: Any, tokenizer: Any, start: int | None, texts: Sequence[str]
) -> list[TokenScores]:
    import torch

    batch = [
        tokenizer(text, add_special_tokens=False, return_offsets_mapping=True) for text in texts
    ]
    begin = [] if start is None else [start]
    numbers = [begin + encoded["input_ids"] for encoded in batch]
    longest = max((len(row) for row in numbers), default=0)
    if longest < 2:
        return [_token_scores([], []) for _ in texts]
    padded = [row + [tokenizer.pad_token_id or 0] * (longest - len(row)) for row in numbers]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in numbers]
    inputs = torch.tensor(padded, device=model.device)
    with torch.inference_mode():
        logits = model(inputs, attention_mask=torch.tensor(mask, device=model.device)).logits
        scores = logits[:, :-1].float().log_softmax(-1)
        chosen = scores.gather(-1, inputs[:, 1:, None]).squeeze(-1).double().cpu().tolist()
    first = 1 - len(begin)  # without a start token the first token is not predicted
    return [
        _token_scores(encoded["offset_mapping"][first:], values[: max(0, len(row) - 1)])
        for encoded, values, row in zip(batch, chosen, numbers, strict=True)
    ]


def _token_scores(offsets: Sequence[Sequence[int]], values: Sequence[float]) -> TokenScores:
    places = np.array(offsets, dtype=np.int64).reshape(len(values), 2)
    return TokenScores(places[:, 0], places[:, 1], np.array(values, dtype=np.float64))


def _checked(name: str, text: str, tokens: object) -> TokenScores:
    found = [
        as_list(name, "(start, end, log-probability)", token, 3)
        for token in as_list(name, "tokens", tokens)
    ]
    for start, end, score in found:
        if not (0 <= start <= end <= len(text) and score <= 0):
            raise ValueError(
                f"{name}: token, got {(start, end, score)}; expected (start, end, log-probability)"
                f" within {text!r}, the last at most 0"
            )
    return _token_scores([token[:2] for token in found], [token[2] for token in found])


LOADERS: Mapping[str, Loader] = {
    "transformers": Loader(load_transformers, "NAME[@REVISION]", install="'.[models]'"),
}
