"""The strict scorer: whole classes of right and wrong answers over every sentence at hand."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from metrics.matched_pair_accuracy.reading import Sentence
from research.systems.answerers.answer_variants import (
    QUESTION_TYPES,
    Events,
    mutations,
    paraphrases,
)
from tests.product.test_strict_scorer import EVENTS, released_rows  # noqa: F401
from tests.support.cases import cells_of
from tests.support.centerbench_draw import make_events, sentences_by_condition
from tests.support.strict_decisions import is_correct

SMALL_SET = [make_events(words) for [words] in cells_of("cases/strict_scorer/sentences")[1:]]
LEAST_ACCEPTED = 0.995
Asked = tuple[str, str, int, str]


def decided(make: Callable[..., Any], sentences: Iterable[Events]) -> Iterator[tuple[Asked, bool]]:
    """Every answer of a class, with its name, question and place, and whether it is right."""
    for events in sentences:
        sentence = Sentence(events)
        for own, kind in product(range(len(events)), QUESTION_TYPES):
            for name, answer in make(events, own, kind):
                is_right = is_correct(answer, sentence, sentence.n - 1 - own, kind)
                yield (name, kind, own, answer), is_right


def accepted_mutations(sentences: Iterable[Events]) -> list[Asked]:
    return [asked for asked, is_right in decided(mutations, sentences) if is_right]


def paraphrase_shares(sentences: Iterable[Events]) -> dict[str, float]:
    """Share of each class of paraphrases that is accepted."""
    found = list(decided(paraphrases, sentences))
    accepted = Counter(name for (name, *_), is_right in found if is_right)
    asked = Counter(name for (name, *_), _ in found)
    shares = {name: accepted[name] / asked[name] for name in asked}
    refused = [one for one, is_right in found if not is_right]
    assert min(shares.values()) >= LEAST_ACCEPTED, refused[:5]
    return shares


def test_no_mutation_is_accepted():
    assert accepted_mutations(SMALL_SET) == []


def test_every_paraphrase_is_accepted():
    shares = paraphrase_shares(SMALL_SET)
    assert set(shares.values()) == {1.0}
    assert set(shares) >= {
        *("past for gerund", "third-person present", "base", "commas", "and then", "articles"),
        *("case", "number words", "contractions", "full clause", "relative clause", "own action"),
        *("passive", "numbered list"),
    }


def test_mutations_cover_the_ways_to_be_wrong():
    names = {name for (name, *_), _ in decided(mutations, [EVENTS])}
    assert names >= {
        *("roles swapped", "one role swapped", "verbs rotated", "order reversed", "event missing"),
        *("wrong object", "other noun", "hedge", "negation", "verb without object"),
        *("verb without tail", "elision that changes the agent"),
    }


def some_of(sentences: Sequence[Events], n: int) -> list[Events]:
    """Sentences at n places, the same in both conditions; all of them where there are n."""
    return [sentences[i] for i in sorted(random.Random(0).sample(range(len(sentences)), n))]


ALL = 180
SOME_OR_ALL = pytest.mark.parametrize("n", [8, pytest.param(ALL, marks=pytest.mark.slow)])


@SOME_OR_ALL
@pytest.mark.parametrize("condition", ["plausible", "implausible"])
def test_no_mutation_of_the_generated_suite_is_accepted(condition, n):
    sentences = sentences_by_condition()[condition]
    assert len(sentences) == ALL
    assert accepted_mutations(some_of(sentences, n)) == []


@pytest.mark.slow
@SOME_OR_ALL
def test_paraphrases_of_the_generated_suite_are_accepted_alike_in_both_conditions(n):
    shares = [paraphrase_shares(some_of(one, n)) for one in sentences_by_condition().values()]
    assert shares[0] == shares[1]


@pytest.mark.slow
def test_the_authors_sentences_are_scored_like_the_generated_ones(released_rows):  # noqa: F811
    sentences = {row["sentence_id"]: row["events"] for row in released_rows}
    assert len(sentences) == 270
    assert accepted_mutations(sentences.values()) == []
    for condition in ("p", "i"):
        paraphrase_shares(events for key, events in sentences.items() if key.endswith(condition))
