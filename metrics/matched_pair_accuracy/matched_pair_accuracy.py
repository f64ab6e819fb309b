"""Accuracy on matched plausible and implausible pairs as an evaluate module."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import evaluate
import numpy as np

from .._shared.columns import FloatArray, shown
from .._shared.module import (
    ScoringModule,
    TrainerScores,
    first_array,
    generated_texts,
    no_predictions,
    plain_rows,
    row_dataset,
    said_by,
    text_dataset,
)
from .decisions import decide
from .inputs import INPUTS, METRIC, answers_of
from .options import Options
from .scoring import score

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
        decisions are averaged; None where there is none (counted as wrong, and reported). Or
        answers by the `id` of their rows, or the path of a file that holds either.
    model (optional, in place of predictions): a function of a prompt, such as one that asks a chat
        endpoint, that returns the reply; the prompt is the sentence, the question and "Answer:".
    references: question rows of `centerbench`, passed as they are: `answer`, `pair_id`,
        `condition`; `events`, `depth` and `question_type` for the strict scorer; `level`,
        `sentence_id` and `domain` if there. A member of a pair may be missing.
{Options.documentation()}

Returns:
    accuracy_core: share of right answers to questions about structure (action, agent, nested
        dependency), in [0, 1].
    accuracy_convention: the same for causal sequence and chain consequence, conventions both.
    accuracy_count: the same for counting, each sentence once.
    accuracy_middle: the headline: share of right answers to what entities did that are neither
        outermost nor innermost, from level 3 on; chance is one in the number of verbs.
    accuracy: over all questions, as published; accuracy_macro, accuracy_macro_core: unweighted
        means over levels.
    accuracy_plausible, accuracy_implausible, gap: by condition and their difference, in [-1, 1];
        positive: plausibility helps. With _core too.
    median_gap, median_absolute_gap: over cells of level and question type.
    opening_level_core, opening_level: first level from which the gap stays above delta, and its
        simultaneous interval above 0, or "none"; opening_level_point_core, opening_level_point: the
        same without intervals. _earliest, _latest: of gaps that all lie in
        their simultaneous intervals.
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

TASKS = ("generate", "span", "choice")
LONGEST_SPAN = 30  # tokens
LARGEST_LOSS = -1e9


def prompt(row: Mapping[str, Any]) -> str:
    """A question as the training views of `centerbench` ask it."""
    return f"{row['sentence']}\nQuestion: {row['question']}\nAnswer:"


def choices(row: Mapping[str, Any]) -> list[str]:
    """The nouns of a row's sentence, in its order."""
    return [f"the {event['subject']}" for event in reversed(row["events"])]


def replies(task: str, rows: Sequence[Mapping[str, Any]], given: Any, tokenizer: Any) -> list[str]:
    """The reply to each row, of what Trainer predicted; `for_trainer` describes the tasks."""
    if task == "generate":
        return generated_texts(tokenizer, given)
    if task == "choice":
        logits = first_array(given)
        offered = [choices(row) for row in rows]
        return [o[int(row[: len(o)].argmax())] for o, row in zip(offered, logits, strict=True)]
    start, end = (np.asarray(part, np.float64) for part in given[:2])
    return [_span(row, tokenizer, start[i], end[i]) for i, row in enumerate(rows)]


def encode_questions(tokenizer: Any, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Question and sentence of each row, as `run_qa.py` puts them before a model."""
    return tokenizer(
        [row["question"] for row in rows],
        [row["sentence"] for row in rows],
        return_offsets_mapping=True,
    )


def span_labels(encoded: Any, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Start and end position of each answer, 0 where it does not stand in the sentence."""
    starts, ends = [0] * len(rows), [0] * len(rows)
    for i, row in enumerate(rows):
        place = row["sentence"].lower().find(row["answer"].lower())
        for k, (a, b) in enumerate(encoded["offset_mapping"][i] if place >= 0 else []):
            if encoded.sequence_ids(i)[k] == 1:
                starts[i] = k if a == place else starts[i]
                ends[i] = k if b == place + len(row["answer"]) else ends[i]
    return {"start_positions": starts, "end_positions": ends}


def _span(row: Mapping[str, Any], tokenizer: Any, start: FloatArray, end: FloatArray) -> str:
    """The likeliest span of the sentence, of at most LONGEST_SPAN tokens."""
    encoded = encode_questions(tokenizer, [row])
    inside = [k for k, s in enumerate(encoded.sequence_ids(0)) if s == 1]
    first, last = inside[0], inside[-1] + 1
    scores = start[first:last, None] + end[None, first:last]
    scores = np.where(np.tri(last - first, dtype=bool).T, scores, LARGEST_LOSS)
    scores = np.where(np.tri(last - first, k=-LONGEST_SPAN, dtype=bool).T, LARGEST_LOSS, scores)
    a, b = np.unravel_index(int(scores.argmax()), scores.shape)
    offsets = encoded["offset_mapping"][0]
    return str(row["sentence"][offsets[first + a][0] : offsets[first + b][1]])


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class MatchedPairAccuracy(ScoringModule, evaluate.Metric):
    """Accuracy on matched pairs."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)
    decide = staticmethod(decide)  # on one reply to one row, without its pair

    def compute(
        self, *, predictions: Any = None, references: Any = None, model: Any = None, **options: Any
    ) -> Any:
        """Scores answers, or who answers: see `ScoringModule.compute`.

        Args:
            predictions: Answers in the order of the rows, by their ids, or the path of a file.
            references: The questions.
            model: In place of predictions, a function of a prompt that returns the reply.
            **options: As described below.
        """
        if model is not None:
            no_predictions(METRIC, "model", predictions)
            rows = plain_rows(f"{METRIC}: references", references)
            predictions = said_by(METRIC, model, [prompt(row) for row in rows])
        elif isinstance(predictions, Mapping | Path) or (
            isinstance(predictions, str) and os.path.isfile(predictions)
        ):
            rows = plain_rows(f"{METRIC}: references", references)
            predictions = answers_of(f"{METRIC}: predictions", predictions, rows)
        return super().compute(predictions=predictions, references=references, **options)

    def for_trainer(
        self, rows: Any, tokenizer: Any = None, task: str = "generate", **options: Any
    ) -> TrainerScores:
        """A `compute_metrics` of answers to `rows`, questions of `centerbench`, in their order.

        `task` says what a model predicts: `generate` token ids, `span` start and end logits (both
        need the tokenizer), `choice` a logit for each noun in its order. options: as `compute`.
        """
        if task not in TASKS or (tokenizer is None and task != "choice"):
            got = f"{shown(task)} and tokenizer {tokenizer}"
            expected = f"{', '.join(TASKS)}, the first two with a tokenizer"
            raise ValueError(f"matched_pair_accuracy: task, got {got}; expected {expected}")
        questions = [dict(row) for row in rows]
        dataset = None
        if task == "span":
            encoded = encode_questions(tokenizer, questions)
            dataset = row_dataset({**encoded, **span_labels(encoded, questions)})
            dataset = dataset.remove_columns("offset_mapping")
        elif task == "generate":
            texts = [prompt(row) for row in questions]
            dataset = text_dataset(tokenizer, texts, [row["answer"] for row in questions])

        def read(given: Any, label_ids: Any) -> list[str]:
            return replies(task, questions, given, tokenizer)

        return self.trainer_scores(read, questions, questions, dataset, options)
