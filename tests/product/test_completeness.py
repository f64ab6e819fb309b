"""What a card must hold by the Hub's templates."""

from pathlib import Path

import pytest

from ground.tables import read_settings
from publish.build.cards import FRONT_MATTER
from publish.check.check import gaps
from tests.support.cases import cases

SECTIONS = read_settings(FRONT_MATTER)["sections"]

TABLE = "| id | a |\n|---|---|\n" + "".join(f"| {i} | x |\n" for i in range(10))
CITATION = "```bibtex\n@misc{x}\n```\nCite this package by its CITATION.cff.\n"
DATASET = (
    "".join(f"## {heading.capitalize()}\n\n" for heading in SECTIONS["dataset"])
    + f"{TABLE}\n![plot](plots/a.png)\n{CITATION}"
)
METRIC = "".join(f"## {heading}\n\n" for heading in SECTIONS["metric"]) + CITATION


def card(folder: Path, prose: str) -> Path:
    path = folder / "README.md"
    path.write_text(f"---\nlanguage: [en]\n---\n{prose}", encoding="utf-8")
    return path


def test_a_complete_card_has_no_gaps(tmp_path):
    assert gaps(card(tmp_path, DATASET), "dataset") == []
    assert gaps(card(tmp_path, METRIC), "metric") == []


@pytest.mark.parametrize("kind", ["dataset", "metric"])
def test_every_section_is_missed(tmp_path, kind):
    for what in SECTIONS[kind]:
        prose = (DATASET if kind == "dataset" else METRIC).replace(
            f"## {what.capitalize() if kind == 'dataset' else what}\n", "\n"
        )
        assert gaps(card(tmp_path, prose), kind) == [
            f"{tmp_path / 'README.md'}: section, got none for {what}; expected a heading such as"
            f" {what!r}"
        ]


@pytest.mark.parametrize(*cases("completeness/rows_plot_and_citations_are_missed"))
def test_rows_plot_and_citations_are_missed(tmp_path, lost, message):
    assert gaps(card(tmp_path, DATASET.replace(lost, "")), "dataset") == [
        f"{tmp_path / 'README.md'}: {message}"
    ]


def test_a_study_that_was_not_run_is_named(tmp_path):
    prose = DATASET + "*The study `ranking` has not been run for this version.*\n"
    assert gaps(card(tmp_path, prose), "dataset") == [
        f"{tmp_path / 'README.md'}: results, got none of ranking; expected them written by the"
        " study with --write"
    ]
