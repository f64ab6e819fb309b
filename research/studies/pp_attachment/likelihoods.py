"""Do language models know what a phrase belongs to? Two orders crossed with two words.

    python -m research pp_attachment likelihoods
    python -m research pp_attachment likelihoods --systems transformers:NAME

A row is right where the word that fits one order gains more by it than the other word does; what is
only likelier, or shorter, cancels, and who counts words gets exactly half.
"""

from metrics.minimal_pair_preference.members import measures
from research.studies.likelihoods import Part, likelihood_study

READING = """Percent of rows in which the word that an order asks for gains by that order; 50 is
chance, and frequency and length cancel; `uncrossed`: percent of single orders whose word is
likelier. Readers of places, of distances and of two words side by side have exactly 50. Intervals
over frames."""
NULLS, PAIRS = ("unigram:de", "bigram:de", "uniform"), Part("pp_attachment", "pairs", measures)
STUDY = likelihood_study(__name__, __doc__, (PAIRS,), NULLS, READING)
