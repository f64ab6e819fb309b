"""What studies share on the command line: the line that a result shows, and an end without tracebacks where a person can mend it."""

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

MENDABLE = (ValueError, FileNotFoundError, ModuleNotFoundError)
OF_THE_MACHINE = (
    "--address",
    "--engine",
    "--processes",
    "--released",
    "--report",
    "--store",
)  # with one value each; no result depends on them
INTERRUPTED = 130  # what a shell gives for a program stopped by Ctrl-C


def shown_command(program: str, arguments: Sequence[str]) -> str:
    """Gives the command line that makes a result again, without what is true of one machine only: folders, workers, engine."""
    given, kept = iter(arguments), [f"python -m {program}"]
    for argument in given:
        name, _, value = argument.partition("=")
        if name not in OF_THE_MACHINE:
            kept.append(shlex.quote(argument))
        elif not value:
            next(given, None)
    return " ".join(kept)


def run_study(main: Callable[[], int]) -> int:
    """Runs a study; gives its exit code, 1 with one line on stderr for wrong input, 130 where it was interrupted.

    Args:
        main: The study, which reads the command line and raises what it cannot work with.
    """
    try:
        return main()
    except MENDABLE as error:
        print(f"{Path(sys.argv[0]).stem}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "\ninterrupted; what is finished is stored, and the same command goes on from there",
            file=sys.stderr,
        )
        return INTERRUPTED
