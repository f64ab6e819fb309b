"""Draws a suite of sentence pairs from the knowledge base.

A draw is a function of seed, size and level: each level and domain has its own generator, seeded by a string, so that another level,
another domain or a larger size changes no pair that is drawn anyway.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from builders.centerbench.embedding import Chain
from builders.centerbench.parser import Lexicon
from builders.centerbench.paths import PathSpace, Step
from builders.centerbench.relations import DISABLING, DOMAINS, Domain, KnowledgeBase, NounEntry, VerbEntry

LEVELS = (1, 2, 3, 4, 5, 6)
STRESS_LEVELS = (7, 8, 9, 10)
PAIRS_PER_LEVEL = 30
EXHAUSTED_AFTER = 20_000
ENUMERABLE = 2_000_000


class SentencePair(NamedTuple):
    """A plausible chain and where it stands in the draw; its implausible partner is the chain with its nouns reversed."""

    level: int
    number: int
    domain: Domain
    plausible: Chain

    @property
    def pair_id(self) -> str:
        """Names the pair within a draw: level and number."""
        return f"{self.level}-{self.number:05d}"


class PairDrawer:
    """Draws minimal pairs of one domain each, uniformly among the chains that are plausible as they stand and implausible reversed."""

    def __init__(self, knowledge: KnowledgeBase) -> None:
        """Takes the knowledge base; the spaces of chains are counted when first needed."""
        self.knowledge = knowledge
        self._lexicon = Lexicon(knowledge.nouns, knowledge.verbs)
        self._spaces: dict[Domain, PathSpace] = {}

    def draw(self, level: int, seed: int, size: int, exclude: Collection[str] = ()) -> list[SentencePair]:
        """Draws `size` different pairs of a level, the domains in turn.

        Args:
            level: The number of nested relative clauses, 1 or more.
            seed: Which draw.
            size: How many pairs.
            exclude: Sentences that neither member of a pair may be.

        Returns:
            The pairs; pair i is of domain i modulo their number. A smaller size gives the first of these.

        Raises:
            ValueError: A domain has fewer chains than its share of the pairs; the message gives its capacity.
        """
        pairs: list[SentencePair] = []
        for i, domain in enumerate(DOMAINS):
            wanted = len(range(i, size, len(DOMAINS)))
            chains = list(islice(self._chains(domain, level, seed, exclude), wanted))
            if len(chains) < wanted:
                raise ValueError(
                    f"centerbench: pairs of level {level} in domain {domain}, got {wanted}; expected at most its capacity, {len(chains)}"
                )
            pairs += [SentencePair(level, i + len(DOMAINS) * n, domain, chain) for n, chain in enumerate(chains)]
        return sorted(pairs, key=lambda pair: pair.number)

    def _chains(self, domain: Domain, level: int, seed: int, exclude: Collection[str]) -> Iterator[Chain]:
        """Gives sound chains in random order, each once, until there are no more."""
        space = self.space(domain)
        if not space.count(level):
            return
        rng = Random(f"centerbench/{seed}/{level}/{domain}")
        seen: set[str] = set()
        n_failed = 0
        while n_failed < EXHAUSTED_AFTER:
            chain = space.sample(level, rng)
            sentence = chain.sentence()
            n_failed += 1
            if sentence not in seen and self._is_admitted(chain, exclude):
                seen.add(sentence)
                n_failed = 0
                yield chain
        if space.count(level) <= ENUMERABLE:
            rest = [c for c in space.enumerate(level) if c.sentence() not in seen and self._is_admitted(c, exclude)]
            rng.shuffle(rest)
            yield from rest

    def _is_admitted(self, chain: Chain, exclude: Collection[str]) -> bool:
        return self.is_minimal_pair(chain) and chain.sentence() not in exclude and chain.reversed_nouns().sentence() not in exclude

    def is_minimal_pair(self, chain: Chain) -> bool:
        """Whether a chain and its reversal are a pair: no noun and no first word twice, a final verb that violates, one reading."""
        first_words = {verb.verb.split()[0] for verb in chain.verbs}
        if len(first_words) < len(chain.verbs) or len(set(chain.nouns)) < len(chain.nouns):
            return False
        if self.knowledge.judge(chain.nouns[-1], chain.verbs[0]).status != "violates":
            return False
        return self._lexicon.parse(chain.sentence()) == [chain.reading()]

    def space(self, domain: Domain) -> PathSpace:
        """The chains of one domain's directional, non-lethal relations and sort-specific final verbs."""
        if domain not in self._spaces:
            self._spaces[domain] = _paired_space(self.knowledge, domain)
        return self._spaces[domain]


def _paired_space(knowledge: KnowledgeBase, domain: Domain) -> PathSpace:
    nouns = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == domain]
    verbs = [v for v in knowledge.verbs.values() if v.frame == "transitive" and v.direction == "down" and v.verb_class != "lethal"]
    finals = [v for v in knowledge.verbs.values() if v.frame == "final" and set(v.subjects).isdisjoint(DOMAINS)]
    return PathSpace(
        nouns,
        {noun.noun: [final for final in finals if knowledge.judge(noun, final).status == "licensed"] for noun in nouns},
        {noun.noun: list(_steps(knowledge, noun, nouns, verbs)) for noun in nouns},
    )


def _steps(knowledge: KnowledgeBase, patient: NounEntry, nouns: Sequence[NounEntry], verbs: Sequence[VerbEntry]) -> Iterator[Step]:
    for agent in (noun for noun in nouns if noun.rank > patient.rank):
        licensed = knowledge.licensed_verbs(agent, patient, verbs)
        if licensed:
            disabling = tuple(verb for verb in licensed if verb.verb_class in DISABLING)
            yield Step(agent, tuple(verb for verb in licensed if verb.verb_class not in DISABLING), disabling)
