"""Texts a second, minutes for CenterBench's choices, and memory, under one language model.

    python -m benchmarks.likelihood_rates gguf:gemma

One thread, fp32, through the loop and the store of the studies. Seconds are those of the processor,
so that other work on the machine does not count; they are still of this machine. Texts of ERAS are
those of `simplified_lite`, with 1,950 pairs; choices are a sample of whole batches of all.

Gemma 3 270M, `--texts 256 --batches 2`, two cores of an AMD EPYC, load 9 to 12: 11.6 texts
a second (goal 8), 7.8 minutes (goal 15), 2,391 MB after 256 texts and 2,417 MB after 1,024.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.timing import Goal, report
from dataset_scripts.registry import split_table
from ground.loop import Loop, Stage, tasks_of
from ground.store import Store
from studies.centerbench.choice import STUDY
from studies.likelihoods import TOKENS, Part, score_texts
from systems.registry import load

TEXTS_A_SECOND, MOST_MINUTES, MOST_GROWTH = 8.0, 15.0, 1.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.likelihood_rates",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="gguf:NAME or transformers:FOLDER")
    parser.add_argument("--texts", type=int, default=512, help="of ERAS, then three times as many")
    parser.add_argument("--batches", type=int, default=4, help="of choices (default: 4)")
    options = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(1)
    model = load("language_model", options.model)
    goals = [*eras(model, options.texts), choices(model, options.batches)]
    return report(f"Likelihoods, {model.version}, one thread", goals)


def eras(model: Any, n: int) -> list[Goal]:
    """Texts a second, and how much the peak of memory grows from n texts to 4n."""
    table = split_table("eras", "simplified_lite", "test")
    texts = [text for side in ("test", "control") for text in table[side].to_pylist()]
    step = max(1, len(texts) // (4 * n))
    sample = texts[::step][: 4 * n]
    seconds = scored(model, sample[:n])
    first = peak()
    seconds += scored(model, sample[n:])
    whole = peak()
    print(f"ERAS: {len(sample):,} texts in {seconds:,.0f} s; peak {first:,} MB, then {whole:,} MB")
    return [
        Goal("ERAS lite: texts a second", len(sample) / seconds, TEXTS_A_SECOND),
        Goal("memory, four times the texts", whole / first, MOST_GROWTH, larger_is_better=False),
    ]


def choices(model: Any, n: int) -> Goal:
    """Minutes for all choices of CenterBench, from batches at equal distances."""
    part: Part = next(iter(STUDY.rows(STUDY.parser().parse_args([])).values()))
    texts, size = part.texts, model.batch_size
    starts = range(0, len(texts) - size, max(1, (len(texts) - size) // n))[:n]
    sample = [text for start in starts for text in texts[start : start + size]]
    seconds = scored(model, sample)
    print(f"CenterBench: {len(sample):,} of {len(texts):,} texts in {seconds:,.0f} s")
    minutes = seconds * len(texts) / len(sample) / 60
    return Goal("CenterBench choice: minutes", minutes, MOST_MINUTES, larger_is_better=False)


def scored(model: Any, texts: Sequence[str]) -> float:
    """Seconds of the processor to score and store texts."""
    with tempfile.TemporaryDirectory() as folder:
        keys = {f"{i:032x}": text for i, text in enumerate(texts)}
        tasks = tasks_of(keys, model.batch_size, model)
        start = time.process_time()
        Loop().fill(Stage("texts", Store(Path(folder), TOKENS), lambda: tasks, score_texts))
        return time.process_time() - start


def peak() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    raise SystemExit(main())
