"""Figures of what people answered to a form, beside the published ones.

    python -m research people eras-ranking ANSWERS ... [--ratings FILE]

ANSWERS are files that the pages gave, or folders of them. Nothing is written into a card.
"""

import argparse
import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path

from builders.centerbench.forms import read_replies
from dataset_scripts.ratings import FIELDS
from ground.files import write_whole
from ground.markdown import markdown_table
from publish.form.sheets import find_form, forms, forms_about_files
from research.people import audit, ranking, rating, reading
from research.people.answers import PersonAnswer, check_rows, items_of, read_answers
from research.people.tables import TableAnalysis
from research.studies.published_tables import human_rows

Analyse = Callable[[Sequence[PersonAnswer]], TableAnalysis]
SCORER_AUDIT = "scorer-audit"
AUDIT = f"centerbench-{SCORER_AUDIT}"
KNOWN: Mapping[str, Analyse] = {
    "eras-ranking": ranking.analyse,
    "sorts-who": rating.analyse_choices,
    **dict.fromkeys(("centerbench-pilot", "centerbench-reading"), reading.analyse),
    **{form: partial(rating.analyse, form) for form in rating.READERS},
}


def analysis_of(form: str, about: Path | None = None) -> Analyse:
    """The analysis of a form's answers, by its full name; a ValueError where none knows it."""
    if form == AUDIT and about is not None:
        return partial(audit.analyse, replies=read_replies(about))
    if form not in KNOWN:
        raise ValueError(f"form, got {form!r}; expected one that has an analysis")
    return KNOWN[form]


def analyse_people(arguments: Sequence[str]) -> int:
    """Prints the figures of a form's answers, of all raters and of those who attended."""
    options = _parser().parse_args(arguments)
    name = AUDIT if options.form == SCORER_AUDIT else options.form
    form = find_form(name, options.about)
    answers = read_answers(options.answers, form)
    analyse = analysis_of(name, options.about)
    checks = check_rows(answers, form)
    attending = {row["rater"] for row in checks if row["attends"]}
    if not (items := items_of(answers)):
        raise ValueError("answers, got no item; expected at least one")
    found = analyse(items)
    _show(f"{len(checks)} raters, {len(items):,} answers", found)
    left = [answer for answer in items if answer.rater in attending]
    if left and (missing := len(checks) - len(attending)):
        title = f"Without the {missing} who failed over a third of the attention items"
        _show(title, analyse(left))
    print(f"### Raters\n\n{markdown_table(checks)}")
    if published := human_rows(name):
        print(f"### Published\n\n{markdown_table(published)}")
    _write(options, found)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m research people", description=__doc__)
    names = [*(form.full_name for form in forms()), *forms_about_files(), SCORER_AUDIT]
    parser.add_argument("form", help=f"one of {', '.join(names)}")
    parser.add_argument("answers", nargs="+", type=Path, metavar="ANSWERS")
    parser.add_argument("--about", type=Path, metavar="FILE", help="what an audit was about")
    parser.add_argument("--ratings", type=Path, metavar="FILE", help="write them for push.py build")
    parser.add_argument("--replies", type=Path, metavar="FILE", help="write them for an audit")
    return parser


def _show(title: str, found: TableAnalysis) -> None:
    print(f"## {title}\n")
    for table in found.tables:
        print(f"### {table.title}\n\n{markdown_table(table.rows, digits=2)}")


def _write(options: argparse.Namespace, found: TableAnalysis) -> None:
    if options.ratings:
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerows([FIELDS, *(astuple(rating) for rating in found.ratings)])
        write_whole(options.ratings, text.getvalue())
    if options.replies:
        lines = [json.dumps(reply, ensure_ascii=False) for reply in found.replies]
        write_whole(options.replies, "".join(f"{line}\n" for line in lines))
