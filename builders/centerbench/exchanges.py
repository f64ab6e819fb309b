"""Questions who did one thing of two nouns, which change places in a second sentence.

    The A that the B that the C ... V W X Y Z.      The one that X-ed another was the B / the C.
    The A that the C that the B ... V W X Y Z.      The same nouns, and another answer.

A reader may count words from either noun to the verb, or see how many words near the verb end in
-ed. So what is exact of counterparts is the distance from either noun, and what is near the verb is
balanced over all questions, with places, sizes and their combinations.
"""

from collections.abc import Sequence
from random import Random

from builders.centerbench.crossings import (
    AGENT,
    N_OPTIONS,
    Candidate,
    Crossing,
    Traits,
    possible_crossings,
)
from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.relations import KnowledgeBase

NEAR_BEFORE, NEAR_BEHIND = 6, 4  # words of which each is balanced
LETTERS_PER_BIN = 6
NO_SIZES = (0,) * 7  # traits balance all


def exchanges(
    pairs: Sequence[SentencePair], is_right: bool, knowledge: KnowledgeBase
) -> list[Candidate]:
    """All questions who did one thing of two nouns whose exchange makes a sentence implausible.

    They are about plausible sentences, with events to the right of the main verb or without, and
    shuffled; the implausible member of a pair is the exchange. A key has the words from either noun
    to the verb.
    """
    found = []
    for pair in pairs:
        for crossing in possible_crossings(pair.level, AGENT, is_right):
            nouns, at = list(pair.plausible.nouns), crossing.n_right + crossing.first
            nouns[at : at + N_OPTIONS] = nouns[at : at + N_OPTIONS][::-1]
            exchanged = Chain(tuple(nouns), pair.plausible.verbs)
            if any(one.status == "violates" for one in exchanged.judgements(knowledge)):
                found.append(_candidate(pair._replace(implausible=exchanged), crossing, knowledge))
    Random(f"centerbench/counterparts/{AGENT}/{is_right}").shuffle(found)
    return found


def _candidate(pair: SentencePair, crossing: Crossing, knowledge: KnowledgeBase) -> Candidate:
    places, at = _places(pair.plausible, crossing), crossing.n_right + crossing.first
    left, right = pair.plausible.nouns[at : at + N_OPTIONS]
    longer = len(left.noun) - len(right.noun)
    traits: dict[str, object] = {
        **places,
        "words of the left one": len(left.noun.split()),
        "words of the right one": len(right.noun.split()),
        "alphabet": left.noun < right.noun,
        "length": (longer > 0) - (longer < 0),
        "frequency": (left.zipf > right.zipf) - (left.zipf < right.zipf),
        **_verbs(pair.plausible, crossing),
        "domain": pair.plausible.domain(knowledge),
    }
    from_first, after = places["from the first noun"], places["nouns after"]
    traits["distance, nouns after"] = from_first, after
    traits["distance, level"] = from_first, crossing.level
    traits["nouns after, nouns"] = after, crossing.n_nouns
    key = (from_first, places["from the second noun"])
    return Candidate(pair, crossing, AGENT, key, (traits,), NO_SIZES)


def _places(chain: Chain, crossing: Crossing) -> dict[str, int]:
    nouns = [len(one.noun.split()) + 2 for one in chain.nouns[crossing.n_right :]]
    verbs = [len(one.verb.split()) for one in chain.verbs[::-1][: crossing.n_nouns]]
    first, place = crossing.first, crossing.place
    before, distance = sum(nouns[:first]), sum(nouns[first:]) - 1 + sum(verbs[:place])
    return {
        "from the first noun": distance,
        "from the second noun": distance - nouns[first],
        "nouns after": crossing.n_nouns - 1 - first,
        "place of the first noun": before,
        "place of the asked verb": before + distance,
        "level": crossing.level,
        "nouns": crossing.n_nouns,
        "to the right": crossing.n_right,
        "nouns before": first,
        "verb words": sum(verbs),
        "words": len(chain.sentence().split()),
        "verb words before": sum(verbs[:place]),
        "verb words behind": sum(verbs[place + 1 :]),
        "words of the verb": verbs[place],
    }


def _verbs(chain: Chain, crossing: Crossing) -> Traits:
    """Which words near the verb end in -ed, one by one and together, and how many do."""
    verbs = [one.verb for one in chain.verbs[::-1][: crossing.n_nouns]]
    text, rest = " ".join(verbs[: crossing.place]), " ".join(verbs[crossing.place + 1 :])
    before, behind = (tuple(word.endswith("ed") for word in part.split()) for part in (text, rest))
    backward = before[::-1]
    return {
        **{f"last {n} words": backward[:n] for n in (2, 3, 4)},
        "next 3 words": behind[:3],
        **{f"word {i} before": backward[i : i + 1] for i in range(NEAR_BEFORE)},
        **{f"word {i} behind": behind[i : i + 1] for i in range(NEAR_BEHIND)},
        "-ed before": sum(before),
        "-ed behind": sum(behind),
        "letters before": len(text) // LETTERS_PER_BIN,
        "letters of a word": 2 * len(text) // len(before),
    }
