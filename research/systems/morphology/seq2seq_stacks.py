"""Trains stacks of seq2seq networks from a file of jobs, with nothing but torch and numpy.

    python -m research.systems.morphology.seq2seq_stacks jobs.jsonl.gz --out predictions

One line of the file is one stack: its key, the architecture, and for each network a seed, its
training words as morphemes and the words to segment. Each finished stack is one file in the output
folder; run again, the same line goes on where it was stopped. The jobs are written by `python -m
research morphseg generalizability --export-stacks FILE`, and `--import-stacks` takes in the
predictions.
"""

import argparse
import dataclasses
import gzip
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ground.files import whole, write_whole
from research.systems.morphology.seq2seq_examples import Architecture, Morphemes

REPORTED_STEPS = 100
SECONDS_BETWEEN_CHECKPOINTS = 120.0


@dataclass(frozen=True)
class Stack:
    """Networks that are trained together.

    Attributes:
        key: Names the stack and everything its results depend on.
        architecture: The same for all.
        seeds: One for each network.
        trainings: Each network's training words as morphemes.
        words: The words that each network is to segment.
    """

    key: str
    architecture: Architecture
    seeds: Sequence[int]
    trainings: Sequence[Sequence[Morphemes]]
    words: Sequence[Sequence[str]]


def run_stack(
    stack: Stack,
    device: str = "cpu",
    *,
    checkpoint: Path | None = None,
    uses_graphs: bool = True,
    reports: bool = False,
) -> list[list[list[str]]]:
    """Trains a stack and returns what each network makes of its words.

    Args:
        stack: The stack.
        device: "cpu" or "cuda".
        checkpoint: File that keeps the state of the training, so that a killed one goes on; removed
            at the end.
        uses_graphs: Whether steps are replayed as CUDA graphs.
        reports: Whether to print losses and the time left.
    """
    from research.systems.morphology.seq2seq_search import segment
    from research.systems.morphology.seq2seq_training import Training

    training = Training(
        stack.trainings, stack.seeds, stack.architecture, device, uses_graphs=uses_graphs
    )
    if checkpoint is not None and checkpoint.exists():
        training.restore(checkpoint)
    saved, clock = time.monotonic(), Clock(stack, training.n_done)
    for done in training.run():
        if reports and done % REPORTED_STEPS == 0:
            print(clock.describe(done, float(training.losses.mean())), flush=True)
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


class Clock:
    """Report of how a training is getting on.

    Args:
        stack: What is trained.
        n_before: Steps that were done before this process.
    """

    def __init__(self, stack: Stack, n_before: int) -> None:
        self.stack, self.n_before, self.start = stack, n_before, time.monotonic()

    def describe(self, n_done: int, loss: float) -> str:
        """Line with the loss, the speed and the time left."""
        each = (time.monotonic() - self.start) / (n_done - self.n_before)
        left = each * (self.stack.architecture.n_steps - n_done)
        return (
            f"{self.stack.key} step {n_done}: loss {loss:.3f}, {each:.4f} s/step, {left:.0f} s left"
        )


def write_stacks(path: Path, stacks: Iterable[Stack]) -> int:
    """Writes stacks as gzipped JSON lines, whole or not at all, and returns their number."""
    n = 0
    with whole(path) as part, gzip.open(part, "wt", encoding="utf-8") as file:
        for stack in stacks:
            file.write(json.dumps(dataclasses.asdict(stack), ensure_ascii=False) + "\n")
            n += 1
    return n


def read_stacks(path: Path) -> Iterator[Stack]:
    """Yields the stacks of a file that `write_stacks` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            fields = json.loads(line)
            yield Stack(**{**fields, "architecture": Architecture(**fields["architecture"])})


def write_predictions(
    folder: Path, key: str, predictions: Sequence[Sequence[Sequence[str]]]
) -> None:
    """Writes the predictions of a finished stack."""
    content = gzip.compress(json.dumps(predictions, ensure_ascii=False).encode())
    write_whole(prediction_path(folder, key), content)


def read_predictions(folder: Path, key: str) -> list[list[list[str]]]:
    """Predictions of a stack: for each network, for each word, its morphemes."""
    predictions: Any = json.loads(gzip.decompress(prediction_path(folder, key).read_bytes()))
    return list(predictions)


def prediction_path(folder: Path, key: str) -> Path:
    """File of a finished stack."""
    return folder / f"{key}.json.gz"


def main() -> None:
    """Runs all stacks of a file that are not finished."""
    parser = argparse.ArgumentParser(
        description="Train stacks of seq2seq networks and write their predictions."
    )
    parser.add_argument("jobs", type=Path, help="file written by --export-stacks of the study")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="folder of the predictions, one file for each finished stack",
    )
    parser.add_argument("--device", default="cuda", help="cuda (default) or cpu")
    parser.add_argument(
        "--checkpoints",
        type=Path,
        help="folder for the state of unfinished stacks, so that a killed run goes on",
    )
    parser.add_argument("--steps", type=int, help="other number of training steps, for a trial")
    parser.add_argument("--limit", type=int, help="only the first stacks, for a trial")
    parser.add_argument(
        "--no-graphs", action="store_true", help="run step by step, without CUDA graphs"
    )
    arguments = parser.parse_args()
    for number, stack in enumerate(read_stacks(arguments.jobs), 1):
        if (arguments.limit and number > arguments.limit) or prediction_path(
            arguments.out, stack.key
        ).exists():
            continue
        if arguments.steps:
            stack = dataclasses.replace(
                stack, architecture=dataclasses.replace(stack.architecture, n_steps=arguments.steps)
            )
        print(f"stack {number}: {len(stack.seeds)} networks", flush=True)
        checkpoint = arguments.checkpoints / stack.key if arguments.checkpoints else None
        predictions = run_stack(
            stack,
            arguments.device,
            checkpoint=checkpoint,
            uses_graphs=not arguments.no_graphs,
            reports=True,
        )
        write_predictions(arguments.out, stack.key, predictions)


if __name__ == "__main__":
    main()
