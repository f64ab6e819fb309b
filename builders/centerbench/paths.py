"""The space of chains over a set of licensed relations, counted and sampled.

Nouns are the nodes of a graph, licensed relations its edges from object to subject; a chain is a
path that starts at its outermost noun. The number of paths that leave each node decides how often a
step is taken, so that every path is equally likely. A chain that fails as a whole is drawn again.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple, TypeAlias

from builders.centerbench.embedding import Chain
from builders.centerbench.relations import DISABLING, NounEntry, VerbClass, VerbEntry

Used: TypeAlias = "Counter[str]"  # how often a draw has had a verb, and a class of verbs, so far


class Step(NamedTuple):
    """All relations from one subject to one object; `disabling` verbs leave it unable to act."""

    subject: NounEntry
    verbs: tuple[VerbEntry, ...]
    disabling: tuple[VerbEntry, ...]


def is_compatible(final: VerbClass, verb: VerbClass) -> bool:
    """Whether the outermost noun can still do a final verb of one class after a verb of the other.

    Whoever meets a lethal verb dies, and nobody else does; whoever is disabled can cry out or
    suffer, and no more (the paper, section 2.2, temporal validity).
    """
    if verb == "lethal" or final == "death":
        return verb == "lethal" and final == "death"
    return verb not in DISABLING or final in ("cry", "plight")


def compatible_pairs(
    finals: Iterable[VerbEntry], verbs: Sequence[VerbEntry]
) -> list[tuple[VerbEntry, VerbEntry]]:
    """Final verbs with the outermost edge's verbs, as far as these are compatible."""
    return [(f, v) for f in finals for v in verbs if is_compatible(f.verb_class, v.verb_class)]


def repeats(verb: VerbEntry, others: Iterable[VerbEntry]) -> bool:
    """Whether a verb shares its meaning or its first word with one of the others."""
    meaning, word = verb.meaning, _first_word(verb.verb)
    return any(other.meaning == meaning or _first_word(other.verb) == word for other in others)


@cache
def _first_word(verb: str) -> str:
    return verb.split()[0]


def choose_verb(
    options: Sequence[VerbEntry], chosen: Sequence[VerbEntry], rng: Random, used: Used
) -> VerbEntry:
    """One of some verbs: one that was used least so far, of a class that was used least.

    A verb that repeats a chosen one is taken only where there is no other.
    """
    fresh = [verb for verb in options if not repeats(verb, chosen)] or list(options)
    uses = [(used[verb.verb], used[verb.verb_class]) for verb in fresh]
    least = min(uses)
    return rng.choice([verb for verb, use in zip(fresh, uses, strict=True) if use == least])


def choose_opening(
    options: Sequence[tuple[VerbEntry, VerbEntry]], rng: Random, used: Used
) -> tuple[VerbEntry, VerbEntry]:
    """One of some pairs of a final verb and the outermost edge's verb, the latter chosen first."""
    verb = choose_verb(list({verb.verb: verb for _, verb in options}.values()), (), rng, used)
    finals = [final for final, other in options if other is verb]
    return choose_verb(finals, [verb], rng, used), verb


class PathSpace:
    """All chains of a knowledge base's admitted relations, before the checks on whole chains."""

    def __init__(
        self,
        nouns: Sequence[NounEntry],
        finals: Mapping[str, Sequence[VerbEntry]],
        steps: Mapping[str, Sequence[Step]],
    ) -> None:
        self._nouns, self._finals, self._steps = nouns, finals, steps
        self._upward = cache(self._count_upward)
        self._upward_weights = cache(self._weigh_steps)
        self._openings = cache(self._weigh_openings)

    def count(self, level: int) -> int:
        """The number of paths of a level (1 or more)."""
        weights = self._openings(level)[1]
        return weights[-1] if weights else 0

    def sample(self, level: int, rng: Random, used: Used) -> Chain:
        """One path of a level, which must have some; its verbs are those used least so far."""
        openings, weights = self._openings(level)
        noun, step, _ = openings[_draw(weights, rng)]
        verbs = list(choose_opening(self._choices(noun, step), rng, used))
        nouns = [noun, step.subject]
        for remaining in range(level - 1, 0, -1):
            weights = self._upward_weights(nouns[-1].noun, remaining)
            step = self._steps[nouns[-1].noun][_draw(weights, rng)]
            nouns.append(step.subject)
            verbs.append(choose_verb(step.verbs, verbs, rng, used))
        return Chain(tuple(nouns), tuple(verbs))

    def enumerate(self, level: int) -> Iterator[Chain]:
        """Every path of a level, in table order."""
        for noun, step, _ in self._openings(level)[0]:
            for verbs in self._choices(noun, step):
                yield from self._extend((noun, step.subject), verbs, level - 1)

    def _extend(
        self, nouns: tuple[NounEntry, ...], verbs: tuple[VerbEntry, ...], remaining: int
    ) -> Iterator[Chain]:
        if not remaining:
            yield Chain(nouns, verbs)
            return
        for step in self._steps[nouns[-1].noun]:
            for verb in step.verbs:
                yield from self._extend((*nouns, step.subject), (*verbs, verb), remaining - 1)

    def _count_upward(self, noun: str, remaining: int) -> int:
        """Number of paths of `remaining` steps above a noun; none of their verbs disables."""
        weights = self._upward_weights(noun, remaining) if remaining else [1]
        return weights[-1] if weights else 0

    def _weigh_steps(self, noun: str, remaining: int) -> list[int]:
        steps = self._steps[noun]
        ways = (len(s.verbs) * self._upward(s.subject.noun, remaining - 1) for s in steps)
        return list(accumulate(ways))

    def _weigh_openings(self, level: int) -> tuple[list[tuple[NounEntry, Step, int]], list[int]]:
        """Outermost nouns, steps towards them and numbers of their verbs, and running totals."""
        openings = []
        for noun in self._nouns:
            finals = Counter(final.verb_class for final in self._finals[noun.noun])
            for step in self._steps[noun.noun]:
                # as many as `_choices`, unlisted: what is compatible is a matter of classes
                verbs = Counter(verb.verb_class for verb in step.verbs + step.disabling)
                pairs = ((f, v) for f in finals for v in verbs if is_compatible(f, v))
                n_choices = sum(finals[f] * verbs[v] for f, v in pairs)
                if n_choices and self._upward(step.subject.noun, level - 1):
                    openings.append((noun, step, n_choices))
        weights = (n * self._upward(step.subject.noun, level - 1) for _, step, n in openings)
        return openings, list(accumulate(weights))

    def _choices(self, noun: NounEntry, step: Step) -> list[tuple[VerbEntry, VerbEntry]]:
        return compatible_pairs(self._finals[noun.noun], (*step.verbs, *step.disabling))


def _draw(cumulative_weights: Sequence[int], rng: Random) -> int:
    """Index drawn in proportion to its weight; takes the running totals of the weights."""
    return bisect_right(cumulative_weights, rng.randrange(cumulative_weights[-1]))
