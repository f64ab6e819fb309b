"""Judgements of rows by readers, who were language models, and what became of them."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
