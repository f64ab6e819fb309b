"""The sampling plan: data sets, splits A to E and new test sets, each a function of its own keys.

Every draw hashes its keys (language, size, method, number, ...) with SHA-256 and reads raw words of
PCG64, whose stream numpy guarantees; so any job can be made again alone, in any order, in any
process and under any numpy. Index lists point into the pool (`sources.read_language`), duplicates
included.

Source: Liu & Prud'hommeaux (2022), 6.1 and 6.2. The authors set no seed, so their own samples
cannot be drawn again.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from builders.columns import IntArray

Method = Literal["with", "without"]
METHODS: tuple[Method, ...] = ("with", "without")
SPLITS = ("A", "B", "C", "D", "E")
TEST_SHARE = 0.4
N_DATA_SETS = 50
N_NEW_TEST_SETS = 100


@dataclass(frozen=True)
class Protocol:
    """How a data set is used."""

    dev_share: float  # of the data set, taken from the training part for development
    is_type_disjoint: bool  # a word type stands on one side only (matters under replacement)
    references: Literal["first", "all"]  # score against the first analysis or the best of all


# `paper`: as published, train on 60 %, no dev set, a word may be in train and test.
# `sound`: train on 50 %, 10 % dev, test words never seen in training, all analyses count.
# New test sets are the same for all systems in both, since no key of theirs names a system.
PROTOCOLS: dict[str, Protocol] = {
    "paper": Protocol(0.0, False, "first"),
    "sound": Protocol(0.1, True, "all"),
}


@dataclass(frozen=True)
class Setting:
    """One experimental setting: what every draw of it has in common.

    The protocol is no key of a draw, so both see the same data sets and the same order of words;
    another seed is another plan. A ValueError where a size, method or protocol is out of range.
    """

    language: str
    pool_size: int
    size: int
    method: Method
    protocol: str = "paper"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"setting: method, got {self.method!r}; expected with or without")
        if self.protocol not in PROTOCOLS:
            expected = " or ".join(PROTOCOLS)
            raise ValueError(f"setting: protocol, got {self.protocol!r}; expected {expected}")
        largest = self.pool_size if self.method == "without" else 10 * self.pool_size
        if not 5 <= self.size <= largest:
            expected = f"5 to {largest} for {self.pool_size} types {self.method} replacement"
            raise ValueError(f"setting: size, got {self.size}; expected {expected}")


class Split(NamedTuple):
    """Pool indices of the three parts of a data set; `dev` is empty under the protocol `paper`."""

    train: IntArray
    dev: IntArray
    test: IntArray


def data_set_indices(setting: Setting, data_set: int) -> IntArray:
    """Draws one data set: `size` pool indices in the order drawn, uniform over types.

    Number 1 is the "first data set" of the study, which draws 50. Without replacement all are
    distinct.
    """
    if data_set < 1:
        raise ValueError(f"data_set, got {data_set}; expected a number from 1")
    stream = _stream(setting, "data set", data_set)
    if setting.method == "with":
        return _uniform(stream, setting.size, setting.pool_size)
    return _simple_random_sample(stream, setting.size, setting.pool_size)


def split_indices(setting: Setting, data_set: int, split: str) -> Split:
    """Divides a data set, by its number from 1, at random into training, development and test rows.

    Returns:
        Pool indices with duplicates. Under `paper` the test part has int(0.4 size) rows; under
        `sound` with replacement it may have a few more, since the copies of a word stay together.
    """
    rows = shuffled_indices(setting, data_set, split)
    protocol = PROTOCOLS[setting.protocol]
    rest, test = cut(rows, int(TEST_SHARE * len(rows)), protocol)
    train, dev = cut(rest, int(protocol.dev_share * len(rows)), protocol)
    return Split(train, dev, test)


def new_test_indices(
    setting: Setting, data_set: int, test_size: int, n: int = N_NEW_TEST_SETS
) -> IntArray:
    """Draws the new test sets of a data set: samples without replacement of types it does not have.

    Its splits A to E share them, and so do all systems; the first of more are the same.

    Returns:
        Pool indices, shape (n, test_size); a ValueError where fewer types are unseen.
    """
    unseen = np.setdiff1d(np.arange(setting.pool_size), data_set_indices(setting, data_set))
    if not 0 < test_size <= len(unseen):
        expected = f"1 to {len(unseen)}, the types outside data set {data_set}"
        raise ValueError(f"new test sets: test_size, got {test_size}; expected {expected}")
    keys = (setting, "new test set", data_set, test_size)
    streams = (_stream(*keys, number) for number in range(1, n + 1))
    return np.stack([unseen[_simple_random_sample(one, test_size, len(unseen))] for one in streams])


def shuffled_indices(setting: Setting, data_set: int, split: str) -> IntArray:
    """Rows of a data set in the random order of one split.

    Where the protocol keeps types disjoint, all copies of a word stand where the copy stands that
    was drawn first, so that the number of its copies does not decide on its place.
    """
    if split not in SPLITS:
        raise ValueError(f"split, got {split!r}; expected one of {', '.join(SPLITS)}")
    rows = data_set_indices(setting, data_set)
    drawn = _stream(setting, "split", data_set, split).random_raw(len(rows))
    order = np.argsort(drawn, kind="stable").astype(np.int64)
    if not PROTOCOLS[setting.protocol].is_type_disjoint:
        return rows[order]
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    _, first_drawn, types = np.unique(rows, return_index=True, return_inverse=True)
    return rows[np.lexsort((place, place[first_drawn][types]))]


def cut(rows: IntArray, n: int, protocol: Protocol) -> tuple[IntArray, IntArray]:
    """Cuts the last n rows off, or a few more where the copies of a word must stay together."""
    start = len(rows) - n
    if protocol.is_type_disjoint:
        while 0 < start < len(rows) and rows[start] == rows[start - 1]:
            start -= 1
    return rows[:start], rows[start:]


def derive_seed(*keys: object) -> int:
    """128-bit seed for a list of keys: the head of the SHA-256 of their texts."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, keys)).encode()).digest()[:16], "big")


def _stream(setting: Setting, *keys: object) -> np.random.PCG64:
    pool = (setting.language, setting.pool_size, setting.size, setting.method)
    return np.random.PCG64(derive_seed("morphseg", setting.seed, *pool, *keys))


def _uniform(stream: np.random.PCG64, n: int, bound: int) -> IntArray:
    return (stream.random_raw(n) % np.uint64(bound)).astype(np.int64)  # bias below bound / 2**64


def _simple_random_sample(stream: np.random.PCG64, n: int, bound: int) -> IntArray:
    drawn = np.empty(0, np.int64)
    # the first n distinct of uniform draws are a simple random sample in random order
    while len(drawn) < n:
        drawn = np.concatenate([drawn, _uniform(stream, n, bound)])
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return drawn[:n]
