"""A result that a person reads: four lines, and all the rest as a dict."""

import fnmatch
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from builders.reference_lines import (
    ScoreLine,
    digest_of,
    kept_items,
    lines_of,
    people_of,
    published_of,
    read_cells,
)
from builders.suites import SuiteTest
from garden_path.rank.comparison import item_table, items_of
from ground.extras import require
from metrics._shared.paired_items import (
    ARGUMENTS,
    compared_row,
    doubts_of,
    headline_items,
    pair_items,
    with_lexemes,
)

COMPARED = ("first", "second", "difference", "difference_low", "difference_high")
PERCENT = 100
NULL = "NULL"
SEED = re.compile(r"/\d+$")
N_SYSTEMS = 3  # that the summary names
ALPHA = 0.05
FOUR_DECIMALS = 5e-5  # to which searches keep scores
UNITS = {None: "", "pair_id": " pairs", "item_id": " items"}
COLOURS = {
    **{"null": "#9ca3af", "shortcut": "#d97706", "system": "#374151"},
    **{"rule": "#059669", "ceiling": "#059669", "own": "#2563eb"},
}


class OverShortcut(NamedTuple):
    """A system less another on the same items: both headlines, their difference, ends and p.

    The interval has 95 % and is over clusters, see `paired_items`; nan where it is undefined.
    """

    own: float
    theirs: float
    value: float
    low: float
    high: float
    n: int
    n_clusters: int
    p: float
    cluster: str
    warnings: Sequence[str]

    @property
    def sign(self) -> int:
        """1 or -1 where the whole interval is above or below 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def over_shortcut(
    name: str,
    test: SuiteTest,
    result: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    asked: Sequence[str],
) -> OverShortcut | None:
    """A result, of the ids `asked`, less a shortcut on the same items; None if they are unknown."""
    kept = kept_items(test)
    if name not in kept.get("systems", ()) or kept["digest"] != digest_of(rows):
        return None
    first = items_of(result, Path("result"))
    if first.signature.version != kept["version"] or len(first.rows) != len(asked):
        return None
    place = {one: i for i, one in enumerate(sorted(row["id"] for row in rows))}
    columns = {column: read_cells(text) for column, text in kept["systems"][name].items()}
    theirs = [
        {**row, **{column: cells[place[one]] for column, cells in columns.items()}}
        for row, one in zip(first.rows, asked, strict=True)
    ]
    paired = pair_items(first, replace(first, path=Path(name), rows=theirs, name=name))
    row = compared_row(paired, np.ones(len(paired.clusters), bool))
    values = [row[name] for name in (*COMPARED, "n", "n_clusters", "p")]
    return OverShortcut._make([*values, paired.cluster, doubts_of(paired)])


class Result(dict[str, Any]):
    """What a metric gave for a system on a test; `print` shows its four lines.

    `told` is how the predictions were read, "" for a model's own; `over` the result less the best
    shortcut on the same items, None where that is not known; `whole` the metric's result with its
    rows of items, for comparisons, `found` by default.
    """

    def __init__(
        self,
        found: Mapping[str, Any],
        test: SuiteTest,
        system: str,
        told: str = "",
        over: OverShortcut | None = None,
        whole: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(found)
        self.test, self.system, self.told, self.over = test, system, told, over
        self.whole = found if whole is None else whole
        self.rows: Sequence[Mapping[str, Any]] = ()
        self.n_counted = ""  # where the headline counts others than rows
        self["headline"] = self.headline

    @classmethod
    def of_rows(
        cls,
        whole: Mapping[str, Any],
        test: SuiteTest,
        rows: Sequence[Mapping[str, Any]],
        every: Sequence[Mapping[str, Any]],
        system: str,
        told: str = "",
        *,
        keeps_items: bool = False,
    ) -> "Result":
        """A result of the rows that were asked, compared with the best shortcut on the same items.

        `whole` is made with `per_item=True`; `every` are all rows of the test.
        """
        table = item_table(test.metric)
        if all(rows[0].get(name) is not None for name in (*ARGUMENTS, "lemmas", "upos")):
            whole = {**whole, table: with_lexemes(whole[table], rows)}
        found = {name: value for name, value in whole.items() if keeps_items or name != table}
        names = [line.name for line in lines_of(test) if line.kind == "shortcut"]
        asked = [row["id"] for row in rows]
        over = over_shortcut(names[0], test, whole, every, asked) if names else None
        made = cls(found, test, system, told, over, whole)
        made.rows = rows
        items = items_of(whole, Path("result"))
        n, unit = len(headline_items(items)), UNITS[items.kind.item]
        made.n_counted = f"{n:,}{unit} of " if n != made["n"] else ""
        return made

    @property
    def headline(self) -> float:
        """The headline, a share in [0, 1]; nan where it is undefined."""
        return float(self[self.test.score])

    @property
    def null(self) -> float:
        """What knowing nothing is worth on these rows, a share in [0, 1]."""
        told = [float(self[name]) for name in fnmatch.filter(self, self.test.null)]
        measured = [line.score for line in self.lines if line.kind == "null"]
        return max([*told, *measured], default=0.0)

    @property
    def lines(self) -> Sequence[ScoreLine]:
        """The lines of the test, best first."""
        return lines_of(self.test)

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the headline's interval."""
        return float(self[f"{self.test.score}_low"]), float(self[f"{self.test.score}_high"])

    def summary(self) -> str:
        """Headline; NULL and best shortcut; systems and ceiling or rule; what may be concluded."""
        return "\n".join([self._first(), self._second(), self._third(), self.conclusion()])

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of matplotlib, written to a path: the headline among the lines of its test."""
        require("matplotlib", command="plot")
        from matplotlib.figure import Figure  # heavy, and of the extra `plot`

        lines = [(line.name, line.kind, line.score) for line in self.lines]
        rows = sorted([*lines, (NULL, "null", self.null)], key=lambda row: row[2])
        figure = Figure(figsize=(7.0, 1.2 + 0.3 * (len(rows) + 1)), layout="constrained")
        axes = figure.subplots()
        for place, (_, kind, score) in enumerate(rows):
            axes.plot([0, score], [place, place], color=COLOURS[kind], lw=1)
            axes.plot([score], [place], "o", color=COLOURS[kind])
        axes.plot(self.interval, [len(rows)] * 2, color=COLOURS["own"], lw=3)
        axes.plot([self.headline], [len(rows)], "D", color=COLOURS["own"])
        names = [name if kind == "system" else f"{name} ({kind})" for name, kind, _ in rows]
        axes.set_yticks(range(len(rows) + 1), [*names, self.system])
        axes.set_xlim(0, 1)
        axes.set_xlabel(f"{self.test.title}, {self.test.suite} {self.test.name}")
        if path is not None:
            figure.savefig(path)
        return figure

    def conclusion(self) -> str:
        """One sentence: what was compared, and what that shows.

        The bar is the best shortcut, or NULL where that is higher; the same items are compared
        where known.
        """
        bar, what = self._bar()
        over = self.over if what != NULL else None
        if over is not None and not math.isnan(over.low):
            return self._paired(over, what)
        low, high = self.interval
        told = f"the 95 % interval, {_percent(low)} to {_percent(high)}"
        if low != low:
            end = "the headline has no interval on these rows."
            if self.headline <= bar:
                own = f"{_percent(self.headline)} is no more than its {_percent(bar)}"
                return f"Not above {what}: {own}, and {end}"
            return f"Nothing is concluded: {end}"
        if low > bar:
            return f"Above {what}: {told}, lies above its {_percent(bar)}."
        if high < bar:
            return f"Below {what}: {told}, lies below its {_percent(bar)}."
        return f"Not shown to differ from {what}: {told}, includes its {_percent(bar)}."

    def _paired(self, over: OverShortcut, what: str) -> str:
        is_shown = over.p < ALPHA or over.sign == 0
        word = {1: "Above", 0: "Not shown to differ from", -1: "Below"}[over.sign * is_shown]
        where = "includes 0" if over.sign == 0 else "excludes 0"
        where += "" if is_shown else ", but the test does not"
        few = "" if is_shown else ": too few items decide"
        said = (
            f"{word} {what}: on the same {over.n:,} items it is {_percent(over.own)} against"
            f" {_percent(over.theirs)}, and the 95 % interval of the difference over"
            f" {over.n_clusters:,} {_clusters(over)}, {_points(over.low)} to"
            f" {_points(over.high)} points, {where} (p = {over.p:.4f}){few}."
        )
        return " ".join([said, *over.warnings])

    def _bar(self) -> tuple[float, str]:
        shortcut = self._best("shortcut")
        if shortcut is None or shortcut.score <= self.null:
            return self.null, NULL
        return shortcut.score, f"the best shortcut ({shortcut.name})"

    def _best(self, kind: str) -> ScoreLine | None:
        return next((line for line in self.lines if line.kind == kind), None)

    def _first(self) -> str:
        low, high = self.interval
        where = f"{self.test.suite} {self.test.name}"
        score = f"{_percent(self.headline)} [{_percent(low)}, {_percent(high)}]"
        n = f"{self.n_counted}{self['n']:,} rows"
        return f"{self.system} on {where}: {self.test.title} {score}, {n}."

    @property
    def null_says(self) -> str:
        """What `null` is the score of: a measured baseline, or what the test says."""
        measured = self._best("null")
        if measured is None or measured.score < self.null:
            return self.test.null_is
        return f"{measured.name}: {measured.says}"

    def _second(self) -> str:
        shortcut = self._best("shortcut")
        told = f"NULL {_percent(self.null)} ({self.null_says})"
        if shortcut is None:
            return f"{told}; no shortcut was measured here."
        score = shortcut.score
        if self.over is not None and abs(self.over.theirs - score) <= FOUR_DECIMALS:
            score = self.over.theirs  # which is not rounded twice
        return f"{told}; best shortcut {shortcut.name} {_percent(score)} ({shortcut.says})."

    def _third(self) -> str:
        best: dict[str, ScoreLine] = {}
        for line in self.lines:
            if line.kind == "system":  # of models that differ in their seed alone, the best
                best.setdefault(SEED.sub("", line.name), line)
        shown = list(best.values())[:N_SYSTEMS]
        named = _named({f"{line.name} {line.says}".rstrip(): line.score for line in shown})
        parts = [f"Systems measured by this project: {named or 'none on this test'}"]
        for one in published_of(self.test):
            here = f" (here {_percent(self[one.score])})" if one.score in self else ""
            parts.append(f"published {one.title}{here}: {_named(one.systems)} ({one.source})")
        parts.append(f"people: {people_of(self.test) or 'not measured'}")
        if top := self._best("ceiling") or self._best("rule"):
            parts.append(f"{top.kind} {top.name} {_percent(top.score)} ({top.says})")
        return f"{'; '.join(parts)}."

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<{self._first()}>"


def _named(scores: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {_percent(score)}" for name, score in scores.items())


def _points(share: float) -> str:
    return f"{PERCENT * share:+.1f}".replace("-", "\u2212")


def _clusters(over: OverShortcut) -> str:
    name = over.cluster.removesuffix("_id")
    return {"family": "families", "item": "items"}.get(name, f"{name}s")


def _percent(share: float) -> str:
    return "undefined" if share != share else f"{PERCENT * share:.1f} %"
