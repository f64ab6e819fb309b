"""GPER: the function against a plain loop, the module against evaluate's path.

The loop compares probabilities as they are; the function checks each and takes the logarithm of its
odds, a third of its time, and tests signs in each paradigm, a quarter. So its goal is 7 times the
loop.
"""

from typing import Any

import datasets
import numpy as np

from metrics._shared.columns import FloatArray, IntArray
from metrics._shared.paradigms import PARADIGMS
from metrics.gper.options import read_options
from metrics.gper.scoring import score
from research.benchmarks.timing import Goal, growth, load_staged, measure, scaled, used

SIZES = (100_000, 1_000_000, 10_000_000)
LOOPED = ("overall_accuracy", "necessity", "sufficiency", "gper")


def score_in_a_loop(
    predictions: FloatArray, paradigm_ids: IntArray
) -> tuple[float, float, float, float]:
    """The four scores LOOPED as anyone would write them: pair by pair, unchecked."""
    is_positive = {paradigm.paradigm_id: paradigm.true_sentiment == "+" for paradigm in PARADIGMS}
    correct = dict.fromkeys(is_positive, 0)
    total = dict.fromkeys(is_positive, 0)
    n_errors = n_detected = n_both = 0
    for (test, control, occluded_test, occluded_control), paradigm_id in zip(
        predictions.tolist(), paradigm_ids.tolist(), strict=True
    ):
        difference = control - test
        is_error = difference > 0 if is_positive[paradigm_id] else difference < 0
        is_detected = abs(occluded_control - occluded_test) < abs(difference)
        total[paradigm_id] += 1
        correct[paradigm_id] += not is_error
        n_errors += is_error
        n_detected += is_detected
        n_both += is_error and is_detected
    accuracy = sum(correct[i] / total[i] for i in total) / len(total)
    necessity = n_both / n_errors
    return accuracy, necessity, n_both / n_detected, (1 - accuracy) * necessity


def compute_by_adding(metric: Any, predictions: FloatArray, paradigm_ids: IntArray) -> Any:
    """Scores on evaluate's own path, which encodes every value before it computes."""
    metric.add_batch(predictions=predictions, references=paradigm_ids)
    return metric.compute(confidence=None)


def run(share: float) -> list[Goal]:
    """Scores the suite's number of pairs, and up to ten million."""
    predictions, paradigm_ids = random_pairs(scaled(203_944, share, 390))
    plain = read_options(confidence=None)
    inputs = {"predictions": predictions, "references": paradigm_ids}
    result, looped = score(inputs, plain), score_in_a_loop(predictions, paradigm_ids)
    if not np.allclose([result[name] for name in LOOPED], looped):
        raise ValueError(f"benchmarks.gper: scores, got {result}; expected {looped}")
    loop = measure(lambda: score_in_a_loop(predictions, paradigm_ids))
    function = measure(lambda: score(inputs, plain), 15)
    with_intervals = measure(lambda: score(inputs), 15)
    metric = load_staged("gper")
    column = datasets.Dataset.from_dict({"paradigm_id": paradigm_ids})["paradigm_id"]
    direct = measure(lambda: metric.compute(**inputs, confidence=None), 15)
    from_column = measure(lambda: metric.compute(predictions=predictions, references=column), 15)
    added = measure(lambda: compute_by_adding(metric, predictions, paradigm_ids), 3)
    own = "evaluate's own path"
    sizes = [scaled(n, share, 390) for n in SIZES]
    return [
        Goal("function", loop / function, 7, peer="a plain loop"),
        Goal("function, all intervals", loop / with_intervals, 3, peer="a plain loop, with none"),
        Goal("compute()", added / direct, 10, peer=own),
        Goal("compute() of a column, all intervals", added / from_column, 10, peer=own),
        *growth("pairs scored", score_many, sizes, (None, 1.0, 8.0)),
    ]


def random_pairs(n: int) -> tuple[FloatArray, IntArray]:
    """Probabilities and paradigms of n pairs."""
    generator = np.random.default_rng(0)
    return generator.random((n, 4)), np.sort(np.arange(n) % 39 + 1)


def score_many(n: int) -> float:
    """Seconds to score n pairs with all intervals."""
    predictions, paradigm_ids = random_pairs(n)
    return used(lambda: score({"predictions": predictions, "references": paradigm_ids}))
