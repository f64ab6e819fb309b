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
from publish.build.build import build_suite
from publish.build.manifest import read_provenance
from publish.build.metrics import metric_names
from publish.check.check import check
from publish.check.verified import remember
from tests.conftest import ROOT
from tests.support.record_hashes import build_hashes

SMALL = {"size": 390}


def copy(small: Path, tmp_path: Path) -> Path:
    shutil.copytree(small / "eras", tmp_path / "eras")
    return tmp_path / "eras"


def test_suites_and_metrics_register_themselves():
    assert "eras" in suite_names()
    assert {"gper", "garden_path_accuracy"} <= set(metric_names())
    with pytest.raises(ValueError, match="suite, got 'blimp'; expected one of "):
        suite_builder("blimp")


def test_everything_built_is_in_order_and_loads_from_outside(hub, monkeypatch, tmp_path):
    """The rows are those of the recorded hashes, as the next test says; `slow` draws them again."""
    monkeypatch.setattr(publish.check.verified, "RECORD", tmp_path / "verified.json")
    names = suite_names() + metric_names()
    remember((hub / name for name in names), "made")
    assert check(hub, names, reuses_record=True) == []


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


def test_two_processes_write_the_same_bytes(small, tmp_path):
    """Each suite's own test of its draw says the same of the others."""
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "push.py", "build", "eras", "--size", "390", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    files = sorted(
        path.relative_to(small) for path in (small / "eras").rglob("*") if path.is_file()
    )
    assert len(files) >= 7
    for file in files:
        assert (small / file).read_bytes() == (tmp_path / file).read_bytes(), file


def test_a_failed_build_leaves_the_old_one_whole(small, tmp_path, monkeypatch):
    folder = copy(small, tmp_path)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def interrupt(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(publish.build.build, "render_dataset_card", interrupt)
    with pytest.raises(KeyboardInterrupt):
        build_suite("eras", tmp_path, SMALL)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["eras"]


def test_a_new_build_leaves_nothing_of_the_old_one(small, tmp_path):
    folder = copy(small, tmp_path)
    (folder / "simplified" / "stale.parquet").write_bytes(b"old")
    build_suite("eras", tmp_path, SMALL)
    assert not (folder / "simplified" / "stale.parquet").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["eras"]


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(ValueError, match="eras: option, got 'colour'; expected one of "):
        build_suite("eras", tmp_path, {"colour": "red"})
    message = "eras: size, got 3; expected at least 39, a pair for each paradigm"
    with pytest.raises(ValueError, match=message):
        build_suite("eras", tmp_path, {"size": 3})
    assert list(tmp_path.iterdir()) == []


def test_check_says_what_is_not_built(tmp_path):
    assert check(tmp_path, ["eras"]) == [
        f"{tmp_path / 'eras'}: build, got none; expected a folder made by push.py build eras"
    ]


def test_content_hash_sees_values_only():
    features = datasets.Features(
        {"a": datasets.Value("string"), "b": datasets.List({"c": datasets.Value("int32")})}
    )
    rows = [
        {"a": "x", "b": [{"c": 1}, {"c": 2}]},
        {"a": None, "b": []},
        {"a": "yz", "b": [{"c": None}]},
    ]
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
    alone = content_hash(pa.table({"text": pa.array(words)}), features)
    assert content_hash(whole.slice(1, len(words)), features) == alone
    assert content_hash(pa.table({"text": pa.array(["", "Ö", "l"])}), features) != content_hash(
        pa.table({"text": pa.array(["", "Öl", ""])}), features
    )
    assert content_hash(whole.slice(3, 0), features) == content_hash(
        pa.table({"text": pa.array([], pa.string())}), features
    )


@pytest.mark.parametrize("name", suite_names())
def test_the_builder_works_as_any_builder_of_datasets(name, tmp_path):
    """`download_and_prepare` is not how we publish, but it works and gives the same rows."""
    builder_class = suite_builder(name)
    config = min(
        (c for c in builder_class.BUILDER_CONFIGS if c.name in builder_class.config_names()),
        key=lambda c: ("lite" not in c.name, c.name),
    )
    builder = builder_class(config_name=config.name, dataset_name=name, cache_dir=str(tmp_path))
    builder.download_and_prepare()
    prepared = builder.as_dataset()
    for split, table in builder.split_tables().items():
        assert prepared[split].num_rows == table.num_rows
        assert prepared[split].features == builder.config.features


def test_the_command_line_tells_errors_by_its_exit_code(capsys, tmp_path):
    assert push.main(["build", "blimp", "--out", str(tmp_path)]) == 1
    assert "NAME, got 'blimp'; expected some of eras" in capsys.readouterr().err.replace(
        "centerbench, ", ""
    )
    assert push.main(["check", "eras", "--out", str(tmp_path)]) == 1
    assert "expected a folder made by push.py build eras" in capsys.readouterr().out
