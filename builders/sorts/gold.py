"""Reads gold clauses: the authors' CoNLL and TSV in any layout or language, and our CoNLL-U.

A file comes in, columns go out, with final names of orders and properties and 0-based token
indices. A clause has exactly one `nsubj`, one `obj` and one main verb (HEAD 0), to which both are
attached; all else may be unlabelled (head None, deprel `_`).

Source: Fischer et al. (2020), appendix A.
"""

from pathlib import Path

from builders.sorts.columns import Columns
from ground.tables import DataFileError
from metrics._shared.treebanks import ConllError, Treebank, read_bytes
from metrics.subject_object_las.inputs import (
    ARGUMENTS,
    check_known,
    final_labels,
    gold_arrays,
    gold_ids,
    scheme_of_names,
)

TSV_HEADER = ("Word Order", "Other Properties", "Subject Position", "Object Position", "Sentence")


def gold_columns(treebank: Treebank, scheme: str | None = None) -> Columns:
    """Columns, as lists, of gold clauses of a file in the authors' layout, or CoNLL-U.

    The layout has order and properties in column 6, CoNLL-U in comments; how they are named is by
    default told from the names.

    Returns:
        `word_order`, `properties`, `tokens`, `heads`, `deprels`, `subject`, `verb`, `object`, and
        the ids that the comments give.

    Raises:
        ConllError: An order or property is unknown, or a clause lacks a subject, object or verb.
    """
    columns = {
        name: column.tolist() if name in ARGUMENTS else column.to_pylist()
        for name, column in gold_arrays(treebank, scheme).items()
    }
    return columns | gold_ids(treebank)


def read_gold_tsv(path: str | Path, scheme: str | None = None) -> Columns:
    """Reads gold clauses from the authors' sentence format.

    Returns:
        `word_order`, `properties`, `subject_position`, `object_position` (1-based), `sentence`.

    Raises:
        DataFileError: The header, a cell or a name is not as it should be; the message names file
            and line.
    """
    lines = _tsv_lines(Path(path))
    cells = [_tsv_cells(path, number, line) for number, line in enumerate(lines[1:], 2)]
    tags = [row[1].split("-") for row in cells]
    scheme = scheme or scheme_of_names(
        str(path), [row[0] for row in cells], [row[1] for row in cells]
    )
    orders, names = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    try:
        for number, (row, row_tags) in enumerate(zip(cells, tags, strict=True), 2):
            check_known(f"{path}:{number}", "word order", [row[0]], orders)
            check_known(f"{path}:{number}", "property", row_tags, names)
    except ConllError as error:
        raise DataFileError(str(error)) from error
    return {
        "word_order": [orders[row[0]] for row in cells],
        "properties": [[names[tag] for tag in row_tags] for row_tags in tags],
        "subject_position": [int(row[2]) for row in cells],
        "object_position": [int(row[3]) for row in cells],
        "sentence": [row[4] for row in cells],
    }


def _tsv_lines(path: Path) -> list[str]:
    data = read_bytes(path)
    try:
        lines = data.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataFileError(
            f"{path}:{line}: encoding, got byte 0x{data[error.start]:02x}; expected UTF-8"
        ) from error
    has_carriage_return = [line.endswith("\r") for line in lines[:-1]]
    if len(set(has_carriage_return)) > 1:
        number = has_carriage_return.index(not has_carriage_return[0]) + 1
        raise DataFileError(
            f"{path}:{number}: line end, got another one than before; "
            "expected LF or CRLF on all lines"
        )
    lines = [line.removesuffix("\r") for line in lines]
    if tuple(lines[0].split("\t")) != TSV_HEADER:
        raise DataFileError(f"{path}:1: header, got {lines[0]!r}; expected {', '.join(TSV_HEADER)}")
    if len(lines) == 1:
        raise DataFileError(f"{path}: got no row; expected at least one sentence")
    return lines


def _tsv_cells(path: str | Path, number: int, line: str) -> list[str]:
    cells = line.split("\t")
    if len(cells) != len(TSV_HEADER):
        raise DataFileError(
            f"{path}:{number}: columns, got {len(cells)}; expected {len(TSV_HEADER)}"
        )
    n_tokens = len(cells[4].split(" "))
    for name, cell in zip(TSV_HEADER[2:4], cells[2:4], strict=True):
        if not cell.isascii() or not cell.isdigit() or not 1 <= int(cell) <= n_tokens:
            raise DataFileError(
                f"{path}:{number}: {name}, got {cell!r}; expected a position from 1 to {n_tokens}"
            )
    return cells
