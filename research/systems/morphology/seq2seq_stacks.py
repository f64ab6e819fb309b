"""Stacks of seq2seq networks: many are trained together, then each segments its words."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from research.systems.morphology.seq2seq_examples import Architecture, Morphemes

SECONDS_BETWEEN_CHECKPOINTS = 120.0


@dataclass(frozen=True)
class Stack:
    """Networks of one architecture that are trained together on their own words as morphemes.

    The key names everything its results depend on; `words` is what each is to segment.
    """

    key: str
    architecture: Architecture
    seeds: Sequence[int]
    trainings: Sequence[Sequence[Morphemes]]
    words: Sequence[Sequence[str]]


def run_stack(
    stack: Stack, device: str = "cpu", *, checkpoint: Path | None = None
) -> list[list[list[str]]]:
    """Trains a stack, or goes on from `checkpoint`; what each network makes of its words."""
    from research.systems.morphology.seq2seq_search import segment
    from research.systems.morphology.seq2seq_training import Training

    training = Training(stack.trainings, stack.seeds, stack.architecture, device)
    if checkpoint is not None and checkpoint.exists():
        training.restore(checkpoint)
    saved = time.monotonic()
    for _ in training.run():
        if checkpoint is not None and time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
            checkpoint.parent.mkdir(parents=True, exist_ok=True)
            training.save(checkpoint)
            saved = time.monotonic()
    segmented: list[list[list[str]]] = segment(
        training.networks, training.examples.vocabularies, stack.words
    )
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return segmented
