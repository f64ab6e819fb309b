"""What subject-object LAS takes: a tree and a row of `sorts` for each clause, or CoNLL files."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..contract import Inputs, Rows
from ..trees import LONGEST, TREE, as_tables
from ..values import Values
from .conll import ConllError, read_conll
from .gold import read_gold

METRIC = "subject_object_las"
GROUPS = {
    name: Values("name", what, is_optional=True, has_none=True)
    for name, what in {
        "word_order": "the clause's order",
        "item_id": "its item",
        "triple_id": "its base triple",
        "resolved_by": "what settles which phrase is the subject",
    }.items()
}


def read_files(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of both inputs, read from CoNLL files where paths are given."""
    readers = {"predictions": lambda path: read_conll(path).trees(), "references": read_gold}
    return {
        name: _read_file(name, given, readers[name]) if isinstance(given, str | Path) else given
        for name, given in inputs.items()
    }


def _read_file(name: str, path: str | Path, read: Callable[[str | Path], Any]) -> Any:
    """A file's columns; a text that is no file's path may be rows that were turned into one."""
    try:
        return read(path)
    except ConllError as error:
        raise ConllError(f"{METRIC}: {error}") from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        got = f"got {str(path)[:80]!r}: {getattr(error, 'strerror', None) or error}"
        raise ConllError(
            f"{METRIC}: {name}, {got}; expected rows, or a CoNLL file's path"
        ) from None


INPUTS = Inputs(
    METRIC,
    {
        "predictions": Rows(TREE, as_tables),
        "references": Rows(
            {
                **TREE,
                "subject": Values("whole", "0-based word", low=0, high=LONGEST),
                "object": Values("whole", "0-based word", low=0, high=LONGEST),
                "id": Values("name", "id of the clause", is_optional=True),
                "properties": Values("text", "tags", depth=1, is_optional=True, keeps_arrow=True),
                **GROUPS,
            },
            as_tables,
        ),
    },
)
