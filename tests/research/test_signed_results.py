"""Results of studies: their signatures tell what was run; `--out` leaves what can be shared."""

import json
from types import SimpleNamespace

from dataset_scripts.registry import suite_builder
from metrics._shared.option_fields import LONGEST, read_run
from publish.hub.results import read_result
from research.studies.__main__ import main
from research.studies.study import about_run, file_name, signed_results

BIGRAMS = SimpleNamespace(name="bigram:de", version="text 0a1b")
KNOWN = {"system": "bigram:de", "revision": "text 0a1b"}


def test_a_run_is_told_as_far_as_it_is_known():
    version = suite_builder("sorts").version_of("conll")
    config = {"config": "conll", "split": "amb"}
    generated = {"suite": "sorts", "edition": "generated", "suite_version": version}
    assert about_run("sorts", BIGRAMS, **config, seed=3) == {
        **generated,
        **config,
        "draw": "3",
        **KNOWN,
    }
    # rows of somebody's file are of no draw
    assert about_run("sorts", BIGRAMS) == {"suite": "sorts", **KNOWN}
    # a released edition is no draw
    released = about_run("sorts", BIGRAMS, config="released_paper", split="amb")
    assert released["edition"] == "released"
    assert "draw" not in released
    # studies that are about no suite
    assert about_run("coverage", BIGRAMS, config="conll") == KNOWN


def test_a_long_version_is_told_apart_by_its_hash():
    first, second = (
        about_run("sorts", SimpleNamespace(name="a", version=" " + "v" * LONGEST + end))
        for end in ("1", "2")
    )
    assert first["revision"] != second["revision"]
    assert read_run("run", first) == first
    # a system without a version has no revision
    assert "revision" not in about_run("sorts", SimpleNamespace(name="a", version=""))


def test_results_are_found_wherever_they_stand():
    mine = {"signature": "system:a|metric:gper|version:2.0.0", "by": [{"system": "b"}]}
    ranking = {"signature": "suite:eras|metric:ranking_generalizability|version:1.0.0"}
    scored = [("part", [mine]), {"x": {"y": [ranking]}, "name": "a"}, 3.0]
    assert list(signed_results(scored)) == [mine]


def test_files_of_two_results_differ():
    lines = [
        f"suite:eras|config:{config}|split:test|system:a:b/c|metric:gper|version:2.0.0|seed={seed}"
        for config in ("lite", "traditional")
        for seed in (0, 1)
    ]
    names = [file_name(line) for line in lines]
    assert len(set(names)) == len(lines)
    assert all(name.startswith("a-b-c.") and "/" not in name for name in names)


def test_what_a_study_leaves_is_what_push_shares(tmp_path):
    given = ["eras", "segmentation", "--systems", "maxmatch", "--config", "simplified_lite"]
    given += ["--store", str(tmp_path / "store")]
    assert main([*given, "--out", str(tmp_path / "out")]) == 0
    (path,) = (tmp_path / "out").glob("maxmatch.*.json")
    shared = read_result(path)
    assert shared.value == json.loads(path.read_text(encoding="utf-8"))["pair_accuracy"]
    assert shared.signature.run["config"] == shared.task == "simplified_lite"
