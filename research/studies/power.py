"""What a round of a suite's forms can detect: power by simulation, over their own sheets.

Raters and items have effects of their own, on the level of the answers and on the difference that
is asked for, with the standard deviations that `ASSUMED` states. An answer is drawn, the round is
analysed by the interval of `rater_intervals`, and detected is what lies wholly on one side of 0.
With no effect at all, the share detected is the rate of false alarms.

Nothing here was measured on people.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from builders.forms import STEPS, FormItem, RatingForm
from builders.sorts.forms import form_clauses
from ground.markdown import markdown_table
from metrics._shared.columns import BoolArray, FloatArray, IntArray
from publish.form.sheets import forms
from research.people.rater_intervals import crossed_difference, crossed_mean
from research.studies.options import flag
from research.studies.report import Shown
from research.studies.study import Options, Run, Study

Scale = Literal["share", "steps", "signed"]
ASSUMED = {
    "share": {"rater": 0.8, "item": 0.8, "rater_difference": 0.3, "item_difference": 0.3},
    "steps": {"rater": 0.7, "item": 0.8, "rater_difference": 0.3, "item_difference": 0.3},
    "signed": {"rater": 0.3, "item": 0.5},
}
RESIDUAL = 1.0  # steps
DISAGREED = 0.1  # of pairs ranked otherwise than alike, in each direction; published: 18.5 % in all
EFFECTS: dict[Scale, tuple[float, ...]] = {
    "share": (0, 0.05, 0.1, 0.2),
    "steps": (0, 0.25, 0.5, 1),
    "signed": (0, 0.02, 0.05, 0.1),
}
MOST = 25.0  # logits


@dataclass(frozen=True)
class PowerQuestion:
    """The difference that a form is asked about.

    `base` is the mean of shares and steps without an effect; `read` gives an item's cluster and
    whether it is of the first kind, None where it does not bear on the question.
    """

    text: str
    scale: Scale
    base: float
    read: Callable[[FormItem], tuple[str, bool] | None]
    per_item: int = 1


@cache
def _clauses() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in form_clauses()}


def _undecided(item: FormItem) -> tuple[str, bool] | None:
    row = _clauses()[item.id]
    is_first = {"plausibility": True, "none": False}.get(row["resolved_by"])
    return None if is_first is None else (row["triple_id"], is_first)


def _subject_first(item: FormItem) -> tuple[str, bool]:
    row = _clauses()[item.id]
    return row["triple_id"], row["subject"] < row["object"]


def _read(item: FormItem) -> tuple[str, bool]:
    return item.id.split("#")[0][:-2], item.id.split("#")[0].endswith("p")


def _natural(item: FormItem) -> tuple[str, bool]:
    return item.id.split("-")[0], item.id.endswith("/test")


def _ranked(item: FormItem) -> tuple[str, bool] | None:
    return _natural(item) if item.id.endswith("/test") else None


def _by_steps(text: str, read: Callable[[FormItem], tuple[str, bool]]) -> PowerQuestion:
    return PowerQuestion(text, "steps", 4, read)


TOWARDS = "pairs ranked towards the canary word minus pairs ranked away from it"
SETTLED = "subject taken, where `plausibility` settles minus where `none` does"
READING = PowerQuestion("plausible minus implausible, core", "share", 0.65, _read, 3)
QUESTIONS = {
    "eras-ranking": PowerQuestion(TOWARDS, "signed", 0, _ranked),
    "eras-naturalness": _by_steps("test minus control sentences", _natural),
    "centerbench-pilot": READING,
    "centerbench-reading": READING,
    "centerbench-plausibility": _by_steps("plausible minus implausible events", _read),
    "sorts-who": PowerQuestion(SETTLED, "share", 0.65, _undecided),
    "sorts-acceptability": _by_steps("subject first minus object first", _subject_first),
}


@dataclass(frozen=True)
class SimulatedAnswers:
    """Which answers a round has: rater, cluster and kind of each, as codes."""

    raters: IntArray
    items: IntArray
    is_first: BoolArray


@cache
def round_of(form: RatingForm, n_raters: int) -> SimulatedAnswers:
    """The answers that bear on the form's question, of that many raters."""
    question, rows = QUESTIONS[form.full_name], []
    for rater in range(n_raters):
        for item in form.deal(0, rater % form.n_sheets):
            found = question.read(item)
            rows += [(rater, *found)] * question.per_item if found else []
    clusters = np.unique([cluster for _, cluster, _ in rows], return_inverse=True)[1]
    raters = np.array([rater for rater, *_ in rows])
    return SimulatedAnswers(raters, clusters, np.array([is_first for *_, is_first in rows]))


def power(form: RatingForm, n_raters: int, effect: float, n_draws: int, seed: int = 0) -> float:
    """Share of simulated rounds that detect an effect, in [0, 1]; of false alarms for 0."""
    question, answers = QUESTIONS[form.full_name], round_of(form, n_raters)
    generator = np.random.default_rng([seed, n_raters, round(1000 * effect)])
    make = {"share": _shares, "steps": _steps, "signed": _signs}[question.scale]
    names: Any = (answers.raters, answers.items)
    n_detected = 0
    for _ in range(n_draws):
        values = make(answers, question.base, effect, generator).tolist()
        if question.scale == "signed":
            estimate = crossed_mean(values, *names, is_share=False)
        else:
            estimate = crossed_difference(values, answers.is_first.tolist(), *names)
        n_detected += estimate.low > 0 or estimate.high < 0
    return n_detected / n_draws


def _normal(generator: np.random.Generator, sd: float, codes: IntArray) -> FloatArray:
    return np.asarray(generator.normal(0, sd, int(codes.max()) + 1)[codes])


def _mixed(
    answers: SimulatedAnswers, scale: Scale, effect: float, generator: np.random.Generator
) -> FloatArray:
    """Level and difference of every answer, on the scale of the effects."""
    sds, half = ASSUMED[scale], np.where(answers.is_first, 0.5, -0.5)
    level = _normal(generator, sds["rater"], answers.raters)
    level = level + _normal(generator, sds["item"], answers.items)
    difference = effect + _normal(generator, sds["rater_difference"], answers.raters)
    return level + half * (difference + _normal(generator, sds["item_difference"], answers.items))


def _shares(
    answers: SimulatedAnswers, base: float, effect: float, generator: np.random.Generator
) -> FloatArray:
    centre, logits = _in_logits(base, effect)
    p = _logistic(centre + _mixed(answers, "share", logits, generator))
    return np.asarray((generator.random(len(p)) < p).astype(float))


def _steps(
    answers: SimulatedAnswers, base: float, effect: float, generator: np.random.Generator
) -> FloatArray:
    latent = base + _mixed(answers, "steps", effect, generator)
    return np.clip(np.rint(latent + generator.normal(0, RESIDUAL, len(latent))), 1, STEPS)


def _signs(
    answers: SimulatedAnswers, base: float, effect: float, generator: np.random.Generator
) -> FloatArray:
    """1 where a pair is ranked towards the canary word, -1 away from it, 0 alike."""
    sds = ASSUMED["signed"]
    pull = _normal(generator, sds["rater"], answers.raters)
    pull = pull + _normal(generator, sds["item"], answers.items)
    shares = DISAGREED + base + effect / 2, DISAGREED - base - effect / 2
    towards, away = (
        _logistic(np.log(share / (1 - share)) + sign * pull)
        for share, sign in zip(shares, (1, -1), strict=True)
    )
    drawn = generator.random(len(pull))
    return np.where(drawn < towards, 1.0, np.where(drawn > 1 - away, -1.0, 0.0))


@cache
def _in_logits(base: float, effect: float) -> tuple[float, float]:
    """Centre and difference in logits that give these shares on average over raters and items."""
    sds = ASSUMED["share"]
    spread = float(np.hypot(sds["rater"], sds["item"]))
    drawn = spread * np.random.default_rng(0).normal(size=20_000)
    low, high = (_solve(drawn, base + sign * effect / 2) for sign in (-1, 1))
    return (low + high) / 2, high - low


def _solve(drawn: FloatArray, share: float) -> float:
    low, high = -MOST, MOST
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if _logistic(middle + drawn).mean() < share else (low, middle)
    return low


def _logistic(x: npt.NDArray[np.float64]) -> FloatArray:
    return 1 / (1 + np.exp(-x))


def power_rows(form: RatingForm, n_draws: int) -> list[dict[str, Any]]:
    """Power in percent for half, all and twice the raters of a round, a row each."""
    scale = QUESTIONS[form.full_name].scale
    unit, factor = ("steps", 1) if scale == "steps" else ("points", 100)
    names = {e: f"{factor * e:g} {unit}" if e else "no effect" for e in EFFECTS[scale]}
    return [
        {"raters": n}
        | {name: 100 * power(form, n, effect, n_draws) for effect, name in names.items()}
        for n in (form.n_raters // 2, form.n_raters, 2 * form.n_raters)
    ]


def forms_of(suite: str) -> Sequence[RatingForm]:
    """The forms of a suite that ask about rows."""
    return [form for form in forms() if form.suite == suite]


N_DRAWS = 2000
DRAWS = flag("draws", "simulated rounds a cell", N_DRAWS, low=1)


def power_study(suite: str) -> Study:
    """The study of a suite's forms."""
    about = (
        f"What a round of raters can detect in the forms of {suite}: power by simulation.\n\n"
        f"    python -m research {suite} power\n\n"
        f"Source: the designs of `builders/{suite}/forms.py`; nothing was measured on people.\n"
    )

    def score(found: Sequence[RatingForm], run: Run) -> dict[str, list[dict[str, Any]]]:
        return {form.full_name: power_rows(form, run.options.draws) for form in found}

    def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
        return [Shown(result_text(forms_of(suite), scored, options.draws), scored)]

    name = f"research.studies.{suite}.power"
    return Study(name, about, lambda options: forms_of(suite), score, show, options=(DRAWS,))


def result_text(found: Sequence[RatingForm], scored: Mapping[str, Any], draws: int) -> str:
    """The tables as Markdown."""
    scales = dict.fromkeys(QUESTIONS[form.full_name].scale for form in found)
    assumed = "; ".join(
        f"{scale}: " + ", ".join(f"{name} {sd:g}" for name, sd in ASSUMED[scale].items())
        for scale in scales
    )
    parts = [
        f"**Simulated, not measured:** nobody has answered these forms yet. The share of {draws:,}"
        " simulated rounds, in percent, whose 95 % interval lies on one side of 0. Assumed standard"
        f" deviations of raters and items, shares in logits: {assumed.replace('_', ' ')}."
    ]
    for form in found:
        parts += [
            f"`{form.full_name}`: {QUESTIONS[form.full_name].text}. {form.n_raters} raters a round,"
            f" about {form.minutes} minutes each, {form.n_sheets} sheets.",
            markdown_table(scored[form.full_name]),
        ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


STUDIES = {suite: power_study(suite) for suite in dict.fromkeys(form.suite for form in forms())}
