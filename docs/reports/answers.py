"""Answers of an answerer of the laboratory to CenterBench, as a file.

python -m docs.reports.answers SYSTEM FILE
"""

import json
import sys
from pathlib import Path

from garden_path.scoring import inputs_of
from ground.files import write_whole
from research.systems.registry import LABORATORY


def main(system: str, out: str) -> None:
    """Asks the system every question of the default test and writes a line for each answer."""
    items = inputs_of("centerbench")
    found = LABORATORY.load("answerer", system).predict(items.inputs)
    rows = [{"id": i, "answer": one.text} for i, one in zip(items.ids, found, strict=True)]
    write_whole(Path(out), "".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
