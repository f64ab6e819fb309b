"""Lists the systems that can be named on the command line of a study.

python -m research systems                         every kind, and how its systems are named
python -m research systems segmenter               one kind, with its settings
python -m research systems weights --list          models in packages: here, missing, how to get
python -m research systems weights --get smollm2   fetches one into the weights folder
"""

import argparse
import sys
from collections.abc import Sequence

from ground.command_line import default_of, help_text, option_fields
from ground.faults import run_command
from research.systems import weights
from research.systems.registry import kinds, known, settings_of

WEIGHTS = "weights"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m research systems",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", nargs="?", choices=(*kinds(), WEIGHTS), help="one kind only")
    parser.add_argument("--list", action="store_true", help="of weights: the table (the default)")
    parser.add_argument("--get", metavar="NAME", help="of weights: fetch one")
    options = parser.parse_args(arguments)
    if options.kind != WEIGHTS and (options.list or options.get):
        raise ValueError("--list and --get, got them without weights; expected systems weights")
    if options.kind == WEIGHTS:
        print("\n".join(map(str, weights.get(options.get))) if options.get else weights.overview())
        return 0
    for kind in [options.kind] if options.kind else kinds():
        print(kind)
        for name in known(kind):
            print(f"    {name}")
    if options.kind:
        print("settings")
        for name, field in option_fields(settings_of(options.kind)).items():
            rule = field.metadata["rule"]
            print(f"    {name:16} {help_text(rule, default_of(field))}")
    return 0


if __name__ == "__main__":
    sys.exit(run_command("systems", main))
