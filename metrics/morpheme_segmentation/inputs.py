"""What morpheme segmentation takes: a segmentation and one or more golds for each word."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from ..columns import to_list
from ..contract import Column, Inputs
from ..values import Values
from .matching import Segmentation

METRIC = "morpheme_segmentation"


def as_lists(where: str, given: Any) -> Any:
    """One list of golds per word, where a single gold may stand for the list of it."""
    return [
        [gold] if isinstance(gold, list | tuple) and any(isinstance(m, str) for m in gold) else gold
        for gold in map(_plain, to_list(given, where))
    ]


def _plain(value: Any) -> Any:
    """An array of golds as a list; what is no array as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


INPUTS = Inputs(
    METRIC,
    {
        "predictions": Values("text", "the morphemes of the word", depth=1),
        "references": Column(Values("text", "the golds of the word", depth=2), as_lists),
        "category": Values(
            "text", "the word's class, such as 110", is_optional=True, has_none=True
        ),
    },
)


def check_words(predicted: Sequence[Segmentation], golds: Sequence[Sequence[Segmentation]]) -> None:
    """Raises a ValueError for what no word can have, or where one word seems to be another.

    Golds are those of one word; morphemes are not empty; a prediction that is its word in another
    Unicode form (NFD for NFC) would be wrong throughout.
    """
    for i, (prediction, analyses) in enumerate(zip(predicted, golds, strict=True)):
        _check_golds(f"{METRIC}: references[{i}]", analyses)
        _check_morphemes(f"{METRIC}: predictions[{i}]", prediction)
        word, found = "".join(analyses[0]), "".join(prediction)
        if found != word and not found.isascii():
            _check_form(f"{METRIC}: predictions[{i}]", found, word)


def _check_golds(where: str, golds: Sequence[Segmentation]) -> None:
    if not golds or not all(golds):
        raise ValueError(f"{where}: got {golds!r}; expected at least one gold, none of them empty")
    for gold in golds:
        _check_morphemes(where, gold)
    if len(words := list(dict.fromkeys("".join(gold) for gold in golds))) > 1:
        raise ValueError(
            f"{where}: got golds of {words[0]!r} and {words[1]!r}; expected those of one word"
        )


def _check_morphemes(where: str, morphemes: Segmentation) -> None:
    for morpheme in morphemes:
        if not morpheme or morpheme.isspace():
            raise ValueError(
                f"{where}: got the morpheme {morpheme!r} in {morphemes!r}; expected none that is"
                " empty or blank"
            )


def _check_form(where: str, found: str, word: str) -> None:
    for form in ("NFC", "NFD"):
        if unicodedata.normalize(form, found) == word:
            raise ValueError(
                f"{where}: got {found!r} in another Unicode form than its word {word!r}; "
                f"expected the same form: normalize predictions by {form}"
            )
