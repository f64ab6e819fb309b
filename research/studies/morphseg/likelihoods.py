"""Do language models feel where a morpheme ends? Right and shifted boundaries, three separators.

    python -m research morphseg likelihoods
    python -m research morphseg likelihoods --systems transformers:NAME

The words are of an invented language, so that what a model prefers is the look of a cut; a model
that is trained on the pool's own words can do better.
"""

from metrics.minimal_pair_preference.members import measures
from research.studies.likelihoods import Part, likelihood_study

READING = """Percent of words whose own boundaries have the larger sum; 50 is chance. Intervals over
words. The language is invented, and no model has seen it."""
STUDY = likelihood_study(
    __name__, __doc__, (Part("morphseg", "pairs", measures),), nulls=("uniform",), reading=READING
)
