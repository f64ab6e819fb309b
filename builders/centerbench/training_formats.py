"""Questions in the columns that training scripts read: one function a format.

Rows of config `questions` come in, rows of one format go out; a format leaves out the questions
that it cannot hold. What is wrong on offer is taken from the sentence itself: another entity's
answer, another noun, what another entity did.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import Any

from builders.centerbench.events import CenterVerb, Event
from builders.columns import Row

SPAN_TYPES = ("agent_identification", "nested_dependency")
N_ENDINGS = 4


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


def squad(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Questions whose answer stands in the sentence, word for word, in one place."""
    for row in rows:
        places = _places(row["answer"], row["sentence"])
        if row["question_type"] in SPAN_TYPES and len(places) == 1:
            start, end = places[0]
            yield {
                "context": row["sentence"],
                "question": row["question"],
                "answers": {"text": [row["sentence"][start:end]], "answer_start": [start]},
                "id": row["id"],
            }


def choice(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Who did it: the choices are the sentence's own nouns, in its order."""
    for row in rows:
        choices = [f"the {event['subject']}" for event in reversed(row["events"])]
        if row["question_type"] == "agent_identification":
            yield {
                "question": f"{row['sentence']} {row['question']}",
                "choices": choices,
                "label": choices.index(row["answer"]),
                "id": row["id"],
            }


def swag(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """What an entity did, among what the sentence's other verbs would have it do."""
    for row in rows:
        if row["question_type"] == "action_performed" and len(row["events"]) > N_ENDINGS - 2:
            endings = _endings(row)
            right = endings[0]
            Random(str(row["id"])).shuffle(endings)
            yield {
                "sent1": row["sentence"],
                "sent2": f"The {row['entity']}",
                **{f"ending{i}": ending for i, ending in enumerate(endings)},
                "label": endings.index(right),
                "id": row["id"],
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


def _places(answer: str, sentence: str) -> list[tuple[int, int]]:
    pattern = re.compile(rf"\b{re.escape(answer)}\b", re.IGNORECASE)
    return [match.span() for match in pattern.finditer(sentence)]


def _endings(row: Row) -> list[str]:
    """The right ending, then three others: verbs of the sentence with nouns of it."""
    events = [
        Event(event["subject"], CenterVerb(**event["verb"]), event["object"])
        for event in row["events"]
    ]
    right = next(event for event in events if event.subject == row["entity"])
    nouns = [event.subject for event in events if event.subject != row["entity"]]
    others = [
        event.verb.phrase(event.verb.past, noun)
        for event in events
        for noun in (nouns if event.object else [None])
        if (event.verb, noun) != (right.verb, right.object)
    ]
    chosen = Random(f"{row['id']}/endings").sample(sorted(set(others)), N_ENDINGS - 1)
    return [right.verb.phrase(right.verb.past, right.object), *chosen]


FORMATS: Mapping[str, Callable[[Iterable[Row]], Iterator[dict[str, Any]]]] = {
    "messages": messages,
    "completion": completion,
    "preference": preference,
    "squad": squad,
    "choice": choice,
    "swag": swag,
}
