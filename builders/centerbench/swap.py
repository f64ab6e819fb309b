"""The paper's implausible member: every noun takes a verb of the noun after it, round the circle.

The nouns stay in their places; the outermost takes a final verb that the next noun would do, every
other a verb that relates it to its object and that the next noun, for the innermost the outermost,
would do. Unlike the authors' draw, a swap is kept only where every verb is wrong for its subject.

Source: Madhusudan, Chen and Emami (2026), section 2.2.
"""

from random import Random

from builders.centerbench.embedding import Chain
from builders.centerbench.paths import repeats
from builders.centerbench.relations import KnowledgeBase, VerbEntry


def circular_swap(chain: Chain, knowledge: KnowledgeBase) -> Chain | None:
    """The chain's nouns with verbs of their neighbours, the same for the same chain.

    Returns:
        None if some noun has no verb of its neighbour that is wrong for it, or only one that the
        chain has already.
    """
    rng = Random(f"circular swap of {chain.sentence()}")
    verbs: list[VerbEntry] = []
    for k in range(len(chain.nouns)):
        options = [verb for verb in _swapped_verbs(chain, k, knowledge) if not repeats(verb, verbs)]
        if not options:
            return None
        verbs.append(rng.choice(options))
    return Chain(chain.nouns, tuple(verbs))


def _swapped_verbs(chain: Chain, k: int, knowledge: KnowledgeBase) -> list[VerbEntry]:
    # The vole that the owl startled squeaked.  ->  The vole that the owl gnawed at hooted.
    subject, neighbour = chain.nouns[k], chain.nouns[(k + 1) % len(chain.nouns)]
    patient = chain.nouns[k - 1] if k else None
    frame = "transitive" if k else "final"
    return [
        verb
        for verb in knowledge.verbs.values()
        if verb.frame == frame
        and verb.direction != "any"
        and knowledge.can_act(neighbour, verb)
        and knowledge.has_wrong_subject(subject, verb, patient)
    ]
