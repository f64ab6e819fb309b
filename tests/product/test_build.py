"""`push.py build` and `check`: atomic, the same bytes in any process, every damage found."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import datasets
import pyarrow as pa
import pytest

import publish.build.build
import publish.check.verified
import push
from dataset_scripts.content import content_hash
from dataset_scripts.registry import suite_builder, suite_names
from publish.build.build import build_suite, stage_metric
from publish.build.manifest import manifest_problems, read_provenance
from publish.build.metrics import metric_names
from publish.check.check import check, judged
from publish.check.reload import loading
from publish.check.verified import remember
from tests.conftest import ROOT
from tests.support.publishing import METRIC
from tests.support.record_hashes import build_hashes


def test_suites_and_metrics_register_themselves():
    assert "eras" in suite_names()
    assert {"gper", "garden_path_accuracy"} <= set(metric_names())
    with pytest.raises(ValueError, match="suite, got 'blimp'; expected one of "):
        suite_builder("blimp")


def test_everything_built_is_in_order_and_loads_from_outside(hub, monkeypatch, tmp_path):
    """The rows are those of the recorded hashes, as the next test says. `slow` draws them again,
    and loads the training views too, which are most of the configs."""
    monkeypatch.setattr(publish.check.verified, "RECORD", tmp_path / "verified.json")
    suites, metrics = suite_names(), metric_names()
    remember((hub / name for name in suites + metrics), "made")
    rows = {}
    for name in suites:
        read = {one.name for one in suite_builder(name).CONFIGS if one.kind != "training"}
        counted = read_provenance(hub / name)["rows"].items()
        rows[hub / name] = {key: n for key, n in counted if key.split("/")[0] in read}
    with loading(rows, [hub / name for name in metrics]) as finish:
        for name in suites + metrics:
            assert manifest_problems(hub / name) == []
            assert judged(name, hub, reuses_record=True).problems == []
        assert finish() == []


@pytest.mark.slow
def test_everything_built_is_what_the_tree_makes_again(hub):
    assert check(hub, suite_names() + metric_names()) == []


@pytest.mark.parametrize("name", suite_names())
def test_content_is_the_recorded_one(hub, name):
    """A change of content needs another VERSION, then `python -m tests.support.record_hashes`. One
    of a training view needs the latter only."""
    recorded = json.loads(
        (ROOT / "tests" / "golden" / f"content_hashes_{name}.json").read_text(encoding="utf-8")
    )
    assert build_hashes(name, read_provenance(hub / name)) == recorded


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(small, tmp_path):
    """Recorded hashes and each suite's own test of its draw say the same of the rows."""
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "push.py", "build", "eras", "--size", "390", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    files = sorted(
        path.relative_to(small) for path in (small / "eras").rglob("*") if path.is_file()
    )
    assert len(files) >= 7
    for file in files:
        assert (small / file).read_bytes() == (tmp_path / file).read_bytes(), file


def test_a_build_that_is_stopped_leaves_the_old_one_whole(small, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(small / METRIC, tmp_path / METRIC))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def interrupt(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(publish.build.build, "render_metric_card", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stage_metric(METRIC, tmp_path)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == [METRIC]


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(ValueError, match="eras: option, got 'colour'; expected one of "):
        build_suite("eras", tmp_path, {"colour": "red"})
    message = "eras: size, got 3; expected at least 39, a pair for each paradigm"
    with pytest.raises(ValueError, match=message):
        build_suite("eras", tmp_path, {"size": 3})
    assert list(tmp_path.iterdir()) == []


def test_content_hash_sees_values_only():
    inner = datasets.List({"c": datasets.Value("int32")})
    features = datasets.Features({"a": datasets.Value("string"), "b": inner})
    rows = [{"a": "x", "b": [{"c": 1}, {"c": 2}]}, {"a": None, "b": []}]
    rows.append({"a": "yz", "b": [{"c": None}]})
    table = pa.Table.from_pylist(rows, schema=features.arrow_schema)
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert content_hash(table, features) == content_hash(chunked, features)
    for other in ({"a": "xy", "b": []}, {"a": "", "b": []}, {"a": None, "b": [{"c": 0}]}):
        changed = pa.Table.from_pylist([rows[0], other, rows[2]], schema=features.arrow_schema)
        assert content_hash(changed, features) != content_hash(table, features)


def test_content_hash_reads_slices_and_nulls_of_text():
    features = datasets.Features({"text": datasets.Value("string")})
    words = ["", "Öl", None, "中文", "x", None]
    whole = pa.table({"text": pa.array(["before", *words, "after"])})

    def hashed(texts: list[str | None]) -> str:
        return content_hash(pa.table({"text": pa.array(texts, pa.string())}), features)

    assert content_hash(whole.slice(1, len(words)), features) == hashed(words)
    assert hashed(["", "Ö", "l"]) != hashed(["", "Öl", ""])
    assert content_hash(whole.slice(3, 0), features) == hashed([])


def test_the_command_line_tells_errors_by_its_exit_code(capsys, tmp_path):
    assert push.main(["build", "blimp", "--out", str(tmp_path)]) == 1
    assert "NAME, got 'blimp'; expected some of centerbench" in capsys.readouterr().err
    assert push.main(["check", "eras", "--out", str(tmp_path)]) == 1
    assert "expected a folder made by push.py build eras" in capsys.readouterr().out
