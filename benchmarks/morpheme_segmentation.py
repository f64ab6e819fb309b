"""Scoring segmentations against the published recursion and against a compiled edit distance.

python -m benchmarks.morpheme_segmentation
"""

import functools
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.timing import Goal, measure, report
from builders.morphseg.generator import generate
from metrics.morpheme_segmentation.averages import mean_scores
from metrics.morpheme_segmentation.edit_distance import edit_distances
from metrics.morpheme_segmentation.matching import PRESETS, Convention, count_matches

N_WORDS = 1200
SHARE_WRONG = 0.4  # about what a CRF gets wrong at 2,000 words


def main() -> int:
    rng = random.Random(0)
    gold = [list(w.morphemes) for w in generate("synthetic", N_WORDS)]
    predicted = [
        merge_two(rng, morphemes) if rng.random() < SHARE_WRONG else morphemes for morphemes in gold
    ]
    pairs = [(" ".join(g), " ".join(p)) for g, p in zip(gold, predicted, strict=True)]
    start = time.perf_counter()
    distances = [recursion(*pair) for pair in pairs]
    peer = time.perf_counter() - start
    assert count_matches(predicted, gold, PRESETS["paper"]).distance.tolist() == distances
    goals = []
    for name, convention in {"preset paper": PRESETS["paper"], "default": Convention()}.items():
        score_all = functools.partial(count_and_score, predicted, gold, convention)
        goals.append(
            Goal(
                f"published recursion over whole scoring, {name}",
                peer / measure(score_all, 30),
                1000,
            )
        )
    goals.append(compiled_goal(pairs))
    return report(
        f"{N_WORDS:,} words; the recursion computes the edit distances only ({peer:.2f} s)", goals
    )


def compiled_goal(pairs: list[tuple[str, str]]) -> Goal:
    """How many times the edit distances alone take what rapidfuzz takes, which is compiled."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    first, second = zip(*wrong, strict=True)
    compiled = measure(lambda: cpdist(first, second, scorer=Levenshtein.distance), 30)
    own = measure(lambda: edit_distances(first, second), 30)
    what = f"edit distances of the {len(wrong)} wrong words over rapidfuzz's time"
    return Goal(what, own / compiled, 40, larger_is_better=False)


def count_and_score(
    predicted: list[list[str]], gold: list[list[str]], convention: Convention
) -> object:
    return mean_scores(count_matches(predicted, gold, convention), convention)


def merge_two(rng: random.Random, morphemes: list[str]) -> list[str]:
    if len(morphemes) < 2:
        return [morphemes[0][:1], morphemes[0][1:]]
    i = rng.randrange(len(morphemes) - 1)
    return [*morphemes[:i], morphemes[i] + morphemes[i + 1], *morphemes[i + 2 :]]


def remembered(function: Callable[..., int]) -> Callable[..., int]:
    known: dict[str, int] = {}

    def look_up(*arguments: Any, **options: Any) -> int:
        key = str(arguments) + str(
            options
        )  # as published: every prefix pair is a string of both words
        if key not in known:
            known[key] = function(*arguments, **options)
        return known[key]

    return look_up


@remembered
def recursion(first: str, second: str) -> int:
    if not first or not second:
        return len(first) + len(second)
    cost = first[-1] != second[-1]
    return min(
        recursion(first[:-1], second) + 1,
        recursion(first, second[:-1]) + 1,
        recursion(first[:-1], second[:-1]) + cost,
    )


if __name__ == "__main__":
    sys.exit(main())
