"""Whole suites from the knowledge base: minimal pairs, or sentences matched by level only.

A draw is a function of seed, size and level: each level and domain has its own generator, seeded by
a string, so that another level, another domain or a larger size changes no pair that is drawn
anyway. The directions of the relations are balanced: whatever runs down the ranks in one pair of a
domain runs up in the next, so that neither the ranks nor the first noun tell the plausible member.

Source: Madhusudan, Chen and Emami (2026), section 2.2, of the circular swap.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from builders.centerbench.embedding import Chain
from builders.centerbench.mirror import MirrorSpace, Pattern, complement, patterns
from builders.centerbench.parser import CenterLexicon
from builders.centerbench.paths import PathSpace, Step, Used, repeats
from builders.centerbench.relations import (
    DISABLING,
    DOMAINS,
    Domain,
    KnowledgeBase,
    NounEntry,
    VerbEntry,
)

Choose = Callable[[NounEntry, NounEntry], Iterable[VerbEntry]]


class Admitted(NamedTuple):
    """The nouns of a domain, the final verbs of each and the steps towards it, by noun."""

    nouns: list[NounEntry]
    finals: dict[str, list[VerbEntry]]
    steps: dict[str, list[Step]]


def admitted(knowledge: KnowledgeBase, domain: Domain) -> Admitted:
    """What the minimal pairs of a domain are made of.

    Their relations are licensed, not symmetric and not lethal, their final verbs sort-specific.
    """
    nouns = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == domain]
    finals = [verb for verb in knowledge.finals if set(verb.subjects).isdisjoint(DOMAINS)]
    verbs = [v for v in knowledge.transitive if v.direction != "any" and v.verb_class != "lethal"]
    of_agent = _verbs_by_agent(knowledge, nouns, verbs)

    def choose(agent: NounEntry, patient: NounEntry) -> list[VerbEntry]:
        """Licensed verbs of what the agent can do; none between nouns of one rank."""
        of_rank = of_agent[agent.noun] if agent.rank != patient.rank else ()
        return knowledge.licensed_verbs(agent, patient, of_rank)

    return _admitted(knowledge, nouns, finals, choose)


def unpaired_space(knowledge: KnowledgeBase) -> PathSpace:
    """The chains over all domains, lethal, symmetric and generic final verbs included."""
    nouns = list(knowledge.nouns.values())
    transitive = knowledge.transitive
    symmetric = [verb for verb in transitive if verb.direction == "any"]
    of_agent = _verbs_by_agent(knowledge, nouns, symmetric)

    def choose(agent: NounEntry, patient: NounEntry) -> list[VerbEntry]:
        """The licensed verbs, and the neutral ones of either direction."""
        if agent is patient or not knowledge.may_meet(agent, patient):
            return []
        judged = ((verb, knowledge.judge(agent, verb, patient)) for verb in of_agent[agent.noun])
        neutral = [verb for verb, judgement in judged if judgement.status == "neutral"]
        return knowledge.licensed_verbs(agent, patient, transitive) + neutral

    return PathSpace(*_admitted(knowledge, nouns, knowledge.finals, choose))


def _verbs_by_agent(
    knowledge: KnowledgeBase, nouns: Sequence[NounEntry], verbs: Sequence[VerbEntry]
) -> dict[str, list[VerbEntry]]:
    return {noun.noun: [v for v in verbs if knowledge.can_act(noun, v)] for noun in nouns}


def _admitted(
    knowledge: KnowledgeBase, nouns: list[NounEntry], finals: Sequence[VerbEntry], choose: Choose
) -> Admitted:
    licensed_finals = {
        noun.noun: [verb for verb in finals if knowledge.judge(noun, verb).status == "licensed"]
        for noun in nouns
    }
    steps: dict[str, list[Step]] = {}
    for patient in nouns:
        steps[patient.noun] = []
        for agent in nouns:
            if verbs := list(choose(agent, patient)):
                free = tuple(verb for verb in verbs if verb.verb_class not in DISABLING)
                disabling = tuple(verb for verb in verbs if verb.verb_class in DISABLING)
                steps[patient.noun].append(Step(agent, free, disabling))
    return Admitted(nouns, licensed_finals, steps)


def circular_swap(chain: Chain, knowledge: KnowledgeBase) -> Chain | None:
    """The paper's implausible member: every noun takes a verb of the noun after it.

    The outermost takes a final verb, every other one that relates it to its object. Unlike the
    authors', a swap is kept only where every verb is wrong for its subject, else it is None.
    """
    # The vole that the owl startled squeaked.  ->  The vole that the owl gnawed at hooted.
    rng = Random(f"circular swap of {chain.sentence()}")
    verbs: list[VerbEntry] = []
    for k, subject in enumerate(chain.nouns):
        neighbour = chain.nouns[(k + 1) % len(chain.nouns)]
        patient = chain.nouns[k - 1] if k else None
        options = [
            verb
            for verb in (knowledge.transitive if k else knowledge.finals)
            if verb.direction != "any"
            and knowledge.can_act(neighbour, verb)
            and knowledge.has_wrong_subject(subject, verb, patient)
            and not repeats(verb, verbs)
        ]
        if not options:
            return None
        verbs.append(rng.choice(options))
    return Chain(chain.nouns, tuple(verbs))


LEVELS = (1, 2, 3, 4, 5, 6)
STRESS_LEVELS = (7, 8, 9, 10)
PAIRS_PER_LEVEL = 30
LARGEST_SIZE = 10_000  # 120, 500 and 1,000 take 0.6, 1.1 and 1.7 GB, by the stress levels
EXHAUSTED_AFTER = 20_000
PATIENCE = 1_000
PATIENT_FOR = 100  # pairs of a level and domain, after which nouns come as they come
ENUMERABLE = 2_000_000
PAIRS_PER_NOUN = 3  # of a level and domain, before a noun may come once more

Implausible = Literal["reversed-nouns", "circular-swap"]
IMPLAUSIBLE: tuple[Implausible, ...] = get_args(Implausible)


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
    size: int | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    is_unpaired: bool = False,
    implausible: Implausible = "reversed-nouns",
    exclude: Collection[str] = (),
) -> Iterator[list[SentencePair]]:
    """Draws the suite, the pairs of one level after those of the other.

    Args:
        seed: Which draw; 0 is the published one.
        size: Pairs per level, 1 or more; by default the paper's 30.
        levels: Numbers of nested relative clauses.
        is_unpaired: Whether the members of a pair share their level only.
        implausible: How the implausible member is made: with the nouns reversed and every verb in
            its place, or with the nouns in their places and the paper's circular swap of verbs.
        exclude: Sentences that are not drawn.

    Raises:
        ValueError: The size is below 1, or larger than the knowledge base can fill.
    """
    size = PAIRS_PER_LEVEL if size is None else size
    if not 1 <= size <= LARGEST_SIZE:
        expected = f"1 to {LARGEST_SIZE:,} pairs per level, which take about 12 GB"
        raise ValueError(f"centerbench: size, got {size}; expected {expected}")
    for level in levels:
        if is_unpaired:
            yield default_drawer().draw_unpaired(level, seed, size, exclude)
        else:
            yield list(_kept_pairs(level, seed, size, frozenset(exclude), implausible))


@lru_cache(maxsize=2 * len(LEVELS + STRESS_LEVELS))
def _kept_pairs(
    level: int, seed: int, size: int, exclude: Collection[str], implausible: Implausible
) -> "tuple[SentencePair, ...]":
    """Pairs of a draw, which the configs of one build share: .6 kB each."""
    return tuple(default_drawer().draw(level, seed, size, exclude, implausible))


@cache
def default_drawer() -> "Drawer":
    """The drawer of the project's own tables, read and counted once per process."""
    return Drawer(KnowledgeBase())


class Drawer:
    """Draws among the sound chains of a space, which is counted when first needed."""

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self.knowledge = knowledge
        self._lexicon = CenterLexicon(knowledge.nouns, knowledge.verbs)
        self._unpaired_space, self.space = cache(unpaired_space), cache(self._make_space)

    def draw(
        self,
        level: int,
        seed: int,
        size: int,
        exclude: Collection[str] = (),
        implausible: Implausible = "reversed-nouns",
    ) -> list[SentencePair]:
        """Different minimal pairs of a level, 1 or more; pair i is of domain i modulo their number.

        A smaller size gives the first of these. A ValueError names the capacity of a domain that
        has fewer chains than its share of the pairs.
        """

        def partner(chain: Chain) -> Chain | None:
            """The implausible member, None where there is none."""
            is_swapped = implausible == "circular-swap"
            return circular_swap(chain, self.knowledge) if is_swapped else chain.reversed_nouns()

        def admits(chain: Chain) -> bool:
            """Whether a chain is new and has a partner that may stand beside it."""
            other = partner(chain)
            if other is None or not {chain.sentence(), other.sentence()}.isdisjoint(exclude):
                return False
            return self._is_pair(chain, other)

        pairs, shares = [], [len(range(i, size, len(DOMAINS))) for i in range(len(DOMAINS))]
        for domain, n_wanted in zip(DOMAINS, shares, strict=True):
            # what the counts of the space exclude is refused at once; `_take` finds the rest
            space = self.space(domain)
            if n_wanted > sum(space.count(pattern) for pattern in patterns(level)):
                every = (chain for pattern in patterns(level) for chain in space.enumerate(pattern))
                raise _size_error(domain, level, n_wanted, sum(map(admits, every)))
        for i, (domain, n_wanted) in enumerate(zip(DOMAINS, shares, strict=True)):
            rng = Random(f"centerbench/{seed}/{level}/{domain}")
            chains = _take(n_wanted, level, domain, self._balanced(domain, level, rng, admits))
            pairs += [
                SentencePair(level, i + len(DOMAINS) * n, chain, partner(chain) or chain)
                for n, chain in enumerate(chains)
            ]
        return sorted(pairs, key=lambda pair: pair.number)

    def draw_unpaired(
        self, level: int, seed: int, size: int, exclude: Collection[str] = ()
    ) -> list[SentencePair]:
        """Plausible and implausible sentences that share their level only, as the authors' do.

        The plausible ones may mix domains and have lethal and symmetric verbs and generic final
        verbs; the implausible ones are those of the minimal pairs of the same seed.
        """
        rng = Random(f"centerbench/unpaired/{seed}/{level}")

        def is_admitted(chain: Chain) -> bool:
            return self.is_sound(chain) and chain.sentence() not in exclude

        space = self._unpaired_space(self.knowledge)
        paired = self.draw(level, seed, size, exclude)
        chains = self._chains(space, level, rng, Counter(), is_admitted)
        plausible = _take(size, level, "mixed", chains)
        return [
            pair._replace(number=n, plausible=chain)
            for n, (chain, pair) in enumerate(zip(plausible, paired, strict=True))
        ]

    def is_sound(self, chain: Chain) -> bool:
        """Whether a chain repeats no noun, no meaning and no first word of a verb, in one reading.

        Meanings may come again at the stress levels, which have more verbs than there are meanings
        between two nouns.
        """
        if len({noun.noun for noun in chain.nouns}) < len(chain.nouns):
            return False
        if any(repeats(verb, chain.verbs[:i]) for i, verb in enumerate(chain.verbs)):
            return False
        return self._lexicon.parse(chain.sentence()) == [chain.reading()]

    def _is_pair(self, plausible: Chain, implausible: Chain) -> bool:
        if not self.is_sound(plausible) or not self.is_sound(implausible):
            return False
        return all(self.knowledge.has_wrong_subject(*event) for event in implausible.relations())

    def _make_space(self, domain: Domain) -> MirrorSpace:
        """The minimal pairs of a domain, before the checks on whole chains."""
        return MirrorSpace(self.knowledge, *admitted(self.knowledge, domain))

    def _balanced(
        self, domain: Domain, level: int, rng: Random, is_admitted: Callable[[Chain], bool]
    ) -> Iterator[Chain]:
        """Admitted chains in random order; the directions of every second are the complement.

        Nouns that have come often already are passed over, in whichever order they stand.
        """
        space = self.space(domain)
        used: Used = Counter()

        def is_fresh(chain: Chain) -> bool:
            """Whether no noun of a chain has come too often, while there is patience."""
            most = (n_taken + level) // PAIRS_PER_NOUN
            return n_taken >= PATIENT_FOR or all(used[n.noun] <= most for n in chain.nouns)

        sources = {
            pattern: self._chains(space, pattern, rng, used, is_admitted, is_fresh)
            for pattern in patterns(level)
            if space.count(pattern)
        }
        usual, n_taken = space.usual_patterns(level), 0
        pattern: Pattern | None = None
        while sources:
            open_patterns = [each for each in usual if each in sources] or list(sources)
            wanted = complement(pattern) if pattern else rng.choice(open_patterns)
            chosen = wanted if wanted in sources else rng.choice(open_patterns)
            chain = next(sources[chosen], None)
            if chain is None:
                del sources[chosen]
                continue
            pattern = None if pattern else chosen
            n_taken += 1
            used.update(noun.noun for noun in chain.nouns)
            used.update(name for verb in chain.verbs for name in (verb.verb, verb.verb_class))
            yield chain

    def _chains(
        self,
        space: MirrorSpace | PathSpace,
        part: Any,
        rng: Random,
        used: Used,
        is_admitted: Callable[[Chain], bool],
        is_fresh: Callable[[Chain], bool] = bool,
    ) -> Iterator[Chain]:
        """Admitted chains in random order, each sentence once, until there are no more.

        Chains that are not fresh are passed over, but not for long.
        """
        seen: set[str] = set()
        n_failed, n_most = 0, space.count(part)
        while n_most and n_failed < EXHAUSTED_AFTER:
            chain = space.sample(part, rng, used)
            n_failed += 1
            if chain is None or chain.sentence() in seen:
                continue
            if (n_failed >= PATIENCE or is_fresh(chain)) and is_admitted(chain):
                seen.add(chain.sentence())
                n_failed = 0
                yield chain
        if n_most <= ENUMERABLE:
            fresh = (chain for chain in space.enumerate(part) if chain.sentence() not in seen)
            rest = list(filter(is_admitted, fresh))
            rng.shuffle(rest)
            yield from rest


def _take(n: int, level: int, domain: str, chains: Iterator[Chain]) -> list[Chain]:
    taken = list(islice(chains, n))
    if len(taken) < n:
        raise _size_error(domain, level, n, len(taken))
    return taken


def _size_error(domain: str, level: int, n_wanted: int, capacity: int) -> ValueError:
    got, expected = f"level {level}, got {n_wanted}", f"at most the capacity, {capacity}"
    return ValueError(f"centerbench: {domain} pairs of {got}; expected {expected}")
