"""Runs a study: `python -m studies --list`, then `python -m studies <suite> <study> [options]`."""

import sys
from collections.abc import Sequence

from ground.faults import run_command
from ground.markdown import markdown_table
from studies.catalogue import find_study, studies
from studies.figures import make_figures
from studies.overview import show_overview
from studies.people import analyse_people
from studies.study import run

USAGE = """usage: python -m studies --list
       python -m studies <suite> <study> [options]
       python -m studies <suite> <study> --help
       python -m studies figures [SUITE ...]
       python -m studies overview [--write]
       python -m studies people <form> ANSWERS ...
"""
STOPPED = "interrupted; what is finished is stored, and the same command goes on from there"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line names; gives the exit code.

    1 with one line for what a person can mend, 130 where it was interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = " ".join(["studies", *given[:2]])
    return run_command(name, lambda: _run(given), interrupted=STOPPED)


def _run(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "--list"):
        rows = [{"study": s.place, "asks": s.about.split("\n")[0]} for s in studies()]
        print(f"{USAGE}\n\n{markdown_table(rows)}")
        return 0
    if given[0] == "figures":
        return make_figures(given[1:])
    if given[0] == "overview":
        return show_overview(given[1:])
    if given[0] == "people":
        return analyse_people(given[1:])
    study, rest = find_study(given)
    return run(study, rest)


if __name__ == "__main__":
    sys.exit(main())
