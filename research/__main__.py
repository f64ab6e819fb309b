"""The laboratory's one command; without arguments it says what there is.

python -m research SUITE STUDY [options]   runs a study
python -m research --list                  the studies
python -m research systems [KIND]          the systems that can be named
python -m research shallow [SUITE]         the best readers that do not do what a suite asks
"""

import importlib
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line names; returns its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] in (["systems"], ["shallow"]):
        from ground.faults import run_command

        module = importlib.import_module(f"research.{given[0]}.__main__")
        return run_command(given[0], lambda: int(module.main(given[1:])))
    from research.studies.__main__ import main as studies

    return studies(given)


if __name__ == "__main__":
    sys.exit(main())
