"""GPER, the garden path error rate of ERAS, as an evaluate module; the maths is in `scoring.py`."""

from typing import Any

import datasets
import evaluate

from ..columns import DirectCompute
from .options import Options, read_options
from .scoring import score

_DESCRIPTION = """\
GPER, the garden path error rate, asks of a Chinese sentiment model whether a word that is not in the sentence sways it: a canary word that
exists only if the sentence is cut at the wrong place. It compares the model's probabilities for the sentence pairs of the data set `eras`,
with and without the character that completes the canary word, and attributes each misclassified pair to a garden path or to another cause.
"""

_CITATION = "li-hao-2025-eras"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one row per pair, four values: P(positive) of the test, the control, the occluded test and the occluded control sentence;
        or the first two only, and everything that needs occlusion is nan.
    references: one `paradigm_id` per pair, 1 to 39.
{Options.documentation()}

Returns:
    gper: (1 - overall_accuracy) * necessity, in [0, 1], lower is better; it has no zero, see gper_excess.
    gper_reverse: the same rate with the sign of every difference turned round, where no garden path can lead.
    gper_excess: gper - gper_reverse, in [-1, 1]; 0 where there is no garden-path effect.
    gper_joint: share of pairs that are misclassified and detected, mean over paradigms.
    gper_without_degenerate: gper without the paradigms whose occluded sentences are the same string.
    overall_accuracy: share of pairs classified correctly, mean over paradigms, in [0, 1]; 0.5 is best.
    necessity: share of misclassified pairs that occlusion attributes to a garden path; nan without any.
    sufficiency: share of detected garden paths that end in a misclassification; nan without any.
    <score>_low, <score>_high, <score>_interval: its interval over clusters and the method, or the reason why it is nan.
    by_paradigm, by_branching, by_sentiment: the same for parts of the suite; by_sentiment has control_minus_test, P(positive) of the
        control minus that of the test sentence.
    n, n_clusters, n_ties, n_occlusion_ties, saturated_share, version, options; per_item, if asked for.

Examples:
    Paradigms 1 and 3 are positive, 2 is negative. In the first pair the test sentence is rated lower than its control, an error, and
    without the canary word the two are closer: a garden path. The second pair is an error that occlusion does not explain.

    >>> gper = evaluate.load("gper")
    >>> predictions = [[0.2, 0.6, 0.5, 0.6], [0.7, 0.6, 0.5, 0.1], [0.8, 0.6, 0.5, 0.5]]
    >>> result = gper.compute(predictions=predictions, references=[1, 2, 3])
    >>> round(result["overall_accuracy"], 3), result["necessity"], round(result["gper"], 3)
    (0.333, 0.5, 0.333)
    >>> round(result["gper_reverse"], 3), round(result["gper_excess"], 3)
    (0.333, 0.0)

    Without occlusion there is accuracy, but no GPER.

    >>> result = gper.compute(predictions=[[0.2, 0.6], [0.7, 0.6]], references=[1, 2])
    >>> result["overall_accuracy"], result["gper"], result["gper_interval"]
    (0.0, nan, 'undefined: no occluded sentences were scored')
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Gper(DirectCompute, evaluate.Metric):
    """GPER of sentence pairs."""

    def _info(self) -> evaluate.MetricInfo:
        values = datasets.Sequence(datasets.Value("float64"))
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"predictions": values, "references": datasets.Value("int64")}
            ),
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        inputs = {"predictions": predictions, "references": references}
        return score(inputs, read_options(**options))
