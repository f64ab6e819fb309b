"""Inputs drawn for any metric: those of its docstring's examples, changed, broken and wrapped. A
case is what a person might pass: rows left out or doubled, values replaced by others of their kind
or by what no metric takes, fields dropped, columns in any container, options of any value."""

import contextlib
import copy
import datetime
import decimal
import doctest
import functools
import importlib
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import datasets
import evaluate
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pyarrow as pa

JUNK: list[Any] = [
    *(None, True, False, 0, 1, -1, 2.5, 1e308, -1e308, 1e-320, 2**70, 10**400, 40),
    *(float("nan"), float("inf"), 1j, b"b", "", " ", "1", "0.5", "nan", "\ud800", "a\r", "\x00"),
    *("e\u0301", "\u00e9", "SB", "dobj", "NSUBJ"),
    *([], [[]], [None], ["a"], [1, 2], (), {}, {"a": 1}),
    *({1, 2}, frozenset("ab"), range(2), object, decimal.Decimal("0.5"), decimal.Decimal("NaN")),
    *(datetime.date(2020, 1, 1), np.datetime64("2020"), np.timedelta64(1, "s"), np.bool_(True)),
    *(np.int64(3), np.float32(0.5), np.nan, np.array([1, 2]), np.array(["a"]), np.array(1)),
    *(pd.NA, pd.NaT, pd.Series(["a"]), np.ma.masked, np.ma.masked_greater([1, 9], 5)),
    *(pa.scalar(3), pa.scalar("a"), np.str_("a"), bytearray(b"a"), lambda: None),
]
CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "generator": iter,
    "array": np.array,
    "objects": lambda column: np.array(column, dtype=object),
    "series": pd.Series,
    "arrow": pa.array,
    "chunked": lambda column: pa.chunked_array([pa.array(column)]),
    "masked": np.ma.array,
    "set": set,
    "dict": lambda column: dict(enumerate(column)),
    "text": str,
    "one": lambda column: column[0],
    "frame": pd.DataFrame,
    "table": pa.Table.from_pylist,
    "columns": lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
    "data set": datasets.Dataset.from_list,
    "bytes": lambda column: repr(column).encode(),
    "nothing": lambda column: None,
}


class Case(NamedTuple):
    """Columns as lists, the container of one of them, and options."""

    columns: dict[str, list[Any]]
    contained: str
    container: str
    options: dict[str, Any]

    def inputs(self) -> dict[str, Any]:
        """The columns as they are passed; new ones on every call."""
        columns = copy.deepcopy(self.columns)
        if self.container:
            columns[self.contained] = CONTAINERS[self.container](columns[self.contained])
        return columns

    def batches(self) -> Iterator[dict[str, Any]]:
        """The same in two parts where every column is a list of the same length, else in one."""
        sizes = {len(column) for column in self.columns.values()}
        inputs = self.inputs()
        if self.container or len(sizes) != 1 or sizes == {1} or sizes == {0}:
            yield inputs
            return
        half = sizes.pop() // 2
        yield {name: column[:half] for name, column in inputs.items()}
        yield {name: column[half:] for name, column in inputs.items()}


def metric_class(name: str) -> type[Any]:
    """The evaluate module of a metric."""
    module = importlib.import_module(f"metrics.{name}.{name}")
    found = [value for value in vars(module).values() if isinstance(value, type)]
    return next(value for value in found if value.__module__ == module.__name__)


@functools.cache
def examples(name: str) -> list[tuple[dict[str, list[Any]], dict[str, Any]]]:
    """Columns and options of every computation in a metric's docstring."""
    calls: list[dict[str, Any]] = []

    def load(*_: Any, **__: Any) -> Any:
        metric = metric_class(name)(keep_in_memory=True)
        score = metric._compute
        metric._compute = lambda **given: calls.append(given) or score(**given)
        return metric

    usual, evaluate.load = evaluate.load, load
    try:
        text = metric_class(name)().inputs_description
        test = doctest.DocTestParser().get_doctest(text, {"evaluate": evaluate}, name, None, 0)
        with contextlib.redirect_stdout(io.StringIO()):
            doctest.DocTestRunner(verbose=False).run(test)
    finally:
        evaluate.load = usual
    names = metric_class(name)()._feature_names()
    columns = [{k: list(given[k]) for k in names if given.get(k) is not None} for given in calls]
    options = [{k: value for k, value in given.items() if k not in names} for given in calls]
    return list(zip(columns, options, strict=True))


@st.composite
def cases(draw: st.DrawFn, name: str) -> Case:
    """A changed example of a metric."""
    columns, options = copy.deepcopy(draw(st.sampled_from(examples(name))))
    n = min(map(len, columns.values()))
    if draw(st.booleans()):
        places = draw(st.lists(st.integers(0, n - 1), min_size=0, max_size=6))
        columns = {key: [copy.deepcopy(c[i]) for i in places] for key, c in columns.items()}
    for change in draw(st.lists(st.sampled_from([_replace, _break, _drop, _shorten]), max_size=3)):
        change(draw, columns)
    contained, container = "", ""
    if draw(st.integers(0, 3)) == 0:
        contained = draw(st.sampled_from(sorted(columns)))
        container = draw(st.sampled_from(sorted(CONTAINERS)))
    if draw(st.integers(0, 3)) == 0:
        options = {**options, **draw(_options(name))}
    case = Case(columns, contained, container, {**quick_options(name), **options})
    return case if can_be_made(case) else case._replace(contained="", container="")


def can_be_made(case: Case) -> bool:
    try:
        case.inputs()
    except Exception:  # the container does not hold such values; that is not the metric's affair
        return False
    return True


def quick_options(name: str) -> dict[str, Any]:
    """Options without which a case takes long."""
    rules = importlib.import_module(f"metrics.{name}.options").Options.rules()
    return {"n_resamples": 100} if "n_resamples" in rules else {}


@st.composite
def _options(draw: st.DrawFn, name: str) -> dict[str, Any]:
    rules = importlib.import_module(f"metrics.{name}.options").Options.rules()
    option = draw(st.sampled_from([*sorted(rules), "confidance"]))
    slow = ("n_resamples", "scorer", "compare_with", "embedder", "pipeline")
    choices = list(rules[option].choices) if option in rules and option not in slow else []
    return {option: copy.deepcopy(draw(st.sampled_from([*choices, *JUNK])))}


def _nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Path of every value below a list or a dict."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in keys if isinstance(value, dict | list) else ():
        yield (*path, key)
        yield from _nodes(value[key], (*path, key)) if isinstance(value[key], dict | list) else ()


def _at(columns: Any, path: tuple[Any, ...]) -> Any:
    return functools.reduce(lambda value, key: value[key], path, columns)


def _some_place(draw: st.DrawFn, columns: dict[str, list[Any]]) -> tuple[Any, ...] | None:
    places = [path for path in _nodes(columns) if len(path) > 1]
    return draw(st.sampled_from(places)) if places else None


def _replace(draw: st.DrawFn, columns: dict[str, list[Any]]) -> None:
    """A value becomes another one of its kind."""
    path = _some_place(draw, columns)
    if path is None:
        return
    value, holder = _at(columns, path), _at(columns, path[:-1])
    if isinstance(value, float):
        holder[path[-1]] = draw(st.floats(-0.2, 1.2) | st.floats())
    elif isinstance(value, int):
        holder[path[-1]] = draw(st.integers(-1, 41))
    elif isinstance(value, str):
        texts = sorted({t for p in _nodes(columns) if isinstance(t := _at(columns, p), str)})
        holder[path[-1]] = draw(st.sampled_from(texts) | st.text(max_size=3))


def _break(draw: st.DrawFn, columns: dict[str, list[Any]]) -> None:
    """A value becomes something that may be of any kind."""
    path = _some_place(draw, columns)
    if path is not None:
        _at(columns, path[:-1])[path[-1]] = copy.deepcopy(draw(st.sampled_from(JUNK)))


def _drop(draw: st.DrawFn, columns: dict[str, list[Any]]) -> None:
    """A value, or a field, is left out."""
    path = _some_place(draw, columns)
    if path is not None:
        del _at(columns, path[:-1])[path[-1]]


def _shorten(draw: st.DrawFn, columns: dict[str, list[Any]]) -> None:
    """A column loses its last item."""
    columns[draw(st.sampled_from(sorted(columns)))][-1:] = []
