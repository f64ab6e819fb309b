"""Do language models know what a phrase belongs to? Two orders crossed with two words.

    python -m studies pp_attachment likelihoods
    python -m studies pp_attachment likelihoods --systems transformers:NAME

A row is right where the word that fits one order gains more by it than the other word does; what is
only likelier, or shorter, cancels, and who counts words gets exactly half.
"""

from builders.pp_attachment.likelihoods import measures
from studies.likelihoods import Part, likelihood_study

READING = """Percent of rows in which the word that an order asks for gains by that order; 50 is
chance, and frequency and length cancel; `uncrossed`: percent of single orders whose word is
likelier. In both kinds of `holder` readers of last, of first and of nearest nouns have exactly 50
too; who prefers what was said later has none of `holder` and 50 of `holder_verb`. In `exclusion`
and `selection` words meet other neighbours in the two orders, which the bigrams show. Intervals
over frames."""
STUDY = likelihood_study(
    __name__,
    __doc__,
    (Part("pp_attachment", "pairs", measures),),
    nulls=("unigram:de", "bigram:de", "uniform"),
    reading=READING,
)
