"""SORTS: drawing, realizing and writing the suite in the paper's formats, in fresh processes."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Goal, measure, report
from builders.sorts import validity
from builders.sorts.columns import CONLL_SCHEMA, clause_table
from builders.sorts.draw import draw, draw_items
from builders.sorts.writers import conllu, paper_conll, paper_tsv, sentence_columns
from ground.files import write_whole

REPEATS = 5
WRITE_ALL = """
import pathlib, sys
from benchmarks.sorts_build import write_suite
write_suite(pathlib.Path(sys.argv[1]))
"""


def write_suite(folder: Path) -> None:
    """Draws the suite and writes it as CoNLL and TSV in the paper's layout."""
    for split, columns in draw().items():
        write_whole(folder / f"{split}.conll", paper_conll(columns))
        write_whole(folder / f"{split}.tsv", paper_tsv(sentence_columns(columns)))


def seconds_in_a_fresh_process(folder: Path) -> float:
    """Seconds of `write_suite` in a process of its own: imports, reading of tables and all."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", WRITE_ALL, str(folder)], check=True)
    return time.perf_counter() - start


def main() -> int:
    """Runs the benchmark and returns the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fresh = statistics.median(seconds_in_a_fresh_process(folder) for _ in range(REPEATS))
    draw_items.cache_clear()
    suite = draw()
    columns = {column: suite["part_amb"][column] + suite["amb"][column] for column in suite["amb"]}
    table = clause_table(columns, CONLL_SCHEMA)
    proof = measure(lambda: validity.problems(table), 3)
    trees = measure(lambda: conllu(columns), 3)
    print(
        f"the proof over {table.num_rows:,} rows {proof:.2f} s, "
        f"CoNLL-U with full trees {trees:.2f} s\n"
    )
    return report(
        "SORTS, 18,502 clauses in the paper's CoNLL and TSV",
        [
            Goal(
                "draw, realize and write in a fresh process, seconds (median of 5)",
                fresh,
                3,
                larger_is_better=False,
            )
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
