"""Matched-pair accuracy inside a Trainer: spans, generated texts or choices in, replies out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..columns import FloatArray, shown
from ..trainer import (
    Compute,
    TrainerScores,
    first_array,
    generated_texts,
    row_dataset,
    text_dataset,
)

TASKS = ("generate", "span", "choice")
LONGEST_SPAN = 30  # tokens
LARGEST_LOSS = -1e9


def prompt(row: Mapping[str, Any]) -> str:
    """A question as the training views of `centerbench` ask it."""
    return f"{row['sentence']}\nQuestion: {row['question']}\nAnswer:"


def choices(row: Mapping[str, Any]) -> list[str]:
    """The nouns of a row's sentence, in its order, as the view `choice` has them."""
    return [f"the {event['subject']}" for event in reversed(row["events"])]


def replies(task: str, rows: Sequence[Mapping[str, Any]], given: Any, tokenizer: Any) -> list[str]:
    """The reply to each row.

    Args:
        task: `generate` (token ids), `span` (start and end logits) or `choice` (a logit for each of
            the sentence's nouns).
        rows: The questions.
        given: What Trainer predicted.
        tokenizer: Needed for the first two.
    """
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
    starts, ends = [], []
    for i, row in enumerate(rows):
        place = row["sentence"].lower().find(row["answer"].lower())
        found = [0, 0]
        for k, (a, b) in enumerate(encoded["offset_mapping"][i] if place >= 0 else []):
            if encoded.sequence_ids(i)[k] == 1:
                found[0] = k if a == place else found[0]
                found[1] = k if b == place + len(row["answer"]) else found[1]
        starts.append(found[0])
        ends.append(found[1])
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


def trainer_scores(
    compute: Compute, rows: Any, tokenizer: Any, task: str, options: Mapping[str, Any]
) -> TrainerScores:
    """The metric's `for_trainer`, with its `compute`."""
    if task not in TASKS or (tokenizer is None and task != "choice"):
        raise ValueError(
            f"matched_pair_accuracy: task, got {shown(task)} and tokenizer {tokenizer}; "
            f"expected {', '.join(TASKS)}, the first two with a tokenizer"
        )
    questions = [dict(row) for row in rows]

    def score_replies(given: Any) -> dict[str, Any]:
        settings = {**options, "scalars": True}
        found: dict[str, Any] = compute(predictions=given, references=questions, **settings)
        return found

    dataset = None
    if task == "span":
        encoded = encode_questions(tokenizer, questions)
        dataset = row_dataset({**encoded, **span_labels(encoded, questions)}).remove_columns(
            "offset_mapping"
        )
    elif task == "generate":
        texts = [prompt(row) for row in questions]
        dataset = text_dataset(tokenizer, texts, [row["answer"] for row in questions])
    return TrainerScores(
        score_replies,
        lambda given, _: replies(task, questions, given, tokenizer),
        questions,
        dataset,
    )
