"""Was the published draw learnt by heart? The same systems on it and on a draw nobody published.

A system that has seen the published rows does better on them than on other rows of the same design;
one that has learnt the language, the words or the templates does not. `SUITES` says which rows of a
suite are compared and how they are scored.

Clusters are the metric's. Where both draws have the same ones (the paradigms of ERAS), the
difference is taken cluster by cluster and resampled with them; elsewhere the draws are two samples,
and the interval of the difference is made of the two intervals (MOVER), each over its clusters.
"""

import functools
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dataset_scripts.headlines import HEADLINES, cluster_sums
from dataset_scripts.registry import split_table
from ground.command_line import folder
from ground.markdown import interval, markdown_table, percent
from metrics._shared.columns import FloatArray
from metrics._shared.uncertainty import (
    Interval,
    cluster_interval,
    holm,
    wilson_interval,
)
from metrics.matched_pair_accuracy.options import Options as AnswerOptions
from metrics.subject_object_las import scoring as subject_object_las
from metrics.subject_object_las.options import read_options
from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies.built_rows import read_built
from research.studies.centerbench import redraw as centerbench
from research.studies.eras import redraw as eras
from research.studies.options import flag
from research.studies.report import Shown, metric_versions
from research.studies.seed_intervals import mover
from research.studies.study import Options, Run, Study

SCHEMA = pa.schema([("result", pa.string())])  # JSON of `DrawResult`
LEVEL = 0.95
POWER = 0.8  # four of five
PARTS = ("public", "private")
FOUND = "knows the published rows"
NOT_FOUND = "no difference found"


@dataclass(frozen=True)
class TwoDraws:
    """A suite as this study sees it.

    Attributes:
        suite: Its name.
        config: The config that is scored.
        split: Its split.
        known: The config all of whose rows count as published.
        text: Column by which a row is known again.
        group: Column of what is left out whole where one row of it is published.
        kind: Kind of its systems.
        systems: Names of the default ones.
        score: Result of the suite's metric for a system on rows.
        has_same_clusters: Whether all draws share their clusters.
        speaks_of: What a difference is about.
    """

    suite: str
    config: str
    split: str
    known: str
    text: str
    group: str
    kind: str
    systems: tuple[str, ...]
    score: Callable[[Any, pa.Table], Mapping[str, Any]]
    has_same_clusters: bool
    speaks_of: str


@dataclass(frozen=True)
class DrawResult:
    """The headline of a system on one draw."""

    value: float
    low: float
    high: float
    n: int
    clusters: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class TwoDrawRows:
    """The rows of both draws.

    Attributes:
        public: The published ones.
        private: The others, without what is published too.
        n_shared: How many were left out because they are published too.
    """

    public: pa.Table
    private: pa.Table
    n_shared: int

    def __len__(self) -> int:
        return int(min(self.public.num_rows, self.private.num_rows))


def contamination_study(suite: TwoDraws) -> Study:
    """The study of a suite's two draws."""
    about = (
        f"Was the published draw of {suite.suite} learnt by heart? It and a private draw.\n\n"
        f"    python -m research {suite.suite} contamination\n"
        f"    python -m research {suite.suite} contamination --rows private/{suite.suite}\n"
    )
    return Study(
        f"research.studies.{suite.suite}.contamination",
        about,
        functools.partial(read_rows, suite),
        functools.partial(compare, suite),
        functools.partial(show, suite),
        work=functools.partial(work, suite),
        options=(
            flag("draw", "seed of the private draw", 1, low=0),
            flag("size", "of both draws, for a trial", kind=int, low=1),
            flag("rows", "folder of a private build, instead of a seed", parse=folder),
        ),
        kind=suite.kind,
        systems=suite.systems,
        metrics=(HEADLINES[suite.suite].metric,),
    )


def read_rows(suite: TwoDraws, options: Options) -> TwoDrawRows:
    """The rows of both draws, the private ones without those that are published.

    Raises:
        ValueError: The private draw is the published one, or nothing of it is left.
    """
    size = {} if options.size is None else {"size": options.size}
    public = split_table(suite.suite, suite.config, suite.split, size)
    known = split_table(suite.suite, suite.known, suite.split, size)
    private = (
        read_built(options.rows, suite.config, suite.split)
        if options.rows
        else split_table(suite.suite, suite.config, suite.split, {"seed": options.draw, **size})
    )
    kept = unpublished(suite, private, known)
    if not kept.num_rows:
        raise ValueError(
            f"{suite.suite}: private draw, got only rows that are published; expected another draw"
        )
    return TwoDrawRows(public, kept, private.num_rows - kept.num_rows)


def unpublished(suite: TwoDraws, private: pa.Table, known: pa.Table) -> pa.Table:
    """Rows of a private draw in whose group no row is published."""
    texts = {_plain(text) for text in known[suite.text].to_pylist()}
    groups = private[suite.group].to_pylist()
    is_known = [_plain(text) in texts for text in private[suite.text].to_pylist()]
    out = {group for group, known in zip(groups, is_known, strict=True) if known}
    left_out = pa.array(sorted(out), private.schema.field(suite.group).type)
    return private.filter(pc.invert(pc.is_in(private[suite.group], left_out)))


def _plain(text: Any) -> str:
    return text if isinstance(text, str) else " ".join(text)


def work(suite: TwoDraws, rows: TwoDrawRows, run: Run) -> None:
    """Scores every system on both draws."""
    for stage in stages(suite, rows, run):
        run.fill(stage)


def stages(suite: TwoDraws, rows: TwoDrawRows, run: Run) -> list[Stage]:
    """One stage for each draw: every system is scored on its rows."""
    store = run.store("scores", SCHEMA)
    return [
        Stage(
            f"{suite.suite}, {part}",
            store,
            functools.partial(_tasks, suite, table, run),
            functools.partial(score_systems, suite),
            load=run.all_loader(),
        )
        for part, table in (("public", rows.public), ("private", rows.private))
    ]


def _tasks(suite: TwoDraws, table: pa.Table, run: Run) -> list[Task]:
    names = list(run.options.systems)
    return [
        Task((key,), ((name, table),), run.system)
        for key, name in zip(keys_of(suite, table, run), names, strict=True)
    ]


def keys_of(suite: TwoDraws, table: pa.Table, run: Run) -> list[str]:
    """Key of every system's score on some rows: what it depends on; no seed is in it."""
    texts = "\n".join(map(_plain, table[suite.text].to_pylist()))
    common = make_key(
        rows=hashlib.sha256(texts.encode()).hexdigest(),
        suite=suite.suite,
        config=suite.config,
        scored_by=metric_versions([HEADLINES[suite.suite].metric]),
        settings=sorted(run.settings().items(), key=str),
    )
    return [
        make_key(common=common, system=name, version=run.system(name).version)
        for name in run.options.systems
    ]


def score_systems(
    suite: TwoDraws, system: Callable[[str], Any], asked: Sequence[tuple[str, pa.Table]]
) -> Iterator[tuple[int, Row]]:
    """The headline of each system on its rows.

    Args:
        suite: The suite.
        system: Gives a system by name.
        asked: Names with rows.
    """
    for place, (name, table) in enumerate(asked):
        part = part_of(suite, suite.score(system(name), table))
        yield place, {"result": json.dumps(vars(part))}


def part_of(suite: TwoDraws, result: Mapping[str, Any]) -> DrawResult:
    """What is compared of a result of the metric.

    Where all clusters are alike, as for who knows everything, the metric has no interval: Wilson's
    over the clusters stands in, which is too wide rather than too narrow.
    """
    score = HEADLINES[suite.suite].score
    value = float(result[score])
    low, high = (float(result[f"{score}_{end}"]) for end in ("low", "high"))
    if math.isnan(low) and not math.isnan(value):
        n_clusters = int(result["n_clusters"])
        low, high, _ = wilson_interval(value * n_clusters, n_clusters, LEVEL)
    sums = cluster_sums(suite.suite, score, result) if suite.has_same_clusters else {}
    return DrawResult(value, low, high, int(result["n"]), sums)


def compare(suite: TwoDraws, rows: TwoDrawRows, run: Run) -> dict[str, Any]:
    """Both scores of every system and their difference, public minus private."""
    store = run.store("scores", SCHEMA)
    keys = {part: keys_of(suite, getattr(rows, part), run) for part in PARTS}
    found = store.rows([key for of_part in keys.values() for key in of_part])
    systems = []
    for i, name in enumerate(run.options.systems):
        parts = {part: DrawResult(**json.loads(found[keys[part][i]]["result"])) for part in PARTS}
        systems.append({"system": name, **parts, **difference_fields(suite, **parts)})
    adjusted = holm([row["p"] for row in systems])
    for row, p in zip(systems, adjusted, strict=True):
        row["p_holm"] = p
        row["is_found"] = row["difference_low"] > 0 and p < 1 - LEVEL
    return {"systems": systems, "n_shared": rows.n_shared}


def difference_fields(suite: TwoDraws, public: DrawResult, private: DrawResult) -> dict[str, Any]:
    """Difference of two draws, its interval, p, and the least difference that would be found.

    p and the least difference take the interval for a normal one; without an interval p is 1.
    """
    ends = (
        paired_interval(public, private)
        if suite.has_same_clusters
        else two_samples(public, private)
    )
    difference = public.value - private.value
    error = (ends.high - ends.low) / (2 * NormalDist().inv_cdf((1 + LEVEL) / 2))
    is_known = error > 0
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) + NormalDist().inv_cdf(POWER)
    return {
        "difference": difference,
        **ends.as_fields("difference"),
        "p": 2 * NormalDist().cdf(-abs(difference) / error) if is_known else 1.0,
        "least": reach * error if is_known else math.nan,
    }


def two_samples(public: DrawResult, private: DrawResult) -> Interval:
    """Interval of the difference of two draws that share no cluster."""
    return mover(*((part.value, part.low, part.high) for part in (public, private)))


def paired_interval(public: DrawResult, private: DrawResult) -> Interval:
    """Interval of the difference over clusters that both draws have, resampled together."""
    names = sorted(public.clusters.keys() & private.clusters.keys())
    sums = np.array([[*public.clusters[name], *private.clusters[name]] for name in names], float)

    def difference(weights: FloatArray) -> FloatArray:
        totals = weights @ sums
        found: FloatArray = totals[:, 0] / totals[:, 1] - totals[:, 2] / totals[:, 3]
        return found

    return cluster_interval(difference, len(names), confidence=LEVEL)


def show(suite: TwoDraws, scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """The table and how to read it."""
    figures = {
        row["system"]: {
            name: value
            for name, value in row.items()
            if isinstance(value, float) and value == value
        }
        for row in scored["systems"]
    }
    return [Shown("contamination", result_text(suite, scored), figures)]


def result_text(suite: TwoDraws, scored: Mapping[str, Any]) -> str:
    """Both scores, the difference, what would have been found, and what it means."""
    headline, first = HEADLINES[suite.suite], scored["systems"][0]
    how = "by cluster" if suite.has_same_clusters else "as two samples"
    head = (
        f"### Was the published draw learnt by heart?\n\n{headline.title} in percent with its 95 %"
        f" interval: {first['public'].n:,} items of the published draw (`{suite.config}`,"
        f" {suite.split}), {first['private'].n:,} of a private one; {scored['n_shared']:,} of its"
        f" rows were published too and are left out. The difference is taken {how}; “would find” is"
        f" what such a comparison finds four times in five. {suite.speaks_of}\n"
    )
    return f"{head}\n{markdown_table(map(table_row, scored['systems']))}"


def table_row(row: Mapping[str, Any]) -> dict[str, object]:
    """A system's row."""
    ends = (percent(row["difference_low"]), percent(row["difference_high"]))
    return {
        "system": row["system"],
        **{part: _cell(row[part]) for part in PARTS},
        "difference": f"{percent(row['difference']):z.1f}{interval(*ends)}",
        "p (Holm)": f"{row['p_holm']:.3f}",
        "would find": percent(row["least"]),
        "verdict": FOUND if row["is_found"] else NOT_FOUND,
    }


def _cell(part: DrawResult) -> str:
    return f"{percent(part.value):.1f}{interval(percent(part.low), percent(part.high))}"


def answer_score(answerer: Any, rows: pa.Table) -> Mapping[str, Any]:
    """Result of `matched_pair_accuracy`, with intervals."""
    return centerbench.score(answerer, rows, AnswerOptions())


def parser_score(parser: Any, rows: pa.Table) -> Mapping[str, Any]:
    """Result of `subject_object_las`."""
    clauses = rows.to_pydict()  # readers take plain numbers
    inputs = {"predictions": parser.predict(clauses), "references": clauses}
    return subject_object_las.score(inputs, read_options(scheme=parser.scheme))


SUITES = (
    TwoDraws(
        suite="centerbench",
        config="questions_lite",
        split="test",
        known="questions",
        text="sentence",
        group="pair_id",
        kind="answerer",
        systems=("structure", "linear-order"),
        score=answer_score,
        has_same_clusters=False,
        speaks_of=(
            "Draws take other sentences from the same knowledge base: a model that has learnt its"
            " nouns and verbs is not found, only one that has learnt questions or sentences."
        ),
    ),
    TwoDraws(
        suite="eras",
        config="simplified_lite",
        split="test",
        known="simplified",
        text="test",
        group="id",
        kind="segmenter",
        systems=("jieba", "maxmatch"),
        score=eras.score,
        has_same_clusters=True,
        speaks_of=(
            "All draws share the 39 paradigms with their sites and the words of the slots: a system"
            " that has learnt these is not found, only one that has learnt sentences."
        ),
    ),
    TwoDraws(
        suite="sorts",
        config="conll_lite",
        split="part_amb",
        known="conll",
        text="tokens",
        group="item_id",
        kind="parser",
        systems=("subject-first", "inflection-first"),
        score=parser_score,
        has_same_clusters=False,
        speaks_of=(
            "Draws take other triples through the same word orders; words recur, so that a parser"
            " that has learnt the words is not found, only one that has learnt clauses."
        ),
    ),
)
STUDIES = {one.suite: contamination_study(one) for one in SUITES}
