"""A file of scores in, the verdict out: layouts, formats, guesses, messages, letters, tables."""

import csv
import importlib.metadata
import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from markdown_it import MarkdownIt

from garden_path.__main__ import main
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.ranking_generalizability import RankingGeneralizability
from metrics.ranking_generalizability.scoring import score
from metrics.ranking_generalizability.sources import Roles, find_roles, read_source
from tests.support.cases import cases

SCORES = {"a": [71.0, 70, 74, 72], "b": [72.0, 69, 73, 70], "c": [60.0, 61, 63, 60]}
LONG = [
    {"Model name": system, "data_set": unit, "F1": value}
    for system, column in SCORES.items()
    for unit, value in zip("wxyz", column, strict=True)
]


def expected() -> dict[str, object]:
    inputs = {"system": [r["Model name"] for r in LONG], "unit": [r["data_set"] for r in LONG]}
    return score({**inputs, "score": [r["F1"] for r in LONG]}, read_options())


def read_data(table: object, given: dict | None) -> tuple[dict, Roles, int]:
    source = read_source(table, given)
    return dict(source.inputs), source.roles, source.n_blank


TABLES = {
    "long": LONG,
    "a column per system": {**SCORES, "corpus": list("wxyz")},
    "a column per unit": [
        {"system": s, **dict(zip("wxyz", v, strict=True))} for s, v in SCORES.items()
    ],
    "frame": pd.DataFrame(LONG),
    "arrow": pa.Table.from_pylist(LONG),
}


@pytest.mark.parametrize("layout", TABLES)
def test_every_layout_gives_what_columns_give(layout):
    inputs, roles, n_blank = read_data(TABLES[layout], None)
    found, wanted = score(inputs, read_options()), expected()
    assert n_blank == 0
    assert found["verdict"] == wanted["verdict"]
    assert [r["mean"] for r in found["by_system"]] == [r["mean"] for r in wanted["by_system"]]
    assert roles.fields()["layout"].endswith(
        {"a column per system": "per system", "a column per unit": "per unit"}.get(layout, "a row")
    )


@pytest.mark.parametrize(*cases("rank/roles_are_guessed_from_names"))
def test_roles_are_guessed_from_names(columns, given, wanted):
    table = {n: [1.0, 2.0] if kind == "n" else ["x", "y"] for n, kind in columns.items()}
    read = find_roles(table, given)
    assert {role: ", ".join(read.columns[role]) for role in wanted} == wanted
    assert ("repeat" in given) <= (not read.columns["repeat"])


@pytest.mark.parametrize(*cases("rank/what_cannot_be_told_is_refused"))
def test_what_cannot_be_told_is_refused(table, given, message):
    with pytest.raises(ValueError, match=message):
        read_data(table, given)


BY_MODEL = {"squad": [80.0, 82, 81], "mnli": [70.0, 75, 72]}
PAIRS = pd.MultiIndex.from_product([["A", "B"], ["x", "y", "z"]], names=["model", "dataset"])
FRAMES = {
    "names": (pd.DataFrame(BY_MODEL, pd.Index(list("rst"), name="model")), {"system": "model"}),
    "nameless names": (pd.DataFrame(BY_MODEL, list("rst")), {"unit": "index"}),
    "two levels": (
        pd.DataFrame({"f1": range(6)}, PAIRS),
        {"system": "model", "unit": "dataset", "score": "f1"},
    ),
    "a series": (
        pd.Series(range(6), PAIRS, name="f1"),
        {"system": "model", "unit": "dataset", "score": "f1"},
    ),
    # numbers that a filter left
    "row numbers": (pd.DataFrame(LONG)[2:], {"system": "Model name", "unit": "data_set"}),
    # rows one by one
    "a generator": ((row for row in LONG), {"system": "Model name", "unit": "data_set"}),
}


@pytest.mark.parametrize("case", FRAMES)
def test_an_index_is_read_as_columns(case):
    table, wanted = FRAMES[case]
    fields = read_data(table, None)[1].fields()
    assert {role: fields[role] for role in wanted} == wanted


def test_a_name_of_two_columns_is_refused():
    frame = pd.DataFrame([["x", 1.0, 2.0, 3.0]], columns=list("dabb"))
    with pytest.raises(ValueError, match="column 'b', got it twice; expected it once"):
        read_data(frame, None)
    clash = pd.DataFrame({"d": ["x"], "a": [1.0]}, pd.Index(["y"], name="d"))
    with pytest.raises(ValueError, match="index, got the name of a column"):
        read_data(clash, None)


def test_blank_cells_are_counted_and_rows_of_one_unit_need_a_column_of_runs():
    table = {"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, float("nan"), 3.0], "corpus": list("xxyy")}
    with pytest.raises(ValueError, match=r"system 'a', unit 'x': got 2 scores .* no column tells"):
        read_data(table, None)
    inputs, _, n_blank = read_data(table | {"run": [1, 2, 1, 2]}, None)
    assert n_blank == 2
    assert inputs["repeat"] == [1, 1, 2, 1, 2, 2]
    with pytest.raises(ValueError, match="system 'a', unit 'x', repeat '2': got 0 scores"):
        score(inputs, read_options())


def test_items_are_averaged_and_must_be_the_same():
    rows = [
        {"system": s, "unit": u, "item": i, "score": float(v)}
        for s, of_units in {"a": {"x": "110", "y": "10"}, "b": {"x": "100", "y": "11"}}.items()
        for u, values in of_units.items()
        for i, v in enumerate(values)
    ]
    found = score(read_data(rows, None)[0], read_options())
    assert [row["mean"] for row in found["by_system"]] == pytest.approx([7 / 12, 2 / 3])
    with pytest.raises(ValueError, match="unit 'y': items, got different ones for 'b' and 'a'"):
        score(read_data(rows[:-1], None)[0], read_options())
    with pytest.raises(ValueError, match="unit 'x', item 0: got 2 scores"):
        read_data([*rows, rows[0]], None)


def test_decisions_and_letters_of_a_clear_last_system():
    found = expected()
    decisions = {(r["system"], r["other"]): r["decision"] for r in found["by_pair"]}
    assert decisions == {("a", "b"): "open", ("a", "c"): "better", ("b", "c"): "better"}
    assert [row["letters"] for row in found["by_system"]] == ["a", "a", "b"]
    assert "`a` is shown to be better than `c` (Holm over 3 pairs, 5 % level)" in found["verdict"]
    two = score(read_data([r for r in LONG if r["Model name"] in "ac"], None)[0], read_options())
    assert "`a` is shown to be better than `c` (5 % level)" in two["verdict"]  # nothing to correct
    equal = score(read_data(LONG, None)[0], read_options(rope=20.0))
    assert {row["decision"] for row in equal["by_pair"]} == {"equivalent"}


def write(folder: Path, name: str) -> Path:
    path, frame = folder / name, pd.DataFrame(LONG)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pandas(frame), path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif path.suffix == ".json":
        frame.to_json(path, orient="records")
    else:
        separator = {"s.tsv": "\t", "europe.csv": ";"}.get(name, ",")
        decimal = "," if separator == ";" else "."
        frame.assign(F1=frame["F1"] + 0.5).to_csv(path, sep=separator, decimal=decimal, index=False)
    return path


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "europe.csv", "s.jsonl", "s.json", "s.parquet"])
def test_every_format_is_read(name, tmp_path, capsys):
    path = write(tmp_path, name)
    out = {kind: tmp_path / f"out.{kind}" for kind in ("latex", "json", "markdown")}
    given = [part for kind, file in out.items() for part in (f"--{kind}", str(file))]
    assert main(["rank", str(path), *given]) == 0
    shown = capsys.readouterr().out
    told = "4 data sets do not tell which is best; `a` leads with a chance of 64 %"
    assert f"\nUndecided: {told}" in shown
    assert "A higher score is the better one (`F1` by its name)." in shown
    assert "Read: system = Model name, unit = data_set, score = F1, layout" in shown
    assert out["markdown"].read_text() == shown.removesuffix("\n")
    assert r"a & 7" in out["latex"].read_text()
    assert json.loads(out["json"].read_text())["best_on_average"] == "a"


def harness(folder: Path, model: str, scores: dict[str, float], **more: object) -> Path:
    results = {
        task: {"alias": task, "acc,none": value, "acc_stderr,none": 0.1, "acc_norm,none": 1 - value}
        for task, value in scores.items()
    }
    path = folder / model / "results_2026-01-01T00-00-00.json"
    path.parent.mkdir()
    tasks = {"results": results, "group_subtasks": {"mmlu": list(scores), "arc": []}}
    path.write_text(json.dumps(tasks | {"model_name": f"org/{model}"} | more))
    return path


def samples(folder: Path, model: str, task: str, values: str, *filters: str) -> Path:
    """Items of a task as lm-eval logs them, once for each filter."""
    rows = [
        {"doc_id": i, "filter": f, "metrics": ["acc"], "acc": float(v), "filtered_resps": []}
        for f in filters or ("none",)
        for i, v in enumerate(values)
    ]
    path = folder / model / f"samples_{task}_2026-01-01T00-00-00.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_samples_of_one_task_are_units(tmp_path):
    for model, values in {"a": "101", "b": "001"}.items():
        samples(tmp_path, model, "arc_easy", values, "strict", "flexible")
    source = read_source([tmp_path], None)
    assert len(source.inputs["score"]) == 6  # the first filter alone
    assert source.roles.columns["unit"] == ("item",)
    found = score(source.inputs, read_options())
    assert [row["mean"] for row in found["by_system"]] == [2 / 3, 1 / 3]


def test_samples_of_several_tasks_are_items(tmp_path):
    of_model = {"a": "011011", "b": "110110"}
    paths = [samples(tmp_path, m, t, v) for m, v in of_model.items() for t in ("arc", "piqa")]
    inputs = read_source([str(path) for path in paths], None).inputs
    assert set(inputs["unit"]) == {"arc", "piqa"}
    found = score(inputs, read_options())
    assert "item" in [row["component"] for row in found["by_component"]]


@pytest.mark.parametrize(*cases("rank/faults_end_in_one_line"))
def test_faults_end_in_one_line(name, text, message, tmp_path, capsys):
    (tmp_path / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    assert main(["rank", str(tmp_path / name)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]


def test_a_table_may_have_columns_of_the_names_that_result_files_use(tmp_path):
    path = tmp_path / "s.csv"
    pd.DataFrame(LONG).assign(lower=range(12), metric="F1").to_csv(path, index=False)
    for metric in (None, "F1"):  # of all rows
        source = read_source(path, {"score": "F1"}, metric)
        assert source.note == ""
        assert source.is_higher_better
        assert source.inputs["score"] == [row["F1"] for row in LONG]
    with pytest.raises(ValueError, match="metric, got 'F1' for a table; expected result files"):
        read_source(LONG, None, "F1")


def test_the_module_reads_what_the_command_reads(tmp_path):
    metric = RankingGeneralizability()
    by_columns = expected()
    for name in ("s.csv", "s.parquet", "s.jsonl"):
        found = metric.compute(data=str(write(tmp_path, name)))
        assert found["columns"]["system"] == "Model name"
        assert found["winner_agreement"] == by_columns["winner_agreement"]
    half = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, rows in zip(half, (LONG[:6], LONG[6:]), strict=True):
        pd.DataFrame(rows).to_csv(path, index=False)
    assert metric.compute(data=half)["verdict"].startswith(
        f"{by_columns['verdict']} A higher score"
    )
    worse = {task: {"acc": False} for task in "wxyz"}
    for model, column in SCORES.items():
        harness(tmp_path, model, dict(zip("wxyz", column, strict=True)), higher_is_better=worse)
    found = metric.compute(data=tmp_path, metric="acc")
    assert (found["best_on_average"], found["note"]) == ("org/c", "Score: acc,none.")
    assert not found["higher_is_better"]


def test_an_empty_folder_and_no_file(tmp_path, capsys):
    assert main(["rank", str(tmp_path)]) == 1
    assert "result files, got none" in capsys.readouterr().err
    assert main(["rank", str(tmp_path / "none.csv")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_plot_is_the_same_file_each_time(ending, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path, starts = write(tmp_path, "s.csv"), {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        assert main(["rank", str(path), "--rope", "0.5", "--plot", str(file)]) == 0
    assert files[0].read_bytes().startswith(starts[ending])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_plot_that_cannot_be_drawn_is_refused_first(tmp_path, monkeypatch, capsys):
    def version(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", version)
    out = str(tmp_path / "o.md")
    told = {
        "p.png": "plot: package matplotlib is not installed",
        "p.gif": "plot, got '.gif'; expected .png, .svg, .pdf",
    }
    for name, message in told.items():
        command = ["rank", str(tmp_path / "none.csv"), "--out", out, "--plot", str(tmp_path / name)]
        assert main(command) == 1
        assert message in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_distances_are_those_of_pairs_from_the_best():
    found = expected()
    rows = found["by_system"]
    assert rows[0]["from_best"] == 0
    pair = found["by_pair"][1]  # a against c
    assert rows[2]["from_best"] == -pair["difference"]
    assert rows[2]["from_best_low"] == -pair["difference_high"]
    assert rows[1]["from_best"] == -found["by_pair"][0]["difference"]


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "a|b\n# head",
    "\u202evil\u2066",
    r"$x_1^2$ \input{/etc/passwd} %",
    "a` <script>alert(1)</script> `b",
)


def test_what_is_written_of_a_ranking_runs_nothing_whatever_systems_are_called(tmp_path, capsys):
    """Rendered with HTML, as few renderers do: names are text in every table and sentence."""
    table = tmp_path / "scores.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["system", "unit", "f1"])
        values = [0.3, 0.32, 0.31, 0.3, 0.29, 0.33]
        for i, name in enumerate(HOSTILE):
            rows.writerows([name, f"u{j}", value + 0.05 * i] for j, value in enumerate(values))
    written = [f"--{kind}={tmp_path / kind}" for kind in ("markdown", "latex")]
    assert main(["rank", str(table), "--higher-is-better", *written]) == 0
    markdown = (tmp_path / "markdown").read_text(encoding="utf-8")
    said = capsys.readouterr().out
    for text in (markdown, said):
        shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
        assert not re.search(r"<(img|script|a|h1)\b", shown)
        assert not re.search(r"[\u202a-\u202e\u2066-\u2069]", text)
        assert "U+202Evil" in text
    latex = (tmp_path / "latex").read_text(encoding="utf-8")
    assert r"\textbackslash{}input\{/etc/passwd\} \%" in latex
    assert r"a\|b # head" in markdown
    assert r"\input" not in latex
    assert "\n# head" not in latex
