"""How a suite's headline stands in the tables of studies: its columns, and the sentence above.

A system is "above" by the one rule of `builders.shallow`; one that is not is shown as such: for a
small parser or language model that is a finding, not a failure.
"""

import math

from builders.shallow import ABOVE, Shallow, bar, null_of
from dataset_scripts.headlines import NOT_ABOVE, Headline, Result
from ground.markdown import percent, percent_with_interval


def best_shallow(headline: Headline, place: str = "") -> Shallow | None:
    """The best shallow reader of a config, which a system must be above."""
    return bar(headline.suite, place or headline.place, headline.score)


def headline_cell(headline: Headline, result: Result, place: str = "") -> str:
    """The score in percent with its interval, and whether it is not above; a dash for nan."""
    if math.isnan(result[headline.score]):
        return "–"
    text = percent_with_interval(result, headline.score)
    return text if headline.is_above(result, place) else f"{text}, {NOT_ABOVE}"


def headline_columns(headline: Headline, result: Result, place: str = "") -> dict[str, object]:
    """A system's first cells in percent: score, null and, where one was found, best shortcut."""
    shown: dict[str, object] = {headline.title: headline_cell(headline, result, place)}
    shown["NULL"] = percent(headline.worth_nothing(result, place))
    best = best_shallow(headline, place)
    if best is not None and best.kind == "shortcut":
        shown["shortcut"] = percent(best.value)
    return shown


def headline_sentence(headline: Headline, place: str = "") -> str:
    """What stands above a table of the rows of `CONFIG/SPLIT`, by default of the first test."""
    null = null_of(headline.suite, place or headline.place, headline.score)
    best = best_shallow(headline, place)
    told = f", or a reader that knows nothing ({null.reader})" if null else ""
    if best is not None and best.kind == "shortcut":
        told += f"; the best shortcut reads one cue ({best.reader})"
    return (
        f"The headline is {headline.title} with its 95 % interval; NULL is {headline.null_is}"
        f"{told}. {ABOVE} The rest is marked “{NOT_ABOVE}”."
    )
