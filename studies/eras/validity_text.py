"""Tables and figure of the study `validity`."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from ground.markdown import interval, markdown_table, percent
from studies.eras.reading_rates import readings_text
from studies.report import png

Scored = Mapping[str, Any]
TERMS = {
    "advantage": "true word ten times as frequent",
    "is_left": "left-branching",
    "is_longer": "neighbour longer than a character",
    "is_noun": "true word a noun",
    "is_verb": "true word a verb",
}
LABELS = {"natural": "text", "one character": "text, one character"}
COLOURS = {"crf": "#228833", "maxmatch": "#ccbb44"}


def result_text(scored: Scored, *, has_readings: bool) -> str:
    """The whole result: what systems score, how the sets agree, what decides.

    Args:
        scored: What the study's `score` returns.
        has_readings: Whether the texts are those of which places were read.
    """
    return "\n\n".join(
        [
            "### Does ERAS predict text?",
            summary(scored),
            _systems_table(scored),
            "A dash: the system has learned of that text (`studies/data/eras_seen_texts.tsv`), or"
            " it is in the other script. MaxMatch over jieba's dictionary, cutting everywhere and"
            " cutting nowhere are nulls: they know neither frequencies nor the sentence. The last"
            " line takes whichever word is the more frequent in the text, this place not counted."
            " One character: places whose neighbouring word has one. Word F1: of all words of the"
            " sentences, mean over the texts. Intervals: bootstrap over families and strings (the"
            " table of segmenters has Wilson's).",
            "**Over systems.** Spearman's and Pearson's correlation of the scores; intervals: both"
            " sets drawn again, families of paradigms and strings; the systems stay the same.",
            _agreement_table(scored["agreement"]),
            "**Within a system.** Chosen is the left word; base: how often at equal frequency;"
            " frequency: points for a word ten times as frequent; context: points for its being the"
            " true word (0: the sentence is not read, 100: never misled); shares of the variance"
            " that each explains. Longest match has some context too, since longer neighbouring"
            " words end where the true word begins. Intervals over strings and families.",
            _within_table(scored["within"]),
            "**Over all systems,** each with a level of its own: points of resolution, and shares"
            " of the variance (Shapley values); what is left is the sentence and all else.",
            _pooled_table(scored["pooled"]),
            "Systems with a lexicon, by which of the two words it has:",
            _known_table(scored["known"]),
            *([readings_text()] if has_readings else []),
        ]
    )


def summary(scored: Scored) -> str:
    """The paragraph for card and README: what the run says."""
    every, learned, words = (
        _agreement(scored, group, first)
        for group, first in (
            ("all", "resolution"),
            ("without MaxMatch", "resolution"),
            ("all", "pair_accuracy"),
        )
    )
    real = [row for row in scored["systems"] if not row["is_null"]]
    pooled = {row["set"]: row["coefficients"] for row in scored["pooled"]}
    advantage, left = (
        {which: _points(found, term) for which, found in pooled.items()}
        for term in ("advantage", "is_left")
    )
    n_pairs = scored["systems"][0]["sets"]["ERAS"]["n"]
    return (
        f"{len(real)} segmenters on {n_pairs:,} pairs of ERAS and on"
        f" {scored['frequent_first']['natural']['n']:,} ambiguous strings that occur in"
        " gold-segmented texts, each on the texts that it has not learned of. Resolution on ERAS"
        f" and resolution in text go together (Spearman {_relation(every)}), but"
        f" {_relation(learned)} among the {learned['n_systems']} that are not MaxMatch:"
        f" {_verdict(every, learned)} Pair accuracy, which measures vocabulary too, and site"
        f" accuracy in text: {_relation(words)}. Farthest off the line are"
        f" {' and '.join(_misplaced(real, every))} points. A true word ten times as frequent is"
        f" worth {advantage['ERAS']} points of resolution on ERAS and {advantage['natural']} in"
        f" text, left-branching {left['ERAS']} and {left['natural']}. What the sentence adds, its"
        f" neighbouring words included, is {_context(scored, 'ERAS')} points for the median system"
        f" on ERAS, {_context(scored, 'natural')} in text, and {_context(scored, 'one character')}"
        " in text where the neighbouring word is one character."
    )


def _agreement(scored: Scored, group: str, first: str) -> Mapping[str, Any]:
    """How ERAS and all places of the texts go together for a group of systems and a score."""
    return next(
        row
        for row in scored["agreement"]
        if (row["set"], row["text"]) == ("ERAS", "natural")
        and (row["systems"], row["first"]) == (group, first)
    )


def _relation(row: Mapping[str, Any]) -> str:
    return f"{row['spearman']:.2f}{interval(row['spearman_low'], row['spearman_high'], 2)}"


def _verdict(every: Mapping[str, Any], learned: Mapping[str, Any]) -> str:
    if learned["spearman_low"] > 0:
        return "ERAS ranks trained segmenters as text does."
    if every["spearman_low"] > 0:
        return "ERAS tells longest match from the others, and is not shown to rank these."
    return "ERAS says nothing certain of either."


def _context(scored: Scored, which: str) -> str:
    values = [percent(row["context"]) for row in scored["within"] if row["set"] == which]
    return f"{statistics.median(values):.0f}"


def _misplaced(real: Sequence[Mapping[str, Any]], line: Mapping[str, float]) -> list[str]:
    """The two systems farthest off the line, with how far."""
    rows = [row for row in real if {"ERAS", "natural"} <= set(row["sets"])]
    rests = {
        row["system"]: row["sets"]["natural"]["resolution"]
        - line["slope"] * row["sets"]["ERAS"]["resolution"]
        - line["intercept"]
        for row in rows
    }
    names = sorted(rests, key=lambda name: -abs(rests[name]))[:2]
    return [f"{name} ({percent(rests[name]):+.1f})" for name in names]


def _points(found: Mapping[str, float], name: str) -> str:
    value, low, high = (percent(found[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return f"{value:.1f}{interval(low, high)}"


def _total(row: Mapping[str, Any]) -> str:
    return f"{percent(sum(row['explained'].values())):.0f}"


def _cell(scores: Mapping[str, Any] | None, name: str) -> str | None:
    if scores is None or math.isnan(scores.get(name, math.nan)):
        return None
    low, high = (percent(scores[f"{name}_{end}"]) for end in ("low", "high"))
    return f"{percent(scores[name]):.1f}{interval(low, high)}"


def _systems_table(scored: Scored) -> str:
    sets = [name for name in ("ERAS", "extended") if name in scored["systems"][0]["sets"]]
    texts = sorted({text for row in scored["systems"] for text in row["texts"]})
    rows = []
    for found in scored["systems"]:
        name = f"{found['system']} (NULL)" if found["is_null"] else found["system"]
        row: dict[str, object] = {"system": name}
        for which in sets:
            row[f"{which}: pair accuracy"] = _cell(found["sets"].get(which), "pair_accuracy")
            row[f"{which}: resolution"] = _cell(found["sets"].get(which), "resolution")
        natural = found["sets"].get("natural")
        row["text: site accuracy"] = _cell(natural, "site_accuracy")
        row["text: resolution"] = _cell(natural, "resolution")
        row["one character: resolution"] = _cell(found["sets"].get("one character"), "resolution")
        for text in texts:
            one = found["texts"].get(text)
            row[text] = percent(one["resolution"]) if one else None
        f1 = [one["f1"] for one in found["texts"].values()]
        rows.append(row | {"word F1": percent(sum(f1) / len(f1)) if f1 else None})
    frequent = scored["frequent_first"]
    last: dict[str, object] = {"system": "the more frequent word (NULL)"}
    last["text: site accuracy"] = last["text: resolution"] = (
        f"{percent(frequent['natural']['resolution']):.1f}"
    )
    last |= {text: percent(frequent[text]["resolution"]) for text in texts}
    return markdown_table([*rows, last], list(rows[0]))


def _agreement_table(found: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for row in found:
        cells = {
            name: f"{row[name]:.2f}{interval(row[f'{name}_low'], row[f'{name}_high'], 2)}"
            for name in ("spearman", "pearson", "slope")
        }
        scores = f"{row['first']} and {row['second']}".replace("_", " ")
        rows.append(
            {
                "set": row["set"],
                "text": LABELS[row["text"]],
                "scores": scores,
                "systems": f"{row['systems']} ({row['n_systems']})",
            }
            | cells
            | {"off the line, sd": percent(row["residual_sd"])}
        )
    return markdown_table(rows)


def _within_table(found: Sequence[Mapping[str, Any]]) -> str:
    by_system: dict[str, dict[str, object]] = {}
    for row in found:
        which = LABELS.get(row["set"], row["set"])
        line = by_system.setdefault(row["system"], {"system": row["system"]})
        line |= {
            f"{which}: {name}": _points(row, name) for name in ("base", "frequency", "context")
        }
        shares = " / ".join(f"{percent(row[f'{n}_share']):.0f}" for n in ("frequency", "context"))
        line[f"{which}: frequency / context, %"] = shares
    rows = list(by_system.values())
    return markdown_table(rows, list(dict.fromkeys(name for row in rows for name in row)))


def _pooled_table(found: Sequence[Mapping[str, Any]]) -> str:
    rows: list[dict[str, object]] = []
    for term, text in TERMS.items():
        row: dict[str, object] = {"": text}
        for one in found:
            which = LABELS.get(one["set"], one["set"])
            has = term in one["coefficients"]
            row[which] = _points(one["coefficients"], term) if has else None
        rows.append(row)
    for group in ("frequency", "branching", "neighbour", "word class", "system"):
        row = {"": f"explained by {group}, %"}
        for one in found:
            which = LABELS.get(one["set"], one["set"])
            row[which] = (
                f"{percent(one['explained'][group]):.1f}" if group in one["explained"] else None
            )
        rows.append(row)
    return markdown_table(rows)


def _known_table(found: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        {
            "set": LABELS.get(one["set"], one["set"]),
            "lexicon has": name,
            "answers": row["n"],
            "resolution": percent(row["resolution"]),
            "site accuracy": percent(row["site_accuracy"]),
        }
        for one in found
        for name, row in one["rows"].items()
    ]
    return markdown_table(rows)


def validity_plot(scored: Scored) -> bytes:
    """Left: resolution on ERAS and in text; right: what decides between the words, in text."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _scatter(left, [row for row in scored["systems"] if not row["is_null"]])
    _dependence(right, [row for row in scored["within"] if row["set"] == "natural"])
    return png(figure)


def _scatter(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        if not {"ERAS", "natural"} <= set(row["sets"]):
            continue
        x, y = (row["sets"][name] for name in ("ERAS", "natural"))
        at = [percent(one["resolution"]) for one in (x, y)]
        errors = [
            [
                [percent(abs(one["resolution"] - one[f"resolution_{end}"]))]
                for end in ("low", "high")
            ]
            for one in (x, y)
        ]
        colour = COLOURS.get(row["system"].partition(":")[0], "#4477aa")
        axes.errorbar(
            *at, xerr=errors[0], yerr=errors[1], fmt="o", color=colour, elinewidth=0.5, alpha=0.9
        )
        axes.annotate(row["system"], at, xytext=(4, 4), textcoords="offset points", fontsize=8)
    axes.axline((50, 50), slope=1, color="grey", linewidth=0.6, linestyle=":")
    axes.set_xlabel("resolution on ERAS, percent")
    axes.set_ylabel("resolution of strings that occur in text, percent")


def _dependence(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    rows = sorted(rows, key=lambda row: float(row["context"]))
    for name, colour in (("frequency", "#ee6677"), ("context", "#4477aa")):
        values = [percent(row[name]) for row in rows]
        ends = [
            [percent(abs(row[name] - row[f"{name}_{end}"])) for row in rows]
            for end in ("low", "high")
        ]
        axes.errorbar(values, range(len(rows)), xerr=ends, fmt="o", color=colour, label=name)
    axes.set_yticks(range(len(rows)), [row["system"] for row in rows], fontsize=8)
    axes.axvline(0, color="grey", linewidth=0.6)
    axes.set_xlabel("points: of a tenfold frequency, and of being the true word")
    axes.legend()
