"""Does ERAS predict text? Segmenters on its pairs and on ambiguous strings that occur.

    python -m research eras validity
    python -m research eras validity --systems jieba pkuseg --natural my_gold_text.txt

Every system on the 39 paradigms, the extended ones where this version has them, and the places of
`natural_lite` in the texts that it has not learned of: rank correlation over systems, and within a
system what decides between the two words: frequency, place, or the sentence.

Source: the question of a constructed suite's validity is ours; frequency and place as in studies of
overlapping ambiguous strings, Huang & Li (2024), Liao et al. (2024).
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from builders.eras import EXTENDED_VERSION
from ground.markdown import percent
from metrics._shared.columns import FloatArray
from research.studies.eras import pooled_choice as pooling
from research.studies.eras.rank_agreement import agreement, stack_sums
from research.studies.eras.site_outcomes import parts_of, read_outcomes, site_scores
from research.studies.eras.validity_text import half_widths, result_text
from research.studies.options import flag
from research.studies.report import Shown, new_figure, png
from research.studies.study import Options, Run, Study
from research.systems.segmenters.crf_segmenter import word_f1

COLOURS = {"crf": "#228833", "maxmatch": "#ccbb44"}
ONE_CHARACTER = "extended, one character"
PANELS = {
    "ERAS": ("resolution", "resolution"),
    ONE_CHARACTER: ("resolution", "resolution"),
    "extended": ("pair_accuracy", "site_accuracy"),
}
"""Scores of each set of pairs and of the text."""
TITLES = {
    "ERAS": "the 39 paradigms",
    ONE_CHARACTER: "extended ones with a one-character neighbour",
    "extended": "the extended paradigms",
}
PLACES = tuple(
    (side * 4, height, "right" if side < 0 else "left")
    for height in (4, -10, 14, -20, 24, -30, 34, -40)
    for side in (-1, 1)
)
"""Where a name may stand beside its point, in points of the page, the first that is free."""


def validity_plot(scored: Mapping[str, Any]) -> bytes:
    """Left: the scores of `PANELS` on pairs and in text; right: what decides, in text."""
    real = [row for row in scored["systems"] if not row["is_null"]]
    sets = [name for name in TITLES if any(name in row["sets"] for row in real)]
    figure = new_figure(5 * len(sets) + 6, 6)
    *left, right = figure.subplots(1, len(sets) + 1)
    points = [_scatter(axes, real, which) for axes, which in zip(left, sets, strict=True)]
    _dependence(right, [row for row in scored["within"] if row["set"] == pooling.TEXT])
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # names are placed where the axes are now
    for axes, named in zip(left, points, strict=True):
        name_points(axes, named)
    return png(figure)


def name_points(axes: Any, points: Mapping[str, tuple[float, float]]) -> list[Any]:
    """Writes names beside points (data coordinates of drawn axes), none over another; the texts."""
    placed: list[Any] = []
    for name, at in points.items():
        taken = [text.get_window_extent() for text in placed]
        for x, y, side in PLACES:
            text = axes.annotate(
                name, at, xytext=(x, y), textcoords="offset points", fontsize=8, ha=side
            )
            if not text.get_window_extent().count_overlaps(taken):
                break
            if (x, y, side) != PLACES[-1]:
                text.remove()
        placed.append(text)
    return placed


def _scatter(
    axes: Any, rows: Sequence[Mapping[str, Any]], which: str
) -> dict[str, tuple[float, float]]:
    """Draws scores with their intervals; gives the points by system."""
    scores, points = PANELS[which], {}
    for row in rows:
        if not {which, pooling.TEXT} <= set(row["sets"]):
            continue
        sides = [row["sets"][which], row["sets"][pooling.TEXT]]
        x, y = (percent(found[score]) for found, score in zip(sides, scores, strict=True))
        xerr, yerr = (_reach([found], score) for found, score in zip(sides, scores, strict=True))
        colour = COLOURS.get(row["system"].partition(":")[0], "#4477aa")
        axes.errorbar(x, y, yerr, xerr, fmt="o", color=colour, elinewidth=0.5, alpha=0.9)
        points[row["system"]] = (x, y)
    axes.axline((70, 70), slope=1, color="grey", linewidth=0.6, linestyle=":")
    of_pairs, of_text = (score.replace("_", " ") for score in scores)
    axes.set_xlabel(f"{of_pairs} on {TITLES[which]}, percent")
    axes.set_ylabel(f"{of_text} of strings that occur in text, percent")
    return points


def _reach(rows: Sequence[Mapping[str, Any]], score: str) -> list[list[float]]:
    """How far intervals reach to either side, in points."""
    return [
        [percent(abs(row[score] - row[f"{score}_{end}"])) for row in rows]
        for end in ("low", "high")
    ]


def _dependence(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    rows = sorted(rows, key=lambda row: float(row["context"]))
    for name, colour in (("frequency", "#ee6677"), ("context", "#4477aa")):
        values, ends = [percent(row[name]) for row in rows], _reach(rows, name)
        axes.errorbar(values, range(len(rows)), xerr=ends, fmt="o", color=colour, label=name)
    axes.set_yticks(range(len(rows)), [row["system"] for row in rows], fontsize=8)
    axes.axvline(0, color="grey", linewidth=0.6)
    axes.set_xlabel("points: of a tenfold frequency, and of being the true word")
    axes.legend()


TEXTS = ("daily", "msr", "pku", "as", "cityu")
NULLS = ("maxmatch", "maxmatch-backward", "cut-everywhere", "cut-nowhere")
NATURAL = "gold-segmented texts, files or names of corpora"
"""Systems that know neither frequencies nor the sentence; with words, those of jieba."""
ONE = "one character"
EXTENDED_ONE = f"extended, {ONE}"
OF_ONE = {pooling.TEXT: ONE, "extended": EXTENDED_ONE}
"""The places and paradigms whose neighbour has one character, as in most of the 39."""
SETS = ("ERAS", "extended", pooling.TEXT)
COMPARED = (("resolution", "resolution"), ("pair_accuracy", "site_accuracy"))
LEAST_SYSTEMS = 3


def score(parts: Mapping[str, pooling.ItemSet], run: Run) -> dict[str, Any]:
    """Scores of every system on every set, how sets agree, and what decides within a system."""
    seen = pooling.seen_texts()
    features = {name: pooling.row_features(part.table, part.script) for name, part in parts.items()}
    answered = {
        name: _answered(run, name, parts, features, seen.get(name, frozenset()))
        for name in run.options.systems
    }
    real = {name: found for name, found in answered.items() if name not in NULLS}
    systems = [_system_row(name, found, seen) for name, found in answered.items()]
    sets = dict.fromkeys(which for found in real.values() for which in found)
    of_set = {which: [one[which] for one in real.values() if which in one] for which in sets}
    return {
        "systems": systems,
        "half_widths": half_widths(systems),
        "longer_neighbour": pooling.longer_neighbours(parts.values()),
        "frequent_first": _frequent_first(parts),
        "agreement": _agreements(real),
        "within": [
            {"system": name, "set": which} | pooling.choice(one.outcomes, one.features)
            for name, found in real.items()
            for which, one in found.items()
        ],
        "shares": [
            {"system": name, "set": which} | pooling.shares(found[which])
            for name, found in real.items()
            for which in SETS
            if which in found
        ],
        "pooled": [{"set": which} | pooling.pooled(answers) for which, answers in of_set.items()],
        "known": [{"set": s, "rows": pooling.known_cells(of_set[s])} for s in SETS if s in of_set],
        "sizes": {name: part.table.num_rows for name, part in parts.items()},
    }


def _answered(
    run: Run,
    name: str,
    parts: Mapping[str, pooling.ItemSet],
    features: Mapping[str, Mapping[str, FloatArray]],
    seen: frozenset[str],
) -> dict[str, pooling.Answered]:
    """What a system did with each set in its script, places of texts that it has seen left out."""
    system = run.system(name)
    found = {}
    for key, part in parts.items():
        if part.script != pooling.script_of(system):
            continue
        words = [w for batch in pooling.BATCHES.answers(system, part, run) for w in batch["words"]]
        n, table = part.table.num_rows, part.table
        outcomes = read_outcomes(table, words[:n], words[n:])
        is_text = "corpus" in table.column_names
        corpus = np.array(table["corpus"].to_pylist() if is_text else [""] * n)
        f1 = {}
        for text in sorted(set(corpus.tolist()) - {""}):
            own = np.flatnonzero(corpus == text)
            sides = (table["test_words"].to_pylist(), words)
            f1[text] = word_f1(*([side[i] for i in own] for side in sides))
        kept = ~np.isin(corpus, sorted(seen))
        every = pooling.Answered(outcomes, features[key], corpus, f1, system.lexicon, part)
        if kept.any():
            found[part.name] = every.select(kept)
        if part.name in OF_ONE and (is_one := kept & (every.features["is_longer"] == 0)).any():
            found[OF_ONE[part.name]] = every.select(is_one)
    return found


def _system_row(
    name: str, found: Mapping[str, pooling.Answered], seen: Mapping[str, frozenset[str]]
) -> dict[str, Any]:
    texts = found[pooling.TEXT].corpus if pooling.TEXT in found else np.array([])
    return {
        "system": name,
        "script": next(iter(found.values())).part.script,
        "is_null": name in NULLS,
        "seen": sorted(seen.get(name, ())),
        "sets": {which: site_scores(one.outcomes) for which, one in found.items()},
        "texts": {
            text: site_scores(found[pooling.TEXT].select(texts == text).outcomes)
            | {"f1": found[pooling.TEXT].f1[text]}
            for text in sorted(set(texts.tolist()))
        },
    }


def _frequent_first(parts: Mapping[str, pooling.ItemSet]) -> dict[str, dict[str, float]]:
    """The null that takes the more frequent word of the text, at the place of each text."""
    natural = [part.table for part in parts.values() if part.name == pooling.TEXT]
    right, corpus = (
        np.array([value for table in natural for value in table[name].to_pylist()])
        for name in ("is_true_more_frequent", "corpus")
    )
    of_text = {text: right[corpus == text] for text in sorted(set(corpus.tolist()))}
    return {
        name: {"resolution": float(own.mean()), "n": len(own)}
        for name, own in {"natural": right, **of_text}.items()
    }


def _agreements(real: Mapping[str, Mapping[str, pooling.Answered]]) -> list[dict[str, Any]]:
    """How the natural places rank systems, beside each set of pairs and each of its scores."""
    found = []
    sets = itertools.product(("ERAS", "extended", EXTENDED_ONE), (pooling.TEXT, ONE), COMPARED)
    for which, text, (first, second) in sets:
        both = {n: one for n, one in real.items() if which in one and text in one}
        groups = {"all": list(both), "without MaxMatch": [n for n in both if "maxmatch" not in n]}
        for group, names in groups.items():
            if len(names) < LEAST_SYSTEMS:
                continue
            pairs = stack_sums([_sums(both[name][which], first) for name in names])
            natural = stack_sums([_sums(both[name][text], second) for name in names])
            row = {"set": which, "text": text, "systems": group, "n_systems": len(names)}
            row |= {"first": first, "second": second}
            found.append(row | agreement(pairs, natural))
    return found


def _sums(answered: pooling.Answered, name: str) -> dict[int, tuple[float, float]]:
    """Numerator and denominator of a score by cluster, one name for a cluster in all systems."""
    clusters, place = np.unique(answered.clusters, return_inverse=True)
    top, bottom = (
        np.bincount(place, weights=values).tolist() for values in parts_of(answered.outcomes, name)
    )
    return dict(zip(clusters.tolist(), zip(top, bottom, strict=True), strict=True))


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """Tables, figures and the plot."""
    systems: dict[str, dict[str, Any]] = {"systems": {}, "nulls": {}}
    for row in scored["systems"]:
        systems["nulls" if row["is_null"] else "systems"][row["system"]] = {
            f"{which} {name}": percent(scores[name])
            for which, scores in row["sets"].items()
            for name in ("pair_accuracy", "site_accuracy", "resolution")
            if name in scores
        }
    figures = {
        "extended_version": EXTENDED_VERSION,
        **systems,
        "agreement": {
            ", ".join(str(row[name]) for name in ("set", "text", "systems", "first")): {
                name: row[name] for name in row if name.startswith("spearman")
            }
            for row in scored["agreement"]
        },
        "pooled": {row["set"]: row["coefficients"] for row in scored["pooled"]},
        "half_widths": scored["half_widths"],
        "longer_neighbour": scored["longer_neighbour"],
    }
    text = result_text(scored, has_readings=tuple(options.natural) == TEXTS)
    return [Shown(text, figures, lambda: validity_plot(scored))]


STUDY = Study.of(
    __name__,
    rows=pooling.read_parts,
    packages=("scipy", "statsmodels"),
    metrics=("garden_path_accuracy",),
    configs=lambda options: [c for read in pooling.PAIR_CONFIGS.values() for c in read.values()],
    work=pooling.BATCHES.work,
    options=(flag("natural", NATURAL, list(TEXTS), many="+", metavar="FILE"),),
    kind="segmenter",
    systems=(
        *("jieba", "jieba-no-hmm", "maxmatch:as", "maxmatch:cityu", "maxmatch:msr", "maxmatch:pku"),
        *("crf:as", "crf:cityu", "crf:daily", "crf:msr", "crf:pku"),
        *("snownlp", "pkuseg", "thulac", "lac", "lac-small", "wapic"),
        *NULLS,
    ),
)
