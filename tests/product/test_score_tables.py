"""Tables of scores are read and said, or refused; blanks, names, directions, averages."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from garden_path.__main__ import main
from ground.paths import ROOT
from ground.tables import read_raw, read_settings
from metrics.ranking_generalizability.inputs import TABLE, is_average, known_names, meaning_of
from metrics.ranking_generalizability.ranking_generalizability import RankingGeneralizability
from metrics.ranking_generalizability.sources import averages_among, read_source
from publish.build.pages import TEMPLATE
from tests.support.staged_pages import load_part, space_settings

Case = tuple[str, object, str, str]
WRITTEN = read_settings(ROOT / "tests" / "golden" / "score_tables.toml")
NUMBERS = {"A": (80, 81, 79, 82, 80), "B": (70, 72, 71, 69, 70), "C": (60, 61, 66, 62, 59)}
SIZES = (100, 900, 50, 700, 250)
A_WINS = "`A` is the best of these"


def wide(cell: object = 81, more: tuple[str, ...] = ()) -> str:
    """A column per system; `cell` is what A has in d2."""
    rows = [[f"d{i + 1}", *column] for i, column in enumerate(zip(*NUMBERS.values(), strict=True))]
    rows[1][1] = f'"{cell}"' if "," in str(cell) else cell
    return "\n".join(["dataset,A,B,C", *(",".join(map(str, row)) for row in rows), *more]) + "\n"


def with_column(name: str, values: object) -> str:
    """The wide table with one more column."""
    cells = zip(wide().splitlines(), [name, *map(str, values)], strict=True)
    return "\n".join(line.replace(",", f",{cell},", 1) for line, cell in cells)


def long(score: str = "f1") -> str:
    """One score a row."""
    cells = [(s, u, v) for s, column in NUMBERS.items() for u, v in enumerate(column)]
    rows = [f'model,dataset,"{score}"', *(f"{s},d{u + 1},{v}" for s, u, v in cells)]
    return "\n".join(rows) + "\n"


def sized(name: str) -> str:
    """The wide table with sizes of its data sets, and a row that is the mean by these."""
    rows = [f"dataset,{name},A,B,C"]
    for i, column in enumerate(zip(*NUMBERS.values(), strict=True)):
        rows.append(",".join(map(str, (f"d{i + 1}", SIZES[i], *column))))
    means = [
        sum(n * v for n, v in zip(SIZES, column, strict=True)) / sum(SIZES)
        for column in NUMBERS.values()
    ]
    return "\n".join([*rows, f"GLUE,{sum(SIZES)}," + ",".join(f"{m:.2f}" for m in means)]) + "\n"


TABLE_WITH = {
    "cell": wide,
    "score": long,
    "row": lambda name: wide(more=(f"{name},77.7,70.7,60.7",)),
    "system": lambda name: long().replace("A,d3", f"{name},d3"),
    "size": sized,
}


def cases_of_texts() -> Iterator[Case]:
    """Tables in which one text, name or column is another one."""
    for of in WRITTEN["written"]:
        for text in of["texts"]:
            table = TABLE_WITH[of["place"]](text)
            yield f"{of['place']} {text}", table, "", of["said"].format(text)
    for name, (why, *values) in WRITTEN["columns"].items():
        said = f"Ignored: `{name}` ({why})|{A_WINS}"
        yield f"ignored {name}", with_column(name, values), "", said
    for encoding in ("utf-16", "utf-8-sig"):
        yield encoding, wide().encode(encoding), "", A_WINS
    yield "latin-1", wide().replace("A,", "Ä,").encode("latin-1"), "", "error:s.csv:1: encoding"


WRITTEN_OUT = [
    (case["name"], case["table"], case.get("asked", ""), case["said"]) for case in WRITTEN["case"]
]
CASES: list[Case] = [*WRITTEN_OUT, *cases_of_texts()]
"""A name, the files, the arguments, and what must be said, or behind `error:` what refuses."""


def write(folder: Path, files: object) -> Path:
    """Writes the file, or the files of a folder, of a row."""
    if not isinstance(files, dict):
        path = folder / "s.csv"
        path.write_bytes(files if isinstance(files, bytes) else str(files).encode())
        return path
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "given", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_table_is_read_and_said_or_refused(files, given, said, tmp_path, capsys):
    code = main(["rank", str(write(tmp_path, files)), *given.split()])
    shown = capsys.readouterr()
    if said.startswith("error:"):
        assert (code, shown.out) == (1, "")
        assert len(shown.err.splitlines()) == 1
        assert said.removeprefix("error:") in shown.err
    else:
        assert code == 0, shown.err
        assert all(part in shown.out for part in said.split("|")), shown.out[:1500]


def test_a_whole_number_that_no_float_holds_is_no_score():
    rows = [{"system": name, "unit": unit, "f1": 1} for name in "AB" for unit in "xy"]
    with pytest.raises(ValueError, match=r"row 2: f1, got 1000.*; expected a number"):
        read_source([rows[0], rows[1] | {"f1": 10**400}, *rows[2:]])


def test_names_of_cases_are_different():
    names = [case[0] for case in CASES]
    assert len(set(names)) == len(names) > 120


@pytest.mark.parametrize("missing", [None, "NA", "-", float("nan"), pd.NA, "OOM"])
def test_a_frame_and_the_page_read_blanks_as_the_command_does(missing):
    frame = pd.DataFrame({"dataset": list("vwxyz"), **NUMBERS}).astype(object)
    frame.loc[1, "A"] = missing
    found = RankingGeneralizability().compute(data=frame, missing="model")
    assert (found["n_blank"], found["best_on_average"]) == (1, "A")
    assert found["remarks"][0].startswith("1 blank cell: row 2: A ")
    if isinstance(missing, str):
        page = load_part(TEMPLATE, "app_scores")
        metric, settings = RankingGeneralizability(), space_settings("ranking_generalizability")
        table = page.read_scores([("s.csv", wide(missing).encode())], None, settings, metric)
        found = metric.compute(data=table, missing="model", columns={}, metric=None)
        assert (found["n_blank"], found["best_on_average"]) == (1, "A")


def test_a_text_in_a_frame_is_refused_with_its_place():
    frame = pd.DataFrame({"dataset": list("vwxyz"), **NUMBERS}).astype(object)
    frame.loc[1, "A"] = "81*"
    with pytest.raises(ValueError, match=r"row 2: A, got '81\*'; expected a number"):
        RankingGeneralizability().compute(data=frame)
    with pytest.raises(ValueError, match="higher_is_better, got none for `zork`; expected True"):
        RankingGeneralizability().compute(
            data=[{"model": m, "task": t, "zork": 1.0} for m in "ab" for t in "xyz"]
        )


TURNED = (
    "neg_loss neg_rmse NegMAE wer_inv inverse_loss minus_wer adversarial_success perplexity_ratio"
)


@pytest.mark.parametrize("name", [*TURNED.split(), "neg wer", "loss", "WER"])
def test_a_cost_that_may_be_negated_is_asked_for(name):
    rows = [{"model": m, "task": t, name: -1.0 - (m == "a")} for m in "ab" for t in "xyz"]
    with pytest.raises(ValueError, match="higher_is_better, got none for"):
        RankingGeneralizability().compute(data=rows)
    found = RankingGeneralizability().compute(data=rows, higher_is_better=True)
    assert found["best_on_average"] == "b"


def test_a_turned_cost_with_a_name_of_its_own_is_known():
    names = ["neg_log_loss", "false_negative_rate", "wer", "f1_negative"]
    better = [meaning_of(name).is_higher_better for name in names]
    assert better == [True, False, False, True]


def test_no_unit_is_first_where_none_is_whole():
    cells = [(m, t) for t in range(6) for m in "abc" if m != "abc"[t % 3]]
    rows = [{"model": m, "task": f"u{t}", "f1": ord(m) + t % 4} for m, t in cells]
    with pytest.raises(ValueError, match="first, got 'u0'; expected none: no unit has a score of"):
        RankingGeneralizability().compute(data=rows, missing="model", first="u0")


def test_roles_stand_first_in_a_result(tmp_path):
    path, out = write(tmp_path, with_column("n_examples", (9, 8, 7, 6, 5))), tmp_path / "out.json"
    assert main(["rank", str(path), "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    assert list(found)[:2] == ["roles", "remarks"]
    assert found["roles"][:2] == [
        {"column": "dataset", "role": "unit", "why": ""},
        {"column": "n_examples", "role": "ignored", "why": "a count by its name"},
    ]
    assert found["roles"][2] == {
        "column": "A", "role": "score", "why": "scores of the system of its name"
    }  # fmt: skip
    assert found["verdict"].endswith(f"{found['direction']}")


def test_the_table_of_names_keeps_the_contract_of_data_files(tmp_path):
    header, *rows = [line for line in TABLE.splitlines() if not line.startswith("#")]
    comments = [line for line in TABLE.splitlines() if line.startswith("#")]
    names = [name for row in rows for name in row.split("\t")[2].split("|")]
    path = tmp_path / "names.tsv"
    assert [line.split(":")[0] for line in comments] == ["# source", "# licence", "# notes"]
    lines = [*comments, "# key: names kind better", "\t".join(header.split("\t")[::-1])]
    path.write_text(
        "\n".join([*lines, *sorted("\t".join(r.split("\t")[::-1]) for r in rows)]) + "\n"
    )
    assert len(read_raw(path).rows) == len(rows)
    assert len(set(names)) == len(names) == len(known_names())


def test_directions_of_the_harness_are_those_of_the_table():
    registry = pytest.importorskip("lm_eval.api.registry")
    pytest.importorskip("lm_eval.api.metrics")
    known = registry.HIGHER_IS_BETTER_REGISTRY
    checked = 0
    names = "acc acc_norm exact_match perplexity word_perplexity byte_perplexity bits_per_byte"
    for name in f"{names} brier_score mcc f1 ter bleu chrf likelihood".split():
        assert meaning_of(name).is_higher_better == known.get(name)
        checked += 1
    assert checked == 14


def test_averages_by_name():
    names = WRITTEN["names"]
    assert [*filter(is_average, names["yes"] + names["no"])] == names["yes"]


def test_averages_by_arithmetic_need_more_than_chance():
    generator = np.random.default_rng(1)
    n_found = 0
    for _ in range(200):  # no average among them
        scores = np.round(70 + 5 * generator.standard_normal((6, 3)), 1)
        n_found += len(averages_among(list("uvwxyz"), scores)[0])
    assert n_found == 0
    scores = np.round(70 + 5 * generator.standard_normal((6, 3)), 1)
    table = np.vstack([scores, np.round(scores.mean(axis=0), 1)])
    assert averages_among(list("uvwxyzm"), table)[0] == {"m": "all others"}


def test_a_source_reads_lists_of_files_as_one_table(tmp_path):
    lines = long().splitlines()
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, rows in zip(paths, (lines[1:8], lines[8:]), strict=True):
        path.write_text("\n".join([lines[0], *rows]))
    source = read_source(paths)
    assert len(source.inputs["score"]) == 15
    paths[1].write_text("\n".join([lines[0], *lines[8:], "C,d5,1*"]))
    with pytest.raises(ValueError, match=r"b\.csv:10: f1, got '1\*'"):
        read_source(paths)


@pytest.mark.parametrize("orient", ["columns", "index", "records", "split", "table"])
def test_a_frame_that_pandas_writes_as_json_is_read(orient, tmp_path):
    frame = pd.DataFrame({"model": list("AB"), "x": [81, 71], "y": [82, 70], "z": [83, 75]})
    frame.to_json(tmp_path / "s.json", orient=orient)
    found = read_source(tmp_path / "s.json").inputs
    assert set(zip(found["system"], found["unit"], found["score"], strict=True)) == {
        (model, unit, frame[unit][i]) for i, model in enumerate("AB") for unit in "xyz"
    }
