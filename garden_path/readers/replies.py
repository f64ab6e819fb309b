"""Replies to questions: a user's file in, the reply to each question out."""

import re
from collections import Counter
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
from ground.records import Records, fields_of, number_of, value_of, without_counter
from metrics._shared.plain_text import TextError, cut

ANSWERS = (*OF_MODELS, "answer")  # the last is also what golds are called
REPLIES = re.compile(
    r"(?i)(?:output|response|reply|generation|prediction|completion)s?$"
    r"|^(?:model|llm|system|predicted|generated|pred)_(?:answer|text)$|^pred$"
)
ENDS = ("finish_reason", "stop_reason")
CUT_OFF = ("length", "max_tokens", "content_filter")
NO_ERRORS = ("", "none", "null", "nan", "false")


def read_answers(
    path: str | Path, questions: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """The reply to each question (its sentence and the question, joined by a blank), as given.

    A file has a reply a line; or it is a table or JSON with `answer` (`reply`, `response`,
    `prediction`) and `id`, or `sentence` and `question`.
    """
    records = read_records(path, (*ANSWERS, *TEXTS, "question", *IDS))
    records = replace(records, rows=[with_id_of_item(row) for row in records.rows])
    records = without_counter(with_ids(records, ids))
    texts = [_question(row) for row in records.rows]
    _check_gold(records)
    used = {name for row in records.rows for name in ANSWERS if value_of(row, (name,)) is not None}
    if len(used) > 1:
        first = next(name for name in ANSWERS if name in used)
        said = f"{first} read, not {', '.join(sorted(used - {first}))}"
        records = replace(records, said=(*records.said, said))

    def read(records: Records, place: int) -> str | None:
        _check_request(records, place)
        found = value_of(records.rows[place], (*ANSWERS, *OF_PROGRAMS, "line"))
        if isinstance(found, bool):
            raise TextError(f"{records.place(place)}: reply, got {found}; expected a text")
        reply = reply_of(found, records.place(place))
        # pandas writes nan for what is missing
        return None if (reply or "").strip().casefold() in ("", "nan") else reply

    made = aligned(records, texts, questions, ids, read, "prediction, response or answer")
    rows = [records.rows[place] for place in {*made.matched.places} if place is not None]
    ends = Counter(str(end).lower() for row in rows for end in fields_of(row, ENDS))
    cut_off = [f"{ends[end]:,} replies cut off ({end})" for end in CUT_OFF if ends[end]]
    return replace(made, said=(*made.said, *cut_off))


def _check_request(records: Records, place: int) -> None:
    """Refuses a reply beside an error, or a status of HTTP that is one: the request failed."""
    row = records.rows[place]
    for one in fields_of(row, ("error", "status_code")):
        status = number_of(one)
        is_fine = str(one).strip().lower() in NO_ERRORS if status is None else status < 400
        if one and not is_fine:
            got = cut(str(one), 60)
            raise TextError(
                f"{records.place(place)}: reply, got a request that failed ({got}); expected one"
                " that was answered: ask it again"
            )


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
