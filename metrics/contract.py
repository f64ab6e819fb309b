"""The inputs of a metric, declared once: what `compute`, `add`, `add_batch` and the page check by.

A metric's `inputs.py` holds one record::

    INPUTS = Inputs(
        "gper",
        {
            "predictions": Values("number", "P(positive)", depth=1, widths=(2, 4)),
            "references": Rows({"paradigm_id": Values("whole", "paradigm", low=1, high=39)}),
        },
    )

`INPUTS.read(given)` is the first thing that `score` does; `INPUTS.features()` are the columns in
which evaluate keeps added batches, which lose nothing of what `read` returns. So whole columns and
batches are refused and scored alike.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .columns import check_lengths, column_names, field_names, read_columns, to_list
from .values import Values, is_blank, read_values

Adapt = Callable[[str, Any], Any]
TYPES = {"number": "float64", "whole": "int64"}


@dataclass(frozen=True)
class Column:
    """Rule for values that may come in another form, which `adapt(where, given)` turns into it."""

    values: Values
    adapt: Adapt

    def read(self, where: str, given: Any) -> Any:
        """A column by its rule, see `values.read_values`."""
        return read_values(where, self.adapt(where, given), self.values)


@dataclass(frozen=True)
class Nested:
    """Rule for a field that holds records.

    Attributes:
        read: Returns a list of records, or None, for each row; raises a ValueError.
        fields: Kinds of the single values by name, as deep as the records are; all are texts.
        help: What a record is, a phrase.
        is_optional: Whether the field may be missing, or None in all rows.
    """

    read: Adapt
    fields: Mapping[str, Any]
    help: str = ""
    is_optional: bool = False


@dataclass(frozen=True)
class Rows:
    """Rule for a column of rows: a rule for each field; further fields are ignored.

    Attributes:
        fields: The fields that are read.
        adapt: Turns another form of the column into rows, such as ids alone; None for none.
    """

    fields: Mapping[str, Values | Nested]
    adapt: Adapt | None = None

    def read(self, where: str, given: Any) -> dict[str, Any]:
        """One column per field, without the optional ones that hold nothing."""
        rows = self.adapt(where, given) if self.adapt else given
        columns = self._columns(where, rows)
        found = {
            name: _read(f"{where}: {name}", self.fields[name], column)
            for name, column in columns.items()
            if not (self.fields[name].is_optional and _is_blank(column, self.fields[name]))
        }
        if not found:
            raise ValueError(f"{where}: got no value; expected {' or '.join(self.fields)}")
        return found

    def _columns(self, where: str, rows: Any) -> dict[str, Any]:
        required = [name for name, rule in self.fields.items() if not rule.is_optional]
        if column_names(rows) is not None:
            has = set(field_names(rows))
            names = [name for name in self.fields if name in required or name in has]
            return read_columns(where, rows, names)
        rows = to_list(rows, where)
        columns = read_columns(where, rows, required)
        others = [name for name in self.fields if name not in required]
        return columns | {name: [row.get(name) for row in rows] for name in others}


Rule = Values | Column | Rows


@dataclass(frozen=True)
class Inputs:
    """All input columns of a metric.

    Attributes:
        metric: Its name, with which every message begins.
        columns: Rule of each column.
    """

    metric: str
    columns: Mapping[str, Rule]

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Columns as `values.read_values` returns them; rows as one such column per field.

        An optional column that is not given is None.

        Raises:
            ValueError: A column is missing, breaks its rule, has no items, or they differ in
                length; the message begins with the metric's name.
        """
        self.check_names(given)
        found = {name: self.read_column(name, given.get(name)) for name in self.columns}
        sized = {name: _first(column) for name, column in found.items() if column is not None}
        check_lengths(self.metric, **sized)
        return found

    def read_column(self, name: str, given: Any, shown: str = "") -> Any:
        """One of the columns, as `read` reads it; messages name it `shown`."""
        rule = self.columns[name]
        given = list(given) if hasattr(given, "__next__") else given
        if given is None or (_is_optional(rule) and is_blank(to_list(given, name))):
            if _is_optional(rule):
                return None
            raise ValueError(
                f"{self.metric}: inputs, got none for {name}; expected {', '.join(self.columns)}"
            )
        return _read(f"{self.metric}: {shown or name}", rule, given)

    def check_names(self, given: Mapping[str, Any]) -> None:
        """Raises a ValueError where a column is given that the metric does not have."""
        if unknown := [name for name, column in given.items() if name not in self.columns]:
            raise ValueError(
                f"{self.metric}: inputs, got {unknown[0]!r}; expected {', '.join(self.columns)}"
            )

    def stored(self, read: Mapping[str, Any]) -> dict[str, list[Any]]:
        """What `read` returned as plain rows of `features()`, in which a batch is kept."""
        n = next(len(_first(column)) for column in read.values() if column is not None)
        return {name: _stored(self.columns[name], read[name], n) for name in self.columns}

    def features(self) -> Any:
        """The columns as `datasets.Features`; texts are large, since those may be None."""
        import datasets  # brought by evaluate, whose modules alone ask for this

        return datasets.Features({name: _feature(rule) for name, rule in self.columns.items()})


def _read(where: str, rule: Rule | Nested, given: Any) -> Any:
    if isinstance(rule, Values):
        return read_values(where, given, rule)
    return rule.read(where, given)


def _is_blank(column: Any, rule: Values | Nested) -> bool:
    """Whether a field holds nothing; batches keep a list of no records where there are none."""
    if isinstance(rule, Nested):
        return all(value is None or (isinstance(value, list) and not value) for value in column)
    return is_blank(column)


def _is_optional(rule: Rule) -> bool:
    return isinstance(rule, Values) and rule.is_optional


def _first(column: Any) -> Any:
    """A column, or one of those that rows consist of."""
    return next(iter(column.values())) if isinstance(column, dict) else column


def _stored(rule: Rule, column: Any, n: int) -> list[Any]:
    if column is None:
        return [None] * n
    if not isinstance(rule, Rows):
        return _plain(column)
    fields = {name: _plain(column[name]) for name in rule.fields if name in column}
    columns = [
        fields.get(name, [[] if isinstance(field, Nested) else None] * n)
        for name, field in rule.fields.items()
    ]
    return [dict(zip(rule.fields, row, strict=True)) for row in zip(*columns, strict=True)]


def _plain(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)


def _feature(rule: Rule | Nested) -> Any:
    import datasets

    if isinstance(rule, Rows):
        return {name: _feature(field) for name, field in rule.fields.items()}
    if isinstance(rule, Nested):
        return datasets.List(_texts(rule.fields))
    values = rule.values if isinstance(rule, Column) else rule
    feature: Any = datasets.Value(TYPES.get(values.kind, "large_string"))
    for _ in range(values.depth):
        feature = datasets.List(feature)
    return feature


def _texts(fields: Mapping[str, Any]) -> dict[str, Any]:
    import datasets

    return {
        name: _texts(below) if isinstance(below, Mapping) else datasets.Value("large_string")
        for name, below in fields.items()
    }
