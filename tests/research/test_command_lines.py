"""Every command line that README, cards, docstrings, tables and results show is one that its
program takes."""

import importlib
import json
import re
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import pytest

from garden_path.__main__ import COMMANDS as COMMANDS_OF_USERS
from garden_path.rank.asked import rank_parser
from research.studies.catalogue import find_study
from research.studies.people import _parser as people_parser
from tests.conftest import ROOT

STARTS = r"(?:python )?(?:-m (?:research |garden_path )|push\.py )|garden-path (?=[a-z])"
SPAN = re.compile(rf"`((?:{STARTS})[^`\n]+)`")
LINE = re.compile(rf"^ *((?:{STARTS})[^\n]+)$", re.MULTILINE)
PLACEHOLDERS = {"N": "1", "SECRET": str(2**64), "...": None, "<form>": "form"}


def command_lines() -> Iterator[tuple[str, str]]:
    """Yields each command with the file that shows it."""
    texts = [
        ROOT / "README.md",
        *ROOT.glob("cards/*/*.md"),
        *ROOT.glob("research/studies/**/*.py"),
        *ROOT.glob("research/studies/**/*.toml"),
        *ROOT.glob("research/systems/**/*.py"),
        *ROOT.glob("garden_path/**/*.py"),
        ROOT / "push.py",
    ]
    for path in texts:
        text = path.read_text(encoding="utf-8")
        for pattern in (SPAN, LINE):
            yield from ((shown(path), match[1]) for match in pattern.finditer(text))
    for path in ROOT.glob("cards/results/*/*.json"):
        yield shown(path), json.loads(path.read_text(encoding="utf-8"))["command"]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


OF_NO_STUDY = {"...", "--list", "SUITE", "<suite>", "figures", "overview", "claims", "shortcuts"}
OF_NO_STUDY |= {"shallow", "systems", "store"}


def parse(command: str) -> None:
    """Has the program's own parser take the command; a comment stands behind two blanks or a #."""
    words = re.split(r"  +| #", command.removeprefix("python ").removeprefix("-m ").strip())[0]
    program, *arguments = shlex.split(words)
    given = [PLACEHOLDERS.get(argument, argument) for argument in arguments]
    known = [argument for argument in given if argument]
    if program == "research":
        if arguments[0] == "people":
            people_parser().parse_args(known[1:])
        elif not OF_NO_STUDY & set(arguments):
            study, rest = find_study(arguments)
            study.parser().parse_args([PLACEHOLDERS.get(argument, argument) for argument in rest])
    elif program in ("garden_path", "garden-path"):
        if given[0] != "rank":
            assert given[0] in COMMANDS_OF_USERS
        elif given[1:] and "[" not in command:  # a name alone is a mention
            rank_parser(ArgumentParser()).parse_args(known[1:])
    else:
        module = importlib.import_module(program.replace("-", "_").removesuffix(".py"))
        if given and "[" not in command and hasattr(module, "_parser"):
            module._parser().parse_args(known)


def exit_code(command: str) -> int:
    """What the program's parser ends with: 0 also for --help, 2 for what it does not take."""
    try:
        parse(command)
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


COMMANDS = sorted(set(command_lines()))


@pytest.mark.parametrize(("place", "command"), COMMANDS)
def test_a_shown_command_is_one_that_its_program_takes(place, command):
    assert exit_code(command) == 0, place


def test_shown_commands_are_found_and_wrong_ones_refused():
    assert len(COMMANDS) > 30
    assert {place.split("/")[0] for place, _ in COMMANDS} >= {"README.md", "cards", "research"}
    with pytest.raises(ValueError, match="suite, got 'blimp'; expected one of centerbench, "):
        parse("python -m research blimp redraw")
    with pytest.raises(ValueError, match="unrecognized arguments: --suite eras"):
        parse("python -m research eras redraw --suite eras")
    assert exit_code("python push.py push --help") == 0
    with pytest.raises(ValueError, match="study of eras, got 'none'; expected one of embedders, "):
        parse("python -m research eras none")


def test_results_show_commands_that_any_machine_has():
    commands = [command for place, command in COMMANDS if place.startswith("cards/results/")]
    assert commands
    assert not [command for command in commands if re.search(r" [/~]|--store|--processes", command)]
