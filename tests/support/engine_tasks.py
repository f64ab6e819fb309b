"""A task for the engines' tests: a function that a worker process can import."""

import os
import time
from collections.abc import Sequence
from pathlib import Path


def act(task: str, *loaded: str) -> str:
    """Does what the task says: be well, fail, die, or die the first time that it is tried."""
    what, _, argument = task.partition(" ")
    if what == "fail":
        raise ValueError(f"argument, got {argument};\nexpected another")
    if what == "die" or (what == "die-once" and not Path(argument).exists()):
        if argument:
            Path(argument).touch()
        os._exit(7)
    return " ".join([what, os.environ["OMP_NUM_THREADS"], *loaded])


class Loading:
    """Loads something, and leaves a line with the process in a file whenever it does.

    Args:
        log: The file.
        error: What loading ends with, "" for nothing.
    """

    def __init__(self, log: Path, error: str = "") -> None:
        self.log, self.error = log, error

    def __call__(self) -> str:
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
        if self.error:
            raise ValueError(self.error)
        return "loaded"


def die_at_four(given: object, parts: Sequence[int]) -> list[tuple[int, dict[str, int]]]:
    """The call of a stage: dies with its process, for one part."""
    if 4 in parts:
        os._exit(9)
    return [(i, {"value": part}) for i, part in enumerate(parts)]


def cut_slowly(sentences: list[str]) -> list[list[str]]:
    """A segmenter that takes its time, and leaves a line for every batch that it begins. The file
    is named by the environment variable LOG_OF_BATCHES: it is another process that cuts."""
    with Path(os.environ["LOG_OF_BATCHES"]).open("a", encoding="utf-8") as file:
        file.write(f"{sentences[0]}\t{os.getpid()}\n")
    time.sleep(0.3)
    return [[sentence[i : i + 3] for i in range(0, len(sentence), 3)] for sentence in sentences]
