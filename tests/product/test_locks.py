"""Locks: what CI installs is what `pyproject.toml` and `constraints.txt` ask for, file by file."""

import re
from importlib.metadata import distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ground.tables import read_toml
from tests.conftest import ROOT
from tests.support.record_lock import OWN, lock_problems, lock_text, read_lock

LOCKS = ROOT / "locks"
DIGEST = "a" * 64
ENTRY = {
    "metadata": {"name": "Some_Thing", "version": "1.2+cpu"},
    "download_info": {"archive_info": {"hashes": {"sha256": DIGEST}}},
}
ONE = {"a": ("1", {DIGEST})}
OF_OWN = {"metadata": {"name": OWN, "version": "1"}, "download_info": {}}


def read(path):
    return read_lock(path.read_text(encoding="utf-8"))


def requirements():
    """What the extra `test` asks for on this Python, through the project's other extras."""
    project = read_toml((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found, left = list(project["dependencies"]), ["test"]
    while left:
        for text in project["optional-dependencies"][left.pop()]:
            asked = Requirement(text)
            if asked.name == OWN:
                left += sorted(asked.extras)
            else:
                found.append(text)
    markers = {text: Requirement(text).marker for text in found}
    return [text for text, marker in markers.items() if marker is None or marker.evaluate()]


def test_the_lock_is_of_this_project():
    constraints = read(ROOT / "constraints.txt")
    assert lock_problems(read(LOCKS / "test.txt"), constraints, requirements()) == []


def test_what_builds_is_locked_too():
    assert {"setuptools", "wheel"} <= set(read(LOCKS / "build.txt"))
    assert lock_problems(read(LOCKS / "build.txt"), {}, []) == []


def test_inspect_is_locked_in_the_version_of_the_makefile():
    version = re.search(r"INSPECT := (inspect-ai==\S+)", (ROOT / "Makefile").read_text())
    assert lock_problems(read(LOCKS / "inspect.txt"), {}, [version[1]]) == []


def test_what_a_locked_package_needs_is_locked():
    """A lock made where more was installed than it asks for would leave some of it out."""
    beside = next(ROOT.glob(".venv/inspect/lib/*/site-packages"), None)
    pins = read(LOCKS / "test.txt") | (read(LOCKS / "inspect.txt") if beside else {})
    found = [*distributions(), *(distributions(path=[str(beside)]) if beside else ())]
    needed = {
        (canonicalize_name(asked.name), one.name)
        for one in found
        if canonicalize_name(one.name) in pins
        for asked in map(Requirement, one.requires or ())
        if asked.marker is None or asked.marker.evaluate({"extra": ""})
    }
    assert len(needed) > len(pins)
    assert sorted((name, by) for name, by in needed if name not in pins) == []


@pytest.mark.parametrize("name", sorted(path.name for path in LOCKS.glob("*.txt")))
def test_a_lock_is_sorted_and_names_no_place(name):
    text = (LOCKS / name).read_text(encoding="utf-8")
    names = re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)
    assert names == sorted(set(names), key=lambda name: f"{name}==")
    assert "://" not in text


def test_a_lock_reads_as_it_was_written():
    text = lock_text([ENTRY, OF_OWN])
    assert text.endswith(f"some-thing==1.2+cpu \\\n    --hash=sha256:{DIGEST}\n")
    assert read_lock(text) == {"some-thing": ("1.2+cpu", {DIGEST})}
    assert canonicalize_name("Some_Thing") in read_lock(text)


@pytest.mark.parametrize(
    ("pins", "constraints", "asked", "message"),
    [
        ({"a": ("1", set())}, {}, [], "a: checksum, got none; expected SHA-256: make lock"),
        ({"a": ("1", {"0"})}, {}, [], "a: checksum, got {'0'}; expected SHA-256: make lock"),
        (
            ONE,
            {"a": ("2", set())},
            [],
            "a: version, got 1; expected 2 of constraints.txt: make lock",
        ),
        (ONE, {}, ["A>=2"], "A: version, got 1; expected >=2: make lock"),
        (ONE, {}, ["b"], "b: version, got none; expected *: make lock"),
    ],
)
def test_a_doctored_lock_is_found_out(pins, constraints, asked, message):
    assert lock_problems(pins, constraints, asked) == [message]


def test_a_build_for_one_kind_of_machine_is_of_its_version():
    assert lock_problems({"a": ("1+cpu", {DIGEST})}, {"a": ("1", set())}, ["a>=1"]) == []
