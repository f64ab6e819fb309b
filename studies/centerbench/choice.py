"""Which of a sentence's own nouns or events answers a question? Forced choice by likelihood.

    python -m studies centerbench choice
    python -m studies centerbench choice --systems transformers:NAME

A choice is right where the answer has the best SLLN of all; nothing is generated, and nothing read
out of it. Beside it stand the chance by exclusion and the neighbouring noun.
"""

from builders.centerbench.likelihoods import measures
from studies.likelihoods import Part, likelihood_study

READING = """Percent whose answer has the best SLLN of the sentence's own nouns or events. The noun
of the question is never the answer, so chance is 1 / (n - 1); the neighbouring noun is right about
every agent of a center-embedded sentence. Intervals over sentence pairs."""
STUDY = likelihood_study(
    __name__,
    __doc__,
    (Part("centerbench", "choice", measures),),
    nulls=("unigram:en", "bigram:en", "uniform"),
    reading=READING,
)
