"""What a card still lacks by the Hub's templates: sections, example rows, figures, citations."""

import re
from pathlib import Path

from ground.tables import read_settings
from metrics._shared.plain_text import lines_of
from publish.build.cards import FRONT_MATTER, read_card

EXAMPLE_ROWS = 10


def gaps(card: Path, kind: str, *, has_figures: bool = True) -> list[str]:
    """What a rendered card of a `dataset` or `metric` lacks; figures are of the default draw."""
    _, prose = read_card(card)
    headings = re.findall(r"^#{1,4} (.+)$", prose, re.MULTILINE)
    found = [
        f"{card}: section, got none for {what}; expected a heading such as {what!r}"
        for what, pattern in read_settings(FRONT_MATTER)["sections"][kind].items()
        if not any(re.search(pattern, heading, re.IGNORECASE) for heading in headings)
    ]
    if "```bibtex" not in prose:
        found.append(f"{card}: citation, got none; expected the paper as a bibtex block")
    if kind == "dataset":
        found += [f"{card}: {line}" for line in _dataset_gaps(prose, has_figures=has_figures)]
    return found


def _dataset_gaps(prose: str, *, has_figures: bool) -> list[str]:
    tables = re.findall(r"(?:^\|.*\|\n)+", prose, re.MULTILINE)
    n, wanted = max((len(lines_of(table.strip())) - 2 for table in tables), default=0), EXAMPLE_ROWS
    lines = []
    if n < wanted:
        lines.append(f"example rows, got a longest table of {n}; expected one of {wanted} rows")
    if has_figures and "![" not in prose:
        lines.append("plot, got none; expected one from cards/results")
    unrun = re.findall(r"The study `(\w+)` has not been run", prose)
    if has_figures and unrun:
        got = f"results, got none of {', '.join(unrun)}"
        lines.append(f"{got}; expected them written by the study with --write")
    if "CITATION.cff" not in prose:
        lines.append("citation of this package, got none; expected a word on CITATION.cff")
    return lines
