"""What is given in the place of columns: a table, files or folders of scores, or their rows."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .harness import ResultRow
from .inputs import METRIC
from .roles import Roles, read_data
from .score_files import read_files


@dataclass(frozen=True)
class ReadScores:
    """Scores of a table or of files.

    Attributes:
        inputs: Columns of the metric.
        roles: What was read as what.
        n_blank: Cells without a score, which are left out.
        is_lower_better: Whether result files say that a lower score is a better one.
        note: Which score was chosen of result files, a sentence; empty where none was.
    """

    inputs: Mapping[str, Any]
    roles: Roles
    n_blank: int
    is_lower_better: bool
    note: str

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options by the caller; the direction by the files where these know it."""
        return {**given, "higher_is_better": False} if self.is_lower_better else {**given}

    def fields(self) -> dict[str, Any]:
        """What a result says of how it was read."""
        return {"columns": self.roles.fields(), "n_blank": self.n_blank, "note": self.note}


def read_source(
    data: Any, columns: Mapping[str, Any] | None, metric: str | None = None
) -> ReadScores:
    """Inputs of the metric from what a person has.

    Args:
        data: A DataFrame, Dataset, Arrow table, dict of columns or list of rows; or a file, a
            folder or a list of these: CSV, TSV, JSONL, JSON, Parquet, or result files of
            lm-evaluation-harness and every_eval_ever, for which a folder stands.
        columns: Columns by role where the guess is not wanted.
        metric: The score to be taken from result files, as `acc` or `acc,none`; None for each
            task's first.

    Raises:
        ValueError: A file or the table cannot be read, or files disagree on whether a lower score
            is a better one.
    """
    paths = paths_of(data)
    rows = read_files(paths, metric) if paths else data
    results = [row for row in rows if isinstance(row, ResultRow)] if isinstance(rows, list) else []
    if metric is not None and not results:
        raise ValueError(
            f"{METRIC}: metric, got {metric!r} for a table; expected result files of a harness:"
            " name a column by columns={'score': ...}"
        )
    directions = {row["lower"] for row in results}
    if len(directions) > 1:
        raise ValueError(
            f"{METRIC}: scores, got some of which a lower one is better; expected one kind: name it"
            " by `metric`"
        )
    chosen = sorted({str(row["metric"]) for row in results})
    if results:
        rows = [row.shown() if isinstance(row, ResultRow) else row for row in rows]
    note = f"Score: {', '.join(chosen)}." if chosen else ""
    return ReadScores(*read_data(rows, columns), directions == {True}, note)


def paths_of(data: Any) -> list[Path]:
    """Files and folders where these are given; empty for a table."""
    if isinstance(data, str | os.PathLike):
        return [Path(data)]
    is_list = isinstance(data, list | tuple) and bool(data)
    if is_list and all(isinstance(path, str | os.PathLike) for path in data):
        return [Path(path) for path in data]
    return []
