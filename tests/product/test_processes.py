"""Suites side by side: the same results as one after the other, and one line where one fails."""

from pathlib import Path

import pytest

from ground.command_line import folder
from publish.build.processes import side_by_side

pytestmark = pytest.mark.clock


@pytest.mark.parametrize("n_cores", [1, 2])
@pytest.mark.parametrize("names", [[], ["a"], ["aa", "b", "ccc"]])
def test_every_result_comes_with_its_name(names, n_cores):
    assert dict(side_by_side(len, names, n_cores)) == {name: len(name) for name in names}


def test_what_fails_beside_is_told_in_one_line():
    with pytest.raises(RuntimeError, match=r"invalid literal for int.* 'x'"):
        list(side_by_side(int, ["1", "x"], 2))


def test_a_tilde_is_the_home_folder():
    assert folder("~/hub") == Path.home() / "hub"
    assert folder("hub") == Path("hub")
