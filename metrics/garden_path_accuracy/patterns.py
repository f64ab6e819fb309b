"""What the word ends at a test site mean: the outcomes that every rate counts.

    x1 x2 x3    the site, three characters
    B0 .. B3    the four places before, between and after them; a pattern is a number from 0 to 15
                whose bit k says that a word ends at Bk

The rule of the published accuracy counts one thing only: a sentence is wrong where the site is cut
as the canary word wants it and not as the true word wants it. The others look closer:

    canary          a word of the segmentation is the canary word
    true_word       a word of the segmentation is the true word
    both, neither   a cut at both inner places of the site, or at none; the published accuracy
                    counts these as right
    crossing        a word crosses the true word: it holds one of its two characters and something
                    outside it

so that, sentence by sentence, true word implies not crossing, and not crossing implies right.

Source: Li & Hao (2025), "ERAS", section 3.1; crossing as in Black et al. (1991) for brackets.
"""

import numpy as np

from ..columns import BoolArray, IntArray
from ..paradigms import EVERY_PARADIGM

N_PATTERNS = 16
BRANCHINGS = ("left", "right")
OUTCOMES = ("wrong", "canary", "true_word", "both", "neither", "crossing")


def describe_pattern(pattern: int, branching: str) -> dict[str, bool]:
    """What the word ends at a site mean.

    Args:
        pattern: Bits 0 to 3: a word ends before x1, before x2, before x3, after x3.
        branching: "left": x1x2 is the true and x2x3 the canary word; "right": the reverse.

    Returns:
        `wrong`, `canary`, `true_word`, `both`, `neither`, `crossing`.

    Example:
        Left-branching, cut before x1, before x2 and after x3: the canary word is a word, which the
        paper counts as wrong.

        >>> [name for name, holds in describe_pattern(0b1011, "left").items() if holds]
        ['wrong', 'canary', 'crossing']
    """
    b0, b1, b2, b3 = (bool(pattern >> k & 1) for k in range(4))
    first, last = b0 and not b1 and b2, b1 and not b2 and b3  # x1x2 is a word, x2x3 is one
    if branching == "left":
        held = (b1 and not b2, last, first, b1 and not (b0 and b2))
    else:
        held = (b2 and not b1, first, last, b2 and not (b1 and b3))
    wrong, canary, true_word, crossing = held
    values = (wrong, canary, true_word, b1 and b2, not b1 and not b2, crossing)
    return dict(zip(OUTCOMES, values, strict=True))


def pattern_flags() -> dict[str, BoolArray]:
    """Every outcome as an array of shape (2, 16): branching, pattern."""
    tables = [
        [describe_pattern(pattern, branching) for pattern in range(N_PATTERNS)]
        for branching in BRANCHINGS
    ]
    return {name: np.array([[row[name] for row in table] for table in tables]) for name in OUTCOMES}


def branching_places(paradigm_ids: IntArray) -> IntArray:
    """Place of each paradigm's branching in `BRANCHINGS`, same shape."""
    places = [0, *(BRANCHINGS.index(paradigm.branching) for paradigm in EVERY_PARADIGM)]
    return np.array(places)[paradigm_ids]


PATTERN_FLAGS = pattern_flags()
