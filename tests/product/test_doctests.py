"""Examples in docstrings are run, and fail where they are wrong."""

import doctest
import importlib

import pytest

from tests.conftest import ROOT


def modules_with_examples() -> list[str]:
    paths = [
        p
        for folder in ("builders", "metrics", "garden_path", "research", "publish", "integrations")
        for p in sorted((ROOT / folder).rglob("*.py"))
    ]
    # run by the tests of the metric modules, through evaluate.load
    wrappers = {p for p in paths if p.stem == p.parent.name}
    return [
        ".".join(p.relative_to(ROOT).with_suffix("").parts)
        for p in paths
        if p not in wrappers and ">>>" in p.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_are_true(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0
