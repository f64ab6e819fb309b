"""How a training and a test part differ: overlap, ratios and distances of items and their units."""

from collections.abc import Callable, Iterable
from typing import Any

import datasets
import evaluate

from ..columns import DirectCompute, check_lengths, check_option, to_list
from .scoring import (
    VERSION,
    Item,
    characteristics,
    mean_unit_length_distance,
    n_unit_types,
    published_characteristics,
    type_characteristics,
    unit_divergence,
)

WHERE = "split_characteristics"
UNITS: dict[str, Callable[[str], Iterable[str]]] = {"characters": list, "whitespace": str.split}
_DESCRIPTION = """\
Measures how a training and a test part differ: how many test items and units are known from training, and how the number and the length of
units per item compare. For words and morphemes these are the five data characteristics of Liu & Prud'hommeaux (2022); any item will do.
"""
_CITATION = """\
@article{liu-prudhommeaux-2022-data,
    title = "Data-driven Model Generalizability in Crosslinguistic Low-resource Morphological Segmentation",
    author = "Liu, Zoey and Prud'hommeaux, Emily",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "10",
    year = "2022",
    pages = "393--413",
    doi = "10.1162/tacl_a_00467",
}
"""
_INPUTS = """\
Args:
    train: items of the training part: lists of units, such as ["paper", "s"], or strings that `units` divides.
    test: items of the test part.
    units: None where items are lists of units, else "characters", "whitespace" or a function from an item to its units.
    data, part: instead of train and test, and for add_batch: all items, and "train" or "test" for each.
Returns:
    item_overlap, unit_overlap (shares in [0, 1] of what is tested), units_per_item_ratio, unit_length_ratio (training over test),
    units_per_item_distance (Wasserstein, in units), over all items and, with `_types`, over distinct ones;
    unit_divergence (Jensen-Shannon, bits), unit_length_distance (Wasserstein, characters); numbers of items and types;
    word_overlap, morph_overlap (percent), ave_num_morph_ratio, dist_ave_num_morph, ave_morph_len_ratio: as published, two decimals.
Example:
    >>> import evaluate
    >>> measure = evaluate.load("split_characteristics", module_type="measurement")
    >>> result = measure.compute(train=[["un", "do"], ["do"]], test=[["re", "do"], ["do"]])
    >>> result["item_overlap"], round(result["unit_overlap"], 3), result["morph_overlap"]
    (0.5, 0.667, 66.67)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class SplitCharacteristics(DirectCompute, evaluate.Measurement):
    """Measures a pair of parts."""

    def _info(self) -> evaluate.MeasurementInfo:
        text = datasets.Value("string")
        return evaluate.MeasurementInfo(
            module_type="measurement",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"data": datasets.Sequence(text), "part": text}),
                datasets.Features({"data": text, "part": text}),
            ],
            reference_urls=["https://doi.org/10.1162/tacl_a_00467"],
        )

    def compute(
        self,
        *,
        train: Any = None,
        test: Any = None,
        data: Any = None,
        part: Any = None,
        **options: Any,
    ) -> Any:
        """Measures whole columns: either `train` and `test`, or `data` with its `part`; see the module's description."""
        if train is not None or test is not None:
            if train is None or test is None or data is not None or part is not None:
                raise ValueError(
                    f"{WHERE}: inputs, got only some of train and test, or data as well; expected train and test"
                )
            train, test = to_list(train), to_list(test)
            data, part = [*train, *test], ["train"] * len(train) + ["test"] * len(test)
        return super().compute(data=data, part=part, **options)

    def _compute(
        self, data: Any, part: Any, units: str | Callable[[Any], Iterable[str]] | None = None
    ) -> dict[str, Any]:
        names, items = to_list(part), to_list(data)
        check_lengths(WHERE, data=items, part=names)
        divide = _divider(units)
        parts: dict[str, list[Item]] = {"train": [], "test": []}
        for i, (item, name) in enumerate(zip(items, names, strict=True)):
            check_option(f"{WHERE}: row {i}", "part", name, list(parts))
            parts[name].append(_item(f"{name}[{len(parts[name])}]", item, divide))
        for name, found in parts.items():
            if not found:
                raise ValueError(f"{WHERE}: {name}, got no items; expected at least one")
        return measure(parts["train"], parts["test"]) | {
            "units": getattr(units, "__name__", units),
            "version": VERSION,
        }


def measure(train: list[Item], test: list[Item]) -> dict[str, Any]:
    """Gives all characteristics of two parts under their result names."""
    types = type_characteristics(train, test)._asdict()
    counts = {f"n_{name}": len(part) for name, part in (("train", train), ("test", test))}
    counts |= {
        f"n_{name}_types": len(set(part)) for name, part in (("train", train), ("test", test))
    }
    counts |= {
        f"n_{name}_unit_types": n_unit_types(part)
        for name, part in (("train", train), ("test", test))
    }
    return {
        **characteristics(train, test)._asdict(),
        **{f"{name}_types": value for name, value in types.items()},
        "unit_divergence": unit_divergence(train, test),
        "unit_length_distance": mean_unit_length_distance(train, test),
        **counts,
        **published_characteristics(train, test)._asdict(),
    }


def _divider(
    units: str | Callable[[Any], Iterable[str]] | None,
) -> Callable[[Any], Iterable[str]] | None:
    if isinstance(units, str):
        check_option(WHERE, "units", units, list(UNITS))
        return UNITS[units]
    return units


def _item(where: str, value: Any, divide: Callable[[Any], Iterable[str]] | None) -> Item:
    if divide is None and isinstance(value, str | bytes):
        raise TypeError(
            f"{WHERE}: {where}, got the string {value!r}; expected a list of units, or the option units, such as 'characters'"
        )
    item = tuple(to_list(value) if divide is None else divide(value))
    if not item:
        raise ValueError(f"{WHERE}: {where}, got no units; expected at least one")
    for unit in item:
        if not isinstance(unit, str) or not unit:
            raise TypeError(f"{WHERE}: {where}, got the unit {unit!r}; expected non-empty strings")
    return item
