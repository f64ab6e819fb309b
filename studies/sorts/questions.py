"""Do language models answer who does what to whom in German? Two choices, four cells, six orders.

    python -m studies sorts questions
    python -m studies sorts questions --systems transformers:NAME

The right answer should have the best SLLN. Beside every row stands what n-grams get.
"""

from builders.sorts.likelihood_questions import measures
from studies.likelihoods import Part, likelihood_study

READING = """Percent of questions whose answer has the best SLLN of both choices; 50 is chance. Both
roles are asked for, with the choices in both orders, about every order of the clause. Intervals
over triples."""
STUDY = likelihood_study(
    __name__,
    __doc__,
    (Part("sorts", "questions", measures),),
    nulls=("unigram:de", "bigram:de", "uniform"),
    reading=READING,
)
