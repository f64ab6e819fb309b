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


N_CHARACTERS = 5000  # of which the uniform language model takes each to be as likely
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


def cut_everywhere(items: Sequence[str]) -> list[list[str]]:
    """Every character a word or morpheme."""
    return [list(item) for item in items]


def cut_nowhere(items: Sequence[str]) -> list[list[str]]:
    """Every sentence or word as one piece."""
    return [[item] for item in items]


def cut_runs(items: Sequence[str]) -> list[list[str]]:
    """The longest runs between punctuation marks, as longest match cuts without a lexicon."""
    return [PUNCTUATION.findall(item) for item in items]


def cut_in_twos(items: Sequence[str]) -> list[list[str]]:
    """Every two characters a word: most Chinese words have two."""
    return [[item[i : i + WORD_LENGTH] for i in range(0, len(item), WORD_LENGTH)] for item in items]


def cut_at_random(items: Sequence[str]) -> list[list[str]]:
    """A cut between two characters or none, by a coin."""
    return [_cut_by_coins(item) for item in items]


def constant_rating(sentences: Sequence[str]) -> list[float]:
    """P(positive) of 1/2 for every sentence."""
    return [0.5] * len(sentences)


def majority_rating(sentences: Sequence[str]) -> list[float]:
    """The same label for every sentence, with confidence."""
    return [0.99] * len(sentences)


def random_rating(sentences: Sequence[str]) -> list[float]:
    """P(positive) drawn anew for every sentence, uniform in [0, 1)."""
    return [random.Random(f"rating {sentence}").random() for sentence in sentences]


def copy_sentence(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """The sentence as the answer."""
    return [question["sentence"] for question in questions]


def constant_answer(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """The same answer to every question: one that some questions have."""
    return ["none"] * len(questions)


def first_noun(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """The first noun of the sentence."""
    return [f"the {nouns_in(question['sentence'])[0]}" for question in questions]


def next_noun(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """The noun after the one that is asked about, or before it where it is the last."""
    return [f"the {_neighbour(question)}" for question in questions]


def random_noun(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """Any noun of the sentence, drawn for each question."""
    drawn = []
    for question in questions:
        coins = random.Random(f"noun {question['sentence']} {question['question']}")
        drawn.append(f"the {coins.choice(nouns_in(question['sentence']))}")
    return drawn


def noun_order(questions: Sequence[Mapping[str, str]]) -> list[str]:
    """The next noun where the nouns' order alone looks plausible, else the one before.

    What a reader can know of the condition without reading a verb; else its gap is 0.
    """
    guesses = guess_plausible([nouns_in(question["sentence"]) for question in questions])
    steps = [1 if is_plausible else -1 for is_plausible in guesses]
    return [f"the {_neighbour(*asked)}" for asked in zip(questions, steps, strict=True)]


def uniform_tokens(texts: Sequence[str]) -> list[list[tuple[int, int, float]]]:
    """Every character as likely as every other, so that the shorter text is preferred."""
    score = -math.log(N_CHARACTERS)
    return [[(i, i + 1, score) for i in range(len(text))] for text in texts]


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

    def train(training: Sequence[Sequence[str]], seed: int) -> Function:
        return cut

    return train


FUNCTIONS: Mapping[str, Mapping[str, Function]] = {
    "segmenter": {
        "cut-everywhere": cut_everywhere,
        "cut-nowhere": cut_nowhere,
        "cut-in-twos": cut_in_twos,
        "cut-at-random": cut_at_random,
        "longest-run": cut_runs,
    },
    "classifier": {
        "constant": constant_rating,
        "majority-label": majority_rating,
        "random": random_rating,
    },
    "answerer": {
        "first-noun": first_noun,
        "next-noun": next_noun,
        "noun-order": noun_order,
        "random-noun": random_noun,
        "copy-sentence": copy_sentence,
        "constant": constant_answer,
    },
    "language_model": {"uniform": uniform_tokens},
    "morphological_segmenter": {
        "cut-everywhere": _untrained(cut_everywhere),
        "cut-nowhere": _untrained(cut_nowhere),
        "cut-at-random": _untrained(cut_at_random),
    },
}
