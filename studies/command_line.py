"""How every study ends on the command line: what a person can mend is one line, not a traceback."""

import sys
from collections.abc import Callable
from pathlib import Path

MENDABLE = (ValueError, FileNotFoundError, ModuleNotFoundError)
INTERRUPTED = 130  # what a shell gives for a program stopped by Ctrl-C


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
        print("\ninterrupted; what is finished is stored, and the same command goes on from there", file=sys.stderr)
        return INTERRUPTED
