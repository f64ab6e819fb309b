"""What a card still lacks by the Hub's templates: sections, example rows, figures, citations."""

import re
from pathlib import Path

from metrics._shared.plain_text import lines_of
from publish.build.cards import read_card

EXAMPLE_ROWS = 10
SECTIONS = {  # what a reader must find, and how its heading may read
    "dataset": {
        "uses": r"uses?\b",
        "structure, field by field": r"structure|fields",
        "creation": r"creation|how it (is|was) (built|made)",
        "departures from the paper": r"departures",
        "results of baselines": r"results|baselines",
        "limits and known defects": r"limit|known defects",
        "licence": r"licen[cs]e",
        "citation": r"citation|cite",
    },
    "metric": {
        "Metric Description": r"metric description",
        "How to Use": r"how to use",
        "Inputs": r"inputs",
        "Output Values": r"output values",
        "Values from Popular Papers": r"values from popular papers",
        "Examples": r"examples?",
        "Limitations and Bias": r"limitations and bias",
        "Citation": r"citation",
        "Further References": r"further references",
    },
}


def gaps(card: Path, kind: str, *, has_figures: bool = True) -> list[str]:
    """What a rendered card lacks, one line per gap.

    Args:
        card: The README.md of a built folder.
        kind: `dataset` or `metric`.
        has_figures: Whether studies ran on these rows; they do on the default draw only.
    """
    _, prose = read_card(card)
    headings = re.findall(r"^#{1,4} (.+)$", prose, re.MULTILINE)
    found = [
        f"{card}: section, got none for {what}; expected a heading such as {what!r}"
        for what, pattern in SECTIONS[kind].items()
        if not any(re.search(pattern, heading, re.IGNORECASE) for heading in headings)
    ]
    if "```bibtex" not in prose:
        found.append(f"{card}: citation, got none; expected the paper as a bibtex block")
    if kind == "dataset":
        found += [f"{card}: {line}" for line in _dataset_gaps(prose, has_figures=has_figures)]
    return found


def _dataset_gaps(prose: str, *, has_figures: bool) -> list[str]:
    lengths = [
        len(lines_of(table.strip())) - 2
        for table in re.findall(r"(?:^\|.*\|\n)+", prose, re.MULTILINE)
    ]
    lines = []
    if max(lengths, default=0) < EXAMPLE_ROWS:
        lines.append(
            f"example rows, got a longest table of {max(lengths, default=0)}; expected one of"
            f" {EXAMPLE_ROWS} rows"
        )
    if has_figures and "![" not in prose:
        lines.append("plot, got none; expected one from cards/results")
    unrun = re.findall(r"The study `(\w+)` has not been run", prose)
    if has_figures and unrun:
        lines.append(
            f"results, got none of {', '.join(unrun)}; expected them written by the study with"
            " --write"
        )
    if "CITATION.cff" not in prose:
        lines.append("citation of this package, got none; expected a word on CITATION.cff")
    return lines
