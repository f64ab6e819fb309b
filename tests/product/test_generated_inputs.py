"""Any input gives a number, the same on both paths, or one ValueError that names the metric."""

import functools
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from publish.build.metrics import metric_names
from tests.support.generated_inputs import (
    JUNK,
    Case,
    can_be_made,
    cases,
    examples,
    metric_class,
    quick_options,
)
from tests.support.probe_metrics import same

N_CASES = 300  # over all metrics; ten thousand with --nightly
N_NIGHTLY = 10_000


def outcome(name: str, compute: Any) -> Any:
    """What a computation gives, or the message of its ValueError; any other error passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compute()
        except ValueError as error:
            message = str(error)
            assert message.startswith(f"{name}: "), f"got {message!r}; expected the metric's name"
            assert "\n" not in message
            return message


def added(name: str, case: Case) -> Any:
    metric = metric_class(name)(keep_in_memory=True)
    for batch in case.batches():
        metric.add_batch(**batch)
    return metric.compute(**case.options)


def check(name: str, case: Case) -> None:
    """Fails where the two paths differ, or one ends in anything but a result or a ValueError."""
    metric = metric_class(name)(keep_in_memory=True)
    direct = outcome(name, lambda: metric.compute(**case.inputs(), **case.options))
    batches = outcome(name, lambda: added(name, case))
    if isinstance(direct, str) or isinstance(batches, str):
        assert isinstance(direct, str), f"only the batches were refused: {batches}"
        assert isinstance(batches, str), f"only the whole columns were refused: {direct}"
    else:
        assert same(direct, batches)


@pytest.mark.parametrize("name", metric_names())
def test_any_input_is_scored_alike_or_refused(name, pytestconfig):
    is_nightly = pytestconfig.getoption("--nightly")
    n = (N_NIGHTLY if is_nightly else N_CASES) // len(metric_names()) + 1
    junk = repr(JUNK)

    @settings(
        max_examples=n,
        deadline=None,
        database=None,
        derandomize=not is_nightly,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(name))
    def each(case: Case) -> None:
        check(name, case)

    each()
    assert repr(JUNK) == junk, "a case changed what others are made of"


@pytest.mark.parametrize("name", metric_names())
def test_examples_are_scored(name):
    """What the cases are drawn from is right input: else all of them might be refused."""
    assert examples(name)
    for columns, options in examples(name):
        metric, given = metric_class(name)(keep_in_memory=True), repr(columns)
        result = metric.compute(**columns, **options)
        assert isinstance(result, dict)
        assert {type(value) for value in leaves(result)} <= {int, float, str, bool, type(None)}
        assert repr(columns) == given, "an input was changed"
        check(name, Case(columns, "", "", options))


def leaves(value: Any) -> Iterator[Any]:
    """What stands at the ends of dicts and lists: no type of numpy among them."""
    if type(value) in (dict, list, tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    else:
        yield value


KINDS = ("tuple", "generator", "array", "objects", "series", "arrow", "chunked")
KINDS_OF_ROWS = ("frame", "table", "columns", "data set")


@pytest.mark.parametrize("name", metric_names())
def test_every_kind_of_column_gives_the_same(name):
    """Each column of each example in every container that can hold it."""
    metric, n_kinds = metric_class(name)(keep_in_memory=True), 0
    for columns, options in examples(name):
        options = {**quick_options(name), **options}
        expected = metric.compute(**columns, **options)
        for column, values in columns.items():
            for kind in KINDS + KINDS_OF_ROWS * isinstance(values[0], dict):
                case = Case(columns, column, kind, options)
                if can_be_made(case):
                    n_kinds += 1
                    found = metric.compute(**case.inputs(), **options)
                    assert same(found, expected), (column, kind)
    assert n_kinds >= 6 * len(examples(name)[0][0])


HOSTILE = {
    "an integer of 4,500 digits": 10**4500,
    "a deep list": functools.reduce(lambda inner, _: [inner], range(3000), [0]),
    "a blank": " ",
    "an infinity of 16 bits": np.float16("inf"),
    "a long text": "x" * 200_000,
    "half a character": "\ud800",
    "a null character": "\0",
    "bytes": b"\xff",
    "an object": {"a": 1},
    "nan": float("nan"),
}


@pytest.mark.parametrize("name", metric_names())
def test_whatever_stands_in_a_column_is_an_error_that_names_the_metric(name):
    """A value alone, in a list, and in each field of a row, in every column, optional ones too."""
    metric = metric_class(name)(keep_in_memory=True)
    columns = metric.contract.columns
    n_refused = 0
    for kind, value in HOSTILE.items():
        row = dict.fromkeys(("id", "tokens", "heads", "deprels", "answer"), value)
        for column, one in itertools.product(columns, (value, [value], [row])):
            inputs = {**{each: ["a"] for each in columns}, column: one}
            found = outcome(name, lambda inputs=inputs: metric.compute(**inputs))
            n_refused += isinstance(found, str)
            assert len(found) < 1_000, (kind, column)
    assert n_refused > len(columns) * len(HOSTILE)
