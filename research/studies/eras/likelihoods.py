"""Do language models go on otherwise after a test site? Regions, full and occluded contexts.

    python -m research eras likelihoods
    python -m research eras likelihoods --systems transformers:NAME

Test minus control is compared in the text after the site, which is the same in both, in the site
and in the whole sentence; then the same difference where the canary word is broken up is taken off.
The text after the site is primary, the p values of the three regions are corrected for their
number, and no sign is demanded. A bigram model says what collocation alone is worth.
"""

from collections.abc import Callable, Mapping
from typing import Any

from builders.eras.likelihoods import N_REPEATED, OCCLUDERS
from metrics.minimal_pair_preference.members import Measures, measures
from research.studies.likelihoods import Part, likelihood_study

READING = """Percent of pairs whose test sentence is better, with what the occluded sentences prefer
taken off; 50 is no effect, and neither side is right. `effect`: (test - control) - (occluded test -
occluded control) in nats, `first half`: test - control alone; intervals over families of paradigms;
p by random signs, corrected for the three regions (rows "all") or the constructions. `after` is
primary. `extended`: pairs where a token crosses an end of the region, which then is larger."""


def is_primary(row: Mapping[str, Any]) -> bool:
    """Whether a row has the first occluder."""
    return bool(row["occluder"] == OCCLUDERS[0])


def repeated(occluder: str) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a row has this occluder and its pair is there with all of them."""
    return lambda row: row["occluder"] == occluder and int(row["pair_id"][3:]) < N_REPEATED


def after(row: Mapping[str, Any]) -> Measures:
    """The primary region alone."""
    return {"after": measures(row)["after"]}


STUDY = likelihood_study(
    __name__,
    __doc__,
    (
        Part("eras", "pairs", measures, f"occluder {OCCLUDERS[0]}", is_primary),
        *(
            Part("eras", "pairs", after, f"10 of each, occluder {one}", repeated(one))
            for one in OCCLUDERS
        ),
    ),
    nulls=("unigram:zh", "bigram:zh", "uniform"),
    reading=READING,
)
