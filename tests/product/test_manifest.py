"""`MANIFEST.json`: every byte, file and link of a build that is not as it was built is found."""

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from publish.build.manifest import MANIFEST, draw_problems, manifest_problems
from publish.check.check import check
from tests.support.publishing import METRIC, SUITE

N_CHANGES = 500


@pytest.fixture
def metric(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small / METRIC, tmp_path / METRIC))


def change(folder: Path, generator: random.Random) -> str:
    """Makes one change and names it; undoing it is the caller's business."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = generator.choice(files)
    kind = generator.choice(("byte", "cut", "more", "less", "link", "folder"))
    if kind == "byte":
        content = bytearray(path.read_bytes())
        content[generator.randrange(len(content))] ^= generator.randrange(1, 256)
        path.write_bytes(content)
    elif kind == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    elif kind == "more":
        path.with_name(generator.choice((".hidden", "notes~", "evil.py"))).write_bytes(b"x")
    elif kind == "less":
        path.unlink()
    elif kind == "link":
        content = path.read_bytes()
        path.unlink()
        path.with_name(path.name).symlink_to("/etc/passwd")
    else:
        (path.parent / "linked").symlink_to(folder.parent, target_is_directory=True)
    return f"{kind} of {path}"


@pytest.mark.slow
def test_every_random_change_is_found(small, tmp_path):
    generator = random.Random(0)
    for i in range(N_CHANGES):
        name = (SUITE, METRIC)[i % 2]
        folder = tmp_path / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(small / name, folder)
        what = change(folder, generator)
        assert manifest_problems(folder), f"change {i}: {what}"


def test_links_and_files_that_are_not_as_they_were_built_are_named(small, metric):
    assert manifest_problems(small / SUITE) == manifest_problems(metric) == []
    (metric / "link.txt").symlink_to("/etc/passwd")
    (metric / "inputs.py").write_bytes((metric / "inputs.py").read_bytes() + b"\n")
    os.rename(metric / "scoring.py", metric / "scoring2.py")
    link, other, *files = manifest_problems(metric)
    expected = "expected a file or folder of the build"
    assert link == f"{metric / 'link.txt'}: link, got one to /etc/passwd; {expected}"
    assert other.startswith(f"{metric / 'inputs.py'}: sha256, got ")
    assert files == [
        f"{metric / 'scoring.py'}: file, got none; expected the one that was built",
        f"{metric / 'scoring2.py'}: file, got one that is not in {MANIFEST}; expected none",
    ]


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b'{"files": 3}', b"\xff"])
def test_what_is_no_manifest_is_said_to_be_none(metric, content):
    (metric / MANIFEST).write_bytes(content)
    assert any("no manifest; expected one" in line for line in manifest_problems(metric))


def test_folders_of_different_draws_are_refused(tmp_path):
    for name, draw in (("a", "1"), ("b", "1"), ("metric", None)):
        (tmp_path / name).mkdir()
        (tmp_path / name / MANIFEST).write_text(json.dumps({"draw": draw}), encoding="utf-8")
    folders = [tmp_path / name for name in ("a", "b", "metric")]
    assert draw_problems(folders) == []
    (tmp_path / "b" / MANIFEST).write_text(json.dumps({"draw": "2"}), encoding="utf-8")
    (line,) = draw_problems(folders)
    assert "draw, got a of 1; b of 2; expected one seed and size" in line


def test_check_stops_at_the_manifest(small, tmp_path):
    out = Path(shutil.copytree(small, tmp_path / "hub"))
    (out / SUITE / "secret.env").write_text("KEY=1\n", encoding="utf-8")
    assert check(out, [SUITE, METRIC]) == [
        f"{out / SUITE / 'secret.env'}: file, got one that is not in {MANIFEST}; expected none"
    ]
