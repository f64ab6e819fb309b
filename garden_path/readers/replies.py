"""Replies to questions: a user's file in, the reply to each question out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from garden_path.readers.files import (
    OF_MODELS,
    OF_PROGRAMS,
    read_records,
    reply_of,
    with_id_of_item,
)
from garden_path.readers.matching import IDS, TEXTS, with_ids
from garden_path.readers.predictions import Predictions, aligned
from ground.records import Records, value_of
from metrics._shared.plain_text import TextError

ANSWERS = (*OF_MODELS, "answer")  # the last is also what golds are called
REPLIES = re.compile(
    r"(?i)(?:output|response|reply|generation|prediction|completion)s?$"
    r"|^(?:model|llm|system|predicted|generated|pred)_(?:answer|text)$|^pred$"
)


def read_answers(
    path: str | Path, questions: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """The reply to each question, as it was given.

    Args:
        path: A line a reply; or a table or JSON with `answer` (`reply`, `response`, `prediction`)
            and `id`, or `sentence` and `question`.
        questions: The sentence and the question of each row, joined by a blank.
        ids: Their ids.

    Raises:
        ValueError: The file is none of these, or belongs to other questions.
    """
    records = read_records(path, (*ANSWERS, *TEXTS, "question", *IDS))
    records = replace(records, rows=[with_id_of_item(row) for row in records.rows])
    records = with_ids(records, ids)
    texts = [_question(row) for row in records.rows]
    _check_gold(records)
    used = {name for row in records.rows for name in ANSWERS if value_of(row, (name,)) is not None}
    if len(used) > 1:
        first = next(name for name in ANSWERS if name in used)
        said = f"{first} read, not {', '.join(sorted(used - {first}))}"
        records = replace(records, said=(*records.said, said))

    def read(records: Records, place: int) -> str | None:
        found = value_of(records.rows[place], (*ANSWERS, *OF_PROGRAMS, "line"))
        if isinstance(found, bool):
            raise TextError(f"{records.place(place)}: reply, got {found}; expected a text")
        if str(found).strip().casefold() == "nan":  # as pandas writes what is missing
            return None
        return reply_of(found, records.place(place))

    return aligned(records, texts, questions, ids, read, "prediction, response or answer")


def _check_gold(records: Records) -> None:
    """Refuses `answer`, which is also what golds are called, beside another column of replies."""
    names = [str(name) for name in records.rows[0]] if records.rows else []
    known = {*ANSWERS, *TEXTS, *IDS, *OF_PROGRAMS}
    lowered = {name.lower() for name in names}
    if "answer" not in lowered or lowered & set(OF_MODELS):
        return
    if other := next((n for n in names if n.lower() not in known and REPLIES.search(n)), ""):
        raise TextError(
            f"{records.where}: replies, got the columns answer and {other}; expected one, or the"
            " reply in a column prediction"
        )


def _question(row: dict[str, Any]) -> str | None:
    asked = value_of(row, ("question",))
    if asked is None:
        return None
    return f"{value_of(row, TEXTS) or ''} {asked}"
