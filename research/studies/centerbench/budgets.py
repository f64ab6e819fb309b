"""What more reasoning buys: accuracy on CenterBench by the budget that an endpoint is given.

    python -m research centerbench budgets --systems chat:MODEL --base-url URL --budgets 0 512 2048
    python -m research centerbench budgets --systems chat:MODEL --base-url URL --budget-field FIELD

Servers call the budget by different names: `--budget-field thinking.budget_tokens`, or whatever
yours documents. An endpoint may not keep to it, so the tokens that it says it used stand beside.
There is no default system, since no model of this kind can be asked everywhere; the variant
`scratchpad` has a small one that runs on any processor.

Source: Madhusudan, Chen and Emami (2026), sections 5.4 and 5.5, compare reasoning on and off.
"""

import argparse
import copy
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from dataset_scripts.headlines import HEADLINES
from garden_path.models.answerers import AnswererSettings
from ground.markdown import markdown_table, percent
from research.studies.centerbench import answers
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.options import flag
from research.studies.report import Shown, new_figure, null_line, png, score_line
from research.studies.study import Options, Rows, Run, Study

HEADLINE = HEADLINES["centerbench"]
BUDGETS = [0, 256, 1024, 4096]
FIELD = "field of a request that holds it: thinking.budget_tokens, for example"


def run_of_budget(run: Run, budget: int) -> Run:
    """The same run whose systems have a budget; it shares the store."""
    given = vars(run.options)
    usual = AnswererSettings().request if given["request"] is None else given["request"]
    request = budgeted(usual, budget, given["budget_field"])
    return Run(run.study, argparse.Namespace(**{**given, "request": request}), run.loop)


def budgeted(request: Mapping[str, Any], n_tokens: int, place: str) -> dict[str, Any]:
    """The fields of a request with a budget of reasoning; servers call it by different names.

    Example:
        >>> budgeted({"temperature": 0}, 512, "thinking.budget_tokens")
        {'temperature': 0, 'thinking': {'budget_tokens': 512}}
    """
    made = copy.deepcopy(dict(request))
    *outer, last = place.split(".")
    inner: Any = made
    for name in outer:
        inner = inner.setdefault(name, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or last in inner or "" in (*outer, last):
        raise ValueError(
            f"budget_field, got {place!r} with the request {json.dumps(dict(request))}; expected a"
            " field that it leaves open"
        )
    inner[last] = n_tokens
    return made


def takes_budget(name: str, run: Run) -> bool:
    """Whether a budget changes what a system is asked; else the curve would be flat for nothing."""
    return bool(run_of_budget(run, 1).system(name).version != run.system(name).version)


def work(questions: Rows, run: Run) -> None:
    """Asks every system every question under every budget."""
    budgets = run.options.budgets
    if not run.options.systems:
        raise ValueError("--systems, got none; expected an endpoint's model, such as chat:MODEL")
    if len(set(budgets)) < len(budgets):
        raise ValueError(f"--budgets, got {' '.join(map(str, budgets))}; expected each once")
    for name in run.options.systems:
        if not takes_budget(name, run):
            raise ValueError(f"--systems, got {name}, which takes no budget; expected chat:MODEL")
    for budget in budgets:
        answers.work(questions, run_of_budget(run, budget))


def score(questions: Rows, run: Run) -> list[dict[str, Any]]:
    """Results of the metric by system and budget, the smallest budget first."""
    found = []
    for name, budget in itertools.product(run.options.systems, sorted(run.options.budgets)):
        own = run_of_budget(run, budget)
        result = answers.score_system(own.system(name), questions, own)
        found.append(result | {"budget": budget})
    return found


def table_row(result: Mapping[str, Any]) -> dict[str, object]:
    """One line of the table, in percent; tokens of reasoning per question as the endpoint says."""
    n = result["n_reasoning_tokens"]
    return {
        "system": result["system"],
        "budget": result["budget"],
        **headline_columns(HEADLINE, result),
        "plausible": percent(result["accuracy_plausible_core"]),
        "implausible": percent(result["accuracy_implausible_core"]),
        "tokens of reasoning": None if n is None else n / result["n_asked"],
        "cut off": result["n_cut"],
        "coverage": percent(result["coverage"]),
    }


def plot(results: Sequence[Mapping[str, Any]]) -> bytes:
    """Draws the headline by budget with its interval, and what knowing nothing is worth."""
    figure = new_figure(7, 4)
    axes = figure.subplots()
    budgets = sorted({result["budget"] for result in results})
    for name in dict.fromkeys(result["system"] for result in results):
        own = [result for result in results if result["system"] == name]
        places = [budgets.index(result["budget"]) for result in own]
        score_line(axes, places, own, HEADLINE.score, marker="o", label=name)
    null_line(axes, HEADLINE.null(results[0]))
    axes.set_xticks(range(len(budgets)), [f"{budget:,}" for budget in budgets])
    axes.set(xlabel="tokens of reasoning allowed", ylabel="accuracy, core questions (%)")
    axes.set_ylim(-3, 103)
    axes.legend()
    return png(figure)


def show(results: Sequence[Mapping[str, Any]], options: Options) -> list[Shown]:
    """Table, figures and the curve."""
    figures = {f"{r['system']}/{r['budget']}": answers.numbers_of(r) for r in results}
    text = (
        "Percent by the budget of reasoning, with 95 % intervals over sentence pairs."
        f" {headline_sentence(HEADLINE)} Tokens of reasoning: on average per question, as the"
        f" endpoint counts.\n\n{markdown_table([table_row(result) for result in results])}"
    )
    return [Shown(text, figures, lambda: plot(results))]


OPTIONS = (
    flag("budgets", "tokens of reasoning", BUDGETS, kind=int, low=0, many="+"),
    flag("budget-field", FIELD, "reasoning.max_tokens", metavar="FIELD"),
)
STUDY = Study.of(
    __name__,
    rows=answers.rows,
    metrics=("matched_pair_accuracy",),
    options=(*answers.ROW_OPTIONS, answers.FAILURES, *OPTIONS),
    kind="answerer",
).with_variants()
