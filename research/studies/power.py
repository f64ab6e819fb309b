"""What a round of a suite's forms can detect, by simulation; see `research.people.power`."""

from collections.abc import Mapping, Sequence
from typing import Any

from builders.forms import RatingForm
from ground.markdown import markdown_table
from publish.form.catalogue import forms
from research.people.power import ASSUMED, QUESTIONS, forms_of, power_rows
from research.studies.options import flag
from research.studies.report import Shown
from research.studies.study import Options, Run, Study

N_DRAWS = 2000
DRAWS = flag("draws", "simulated rounds a cell", N_DRAWS, low=1)


def power_study(suite: str) -> Study:
    """The study of a suite's forms."""
    about = (
        f"What a round of raters can detect in the forms of {suite}: power by simulation.\n\n"
        f"    python -m research {suite} power\n\n"
        f"Source: the designs of `builders/{suite}/forms.py`; nothing was measured on people.\n"
    )

    def rows(options: Options) -> Sequence[RatingForm]:
        return forms_of(suite)

    def score(found: Sequence[RatingForm], run: Run) -> dict[str, list[dict[str, Any]]]:
        return {form.full_name: power_rows(form, run.options.draws) for form in found}

    def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
        return [Shown("power", result_text(forms_of(suite), scored, options.draws), scored)]

    return Study(f"research.studies.{suite}.power", about, rows, score, show, options=(DRAWS,))


def result_text(found: Sequence[RatingForm], scored: Mapping[str, Any], draws: int) -> str:
    """The tables as Markdown."""
    scales = dict.fromkeys(QUESTIONS[form.full_name].scale for form in found)
    assumed = "; ".join(
        f"{scale}: " + ", ".join(f"{name} {sd:g}" for name, sd in ASSUMED[scale].items())
        for scale in scales
    )
    parts = [
        "**Simulated, not measured:** nobody has answered these forms yet. The share of"
        f" {draws:,} simulated rounds, in percent, whose 95 % interval lies on one side of 0."
        " Assumed standard deviations of raters and items, shares in logits: "
        f"{assumed.replace('_', ' ')}."
    ]
    for form in found:
        parts += [
            f"`{form.full_name}`: {QUESTIONS[form.full_name].text}. {form.n_raters} raters a round,"
            f" about {form.minutes} minutes each, {form.n_sheets} sheets.",
            markdown_table(scored[form.full_name]),
        ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


STUDIES = {suite: power_study(suite) for suite in dict.fromkeys(form.suite for form in forms())}
