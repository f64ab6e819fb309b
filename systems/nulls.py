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
from typing import Any

N_CHARACTERS = 5000  # of which the uniform language model takes each to be as likely
WORD_LENGTH = 2  # characters of the commonest Chinese word
PUNCTUATION = re.compile(r"[^\w]+|\w+")
Function = Callable[..., Any]


@dataclass(frozen=True)
class Null:
    """A system that knows nothing of what is asked.

    Attributes:
        name: As on the command line, unique within its kind.
        kind: Kind of system.
        suites: Suites whose items it can take.
        says: What it does, in a few words.
        function: Of the shape that a user's function of this kind has; None where the kind's own
            table has it.
    """

    name: str
    kind: str
    suites: tuple[str, ...]
    says: str
    function: Function | None = None


def null_functions(kind: str) -> Mapping[str, Function]:
    """Nulls of a kind that are not in its own table, by name."""
    return {null.name: null.function for null in NULLS if null.kind == kind and null.function}


def nulls_of(suite: str) -> tuple[Null, ...]:
    """Nulls that fit a suite."""
    return tuple(null for null in NULLS if suite in null.suites)


def cut_everywhere(items: Sequence[str]) -> list[list[str]]:
    """Every character a word or morpheme.

    Example:
        >>> cut_everywhere(["老师走。"])
        [['老', '师', '走', '。']]
    """
    return [list(item) for item in items]


def cut_nowhere(items: Sequence[str]) -> list[list[str]]:
    """Every sentence or word as one piece."""
    return [[item] for item in items]


def cut_runs(items: Sequence[str]) -> list[list[str]]:
    """The longest runs between punctuation marks, as longest match cuts without a lexicon.

    Example:
        >>> cut_runs(["老师走,学生来。"])
        [['老师走', ',', '学生来', '。']]
    """
    return [PUNCTUATION.findall(item) for item in items]


def cut_in_twos(items: Sequence[str]) -> list[list[str]]:
    """Every two characters a word: most Chinese words have two.

    Example:
        >>> cut_in_twos(["老师来了。"])
        [['老师', '来了', '。']]
    """
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
    """The next noun where the order of the nouns alone looks plausible, else the one before.

    What a reader can know of the condition without reading a verb; where it knows nothing, its gap
    is 0.
    """
    from systems.noun_order import guess_plausible

    orders = [nouns_in(question["sentence"]) for question in questions]
    steps = [1 if is_plausible else -1 for is_plausible in guess_plausible(orders)]
    return [
        f"the {_neighbour(question, step)}" for question, step in zip(questions, steps, strict=True)
    ]


def uniform_tokens(texts: Sequence[str]) -> list[list[tuple[int, int, float]]]:
    """Every character as likely as every other, so that the shorter text is preferred."""
    score = -math.log(N_CHARACTERS)
    return [[(i, i + 1, score) for i in range(len(text))] for text in texts]


def any_choice(questions: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    """Every choice as good as every other."""
    return [[0.0 for _ in question["choices"]] for question in questions]


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
    from builders.centerbench.relations import KnowledgeBase

    nouns = sorted(KnowledgeBase().nouns, key=len, reverse=True)
    known = "|".join(map(re.escape, nouns))
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


NULLS: tuple[Null, ...] = (
    Null("cut-everywhere", "segmenter", ("eras",), "every character a word", cut_everywhere),
    Null("cut-nowhere", "segmenter", ("eras",), "every sentence a word", cut_nowhere),
    Null("cut-in-twos", "segmenter", ("eras",), "every two characters a word", cut_in_twos),
    Null("cut-at-random", "segmenter", ("eras",), "a coin for every cut", cut_at_random),
    Null("longest-run", "segmenter", ("eras",), "cuts at punctuation only", cut_runs),
    Null("constant", "classifier", ("eras",), "1/2 for every sentence", constant_rating),
    Null("majority-label", "classifier", ("eras",), "one label for all", majority_rating),
    Null("random", "classifier", ("eras",), "a number drawn for each", random_rating),
    Null("subject-first", "parser", ("sorts",), "the first argument is the subject"),
    Null("object-first", "parser", ("sorts",), "the first argument is the object"),
    Null("random-roles", "parser", ("sorts",), "a coin for every clause"),
    Null("verb-always", "parser", ("pp_attachment",), "always the verb"),
    Null("nearest-noun", "parser", ("pp_attachment",), "the noun with the fewest words between"),
    Null("adjacent-noun", "parser", ("pp_attachment",), "the noun right before, else the verb"),
    Null("nearest-preceding", "parser", ("pp_attachment",), "the candidate before, else the verb"),
    Null("preposition-majority", "parser", ("pp_attachment",), "what its preposition mostly has"),
    Null("random-candidate", "parser", ("pp_attachment",), "any candidate"),
    Null("linear-order", "answerer", ("centerbench",), "the words as they come"),
    Null("first-noun", "answerer", ("centerbench",), "the sentence's first noun", first_noun),
    Null("next-noun", "answerer", ("centerbench",), "the neighbouring noun", next_noun),
    Null("noun-order", "answerer", ("centerbench",), "a neighbour, by ranks", noun_order),
    Null("random-noun", "answerer", ("centerbench",), "any noun of the sentence", random_noun),
    Null("copy-sentence", "answerer", ("centerbench",), "the sentence itself", copy_sentence),
    Null("constant", "answerer", ("centerbench",), "none, to every question", constant_answer),
    Null("any-choice", "chooser", ("centerbench",), "every choice as good", any_choice),
    Null(
        "uniform",
        "language_model",
        ("eras", "sorts", "centerbench", "morphseg"),
        "every character as likely",
        uniform_tokens,
    ),
    *(
        Null(name, "morphological_segmenter", ("morphseg",), says, _untrained(cut))
        for name, says, cut in (
            ("cut-everywhere", "every letter a morpheme", cut_everywhere),
            ("cut-nowhere", "every word a morpheme", cut_nowhere),
            ("cut-at-random", "a coin for every cut", cut_at_random),
        )
    ),
)
