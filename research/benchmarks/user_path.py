"""What a user waits for: from the first command to a report, a build and a check.

Seconds of a command are those of the processor, its children included: on a free machine the same
as by the clock. Builds and checks work side by side, so that theirs are by the clock.

Importing datasets and evaluate takes 6.9 of the 8 processor seconds of loading and computing where
torch is installed, so that 9 is what is left to hold. All suites are 120 processor seconds of
drawing and writing, which two cores have in 60 to 70. A check that trusts no record draws them
again, renders every card and page, stages every metric and compares: twice a build.
"""

import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from garden_path.model_scores import VARIABLE as ANSWERS
from garden_path.rows import PACKAGED, VARIABLE
from garden_path.scoring import inputs_of
from ground.paths import ROOT
from research.benchmarks.timing import Goal, NotHereError, at_most, wall

LOAD_AND_COMPUTE = """
import datasets, evaluate
rows = datasets.load_dataset("{hub}/eras", "{lite}", split="test")
metric = evaluate.load("{hub}/garden_path_accuracy")
words = [[list(one), list(other)] for one, other in zip(rows["test"], rows["control"])]
print(metric.compute(predictions=words, references=rows)["pair_accuracy"])
"""
LITE = "simplified_lite"
SCORES = "system,unit,repeat,score\n" + "".join(
    f"s{s},{u},{r},{(7 * s + 3 * u + r) % 11 / 11}\n"
    for s in range(5)
    for u in range(20)
    for r in range(3)
)


def run(share: float) -> list[Goal]:
    """Runs the commands in fresh processes; the slow ones only where all the work is asked for."""
    hub = Path(os.environ.get(VARIABLE) or PACKAGED)
    if not (hub / "eras").is_dir():
        raise NotHereError(f"{hub.name}/, which make hub builds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words, scores = folder / "words.txt", folder / "scores.csv"
        sentences = inputs_of("eras", LITE, hub=str(hub)).inputs
        words.write_text("".join(f"{' '.join(one)}\n" for one in sentences), encoding="utf-8")
        scores.write_text(SCORES, encoding="utf-8")
        score = ("score", "eras", str(words), "--config", LITE)
        goals = [
            python("import garden_path", 0.3, "-c", "import garden_path"),
            python("garden-path score eras, from a file of lite rows", 1.5, *OURS, *score),
            python("garden-path rank, 300 scores", 0.6, *OURS, "rank", str(scores)),
            python(
                "load_dataset, evaluate.load, compute; most of it imports of evaluate",
                *(9.0, "-c", LOAD_AND_COMPUTE.format(hub=hub, lite=LITE)),
            ),
        ]
        if share == 1:
            os.environ[ANSWERS] = str(folder / "answers")  # of no run before this one
            report = (*OURS, "report", "jieba", "--out", str(folder / "report"))
            goals.append(python("garden-path report of a segmenter", 10.0, *report))
            goals += built(folder / "hub")
    return goals


OURS = ("-m", "garden_path")


def python(what: str, most: float, *arguments: str) -> Goal:
    """The processor seconds of a fresh Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return at_most(what, seconds, most)


def built(hub: Path) -> list[Goal]:
    """Builds everything and checks it, trusting no record."""
    build = partial(command, "push.py", "build", "--views", "--out", str(hub))
    check = partial(command, "push.py", "check", "--again", "--out", str(hub))
    return [
        at_most("push.py build --views, everything", wall(build), 75.0),
        at_most("push.py check --again, everything", wall(check), 140.0),
    ]


def command(*arguments: str) -> None:
    """Runs Python in the repository; a RuntimeError has the last line of one that fails."""
    told = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise RuntimeError(f"{' '.join(arguments[:3])}: got {told.stderr.strip()[-300:]}")
