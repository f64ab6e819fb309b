"""Null systems, which know nothing of what a suite asks: a score is worth what it has above theirs.

Each is named like any other system and runs in any study of its kind. What one draws is a function
of the item, so that it says the same in every run.

Source: the baseline `subject-first` is Fischer et al. (2020), section 4.2.
"""

import functools
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from builders.suites import settings_of

if TYPE_CHECKING:
    from builders.centerbench.relations import KnowledgeBase

SEED, PAIRS_PER_LEVEL = 1, 60  # the draw that it learns from; the published one is seed 0


def order_features(nouns: Sequence[str]) -> dict[str, float]:
    """Ranks of known nouns by domain, level and place, difference of the ends, the first noun."""
    knowledge = _knowledge()
    known = [knowledge.nouns.get(noun) for noun in nouns]
    features = {nouns[0]: 1.0}
    for place, noun in enumerate(known):
        if noun is not None:
            features[f"{knowledge.domain(noun)} {len(nouns)} {place}"] = noun.rank / 100
    first, last = known[0], known[-1]
    if first is not None and last is not None:
        features[f"{knowledge.domain(first)} ends"] = (first.rank - last.rank) / 100
    return features


def make_guesser() -> Any:
    """An untrained guesser of lists of `order_features`, a logistic regression."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(DictVectorizer(), LogisticRegression(max_iter=2_000))


def guess_plausible(orders: Sequence[Sequence[str]]) -> list[bool]:
    """Whether sentences with these nouns, in order, are guessed to be plausible members.

    No verb is read: at chance where small acts on large as often in either condition.
    """
    return [bool(guess) for guess in _trained().predict([order_features(o) for o in orders])]


@functools.cache
def _trained() -> Any:
    from builders.centerbench.draw import draw

    orders, is_plausible = [], []
    for pairs in draw(SEED, PAIRS_PER_LEVEL):
        for pair in pairs:
            for chain in (pair.plausible, pair.implausible):
                orders.append([noun.noun for noun in chain.nouns])
                is_plausible.append(chain is pair.plausible)
    return make_guesser().fit([order_features(order) for order in orders], is_plausible)


@functools.cache
def _knowledge() -> "KnowledgeBase":
    from builders.centerbench.relations import KnowledgeBase

    return KnowledgeBase()


UNIFORM = -math.log(5000)  # of a character, where each of so many is as likely
WORD_LENGTH = 2  # characters of the commonest Chinese word
PUNCTUATION = re.compile(r"[^\w]+|\w+")
Function = Callable[..., Any]


@dataclass(frozen=True)
class Null:
    """A system that knows nothing of what a suite asks, of its `suite.toml`; unique in its kind."""

    name: str
    kind: str
    says: str


def nulls_of(suite: str) -> tuple[Null, ...]:
    """Nulls that fit a suite."""
    told = settings_of(suite).get("nulls", {})
    return tuple(Null(name, kind, says) for kind in told for name, says in told[kind].items())


def null_functions(kind: str) -> Mapping[str, Function]:
    """Nulls of a kind that are not in its own table, by name: functions such as a user's."""
    return FUNCTIONS.get(kind, {})


def each(one: Callable[[Any], Any]) -> Function:
    """A batch call that does the same with every item, whatever the others are."""
    return lambda items: [one(item) for item in items]


def cut_in_twos(items: Sequence[str]) -> list[list[str]]:
    """Every two characters a word: most Chinese words have two."""
    return [[item[i : i + WORD_LENGTH] for i in range(0, len(item), WORD_LENGTH)] for item in items]


def _random_noun(question: Mapping[str, str]) -> str:
    coins = random.Random(f"noun {question['sentence']} {question['question']}")
    return f"the {coins.choice(nouns_in(question['sentence']))}"


def noun_order(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """The next noun where the nouns' order alone looks plausible, else the one before.

    What a reader can know of the condition without reading a verb; else its gap is 0.
    """
    guesses = guess_plausible([nouns_in(question["sentence"]) for question in questions])
    steps = [1 if is_plausible else -1 for is_plausible in guesses]
    return [f"the {_neighbour(*asked)}" for asked in zip(questions, steps, strict=True)]


def nouns_in(sentence: str) -> list[str]:
    """Nouns of a CenterBench sentence, in their order; a ValueError where there is none.

    Those that the suite's tables lack are told by their place.

    Example:
        >>> nouns_in("The goat that the fire engine kicked bleated.")
        ['goat', 'fire engine']
    """
    found = _noun_pattern().findall(sentence)
    if not found:
        raise ValueError(f"null answerer: nouns, got none in {sentence!r}; expected one at least")
    return list(found)


def _neighbour(question: Mapping[str, str], step: int = 1) -> str:
    """The noun so many places behind the one that is asked about, or before it at the end."""
    nouns = nouns_in(question["sentence"])
    place = nouns.index(question["entity"]) if question["entity"] in nouns else 0
    return nouns[place + step] if 0 <= place + step < len(nouns) else nouns[place - step]


@functools.cache
def _noun_pattern() -> re.Pattern[str]:
    known = "|".join(map(re.escape, sorted(_knowledge().nouns, key=len, reverse=True)))
    # a noun of other rows: what stands before the next clause, or one word
    # The praying mantis that the zebra kicked bleated.
    other = r"[\w-]+(?: [\w-]+)?(?= that the )|[\w-]+"
    return re.compile(rf"\b[Tt]he ({known}|{other})\b")


def _cut_by_coins(item: str) -> list[str]:
    coins = random.Random(f"cuts {item}")
    pieces = [item[:1]] if item else []
    for character in item[1:]:
        if coins.random() < 0.5:
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces


def _untrained(cut: Function) -> Function:
    """A morphological segmenter that learns nothing from its training words."""
    return lambda training, seed: cut


_cut_everywhere, _cut_nowhere, _cut_at_random = (
    each(one) for one in (list, lambda item: [item], _cut_by_coins)
)
FUNCTIONS: Mapping[str, Mapping[str, Function]] = {
    "segmenter": {
        "cut-everywhere": _cut_everywhere,
        "cut-nowhere": _cut_nowhere,
        "cut-in-twos": cut_in_twos,
        "cut-at-random": _cut_at_random,
        "longest-run": each(PUNCTUATION.findall),  # as longest match cuts without a lexicon
    },
    "classifier": {  # P(positive)
        "constant": each(lambda sentence: 0.5),
        "majority-label": each(lambda sentence: 0.99),
        "random": each(lambda sentence: random.Random(f"rating {sentence}").random()),
    },
    "answerer": {
        "first-noun": each(lambda question: f"the {nouns_in(question['sentence'])[0]}"),
        "next-noun": each(lambda question: f"the {_neighbour(question)}"),
        "noun-order": noun_order,
        "random-noun": each(_random_noun),
        "copy-sentence": each(lambda question: question["sentence"]),
        "constant": each(lambda question: "none"),  # which some questions have
    },
    "language_model": {
        "uniform": each(lambda text: [(i, i + 1, UNIFORM) for i in range(len(text))])
    },
    "morphological_segmenter": {
        "cut-everywhere": _untrained(_cut_everywhere),
        "cut-nowhere": _untrained(_cut_nowhere),
        "cut-at-random": _untrained(_cut_at_random),
    },
}
"""What each does stands in the `suite.toml` that names it."""
