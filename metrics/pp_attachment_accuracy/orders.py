"""Readers of word order: what one gets who sees where words stand, and nothing of what they say.

Each takes a phrase and gives the candidate that it hangs the phrase on. Where the members of a pair
have the same order and other words, it gives the same answer to both.

    verb               always the verb
    nearest-noun       the noun with the fewest words between, the left one of two
    adjacent           the noun right before the preposition, else the verb
    nearest-preceding  the nearest candidate to the left, else the verb
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class PrepositionalPhrase(NamedTuple):
    """Where a prepositional phrase and its candidate heads stand; all words are 0-based.

    Attributes:
        adposition: Its preposition.
        pp: Its noun.
        verb: The main verb, one of the candidates.
        candidates: All words that can be its head, ascending.
    """

    adposition: int
    pp: int
    verb: int
    candidates: Sequence[int]

    @property
    def nouns(self) -> list[int]:
        """The candidates but for the verb."""
        return [word for word in self.candidates if word != self.verb]

    def distance(self, word: int) -> int:
        """Words between the phrase and a word outside of it."""
        if word < self.adposition:
            return self.adposition - word - 1
        return word - self.pp - 1


def always_verb(phrase: PrepositionalPhrase) -> int:
    """The verb."""
    return phrase.verb


def nearest_noun(phrase: PrepositionalPhrase) -> int:
    """The noun with the fewest words between, the left one of two; the verb where there is none.

    Example:
        Mit dem Fernglas sieht der Mann die Frau:

        >>> nearest_noun(PrepositionalPhrase(0, 2, 3, [3, 5, 7]))
        5
    """
    return min(phrase.nouns, key=lambda word: (phrase.distance(word), word), default=phrase.verb)


def adjacent(phrase: PrepositionalPhrase) -> int:
    """The noun right before the preposition, else the verb.

    Example:
        Die Frau mit dem Fernglas sieht der Mann; Die Frau sieht der Mann heute mit dem Fernglas:

        >>> adjacent(PrepositionalPhrase(2, 4, 5, [1, 5, 7]))
        1
        >>> adjacent(PrepositionalPhrase(6, 8, 2, [1, 2, 4]))
        2
    """
    before = phrase.adposition - 1
    return before if before in phrase.candidates else phrase.verb


def nearest_preceding(phrase: PrepositionalPhrase) -> int:
    """The nearest candidate to the left, else the verb.

    Example:
        Mit dem Fernglas sieht der Mann die Frau; Der Mann sieht mit dem Fernglas die Frau:

        >>> nearest_preceding(PrepositionalPhrase(0, 2, 3, [3, 5, 7]))
        3
        >>> nearest_preceding(PrepositionalPhrase(3, 5, 2, [1, 2, 7]))
        2
    """
    return max(
        (word for word in phrase.candidates if word < phrase.adposition), default=phrase.verb
    )


ORDER_READERS: Mapping[str, Callable[[PrepositionalPhrase], int]] = {
    "verb": always_verb,
    "nearest-noun": nearest_noun,
    "adjacent": adjacent,
    "nearest-preceding": nearest_preceding,
}
