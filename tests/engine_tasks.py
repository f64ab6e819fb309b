"""A task for the engines' tests: a function that a worker process can import."""

import os
from pathlib import Path


def act(task: str) -> str:
    """Does what the task says: be well, fail, die, or die the first time that it is tried."""
    what, _, argument = task.partition(" ")
    if what == "fail":
        raise ValueError(f"argument, got {argument};\nexpected another")
    if what == "die" or (what == "die-once" and not Path(argument).exists()):
        if argument:
            Path(argument).touch()
        os._exit(7)
    return f"{what} {os.environ['OMP_NUM_THREADS']}"
