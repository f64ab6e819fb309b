"""Garden path accuracy of word segmenters, as an evaluate module; the maths is in `scoring.py`."""

from collections.abc import Sequence
from typing import Any

import evaluate

from .._shared.module import (
    BMES,
    ScoringModule,
    TrainerScores,
    no_predictions,
    plain_rows,
    said_by,
    tagger,
)
from .inputs import INPUTS, METRIC
from .options import Options
from .scoring import score

_DESCRIPTION = """\
Garden path accuracy asks of a Chinese word segmenter whether it cuts a sentence at the word that is
there, or at a canary word that three characters in a row suggest and the rest of the sentence rules
out. It compares test sentences with such a site and their unambiguous controls, as the data set
`eras` holds them.
"""

_CITATION = "li-hao-2025-eras"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one pair of segmentations per item, [words of the test sentence, words of the
        control sentence]; the words of a sentence must concatenate to it.
    references: one row of `eras` per item, with `paradigm_id`, `site_start`, `test` and `control`;
        an `id` must not occur twice, other fields are ignored.
    model (optional, in place of predictions): a segmenter, a function of a sentence that returns
        its words, such as jieba.lcut.
{Options.documentation()}

Returns:
    pair_accuracy: headline, share of pairs whose test and control sentence both have the word that
        is there (the true word, and the one that replaces it), mean over paradigms, in [0, 1].
    pair_accuracy_chance: the same if the cuts did not depend on where the true word is; a segmenter
        that cuts every two characters has about a half. pair_accuracy_above_chance: the difference.
    resolution: true words among the test sentences cut as the true or as the canary word wants it,
        in [0, 1]; nan where there is none. commitment: the share of those sentences.
    word_accuracy, control_word_accuracy: share of sentences in which the word that is there comes
        out.
    garden_path_rate_given_control: share of wrong test sentences among the pairs whose control word
        comes out, over n_paradigms_given_control paradigms.
    test_accuracy, control_accuracy: as published, share of sentences that are not cut as the canary
        word wants it; a sentence cut at both places of the site or at none counts as right.
    difference: control_accuracy - test_accuracy, in [-1, 1]; lower is better.
    garden_path_rate: share of pairs with the test sentence wrong and the control sentence right.
    canary_rate: share of test sentences in which the canary word is a word.
    both_rate, neither_rate: share of test sentences cut at both places of the site, or at none.
    crossing_rate: share of test sentences in which a word crosses the true word.
    control_canary_rate, ...: the same places of the control sentences.
    <score>_low, <score>_high, <score>_interval: its interval over clusters and the method, or the
        reason why it is nan.
    pair_accuracy_difference, resolution_difference, <difference>_p, n_both_commit: with
        compared_with, this system minus the other.
    by_paradigm, by_branching, by_family, by_is_canary_in_lexicon: the same for parts of the suite.
    n, n_clusters, version, options, signature; per_item, if asked for.

Examples:
    >>> metric = evaluate.load("garden_path_accuracy")
    >>> row = {{"paradigm_id": 4, "site_start": 1}}
    >>> row |= {{"test": "他留心机处理。", "control": "他留计谋处理。"}}
    >>> control = ["他", "留", "计谋", "处理", "。"]
    >>> misled = [["他", "留心", "机", "处理", "。"], control]
    >>> right = [["他", "留", "心机", "处理", "。"], control]
    >>> result = metric.compute(predictions=[misled, right], references=[row, row])
    >>> result["pair_accuracy"], result["resolution"], result["commitment"]
    (0.5, 0.5, 1.0)
    >>> result["test_accuracy"], result["control_accuracy"], result["garden_path_rate"]
    (0.5, 1.0, 0.5)

    Did the segmenter know the word that misled it?

    >>> result = metric.compute(predictions=[misled], references=[row], lexicon={{"留心"}})
    >>> [part["canary_rate"] for part in result["by_is_canary_in_lexicon"]]
    [1.0]

    A segmenter itself, here one that cuts at every character.

    >>> metric.compute(model=list, references=[row])["pair_accuracy"]
    0.0
"""


SENTENCES = ("test", "control")


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class GardenPathAccuracy(ScoringModule, evaluate.Metric):
    """Garden path accuracy of segmented sentence pairs."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def compute(
        self, *, predictions: Any = None, references: Any = None, model: Any = None, **options: Any
    ) -> Any:
        """Scores segmentations, or `model`, a function of a sentence that returns its words."""
        if model is not None:
            no_predictions(METRIC, "model", predictions)
            rows = plain_rows(f"{METRIC}: references", references)
            sentences = [row[name] for row in rows for name in SENTENCES]
            words = [list(one) for one in said_by(METRIC, model, sentences)]
            predictions = [words[i : i + 2] for i in range(0, len(words), 2)]
        return super().compute(predictions=predictions, references=references, **options)

    def for_trainer(
        self, rows: Any, tokenizer: Any = None, labels: Sequence[str] = BMES, **options: Any
    ) -> TrainerScores:
        """A `compute_metrics` of a tagger of characters: logits over `labels`, here B, M, E, S.

        The test sentence of each row is predicted, then its control; a fast tokenizer makes
        `dataset` of them. Options as in `compute`.
        """
        pairs = [dict(row) for row in rows]
        inputs = [
            {"id": f"{row.get('id', i)}/{name}", "tokens": list(row[name])}
            for i, row in enumerate(pairs)
            for name in SENTENCES
        ]
        golds = [row.get(f"{name}_words") or row[name] for row in pairs for name in SENTENCES]
        cut, dataset = tagger(tokenizer, [row["tokens"] for row in inputs], golds, labels)

        def read(given: Any, label_ids: Any) -> list[list[list[str]]]:
            found = cut(given, label_ids)
            return [found[i : i + 2] for i in range(0, len(found), 2)]

        return self.trainer_scores(read, inputs, pairs, dataset, options)
