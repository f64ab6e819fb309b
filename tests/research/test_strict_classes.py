"""The strict scorer: whole classes of right and wrong answers over every sentence at hand."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

from metrics.matched_pair_accuracy.reading import Sentence
from research.systems.answerers import answer_variants
from research.systems.answerers import answer_variants as variants
from research.systems.answerers.answer_variants import QUESTION_TYPES, Events
from tests.product.test_strict_scorer import EVENTS, released_rows  # noqa: F401
from tests.support.centerbench_draw import make_events, sentences_by_condition
from tests.support.strict_decisions import is_correct

# whole classes over whole sets of sentences

SMALL_SET = [
    make_events(words)
    for words in (
        "farmer: feed -> goat: bleat",
        "goat: feed -> farmer: bleat",
        "police officer: cross-examine -> truck driver: hit -> bus driver: fall over",
        "bus driver: cross-examine -> truck driver: hit -> police officer: fall over",
        "farmer: feed -> police officer: carry out -> horse: neigh at -> goat: bleat",
        "goat: feed -> horse: carry out -> police officer: neigh at -> farmer: bleat",
        (
            "nurse: assign homework to -> judge: cross-examine -> dog: bite -> horse: neigh at ->"
            " praying mantis: hit -> clerk: fall over"
        ),
        (
            "clerk: assign homework to -> praying mantis: cross-examine -> horse: bite -> dog:"
            " neigh at -> judge: hit -> nurse: fall over"
        ),
    )
]
LEAST_ACCEPTED = 0.995


def accepted_mutations(sentences: Iterable[Events]) -> list[tuple[str, str, int, str]]:
    return [
        (name, kind, own, answer)
        for events in sentences
        for sentence in [Sentence(events)]
        for own in range(len(events))
        for kind in QUESTION_TYPES
        for name, answer in answer_variants.mutations(events, own, kind)
        if is_correct(answer, sentence, sentence.n - 1 - own, kind)
    ]


def paraphrase_counts(
    sentences: Iterable[Events],
) -> tuple[Counter[str], Counter[str], list[tuple[str, str, int, str]]]:
    asked, accepted, refused = Counter[str](), Counter[str](), []
    for events in sentences:
        sentence = Sentence(events)
        for own in range(len(events)):
            for kind in QUESTION_TYPES:
                for name, answer in variants.paraphrases(events, own, kind):
                    is_right = is_correct(answer, sentence, sentence.n - 1 - own, kind)
                    asked[name] += 1
                    accepted[name] += is_right
                    if not is_right:
                        refused.append((name, kind, own, answer))
    return asked, accepted, refused


def test_no_mutation_is_accepted():
    assert accepted_mutations(SMALL_SET) == []


def test_every_paraphrase_is_accepted():
    asked, _, refused = paraphrase_counts(SMALL_SET)
    assert refused == []
    assert set(asked) >= {
        "past for gerund",
        "third-person present",
        "base",
        "commas",
        "and then",
        "articles",
        "case",
        "number words",
    }
    assert set(asked) >= {
        "contractions",
        "full clause",
        "relative clause",
        "own action",
        "passive",
        "numbered list",
    }


def test_mutations_cover_the_ways_to_be_wrong():
    names = {
        name
        for kind in QUESTION_TYPES
        for own in range(4)
        for name, _ in answer_variants.mutations(EVENTS, own, kind)
    }
    assert names >= {
        "roles swapped",
        "one role swapped",
        "verbs rotated",
        "order reversed",
        "event missing",
        "wrong object",
        "other noun",
    }
    assert names >= {
        "hedge",
        "negation",
        "verb without object",
        "verb without tail",
        "elision that changes the agent",
    }


def some_of(sentences: Sequence[Events], n: int) -> list[Events]:
    """Sentences at n places, the same in both conditions; all of them where there are n."""
    return [sentences[i] for i in sorted(random.Random(0).sample(range(len(sentences)), n))]


ALL = 180
SOME_OR_ALL = pytest.mark.parametrize("n", [24, pytest.param(ALL, marks=pytest.mark.slow)])


@SOME_OR_ALL
@pytest.mark.parametrize("condition", ["plausible", "implausible"])
def test_no_mutation_of_the_generated_suite_is_accepted(condition, n):
    sentences = sentences_by_condition()[condition]
    assert len(sentences) == ALL
    assert accepted_mutations(some_of(sentences, n)) == []


@SOME_OR_ALL
def test_paraphrases_of_the_generated_suite_are_accepted_alike_in_both_conditions(n):
    shares = []
    for sentences in sentences_by_condition().values():
        asked, accepted, refused = paraphrase_counts(some_of(sentences, n))
        shares.append({name: accepted[name] / asked[name] for name in asked})
        assert min(shares[-1].values()) >= LEAST_ACCEPTED, refused[:5]
    assert shares[0] == shares[1]


@pytest.mark.slow
def test_the_authors_sentences_are_scored_like_the_generated_ones(
    released_rows,  # noqa: F811
):
    sentences = {row["sentence_id"]: row["events"] for row in released_rows}
    assert len(sentences) == 270
    assert accepted_mutations(sentences.values()) == []
    shares = []
    for condition in ("p", "i"):
        asked, accepted, refused = paraphrase_counts(
            events for key, events in sentences.items() if key.endswith(condition)
        )
        shares.append({name: accepted[name] / asked[name] for name in asked})
        assert min(shares[-1].values()) >= LEAST_ACCEPTED, refused[:5]
