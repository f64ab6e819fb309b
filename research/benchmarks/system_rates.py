"""Inputs a second and memory of systems on the tests of the suites, a process for each.

    python -m research.benchmarks.system_rates eras/segmenter=jieba   # into the user's package

Inputs are those of a suite's first test of the kind, none of them twice and twice as many each
time, until a call takes a second of the processor or there are no more; the last call is shown.
Loading is not counted. One thread. A program of its own leaves the rates of what it is given in the
user's package, where `garden-path list` makes minutes of them.
"""

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builders.suites import tests_of
from garden_path.model_scores import RATES, Rate, asker, rates
from garden_path.scoring import inputs_of
from ground.files import write_whole
from research.benchmarks.timing import Goal, apart, at_most, scaled, used
from research.systems.registry import load

LONG_ENOUGH = 1.0  # seconds of the processor
FIRST_ROWS = 64
SYSTEMS = tuple(
    f"eras/segmenter={name}"
    for name in ("jieba", "jieba-no-hmm", "maxmatch", "pkuseg", "thulac", "snownlp", "wapic")
)
HEAD = """\
# source: python -m research.benchmarks.system_rates
# licence: CC BY 4.0
# notes: inputs a second of the processor, one thread, of one system of each kind
# key: suite kind
suite\tkind\tsystem\trate
"""


def run(share: float) -> list[Goal]:
    """Rates of segmenters that need no weights from elsewhere, and their memory; none is judged."""
    goals = []
    for system in SYSTEMS[: scaled(len(SYSTEMS), share)]:
        one = apart(measure, system, share)
        goals.append(Goal(system, one.result["rate"], None, "inputs a second"))
        goals.append(at_most(f"{system}: memory", one.megabytes, None, "MB"))
    return goals


def measure(system: str, share: float = 1) -> dict[str, Any]:
    """Inputs a second of a system, SUITE/KIND=NAME, in this process."""
    place, _, name = system.partition("=")
    suite, _, kind = place.partition("/")
    test = next(test for test in tests_of(suite) if test.kind == kind)
    inputs, ask = inputs_of(suite, test.name).inputs, asker(kind, load(kind, name))
    start, n = 0, FIRST_ROWS
    while True:
        sample = inputs[start : start + n]
        seconds = used(functools.partial(list, ask(sample)))
        start += len(sample)
        if seconds >= LONG_ENOUGH * share or start + 2 * n > len(inputs):
            break
        n *= 2
    shown, rate = Path(name.partition(":")[2] or name).name, float(f"{n / seconds:.2g}")
    return {"suite": suite, "kind": kind, "system": shown, "rate": rate}


def main(systems: Sequence[str]) -> int:
    """Leaves rates in the user's package, in place of those of the same suite and kind."""
    every = {(one.suite, one.kind): one for one in rates()}
    for system in systems:
        made = Rate(**apart(measure, system).result)
        every[made.suite, made.kind] = made
        print(made)
    lines = [f"{one.suite}\t{one.kind}\t{one.system}\t{one.rate:g}\n" for one in every.values()]
    write_whole(RATES, HEAD + "".join(sorted(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
