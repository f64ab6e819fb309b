"""Reads gold clauses: the authors' CoNLL and TSV in any layout or language, and our CoNLL-U.

A file comes in, columns go out, with final names of orders and properties and 0-based token
indices. A clause has exactly one `nsubj`, one `obj` and one main verb (HEAD 0), to which both are
attached; all else may be unlabelled (head None, deprel `_`).

Source: Fischer et al. (2020), appendix A.
"""

from pathlib import Path

from builders.sorts.columns import Columns
from metrics._shared.treebanks import Treebank, read_bytes
from metrics.subject_object_las.inputs import (
    ARGUMENTS,
    final_labels,
    gold_arrays,
    gold_ids,
    scheme_of_names,
)


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
    """Columns of gold clauses in the authors' sentence format, of a file of known checksum.

    Returns:
        `word_order`, `properties`, `subject_position`, `object_position` (1-based), `sentence`.
    """
    text = read_bytes(Path(path)).decode().replace("\r\n", "\n").removesuffix("\n")
    _, *rows = (line.split("\t") for line in text.split("\n"))
    order, tags, subject, object_, sentence = map(list, zip(*rows, strict=True))
    scheme = scheme or scheme_of_names(str(path), order, tags)
    orders, names = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    return {
        "word_order": [orders[one] for one in order],
        "properties": [[names[tag] for tag in of_clause.split("-")] for of_clause in tags],
        "subject_position": list(map(int, subject)),
        "object_position": list(map(int, object_)),
        "sentence": sentence,
    }
