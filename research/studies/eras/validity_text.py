"""Tables of the study `validity`, and the paragraph that says what the run says."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ground.markdown import interval, markdown_table, percent, percent_with_interval
from research.readings.agreement import cohen_kappa
from research.readings.eras_natural import NaturalReading, read_readings
from research.studies.report import headings, wilson_text

SCORES = ("pair_accuracy", "resolution")
AIM = 0.06
"""What an interval of a score should reach to either side, at most."""


def half_widths(systems: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Half-widths by set and score, over the systems that are not null.

    `n_within` counts those of at most `AIM`, a system without an interval not among them.
    """
    found: dict[str, dict[str, Any]] = {}
    for which in ("ERAS", "extended"):
        of_set = {
            row["system"]: row["sets"][which]
            for row in systems
            if not row["is_null"] and which in row["sets"]
        }
        for name in SCORES if of_set else ():
            ends = {system: (s[f"{name}_low"], s[f"{name}_high"]) for system, s in of_set.items()}
            widths = {system: float(high - low) / 2 for system, (low, high) in ends.items()}
            known = {system: w for system, w in widths.items() if math.isfinite(w)}
            if not known:
                continue
            widest = max(known, key=lambda system: known[system])
            wilson = [scores[f"{name}_wilson"] for scores in of_set.values()]
            found[f"{which}, {name}"] = {
                "median": statistics.median(known.values()),
                "largest": known[widest],
                "widest": widest,
                "n_systems": len(widths),
                "n_within": sum(width <= AIM for width in known.values()),
                "largest_wilson": max((w for w in wilson if math.isfinite(w)), default=math.nan),
                "lowest": min(scores[name] for scores in of_set.values()),
                "highest": max(scores[name] for scores in of_set.values()),
            }
    return found


def readings_text() -> str:
    """The rates of each flag, kappa of the two readers, and what they are about."""
    rows = read_readings()
    flags = ["none", *sorted({row.exclusion for row in rows} - {"none"})]
    table = [_rates(flag, [row for row in rows if row.exclusion == flag]) for flag in flags]
    gold = [[answer == "gold" for answer in (row.first, row.second)] for row in rows]
    standard = [[row.is_first_standard, row.is_second_standard] for row in rows]
    kappas = [cohen_kappa(*map(list, zip(*answers, strict=True))) for answers in (gold, standard)]
    return (
        f"**Readings.** {len(rows)} places, read by two language models that saw the sentence and"
        " both cuts and not which is the text's; percent of each flag with Wilson intervals. Wants"
        " the gold cut: that one and no other. Standard: either cut says the same, so that only a"
        f" convention decides. Kappa {kappas[0]:.2f} for the first, {kappas[1]:.2f} for the second."
        f"\n\n{markdown_table(table)}"
    )


def _rates(flag: str, rows: Sequence[NaturalReading]) -> dict[str, object]:
    """One line: what each reader and both of them say of a flag's places."""
    gold = [(row.first == "gold", row.second == "gold") for row in rows]
    standard = [(row.is_first_standard, row.is_second_standard) for row in rows]
    line: dict[str, object] = {"flag": flag, "places": len(rows)}
    for name, answers in (("wants the gold cut", gold), ("standard", standard)):
        each = " / ".join(
            f"{percent(sum(side) / len(rows)):.1f}" for side in zip(*answers, strict=True)
        )
        line[f"{name}: first / second"] = each
        line[f"{name}: both"] = wilson_text(sum(all(pair) for pair in answers), len(rows))
    return line


Scored = Mapping[str, Any]
TERMS = headings("eras validity")
FREQUENCIES = {
    "true_zipf": "true word ten times as frequent, the canary word as it is",
    "canary_zipf": "canary word ten times as frequent, the true word as it is",
}
LABELS = {"natural": "text", "one character": "text, one character"}
GROUPS = ("frequency", "branching", "neighbour", "word class", "lexicon", "system")
ONE = "extended, one character"
SCORE_SETS = ("ERAS", "extended", ONE)


def result_text(scored: Scored, *, has_readings: bool) -> str:
    """The whole result: what systems score, how the sets agree, what decides, and any readings."""
    return "\n\n".join(
        [
            "### Does ERAS predict text?",
            summary(scored),
            extended_summary(scored),
            _systems_table(scored),
            "A dash: the system has learned of that text"
            " (`research/studies/data/eras_seen_texts.tsv`), or it is in the other script."
            " MaxMatch over jieba's dictionary, cutting everywhere and"
            " cutting nowhere are nulls: they know neither frequencies nor the sentence. The last"
            " line takes whichever word is the more frequent in the text, this place not counted."
            " One character: places whose neighbouring word has one. Word F1: of all words of the"
            " sentences, mean over the texts. Intervals: bootstrap over families and strings on the"
            " logit scale (the table of segmenters has the metric's).",
            width_text(scored["half_widths"]),
            "**Over systems.** Spearman's and Pearson's correlation of the scores; intervals: both"
            " sets drawn again, families of paradigms and strings; the systems stay the same.",
            _agreement_table(scored["agreement"]),
            "**Within a system.** Chosen is the left word; base: how often at equal frequency;"
            " frequency: points for a word ten times as frequent; context: points for its being the"
            " true word (0: the sentence is not read, 100: never misled); shares of the variance"
            " that each explains. Longest match has some context too, since longer neighbouring"
            " words end where the true word begins. Intervals over strings and families.",
            _within_table(scored["within"]),
            "Shares of the variance of a system's outcomes (the true word came out, of the"
            " sentences where one of the two did) by Shapley values, percent; lexicon: whether it"
            " has the two words; the rest is the sentence and all else. A dash: nothing to tell"
            " apart, or no lexicon.",
            _shares_table(scored["shares"]),
            "**Over all systems,** each with a level of its own: points of resolution, and shares"
            " of the variance (Shapley values); what is left is the sentence and all else.",
            _pooled_table(scored["pooled"]),
            "Systems that go by a lexicon, with what it has among the columns, points:",
            markdown_table(_term_rows([o for o in scored["pooled"] if o["known"]], "known", TERMS)),
            "The same systems, by which of the two words it has:",
            _known_table(scored["known"]),
            *([readings_text()] if has_readings else []),
        ]
    )


def width_text(widths: Scored) -> str:
    """How wide the intervals are on each set of pairs, and for how many systems narrow enough."""
    rows = []
    for name, one in widths.items():
        which, score = name.split(", ")
        row = {"set": which, "score": score.replace("_", " "), "median": percent(one["median"])}
        row["largest"] = f"{percent(one['largest']):.1f} ({one['widest']})"
        within = f"{one['n_within']} of {one['n_systems']}"
        row |= {f"at most {percent(AIM):.0f} points": within}
        rows.append(row | {"largest by Wilson": percent(one["largest_wilson"])})
    return (
        "**Half-widths** of the intervals, points, over the systems that are not null; the aim on"
        f" the extended paradigms was {percent(AIM):.0f}. By Wilson: for as many trials as the"
        " families are worth; where a handful of families differ, the bootstrap is much wider."
        f"\n\n{markdown_table(rows)}"
    )


def summary(scored: Scored) -> str:
    """The paragraph for card and README: what the run says."""
    every, learned = (
        _agreement(scored, group, "resolution") for group in ("all", "without MaxMatch")
    )
    words = _agreement(scored, "all", "pair_accuracy")
    real = [row for row in scored["systems"] if not row["is_null"]]
    pooled = {row["set"]: row["coefficients"] for row in scored["pooled"]}
    advantage, left = (
        {which: percent_with_interval(found, term) for which, found in pooled.items()}
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


def extended_summary(scored: Scored) -> str:
    """The paragraph about the extended paradigms: width, nulls by neighbour, relation to text."""
    words, resolution = (
        scored["half_widths"][f"extended, {name}"] for name in ("pair_accuracy", "resolution")
    )
    n_longer, n = scored["longer_neighbour"]["extended"]
    of_eras = "{} of {}".format(*scored["longer_neighbour"]["ERAS"])
    return (
        f"**The extended paradigms** have intervals of {percent(words['median']):.1f} points to"
        f" either side for pair accuracy in the median system, {_widest(words)}, and of"
        f" {percent(resolution['median']):.1f} for resolution, {_widest(resolution)}. In"
        f" {n_longer} of {n} paradigms ({of_eras} of the published) the word beside the true one is"
        " longer than a character, so that a cut into few and long words is the right one."
        f"{_one_character(scored, n - n_longer)} Pair accuracy on all of them and site accuracy in"
        f" text: {_relations(scored, 'extended', 'pair_accuracy')},"
        f" {_relation(_agreement(scored, 'without MaxMatch', 'pair_accuracy'))} for the 39."
    )


def _widest(width: Scored) -> str:
    return (
        f"{percent(width['largest']):.1f} at most ({width['n_within']} of {width['n_systems']}"
        f" systems within {percent(AIM):.0f})"
    )


def _one_character(scored: Scored, n: int) -> str:
    """What is resolved where the neighbour has one character; "" where no paradigm is such."""
    if not n:
        return ""
    nulls = [row for row in scored["systems"] if row["is_null"]]
    best = {which: _best(nulls, which) for which in ("extended", ONE)}
    others = [
        value
        for row in scored["systems"]
        if not row["is_null"] and "maxmatch" not in row["system"]
        for value in [row["sets"].get(ONE, {}).get("resolution", math.nan)]
        if not math.isnan(value)
    ]
    return (
        f" In the other {n} it is one character: there longest match over jieba's dictionary, a"
        f" null, has a resolution of {best[ONE]} (of all {best['extended']}), the systems that are"
        f" not MaxMatch {percent(min(others)):.1f} to {percent(max(others)):.1f}. Resolution there"
        f" and in text: {_relations(scored, ONE, 'resolution')}."
    )


def _best(nulls: Sequence[Scored], which: str) -> str:
    values = [row["sets"].get(which, {}).get("resolution", math.nan) for row in nulls]
    return f"{percent(max((v for v in values if not math.isnan(v)), default=math.nan)):.1f}"


def _relations(scored: Scored, which: str, first: str) -> str:
    """How scores on a set go with text, for all systems and for those that are not MaxMatch."""
    every, learned = (
        _agreement(scored, group, first, which) for group in ("all", "without MaxMatch")
    )
    return (
        f"Spearman {_relation(every)}, {_relation(learned)} among the {learned['n_systems']} that"
        " are not MaxMatch"
    )


def _agreement(scored: Scored, group: str, first: str, which: str = "ERAS") -> Mapping[str, Any]:
    """How a set and all places of the texts go together for a group of systems and a score."""
    return next(
        row
        for row in scored["agreement"]
        if (row["set"], row["text"]) == (which, "natural")
        and (row["systems"], row["first"]) == (group, first)
    )


def _relation(row: Mapping[str, Any], name: str = "spearman") -> str:
    return f"{row[name]:.2f}{interval(row[f'{name}_low'], row[f'{name}_high'], 2)}"


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


def _cell(scores: Mapping[str, Any] | None, name: str) -> str | None:
    if scores is None or math.isnan(scores.get(name, math.nan)):
        return None
    return percent_with_interval(scores, name)


def _systems_table(scored: Scored) -> str:
    sets = [name for name in SCORE_SETS if name in scored["systems"][0]["sets"]]
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
    return markdown_table(
        {
            "set": row["set"],
            "text": LABELS[row["text"]],
            "scores": f"{row['first']} and {row['second']}".replace("_", " "),
            "systems": f"{row['systems']} ({row['n_systems']})",
            **{name: _relation(row, name) for name in ("spearman", "pearson", "slope")},
            "off the line, sd": percent(row["residual_sd"]),
        }
        for row in found
    )


def _within_table(found: Sequence[Mapping[str, Any]]) -> str:
    def cells(row: Mapping[str, Any]) -> dict[str, object]:
        shares = " / ".join(f"{percent(row[f'{n}_share']):.0f}" for n in ("frequency", "context"))
        names = ("base", "frequency", "context")
        points = {name: percent_with_interval(row, name) for name in names}
        return {**points, "frequency / context, %": shares}

    return _line_a_system(found, cells)


def _line_a_system(
    found: Sequence[Mapping[str, Any]], cells: Callable[[Mapping[str, Any]], dict[str, object]]
) -> str:
    """A table with a line for each system, in which its sets stand side by side."""
    by_system: dict[str, dict[str, object]] = {}
    for row in found:
        which = LABELS.get(row["set"], row["set"])
        line = by_system.setdefault(row["system"], {"system": row["system"]})
        line |= {f"{which}: {name}": cell for name, cell in cells(row).items()}
    rows = list(by_system.values())
    return markdown_table(rows, list(dict.fromkeys(name for row in rows for name in row)))


def _pooled_table(found: Sequence[Mapping[str, Any]]) -> str:
    rows = _term_rows(found, "coefficients", TERMS) + _term_rows(found, "apart", FREQUENCIES)
    for group in GROUPS:
        if any(group in one["explained"] for one in found):
            cells = [one["explained"].get(group) for one in found]
            shown = [None if cell is None else f"{percent(cell):.1f}" for cell in cells]
            rows.append({"": f"explained by {group}, %", **_by_set(found, shown)})
    return markdown_table(rows)


def _term_rows(
    found: Sequence[Mapping[str, Any]], fit: str, terms: Mapping[str, str]
) -> list[dict[str, object]]:
    """A line for each term that a fit of any set has."""
    return [
        {"": text, **_by_set(found, [_cell(one[fit], term) for one in found])}
        for term, text in terms.items()
        if any(term in one[fit] for one in found)
    ]


def _by_set(found: Sequence[Mapping[str, Any]], cells: Sequence[object]) -> dict[str, object]:
    names = [LABELS.get(one["set"], one["set"]) for one in found]
    return dict(zip(names, cells, strict=True))


def _shares_table(found: Sequence[Mapping[str, Any]]) -> str:
    def cells(row: Mapping[str, Any]) -> dict[str, object]:
        shares = {group: row.get(group, math.nan) for group in GROUPS[:-1]}
        return {g: None if math.isnan(s) else f"{percent(s):.0f}" for g, s in shares.items()}

    return _line_a_system(found, cells)


def _known_table(found: Sequence[Mapping[str, Any]]) -> str:
    return markdown_table(
        {"set": LABELS.get(one["set"], one["set"]), "lexicon has": name, "answers": row["n"]}
        | {
            score.replace("_", " "): percent(row[score])
            for score in ("resolution", "site_accuracy")
        }
        for one in found
        for name, row in one["rows"].items()
    )
