"""Which analysis a form has."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from builders.centerbench.forms import read_replies
from research.people import audit, choosing, ranking, rating, reading
from research.people.answers import PersonAnswer
from research.people.tables import TableAnalysis

Analyse = Callable[[Sequence[PersonAnswer]], TableAnalysis]
AUDIT = "centerbench-scorer-audit"
READING = ("centerbench-pilot", "centerbench-reading")


def analysis_of(form: str, about: Path | None = None) -> Analyse:
    """The analysis of the answers to items of a form.

    Args:
        form: Its full name.
        about: The file that it asks about, if it asks about one.

    Raises:
        ValueError: No analysis knows the form.
    """
    if form == AUDIT and about is not None:
        return partial(audit.analyse, replies=read_replies(about))
    if form in READING:
        return reading.analyse
    if form in rating.READERS:
        return partial(rating.analyse, form)
    known: dict[str, Analyse] = {"eras-ranking": ranking.analyse, "sorts-who": choosing.analyse}
    if form not in known:
        raise ValueError(f"form, got {form!r}; expected one that has an analysis")
    return known[form]
