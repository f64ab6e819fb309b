"""One command for each published model that cannot be had here: `python -m research recipes`.

A result that somebody else measured comes in as a file that `push.py` makes. It stands as the
contributor's.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ground.markdown import markdown_table
from ground.tables import read_table

RECIPES = Path(__file__).parent / "data" / "recipes.tsv"


@dataclass(frozen=True)
class ModelRecipe:
    """How a published model is run, what that needs, and what the paper says it gives."""

    id: str
    paper: str
    model: str
    command: str
    needs: str
    published: str


def recipes() -> list[ModelRecipe]:
    """All recipes, by their ids."""
    return read_table(RECIPES, ModelRecipe)


def show_recipes(given: Sequence[str]) -> int:
    """Prints them."""
    if given:
        raise ValueError(f"recipes, got {given[0]!r}; expected no argument")
    rows = [asdict(one) for one in recipes()]
    print(markdown_table([{k: v for k, v in row.items() if k != "id"} for row in rows]).rstrip())
    return 0
