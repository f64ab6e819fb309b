"""Options of a metric: what is checked, with which words, and how the texts are rendered."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from metrics._shared.option_fields import (
    CheckedOptions,
    confidence_option,
    n_resamples_option,
    option,
    per_item_option,
    seed_option,
)
from tests.support.cases import cases


def read_ids(where, value):
    if isinstance(value, str) or not all(isinstance(one, int) for one in value):
        raise ValueError(f"{where}, got {value!r}; expected a list of ids")
    return tuple(value)


@dataclass(frozen=True)
class Options(CheckedOptions):
    metric: ClassVar[str] = "count"

    scale: str = option("linear", "how values are read", choices=("linear", "log"))
    similarity: str | None = option(
        None, "what must shrink", choices=("absolute", "signed"), none="what `scale` says"
    )
    threshold: float = option(0.5, "smallest score that counts", low=0, high=1)
    lexicon: str = option("", "name of the lexicon")
    exclude: tuple[int, ...] = option((), "ids left out", read=read_ids, expected="a list of ids")
    confidence: float | None = confidence_option()
    n_resamples: int = n_resamples_option()
    seed: int = seed_option()
    per_item: bool = per_item_option()


GOOD = [
    ("scale", "log", "log"),
    ("similarity", None, None),
    ("exclude", [3, 1], (3, 1)),
    ("threshold", 0, 0.0),
    ("threshold", 1, 1.0),
    ("threshold", np.float32(0.5), 0.5),
    ("confidence", None, None),
    ("confidence", 1e-9, 1e-9),
    ("per_item", True, True),
    ("n_resamples", 100, 100),
    ("n_resamples", np.int64(500), 500),
    ("seed", 0, 0),
    ("seed", 2**70, 2**70),
]


@pytest.mark.parametrize(("name", "given", "kept"), GOOD)
def test_a_good_value_is_kept_as_a_plain_one(name, given, kept):
    value = getattr(Options.read({name: given}), name)
    assert value == kept
    assert type(value) is type(kept)


@pytest.mark.parametrize(*cases("option_fields/bad_values"))
def test_a_bad_value_is_named_with_its_metric(name, given, message):
    with pytest.raises(ValueError, match=f"^{re.escape(f'count: {name}, {message}')}$"):
        Options.read({name: given})


def test_an_unknown_option_is_named_with_the_nearest_one_and_a_complex_number():
    with pytest.raises(ValueError, match=r"^count: option, got 'confidance'; expected confidence$"):
        Options.read({"confidance": 0.9})
    with pytest.raises(ValueError, match="got 'x'; expected scalars, run, scale, similarity, "):
        Options.read({"x": 1})
    with pytest.raises(ValueError, match=r"^count: threshold, got 0.5j; expected a number from 0 "):
        Options.read({"threshold": 0.5j})


def test_quoted_options_are_plain_and_leave_out_what_changes_only_the_form():
    usual = {"scale": "linear", "similarity": None, "threshold": 0.5, "lexicon": ""}
    usual |= {"n_resamples": 2000, "seed": 0}
    found = Options(exclude=[2], confidence=None).quoted()
    assert found == usual | {"exclude": [2], "confidence": None}


def test_texts_are_rendered_from_the_fields():
    table = Options.table()
    assert [row["option"] for row in table] == list(Options.rules())
    assert table[3] == {
        "option": "similarity",
        "values": '"absolute" or "signed", or None for what `scale` says',
        "default": "None",
        "meaning": "what must shrink",
    }
    lines = Options.documentation().splitlines()
    assert lines[0].startswith("    scalars (True or False; default False): whether to give numb")
    assert lines[2] == '    scale ("linear" or "log"; default "linear"): how values are read.'
    assert lines[7] == (
        "    confidence (a number above 0 and below 1, or None for no intervals; default 0.95): "
        "two-sided level of the intervals."
    )
    assert len(lines) == 11
