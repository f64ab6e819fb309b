"""The report of the generalizability study: the paper's tables for every setting, and advice."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from builders.morphseg.sampling import Setting
from ground.markdown import interval, markdown_table, percent
from metrics.ranking_generalizability.scoring import verdict
from research.studies.morphseg import results as stored
from research.studies.morphseg.jobs import METRICS
from research.studies.morphseg.plan import SEQ2SEQ
from research.studies.published_tables import GeneralizabilityRow, generalizability_rows
from research.studies.report import headings


def advice(results: Sequence[Mapping[str, Any]], titles: Sequence[str]) -> str:
    """The page for what `ranking_generalizability` says of the F1 of each setting; "" for none."""
    if not results:
        return ""
    verdicts = map(percent_verdict, results)
    lines = [f"- **{title}.** {told}" for title, told in zip(titles, verdicts, strict=True)]
    text = "\n".join([*lines, "", *_rules(results)])
    return f"## How sure can you be of the winner?\n\n{text}\n"


def percent_verdict(result: Mapping[str, Any], unit: str = "data set", metric: str = "F1") -> str:
    """How sure the winner is of scores that are shares, in a few sentences and percent."""
    return verdict(result, unit, 100, f"points of {metric}", "split")


def _rules(results: Sequence[Mapping[str, Any]]) -> list[str]:
    regrets = [percent(result["expected_regret"]) for result in results]
    spreads = [percent(row["range"]) for result in results for row in result["by_system"]]
    opening = "Across these settings a" if len(results) > 1 else "A"
    return [
        f"{opening} single data set's winner loses {_span(regrets, 2)} points against the best"
        f" model, while one model's score moves by {_span(spreads, 1)} points from data set to data"
        " set. So:",
        "",
        "1. Report several data sets, their mean and range, not one score; the range says more"
        " about a new corpus than the mean does.",
        "2. Before naming a winner, look at what noise alone would give. Where agreement is no"
        " higher, the models are as good as tied.",
        "3. Choose among tied models by cost: the regret above is what the choice can cost you, and"
        " it is usually small.",
        "4. More splits of one data set make its score steadier, but only more data sets tell"
        " whether the ranking holds.",
        "5. All this is about further samples of the same word list. Another text, dialect or"
        " annotation can still turn the ranking round.",
    ]


def _span(values: Sequence[float], digits: int) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


PUBLISHED_SETTING = ("rus", 2000, "paper")
PUBLISHED_NAMES = headings("morphseg generalizability")


# title -> our field and the published one
TABLE_2 = {name: (name, name) for name in ("first", "mean", "min", "max", "sd")}
TABLE_2 |= {"% best": ("best_share", "percent_best")}


class Compared(NamedTuple):
    """A setting's scores with the comparison of its models by metric, empty without a second."""

    scores: stored.Scores
    by_metric: Mapping[str, dict[str, Any]]


def make_report(run: stored.StoredRun, compared: Sequence[Compared]) -> str:
    """The whole report as Markdown."""
    parts = [
        _introduction(run),
        *(setting_section(c) for c in compared),
        first_data_set_section(compared),
        new_tests_section(run),
        advice([c.by_metric["f1"] for c in compared if c.by_metric], _titles(compared)),
        failures_section(run),
    ]
    return "\n".join(part for part in parts if part)


def card_text(compared: Sequence[Compared]) -> str:
    """What the card shows: Table 2, the worth of the first data set, the advice."""
    found = [c for c in compared if c.by_metric]
    results = [c.by_metric["f1"] for c in found]
    parts = [setting_section(c) for c in found]
    text = "\n".join([*parts, first_data_set_section(found), advice(results, _titles(found))])
    return re.sub(r"^## ", "#### ", text, flags=re.MULTILINE)  # it stands within a section


def figures(compared: Sequence[Compared]) -> dict[str, dict[str, float]]:
    """Mean F1 in percent of each model by setting."""
    return {
        stored.setting_title(c.scores.setting): {
            row["system"]: round(percent(row["mean"]), 2) for row in c.by_metric["f1"]["by_system"]
        }
        for c in compared
        if c.by_metric
    }


def compare_setting(run: stored.StoredRun, setting: Setting) -> Compared:
    """Compares the models of a setting under every metric."""
    scores = stored.read_scores(run, setting)
    metrics = METRICS if stored.is_comparable(scores) else ()
    return Compared(scores, {metric: stored.compare(scores, metric) for metric in metrics})


def setting_section(compared: Compared) -> str:
    """Table 2 of a setting, the published figures beside its own where there are any."""
    scores = compared.scores
    lines = [f"## {stored.setting_title(scores.setting)}\n"]
    if scores.incomplete:
        lines.append(f"Not complete, and left out: {', '.join(scores.incomplete)}.\n")
    if not compared.by_metric:
        lines.append("Nothing to compare: two models and two data sets are the least.\n")
        return "\n".join(lines)
    result = compared.by_metric["f1"]
    rows = [
        table_2_row(row, published_row(scores.setting, row["system"]))
        for row in sorted(result["by_system"], key=lambda row: str(row["system"]))
    ]
    lines.append(
        f"F1 in percent over {result['n_units']} data sets, each the mean of"
        f" {result['n_runs'] // result['n_units']} splits.\n"
    )
    columns = max(map(list, rows), key=len)  # not every model has published figures
    return "\n".join([*lines, markdown_table(rows, columns, digits=2)])


def table_2_row(row: Mapping[str, Any], published: GeneralizabilityRow | None) -> dict[str, object]:
    """A model's line of Table 2."""
    ours: dict[str, object] = {"model": row["system"]}
    ours |= {title: percent(row[name]) for title, (name, _) in TABLE_2.items()}
    if published is None:
        return ours
    return ours | {f"published {t}": getattr(published, name) for t, (_, name) in TABLE_2.items()}


def published_row(setting: Setting, model: str) -> GeneralizabilityRow | None:
    """The published figures of a model in a setting, if there are any."""
    if (setting.language, setting.size, setting.protocol) != PUBLISHED_SETTING:
        return None
    wanted = (setting.method, PUBLISHED_NAMES.get(model))
    rows = (row for row in generalizability_rows() if (row.replacement, row.model) == wanted)
    return next(rows, None)


def first_data_set_section(compared: Sequence[Compared]) -> str:
    """What the first data set says about the others, for every setting and metric."""
    rows = [
        first_data_set_row(stored.setting_title(c.scores.setting), m, r)
        for c in compared
        for m, r in c.by_metric.items()
    ]
    if not rows:
        return ""
    return (
        "## What the first data set is worth\n\n"
        "Best and ranking hold: share of data sets that agree with the first, in percent, the first"
        " itself counted as published; in brackets the 95 % interval of the share of the others."
        " Two agree: chance that two data sets name the same winner. Noise only: the published"
        " share to expect if all data sets had the same true scores and only their splits' noise"
        " told them apart. Regret: points lost on average by trusting one data set's winner.\n\n"
    ) + markdown_table(rows, digits=2)


def first_data_set_row(
    title: str, metric: str, result: Mapping[str, Any], unit: str = "data set"
) -> dict[str, object]:
    """A setting's line under one metric; `unit` is what was resampled."""
    null = next(
        (row["best_holds"] for row in result["by_null"] if row["noise"] == "repeat"), math.nan
    )
    held, n = {}, result["n_units_to_settle"]
    for name, key in (("best holds", "best_holds"), ("ranking holds", "ranking_holds")):
        low, high = (percent(result[f"{key}_others_{end}"]) for end in ("low", "high"))
        held[name] = f"{percent(result[key]):.0f}{interval(low, high, 0)}"
    return {
        "setting": title,
        "metric": metric,
        "first": result["first_best"],
        "best on average": result["best_on_average"],
        "certainty": percent(result["certainty"]),
        **held,
        "two agree": percent(result["winner_agreement"]),
        "noise only": percent(null),
        "Kendall tau": result["kendall_tau"],
        "regret": stored.as_shown(metric, result["expected_regret"]),
        f"{unit}s to settle": int(n) if math.isfinite(n) else None,
    }


def new_tests_section(run: stored.StoredRun) -> str:
    """How far a trained model's F1 varies over new test sets."""
    found: dict[tuple[str, str, int], list[float]] = {}
    for setting in run.plan.settings:
        for row in stored.read_new_tests(run, setting):
            for size, score in zip(row["sizes"], row["f1"], strict=True):
                key = (stored.setting_title(setting), row["model"], size)
                found.setdefault(key, []).append(percent(score))
    rows = []
    for (title, model, size), scores in found.items():
        values = np.array(scores)
        row = {"setting": title, "model": model, "test words": size, "test sets": len(values)}
        row |= {"mean": float(values.mean()), "min": float(values.min())}
        rows.append(row | {"max": float(values.max()), "sd": float(values.std(ddof=1))})
    head = "F1 in percent of trained models on words that no data set had."
    parts = [f"{head}\n\n{markdown_table(rows, digits=2)}"] if rows else []
    parts += [
        f"{stored.setting_title(setting)}: {model} is a network, which is not kept once it is"
        " scored, and so has no new test sets.\n"
        for setting in run.plan.settings
        for model in stored.new_test_models(run, setting)
        if model in SEQ2SEQ
    ]
    return "\n".join(["## New test sets\n", *parts]) if parts else ""


def failures_section(run: stored.StoredRun) -> str:
    """The jobs that failed."""
    rows = [
        {
            "setting": stored.setting_title(setting),
            **{name: row[name] for name in ("model", "data_set", "split", "error")},
        }
        for setting in run.plan.settings
        for row in stored.read_failures(run, setting)
    ]
    return f"## Failed jobs\n\n{markdown_table(rows)}" if rows else ""


def compared_scores(compared: Sequence[Compared]) -> dict[str, dict[str, list[float]]]:
    """The F1 in percent of each data set by setting and model, data set 1 first."""
    found: dict[str, dict[str, list[float]]] = {}
    for c in compared:
        by_model = found.setdefault(stored.setting_title(c.scores.setting), {})
        n_splits = len({row["split"] for row in c.scores.rows})
        for model in c.scores.models:
            scores = [percent(row["f1"]) for row in c.scores.rows if row["model"] == model]
            by_model[model] = np.reshape(scores, (-1, n_splits)).mean(1).tolist()
    return found


def _titles(compared: Sequence[Compared]) -> list[str]:
    return [stored.setting_title(c.scores.setting) for c in compared if c.by_metric]


def _introduction(run: stored.StoredRun) -> str:
    plan = run.plan
    protocol = plan.settings[0].protocol if plan.settings else "paper"
    return (
        "# Does the ranking of morphological segmenters generalise?\n\n"
        f"{len(plan.settings)} settings of {plan.n_data_sets} data sets with 5 splits each under"
        f" the protocol `{protocol}`;"
        f" models: {', '.join(plan.models)}. After Liu & Prud'hommeaux (2022).\n"
    )
