"""What all suites say of likelihoods: stretches of text whose log-probabilities are compared.

A measure of a row has two members, of which the first should be more probable, four, of which the
first two are compared with the last two, or any number to choose among.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Stretch(NamedTuple):
    """A stretch of a text, half open: its log-probability is that of its tokens given all before.

    Example:
        >>> behind("The dog that barked was the", " fox.")
        Stretch(text='The dog that barked was the fox.', start=27, end=32)
    """

    text: str
    start: int
    end: int


Measures = Mapping[str, Sequence[Stretch]]
"""The members of each measure of a row, by the measure's name."""


def all_of(text: str) -> Stretch:
    """A whole text."""
    return Stretch(text, 0, len(text))


def behind(context: str, rest: str) -> Stretch:
    """What stands behind a context."""
    return Stretch(context + rest, len(context), len(context) + len(rest))
