"""The paradigms of ERAS, the published 39 and the extended ones, as far as its metrics need them.

Only `.py` files travel with a metric, so these constants stand in code.
A test holds them equal to `builders/eras/data/paradigms.tsv`, where the templates and words are.

Source: Li & Hao (2025), section 2.1 and Table 3.
"""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .columns import BoolArray, IntArray, check_ids, shown
from .extended_paradigms import EXTENDED
from .option_fields import option, read_collection


class Paradigm(NamedTuple):
    """One minimal-pair paradigm.

    `branching` is left where the first two characters of the test site are the true word, right
    where the last two are. `family` names the paradigms that share a true or canary word, directly
    or through others. `is_exact_pair`: test and control differ in the test site only; false for
    paradigm 36, which also differs in the character after it. `is_occlusion_degenerate`: test and
    control differ in the occluded character only, so their occluded sentences are the same string.
    The paradigms of the paper all have a true sentiment; of the extended ones some have none (`0`).
    """

    paradigm_id: int
    branching: Literal["left", "right"]
    true_sentiment: Literal["+", "0", "-"]
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
EVERY_PARADIGM = PARADIGMS + tuple(Paradigm(*row, True, False) for row in EXTENDED)
"""The published ones and the extended ones; a paradigm's place is its id less 1."""
LAST_ID = len(EVERY_PARADIGM)
GROUPS: dict[str, tuple[int, ...]] = {
    "inexact": tuple(p.paradigm_id for p in PARADIGMS if not p.is_exact_pair),
    "degenerate": tuple(p.paradigm_id for p in PARADIGMS if p.is_occlusion_degenerate),
    "not_a_clause": (9, 30, 33),
    "globally_ambiguous": (16,),
    "arguably_ambiguous": (7, 8, 9, 10, 12, 14, 15, 19, 21, 23, 24, 25, 28, 29, 32, 33, 34),
    "control_ill_formed": (33,),
    "control_keeps_true_word": (7, 21, 22, 30, 31, 36, 38),
    "extended": tuple(range(N_PARADIGMS + 1, LAST_ID + 1)),
    "true_word_not_in_as": (11, 28),
    "true_word_not_in_cityu": (3, 7, 11, 21, 23, 28, 35, 36, 37),
    "true_word_not_in_msr": (2, 4, 6, 7, 10, 11, 12, 14, 23, 28, 30, 35, 36, 37),
    "true_word_not_in_pku": (
        *(5, 7, 10, 11, 12, 14, 17, 19, 22),
        *(23, 24, 25, 28, 29, 30, 35, 36, 37),
    ),
    "canary_word_not_in_as": (12,),
    "canary_word_not_in_cityu": (4, 8, 12, 20, 22, 23, 24, 25, 27, 28, 31, 34, 35),
    "canary_word_not_in_msr": (
        *(1, 3, 5, 8, 9, 11, 12, 13, 20, 22),
        *(23, 24, 25, 27, 28, 29, 31, 34, 35, 37),
    ),
    "canary_word_not_in_pku": (
        *(6, 8, 9, 11, 12, 13, 18, 20, 22, 23),
        *(24, 25, 27, 28, 29, 31, 34, 35, 37),
    ),
}
"""Paradigms that `exclude` takes by a name; lexicons are the 2005 Bakeoff's training sets."""
FAMILIES = np.array([paradigm.family for paradigm in EVERY_PARADIGM])
HAS_SENTIMENT: BoolArray = np.array([paradigm.true_sentiment != "0" for paradigm in EVERY_PARADIGM])
SITE_LENGTH = 3  # characters in which test and control differ


def read_excluded(where: str, exclude: Any) -> tuple[int, ...]:
    """Sorted ids of the paradigms to leave out; a ValueError that begins with `where` otherwise."""
    expected = f"paradigm ids from 1 to {LAST_ID} or names of groups, such as [36, 'degenerate']"
    found: set[int] = set()
    for given in read_collection(where, exclude, f"a list of {expected}"):
        if isinstance(given, str) and given in GROUPS:
            found |= set(GROUPS[given])
        elif not _is_paradigm(given):
            names = f"; groups are {', '.join(GROUPS)}" if isinstance(given, str) else ""
            raise ValueError(f"{where}, got {shown(given)}; expected a list of {expected}{names}")
        else:
            found.add(int(given))
    return tuple(sorted(found))


def _is_paradigm(given: Any) -> bool:
    is_whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    return is_whole and 1 <= given <= LAST_ID


def exclude_option() -> Any:
    """Field `exclude` of a metric's options."""
    return option(
        (),
        "paradigms to leave out",
        read=read_excluded,
        expected="a list of paradigm ids or names of groups of them",
    )


def cluster_option() -> Any:
    """Field `cluster` of a metric's options: what was sampled together; see `decided_cluster`."""
    return option(
        None,
        "what the intervals are about; a family is the paradigms that share a word",
        choices=("family", "paradigm"),
        none="family, or paradigm with mode='paper'",
    )


def decided_cluster(cluster: str | None, mode: str) -> str:
    """Cluster of the intervals where the option leaves it to the mode."""
    return cluster or ("paradigm" if mode == "paper" else "family")


def check_one_script(
    where: str, paradigm_ids: Sequence[int], tests: Sequence[str], starts: Sequence[int]
) -> None:
    """Raises a ValueError where pairs of one paradigm have different sites: two scripts at once.

    The simplified and the traditional config hold the same pairs, so that scoring both together
    counts everything twice.
    """
    sites: dict[int, str] = {}
    for i, (paradigm_id, test, start) in enumerate(zip(paradigm_ids, tests, starts, strict=True)):
        site = test[start : start + SITE_LENGTH]
        if sites.setdefault(paradigm_id, site) != site:
            raise ValueError(
                f"{where}[{i}]: got the site {site} beside {sites[paradigm_id]} of paradigm "
                f"{paradigm_id}; expected one script, simplified or traditional"
            )


def check_distinct(where: str, ids: Sequence[str] | None, tests: Sequence[str]) -> None:
    """Raises a ValueError where an `id` occurs twice; warns where sentences do.

    Args:
        where: What the rows are, for messages.
        ids: Their ids, None where they have none.
        tests: Their test sentences.
    """
    if ids is not None:
        check_ids(where, ids)
    elif len(set(tests)) < len(tests):
        warnings.warn(
            f"{where}: got {len(tests) - len(set(tests))} sentences more than once; "
            "each counts as often as it occurs",
            stacklevel=2,
        )


def cluster_index(paradigm_ids: IntArray, cluster: str | None) -> IntArray:
    """Cluster of each paradigm as 0, 1, ...

    "paradigm" is one each, "family" one for all that share a word.

    Args:
        paradigm_ids: The paradigms that were scored, shape (c,), each once.
        cluster: "paradigm" or "family".
    """
    labels = FAMILIES[paradigm_ids - 1] if cluster == "family" else paradigm_ids
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
