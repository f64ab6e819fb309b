"""The report of the parses that the authors of SORTS published, on their own clauses.

python push.py build sorts --released ../shared/data/sorts --out hub-authors
gunzip -c ../shared/data/sorts/head_german_amb_sticker2.conll.gz > sticker2.conll
python -m docs.reports.sticker2 hub-authors sticker2.conll docs/reports/sticker2

The page has figures only: no clause of the authors is shown.
"""

import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from builders.suites import find_test
from garden_path.readers.predictions import read_trees
from garden_path.report import write_report
from garden_path.report.given import ScoredTests
from garden_path.result import Result
from garden_path.rows import load
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import score

CONFIG, SPLIT = "released_head", "amb"


def main(hub: str, parses: str, out: str) -> None:
    """Scores the file on the authors' clauses and writes the report."""
    rows = load("sorts", CONFIG, SPLIT, hub=hub).to_pylist()
    read = read_trees(parses, [row["tokens"] for row in rows], None)
    run = {"suite": "sorts", "config": CONFIG, "split": SPLIT, "system": "sticker2"}
    inputs = {"predictions": read.whole(), "references": pa.Table.from_pylist(rows)}
    test = replace(find_test("sorts", "conll_lite/amb"), config=CONFIG, split=SPLIT, results=())
    result = Result(score(inputs, read_options(run=run)), test, "sticker2", read.report())
    write_report(ScoredTests([result], []), Path(out), n_mistakes=0, hub=hub)
    print(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
