"""A deterministic parser of center-embedded sentences: subjects stack up, verbs unstack them.

What follows the main verb, if anything, branches to the right: "... the vole that squeaked". A
generated sentence must have exactly one reading, the one it was made from.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from builders.centerbench.events import CenterVerb, Event

# where a noun begins that a clause follows; not the end of "climbed the tree"
RIGHT = re.compile(r" the (?=(?:(?! the ).)+ that )")


class CenterReading(NamedTuple):
    """One analysis: nouns and past-tense verb phrases, outermost first.

    Verb k relates noun k to noun k - 1; verb 0 is the final one.
    """

    nouns: tuple[str, ...]
    verbs: tuple[str, ...]

    def events(self, forms: Mapping[str, CenterVerb]) -> list[Event]:
        """The reading's events, innermost first."""
        objects = (None, *self.nouns)
        return [
            Event(noun, forms[verb], patient)
            for noun, verb, patient in zip(self.nouns, self.verbs, objects, strict=False)
        ][::-1]


class CenterLexicon:
    """The nouns and past-tense verb phrases that a parser knows."""

    def __init__(self, nouns: Collection[str], verbs: Collection[str]) -> None:
        self._nouns = {tuple(noun.split()) for noun in nouns}
        self._longest_noun = max(map(len, self._nouns), default=0)
        self._verbs: dict[str, list[tuple[str, ...]]] = {}
        for verb in verbs:
            words = tuple(verb.split())
            self._verbs.setdefault(words[0], []).append(words)

    def parse(self, sentence: str) -> list[CenterReading]:
        """Every reading of a sentence "The N that the N ... that the N V ... V the N that V.".

        Every word belongs to a known noun or verb, and there are as many verbs as nouns.

        Example:
            >>> lexicon = CenterLexicon({"cat", "dog"}, {"chased", "meowed"})
            >>> lexicon.parse("The cat that the dog chased meowed.")
            [CenterReading(nouns=('cat', 'dog'), verbs=('meowed', 'chased'))]
        """
        *outer, innermost = sentence.removeprefix("The ").removesuffix(".").split(" that the ")
        innermost, *rest = RIGHT.split(innermost)
        right = [tuple(part.split(" that ")) for part in reversed(rest)]
        if not all(tuple(noun.split()) in self._nouns for noun in outer):
            return []
        for part in right:
            noun, *verb = (tuple(text.split()) for text in part)
            is_known = len(verb) == 1 and verb[0] and verb[0] in self._verbs.get(verb[0][0], ())
            if noun not in self._nouns or not is_known:
                return []
        words = tuple(innermost.split())
        return [
            CenterReading(
                (*(noun for noun, _ in right), *outer, " ".join(words[:end])),
                (*(verb for _, verb in right), *(" ".join(verb) for verb in reversed(verbs))),
            )
            for end in range(1, min(self._longest_noun, len(words)) + 1)
            if words[:end] in self._nouns
            for verbs in self._segment(words, end, len(outer) + 1)
        ]

    def _segment(
        self, words: Sequence[str], start: int, n_verbs: int
    ) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Every way to cut `words[start:]` into exactly `n_verbs` known verbs."""
        if not n_verbs and start == len(words):
            yield ()
        for verb in self._verbs.get(words[start], ()) if n_verbs and start < len(words) else ():
            end = start + len(verb)
            if tuple(words[start:end]) == verb:
                yield from ((verb, *rest) for rest in self._segment(words, end, n_verbs - 1))
