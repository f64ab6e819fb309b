"""What regions of a text get of its tokens' log-probabilities, comparable between texts.

    我|喜欢|护士|服         tokens
        [    )             a region whose ends no token crosses: the sum of its tokens
              [ )          士服: its beginning lies inside a token; the region grows to the left,
           [    )          in all members alike, up to where a token ends in each: 护士服

A token belongs where its first character stands that is no blank, so that the blank that many
tokenizers put in front of a word crosses nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from systems.arrays import BoolArray, IntArray
from systems.language_models import TokenScores

SLLN_EXPONENT = 0.5


@dataclass(frozen=True)
class Likelihood:
    """Log-probability of a stretch of text, in nats, and how long that stretch is.

    Attributes:
        total: Sum over its tokens, at most 0; 0.0 for none.
        n_tokens: Tokens with a log-probability; a text's first has none without a start token.
        n_characters: Characters.
    """

    total: float
    n_tokens: int
    n_characters: int

    @property
    def per_token(self) -> float:
        """Mean over tokens; nan for no token."""
        return self.total / self.n_tokens if self.n_tokens else float("nan")

    @property
    def per_character(self) -> float:
        """Sum over the number of characters; nan for none."""
        return self.total / self.n_characters if self.n_characters else float("nan")

    @property
    def slln(self) -> float:
        """Sub-linear length normalised: the sum over the square root of the number of tokens.

        It lies between the sum, which favours short texts, and the mean, which favours long ones.
        nan for no token. Source: Liu et al. (2024), ZhoBLiMP.
        """
        return self.total / self.n_tokens**SLLN_EXPONENT if self.n_tokens else float("nan")


@dataclass(frozen=True)
class RegionScores:
    """One region in all members of a pair.

    Attributes:
        likelihoods: Of each member.
        is_extended: Whether a token crossed an end, so that the region was made larger.
    """

    likelihoods: tuple[Likelihood, ...]
    is_extended: bool


def whole(text: str, scores: TokenScores) -> Likelihood:
    """Log-probability of a whole text."""
    return Likelihood(float(scores.log_probabilities.sum()), len(scores.starts), len(text))


def region_scores(
    texts: Sequence[str], scores: Sequence[TokenScores], regions: Sequence[tuple[int, int]]
) -> RegionScores:
    """Log-probability of one region in each member, extended alike in all where a token needs it.

    Args:
        texts: The members.
        scores: Their tokens.
        regions: The region in each, character offsets, half open.

    Raises:
        ValueError: A region does not lie in its text.
    """
    for text, (start, end) in zip(texts, regions, strict=True):
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"region, got {(start, end)}; expected a part of {text!r}")
    free = [_boundaries(text, tokens) for text, tokens in zip(texts, scores, strict=True)]
    before = _steps([p[: start + 1][::-1] for p, (start, _) in zip(free, regions, strict=True)])
    behind = _steps([p[end:] for p, (_, end) in zip(free, regions, strict=True)])
    likelihoods = tuple(
        _inside(text, tokens, start - before, end + behind)
        for text, tokens, (start, end) in zip(texts, scores, regions, strict=True)
    )
    return RegionScores(likelihoods, before + behind > 0)


def _steps(free: Sequence[BoolArray]) -> int:
    """Characters to go until all members have a boundary; a text's ends are boundaries of it.

    Where one member ends before, its end is as far as all go.
    """
    shortest = min(map(len, free))
    both = np.logical_and.reduce([places[:shortest] for places in free])
    return int(np.argmax(both)) if both.any() else shortest - 1


def _boundaries(text: str, scores: TokenScores) -> BoolArray:
    """At which places, 0 to the length, no token stands on both sides; shape (characters + 1,)."""
    free = np.ones(len(text) + 1, dtype=bool)
    first = int(scores.starts[0]) if len(scores.starts) else len(text)
    for start, end in [(0, first), *zip(_trimmed(text, scores), scores.ends, strict=True)]:
        free[start + 1 : end] = False
    return free


def _trimmed(text: str, scores: TokenScores) -> IntArray:
    """Place of each token's first character that is no blank; its end where it has none."""
    places = [
        end - len(text[start:end].lstrip())
        for start, end in zip(scores.starts.tolist(), scores.ends.tolist(), strict=True)
    ]
    return np.array(places, dtype=np.int64)


def _inside(text: str, scores: TokenScores, start: int, end: int) -> Likelihood:
    places = _trimmed(text, scores)
    is_inside = (places >= start) & (places < end)
    return Likelihood(
        float(scores.log_probabilities[is_inside].sum()), int(is_inside.sum()), end - start
    )
