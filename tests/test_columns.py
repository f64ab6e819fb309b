"""How metrics read their inputs.

Every kind of column gives the same values, and every mistake has its own message.
"""

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from metrics.columns import (
    check_lengths,
    check_option,
    read_columns,
    to_float_array,
    to_float_matrix,
    to_int_array,
    to_list,
)

ROWS = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]


@pytest.mark.parametrize(
    "values",
    [
        ROWS,
        tuple(map(tuple, ROWS)),
        np.array(ROWS),
        np.array(ROWS, dtype=np.float64, order="F"),
        pa.array(ROWS),
        pa.chunked_array([ROWS[:1], ROWS[1:]]),
        pa.array(ROWS, pa.list_(pa.float64(), 2)),
        pd.DataFrame(ROWS),
        datasets.Dataset.from_dict({"p": ROWS})["p"],
    ],
    ids=["list", "tuple", "numpy", "fortran", "arrow", "chunked", "fixed", "pandas", "column"],
)
def test_every_kind_of_matrix_is_read_alike(values: object) -> None:
    assert to_float_matrix("m", values, (2, 4)).tolist() == ROWS


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        (1, 2),
        np.array([1, 2]),
        pa.array([1, 2]),
        pd.Series([1, 2]),
        datasets.Dataset.from_dict({"i": [1, 2]})["i"],
        range(1, 3),
    ],
    ids=["list", "tuple", "numpy", "arrow", "pandas", "column", "range"],
)
def test_every_kind_of_column_is_read_alike(values: object) -> None:
    assert to_int_array("i", values).tolist() == [1, 2]
    assert to_list(values) == [1, 2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "m: got no rows; expected at least one"),
        ([[0.1, 0.2, 0.3]], r"m: got shape \(1, 3\); expected \(n, 2 or 4\)"),
        (
            [[0.1, 0.2], [0.3]],
            "m: got values that are no array of numbers .*; expected rows of 2 or 4 numbers",
        ),
        ([[0.1, float("nan")]], r"m\[0, 1\]: got nan; expected a finite number"),
        (
            [["a", "b"]],
            "m: got values that are no array of numbers .*; expected rows of 2 or 4 numbers",
        ),
        ([0.1, 0.2], r"m: got shape \(2,\); expected \(n, 2 or 4\)"),
    ],
)
def test_bad_matrices_are_refused(values: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_float_matrix("m", values, (2, 4))


def test_bad_columns_are_refused() -> None:
    with pytest.raises(ValueError, match=r"i\[1\]: got 1.5; expected a whole number"):
        to_int_array("i", [1, 1.5])
    with pytest.raises(
        ValueError, match=r"f: got shape \(0,\); expected one number per item and at least one item"
    ):
        to_float_array("f", [])
    with pytest.raises(
        TypeError, match="a column, got str; expected a sequence with one value per item"
    ):
        to_list("abc")


REFERENCES = [{"id": "a", "n": 1, "more": None}, {"id": "b", "n": 2, "more": None}]


@pytest.mark.parametrize(
    "rows",
    [
        REFERENCES,
        {"id": ["a", "b"], "n": [1, 2]},
        pa.Table.from_pylist(REFERENCES),
        pd.DataFrame(REFERENCES),
        datasets.Dataset.from_list(REFERENCES),
    ],
    ids=["dicts", "columns", "arrow", "pandas", "dataset"],
)
def test_every_kind_of_rows_is_read_alike(rows: object) -> None:
    columns = read_columns("r", rows, ("id", "n"))
    assert {name: to_list(column) for name, column in columns.items()} == {
        "id": ["a", "b"],
        "n": [1, 2],
    }


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ValueError, "r: got no rows; expected at least one"),
        ([{"id": "a"}], ValueError, r"r\[0\]: got no field 'n'; expected id, n"),
        (["a"], TypeError, r"r\[0\]: got str; expected a row with id, n"),
        ({"id": ["a"]}, ValueError, "r: got no field 'n' among id; expected id, n"),
        (
            {"id": ["a"], "n": [1, 2]},
            ValueError,
            r"r: got columns of lengths {'id': 1, 'n': 2}; expected one length",
        ),
        ({"id": [], "n": []}, ValueError, "r: got no rows; expected at least one"),
    ],
)
def test_bad_rows_are_refused(rows: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_columns("r", rows, ("id", "n"))


def test_unequal_lengths_and_unknown_options_are_refused() -> None:
    assert check_lengths("gper", predictions=[1, 2], references=[3, 4]) == 2
    with pytest.raises(
        ValueError,
        match=(
            "gper: got 2 predictions but 1 references; expected equal numbers, they are paired by"
            " position"
        ),
    ):
        check_lengths("gper", predictions=[1, 2], references=[3])
    with pytest.raises(ValueError, match="gper: got no items; expected at least one"):
        check_lengths("gper", predictions=[], references=[])
    with pytest.raises(
        ValueError, match="gper: scale, got 'odds'; expected 'probability' or 'logit'"
    ):
        check_option("gper", "scale", "odds", ["probability", "logit"])
