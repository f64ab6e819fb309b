"""The 39 paradigms of ERAS, as far as its metrics need them.

Only `.py` files travel with a metric, so these constants stand in code.
A test holds them equal to `builders/eras/data/paradigms.tsv`, where the templates and words are.

Source: Li & Hao (2025), section 2.1 and Table 3.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from .columns import IntArray
from .option_fields import option


class Paradigm(NamedTuple):
    """One minimal-pair paradigm.

    `branching` is left where the first two characters of the test site are the true word, right
    where the last two are. `family` names the paradigms that share a true or canary word, directly
    or through others. `is_exact_pair`: test and control differ in the test site only; false for
    paradigm 36, which also differs in the character after it. `is_occlusion_degenerate`: test and
    control differ in the occluded character only, so their occluded sentences are the same string.
    """

    paradigm_id: int
    branching: Literal["left", "right"]
    true_sentiment: Literal["+", "-"]
    canary_sentiment: Literal["+", "0", "-"]
    family: str
    is_exact_pair: bool
    is_occlusion_degenerate: bool

    @property
    def sentiment(self) -> str:
        """True and canary sentiment as the paper writes them, such as `+/-`."""
        return f"{self.true_sentiment}/{self.canary_sentiment}"


PARADIGMS = (
    Paradigm(1, "left", "+", "-", "xinji", True, False),
    Paradigm(2, "right", "-", "+", "xinji", True, False),
    Paradigm(3, "left", "+", "-", "xinji", True, False),
    Paradigm(4, "right", "-", "+", "xinji", True, False),
    Paradigm(5, "left", "+", "-", "xinji", True, False),
    Paradigm(6, "right", "-", "+", "xinji", True, False),
    Paradigm(7, "left", "+", "-", "huiji", True, True),
    Paradigm(8, "right", "-", "+", "huiji", True, False),
    Paradigm(9, "left", "+", "-", "zoulou", True, False),
    Paradigm(10, "right", "-", "+", "zoulou", True, False),
    Paradigm(11, "left", "+", "-", "zoulou", True, False),
    Paradigm(12, "right", "-", "+", "zoulou", True, False),
    Paradigm(13, "left", "+", "-", "cizhen", True, False),
    Paradigm(14, "right", "-", "+", "cizhen", True, False),
    Paradigm(15, "left", "+", "-", "fucong", True, False),
    Paradigm(16, "right", "-", "+", "fucong", True, False),
    Paradigm(17, "left", "+", "-", "zuifan", True, False),
    Paradigm(18, "right", "-", "+", "zuifan", True, False),
    Paradigm(19, "right", "-", "0", "chuzou", True, False),
    Paradigm(20, "left", "-", "0", "qushi", True, False),
    Paradigm(21, "left", "-", "0", "youqing", True, True),
    Paradigm(22, "left", "-", "0", "nonglai", True, True),
    Paradigm(23, "left", "-", "0", "nonglai", True, False),
    Paradigm(24, "left", "-", "0", "nonglai", True, False),
    Paradigm(25, "left", "-", "0", "nonglai", True, False),
    Paradigm(26, "right", "-", "0", "yijian", True, False),
    Paradigm(27, "right", "-", "0", "jiezou", True, False),
    Paradigm(28, "right", "-", "0", "jiezou", True, False),
    Paradigm(29, "right", "-", "0", "nonglai", True, False),
    Paradigm(30, "left", "+", "0", "zhuren", True, True),
    Paradigm(31, "left", "+", "0", "liyan", True, True),
    Paradigm(32, "right", "+", "0", "lijie", True, False),
    Paradigm(33, "left", "+", "0", "yitu", True, False),
    Paradigm(34, "left", "+", "0", "liyan", True, False),
    Paradigm(35, "left", "+", "0", "dezi", True, False),
    Paradigm(36, "left", "+", "0", "dezi", False, False),
    Paradigm(37, "left", "+", "0", "dezi", True, False),
    Paradigm(38, "left", "+", "0", "weidao", True, True),
    Paradigm(39, "right", "+", "0", "tongyi", True, False),
)
N_PARADIGMS = len(PARADIGMS)


def check_paradigm_ids(where: str, paradigm_ids: IntArray) -> None:
    """Raises a ValueError that names the first id that is not one of 1 to 39."""
    if paradigm_ids.min() < 1 or paradigm_ids.max() > N_PARADIGMS:
        place = int(np.flatnonzero((paradigm_ids < 1) | (paradigm_ids > N_PARADIGMS))[0])
        raise ValueError(
            f"{where}[{place}]: paradigm_id, got {paradigm_ids[place]}; expected 1 to {N_PARADIGMS}"
        )


def read_excluded(where: str, exclude: Any) -> tuple[int, ...]:
    """Ids of the paradigms to leave out, sorted; a ValueError that begins with `where` otherwise."""
    expected = f"a list of paradigm ids from 1 to {N_PARADIGMS}, such as [36]"
    if isinstance(exclude, str) or not hasattr(exclude, "__iter__"):
        raise ValueError(f"{where}, got {exclude!r}; expected {expected}")
    given = list(exclude)
    for paradigm_id in given:
        if isinstance(paradigm_id, bool) or paradigm_id not in range(1, N_PARADIGMS + 1):
            raise ValueError(f"{where}, got {paradigm_id!r}; expected {expected}")
    return tuple(sorted({int(paradigm_id) for paradigm_id in given}))


def exclude_option() -> Any:
    """Field `exclude` of a metric's options."""
    return option(
        (), "paradigms to leave out", read=read_excluded, expected="a list of paradigm ids"
    )


def cluster_option(default: str) -> Any:
    """Field `cluster` of a metric's options: what was sampled together."""
    return option(
        default,
        "what the intervals are about; a family is the paradigms that share a word",
        choices=("paradigm", "family"),
    )


def cluster_index(paradigm_ids: IntArray, cluster: str) -> IntArray:
    """Cluster of each paradigm as 0, 1, ...

    "paradigm" is one each, "family" one for all that share a word.

    Args:
        paradigm_ids: The paradigms that were scored, shape (c,), each once.
        cluster: "paradigm" or "family".
    """
    families = np.array([paradigm.family for paradigm in PARADIGMS])
    labels = families[paradigm_ids - 1] if cluster == "family" else paradigm_ids
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
