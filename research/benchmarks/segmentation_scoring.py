"""Scoring the segmentation of the whole suite against segmenting it with jieba.

By stages, in shares of jieba's time on 25,493 pairs: reading the words .015 to .024, their text and
ends .015, rows and sites .01; in all .054 and .111 in two runs. The words, 2.7 million in all, are
each looked at for type, text and length, which from lists of Python is most of it: a tenth is the
goal.
"""

import logging

import jieba
import pyarrow as pa

from dataset_scripts.registry import split_table
from metrics.garden_path_accuracy.scoring import score
from research.benchmarks.timing import Goal, at_most, load_staged, measure, wall

MOST = 0.1
COLUMNS = ("paradigm_id", "site_start", "test", "control")


def run(share: float) -> list[Goal]:
    """Segments both sentences of every pair, then scores the words."""
    pairs = split_table("eras", "simplified", "test").select(COLUMNS)
    pairs = pairs.take(pa.array(range(0, pairs.num_rows, round(1 / share))))  # of every paradigm
    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    words: list[list[list[str]]] = []
    sides = [pairs[side].to_pylist() for side in ("test", "control")]
    both = zip(*sides, strict=True)
    segmenting = wall(lambda: words.extend(list(map(jieba.lcut, pair)) for pair in both))
    rows, metric = pairs.to_pylist(), load_staged("garden_path_accuracy")
    scoring = measure(lambda: score({"predictions": words, "references": pairs}), 5)
    from_rows = measure(lambda: score({"predictions": words, "references": rows}), 5)
    module = measure(lambda: metric.compute(predictions=words, references=pairs), 5)
    peer = f"segmenting {2 * len(words):,} sentences with jieba takes 1"
    return [
        at_most("scoring", scoring / segmenting, MOST, "x", peer),
        at_most("scoring from a list of rows", from_rows / segmenting, MOST, "x", peer),
        at_most("compute() of the module", module / segmenting, MOST, "x", peer),
    ]
