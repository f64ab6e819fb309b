"""Accuracy, precision, recall, F1 and edit distance of morphological segmentation."""

from collections.abc import Sequence
from typing import Any

import evaluate

from ..columns import DirectCompute
from ..trainer import BMES, TrainerScores
from .inputs import INPUTS
from .options import Options, read_options
from .scoring import score
from .training import trainer_scores

_DESCRIPTION = """\
How well a system divides words into morphemes: share of words that are right as a whole, morpheme
precision, recall, F1 and edit distance. What counts as a found morpheme (membership, multiset, lcs,
boundary), how words are averaged (word, corpus) and which golds count is named.
"""
_CITATION = "liu-prudhommeaux-2022-data"
_INPUTS = f"""\
Args:
    predictions: one segmentation per word: a list of morphemes, such as ["paper", "s"]; an empty
        list is a word without an answer.
    references: one gold per word, or a list of golds per word, of which the best counts.
    category: the class of each word, a text such as "110" (SIGMORPHON 2022), or None; for tables.
{Options.documentation()}
Returns:
    accuracy, precision, recall, f1 (higher is better, in [0, 1]; recall and f1 can exceed 1 under
    "membership"), distance (characters, lower is better), each with `_low`, `_high` and
    `_interval`; n, n_clusters (distinct words), n_other_words (predictions that do not spell the
    word), version, options, signature. preset="paper" adds `<score>_percent` as the published
    evaluator prints it, category the table by_category.
Example:
    >>> import evaluate
    >>> segmentation = evaluate.load("morpheme_segmentation")
    >>> predictions = [["paper", "s"], ["un", "do"]]
    >>> references = [["pap", "er", "s"], ["un", "do"]]
    >>> result = segmentation.compute(predictions=predictions, references=references)
    >>> round(result["f1"], 3)
    0.7
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class MorphemeSegmentation(DirectCompute, evaluate.Metric):
    """Scores of morphological segmentation."""

    contract = INPUTS

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=INPUTS.features(),
            reference_urls=["https://doi.org/10.1162/tacl_a_00467"],
        )

    def _compute(
        self, predictions: Any, references: Any, category: Any = None, **options: Any
    ) -> dict[str, Any]:
        inputs = {"predictions": predictions, "references": references, "category": category}
        return score(inputs, read_options(**options))

    def for_trainer(
        self, rows: Any, tokenizer: Any = None, labels: Sequence[str] = BMES, **options: Any
    ) -> TrainerScores:
        """A `compute_metrics` of a tagger of letters, or of a model that writes morphemes.

        Which of the two is told by what was predicted: logits over B, M, E, S for each letter, or
        generated token ids, whose text has blanks between morphemes (`predict_with_generate=True`,
        with a `dataset` of your own that has `text` and `target`).

        Args:
            rows: Words of `morphseg`, with `morphemes`, in the order in which they are predicted.
            tokenizer: Of the model; makes `dataset`, the words as letters with tags.
            labels: The tags in the model's order.
            **options: As in `compute`.
        """
        return trainer_scores(self.compute, rows, tokenizer, labels, options)
