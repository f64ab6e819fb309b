"""Texts a second, minutes for CenterBench's choices, and memory, under one language model.

One thread, fp32, through the loop and the store of the studies. Seconds are those of the processor,
so that other work on the machine does not count; they are still of this machine. Texts of ERAS are
those of `simplified_lite`, with 1,950 pairs; choices are a sample of whole batches of all.

Gemma 3 270M, `--texts 256 --batches 2`, two cores of an AMD EPYC, load 9 to 12: 11.6 texts
a second (goal 8), 7.8 minutes (goal 15), 2,391 MB after 256 texts and 2,417 MB after 1,024. Nearly
all of it are matrix products, of which the yardstick says nothing; so the goals leave half.
"""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dataset_scripts.registry import split_table
from research.benchmarks.timing import Goal, NotHereError, at_most, peak, scaled
from research.engine.loop import Loop, Stage, tasks_of
from research.engine.store import Store
from research.studies.likelihoods import TOKENS, Part, score_texts
from research.systems.registry import load

MODEL, TEXTS, BATCHES = "gguf:gemma", 128, 2
TEXTS_A_SECOND, MOST_MINUTES, MOST_GROWTH = 8.0, 15.0, 1.1


def run(share: float) -> list[Goal]:
    """Scores texts of ERAS, and then three times as many, and a sample of CenterBench's choices."""
    import torch

    torch.set_num_threads(1)
    try:
        model = load("language_model", MODEL)
    except (ImportError, ValueError, OSError) as error:
        raise NotHereError(f"{MODEL}: {error}") from None
    return [*eras(model, scaled(TEXTS, share)), choices(model, scaled(BATCHES, share))]


def eras(model: Any, n: int) -> list[Goal]:
    """Texts a second, and how much the peak of memory grows from n texts to 4n."""
    table = split_table("eras", "simplified_lite", "test")
    texts = [text for side in ("test", "control") for text in table[side].to_pylist()]
    sample = texts[:: max(1, len(texts) // (4 * n))][: 4 * n]
    seconds = scored(model, sample[:n])
    first = peak()
    seconds += scored(model, sample[n:])
    rate = len(sample) / seconds
    return [
        Goal("ERAS lite", rate, TEXTS_A_SECOND, "texts a second", model.version),
        at_most("memory of 4 times the texts", peak() / first, MOST_GROWTH, "x"),
    ]


def choices(model: Any, n: int) -> Goal:
    """Minutes for all choices of CenterBench, from batches at equal distances."""
    texts, size = Part("centerbench", "choice").texts, model.batch_size
    starts = range(0, len(texts) - size, max(1, (len(texts) - size) // n))[:n]
    sample = [text for start in starts for text in texts[start : start + size]]
    minutes = scored(model, sample) * len(texts) / len(sample) / 60
    what = f"CenterBench's choices, from {len(sample):,} of {len(texts):,} texts"
    return at_most(what, minutes, MOST_MINUTES, "minutes", model.version)


def scored(model: Any, texts: Sequence[str]) -> float:
    """Seconds of the processor to score and store texts."""
    with tempfile.TemporaryDirectory() as folder:
        keys = {f"{i:032x}": text for i, text in enumerate(texts)}
        tasks = tasks_of(keys, model.batch_size, model)
        start = time.process_time()
        Loop().fill(Stage("texts", Store(Path(folder), TOKENS), lambda: tasks, score_texts))
        return time.process_time() - start
