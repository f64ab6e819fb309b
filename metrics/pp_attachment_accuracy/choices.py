"""What a parser made of each phrase: which candidate it hangs it on, and by what label."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..alignment import Alignment, align
from ..annotation import ANNOTATION_SCHEMES, AnnotationScheme, relation
from ..columns import BoolArray, IntArray
from ..labels import check_labels
from ..trees import Trees, check_parsed
from .attachments import Attachments
from .options import Options

AUXILIARY = "aux"
OUTSIDE = -1


class Choices(NamedTuple):
    """What a parser made of n phrases; all arrays have shape (n,).

    Attributes:
        heads: The candidate on which the phrase hangs, 0-based; -1 for none of them.
        is_head_right: Whether that is the gold head.
        is_label_right: Whether the label is the gold one, subtypes aside.
        is_strict_label_right: Whether it is where `obl:arg` differs from `obl`.
    """

    heads: IntArray
    is_head_right: BoolArray
    is_label_right: BoolArray
    is_strict_label_right: BoolArray


def choices_of(gold: Attachments, predicted: Trees, options: Options) -> Choices:
    """Head and label of each phrase in a parser's trees.

    Raises:
        ValueError: Tokens differ where they must not, a phrase has no predicted head, or labels are
            of another scheme.
    """
    scheme = ANNOTATION_SCHEMES[options.scheme]
    alignment = align(gold.trees, predicted, options.alignment)
    firsts = gold.trees.offsets[:-1]
    role = "preposition" if scheme.phrases else "noun of the phrase"
    words = [p.adposition if scheme.phrases else p.pp for p in gold.phrases]
    standing = alignment.representatives[firsts + np.array(words)]
    check_parsed(predicted, standing[:, None], (role,))
    labels = predicted.deprels.take(pa.array(standing)).to_pylist()
    check_labels(predicted.where, options.scheme, set(labels))
    heads = _heads(gold, predicted, alignment, standing, scheme)
    own = gold.trees.deprels.take(pa.array(firsts + [p.pp for p in gold.phrases])).to_pylist()
    return Choices(
        heads,
        heads == gold.heads,
        _are_right(own, labels, scheme, with_subtypes=False),
        _are_right(own, labels, scheme, with_subtypes=True),
    )


def _heads(
    gold: Attachments,
    predicted: Trees,
    alignment: Alignment,
    standing: IntArray,
    scheme: AnnotationScheme,
) -> IntArray:
    """The candidate that each predicted head stands for, -1 for none."""
    positions = predicted.head_positions[standing]
    pieces = np.where(positions >= 0, alignment.predicted_pieces[positions], OUTSIDE).tolist()
    gold_pieces, firsts = alignment.gold_pieces.tolist(), gold.trees.offsets[:-1].tolist()
    # Der Mann wird mit dem Fernglas die Frau sehen: in TIGER the phrase may hang on `wird`
    auxiliaries = _auxiliaries(gold.trees) if scheme.clause_complement else {}
    verbs = {gold_pieces[word]: gold_pieces[verb] for word, verb in auxiliaries.items()}
    found = []
    for phrase, piece, first in zip(gold.phrases, pieces, firsts, strict=True):
        own = {gold_pieces[first + word]: word for word in (phrase.pp, *phrase.candidates)}
        is_apart = len(own) == 1 + len(phrase.candidates)
        head = own.get(verbs.get(piece, piece), OUTSIDE)
        found.append(head if is_apart and head != phrase.pp else OUTSIDE)
    return np.array(found)


def _auxiliaries(trees: Trees) -> dict[int, int]:
    """The verb of each gold auxiliary, as positions."""
    heads = trees.head_positions
    labels = trees.deprels.to_pylist()
    return {
        word: int(heads[word])
        for word, label in enumerate(labels)
        if label.split(":")[0] == AUXILIARY and heads[word] >= 0
    }


def _are_right(
    gold: Sequence[str], found: Sequence[str], scheme: AnnotationScheme, *, with_subtypes: bool
) -> BoolArray:
    return np.array(
        [
            relation(own, ANNOTATION_SCHEMES["ud"], with_subtypes=with_subtypes)
            in _meant(label, scheme, with_subtypes=with_subtypes)
            for own, label in zip(gold, found, strict=True)
        ]
    )


def _meant(label: str, scheme: AnnotationScheme, *, with_subtypes: bool) -> set[str]:
    """UD relations that a parser's label of a phrase may mean."""
    meant = scheme.phrases.get(label, (label,))
    return {relation(one, scheme, with_subtypes=with_subtypes) for one in meant}
