"""Raters that do not exist: answers to whole sheets, as the page would write them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from builders.forms import RatingForm
from publish.form.sheets import sheet_content
from tests.support.form_pages import right

Reply = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def invented_answers(
    form: RatingForm, sheet: int, rater: str, reply: Reply = right, *, attends: bool = True
) -> list[dict[str, Any]]:
    """What an invented rater answers to every page of a sheet.

    Args:
        form: The form.
        sheet: Number of the sheet.
        rater: The rater's number.
        reply: Gives the answer to an item; checks are answered right.
        attends: Whether the attention items are answered right too.
    """
    expected = {item.id: item.expected[0] for item in form.fixed_items("attention")}
    lines = []
    for place, page in enumerate(sheet_content(form, 0, sheet)["pages"]):
        if page["role"] == "attention":
            answer = right(page | {"expected": [expected[page["id"]]]}) if attends else WRONG
        else:
            answer = (reply if page["role"] == "item" else right)(page)
        lines.append(_line(form, sheet, rater, place, page["id"], page["role"], answer))
        if page["kind"] == "read":
            lines[-1]["reading_milliseconds"] = 4000
    return [*lines, _line(form, sheet, rater, len(lines), "comment", "comment", {"text": ""})]


WRONG = {"value": 99, "choice": "nothing of this kind"}


def _line(
    form: RatingForm,
    sheet: int,
    rater: str,
    place: int,
    item: str,
    role: str,
    answer: Mapping[str, Any],
) -> dict[str, Any]:
    known = {"form": form.full_name, "version": form.version, "seed": 0, "sheet": sheet}
    return known | {
        "rater": rater,
        "place": place,
        "item": item,
        "role": role,
        "answer": answer,
        "milliseconds": 1500,
    }


def write_answers(path: Path, lines: list[dict[str, Any]]) -> Path:
    """Writes lines as the page does."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path
