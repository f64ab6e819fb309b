"""Garden path accuracy of ERAS, for word segmenters, as an evaluate module; the maths is in `scoring.py`."""

from typing import Any

import datasets
import evaluate

from ..columns import DirectCompute
from .options import Options, read_options
from .scoring import score

_DESCRIPTION = """\
Garden path accuracy asks of a Chinese word segmenter whether it cuts a sentence at the word that is there, or at a canary word that three
characters in a row suggest and the rest of the sentence rules out. It compares test sentences with such a site and their unambiguous
controls, as the data set `eras` holds them.
"""

_CITATION = "li-hao-2025-eras"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one pair of segmentations per item, [words of the test sentence, words of the control sentence]; the words of a sentence
        must concatenate to it.
    references: one row of `eras` per item, with `paradigm_id`, `site_start`, `test` and `control`; other fields are ignored.
{Options.documentation()}

Returns:
    test_accuracy, control_accuracy: share of sentences that are not cut as the canary word wants it, mean over paradigms, in [0, 1],
        higher is better; a sentence cut at both places of the site or at none counts as right.
    difference: control_accuracy - test_accuracy, in [-1, 1]; lower is better.
    garden_path_rate: share of pairs with the test sentence wrong and the control sentence right.
    canary_rate, true_word_rate: share of test sentences in which the canary word, or the true word, is a word.
    both_rate, neither_rate: share of test sentences cut at both places of the site, or at none.
    crossing_rate: share of test sentences in which a word crosses the true word.
    control_canary_rate, control_true_word_rate, ...: the same places of the control sentences.
    <score>_low, <score>_high, <score>_interval: its interval over clusters and the method, or the reason why it is nan.
    by_paradigm, by_branching, by_is_canary_in_lexicon: the same for parts of the suite.
    n, n_clusters, version, options; per_item, if asked for.

Examples:
    >>> metric = evaluate.load("garden_path_accuracy")
    >>> row = {{"paradigm_id": 4, "site_start": 2, "test": "学生留心机处理友人。", "control": "学生留计谋处理友人。"}}
    >>> misled = [["学生", "留心", "机", "处理", "友人", "。"], ["学生", "留", "计谋", "处理", "友人", "。"]]
    >>> right = [["学生", "留", "心机", "处理", "友人", "。"], ["学生", "留", "计谋", "处理", "友人", "。"]]
    >>> result = metric.compute(predictions=[misled, right], references=[row, row])
    >>> result["test_accuracy"], result["control_accuracy"], result["garden_path_rate"], result["canary_rate"]
    (0.5, 1.0, 0.5, 0.5)

    Did the segmenter know the word that misled it?

    >>> result = metric.compute(predictions=[misled], references=[row], lexicon={{"学生", "留心"}})
    >>> [(part["is_canary_in_lexicon"], part["canary_rate"]) for part in result["by_is_canary_in_lexicon"]]
    [(True, 1.0)]
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class GardenPathAccuracy(DirectCompute, evaluate.Metric):
    """Garden path accuracy of segmented sentence pairs."""

    def _info(self) -> evaluate.MetricInfo:
        text, number = datasets.Value("string"), datasets.Value("int64")
        row = {"paradigm_id": number, "site_start": number, "test": text, "control": text}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"predictions": datasets.Sequence(datasets.Sequence(text)), "references": row}
            ),
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        inputs = {"predictions": predictions, "references": references}
        return score(inputs, read_options(**options))
