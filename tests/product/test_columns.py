"""How metrics read their inputs. Every kind of column gives the same values, and every mistake has
its own message."""

import decimal
import re

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from metrics._shared.columns import (
    Values,
    check_lengths,
    check_option,
    read_columns,
    read_values,
    to_list,
)
from metrics._shared.module import Inputs, Rows
from tests.support.cases import cases

PAIR = Values("number", depth=1, widths=(2, 4))
NUMBER, WHOLE, TEXT, NAME = (Values(kind) for kind in ("number", "whole", "text", "name"))
WORDS = Values("text", depth=1)

ROWS = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]


MATRICES = {
    "list": ROWS,
    "tuple": tuple(map(tuple, ROWS)),
    "numpy": np.array(ROWS),
    "fortran": np.array(ROWS, dtype=np.float64, order="F"),
    "arrow": pa.array(ROWS),
    "chunked": pa.chunked_array([ROWS[:1], ROWS[1:]]),
    "fixed": pa.array(ROWS, pa.list_(pa.float64(), 2)),
    "pandas": pd.DataFrame(ROWS),
    "column": datasets.Dataset.from_dict({"p": ROWS})["p"],
}


@pytest.mark.parametrize("values", MATRICES.values(), ids=MATRICES)
def test_every_kind_of_matrix_is_read_alike(values):
    assert read_values("t: m", values, PAIR).tolist() == ROWS


COLUMNS = ([1, 2], (1, 2), np.array([1, 2]), pa.array([1, 2]), pd.Series([1, 2]), range(1, 3))
COLUMNS += (datasets.Dataset.from_dict({"i": [1, 2]})["i"],)


@pytest.mark.parametrize("values", COLUMNS, ids=lambda values: type(values).__name__)
def test_every_kind_of_column_is_read_alike(values):
    assert read_values("t: i", values, WHOLE).tolist() == [1, 2]
    assert read_values("t: i", values, NUMBER).tolist() == [1.0, 2.0]
    assert read_values("t: i", values, NAME) == ["1", "2"]
    assert to_list(values) == [1, 2]


MASKED = np.ma.masked_greater([1.0, 9.0], 5)
RULES = {"number": NUMBER, "whole": WHOLE, "text": TEXT, "name": NAME, "words": WORDS, "pair": PAIR}
OTHER_TYPES = [
    ("whole", np.array([1, 1.5]), "t: c[1]: got 1.5; expected a whole number"),
    ("whole", np.array([True]), "t: c[0]: got True; expected a whole number"),
    ("whole", pa.array([True]), "t: c[0]: got True; expected a whole number"),
    ("whole", [np.bool_(True)], "t: c[0]: got"),
    ("whole", pa.array([1, None]), "t: c[1]: got None; expected a whole number"),
    ("whole", pd.array([1, None], dtype="Int64"), "t: c[1]: got nan; expected"),
    ("number", [10**400], "t: c[0]: got 1000000"),
    ("number", [1 + 0j], "t: c[0]: got (1+0j); expected a finite number"),
    ("number", np.array([1j]), "t: c[0]: got 1j; expected a finite number"),
    ("number", MASKED, "t: c: got 1 masked value; expected none"),
    ("number", {0.5, 0.1}, "t: c, got set; expected a sequence, in the order of the items"),
    ("number", np.array(["2020-01-01"], "M8[D]"), "t: c[0]: got datetime.date(2020, 1, 1)"),
    ("number", np.array([1], "m8[s]"), "t: c[0]: got datetime.timedelta(seconds=1)"),
    ("number", [np.timedelta64(1, "s")], "t: c[0]: got"),
    ("number", np.float64(1), "t: c, got float64; expected a sequence with one value per item"),
    ("text", ["a", b"b"], "t: c[1]: got b'b'; expected text"),
    ("text", ["a\ud800"], r"t: c[0]: got 'a\ud800'; expected text"),
    ("words", [{"a", "b"}], "t: c[0]: got {"),
    ("pair", np.array([[0.1, 0.2, 0.3]]), "t: c: got shape (1, 3); expected (n, 2 or 4)"),
    ("pair", np.array([0.1, 0.2]), "t: c: got shape (2,); expected (n, 2 or 4)"),
]
NAMES, WRITTEN = cases("columns/what_is_no_such_value_is_refused")


@pytest.mark.parametrize(NAMES, [*WRITTEN, *OTHER_TYPES])
def test_what_is_no_such_value_is_refused(rule, values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read_values("t: c", values, RULES[rule])


@pytest.mark.parametrize(
    ("rule", "values", "read"),
    [
        (WHOLE, [np.int8(1), 2.0, decimal.Decimal(3)], [1, 2, 3]),
        (WHOLE, np.array([1, 2], np.uint8), [1, 2]),
        (NUMBER, [np.float16(0.5), 1, decimal.Decimal("0.25")], [0.5, 1, 0.25]),
        (NUMBER, np.ma.array([1.0, 2.0]), [1, 2]),
        (NUMBER, (x / 2 for x in range(3)), [0, 0.5, 1]),
        (NAME, ["a", 1, np.int64(2), 3.0], ["a", "1", "2", "3"]),
        (TEXT, np.array(["a", "b"]), ["a", "b"]),
        (WORDS, [("a",), np.array(["b"]), pd.Series(["c"]), []], [["a"], ["b"], ["c"], []]),
        (WORDS, pa.array([["a"], []]), [["a"], []]),
        (Values("text", has_none=True), ["a", None], ["a", None]),
        (Values("whole", depth=1, has_none=True), [[1, None], [2.0]], [[1, None], [2]]),
    ],
)
def test_what_is_such_a_value_is_read(rule, values, read):
    found = read_values("t: c", values, rule)
    plain = [list(one) if isinstance(one, tuple) else one for one in list(found)]
    assert plain == read
    assert repr(read_values("t: c", found, rule)) == repr(found), "what is read is read alike again"


INPUTS = Inputs(
    "t",
    {
        "words": WORDS,
        "rows": Rows(
            {
                "n": Values("whole", low=1),
                "name": Values("name", is_optional=True),
                "note": Values("text", is_optional=True, has_none=True),
            }
        ),
        "run": Values("name", is_optional=True),
    },
)


@pytest.mark.parametrize(
    "rows",
    [
        [{"n": 1, "name": 7}, {"n": 2, "name": 8, "note": "x"}],
        {"n": [1, 2], "name": ["7", "8"], "note": [None, "x"]},
        pd.DataFrame({"n": [1, 2], "name": [7, 8], "note": [None, "x"], "more": [{}, {}]}),
        pa.table({"n": [1, 2], "name": [7, 8], "note": [None, "x"]}),
        iter([{"n": 1, "name": 7, "note": None}, {"n": 2, "name": 8, "note": "x"}]),
    ],
    ids=["dicts", "columns", "pandas", "arrow", "generator"],
)
def test_a_batch_keeps_all_that_a_contract_reads(rows):
    read = INPUTS.read({"words": [["a"], []], "rows": rows})
    assert read["rows"]["n"].tolist() == [1, 2]
    assert (read["rows"]["name"], read["rows"]["note"]) == (["7", "8"], [None, "x"])
    assert read["run"] is None
    kept = datasets.Dataset.from_dict(INPUTS.stored(read), INPUTS.features())
    again = INPUTS.read({name: kept[name][:] for name in INPUTS.columns})
    assert repr(again) == repr(read)


@pytest.mark.parametrize(*cases("columns/a_contract_names_what_breaks_it"))
def test_a_contract_names_what_breaks_it(given, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        INPUTS.read(given)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "r: got no rows; expected at least one"),
        ([{"id": "a"}], "r[0]: got no field 'n'; expected id, n"),
        (["a"], "r[0]: got str; expected a row with id, n"),
        ({"id": ["a"]}, "r: got no field 'n' among id; expected id, n"),
        ({"id": [1], "n": [1, 2]}, "r: got columns of lengths {'id': 1, 'n': 2}; expected one le"),
        ({"id": [], "n": []}, "r: got no rows; expected at least one"),
    ],
)
def test_bad_rows_are_refused(rows, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read_columns("r", rows, ("id", "n"))


def test_unequal_lengths_and_unknown_options_are_refused():
    message = "gper: got 2 predictions but 1 references; expected equal numbers, they are paired"
    with pytest.raises(ValueError, match=f"{message} by position"):
        check_lengths("gper", predictions=[1, 2], references=[3])
    with pytest.raises(ValueError, match="gper: got no items; expected at least one"):
        check_lengths("gper", predictions=[], references=[])
    message = "gper: scale, got 'odds'; expected 'probability' or 'logit'"
    with pytest.raises(ValueError, match=message):
        check_option("gper", "scale", "odds", ["probability", "logit"])
