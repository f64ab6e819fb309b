"""How a training and a test part differ: overlap, ratios and distances of items and their units.

Each is computed over tokens and over types.

An item is what is divided between the parts (a word, a sentence); its units are what it consists of
(morphemes, tokens, characters). The five characteristics of the study are those of words and
morphemes; nothing here depends on that.

Source: Liu & Prud'hommeaux (2022), 7.3, in the forms of their scripts where the text leaves them
open.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import FloatArray, shown, to_list
from .inputs import INPUTS, METRIC, PARTS
from .options import Options

VERSION = "1.0.0"
Item = tuple[str, ...]


class Characteristics(NamedTuple):
    """Five comparisons of the parts."""

    # share of the test items that are training items too (the same units in the same order)
    item_overlap: float
    unit_overlap: float  # share of the units in test items that occur in training, in [0, 1]
    units_per_item_ratio: float  # mean number of units per item, training over test
    units_per_item_distance: float  # Wasserstein, of these numbers' distributions, in units
    unit_length_ratio: float  # mean over items of the mean length of units, training over test


class PublishedCharacteristics(NamedTuple):
    """The five under the names of the authors' tables: overlaps in percent, all to two decimals."""

    word_overlap: float
    morph_overlap: float
    ave_num_morph_ratio: float
    dist_ave_num_morph: float
    ave_morph_len_ratio: float


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """All characteristics of two parts, under the names that the card explains.

    Args:
        inputs: `data`, all items, and `part`, "train" or "test" for each.
        options: What `read_options` returns; its defaults if None.

    Raises:
        ValueError: Lengths differ, a part has no item or another name, an item has no unit or is
            text where no option divides it, or a unit is empty or no string.
    """
    options = options or Options()
    train, test = read_parts(inputs["data"], inputs["part"], options)
    parts = {"train": train, "test": test}
    counts = {f"n_{name}": len(part) for name, part in parts.items()}
    counts |= {f"n_{name}_types": len(set(part)) for name, part in parts.items()}
    counts |= {f"n_{name}_unit_types": len(set(_units(part))) for name, part in parts.items()}
    lengths = ([mean_unit_length(item) for item in part] for part in parts.values())
    types = type_characteristics(train, test)._asdict()
    return {
        **characteristics(train, test)._asdict(),
        **{f"{name}_types": value for name, value in types.items()},
        "unit_divergence": unit_divergence(train, test),
        "unit_length_distance": wasserstein_distance(*lengths),
        **counts,
        **published_characteristics(train, test)._asdict(),
        **options.provenance(VERSION),
    }


def characteristics(train: Sequence[Item], test: Sequence[Item]) -> Characteristics:
    """Token variants: the parts compared item by item, duplicates counted as often as they occur.

    A part has at least one item, and an item at least one unit.
    """
    return Characteristics(
        _share_known(test, train),
        _share_known(_units(test), _units(train)),
        mean_unit_length(train) / mean_unit_length(test),
        wasserstein_distance([len(item) for item in train], [len(item) for item in test]),
        statistics.fmean(map(mean_unit_length, train))
        / statistics.fmean(map(mean_unit_length, test)),
    )


def type_characteristics(train: Sequence[Item], test: Sequence[Item]) -> Characteristics:
    """Type variants: distinct items of the parts and, for `unit_overlap`, their distinct units."""
    train_types, test_types = list(dict.fromkeys(train)), list(dict.fromkeys(test))
    known = _share_known(set(_units(test_types)), _units(train_types))
    return characteristics(train_types, test_types)._replace(unit_overlap=known)


def published_characteristics(
    train: Sequence[Item], test: Sequence[Item]
) -> PublishedCharacteristics:
    """Five characteristics as the authors' tables have them, over tokens.

    The mean morpheme length of each word is rounded before it is averaged.
    """
    rounded = ([round(mean_unit_length(item), 2) for item in part] for part in (train, test))
    lengths = list(map(statistics.mean, rounded))
    figures = (
        _n_known(test, train) * 100 / len(test),
        _n_known(_units(test), _units(train)) * 100 / len(_units(test)),
        statistics.mean(map(len, train)) / statistics.mean(map(len, test)),
        characteristics(train, test).units_per_item_distance,
        lengths[0] / lengths[1],
    )
    return PublishedCharacteristics(*(round(figure, 2) for figure in figures))


def unit_divergence(train: Sequence[Item], test: Sequence[Item]) -> float:
    """Jensen-Shannon divergence of the parts' unit distributions, in bits.

    In [0, 1]: 0 where they are alike, 1 where they have nothing in common.
    """
    counts = [Counter(_units(part)) for part in (train, test)]
    totals = [count.total() for count in counts]
    found = []
    for unit in counts[0].keys() | counts[1].keys():  # in any order: the sum is exact
        shares = [count[unit] / total for count, total in zip(counts, totals, strict=True)]
        found += [share * math.log2(2 * share / sum(shares)) for share in shares if share]
    return math.fsum(found) / 2


def wasserstein_distance(first: Sequence[float], second: Sequence[float]) -> float:
    """Area between the empirical distribution functions of two samples, in their own unit.

    At least 0, and 0 where the samples are alike.
    """
    samples = [np.sort(np.asarray(sample, np.float64)) for sample in (first, second)]
    values = np.sort(np.concatenate(samples))
    steps: list[FloatArray] = [
        np.searchsorted(sample, values[:-1], "right") / len(sample) for sample in samples
    ]
    return float((np.abs(steps[0] - steps[1]) * np.diff(values)).sum())


def mean_unit_length(item: Sequence[Sequence[str]]) -> float:
    """Mean length of an item's units, in characters; of a part's items, in units."""
    return sum(map(len, item)) / len(item)


def _units(part: Sequence[Item]) -> list[str]:
    return [unit for item in part for unit in item]


def _n_known(values: "Sequence[object] | set[str]", known: Sequence[object]) -> int:
    return sum(map(set(known).__contains__, values))


def _share_known(values: "Sequence[object] | set[str]", known: Sequence[object]) -> float:
    return _n_known(values, known) / len(values)


# --- Items of a training and a test part, each a tuple of its units


def as_columns(train: Any, test: Any, data: Any, part: Any) -> tuple[Any, Any]:
    """Items and their parts as two columns, from the two parts or from such columns."""
    if train is None and test is None:
        return data, part
    if train is None or test is None or data is not None or part is not None:
        raise ValueError(
            f"{METRIC}: inputs, got only some of train and test, or data as well; "
            "expected train and test"
        )
    train, test = to_list(train, f"{METRIC}: train"), to_list(test, f"{METRIC}: test")
    return [*train, *test], ["train"] * len(train) + ["test"] * len(test)


def read_parts(data: Any, part: Any, options: Options) -> tuple[list[Item], list[Item]]:
    """Items of the training and of the test part; a ValueError for what `score` refuses."""
    read = INPUTS.read({"data": data, "part": part})
    items = _divided(read["data"], options)
    parts: dict[str, list[Item]] = {name: [] for name in PARTS}
    for name, item in zip(read["part"], items, strict=True):
        _check_units(f"{METRIC}: {name}[{len(parts[name])}]", item)
        parts[name].append(tuple(item))
    for name, found in parts.items():
        if not found:
            raise ValueError(f"{METRIC}: {name}, got no items; expected at least one")
    return parts["train"], parts["test"]


def _divided(items: Mapping[str, list[Any]], options: Options) -> list[Any]:
    """Units of each item, divided where the items are texts."""
    divide = options.divider()
    if "text" in items:
        if divide is None:
            raise ValueError(
                f"{METRIC}: data, got texts such as {items['text'][0]!r:.40}; expected lists of "
                "units, or the option units, such as 'characters'"
            )
        return [_divide(divide, text) for text in items["text"]]
    if divide is not None:
        raise ValueError(
            f"{METRIC}: units, got {options.quoted()['units']!r} for items that are lists of units;"
            " expected texts, or no units"
        )
    return items["units"]


def _divide(divide: Callable[[str], Iterable[str]], text: str) -> list[Any]:
    try:
        return to_list(divide(text), f"{METRIC}: units")
    except Exception as error:  # a person's own function
        raise ValueError(
            f"{METRIC}: units, got {type(error).__name__} of the function for {shown(text)}; "
            "expected the units of every item"
        ) from error


def _check_units(where: str, units: Sequence[Any]) -> None:
    if not units:
        raise ValueError(f"{where}, got no units; expected at least one")
    for unit in units:
        if not isinstance(unit, str) or not unit:
            raise ValueError(f"{where}, got the unit {shown(unit)}; expected non-empty strings")
