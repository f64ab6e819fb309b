"""Lists the systems that can be named on the command line of a study.

python -m systems             every kind, and how its systems are named
python -m systems segmenter   one kind, with its settings
"""

import argparse
import dataclasses
import sys
from collections.abc import Sequence

from ground.faults import run_command
from systems.registry import kinds, known, settings_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m systems",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", nargs="?", choices=kinds(), help="one kind only")
    options = parser.parse_args(arguments)
    for kind in [options.kind] if options.kind else kinds():
        print(kind)
        for name in known(kind):
            print(f"    {name}")
    if options.kind:
        print("settings")
        for field in dataclasses.fields(settings_of(options.kind)):
            print(f"    {field.name:16} {field.metadata['help']}")
    return 0


if __name__ == "__main__":
    sys.exit(run_command("systems", main))
