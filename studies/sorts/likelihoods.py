"""Do language models know a German clause from a broken one? Twins, and preferences without right.

    python -m studies sorts likelihoods
    python -m studies sorts likelihoods --systems transformers:NAME

Each system gives every token of every text a log-probability. The grammatical twin of a pair should
have the larger sum. Beside every row stand what length and n-grams get, and intervals over triples.
"""

from builders.sorts.likelihoods import measures
from studies.likelihoods import Part, likelihood_study

READING = """Percent of pairs whose grammatical member has the larger sum (`preference`: whose first
member has: roles as in the triple, the usual order). Effects in nats; intervals over triples; p by
random signs of their means, corrected for the constructions (Holm). Who knows word frequencies
alone gets exactly 50 of every violation, both orders together. `extended`: pairs where a token
crosses an end of the compared stretch."""
STUDY = likelihood_study(
    __name__,
    __doc__,
    (
        Part("sorts", "pairs", measures),
        Part("sorts", "preference", measures),
    ),
    nulls=("unigram:de", "bigram:de", "uniform"),
    reading=READING,
)
