"""Morphological segmenters that are trained already: words in, their morphemes out.

python:package.module:function   your own: a list of words in, a list of morphemes for each out

What learns from the data sets of `morphseg` is a kind of the laboratory.
"""

from collections.abc import Mapping

from garden_path.models.system import Function, Loader, Settings, System, as_list, each_checked

SETTINGS = Settings


def of_function(name: str, version: str, function: Function, settings: Settings) -> System:
    """A segmenter of a user's function: a list of words in, a list of morphemes for each out."""
    predict = each_checked(name, "morphemes of words", function, _morphemes)
    return System(name, version, predict, batch_size=4096)


def _morphemes(name: str, word: str, found: object) -> list[str]:
    return [str(one) for one in as_list(name, "morphemes", found)]


LOADERS: Mapping[str, Loader] = {}
