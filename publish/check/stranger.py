"""What `publish/check/reload.py` runs in a fresh process: loads builds with two libraries only.

    python stranger.py '[{FOLDER: {"config/split": ROWS}}, [METRIC, ...], [HIDDEN MODULE, ...]]'

Imports nothing of ours. Prints one line for each split or metric that is not as it should be.
"""

import doctest
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class Hiding:
    """A finder of modules that does not find some of them."""

    def __init__(self, finder: Any, hidden: Sequence[str]) -> None:
        self.finder = finder
        self.hidden = frozenset(hidden)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that the wrapped finder has; None for a hidden module."""
        is_hidden = name.split(".")[0] in self.hidden
        return None if is_hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.finder, name)


def split_problems(rows: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Loads every split of built suites and compares its number of rows."""
    from datasets import load_dataset

    for folder, splits in rows.items():
        for key, n in splits.items():
            config, split = key.split("/")
            got = load_dataset(folder, config, split=split).num_rows
            if got != n:
                yield f"{folder}: {key}, got {got} rows; expected {n}"


def example_problems(folders: Sequence[str]) -> Iterator[str]:
    """Computes the examples in the docstring of every staged metric."""
    import evaluate

    load = evaluate.load
    for folder in folders:
        module = load(folder)
        evaluate.load = lambda *_, module=module, **__: module
        names = {"evaluate": evaluate, "nan": float("nan")}
        given = (module.inputs_description, names, folder, None, None)
        examples = doctest.DocTestParser().get_doctest(*given)
        lines: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(examples, out=lines.append)
        if not runner.tries:
            yield f"{folder}: examples, got none in the docstring; expected some that compute"
        if runner.failures:
            shown = " ".join(next((line for line in lines if "Error" in line), lines[0]).split())
            yield f"{folder}: examples, got {shown[-300:]}; expected every example to hold"


def main() -> None:
    """Hides modules, loads everything, prints the problems."""
    rows, metrics, hidden = json.loads(sys.argv[1])
    sys.meta_path[:] = [Hiding(finder, hidden) for finder in sys.meta_path]
    for problems in (split_problems(rows) if rows else (), example_problems(metrics)):
        for line in problems:
            print(line)


if __name__ == "__main__":
    main()
