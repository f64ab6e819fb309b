"""Frog, a parser of Dutch that Debian and Ubuntu have: `apt-get install frog frogdata`.

A program: it is started for each batch, reads words as they are cut and writes trees in the labels
of Alpino. Words that it takes for one name or phrase come out as one: the first has its head and
label, the others hang on it as `mwp`. A word without a label has `--`, Alpino's for no relation.

Source: van den Bosch et al. (2007), An efficient memory-based morphosyntactic tagger and parser for
Dutch, CLIN 17.
"""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ground.hashes import fingerprint
from metrics._shared.plain_text import lines_of

PROGRAM = "frog"
INSTALL = "apt-get install frog frogdata"
# words as they are, one sentence a line; of all its parts, the tagger, the units and the parser
WHOLE = ("--skip=tnlac", "-n", "--threads=1", "--JSONout")
TAGGER_ONLY = ("--skip=tnlacmp", "-n", "--threads=1")  # starts in a quarter of the time
UNIT_PART = "mwp"
UNLABELLED = {"None": "--"}
PROGRAM_VERSION = re.compile(r"^frog (\S+)", re.MULTILINE)
DATA_VERSION = re.compile(r"configuration version = (\S+)")
DATA_FILE = re.compile(r"config read from: (.+)")

Word = tuple[str, int, str]
"""A word or unit, its head (1-based among words and units, 0 the root) and its label."""


def version(name: str) -> str:
    """Versions of program and data, with a hash of the data; a ValueError where one is missing."""
    _, report = _run(name, [["Ja"]], TAGGER_ONLY)
    found = [pattern.search(report) for pattern in (PROGRAM_VERSION, DATA_VERSION, DATA_FILE)]
    program, data, file = (match[1].strip() if match else "" for match in found)
    if not Path(file).is_file():
        raise ValueError(f"{name}: data, got {file or 'none'}; expected them from: {INSTALL}")
    return f"frog {program}, frogdata {data} {fingerprint(Path(file).parent)}"


def parse(name: str, sentences: Sequence[Sequence[str]]) -> Iterator[list[tuple[int, str]]]:
    """Head (1-based, 0 the root) and label of every word, in the labels of Alpino."""
    for words in sentences:
        if bad := [word for word in words or [""] if len(word.split()) != 1]:
            raise ValueError(f"{name}: word, got {bad[0]!r}; expected one without blanks")
    output, _ = _run(name, sentences, WHOLE)
    found = [_read(name, line) for line in lines_of(output)]
    if len(found) != len(sentences):
        raise ValueError(f"{name}: sentences, got {len(found)}; expected {len(sentences)}")
    for words, units in zip(sentences, found, strict=True):
        yield _of_words(name, words, units)


def _run(name: str, sentences: Sequence[Sequence[str]], options: Sequence[str]) -> tuple[str, str]:
    """What the program writes and reports for some sentences."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise ValueError(f"{name}: program {PROGRAM}, got none; expected it from: {INSTALL}")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "sentences.txt"
        lines = (" ".join(words) + "\n" for words in sentences)
        path.write_text("".join(lines), encoding="utf-8")
        command = [program, *options, "-t", path.name]
        # its reports may hold bytes of its data
        how: dict[str, Any] = {"capture_output": True, "check": False}
        how |= {"encoding": "utf-8", "errors": "replace"}
        done = subprocess.run(command, cwd=place, **how)
    if done.returncode:
        last = lines_of(done.stderr.strip() or "nothing")[-1]
        raise ValueError(
            f"{name}: {PROGRAM} ended with {done.returncode}, got {last!r}; expected trees;"
            f" program and data come from: {INSTALL}"
        )
    return done.stdout, done.stderr


def _read(name: str, line: str) -> list[Word]:
    try:
        found = []
        for word in json.loads(line):
            tree = word["parse"]
            label = UNLABELLED.get(tree["parse_role"], tree["parse_role"])
            found.append((word["word"], int(tree["parse_index"]), label))
        return found
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"{name}: output, got {line[:60]!r} ({error!r}); expected words with head and label"
        ) from error


def _of_words(name: str, words: Sequence[str], units: Sequence[Word]) -> list[tuple[int, str]]:
    """Trees over words from trees over words and units."""
    firsts = _firsts(name, words, [unit for unit, _, _ in units])
    tree = []
    for (_, head, label), first, end in zip(units, firsts, [*firsts[1:], len(words)], strict=True):
        tree.append((firsts[head - 1] + 1 if head else 0, label))
        tree += [(first + 1, UNIT_PART)] * (end - first - 1)
    return tree


def _firsts(name: str, words: Sequence[str], units: Sequence[str]) -> list[int]:
    """Place of the first word of each unit."""
    firsts, place = [], 0
    for unit in units:
        firsts.append(place)
        ends = range(place + 1, len(words) + 1)
        place = next((end for end in ends if "_".join(words[place:end]) == unit), -1)
        if place < 0:
            break
    if place != len(words):
        raise ValueError(
            f"{name}: words, got {' '.join(units)!r}; expected those of {' '.join(words)!r}"
        )
    return firsts
