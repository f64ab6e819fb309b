"""Ratings of rows by people: one layout for every suite, joined by `id`.

A file of ratings is CSV with a header or JSON Lines, UTF-8, and has the columns `id` (of a row of
any config of the suite), `rater` (a name or number, the same for all that one person rated),
`question` (what was asked, one word such as `acceptability`) and `value` (a number).

Source of agreement: Krippendorff (2019), Content Analysis, chapter 12, by the package krippendorff.
"""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from builders.columns import RATING_FIELDS
from ground.tables import read_json_lines, read_text

FIELDS = ("id", "rater", "question", "value")
Level = Literal["nominal", "ordinal", "interval"]
MEAN, COUNT = (field.name for field in RATING_FIELDS)


@dataclass(frozen=True)
class Rating:
    """What one person said of one row."""

    id: str
    rater: str
    question: str
    value: float


@dataclass(frozen=True)
class RaterAgreement:
    """Agreement of the raters on one question.

    `alpha` is Krippendorff's for interval data: 1 is perfect, 0 is chance, below 0 is systematic
    disagreement; nan where no row has two ratings or all values are equal.
    """

    question: str
    n_rows: int
    n_raters: int
    n_ratings: int
    mean: float
    alpha: float


def read_ratings(path: Path) -> list[Rating]:
    """Reads a file of ratings, `.jsonl` or CSV.

    A ValueError that names file and line where a column or value is missing, a value is no finite
    number, or somebody answers the same question about the same row twice.
    """
    is_json = path.suffix == ".jsonl"
    found: dict[tuple[str, str, str], Rating] = {}
    for line, record in read_json_lines(path) if is_json else _csv_lines(path):
        if is_json:
            _check_columns(f"{path}:{line}", record)
        rating = _rating(f"{path}:{line}", record)
        key = (rating.id, rating.rater, rating.question)
        if key in found:
            got = f"a second one of {rating.id} by {rating.rater} for {rating.question}"
            raise ValueError(f"{path}:{line}: rating, got {got}; expected one")
        found[key] = rating
    if not found:
        raise ValueError(f"{path}: ratings, got none; expected at least one")
    return list(found.values())


def of_question(ratings: Sequence[Rating], question: str | None) -> list[Rating]:
    """Ratings of one question, which may be left out where there is one only.

    A ValueError where nobody was asked this question, or none is named and there are several.
    """
    asked = sorted({rating.question for rating in ratings})
    if (len(asked) > 1 and question is None) or (question is not None and question not in asked):
        got = "none" if question is None else repr(question)
        raise ValueError(f"question, got {got}; expected one of {', '.join(asked)}")
    return [rating for rating in ratings if question in (None, rating.question)]


def fill_ratings(table: pa.Table, ratings: Sequence[Rating]) -> pa.Table:
    """Table with mean rating and number of raters of each row; null where nobody did."""
    if not {"id", MEAN, COUNT} <= set(table.column_names):
        return table
    values: dict[str, list[float]] = {}
    for rating in ratings:
        values.setdefault(rating.id, []).append(rating.value)
    rows = [values.get(row, []) for row in table["id"].to_pylist()]
    means = [math.fsum(row) / len(row) if row else None for row in rows]
    for name, column in ((MEAN, means), (COUNT, [len(row) or None for row in rows])):
        field = table.schema.field(name)
        place = table.column_names.index(name)
        table = table.set_column(place, field, pa.array(column, field.type))
    return table


def agreement(ratings: Sequence[Rating]) -> list[RaterAgreement]:
    """Agreement on every question, in their alphabetic order."""
    found = []
    for question in sorted({rating.question for rating in ratings}):
        own = [rating for rating in ratings if rating.question == question]
        n_rows, n_raters = len({r.id for r in own}), len({r.rater for r in own})
        mean = math.fsum(r.value for r in own) / len(own)
        alpha = krippendorff_alpha(own)
        found.append(RaterAgreement(question, n_rows, n_raters, len(own), mean, alpha))
    return found


def krippendorff_alpha(ratings: Sequence[Rating], level: Level = "interval") -> float:
    """Krippendorff's alpha of ratings of one question; nan where undefined.

    Of nominal data each value is a class, by any number.
    """
    import krippendorff
    import numpy as np

    rows = {row: i for i, row in enumerate(dict.fromkeys(r.id for r in ratings))}
    raters = {rater: i for i, rater in enumerate(dict.fromkeys(r.rater for r in ratings))}
    matrix = np.full((len(raters), len(rows)), np.nan)
    for rating in ratings:
        matrix[raters[rating.rater], rows[rating.id]] = rating.value
    paired = matrix[:, np.isfinite(matrix).sum(axis=0) > 1]
    if paired.size == 0 or np.nanmin(paired) == np.nanmax(paired):
        return math.nan
    return float(krippendorff.alpha(reliability_data=paired, level_of_measurement=level))


def _csv_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(read_text(path, "utf-8-sig"), newline=""))
    try:
        _check_columns(str(path), reader.fieldnames or ())
        for record in reader:
            yield reader.line_num, record
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num}: line, got {error}; expected CSV") from None


def _check_columns(where: str, names: Iterable[str]) -> None:
    if sorted(names) != sorted(FIELDS):
        got = " ".join(", ".join(map(str, names)).split()) or "none"
        raise ValueError(f"{where}: columns, got {got}; expected {', '.join(FIELDS)}")


def _rating(where: str, record: Mapping[str, Any]) -> Rating:
    texts = {name: str(record[name]).strip() for name in FIELDS if record.get(name) is not None}
    if missing := [name for name in FIELDS if not texts.get(name)]:
        raise ValueError(f"{where}: {missing[0]}, got nothing; expected a value")
    try:
        value = math.nan if isinstance(record["value"], bool) else float(texts["value"])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{where}: value, got {texts['value']!r}; expected a number")
    return Rating(texts["id"], texts["rater"], texts["question"], value)
