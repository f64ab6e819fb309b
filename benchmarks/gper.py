"""GPER of 203,944 pairs: the function against a plain loop, the module against evaluate's path.

python -m benchmarks.gper        about half a minute
"""

import sys
from typing import Any

import datasets
import numpy as np

from benchmarks.staged import load_staged
from benchmarks.timing import Goal, measure, report
from metrics.columns import FloatArray, IntArray
from metrics.gper.options import read_options
from metrics.gper.scoring import score
from metrics.paradigms import PARADIGMS

N_PAIRS = 203_944


def score_in_a_loop(
    predictions: FloatArray, paradigm_ids: IntArray
) -> tuple[float, float, float, float]:
    """Accuracy, necessity, sufficiency, GPER as anyone would write it: pair by pair, unchecked."""
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


def check_scores(result: dict[str, Any], looped: tuple[float, ...]) -> None:
    """Raises a ValueError where the metric and the plain loop differ."""
    names = ("overall_accuracy", "necessity", "sufficiency", "gper")
    if not np.allclose([result[name] for name in names], looped):
        raise ValueError(f"benchmarks.gper: scores, got {result}; expected {looped}")


def main() -> int:
    generator = np.random.default_rng(0)
    predictions, paradigm_ids = generator.random((N_PAIRS, 4)), np.sort(np.arange(N_PAIRS) % 39 + 1)
    plain = read_options(confidence=None)
    inputs = {"predictions": predictions, "references": paradigm_ids}
    check_scores(score(inputs, plain), score_in_a_loop(predictions, paradigm_ids))
    loop = measure(lambda: score_in_a_loop(predictions, paradigm_ids))
    function = measure(lambda: score(inputs, plain), 15)
    with_intervals = measure(lambda: score(inputs), 15)
    memory = measure(lambda: [predictions[:, k].sum() for k in range(4)], 15)

    metric = load_staged("gper")
    column = datasets.Dataset.from_dict({"paradigm_id": paradigm_ids})["paradigm_id"]
    direct = measure(
        lambda: metric.compute(predictions=predictions, references=paradigm_ids, confidence=None),
        15,
    )
    from_column = measure(lambda: metric.compute(predictions=predictions, references=column), 15)
    added = measure(lambda: compute_by_adding(metric, predictions, paradigm_ids), 3)

    print(
        f"loop {loop:.4f} s, function {function:.4f} s, with intervals {with_intervals:.4f} s, "
        f"one pass over memory {memory:.4f} s"
    )
    print(
        f"module {direct:.4f} s, with a column of a data set and intervals {from_column:.4f} s, "
        f"evaluate's own path {added:.4f} s\n"
    )
    return report(
        f"GPER of {N_PAIRS:,} pairs",
        [
            Goal("plain loop / function", loop / function, 12),
            Goal(
                "plain loop / function with all intervals (the loop has none)",
                loop / with_intervals,
                3,
            ),
            Goal("evaluate's own path / compute()", added / direct, 10),
            Goal(
                "evaluate's own path / compute() from a column, with all intervals",
                added / from_column,
                10,
            ),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
