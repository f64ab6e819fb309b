"""The same events in two other constructions, to tell what embedding costs.

Right-branching keeps every word and turns the noun order round; its relative clauses have subject
gaps. The passive keeps the noun order and adds two words for each embedding. Neither nests clauses
between a subject and its verb, so what both have in common against the center-embedded sentence is
the embedding.
"""

from typing import Literal, get_args

from builders.centerbench.embedding import Chain

Construction = Literal["right_branching", "passive"]
CONSTRUCTIONS: tuple[Construction, ...] = get_args(Construction)
ALSO_CHANGES: dict[Construction, str] = {
    "right_branching": "noun order reversed; subject gaps",
    "passive": "two words more per embedding; passive voice",
}


def construct(chain: Chain, construction: Construction) -> str | None:
    """The chain's events in a construction; None for a passive where a verb has none."""
    return branching(chain, chain.level) if construction == "right_branching" else passive(chain)


def branching(chain: Chain, n_right: int) -> str:
    """The chain with so many of its events to the right of the main verb, the others nested.

    None to the right is the center-embedded sentence, all but one the right-branching; the words
    are always the same, and so is the order of the verbs.
    """
    # The owl that the lynx startled swooped down on the vole that squeaked .    one to the right
    #     N1           N2   V2       V1                  N0        V0
    # The lynx startled the owl that swooped down on the vole that squeaked .    two
    #     N2   V2           N1        V1                  N0        V0
    nested = Chain(chain.nouns[n_right:], chain.verbs[n_right:])
    parts = [
        f" the {noun.noun} that {verb.verb}"
        for noun, verb in zip(chain.nouns[:n_right], chain.verbs[:n_right], strict=True)
    ]
    return f"{nested.sentence()[:-1]}{''.join(reversed(parts))}."


def passive(chain: Chain) -> str | None:
    """The chain's events as passive relative clauses, or None if some verb has no passive."""
    # The vole that was swooped down on by the owl that was startled by the lynx squeaked .
    #     N0            V1                     N1           V2           N2   V0
    final, *verbs = chain.verbs
    if any(verb.passive is None for verb in verbs):
        return None
    agents = [
        f"that was {verb.passive} by the {noun.noun}"
        for noun, verb in zip(chain.nouns[1:], verbs, strict=True)
    ]
    return f"The {chain.nouns[0].noun} {' '.join(agents)} {final.verb}."
