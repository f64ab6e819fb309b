"""What the design of SORTS fixes of clauses: the post-strata of `subject_object_las`.

A family of triples has as many clauses of each word order and combination of properties on every
draw, and the person of a pronoun goes by the item's place in its block. So a parser that goes by
these alone has the same right and wrong clauses on every draw, but for those that are unresolved.

Source: Fischer et al. (2020), tables 7 and 9, and the suite's tables `blocks` and `pronoun_cycles`.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..columns import IntArray
from ..groupings import Grouping, group_of_unit
from ..post_strata import divided
from .clauses import Clauses
from .inventory import LOCAL_PRONOUNS


def design_cells(clauses: Clauses, families: IntArray) -> IntArray:
    """Post-stratum of each of n clauses, shape (n,).

    A family, divided by word order, combination of properties, and which of subject and object are
    pronouns of the first or second person: as far as every part has enough triples.

    Args:
        clauses: What references do not say divides nothing.
        families: Family of each triple, shape (number of triples,).
    """
    triples = group_of_unit(clauses.triple, clauses.n)
    levels = (
        np.append(families, -1)[triples] + 1,
        group_of_unit(clauses.word_order, clauses.n) + 1,
        _combinations(clauses.properties, clauses.n),
        _is_local(clauses, clauses.subjects) + 2 * _is_local(clauses, clauses.objects),
    )
    return divided(levels, triples)


def _combinations(properties: Grouping, n: int) -> IntArray:
    """Number of each clause's combination of properties, shape (n,)."""
    sums = np.bincount(properties.units, 2.0**properties.groups, n)
    codes: IntArray = np.unique(sums, return_inverse=True)[1].astype(np.int64)
    return codes


def _is_local(clauses: Clauses, words: IntArray) -> IntArray:
    """Whether a word of each clause is a pronoun of the first or second person; 0 or 1."""
    if clauses.trees.tokens is None:
        return np.zeros(clauses.n, np.int64)
    found = clauses.trees.tokens.take(pa.array(clauses.trees.offsets[:-1] + words))
    is_in = pc.is_in(pc.utf8_lower(found), pa.array(LOCAL_PRONOUNS))
    is_local: IntArray = is_in.to_numpy(zero_copy_only=False).astype(np.int64)
    return is_local
