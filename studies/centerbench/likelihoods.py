"""Do language models keep track of who did what? Two nouns after both members of a pair, crossed.

    python -m studies centerbench likelihoods
    python -m studies centerbench likelihoods --systems transformers:NAME

A pair is right where the noun of the plausible member gains more after it than the noun of the
implausible one; what is only likelier, or shorter, cancels, and n-grams get exactly half.
"""

from builders.centerbench.likelihoods import measures
from studies.likelihoods import Part, likelihood_study

READING = """Percent right, where the noun that is right after the plausible member gains more by it
than the other noun; 50 is chance, and frequency and length cancel; `uncrossed`: percent of single
sentences whose noun is likelier. Intervals over sentence pairs."""
STUDY = likelihood_study(
    __name__,
    __doc__,
    (Part("centerbench", "pairs", measures),),
    nulls=("unigram:en", "bigram:en", "uniform"),
    reading=READING,
)
