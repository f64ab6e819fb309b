"""Do language models know a German clause from a broken one? Twins, and preferences without right.

    python -m research sorts likelihoods
    python -m research sorts likelihoods --systems transformers:NAME

Each system gives every token of every text a log-probability. The grammatical twin of a pair should
have the larger sum. Beside every row stand what length and n-grams get, and intervals over triples.
"""

from metrics.minimal_pair_preference.members import measures
from research.studies.likelihoods import Part, likelihood_study

READING = """Percent of pairs whose grammatical member has the larger sum (`preference`: whose first
member has: roles as in the triple, the usual order). Effects in nats; intervals over triples; p by
random signs of their means, corrected for the constructions (Holm). Who knows word frequencies
alone gets exactly 50 of every violation, both orders together. `extended`: pairs where a token
crosses an end of the compared stretch."""
QUESTIONS = """Do language models answer who does what to whom in German? Two choices, six orders.

    python -m research sorts likelihoods --variant questions
    python -m research sorts likelihoods --variant questions --systems transformers:NAME

The right answer should have the best SLLN. Beside every row stands what n-grams get."""
READING_OF_QUESTIONS = """\
Percent of questions whose answer has the best SLLN of both choices; 50 is chance. Both
roles are asked for, with the choices in both orders, about every order of the clause. Intervals
over triples."""
NULLS = ("unigram:de", "bigram:de", "uniform")
PAIRS, PREFERENCE = (Part("sorts", config, measures) for config in ("pairs", "preference"))
ASKED = Part("sorts", "questions", measures)
STUDY = likelihood_study(__name__, __doc__, (PAIRS, PREFERENCE), NULLS, READING).having(
    questions=likelihood_study(
        __name__, QUESTIONS, (ASKED,), NULLS, READING_OF_QUESTIONS, "questions"
    )
)
