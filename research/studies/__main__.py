"""Runs a study: `python -m research --list`, then `python -m research <suite> <study>`."""

import sys
from collections.abc import Sequence

from ground.faults import run_command
from ground.markdown import markdown_table
from research.studies.catalogue import find_study, studies
from research.studies.claims import show_claims
from research.studies.figures import make_figures
from research.studies.overview import show_overview
from research.studies.people import analyse_people
from research.studies.shortcuts import show_shortcuts
from research.studies.stored import verify_store
from research.studies.study import run

USAGE = """usage: python -m research --list
       python -m research <suite> <study> [--variant NAME] [options]
       python -m research <suite> <study> [--variant NAME] --help
       python -m research figures [SUITE ...]
       python -m research overview [--write]
       python -m research shortcuts [--write]
       python -m research claims [--write]
       python -m research people <form> ANSWERS ...
       python -m research store verify FOLDER
"""
STOPPED = "interrupted; what is finished is stored, and the same command goes on from there"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line names.

    Returns:
        The exit code: 1 with one line for what a person can mend, 130 where it was interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    named = 4 if given[2:3] == ["--variant"] else 2
    name = " ".join(["research", *given[:named]])
    return run_command(name, lambda: _run(given), interrupted=STOPPED)


def _run(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "--list"):
        rows = [{"study": s.place, "asks": s.title} for s in studies()]
        print(f"{USAGE}\n\n{markdown_table(rows)}")
        return 0
    if given[0] == "figures":
        return make_figures(given[1:])
    if given[0] == "overview":
        return show_overview(given[1:])
    if given[0] == "shortcuts":
        return show_shortcuts(given[1:])
    if given[0] == "claims":
        return show_claims(given[1:])
    if given[0] == "people":
        return analyse_people(given[1:])
    if given[0] == "store":
        return verify_store(given[1:])
    study, rest = find_study(given)
    return run(study, rest)


if __name__ == "__main__":
    sys.exit(main())
