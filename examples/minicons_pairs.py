"""Twins of SORTS under a model of your own through minicons: `python minicons_pairs.py MODEL`."""

import sys

import evaluate
from datasets import load_dataset
from minicons.scorer import IncrementalLMScorer

rows = load_dataset("sorts", "pairs", split="test").shuffle(seed=0).select(range(100))
model = IncrementalLMScorer(sys.argv[1], "cpu")
# without a start token the first word has no log-probability, and members may differ in it alone
start = model.tokenizer.bos_token_id  # None where a tokenizer has none that could be added
is_bare = start is not None and model.tokenizer("a").input_ids[0] != start
members = [
    model.sequence_score(
        rows[name], reduction=lambda scores: scores.sum().item(), bos_token=is_bare
    )
    for name in ("grammatical", "violated")
]
pairs = list(zip(*members, strict=True))
result = evaluate.load("minimal_pair_preference").compute(predictions=pairs, references=rows)
print(result["accuracy"], result["accuracy_low"], result["accuracy_high"])
