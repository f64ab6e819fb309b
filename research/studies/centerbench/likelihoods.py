"""Do language models keep track of who did what? Two nouns after both members of a pair, crossed.

    python -m research centerbench likelihoods
    python -m research centerbench likelihoods --systems transformers:NAME

A pair is right where the noun of the plausible member gains more after it than the noun of the
implausible one; what is only likelier, or shorter, cancels, and n-grams get exactly half.
"""

from metrics.minimal_pair_preference.members import measures
from research.studies.likelihoods import Part, likelihood_study

READING = """Percent right, where the noun that is right after the plausible member gains more by it
than the other noun; 50 is chance, and frequency and length cancel; `uncrossed`: percent of single
sentences whose noun is likelier. Intervals over sentence pairs."""
CHOICE = """Which of two verbs, or of two nouns, does a sentence say? Choice by likelihood.

    python -m research centerbench likelihoods --variant choice
    python -m research centerbench likelihoods --variant choice --systems transformers:NAME

A choice is right where the answer has the better SLLN; nothing is generated, and nothing read out
of it."""
READING_OF_CHOICE = """\
Percent whose answer has the better SLLN of the two that a question offers; 50 is chance, and no
place in the sentence tells which is right. Intervals over sentence pairs."""
NULLS = ("unigram:en", "bigram:en", "uniform")
PAIRS, CHOICES = (Part("centerbench", config, measures) for config in ("pairs", "choice"))
STUDY = likelihood_study(__name__, __doc__, (PAIRS,), NULLS, READING).having(
    choice=likelihood_study(__name__, CHOICE, (CHOICES,), NULLS, READING_OF_CHOICE, "choice")
)
