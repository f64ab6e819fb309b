"""Where the repository lies and what stands in it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder of the repository, which holds `builders/`, `metrics/`, `cards/` and so on."""

ROOMS = __name__.removesuffix("ground.paths")
"""What stands before the name of a room where it is imported by name: "" in the repository."""

RESULTS = ROOT / "cards" / "results"
"""Figures, tables and plots that studies wrote, in a folder per suite."""
