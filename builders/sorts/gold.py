"""Reads gold clauses: the authors' CoNLL and TSV in any layout or language, and our CoNLL-U.

A file comes in, columns go out, with final names of orders and properties and 0-based token
indices. A clause has exactly one `nsubj`, one `obj` and one main verb (HEAD 0), to which both are
attached; all else may be unlabelled (head None, deprel `_`).

Source: Fischer et al. (2020), appendix A.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from builders.sorts.labels import detect_scheme, final_labels
from builders.sorts.writers import identifier
from ground.tables import DataFileError
from metrics.columns import IntArray
from metrics.subject_object_las.conll import (
    UNLABELLED,
    ConllError,
    Treebank,
    read_bytes,
    read_conll,
)

Columns = dict[str, list[Any]]
TSV_HEADER = ("Word Order", "Other Properties", "Subject Position", "Object Position", "Sentence")
ORDER_AND_PROPERTIES = re.compile(r"(?:^|\|)order[:=]([^|]+)\|props[:=]([^|]+)")
N_ARGUMENTS = 3  # subject, object and main verb are labelled in the paper's CoNLL
ARGUMENTS = ("subject", "verb", "object")
COMMENTS = (
    "id",
    "item_id",
    "base_item_id",
    "triple_id",
    "resolved_by",
)  # of this project's CoNLL-U; the first is `sent_id` there


def read_gold_conll(path: str | Path, scheme: str | None = None) -> Columns:
    """Reads gold clauses from a CoNLL file.

    Args:
        path: A file in the authors' layout (order and properties in column 6) or CoNLL-U with
            comments `word_order` and `properties`.
        scheme: How the file names orders and properties; by default told from the names.

    Returns:
        `word_order`, `properties`, `tokens`, `heads`, `deprels`, `subject`, `verb`, `object`, and
        the ids that the comments give.

    Raises:
        DataFileError: The file breaks its format, an order or property is unknown, or a clause
            lacks a subject, object or verb.
    """
    try:
        return gold_columns(read_conll(path), scheme)
    except ConllError as error:
        raise DataFileError(str(error)) from error


def gold_columns(treebank: Treebank, scheme: str | None = None) -> Columns:
    """Columns, as lists, of gold clauses that were read already; see `read_gold_conll`."""
    columns = {
        name: column.tolist() if name in ARGUMENTS else column.to_pylist()
        for name, column in gold_arrays(treebank, scheme).items()
    }
    ids = {name: treebank.comments("sent_id" if name == "id" else name) for name in COMMENTS}
    ids["id"] = [None if value is None else identifier(value) for value in ids["id"]]
    return columns | {name: values for name, values in ids.items() if None not in values}


def gold_arrays(treebank: Treebank, scheme: str | None = None) -> dict[str, Any]:
    """The same columns but ids, as arrays of Arrow and numpy.

    Many times faster than lists, and enough for the metric.
    """
    names = _word_orders_and_properties(treebank)
    scheme = scheme or _scheme(treebank.path, *names.distinct)
    orders, tags = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    for code, (order, properties) in enumerate(names.pairs):
        if order not in orders or not tags.keys() >= set(properties.split("-")):
            place = _place(treebank, int(np.argmax(names.codes == code)))
            _check_known(place, "word order", [order], orders)
            _check_known(place, "property", properties.split("-"), tags)
    codes = pa.array(names.codes)
    final_orders = pa.array([orders[order] for order, _ in names.pairs])
    final_tags = pa.array(
        [[tags[tag] for tag in properties.split("-")] for _, properties in names.pairs]
    )
    columns = {"word_order": final_orders.take(codes), "properties": final_tags.take(codes)}
    return columns | treebank.trees() | dict(zip(ARGUMENTS, _arguments(treebank), strict=True))


def read_gold_tsv(path: str | Path, scheme: str | None = None) -> Columns:
    """Reads gold clauses from the authors' sentence format.

    Args:
        path: A TSV file with LF or CRLF line ends.
        scheme: How the file names orders and properties; by default told from the names.

    Returns:
        `word_order`, `properties`, `subject_position`, `object_position` (1-based), `sentence`.

    Raises:
        DataFileError: The header, a cell or a name is not as it should be; the message names file
            and line.
    """
    lines = _tsv_lines(Path(path))
    cells = [_tsv_cells(path, number, line) for number, line in enumerate(lines[1:], 2)]
    tags = [row[1].split("-") for row in cells]
    scheme = scheme or _scheme(str(path), [row[0] for row in cells], [row[1] for row in cells])
    orders, names = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    for number, (row, row_tags) in enumerate(zip(cells, tags, strict=True), 2):
        _check_known(f"{path}:{number}", "word order", [row[0]], orders)
        _check_known(f"{path}:{number}", "property", row_tags, names)
    return {
        "word_order": [orders[row[0]] for row in cells],
        "properties": [[names[tag] for tag in row_tags] for row_tags in tags],
        "subject_position": [int(row[2]) for row in cells],
        "object_position": [int(row[3]) for row in cells],
        "sentence": [row[4] for row in cells],
    }


class _Names(NamedTuple):
    """Order and properties of each clause as an index into `pairs`, by first occurrence."""

    codes: IntArray
    pairs: list[tuple[str, str]]

    @property
    def distinct(self) -> tuple[list[str], list[str]]:
        return [order for order, _ in self.pairs], [properties for _, properties in self.pairs]


def _word_orders_and_properties(treebank: Treebank) -> _Names:
    orders, properties = treebank.comments("word_order"), treebank.comments("properties")
    if None not in orders and None not in properties:
        features = pa.array(
            [f"order={order}|props={tags}" for order, tags in zip(orders, properties, strict=True)]
        )
    else:
        if (word := treebank.first_change("feats")) is not None:
            raise treebank.error(
                word,
                "FEATS, got another value than on the first token",
                "the same order and properties on every token",
            )
        features = treebank.strings("feats", treebank.offsets[:-1])
    encoded = features.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    pairs = []
    for code, feature in enumerate(encoded.dictionary.to_pylist()):
        match = ORDER_AND_PROPERTIES.search(feature)
        if match is None:
            word = int(treebank.offsets[np.argmax(codes == code)])
            raise treebank.error(
                word,
                f"FEATS, got {feature!r}",
                "order:...|props:..., or comments word_order and properties",
            )
        pairs.append((match[1], match[2]))
    return _Names(codes, pairs)


def _scheme(path: str, orders: list[str], properties: list[str]) -> str:
    # told from the names that are known; an unknown one is reported later, with its line
    known = [
        set().union(*(final_labels(s, kind) for s in ("final", "paper", "dutch")))
        for kind in ("word_order", "property")
    ]
    tags = {tag for tags in set(properties) for tag in tags.split("-")}
    try:
        return detect_scheme(set(orders) & known[0], tags & known[1])
    except ValueError as error:
        raise DataFileError(f"{path}: {error}") from error


def _place(treebank: Treebank, sentence: int) -> str:
    return f"{treebank.path}:{treebank.lines[treebank.offsets[sentence]]}"


def _check_known(place: str, what: str, names: list[str], known: dict[str, str]) -> None:
    for name in names:
        if name not in known:
            raise DataFileError(
                f"{place}: {what}, got {name!r}; expected one of {', '.join(known)}"
            )


def _arguments(treebank: Treebank) -> tuple[IntArray, IntArray, IntArray]:
    """Indices of subject, main verb and object within their sentence."""
    deprels = treebank.strings("deprel").dictionary_encode()
    labels, codes = deprels.dictionary.to_pylist(), deprels.indices.to_numpy()
    code = {label: i for i, label in enumerate(labels)}
    subjects = _only(treebank, codes == code.get("nsubj", -1), "words labelled nsubj")
    objects = _only(treebank, codes == code.get("obj", -1), "words labelled obj")
    verbs = _only(treebank, treebank.heads == 0, "words with HEAD 0")
    _check_labelled(treebank)
    for words in (subjects, objects):
        if len(bad := np.flatnonzero(treebank.heads[treebank.offsets[:-1] + words] != verbs + 1)):
            word = int(treebank.offsets[bad[0]] + words[bad[0]])
            raise treebank.error(
                word, f"HEAD, got {treebank.heads[word]}", f"{verbs[bad[0]] + 1}, the main verb"
            )
    return subjects, verbs, objects


def _check_labelled(treebank: Treebank) -> None:
    # a clause has a full tree, or labels on subject, object and main verb alone
    is_labelled = treebank.heads != UNLABELLED
    counts, lengths = (
        np.add.reduceat(is_labelled.astype(np.int64), treebank.offsets[:-1]),
        np.diff(treebank.offsets),
    )
    if len(bad := np.flatnonzero((counts != N_ARGUMENTS) & (counts != lengths))):
        first = int(treebank.offsets[bad[0]])
        raise treebank.error(
            first,
            f"sentence, got labels on {counts[bad[0]]} of {lengths[bad[0]]} words",
            "3 (subject, verb, object) or all",
        )


def _only(treebank: Treebank, is_one: Any, what: str) -> IntArray:
    counts = np.add.reduceat(is_one.astype(np.int64), treebank.offsets[:-1])
    if len(bad := np.flatnonzero(counts != 1)):
        raise treebank.error(
            int(treebank.offsets[bad[0]]), f"sentence, got {counts[bad[0]]} {what}", "exactly one"
        )
    return np.flatnonzero(is_one) - treebank.offsets[:-1]


def _tsv_lines(path: Path) -> list[str]:
    lines = _decode(path).removesuffix("\n").split("\n")
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


def _decode(path: Path) -> str:
    data = read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataFileError(
            f"{path}:{line}: encoding, got byte 0x{data[error.start]:02x}; expected UTF-8"
        ) from error


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
