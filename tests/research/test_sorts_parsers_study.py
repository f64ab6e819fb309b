"""The studies of SORTS: tables of parsers and of seeds, paired significance, the design."""

import json
import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from builders.sorts.draw import draw
from builders.sorts.items import add_ids
from dataset_scripts.registry import split_table
from ground.files import write_whole
from ground.paths import RESULTS
from metrics.subject_object_las.options import read_options
from research.studies.__main__ import main
from research.studies.published_tables import subject_object_rows
from research.studies.report import committed_figures
from research.studies.sorts import design, subject_object
from research.studies.sorts.seeds import STUDY as SORTS
from research.studies.sorts.seeds import Hits, by_recipe, crossed_score, in_cell, seeds_of
from research.studies.sorts.subject_object import (
    STUDY,
    GoldClauses,
    holm,
    las_without,
    overall_rows,
    paired_rows,
    paired_sums,
    part_rows,
    published_rows,
)
from research.studies.sorts.subject_object import STUDY as SINGLE
from research.studies.study import Run
from research.systems.parsers.sorts_readers import read_clauses
from research.systems.registry import load
from tests.support.cases import cases, golden
from tests.support.published import published
from tests.support.released_sorts import sorts_tables
from tests.support.results import across
from tests.support.scored_clauses import score_rows
from tests.support.study_runs import run_of, scored

DUTCH = STUDY.variants["dutch"]
GOLD = "made_up/amb"
NOUNS, ORDERS = golden("sorts_parsers_study/clauses").values()


def gold_columns() -> dict[str, list]:
    names = ("word_order", "properties", "tokens", "subject", "verb", "object")
    rows = [
        (order, tags, text.format(s=subject, o=object_).split(), *places)
        for tags in (["base", "acc"], ["base", "syn"])
        for subject, object_ in NOUNS
        for order, text, *places in ORDERS
    ]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def made_up_gold() -> dict[str, list]:
    """The clauses with their trees, and with ids of items and triples."""
    columns = gold_columns()
    heads = [
        [verb + 1 if i != verb else 0 for i in range(len(tokens))]
        for tokens, verb in zip(columns["tokens"], columns["verb"], strict=True)
    ]
    deprels = [
        [{s: "nsubj", v: "root", o: "obj"}.get(i, "dep") for i in range(len(tokens))]
        for tokens, s, v, o in across(columns, "tokens", "subject", "verb", "object")
    ]
    return add_ids({"amb": columns | {"heads": heads, "deprels": deprels}}, "x")["amb"]


def tree(tokens: list[str], subject: int, verb: int, object_: int) -> str:
    labels = {subject: (verb + 1, "nsubj"), verb: (0, "root"), object_: (verb + 1, "obj")}
    rows = []
    for i, token in enumerate(tokens):
        head, label = labels.get(i, (verb + 1, "dep"))
        rows.append(f"{i + 1}\t{token}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n")
    return "".join(rows)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Made-up gold clauses, a parser that takes the first argument for the subject, a right one."""
    columns = made_up_gold()
    rows = list(
        zip(columns["tokens"], columns["subject"], columns["verb"], columns["object"], strict=True)
    )
    first = [tree(tokens, min(s, o), v, max(s, o)) for tokens, s, v, o in rows]
    right = [tree(tokens, s, v, o) for tokens, s, v, o in rows]
    for name, text in (("first", first), ("right", right)):
        write_whole(tmp_path / f"{name}.conll", "\n".join(text))
    gold = GoldClauses(GOLD, columns, "")
    monkeypatch.setattr(subject_object, "read_gold", lambda name, **_: gold)
    return tmp_path


def run(files, *systems: str) -> int:
    """The study on made-up gold clauses; systems that are files lie in the folder."""
    names = [f"file:{files / name}" if name.endswith(".conll") else name for name in systems]
    folders = ["--store", str(files / "store"), "--out", str(files / "out")]
    command = ["sorts", "subject_object", "--gold", GOLD, "--systems", *names, *folders]
    return main([*command, "--resamples", "200"])


def test_two_parsers_side_by_side(files, capsys):
    assert run(files, "first.conll", "right.conll") == 0
    text = capsys.readouterr().out
    assert "60 clauses" in text
    assert re.search(
        r"\| first.conll \| 0.0, not above \| [\d.]+ \| 0.0 \| 80.00 \|"
        r" 80.0 \| 100.0 \| 80.0 \| 80.0 \| 20.0 \| 0.0 \|",
        text,
    )
    assert re.search(r"\| VF\[O\]LK\[V\]MF\[S\] \| 12 \| 0.00 \[0.0, 39.0\] \| 100.00 \[", text)
    assert re.search(r"\| syn \| 30 \| 80.00 .*\| 100.00 \[", text)
    assert re.search(r"\| first.conll \| right.conll \| -20.00 \|", text)
    assert (files / "out" / "subject_object_amb.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    *cases("sorts_parsers_study/what_cannot_be_scored_is_named_and_nothing_is_written")
)
def test_what_cannot_be_scored_is_named_and_nothing_is_written(files, capsys, system, message):
    text = (files / "first.conll").read_text(encoding="utf-8")
    write_whole(files / "short.conll", text.split("\n\n")[0] + "\n")
    write_whole(files / "broken.conll", "1\tJa\n")
    assert run(files, "subject-first", system) == 1
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""
    assert not (files / "out").exists()


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("sentence/amb", "which has no trees"),
        ("conll/test", "expected one of conll"),
        ("twins/amb", "and /test"),
    ],
)
def test_another_config_is_refused(tmp_path, capsys, gold, message):
    command = ["sorts", "subject_object", "--gold", gold, "--systems", "subject-first"]
    assert main([*command, "--store", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err


def test_twins_give_nothing_to_order_or_meaning(tmp_path, capsys):
    """In both languages no published figure stands beside them; German forms decide all."""
    for variant, systems in (
        ("twins", ("subject-first", "animacy-first", "inflection-first")),
        ("dutch_twins", ("subject-first",)),
    ):
        command = ["sorts", "subject_object", "--variant", variant, "--systems", *systems]
        assert main([*command, "--resamples", "100", "--store", str(tmp_path / variant)]) == 0
        text = capsys.readouterr().out
        assert "The paper's six parsers" not in text
        shown = dict(re.findall(r"\| ([\w-]+-first) \| (-?[\d.]+)", text.split("By word order")[0]))
        assert shown == {name: "100.0" if name == "inflection-first" else "0.0" for name in systems}


def results(tables_of=("first", "right")) -> list[dict]:
    gold = made_up_gold()
    right = {name: gold[name] for name in ("tokens", "heads", "deprels")}
    trees = {"first": read_clauses(gold, ()), "right": right}
    return [
        score_rows(trees[name], gold, read_options(per_item=True)) | {"system": name}
        for name in tables_of
    ]


def test_pairs_are_compared_by_triple():
    first, right = results()
    hits, counts = paired_sums(first, right)
    # two object-first clauses a triple (base and syn), two words each
    assert hits.tolist() == [-4.0] * 6
    assert counts.tolist() == [20.0] * 6
    (row,) = paired_rows([first, right])
    assert row["difference"] == pytest.approx(-20)
    assert row["p"] == f"{2 / 2**6:.4f}"  # all six differences have one sign
    assert math.isnan(row["low"])  # six equal differences have no spread


def test_a_system_against_itself_has_no_difference():
    (row,) = paired_rows(results(("right", "right")))
    assert (row["difference"], row["p"]) == (0, "1.0000")


@pytest.mark.parametrize(*cases("sorts_parsers_study/holm"))
def test_holm(values, expected):
    assert np.array_equal(holm(values), expected, equal_nan=True)


def test_tables_show_published_figures_beside_ours():
    rows = part_rows(results(), "word_order", "amb")
    assert [
        row["sticker2 (published)"] for row in rows if row["word_order"] == "VF[O]LK[V]MF[S]"
    ] == [39.96]
    assert all("sticker2 (published)" not in row for row in part_rows(results(), "word_order", ""))


def test_the_column_without_amb(released):
    clauses = sorts_tables(released)["released_paper"]["part_amb"]
    result = score_rows(read_clauses(clauses, ()), clauses)
    assert round(100 * las_without(result, "amb"), 2) == 69.07
    assert "LAS without amb" in overall_rows([result | {"system": "subject-first"}], "")[0]
    assert "LAS without amb" not in overall_rows(results(), "")[0]


@pytest.mark.parametrize("split", ["amb", "part_amb"])
def test_published_rows_are_those_of_the_tables(released, split):
    number, counts = {"amb": (8, 7), "part_amb": (10, 9)}[split]
    expected = {
        row.pop("class").removeprefix("base-"): [float(cell) for cell in row.values()]
        for row in published(released, f"sorts_table{number}_las")
    }
    rows = {row.part_of_suite: list(vars(row).values())[2:] for row in subject_object_rows(split)}
    assert rows == expected
    assert {row.part_of_suite: row.n for row in subject_object_rows(split)} == {
        row["class"].removeprefix("base-"): int(row["sentences"])
        for row in published(released, f"sorts_table{counts}_counts")
    }


@pytest.mark.parametrize(
    ("split", "expected"),
    # Table 6 of the paper, which has no word orders
    [("part_amb", (81.90, 90.24, 94.54)), ("amb", (70.44, 72.95, 75.08))],
)
def test_published_scores_over_all_orders_are_those_of_table_6(split, expected):
    found = {row["parser"]: row["LAS"] for row in published_rows(split)}
    assert len(found) == 6
    shown = [found[name] for name in ("baseline", "sticker1", "sticker2")]
    assert shown == pytest.approx(expected, abs=0.02)


def test_no_german_figure_stands_beside_dutch_clauses(tmp_path):
    arguments = ["--gold", "dutch_lite/amb", "--systems", "subject-first", "--resamples", "100"]
    results = scored(DUTCH, tmp_path, *arguments)
    (shown,) = DUTCH.show(results, None)
    assert shown.name == "dutch_parsers_dutch_lite_amb"
    assert "clauses of dutch_lite/amb" in shown.text
    assert "sticker" not in shown.text


SEEDS = {"0": "random-roles", "1": "inflection-first", "2": "animacy-first"}  # stand for parsers
NAMES = seeds_of("spacy/german-free")
FAST = ("--gold", "conll_lite/part_amb", "--resamples", "100")


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of cues for trained parsers, one for each seed."""

    def system(run: Run, name: str) -> Any:
        return load("parser", SEEDS[name.rpartition("/")[2]])

    monkeypatch.setattr(Run, "system", system)


def test_means_are_those_of_the_metric(tmp_path, readers):
    ((gold, found),) = scored(SORTS, tmp_path, *FAST, "--systems", *NAMES)
    ((_, results),) = scored(SINGLE, tmp_path / "single", *FAST, "--systems", *NAMES)
    cells = found["spacy/german-free"]
    pairs = {"svo_ovs": "svo_ovs_score", "las": "las", "item": "item_score"}
    pairs |= {name: name for name in ("informedness", "las_merged", "las_unresolved")}
    for name, score in pairs.items():
        expected = np.mean([result[score] for result in results])
        assert cells["overall", name].value == pytest.approx(expected), name
    for part in ("word_order", "property"):
        for i, row in enumerate(results[0][f"by_{part}"]):
            expected = np.mean([result[f"by_{part}"][i]["las"] for result in results])
            assert cells[part, row[part]].value == pytest.approx(expected), row[part]
    assert cells["overall", "las"].low < cells["overall", "las"].value
    (shown,) = SORTS.show([(gold, found)], run_of(SORTS, tmp_path, *FAST).options)
    assert "| baseline | baseline_pmis | baseline_embeds | sticker1 |" in shown.text
    told = shown.figures["spacy/german-free"]["overall"]["las"]["value"]
    assert told == cells["overall", "las"].value


def test_seeds_that_differ_widen_the_interval():
    clusters = [str(i // 4) for i in range(400)]
    drawn = np.random.default_rng(0).random(400) < 0.5
    same = crossed_score(Hits(np.array([drawn] * 3, float), np.ones(400), clusters))
    shares = np.array([0.2, 0.5, 0.8])[:, None]
    others = np.random.default_rng(1).random((3, 400)) < shares
    spread = crossed_score(Hits(others.astype(float), np.ones(400), clusters))
    assert spread.high - spread.low > 3 * (same.high - same.low)
    assert same.value == drawn.mean()


def test_nothing_counted_and_ends_beyond_a_share():
    none = crossed_score(Hits(np.zeros((3, 0)), np.zeros(0), []))
    assert math.isnan(none.value)
    few = crossed_score(Hits(np.array([[1.0, 1, 1, 0]] * 2), np.ones(4), list("abcd")))
    assert few.high > 1
    assert few.low < 0
    assert in_cell(few) == "75.0 [0.0, 100.0]"


@pytest.mark.parametrize(*cases("seeds_studies/what_is_no_recipe_is_refused"))
def test_what_is_no_recipe_is_refused(systems, message):
    with pytest.raises(ValueError, match=message):
        by_recipe(systems)


def test_systems_of_one_recipe_stand_together():
    found = by_recipe(["trained:spacy/dutch/0", "trained:udpipe/german-free/0", *NAMES[:2]])
    assert [len(own) for own in found.values()] == [1, 1, 2]


def test_the_committed_description_is_the_suites():
    stored = committed_figures("sorts/design")
    assert stored["validated"] == {"part_amb": "PASSED", "amb": "PASSED"}
    page = (RESULTS / "sorts" / "design.md").read_text(encoding="utf-8")
    assert design.result_text(stored).rstrip() == page.rstrip()
    figures = design.describe(
        {split: split_table("sorts", "conll", split).to_pydict() for split in ("part_amb", "amb")}
    )
    del stored["validated"]
    assert json.loads(json.dumps(figures)) == stored


def test_the_study_says_what_differs_and_what_is_no_tree():
    columns = {name: values[:5] for name, values in draw(lite=True)["amb"].items()}
    assert design.differing_counts("amb", columns)["aux"] == [0, 1270]
    broken = columns | {"heads": [[1] * len(heads) for heads in columns["heads"]]}
    assert design.validate(columns) == "PASSED"
    assert "FAILED" in design.validate(broken)


@pytest.mark.parametrize(*cases("sorts_design/uncounted_readings_are_listed"))
def test_uncounted_readings_are_listed(tokens, heads, subject, verb, object_, expected):
    row = SimpleNamespace(
        tokens=tokens.split(), heads=heads, subject=subject, verb=verb, object=object_
    )
    assert design.uncounted_readings(row) == expected
