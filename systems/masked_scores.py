"""Pseudo-log-likelihoods under a masked model, within-word left-to-right.

Every token is masked together with those of its own word that follow it, since what is left of a
word gives the rest of it away:

    the straf ##bar ##keit      the [MASK] [MASK] [MASK]    for straf
                                the straf [MASK] [MASK]     for ##bar

Source: Kauf & Ivanova (2023), "A better way to do masked language model scoring".
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from systems.causal_scores import SCORES_AT_ONCE


class Masking(NamedTuple):
    """A text with some tokens masked: its numbers, the place that is asked for, the token there."""

    text: int
    numbers: tuple[int, ...]
    place: int
    token: int


def maskings(
    text: int, numbers: Sequence[int], words: Sequence[int | None], mask: int
) -> Iterator[Masking]:
    """One masking per token that belongs to a word.

    Args:
        text: Which text it is.
        numbers: Its tokens with the special ones.
        words: The word that each belongs to, None for special tokens.
        mask: Number of the mask.
    """
    for place, word in enumerate(words):
        if word is not None:
            hidden = [
                mask if i >= place and words[i] == word else number
                for i, number in enumerate(numbers)
            ]
            yield Masking(text, tuple(hidden), place, numbers[place])


def score_maskings(model: Any, asked: Sequence[Masking], padding: int) -> list[float]:
    """Natural log-probability of the token at each asked place, in the order of `asked`."""
    import torch

    found = [0.0] * len(asked)
    order = sorted(range(len(asked)), key=lambda i: len(asked[i].numbers))
    with torch.inference_mode():
        for batch in _batches(asked, order, int(model.config.vocab_size)):
            longest = len(asked[batch[-1]].numbers)
            rows = [
                [*asked[i].numbers, *[padding] * (longest - len(asked[i].numbers))] for i in batch
            ]
            seen = [[int(k < len(asked[i].numbers)) for k in range(longest)] for i in batch]
            logits = model(
                torch.tensor(rows, device=model.device),
                attention_mask=torch.tensor(seen, device=model.device),
            ).logits
            places = torch.tensor([asked[i].place for i in batch], device=model.device)
            tokens = torch.tensor([asked[i].token for i in batch], device=model.device)
            each = torch.arange(len(batch), device=model.device)
            scores = logits[each, places].float().log_softmax(-1)[each, tokens]
            for i, score in zip(batch, scores.double().cpu().tolist(), strict=True):
                found[i] = score
    return found


def _batches(
    asked: Sequence[Masking], order: Sequence[int], vocabulary: int
) -> Iterator[list[int]]:
    room, batch = max(1, SCORES_AT_ONCE // vocabulary), list[int]()
    for i in order:
        if batch and (len(batch) + 1) * len(asked[i].numbers) > room:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
