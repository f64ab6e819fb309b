"""One bibliography: every citation is an entry of cards/references.bib or rendered from one."""

import re

import pytest
import yaml

from dataset_scripts.registry import suite_builder, suite_names
from ground.references import bibtex, read_entries
from publish.build.cards import render_metric_card
from publish.build.metrics import metric_files, metric_names
from tests.conftest import ROOT
from tests.support.processes import captured


def plain(text):
    """A BibTeX value as it is read: without braces and line breaks."""
    accents = text.replace('{\\"e}', "ë").replace("{", "").replace("}", "")
    return " ".join(accents.split())


def fields(entry):
    return {
        name: plain(value)
        for name, value in re.findall(r'^ {4}(\w+) = "(.*?)",$', entry, re.MULTILINE | re.DOTALL)
    }


def test_nobody_types_an_entry_again():
    command = ["git", "ls-files", "*.py", "*.md", "*.bib", "*.toml", ":!tests"]
    listed = captured(command, cwd=ROOT, check=True).stdout.split()
    entry = re.compile(r"@(inproceedings|article|misc)\{\w")
    typed = [name for name in listed if entry.search((ROOT / name).read_text(encoding="utf-8"))]
    assert typed == ["cards/references.bib"]


@pytest.mark.parametrize("name", metric_names())
def test_a_staged_metric_and_its_card_carry_the_entry(name):
    source = (ROOT / "metrics" / name / f"{name}.py").read_text(encoding="utf-8")
    (key,) = re.findall(r'^_CITATION = "(.+)"$', source, re.MULTILINE)
    assert f'_CITATION = r"""\n{bibtex(key)}\n"""\n' in metric_files(name)[f"{name}.py"]
    assert f"```bibtex\n{bibtex(key)}\n```" in render_metric_card(name, "1.0.0")


@pytest.mark.parametrize("name", suite_names())
def test_a_suite_cites_a_known_paper(name):
    key = suite_builder(name).CITATION
    card = (ROOT / "cards" / "datasets" / f"{name}.md").read_text(encoding="utf-8")
    assert key in read_entries()
    assert f'{{{{ bibtex("{key}") }}}}' in card


def test_the_citation_file_names_the_same_papers():
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    references = sorted(references, key=lambda reference: reference["title"])
    found = (fields(entry) for entry in read_entries().values())
    entries = sorted(found, key=lambda entry: entry["title"])
    assert len(references) == len(entries) == 6
    for reference, entry in zip(references, entries, strict=True):
        authors = [f"{a['family-names']}, {a['given-names']}" for a in reference["authors"]]
        assert " and ".join(authors) == entry["author"]
        assert (reference["title"], str(reference["year"])) == (entry["title"], entry["year"])
        place = reference.get("collection-title") or reference["journal"]
        assert place == entry.get("booktitle", entry.get("journal"))


@pytest.mark.parametrize("key", ["li-hao-2025", ""])
def test_an_unknown_key_is_named(key):
    with pytest.raises(ValueError, match=f"key, got '{key}'; expected one of li-hao-2025-eras, "):
        bibtex(key)


def test_a_key_that_occurs_twice_is_named(tmp_path):
    path = tmp_path / "some.bib"
    path.write_text("@misc{a,\n    year = 1,\n}\n\n" * 2, encoding="utf-8")
    with pytest.raises(ValueError, match=r"some\.bib: key, got 'a' twice; expected each once"):
        read_entries(path)
