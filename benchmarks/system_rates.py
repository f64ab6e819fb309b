"""Rows a second and memory of the systems that need no weights from elsewhere, a process for each.

    python -m benchmarks.system_rates                        # a table, some minutes
    python -m benchmarks.system_rates segmenter=jieba answerer=spacy:en_core_web_sm

Rows are taken from the lite configs, none of them twice and twice as many each time, until a call
takes a second of the processor or there are no more; the last call is shown. Loading is not
counted. One thread.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from dataset_scripts.registry import split_table
from ground.markdown import markdown_table
from systems.questions import Question
from systems.registry import load

LONG_ENOUGH = 1.0  # seconds of the processor
FIRST_ROWS = 64
DEFAULT = (
    *("segmenter=jieba", "segmenter=jieba-no-hmm", "segmenter=maxmatch", "segmenter=pkuseg"),
    *("segmenter=thulac", "segmenter=snownlp", "segmenter=lac-small", "segmenter=wapic"),
    *("classifier=char-lr", "classifier=snownlp"),
    *("answerer=structure", "answerer=plausibility"),
)


def sentences() -> list[Any]:
    """Sentences of ERAS."""
    table = split_table("eras", "simplified_lite", "test")
    return [text for side in ("test", "control") for text in table[side].to_pylist()]


def questions() -> list[Any]:
    """Questions of CenterBench."""
    names = Question._fields
    rows = split_table("centerbench", "questions_lite", "test").to_pylist()
    return [Question(*(row[name] for name in names)) for row in rows]


ROWS: dict[str, Callable[[], list[Any]]] = {
    "segmenter": sentences,
    "classifier": sentences,
    "answerer": questions,
}


def rate(kind: str, name: str) -> dict[str, Any]:
    """Rows a second of a system in this process, and its peak of memory."""
    rows, system, start, n = ROWS[kind](), load(kind, name), 0, FIRST_ROWS
    while True:
        sample = rows[start : start + n]
        begun = time.process_time()
        answers = system.predict(sample)
        if kind == "answerer":
            answers = list(answers)
        seconds = time.process_time() - begun
        start += len(sample)
        if seconds >= LONG_ENOUGH or start + 2 * n > len(rows):
            break
        n *= 2
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "kind": kind,
        "system": name,
        "rows": n,
        "rows a second": f"{n / seconds:,.3g}" if n / seconds < 100 else f"{n / seconds:,.0f}",
        "MB": round(memory),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.system_rates",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("systems", nargs="*", default=list(DEFAULT), metavar="KIND=SYSTEM")
    parser.add_argument("--one", metavar="KIND=SYSTEM", help="one system, in this process")
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(rate(*options.one.split("=", 1))))
        return 0
    found = []
    for system in options.systems:
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.system_rates", "--one", system],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            print(f"{system}: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        found.append(json.loads(run.stdout.splitlines()[-1]))
        print(found[-1], file=sys.stderr, flush=True)
    print(markdown_table(found))
    return 0 if len(found) == len(options.systems) else 1


if __name__ == "__main__":
    sys.exit(main())
