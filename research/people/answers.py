"""Reads what people answered: JSON Lines as the page writes them, one answer a line.

A rater who was not attending is left out of the figures that say so, and named: nobody is dropped
silently, and every table says how many are in it.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from builders.forms import FormItem, RatingForm
from ground.tables import read_json_lines

LARGEST_FAILED_SHARE = 1 / 3  # of the attention items, of a rater who counts as attending


@dataclass(frozen=True)
class PersonAnswer:
    """One answer of one person.

    By kind of the page it is ranks by sentence, a text by question, `choice` and `sureness`, or
    `value`. What is read in two halves has the milliseconds of the first apart.
    """

    form: str
    version: str
    seed: int
    sheet: int
    rater: str  # the random number that stands for the person
    place: int  # among the person's answers
    item: str  # id of the page
    role: str  # what the page was for; `comment` for the comment
    answer: Mapping[str, Any]
    milliseconds: int  # from the page's appearing to its answer
    reading_milliseconds: int | None = None


NAMES = {field.name for field in fields(PersonAnswer)}
OPTIONAL = {"reading_milliseconds"}
KINDS: Mapping[str, type] = {
    **dict.fromkeys(("form", "version", "rater", "item", "role"), str),
    **dict.fromkeys(("seed", "sheet", "place", "milliseconds"), int),
    "answer": dict,
}


def read_answers(paths: Sequence[Path], form: RatingForm) -> list[PersonAnswer]:
    """Reads files of answers, or the `.jsonl` files of folders, all of one form.

    A ValueError names file and line of what is no answer, is of another form or version, or is
    there twice with another content.
    """
    found: dict[tuple[str, int], PersonAnswer] = {}
    for path in paths:
        for file in sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]:
            for number, record in read_json_lines(file):
                answer = _answer(f"{file}:{number}", record, form)
                key = (answer.rater, answer.place)
                if found.setdefault(key, answer) != answer:
                    raise ValueError(
                        f"{file}:{number}: answer, got a second one of rater {answer.rater} at"
                        f" place {answer.place}; expected one"
                    )
    if not found:
        places = ", ".join(map(str, paths)) or "no file"
        raise ValueError(f"{places}: answers, got none; expected files of answers (.jsonl)")
    return list(found.values())


def _answer(where: str, record: Mapping[str, Any], form: RatingForm) -> PersonAnswer:
    is_whole = NAMES - OPTIONAL <= set(record) <= NAMES
    if not is_whole or any(type(record[name]) is not kind for name, kind in KINDS.items()):
        raise ValueError(f"{where}: line, got {str(record)[:60]}; expected an answer of a form")
    answer = PersonAnswer(**record)
    for name, wanted in (("form", form.full_name), ("version", form.version)):
        if getattr(answer, name) != wanted:
            raise ValueError(f"{where}: {name}, got {getattr(answer, name)!r}; expected {wanted!r}")
    return answer


def items_of(answers: Sequence[PersonAnswer]) -> list[PersonAnswer]:
    """The answers to items, checks and comments left out."""
    return [answer for answer in answers if answer.role == "item"]


def check_rows(answers: Sequence[PersonAnswer], form: RatingForm) -> list[dict[str, Any]]:
    """How each rater did: a row each, in the order of their numbers."""
    expected = {item.id: item for role in CHECKED for item in form.fixed_items(role)}
    by_rater: dict[str, list[PersonAnswer]] = {}
    for answer in answers:
        by_rater.setdefault(answer.rater, []).append(answer)
    return [_check_row(by_rater[rater], expected) for rater in sorted(by_rater)]


CHECKED: tuple[Any, ...] = ("attention", "comprehension")


def _check_row(answers: Sequence[PersonAnswer], expected: Mapping[str, FormItem]) -> dict[str, Any]:
    wrong = {
        role: [not is_accepted(expected[a.item], a.answer) for a in answers if a.role == role]
        for role in CHECKED
    }
    attention = wrong["attention"]
    seconds = [answer.milliseconds / 1000 for answer in items_of(answers)]
    return {
        "rater": answers[0].rater,
        "items": len(seconds),
        "is_whole": any(answer.role == "comment" for answer in answers),
        "attention_failed": sum(attention),
        "attention": len(attention),
        "comprehension_wrong": sum(wrong["comprehension"]),
        "seconds": statistics.median(seconds) if seconds else float("nan"),
        "attends": sum(attention) <= LARGEST_FAILED_SHARE * len(attention),
    }


def is_accepted(item: FormItem, answer: Mapping[str, Any]) -> bool:
    """Whether an answer to a page is one of those that it accepts; of ranks the order counts."""
    given = answer.get("value", answer.get("choice"))
    return any(
        dense_ranks(answer) == dense_ranks(right) if item.kind == "rank" else given == right
        for right in item.expected
    )


def dense_ranks(ranks: Mapping[str, int]) -> dict[str, int]:
    """Ranks without gaps."""
    place = {rank: i for i, rank in enumerate(sorted(set(ranks.values())), 1)}
    return {name: place[rank] for name, rank in ranks.items()}
