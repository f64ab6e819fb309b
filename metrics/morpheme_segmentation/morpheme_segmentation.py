"""Accuracy, precision, recall, F1 and edit distance of morphological segmentation."""

from collections.abc import Sequence
from typing import Any

import evaluate
import numpy as np

from .._shared.module import BMES, ScoringModule, TrainerScores, generated_texts, tagger
from .inputs import INPUTS
from .options import Options
from .scoring import score

_DESCRIPTION = """\
How well a system divides words into morphemes: share of words that are right as a whole, morpheme
precision, recall, F1 and edit distance. What counts as a found morpheme (membership, multiset, lcs,
boundary), how words are averaged (word, corpus) and which golds count is named.
"""
_CITATION = "liu-prudhommeaux-2022-data"
_REFERENCE_URLS = ["https://doi.org/10.1162/tacl_a_00467"]
_KWARGS_DESCRIPTION = f"""\
Args:
    predictions: one segmentation per word: a list of morphemes, such as ["paper", "s"]; an empty
        list is a word without an answer.
    references: one gold per word, or a list of golds per word, of which the best counts; or rows
        of `morphseg`, whose `alternatives` are the golds.
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


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class MorphemeSegmentation(ScoringModule, evaluate.Metric):
    """Scores of morphological segmentation."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

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
        words = [dict(row) for row in rows]
        golds = [list(row["morphemes"]) for row in words]
        cut, dataset = tagger(tokenizer, [list("".join(gold)) for gold in golds], golds, labels)

        def read(given: Any, label_ids: Any) -> list[list[str]]:
            if np.ndim(given) == 2:
                return [text.split() for text in generated_texts(tokenizer, given)]
            return cut(given, label_ids)

        return self.trainer_scores(read, words, golds, dataset, options)
