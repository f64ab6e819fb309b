"""What the studies of ERAS share: the pairs of a draw, and the options of the command line that choose them."""

import argparse
from pathlib import Path

import pyarrow as pa

from builders.eras.assembly import pair_table
from builders.eras.draw import LITE_PAIRS, draw, lite

SCRIPTS = ("simplified", "traditional")


def read_pairs(script: str, *, is_lite: bool = False, seed: int = 0) -> pa.Table:
    """Gives the pairs of a draw in one script, or the lite ones only."""
    drawn = draw(seed)
    if is_lite:
        drawn = lite(drawn)
    return pair_table(drawn, "simplified" if script == "simplified" else "traditional")


def parser(
    name: str, description: str | None, *, default_system: str, default_scripts: tuple[str, ...]
) -> argparse.ArgumentParser:
    """Gives the command line of a study: systems, scripts, draw, device, store, `--write`."""
    style = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(
        prog=f"python -m studies.{name}", description=description, formatter_class=style
    )
    made.add_argument(
        "--systems",
        nargs="+",
        default=[default_system],
        metavar="NAME",
        help=f"by name (default: {default_system})",
    )
    made.add_argument("--scripts", nargs="+", default=list(default_scripts), choices=SCRIPTS)
    made.add_argument(
        "--lite", action="store_true", help=f"only the first {LITE_PAIRS} pairs of each paradigm"
    )
    made.add_argument(
        "--seed", type=int, default=0, help="which draw (default: 0, the published one)"
    )
    made.add_argument("--device", default="cpu", help="device of transformers models")
    made.add_argument(
        "--dtype",
        default="float32",
        choices=("float32", "bfloat16"),
        help="number type of transformers models",
    )
    made.add_argument(
        "--store",
        type=Path,
        default=Path("store") / name,
        metavar="DIR",
        help="where finished batches lie",
    )
    made.add_argument(
        "--write",
        action="store_true",
        help="write table and plot to cards/results/eras/ for the card",
    )
    return made
