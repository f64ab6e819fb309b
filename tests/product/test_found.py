"""The finder of modules: what a module defines itself, at its top level, as parsed."""

from pathlib import Path

import pytest

from ground.found import found

MODULES = {
    "one.py": "THING = 1\n",
    "two.py": "THING: int = 2\n",
    "three.py": "def THING(): ...\n",
    "four.py": "class THING: ...\n",
    "imported.py": "from one import THING\n",
    "inner.py": "def make():\n    THING = 1\n",
    "said.py": '"""\nTHING = 1\n"""\n# THING\n',
    "room/__init__.py": "THING = 3\n",
    "room/deep.py": "THING = 4\n",
    "room/deeper/far.py": "THING = 5\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in MODULES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_modules_that_define_a_name_are_found(folder):
    assert found(folder, "THING") == ("four", "one", "room", "room.deep", "three", "two")
    assert found(folder, "make") == ("inner",)
    assert found(folder, "OTHER") == ()


def test_a_module_that_is_no_python_is_named(folder):
    (folder / "broken.py").write_text("THING = (\n", encoding="utf-8")
    with pytest.raises(SyntaxError, match="never closed") as refused:
        found(folder, "THING")
    assert refused.value.filename == str(folder / "broken.py")
