"""Questions in the columns that training scripts read: one function a format.

Rows of config `questions` come in, or questions with options (`crossings`); rows of one format go
out. What is wrong on offer is taken from the sentence itself: another entity's answer, another
noun, what another entity did.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import Any

from builders.centerbench.crossings import CrossedQuestion
from builders.columns import Row


def messages(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """A conversation of two turns."""
    for row in rows:
        asked = {"role": "user", "content": f"{row['sentence']}\n{row['question']}"}
        yield {"messages": [asked, {"role": "assistant", "content": row["answer"]}]}


def completion(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """A prompt that ends in "Answer:", and the answer after a blank."""
    for row in rows:
        yield {"prompt": prompt(row), "completion": f" {row['answer']}"}


def preference(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The answer, and what would be right of another entity of the sentence; a count is one off."""
    for same in _by_sentence(rows):
        for row in same:
            others = _other_answers(row, same)
            if others:
                rejected = Random(str(row["id"])).choice(others)
                yield {
                    "prompt": prompt(row),
                    "chosen": f" {row['answer']}",
                    "rejected": f" {rejected}",
                }


def solution(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The same prompt, and the answer that a reward compares a reply with."""
    for row in rows:
        yield {"prompt": prompt(row), "solution": row["answer"]}


def squad(questions: Iterable[CrossedQuestion]) -> Iterator[dict[str, Any]]:
    """Which of two nouns did it: the answer stands in the sentence, in one place.

    An id names both nouns, since the viewer wants texts of more than two lengths.
    """
    for asked in questions:
        if asked.question_type == "agent_identification":
            answer = asked.options[asked.label]
            start = re.search(rf"\b{answer}\b", asked.sentence, re.IGNORECASE).start()  # type: ignore[union-attr]  # all nouns are there
            text = asked.sentence[start : start + len(answer)]
            yield {
                "context": asked.sentence,
                "question": asked.question,
                "answers": {"text": [text], "answer_start": [start]},
                "id": f"{asked.id}:{'/'.join(option.split()[-1] for option in asked.options)}",
            }


def choice(questions: Iterable[CrossedQuestion]) -> Iterator[dict[str, Any]]:
    """What a noun did, or who did it: two answers, in the order of the sentence."""
    for asked in questions:
        yield {
            "question": f"{asked.sentence} {asked.question}",
            "choices": list(asked.options),
            "label": asked.label,
            "id": asked.id,
        }


def prompt(row: Row) -> str:
    """Sentence and question, as the views `completion` and `preference` ask."""
    return f"{row['sentence']}\nQuestion: {row['question']}\nAnswer:"


def _by_sentence(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """The questions about one sentence; those of the two members of a pair stand in turn."""
    for _, of_pair in groupby(rows, key=lambda row: row["pair_id"]):
        both = list(of_pair)
        for sentence_id in dict.fromkeys(row["sentence_id"] for row in both):
            yield [row for row in both if row["sentence_id"] == sentence_id]


def _other_answers(row: Row, same: Sequence[Row]) -> list[str]:
    if row["question_type"] == "entity_count":
        return [str(int(row["answer"]) - 1), str(int(row["answer"]) + 1)]
    answers = [other["answer"] for other in same if other["question_type"] == row["question_type"]]
    return sorted(set(answers) - {row["answer"]})


FORMATS: Mapping[str, Callable[[Iterable[Row]], Iterator[dict[str, Any]]]] = {
    "messages": messages,
    "completion": completion,
    "solution": solution,
    "preference": preference,
}
CROSSED: Mapping[str, Callable[[Iterable[CrossedQuestion]], Iterator[dict[str, Any]]]] = {
    "squad": squad,
    "choice": choice,
}
