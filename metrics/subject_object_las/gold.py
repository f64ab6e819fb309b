"""Gold clauses from CoNLL files: the authors' layout in any language, and CoNLL-U with comments.

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

from ..columns import IntArray
from .conll import UNLABELLED, ConllError, Treebank, read_conll
from .inventory import SVO
from .layouts import detect_scheme, final_labels

ORDER_AND_PROPERTIES = re.compile(r"(?:^|\|)order[:=]([^|]+)\|props[:=]([^|]+)")
N_ARGUMENTS = 3  # subject, object and main verb are labelled in the paper's CoNLL
ARGUMENTS = ("subject", "verb", "object")
# Comments of CoNLL-U that say what a clause belongs to; the first is `sent_id` there.
COMMENTS = ("id", "item_id", "base_item_id", "triple_id", "resolved_by")
SLASH = ":"  # for `/` in a `sent_id`, where UD reserves it


def read_gold(path: str | Path, scheme: str | None = None) -> dict[str, Any]:
    """References for the metric from a file of gold clauses.

    Args:
        path: A CoNLL file in the authors' layout (order and properties in column 6) or CoNLL-U with
            comments `word_order` and `properties`; gzipped if its name ends in `.gz`.
        scheme: How the file names orders and properties, "final", "paper", "renamed" or "dutch";
            told from the names if None.

    Returns:
        Columns `word_order`, `properties`, `tokens`, `heads`, `deprels`, `subject`, `verb`,
        `object`, the ids that the comments give, and `item_id` in any case: without comments a new
        item begins at every subject-verb-object clause, as in all files of the authors.

    Raises:
        ConllError: The file breaks its format, an order or property is unknown, or a clause lacks a
            subject, object or verb; the message names file and line.
    """
    treebank = read_conll(path)
    columns = gold_arrays(treebank, scheme) | gold_ids(treebank)
    if "item_id" not in columns:
        orders = columns["word_order"].to_pylist()
        columns["item_id"] = [str(n) for n in np.cumsum([order == SVO for order in orders])]
    return columns


def gold_ids(treebank: Treebank) -> dict[str, list[str]]:
    """What each clause belongs to by its comments, `COMMENTS` that all clauses have."""
    ids = {name: treebank.comments("sent_id" if name == "id" else name) for name in COMMENTS}
    ids["id"] = [value and value.replace(SLASH, "/") for value in ids["id"]]
    return {
        name: [str(value) for value in values] for name, values in ids.items() if None not in values
    }


def gold_arrays(treebank: Treebank, scheme: str | None = None) -> dict[str, Any]:
    """Columns of gold clauses but ids, as arrays of Arrow and numpy; see `read_gold`."""
    names = _word_orders_and_properties(treebank)
    scheme = scheme or scheme_of_names(treebank.path, *names.distinct)
    orders, tags = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    for code, (order, properties) in enumerate(names.pairs):
        if order not in orders or not tags.keys() >= set(properties.split("-")):
            place = _place(treebank, int(np.argmax(names.codes == code)))
            check_known(place, "word order", [order], orders)
            check_known(place, "property", properties.split("-"), tags)
    codes = pa.array(names.codes)
    final_orders = pa.array([orders[order] for order, _ in names.pairs])
    final_tags = pa.array(
        [[tags[tag] for tag in properties.split("-")] for _, properties in names.pairs]
    )
    columns = {"word_order": final_orders.take(codes), "properties": final_tags.take(codes)}
    return columns | treebank.trees() | dict(zip(ARGUMENTS, _arguments(treebank), strict=True))


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


def scheme_of_names(path: str, orders: list[str], properties: list[str]) -> str:
    """How a file names orders and properties, told from the names that are known.

    An unknown one is reported later, with its line.

    Raises:
        ConllError: The names are of no scheme, or of several that read them differently.
    """
    known = [
        set().union(*(final_labels(s, kind) for s in ("final", "paper", "dutch")))
        for kind in ("word_order", "property")
    ]
    tags = {tag for tags in set(properties) for tag in tags.split("-")}
    try:
        return detect_scheme(set(orders) & known[0], tags & known[1])
    except ValueError as error:
        raise ConllError(f"{path}: {error}") from error


def _place(treebank: Treebank, sentence: int) -> str:
    return f"{treebank.path}:{treebank.lines[treebank.offsets[sentence]]}"


def check_known(place: str, what: str, names: list[str], known: dict[str, str]) -> None:
    """Raises a ConllError that names the place of a name that is not known."""
    for name in names:
        if name not in known:
            raise ConllError(f"{place}: {what}, got {name!r}; expected one of {', '.join(known)}")


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
