"""Gold clauses of a CoNLL file, as the authors' edition reads them."""

from pathlib import Path

from builders.sorts.columns import Columns
from builders.sorts.released import gold_columns
from ground.tables import DataFileError
from metrics._shared.treebanks import ConllError, read_conll


def read_gold_conll(path: str | Path, scheme: str | None = None) -> Columns:
    """Columns of its clauses; a DataFileError where it breaks its format."""
    try:
        return gold_columns(read_conll(path), scheme)
    except ConllError as error:
        raise DataFileError(str(error)) from error
