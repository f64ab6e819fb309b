"""GPER, the garden path error rate of ERAS, as an evaluate module; the maths is in `scoring.py`."""

from typing import Any

import evaluate

from .._shared.module import (
    ScoringModule,
    TrainerScores,
    class_labels,
    score_labelled,
    text_dataset,
)
from .inputs import INPUTS, METRIC, pairs_of, sentences_of
from .options import Options
from .scoring import VIEWS, score, score_labels

_DESCRIPTION = """\
GPER asks of a Chinese sentiment model whether a word that is not in the sentence sways it: a canary
word that exists only if the sentence is cut at the wrong place. It compares the model's
probabilities for the sentence pairs of the data set `eras`, with and without the character that
completes the canary word: by how much that word pulls the model from the true word (the occlusion
effect), and how many misclassified pairs are attributed to it (the garden path error rate).
"""

_CITATION = "li-hao-2025-eras"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one row per pair, four values: P(positive) of the test, the control, the occluded
        test and the occluded control sentence; or the first two only, and everything that needs
        occlusion is nan; or six, with a test and a control sentence in which a character outside
        the site is masked (placebo). Named columns are taken by their names: test, control,
        occluded_test, occluded_control, placebo_test, placebo_control.
    references: one `paradigm_id` per pair, or the rows of the data set; pairs of
        paradigms without a sentiment, which some of the extended ones are, are left out.
    Or both are labels, 0 negative and 1 positive, of the first rows of a view `sentiment_*`, as
        `run_classification.py` passes them; the result is then that of labels.
{Options.documentation()}

Returns:
    occlusion_effect: mean over paradigms of s * [(control - test) - (occluded control - occluded
        test)] in log-odds, s = 1 or -1 the true sentiment; 0 without a garden-path effect, positive
        where the canary word pulls. occlusion_effect_p: signs of the clusters flipped.
    occlusion_effect_standardised: the same in standard deviations of the control log-odds over
        paradigms, which models are ranked by; nan where the interval of `sensitivity`, the mean
        control log-odds of positive minus negative paradigms, is not above 0.
    occlusion_effect_all, occlusion_effect_probability: with the paradigms whose occluded sentences
        are one string, and in P(positive). occlusion_effect_minus_placebo: minus that of a mask
        outside the site.
    occlusion_effect_difference, occlusion_effect_standardised_difference: with compared_with, this
        model minus the other.
    n_effect_paradigms, clipped_share: paradigms of the effect; probabilities within 1e-6 of 0 or 1.
    gper: (1 - overall_accuracy) * necessity, in [0, 1], lower is better; it has no zero.
    gper_reverse: the same rate after every difference has changed its sign: no garden path leads
        there. gper_excess: gper - gper_reverse, in [-1, 1]; 0 where there is no effect.
    gper_joint: share of pairs that are misclassified and detected, mean over paradigms.
    gper_without_degenerate: gper without paradigms whose occluded sentences are the same string.
    overall_accuracy: share of pairs classified correctly, mean over paradigms, in [0, 1]; 0.5 is
        best.
    necessity: share of misclassified pairs that occlusion attributes to a garden path; nan without.
    sufficiency: share of detected garden paths that end in a misclassification; nan without any.
    <score>_low, <score>_high, <score>_interval: its interval over clusters and the method, or the
        reason why it is nan.
    by_paradigm, by_family, by_branching, by_sentiment: the same for parts of the suite;
        by_sentiment has control_minus_test, P(positive) of control minus test sentence.
    n, n_clusters, n_ties, n_occlusion_ties, saturated_share, version, options, signature; per_item,
        if asked for.
    Of labels: pair_accuracy, the share of pairs with both sentences right, mean over paradigms, in
        [0, 1]; accuracy, test_accuracy, control_accuracy; difference, control minus test; each with
        _low and _high; n, n_pairs. Numbers only.

Examples:
    Paradigms 1 and 3 are positive, 2 is negative. In the first pair the test sentence is rated
    lower than its control, an error, and without the canary word the two are closer: a garden path.
    The second pair is an error that occlusion does not explain.

    >>> gper = evaluate.load("gper")
    >>> p = [[0.2, 0.6, 0.5, 0.6], [0.7, 0.6, 0.5, 0.1], [0.8, 0.6, 0.5, 0.5]]
    >>> result = gper.compute(predictions=p, references=[1, 2, 3])
    >>> round(result["overall_accuracy"], 3), result["necessity"], round(result["gper"], 3)
    (0.333, 0.5, 0.333)
    >>> round(result["gper_reverse"], 3), round(result["gper_excess"], 3)
    (0.333, 0.0)
    >>> [round(row["occlusion_effect"], 2) for row in result["by_paradigm"]]
    [1.39, -1.76, -0.98]

    Without occlusion there is accuracy, but no GPER and no effect.

    >>> result = gper.compute(predictions=[[0.2, 0.6], [0.7, 0.6]], references=[1, 2])
    >>> result["overall_accuracy"], result["gper"], result["gper_interval"]
    (0.0, nan, 'undefined: no occluded sentences were scored')
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Gper(ScoringModule, evaluate.Metric):
    """GPER of sentence pairs."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores values of pairs, or the classes and labels (0 and 1) of the rows of a view."""
        classes, labels = class_labels(predictions), class_labels(references)
        if classes is None or labels is None or len(classes) != len(labels):
            return super().compute(predictions=predictions, references=references, **options)
        options.pop("scalars", None)  # these are numbers only
        settings, is_right = self.options.read(options), classes == labels
        place = (METRIC, type(self).__module__, labels, VIEWS)
        return score_labelled(*place, lambda rows: score_labels(is_right, rows, settings))

    def for_trainer(self, rows: Any, tokenizer: Any = None, **options: Any) -> TrainerScores:
        """A `compute_metrics` of a sentiment model: logits (negative, positive) of each sentence.

        Rows are pairs of `eras`, or single sentences as `sentences_of` takes them, in the order in
        which they are predicted; a tokenizer makes `dataset` of them. Options as in `compute`.
        """
        inputs = sentences_of(rows)
        settings = {**options, "scale": "logit", "scalars": True}
        dataset = None
        if tokenizer is not None:
            labels = [row.get("label", 0) for row in inputs]
            dataset = text_dataset(tokenizer, [row["text"] for row in inputs], labels)
        return TrainerScores(
            lambda pairs: self.compute(predictions=pairs[0], references=pairs[1], **settings),
            lambda given, _: pairs_of(inputs, given),
            inputs,
            dataset,
        )
