"""Accuracy on matched plausible and implausible pairs as an evaluate module."""

from collections.abc import Mapping
from typing import Any

import evaluate

from ..columns import DirectCompute
from ..trainer import TrainerScores
from .decisions import decide as decide_row
from .inputs import INPUTS
from .options import Options, read_options
from .scoring import score
from .statements import Decision
from .training import trainer_scores

_DESCRIPTION = """\
Asks whether a model reads structure or guesses from what is plausible: accuracy on questions about
center-embedded sentences, for plausible sentences and for implausible ones with the same structure,
the gap between the two, the depth of embedding where it opens, and how often both members of a pair
are answered rightly. Made for the data set `centerbench`; works for any rows with `answer`,
`pair_id` and `condition`.
"""

_CITATION = "madhusudan-etal-2026-dog"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one answer per row as a string, or a list of answers from several runs, whose
        decisions are averaged; None where there is none (counted as wrong, and reported).
    references: question rows of `centerbench`, passed as they are: `answer`, `pair_id`,
        `condition`; `events`, `depth` and `question_type` for the strict scorer; `level`,
        `sentence_id` and `domain` if there. A member of a pair may be missing.
{Options.documentation()}

Returns:
    accuracy_core: share of right answers to questions about structure (action, agent, nested
        dependency), in [0, 1]; the headline.
    accuracy_convention: the same for causal sequence and chain consequence, conventions both.
    accuracy_count: the same for counting, each sentence once.
    accuracy: over all questions, as published; accuracy_macro, accuracy_macro_core: unweighted
        means over levels.
    accuracy_plausible, accuracy_implausible, gap: by condition and their difference, in [-1, 1];
        positive: plausibility helps. With _core too.
    median_gap, median_absolute_gap: over cells of level and question type.
    opening_level_core, opening_level: first level from which the gap stays above delta, and its
        simultaneous interval above 0, or "none"; opening_level_point_core, opening_level_point: the
        same without intervals.
    both_correct, only_plausible, only_implausible, neither: shares of pairs; with _core too.
    both_correct_core_repaired_mean, _low, _high, _p: both_correct_core if matched by level only.
    sign_flip_p: p of no core gap, signs flipped by sentence pair; mcnemar_p_assumes_independence:
        of questions as if they were independent.
    chance_constant, chance_linear_order, chance_next_noun: accuracy of the best constants, of
        reading in linear order, of naming the neighbouring noun; chance: the largest; with _core
        too.
    trend_points, trend_log_odds, trend: slope of the core gap over levels, and what both say.
    unparsed_rate, _plausible, _implausible: share of replies in which nothing could be read.
    disagreement, by_disagreement: of the two scorers, if asked for.
    <score>_low, <score>_high, <score>_interval: its interval over sentence pairs and the method, or
        the reason why it is nan.
    by_level, by_condition, by_question_type, by_difficulty, by_domain, by_level_difficulty,
        by_level_question_type: the same for parts.
    n, n_pairs, n_complete_pairs, pair_coverage, n_clusters (sentence pairs), n_runs, n_missing,
        n_empty, coverage, version, options, signature; per_item, if asked for.

Examples:
    "The goat that the horse kicked bleated" and its implausible partner, one question each. The
    first answer says the same in other words, the second says who is kicked, not who kicks.

    >>> metric = evaluate.load("matched_pair_accuracy")
    >>> kick = {{"base": "kick", "past": "kicked", "participle": "kicked", "gerund": "kicking",
    ...         "third": "kicks", "tail": ""}}
    >>> bleat = {{"base": "bleat", "past": "bleated", "participle": "bleated",
    ...          "gerund": "bleating", "third": "bleats", "tail": ""}}
    >>> rows = []
    >>> for condition, agent, patient in (
    ...     ("plausible", "horse", "goat"), ("implausible", "goat", "horse")
    ... ):
    ...     events = [{{"subject": agent, "verb": kick, "object": patient}},
    ...               {{"subject": patient, "verb": bleat, "object": None}}]
    ...     rows.append({{"pair_id": "1-00000", "condition": condition, "level": 1, "depth": 0,
    ...                  "question_type": "agent_identification", "answer": f"the {{agent}}",
    ...                  "events": events}})
    >>> answers = ["It was the horse that kicked the goat.", "the horse"]
    >>> result = metric.compute(predictions=answers, references=rows)
    >>> result["accuracy_core"], result["gap_core"], result["both_correct"]
    (0.5, 1.0, 0.0)

    Any rows can be scored by equality.

    >>> rows = [{{"pair_id": 1, "condition": "plausible", "answer": "a"}},
    ...         {{"pair_id": 1, "condition": "implausible", "answer": "b"}}]
    >>> metric.compute(predictions=["A", "b"], references=rows, scorer="exact")["both_correct"]
    1.0
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class MatchedPairAccuracy(DirectCompute, evaluate.Metric):
    """Accuracy on matched pairs."""

    contract = INPUTS

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=INPUTS.features(),
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        given = {"predictions": predictions, "references": references}
        return score(given, read_options(**options))

    def decide(
        self, reply: str, row: Mapping[str, Any], *, accept_full_chain: bool = False
    ) -> Decision:
        """Decision on one reply to one row, without its pair; see `decisions.decide`."""
        return decide_row(reply, row, accept_full_chain=accept_full_chain)

    def for_trainer(
        self, rows: Any, tokenizer: Any = None, task: str = "generate", **options: Any
    ) -> TrainerScores:
        """A `compute_metrics` of answers to `rows`, questions of `centerbench`, in their order.

        `task` says what a model predicts: `generate` token ids, `span` start and end logits (both
        need the tokenizer), `choice` a logit for each noun in its order. options: as `compute`.
        """
        return trainer_scores(self.compute, rows, tokenizer, task, options)
