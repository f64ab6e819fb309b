"""Scoring segmentations against the published recursion and against a compiled edit distance.

A scoring takes under 2 ms for 1,200 words, 1.5 µs a word, and no step of it has over a sixth: lists
of strings are walked in Python some ten times, to be checked, counted, joined and compared. At a
thousand times the recursion's speed a word would have half a microsecond, which is two such walks.
So the goal is 300 times.
"""

import functools
import random
from collections.abc import Callable
from typing import Any

from builders.morphseg.draw import draw
from metrics.morpheme_segmentation.matching import (
    PRESETS,
    Convention,
    count_matches,
    edit_distances,
)
from metrics.morpheme_segmentation.scoring import mean_scores
from research.benchmarks.timing import Goal, at_most, measure, scaled, wall

SHARE_WRONG = 0.4  # about what a CRF gets wrong at 2,000 words


def run(share: float) -> list[Goal]:
    """Scores words of the invented language with two in five wrong."""
    rng = random.Random(0)
    gold = [list(word.morphemes) for word in draw(size=scaled(1200, share))]
    predicted = [merge_two(rng, one) if rng.random() < SHARE_WRONG else one for one in gold]
    pairs = [(" ".join(g), " ".join(p)) for g, p in zip(gold, predicted, strict=True)]
    distances: list[int] = []
    peer = wall(lambda: distances.extend(recursion(*pair) for pair in pairs))
    found = count_matches(predicted, gold, PRESETS["paper"]).distance.tolist()
    if found != distances:
        raise ValueError(f"morpheme_segmentation: distances, got {found}; expected {distances}")
    goals = [compiled_goal(pairs)]
    for name, convention in {"preset paper": PRESETS["paper"], "default": Convention()}.items():
        ratio = peer / measure(functools.partial(count_and_score, predicted, gold, convention), 30)
        what = f"whole scoring of {len(gold):,} words, {name}"
        goals.append(Goal(what, ratio, 300, peer="the published recursion, distances alone"))
    return goals


def compiled_goal(pairs: list[tuple[str, str]]) -> Goal:
    """How many times the edit distances alone take what rapidfuzz takes, which is compiled."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    first, second = zip(*wrong, strict=True)
    compiled = measure(lambda: cpdist(first, second, scorer=Levenshtein.distance), 30)
    own = measure(lambda: edit_distances(first, second), 30)
    what = f"edit distances of the {len(wrong)} wrong words"
    return at_most(what, own / compiled, 40, "x", "rapidfuzz takes 1")


def count_and_score(
    predicted: list[list[str]], gold: list[list[str]], convention: Convention
) -> object:
    """Our scores of segmented words, without intervals."""
    return mean_scores(count_matches(predicted, gold, convention), convention)


def merge_two(rng: random.Random, morphemes: list[str]) -> list[str]:
    """Morphemes with two neighbours merged; a word of one is cut behind its first letter."""
    if len(morphemes) < 2:
        return [morphemes[0][:1], morphemes[0][1:]]
    i = rng.randrange(len(morphemes) - 1)
    return [*morphemes[:i], morphemes[i] + morphemes[i + 1], *morphemes[i + 2 :]]


def remembered(function: Callable[..., int]) -> Callable[..., int]:
    """A function that keeps its results by a text of its arguments, as the published one does."""
    known: dict[str, int] = {}

    def look_up(*arguments: Any, **options: Any) -> int:
        # as published: every prefix pair is a string of both words
        key = str(arguments) + str(options)
        if key not in known:
            known[key] = function(*arguments, **options)
        return known[key]

    return look_up


@remembered
def recursion(first: str, second: str) -> int:
    """The published edit distance of two words: insertions, deletions and changes cost 1."""
    if not first or not second:
        return len(first) + len(second)
    cost = first[-1] != second[-1]
    return min(
        recursion(first[:-1], second) + 1,
        recursion(first, second[:-1]) + 1,
        recursion(first[:-1], second[:-1]) + cost,
    )
