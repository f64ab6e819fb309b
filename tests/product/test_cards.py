"""What a person reads. Cards are rendered whole, name what exists, and their examples run; README
is a page that is run."""

import json
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from dataset_scripts.registry import suite_builder, suite_names
from ground.tables import read_settings
from publish.build.cards import (
    FRONT_MATTER,
    CardError,
    read_card,
    render_dataset_card,
    stale_results,
)
from publish.build.metrics import metric_names
from publish.check.check import card_problems, gaps
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.examples import Example, examples, failures


def test_every_card_has_examples_and_they_run(hub):
    blocks = []
    for name in suite_names() + metric_names():
        own = examples({f"{name}/README.md": (hub / name / "README.md").read_text("utf-8")})
        assert own, name
        blocks += own
    assert failures(blocks, hub) == []


def test_a_wrong_example_is_found(hub):
    wrong = [
        Example("a.md:3", "assert 1 + 1 == 3"),
        Example("b.md:1", "import json"),
        Example("c.md:9", "from metrics.gper import scoring"),
    ]
    found = failures(wrong, hub)
    assert [line.split(": ")[0] for line in found] == ["a.md:3", "c.md:9"]


def test_examples_knows_what_is_not_run():
    text = (
        "a\n```python\nx = 1\n```\n<!-- not run: needs a model -->\n```python\ny ="
        " 2\n```\n```bash\nls\n```\n"
    )
    assert examples({"t.md": text}) == [Example("t.md:3", "x = 1\n")]


@pytest.mark.parametrize(*cases("cards/bad_front_matter_is_found"))
def test_bad_front_matter_is_found(tmp_path, front, problem):
    card = tmp_path / "README.md"
    card.write_text(f"---\n{front}\n---\n# Card\n", encoding="utf-8")
    assert any(problem in line for line in card_problems(card, "dataset"))


def test_an_unfinished_card_is_found(tmp_path):
    card = tmp_path / "README.md"
    card.write_text("---\nlanguage: [en]\n---\n{{ rows('x') }} TODO\n", encoding="utf-8")
    told = "\n".join(card_problems(card, "dataset", "canary text"))
    assert "text, got '{{'; expected a finished card" in told
    assert "text, got 'TODO'; expected a finished card" in told
    assert "canary, got none; expected canary text" in told


def test_a_card_that_asks_for_what_is_not_there_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "cards" / "datasets"
    folder.mkdir(parents=True)
    (folder / "x.md").write_text("---\nlanguage: [en]\n---\n{{ no_such_figure }}\n", "utf-8")
    monkeypatch.setattr("publish.build.cards.ROOT", tmp_path)
    message = "cards of x: got UndefinedError: 'no_such_figure' is undefined; expected names"
    with pytest.raises(CardError, match=message):
        render_dataset_card("x", tmp_path, "default", {})
    message = r"y\.md: card, got none; expected a file with front matter and prose"
    with pytest.raises(CardError, match=message):
        render_dataset_card("y", tmp_path, "default", {})


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where results of ERAS lie."""
    monkeypatch.setattr("publish.build.cards.ROOT", tmp_path)
    folder = tmp_path / "cards" / "results" / "eras"
    folder.mkdir(parents=True)
    return folder


def test_a_result_of_another_build_is_stale(results, monkeypatch):
    builder = suite_builder("eras")
    monkeypatch.setattr(builder, "SINCE", "1.0.0")
    hashes = {"simplified/test": "aa", "extended/test": "cc"}
    built = {"content_hashes": hashes, "options": {}}
    stamp = {"suite": "eras", **builder.stamp(hashes), "draw": {}}
    stamp["command"] = "python -m research eras t --write"
    (results / "t.json").write_text(json.dumps(stamp), encoding="utf-8")
    assert stale_results("eras", built) == []
    for change, difference in (
        ({"content_hashes": {**hashes, "simplified/test": "bb"}}, "content_hash"),
        ({"content_hashes": {**hashes, "extended/test": "bb"}}, ""),  # no part of the draw
        ({"options": {"seed": 5}}, "draw {}; expected draw {'seed': 5}; run"),
    ):
        lines = stale_results("eras", {**built, **change})
        told = f"cards/results/eras/t.json: stamp, got {difference}"
        assert [line[: len(told)] for line in lines] == [told] * bool(difference)
    monkeypatch.setattr(builder, "SINCE", "1.1.0")
    (line,) = stale_results("eras", built)
    assert f"version 1.0.0; expected version 1.1.0; run {stamp['command']}" in line
    results.rename(results.with_name("sorts"))
    (line,) = stale_results("sorts", built)  # a result that was put into another suite's folder
    assert "stamp, got suite eras" in line
    assert "expected suite sorts" in line


def test_a_result_rests_on_the_configs_that_it_names(results):
    hashes = {"simplified/test": "aa", "extended/test": "cc"}
    stamp = {"suite": "eras", "configs": ["extended"], "draw": {}, "command": "c"}
    stamp |= suite_builder("eras").stamp(hashes, ["extended"])
    (results / "t.json").write_text(json.dumps(stamp), encoding="utf-8")
    built = {"content_hashes": hashes, "options": {}}
    assert stale_results("eras", built) == []
    built["content_hashes"] = {**hashes, "simplified/test": "bb"}
    assert stale_results("eras", built) == []
    built["content_hashes"] = {**hashes, "extended/test": "bb"}
    (line,) = stale_results("eras", built)
    assert "stamp, got content_hash" in line


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


def test_a_card_has_at_most_1500_words_and_every_table_is_one(hub):
    """A blank line in a table turns its rows into pipes, and a mark left open shows as text."""
    for name in suite_names() + metric_names():
        _, prose = read_card(hub / name / "README.md")
        assert len(prose.split()) <= 1500, (name, len(prose.split()))
        assert "<!-- site" not in prose
        for token in MarkdownIt("commonmark").enable("table").parse(prose):
            if token.type == "inline":
                words = re.sub(r"`[^`]*`", "", token.content)
                assert not words.startswith("| "), (name, token.content[:80])
                assert not re.search(r"\{\{|\{%|\]\(\)", words), (name, token.content[:80])


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


@pytest.mark.parametrize("kind", ["dataset", "metric"])
def test_every_section_is_missed(tmp_path, kind):
    whole = DATASET if kind == "dataset" else METRIC
    assert gaps(card(tmp_path, whole), kind) == []
    for what in SECTIONS[kind]:
        prose = re.sub(rf"## {what}\n", "\n", whole, flags=re.IGNORECASE)
        said = f"section, got none for {what}; expected a heading such as {what!r}"
        assert gaps(card(tmp_path, prose), kind) == [f"{tmp_path / 'README.md'}: {said}"]


@pytest.mark.parametrize(*cases("completeness/rows_plot_and_citations_are_missed"))
def test_rows_plot_and_citations_are_missed(tmp_path, lost, message):
    found = gaps(card(tmp_path, DATASET.replace(lost, "")), "dataset")
    assert found == [f"{tmp_path / 'README.md'}: {message}"]


def test_a_study_that_was_not_run_is_named(tmp_path):
    prose = DATASET + "*The study `ranking` has not been run for this version.*\n"
    said = "results, got none of ranking; expected them written by the study with --write"
    assert gaps(card(tmp_path, prose), "dataset") == [f"{tmp_path / 'README.md'}: {said}"]
