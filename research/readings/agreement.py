"""How two readers agree on questions with yes or no for an answer."""

from collections.abc import Sequence
from math import nan
from typing import NamedTuple


class Agreement(NamedTuple):
    """How often two readers say yes to a question, out of `n`, and Cohen's kappa."""

    question: str
    n: int
    first: int
    second: int
    kappa: float


def agreement(question: str, first: Sequence[bool], second: Sequence[bool]) -> Agreement:
    """Agreement of two readers' answers to one question about the same things."""
    return Agreement(question, len(first), sum(first), sum(second), cohen_kappa(first, second))


def cohen_kappa(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Cohen's kappa of two readers, 1 for full, 0 for chance; nan where both give one answer."""
    n = len(first)
    if not n:
        return nan
    shared = sum(one == other for one, other in zip(first, second, strict=True))
    shares = [sum(first) / n, sum(second) / n]
    by_chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return (shared / n - by_chance) / (1 - by_chance) if by_chance < 1 else nan
