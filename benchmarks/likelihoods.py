"""Log-probabilities of texts against minicons, in one run: equal sums, and how much faster.

    python -m benchmarks.likelihoods gguf:smollm2
    python -m benchmarks.likelihoods transformers:FOLDER --texts 40

Texts of SORTS, ERAS and CenterBench as they come, and texts that begin alike: the choices of
CenterBench. Both run on one thread and in fp32, in batches of 16 texts where the program asks.

SmolLM2-135M, 200 texts of each kind: at most 8.5e-5 nats apart; 1.2 times as fast on texts as they
come, 3.5 times on those that begin alike.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.timing import Goal, report
from builders.centerbench.likelihoods import measures
from dataset_scripts.registry import split_table
from systems.gguf import packaged_folder
from systems.registry import load

BATCH_SIZE = 16
SOURCES = (
    ("sorts", "pairs", "grammatical"),
    ("eras", "simplified_lite", "test"),
    ("centerbench", "sentences", "sentence"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.likelihoods",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="gguf:NAME or transformers:FOLDER")
    parser.add_argument("--texts", type=int, default=200, help="of each kind (default: 200)")
    options = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(1)
    ours = load("language_model", options.model)
    kind, _, argument = options.model.partition(":")
    theirs = peer(str(packaged_folder(argument)) if kind == "gguf" else argument, ours)
    goals = [
        goal
        for name, texts in kinds(options.texts).items()
        for goal in compared(name, texts, ours, theirs)
    ]
    return report(f"Log-probabilities, {ours.version}", goals)


def kinds(n: int) -> dict[str, list[str]]:
    """Texts as they come, and texts that begin alike."""
    mixed = [
        text
        for suite, config, column in SOURCES
        for text in split_table(suite, config, "test")[column].to_pylist()[:: len(SOURCES)][:n]
    ]
    rows = split_table("centerbench", "choice", "test").to_pylist()
    choices = [member.text for row in rows for member in measures(row)["choice"]]
    step = max(1, len(mixed) // n)
    return {"as they come": mixed[::step][:n], "begin alike": choices[:n]}


def peer(folder: str, ours: Any) -> Any:
    """Sums by minicons; a start token that the tokenizer does not add is written into the text."""
    from minicons import scorer

    model = scorer.IncrementalLMScorer(folder, "cpu")
    begun = ours.version.rpartition(" after ")[2] if " after " in ours.version else ""
    is_added = model.tokenizer("a")["input_ids"][0] == model.tokenizer.bos_token_id
    start = "" if is_added else begun

    def sums(texts: Sequence[str]) -> list[float]:
        found: list[float] = []
        for i in range(0, len(texts), BATCH_SIZE):
            batch = [start + text for text in texts[i : i + BATCH_SIZE]]
            found += model.sequence_score(batch, reduction=lambda values: values.sum().item())
        return found

    return sums


def compared(name: str, texts: Sequence[str], ours: Any, theirs: Any) -> list[Goal]:
    """Largest difference of a sum, and how many times as fast."""
    scores, seconds = timed(ours.predict, texts)
    expected, their_seconds = timed(theirs, texts)
    found = np.array([one.log_probabilities.sum() for one in scores])
    difference = float(np.abs(found - np.array(expected)).max())
    return [
        Goal(f"{name}: largest difference, nats", difference, 1e-4, larger_is_better=False),
        Goal(f"{name}: times as fast as minicons", their_seconds / seconds, 1.0),
    ]


def timed(call: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> tuple[Any, float]:
    """What a call gives, and its seconds of the processor, after one batch that is not counted."""
    call(texts[:BATCH_SIZE])
    start = time.process_time()
    found = call(texts)
    return found, time.process_time() - start


if __name__ == "__main__":
    raise SystemExit(main())
