"""Where the repository lies and what stands in it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder of the repository, which holds `builders/`, `metrics/`, `cards/` and so on."""

RESULTS = ROOT / "cards" / "results"
"""Figures, tables and plots that studies wrote, in a folder per suite."""
