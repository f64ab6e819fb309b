"""What a parser made of each subject and object: right head, right label, or the other's label."""

from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..alignment import Alignment, align
from ..annotation import (
    ANNOTATION_SCHEMES,
    AnnotationScheme,
    merged_relation,
    reattach,
    relation,
)
from ..columns import BoolArray, IntArray
from ..labels import check_labels
from ..trees import Trees, check_parsed
from .clauses import Clauses
from .options import Options


class ReadRelation(Protocol):
    """A reading of a parser's label, such as `relation`."""

    def __call__(self, label: str, scheme: AnnotationScheme, *, with_subtypes: bool) -> str:
        """Relation that a label means."""


ROLES = ("subject", "object")


class Arguments(NamedTuple):
    """What a parser made of n subjects (column 0) and objects (column 1): arrays of shape (n, 2).

    Attributes:
        is_head_right: The word hangs on the gold head.
        is_label_right: It has the gold label.
        is_merged_label_right: It has it where `obj`, `iobj` and `obl:arg` count as one.
        has_other_label: It has the gold label of the clause's other argument.
        has_other_merged_label: It has that label where objects are merged.
    """

    is_head_right: BoolArray
    is_label_right: BoolArray
    is_merged_label_right: BoolArray
    has_other_label: BoolArray
    has_other_merged_label: BoolArray


def compare_arguments(clauses: Clauses, predicted: Trees, options: Options) -> Arguments:
    """Compares head and label of each subject and object with the gold ones.

    Raises:
        ValueError: Tokens differ where they must not, a scored word has no predicted head, or
            labels are of another scheme.
    """
    gold = clauses.trees
    alignment = align(gold, predicted, options.alignment)
    words = gold.offsets[:-1, None] + np.stack([clauses.subjects, clauses.objects], axis=1)
    standing = alignment.representatives[words]
    check_parsed(predicted, standing, ROLES)
    scored = predicted.deprels.take(pa.array(standing.reshape(-1)))
    check_labels(predicted.where, options.scheme, pc.unique(scored).to_pylist())
    heads = predicted_heads(gold, predicted, alignment, ANNOTATION_SCHEMES[options.scheme])[
        standing
    ]
    gold_pieces = alignment.gold_pieces[gold.head_positions[words]]
    is_apart = _is_apart(alignment.gold_pieces[words], gold_pieces)
    is_head_right = (heads >= 0) & (alignment.predicted_pieces[heads] == gold_pieces) & is_apart
    return Arguments(
        is_head_right, *_compare_labels(gold, predicted, words, standing, is_apart, options)
    )


def predicted_heads(
    gold: Trees, predicted: Trees, alignment: Alignment, scheme: AnnotationScheme
) -> IntArray:
    """Predicted heads as positions.

    Arguments of an auxiliary are moved to its infinitive where the scheme attaches them there.
    """
    heads = predicted.head_positions
    if not scheme.clause_complement:
        return heads
    tokens = predicted.tokens
    if tokens is None:
        if gold.tokens is None:
            raise ValueError(
                f"{predicted.where}: got no tokens; expected tokens, to tell the auxiliary of a "
                f"tree of this scheme"
            )
        tokens = gold.tokens.take(pa.array(alignment.predicted_pieces))
    is_auxiliary = pc.is_in(pc.utf8_lower(tokens), pa.array(sorted(scheme.auxiliaries))).to_numpy(
        zero_copy_only=False
    )
    is_complement = pc.equal(predicted.deprels, scheme.clause_complement).to_numpy(
        zero_copy_only=False
    )
    return reattach(heads, is_complement, is_auxiliary)


def equal_labels(gold: Trees, predicted: Trees, *, subtypes: bool) -> BoolArray:
    """Whether each word's label is right, shape (t,); both are UD trees over the same tokens."""
    labels = _labels(gold, predicted)
    words = np.arange(len(gold.heads))
    is_equal = _equality(relation, labels, Options(subtypes=subtypes))
    right: BoolArray = is_equal[
        _label_indices(gold, words, labels), _label_indices(predicted, words, labels)
    ]
    return right


def _compare_labels(
    gold: Trees,
    predicted: Trees,
    words: IntArray,
    standing: IntArray,
    is_apart: BoolArray,
    options: Options,
) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    labels = _labels(gold, predicted)
    own, found = _label_indices(gold, words, labels), _label_indices(predicted, standing, labels)
    strict, merged = (_equality(read, labels, options) for read in (relation, merged_relation))
    other = own[:, ::-1]
    return (
        strict[own, found] & is_apart,
        merged[own, found] & is_apart,
        strict[other, found] & is_apart,
        merged[other, found] & is_apart,
    )


def _labels(gold: Trees, predicted: Trees) -> list[str]:
    return list(
        dict.fromkeys(
            pc.unique(gold.deprels).to_pylist() + pc.unique(predicted.deprels).to_pylist()
        )
    )


def _label_indices(trees: Trees, words: IntArray, labels: list[str]) -> IntArray:
    """Index in `labels` of the label of each word, in the shape of `words`."""
    found = trees.deprels.take(pa.array(words.reshape(-1)))
    indices: IntArray = pc.index_in(found, pa.array(labels)).to_numpy().astype(np.int64)
    return indices.reshape(words.shape)


def _equality(read: ReadRelation, labels: list[str], options: Options) -> BoolArray:
    """Whether a gold label (row) and a predicted label (column) mean the same relation."""
    gold = np.array(
        [
            read(label, ANNOTATION_SCHEMES["ud"], with_subtypes=bool(options.subtypes))
            for label in labels
        ]
    )
    found = np.array(
        [
            read(label, ANNOTATION_SCHEMES[options.scheme], with_subtypes=bool(options.subtypes))
            for label in labels
        ]
    )
    is_equal: BoolArray = gold[:, None] == found
    return is_equal


def _is_apart(words: IntArray, heads: IntArray) -> BoolArray:
    """Whether subject, object and main verb of each clause are in three pieces; shape (n, 1)."""
    is_apart: BoolArray = (words[:, :1] != words[:, 1:]) & (words != heads).all(
        axis=1, keepdims=True
    )
    return is_apart
