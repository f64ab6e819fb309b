"""Scoring the segmentation of the whole suite against segmenting it with jieba.

python -m benchmarks.segmentation_scoring        about a minute
"""

import logging
import sys
import time

import jieba

from benchmarks.staged import load_staged
from benchmarks.timing import Goal, measure, report
from dataset_scripts.registry import split_table
from metrics.garden_path_accuracy.scoring import score


def main() -> int:
    pairs = split_table("eras", "simplified", "test").select(
        ["paradigm_id", "site_start", "test", "control"]
    )
    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    start = time.perf_counter()
    sides = [
        [jieba.lcut(sentence) for sentence in pairs[side].to_pylist()]
        for side in ("test", "control")
    ]
    segmenting = time.perf_counter() - start
    words = [list(pair) for pair in zip(*sides, strict=True)]
    rows = pairs.to_pylist()
    metric = load_staged("garden_path_accuracy")
    scoring = measure(lambda: score({"predictions": words, "references": pairs}), 5)
    from_rows = measure(lambda: score({"predictions": words, "references": rows}), 5)
    module = measure(lambda: metric.compute(predictions=words, references=pairs), 5)
    print(
        f"segmenting {segmenting:.2f} s, scoring {scoring:.3f} s, "
        f"from a list of rows {from_rows:.3f} s, module {module:.3f} s\n"
    )
    return report(
        f"Segmentation of {2 * len(words):,} sentences with jieba",
        [
            Goal("scoring / segmenting", scoring / segmenting, 0.05, larger_is_better=False),
            Goal(
                "scoring from a list of rows / segmenting",
                from_rows / segmenting,
                0.05,
                larger_is_better=False,
            ),
            Goal(
                "compute() of the module / segmenting",
                module / segmenting,
                0.05,
                larger_is_better=False,
            ),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
