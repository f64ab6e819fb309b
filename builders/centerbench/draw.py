"""Whole suites from the knowledge base: minimal pairs, or sentences matched by level only.

A draw is a function of seed, size and level: each level and domain has its own generator, seeded by
a string, so that another level, another domain or a larger size changes no pair that is drawn
anyway.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, cached_property
from itertools import islice
from random import Random
from typing import NamedTuple

from builders.centerbench.admission import paired_space, unpaired_space
from builders.centerbench.embedding import Chain
from builders.centerbench.mirror import MirrorSpace
from builders.centerbench.parser import Lexicon
from builders.centerbench.paths import PathSpace
from builders.centerbench.relations import DOMAINS, Domain, KnowledgeBase, Restriction

LEVELS = (1, 2, 3, 4, 5, 6)
STRESS_LEVELS = (7, 8, 9, 10)
PAIRS_PER_LEVEL = 30
WRONG_SUBJECT: frozenset[Restriction] = frozenset({"rank", "subject_sort"})
EXHAUSTED_AFTER = 20_000
ENUMERABLE = 2_000_000


class SentencePair(NamedTuple):
    """A plausible and an implausible chain of one level, and where they stand in the draw."""

    level: int
    number: int
    plausible: Chain
    implausible: Chain

    @property
    def pair_id(self) -> str:
        """Names the pair within a draw: level and number."""
        return f"{self.level}-{self.number:05d}"


def draw(
    seed: int = 0,
    size: int = PAIRS_PER_LEVEL,
    *,
    levels: Sequence[int] = LEVELS,
    is_unpaired: bool = False,
    exclude: Collection[str] = (),
) -> Iterator[list[SentencePair]]:
    """Draws the suite level by level.

    Args:
        seed: Which draw; 0 is the published one.
        size: Pairs per level, 1 or more; by default the paper's 30.
        levels: Numbers of nested relative clauses.
        is_unpaired: Whether the members of a pair share their level only.
        exclude: Sentences that are not drawn.

    Yields:
        The pairs of one level.

    Raises:
        ValueError: The size is below 1, or larger than the knowledge base can fill.
    """
    if size < 1:
        raise ValueError(f"centerbench: size, got {size}; expected 1 or more pairs per level")
    drawer = default_drawer()
    draw_level = drawer.draw_unpaired if is_unpaired else drawer.draw
    for level in levels:
        yield draw_level(level, seed, size, exclude)


@cache
def default_drawer() -> "Drawer":
    """The drawer of the project's own tables, read and counted once per process."""
    return Drawer(KnowledgeBase())


class Drawer:
    """Draws uniformly among the sound chains of a space, which is counted when first needed."""

    def __init__(self, knowledge: KnowledgeBase) -> None:
        """Takes the knowledge base."""
        self.knowledge = knowledge
        self._lexicon = Lexicon(knowledge.nouns, knowledge.verbs)
        self._spaces: dict[Domain, MirrorSpace] = {}

    def draw(
        self, level: int, seed: int, size: int, exclude: Collection[str] = ()
    ) -> list[SentencePair]:
        """Different minimal pairs of a level, the domains in turn.

        Args:
            level: The number of nested relative clauses, 1 or more.
            seed: Which draw.
            size: How many pairs.
            exclude: Sentences that neither member of a pair may be.

        Returns:
            The pairs; pair i is of domain i modulo their number. A smaller size gives the first of
            these.

        Raises:
            ValueError: A domain has fewer chains than its share of the pairs; the message gives its
                capacity.
        """
        pairs = []
        for i, domain in enumerate(DOMAINS):
            n_wanted = len(range(i, size, len(DOMAINS)))
            rng = Random(f"centerbench/{seed}/{level}/{domain}")
            chains = self._take(
                n_wanted,
                level,
                domain,
                self._chains(self.space(domain), level, rng, self._admits_pair(exclude)),
            )
            pairs += [
                SentencePair(level, i + len(DOMAINS) * n, chain, chain.reversed_nouns())
                for n, chain in enumerate(chains)
            ]
        return sorted(pairs, key=lambda pair: pair.number)

    def draw_unpaired(
        self, level: int, seed: int, size: int, exclude: Collection[str] = ()
    ) -> list[SentencePair]:
        """Plausible and implausible sentences that share their level only, as the authors' do.

        The plausible ones may mix domains and have lethal and symmetric verbs and generic final
        verbs; the implausible ones are those of the minimal pairs of the same seed.

        Args:
            level: The number of nested relative clauses, 1 or more.
            seed: Which draw.
            size: How many sentences of each condition.
            exclude: Sentences that are not drawn.

        Raises:
            ValueError: There are fewer chains than asked for; the message gives the capacity.
        """
        rng = Random(f"centerbench/unpaired/{seed}/{level}")
        chains = self._chains(
            self._unpaired_space,
            level,
            rng,
            lambda chain: self.is_sound(chain) and chain.sentence() not in exclude,
        )
        plausible = self._take(size, level, "mixed", chains)
        implausible = [pair.implausible for pair in self.draw(level, seed, size, exclude)]
        return [
            SentencePair(level, n, *members)
            for n, members in enumerate(zip(plausible, implausible, strict=True))
        ]

    def is_sound(self, chain: Chain) -> bool:
        """Whether a chain repeats no noun and no first word of a verb, and has one reading."""
        first_words = {verb.verb.split()[0] for verb in chain.verbs}
        has_repetition = len(first_words) < len(chain.verbs) or len(
            {noun.noun for noun in chain.nouns}
        ) < len(chain.nouns)
        return not has_repetition and self._lexicon.parse(chain.sentence()) == [chain.reading()]

    def is_minimal_pair(self, chain: Chain) -> bool:
        """Whether a chain is sound and each event of its reversal wrong for its subject."""
        if not self.is_sound(chain):
            return False
        reversal = chain.reversed_nouns()
        return all(
            not WRONG_SUBJECT.isdisjoint(judgement.restrictions)
            for judgement in reversal.judgements(self.knowledge)
        )

    def space(self, domain: Domain) -> MirrorSpace:
        """The minimal pairs of a domain, before the checks on whole chains."""
        if domain not in self._spaces:
            self._spaces[domain] = paired_space(self.knowledge, domain)
        return self._spaces[domain]

    @cached_property
    def _unpaired_space(self) -> PathSpace:
        return unpaired_space(self.knowledge)

    def _admits_pair(self, exclude: Collection[str]) -> Callable[[Chain], bool]:
        def admits(chain: Chain) -> bool:
            is_new = not exclude or (
                chain.sentence() not in exclude and chain.reversed_nouns().sentence() not in exclude
            )
            return is_new and self.is_minimal_pair(chain)

        return admits

    def _take(self, n: int, level: int, domain: str, chains: Iterator[Chain]) -> list[Chain]:
        taken = list(islice(chains, n))
        if len(taken) < n:
            raise ValueError(
                f"centerbench: {domain} pairs of level {level}, got {n}; "
                f"expected at most the capacity, {len(taken)}"
            )
        return taken

    def _chains(
        self,
        space: PathSpace | MirrorSpace,
        level: int,
        rng: Random,
        is_admitted: Callable[[Chain], bool],
    ) -> Iterator[Chain]:
        """Admitted chains in random order, each sentence once, until there are no more."""
        seen: set[str] = set()
        n_failed = 0
        while space.count(level) and n_failed < EXHAUSTED_AFTER:
            chain = space.sample(level, rng)
            n_failed += 1
            if chain.sentence() not in seen and is_admitted(chain):
                seen.add(chain.sentence())
                n_failed = 0
                yield chain
        if space.count(level) <= ENUMERABLE:
            rest = [
                chain
                for chain in space.enumerate(level)
                if chain.sentence() not in seen and is_admitted(chain)
            ]
            rng.shuffle(rest)
            yield from rest
