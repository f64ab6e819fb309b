"""Tables of scores are read and said, or refused; blanks, names, directions, averages."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from garden_path.__main__ import main
from ground.tables import read_raw
from metrics.ranking_generalizability.inputs import TABLE, is_average, known_names, meaning_of
from metrics.ranking_generalizability.ranking_generalizability import RankingGeneralizability
from metrics.ranking_generalizability.sources import averages_among, read_source
from publish.build.pages import TEMPLATE
from tests.support.publishing import run_inspect
from tests.support.score_tables import CASES, NUMBERS, long, wide, with_column
from tests.support.staged_pages import load_part, space_settings


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
    better = [meaning.is_higher_better for name in names if (meaning := meaning_of(name))]
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


def test_columns_are_said_in_one_option(tmp_path):
    text = "who,wo,lang,wert,zork\n" + "".join(
        f"{s},{u},{lang},{v + n},7\n"
        for s, column in NUMBERS.items()
        for u, v in enumerate(column)
        for n, lang in enumerate(("de", "nl"))
    )
    given = "system=who,unit=wo+lang,score=wert,ignored=zork"
    path, out = write(tmp_path, text), tmp_path / "out.json"
    assert (
        main(["rank", str(path), "--columns", given, "--higher-is-better", "--json", str(out)]) == 0
    )
    found = json.loads(out.read_text())
    assert (found["n_units"], found["best_on_average"]) == (10, "A")
    assert main(["rank", str(path), "--columns", "who"]) == 1


def test_a_column_of_clusters_is_read_from_a_file(tmp_path):
    names = [f"{lang}-{size}" for lang in ("rus", "zul", "fin") for size in (500, 1000, 2000)]
    text = "dataset,cluster,A,B\n" + "".join(
        f"{name},{name[:3]},{70 + i},{69 + i % 4}\n" for i, name in enumerate(names)
    )
    path, out = write(tmp_path, text), tmp_path / "out.json"
    assert main(["rank", str(path), "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found["columns"]["cluster"] == "cluster"
    assert (found["n_units"], found["n_clusters"]) == (9, 3)
    assert found["by_pair"][0]["difference_interval"].startswith("Student's t over 3 clusters")


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
        meaning = meaning_of(name)
        assert meaning is not None
        assert meaning.is_higher_better == known.get(name)
        checked += 1
    assert checked == 14


AVERAGES = dict.fromkeys(
    ["Average ⬆️", "avg.", "Macro Avg", "all", "Overall", "mean acc", "AVG (7 tasks)"], True
) | dict.fromkeys(["allnli", "macro-F1", "meaning", "d1"], False)


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_by_name(name):
    assert is_average(name) is AVERAGES[name]


def test_averages_by_arithmetic_need_more_than_chance():
    generator = np.random.default_rng(1)
    n_found = 0
    for _ in range(200):  # no average among them
        scores = np.round(70 + 5 * generator.standard_normal((6, 3)), 1)
        n_found += len(averages_among(list("uvwxyz"), scores)[0])
    assert n_found == 0
    scores = np.round(70 + 5 * generator.standard_normal((6, 3)), 1)
    table = np.vstack([scores, np.round(scores.mean(axis=0), 1)])
    assert averages_among(list("uvwxyzm"), table)[0] == [("m", "all others")]


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


TASKS = """\
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {rows}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{q}}}}"
doc_to_choice: ["yes", "no"]
doc_to_target: "{{{{y}}}}"
metric_list:
- {{metric: acc, higher_is_better: true}}
- {{metric: brier_score, higher_is_better: false}}
"""
GROUP = "group: tiny\ntask: [tiny_a, tiny_b]\naggregate_metric_list: [{metric: acc}]\n"


def evaluated(folder: Path) -> Path:
    """Result files that lm-eval itself writes, of two revisions of a model."""
    lm_eval = pytest.importorskip("lm_eval")
    tracking = pytest.importorskip("lm_eval.loggers")
    tasks = pytest.importorskip("lm_eval.tasks")
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps({"q": f"w{i}", "y": i % 2}) + "\n" for i in range(6)))
    for name in ("tiny_a", "tiny_b", "tiny_c"):
        (folder / f"{name}.yaml").write_text(TASKS.format(name=name, rows=rows))
    (folder / "tiny.yaml").write_text(GROUP)
    manager = tasks.TaskManager(include_path=str(folder), include_defaults=False)
    for revision in ("step1", "step2"):
        tracker = tracking.EvaluationTracker(output_path=str(folder / "out" / revision))
        found = lm_eval.simple_evaluate(
            model="dummy",
            model_args=f"pretrained=org/m,revision={revision}",
            tasks=["tiny", "tiny_c"],
            task_manager=manager,
            evaluation_tracker=tracker,
            bootstrap_iters=0,
        )
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for name, of_task in samples.items():
            tracker.save_results_samples(task_name=name, samples=of_task)
    return folder / "out"


@pytest.mark.slow
def test_what_lm_eval_writes_is_read(tmp_path):
    folder = evaluated(tmp_path)
    (path, _) = sorted(folder.rglob("results_*.json"))
    written = json.loads(path.read_text())["results"]
    assert written["tiny_a"]["sample_len"] == 6  # the number of documents is no score
    source = read_source(folder)
    assert source.note == "Score: acc,none."
    assert source.is_higher_better
    assert sorted(set(source.inputs["unit"])) == ["tiny_a", "tiny_b", "tiny_c"]
    systems = ["org/m (revision=step1)", "org/m (revision=step2)"]
    assert sorted(set(source.inputs["system"])) == systems
    cells = zip(*(source.inputs[role] for role in ("system", "unit", "score")), strict=True)
    of_first = {unit: value for system, unit, value in cells if system == systems[0]}
    assert of_first == {unit: written[unit]["acc,none"] for unit in of_first}
    brier = read_source(folder, metric="brier_score")
    assert (brier.note, brier.is_higher_better) == ("Score: brier_score,none.", False)
    items = read_source(sorted(folder.rglob("samples_tiny_a_*.jsonl"))[:1])
    assert (items.note, len(items.inputs["score"])) == ("Score: acc,none.", 6)


INSPECT = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate
def reply(n):
    def of(messages, *_):
        answer = ModelOutput.from_content("mockllm", "7" if int(messages[-1].text[1:]) < n else "8")
        answer.usage = ModelUsage()
        return answer
    return of
for form in ("json", "eval"):
    for model, n in (("good", 5), ("bad", 2)):
        for name, more in (("t", 0), ("u", 1), ("v", -1)):
            samples = [Sample(input=f"w{i}", target="7") for i in range(6)]
            task = Task(dataset=MemoryDataset(samples), solver=generate(),
                        scorer=[match(), includes()], name=name)
            llm = get_model(f"mockllm/{model}", custom_outputs=reply(n + more), memoize=False)
            (log,) = eval(task, model=llm, display="none", log_dir=f"{sys.argv[1]}/{form}",
                          log_format=form, max_connections=1)
            assert log.status == "success", log.error
"""


def test_what_inspect_writes_is_read(tmp_path):
    run_inspect(INSPECT, "", str(tmp_path))
    source = read_source(tmp_path / "json")
    cells = zip(*(source.inputs[role] for role in ("system", "unit", "score")), strict=True)
    found = {(system, unit): value for system, unit, value in cells}
    assert found["mockllm/good", "t"] == pytest.approx(5 / 6)
    assert found["mockllm/bad", "v"] == pytest.approx(1 / 6)
    assert len(found) == 6
    assert source.note == "Score: accuracy,match."
    packed = read_source(tmp_path / "eval")
    same = zip(*(packed.inputs[role] for role in ("system", "unit", "score")), strict=True)
    assert {(system, unit): value for system, unit, value in same} == found  # in whatever order
