"""Morphological segmenters that are trained already: words in, their morphemes out.

python:package.module:function   your own: a list of words in, a list of morphemes for each out

What learns from the data sets of `morphseg` is a kind of the laboratory.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from garden_path.models.system import Loader, Settings, System, as_list

BATCH_SIZE = 4096


@dataclass(frozen=True)
class MorphemeSegmenter(System):
    """A segmenter of words ready to run.

    Attributes:
        predict: Morphemes of each word.
    """

    predict: Callable[[Sequence[str]], list[list[str]]]


SETTINGS = Settings


def of_function(
    name: str,
    version: str,
    function: Callable[[list[str]], Sequence[Sequence[str]]],
    settings: Settings,
) -> MorphemeSegmenter:
    """A segmenter of a user's function: a list of words in, a list of morphemes for each out.

    Raises:
        ValueError: When it runs: there is not one list for every word.
    """

    def predict(words: Sequence[str]) -> list[list[str]]:
        found = as_list(name, "morphemes of words", function(list(words)), len(words))
        return [[str(one) for one in as_list(name, "morphemes", morphemes)] for morphemes in found]

    return MorphemeSegmenter(name, version, predict, batch_size=BATCH_SIZE)


LOADERS: Mapping[str, Loader] = {}
