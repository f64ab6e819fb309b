"""Are the invented languages as hard as real ones? CRFs on data sets of equal size.

    python -m research morphseg difficulty --pools synthetic
    python -m research morphseg difficulty --released DIR

CRFs of order 0 and 1 are trained. The answer is yes if at every size the F1 of both, the gap
between them, and the growth from the smallest to the largest size lie within the range of the
studied languages. A second table scores the same predictions under every convention.

Source: Liu & Prud'hommeaux (2022), section 6.1, for data sets, splits and the F1.
"""

import itertools
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import pyarrow as pa

from builders.morphseg.draw import draw, has_pool, pool_hash
from builders.morphseg.generator import profiles
from builders.morphseg.sampling import Setting, split_indices
from builders.morphseg.sources import Word
from ground.markdown import markdown_table, percent
from metrics.morpheme_segmentation.matching import (
    AVERAGES,
    MATCHINGS,
    PRESETS,
    Convention,
    count_matches,
)
from metrics.morpheme_segmentation.scoring import mean_scores
from metrics.split_characteristics.scoring import characteristics
from research.engine.loop import Row, Stage, tasks_of
from research.engine.store import make_key
from research.studies.morphseg.plan import RELEASED
from research.studies.options import flag
from research.studies.report import Shown, new_figure, png
from research.studies.study import Options, Run, Study
from research.systems.morphology.morphological_segmenters import train_segmenter

MODELS = ("0-crf", "1-crf")
STUDIED = ("eng", "fin", "rus")
POOLS = ["synthetic", "synthetic_fusional", "synthetic_polysynthetic", *STUDIED]
ALL_POOLS = "invented and studied languages; by default all"
SIZES = (500, 1000, 1500)
SPLITS = ("A", "B")
BATCH = 20  # trainings that one process claims
CONVENTIONS = {
    f"{matching}, {average}": Convention(matching, average)
    for matching in MATCHINGS
    for average in AVERAGES
}
CONVENTION_POOL, CONVENTION_SIZE = "rus", 2000
SCHEMA = pa.schema(
    [("f1", pa.float64()), ("overlap", pa.float64()), ("by_convention", pa.list_(pa.float64()))]
)


@dataclass(frozen=True)
class SplitTraining:
    """One model trained on one split of one data set."""

    pool: str
    size: int
    data_set: int
    split: str
    model: str


Results = Mapping[SplitTraining, Mapping[str, Any]]


Pools = Mapping[str, Sequence[Word]]


def rows(options: Options) -> Pools:
    """The words of the pools that are there."""
    given = options.released
    names = [
        pool for pool in options.pools if pool in profiles() or (given and has_pool(pool, given))
    ]
    if missing := [pool for pool in options.pools if pool not in names]:
        print(f"left out, no files in --released: {', '.join(missing)}", file=sys.stderr)
    return {pool: draw(pool=pool, folder=given) for pool in names}


def plan(pools: Sequence[str], n_data_sets: int) -> Iterator[SplitTraining]:
    """The jobs: every pool at every size, and the pool of the conventions at its own."""
    settings = [(pool, size) for pool in pools for size in SIZES]
    settings += [(CONVENTION_POOL, CONVENTION_SIZE)] if CONVENTION_POOL in pools else []
    numbers = range(1, n_data_sets + 1)
    for (pool, size), number, split, model in itertools.product(settings, numbers, SPLITS, MODELS):
        yield SplitTraining(pool, size, number, split, model)


def stage(pools: Pools, run: Run) -> Stage:
    """All trainings, in tasks of some."""
    common = {"crfsuite": version("python-crfsuite")}
    hashes = {pool: pool_hash(words) for pool, words in pools.items()}
    jobs = plan(list(pools), run.options.data_sets)
    by_key = {make_key(content=hashes[j.pool], **common, **asdict(j)): j for j in jobs}
    todo = tasks_of(by_key, BATCH, pools)
    return Stage("trainings", run.store("scores", SCHEMA), lambda: todo, train)


def train(pools: Pools, jobs: Sequence[SplitTraining]) -> Iterator[tuple[int, Row]]:
    """Trains and scores the models of some jobs."""
    for place, job in enumerate(jobs):
        yield place, run_job(job, pools[job.pool])


def run_job(job: SplitTraining, pool: Sequence[Word]) -> dict[str, Any]:
    """Trains a model on one split; gives F1 under every convention and the morpheme overlap."""
    setting = Setting(job.pool, len(pool), job.size, "without")
    split = split_indices(setting, job.data_set, job.split)
    training, gold = ([pool[i].morphemes for i in part] for part in (split.train, split.test))
    predicted = train_segmenter(job.model, training).segment(
        ["".join(morphemes) for morphemes in gold]
    )
    return {
        "f1": mean_scores(count_matches(predicted, gold, PRESETS["paper"]), PRESETS["paper"]).f1,
        "overlap": characteristics(training, gold).unit_overlap,
        "by_convention": [
            mean_scores(count_matches(predicted, gold, convention), convention).f1
            for convention in CONVENTIONS.values()
        ],
    }


def mean_of(results: Results, field: str, **wanted: object) -> float:
    """The mean of a field over the jobs with the wanted pool, size and model."""
    values = [
        float(row[field])
        for job, row in results.items()
        if all(getattr(job, name) == value for name, value in wanted.items())
    ]
    return statistics.mean(values)


def characteristics_of(results: Results, pool: str) -> dict[str, float]:
    """F1 of both models, their gap and its growth by size, in percent and points."""
    found: dict[str, float] = {}
    for size in SIZES:
        low, high = (
            percent(mean_of(results, "f1", pool=pool, size=size, model=model)) for model in MODELS
        )
        found |= {f"0-CRF {size:,}": low, f"1-CRF {size:,}": high, f"gap {size:,}": high - low}
    return found | {"growth": found[f"1-CRF {SIZES[-1]:,}"] - found[f"1-CRF {SIZES[0]:,}"]}


def outside(results: Results, pool: str, studied: Sequence[str]) -> list[str]:
    """Names the characteristics of a language that lie outside the range of the studied ones."""
    others = [characteristics_of(results, other) for other in studied]
    strange = []
    for name, value in characteristics_of(results, pool).items():
        values = [other[name] for other in others]
        if not min(values) - 1e-9 <= value <= max(values) + 1e-9:
            strange.append(name)
    return strange


def difficulty_text(results: Results, pools: Sequence[str], n_data_sets: int) -> str:
    """The table of the languages and what it says of the invented ones."""
    rows = []
    for pool in pools:
        overlap = percent(mean_of(results, "overlap", pool=pool, size=SIZES[0]))
        row = {"config": pool, f"overlap {SIZES[0]}": overlap}
        rows.append(row | characteristics_of(results, pool))
    text = (
        f"F1 in percent as published, mean of {n_data_sets} data sets without replacement and"
        f" {len(SPLITS)} splits; gap and growth (1-CRF, from {SIZES[0]:,} to {SIZES[-1]:,} words)"
        f" in points; overlap: test morphemes known from training.\n\n{markdown_table(rows)}"
    )
    studied = [pool for pool in pools if pool in STUDIED]
    if len(studied) < len(STUDIED):
        return text
    for pool in (pool for pool in pools if pool in profiles()):
        verdict = "within their range throughout"
        if strange := outside(results, pool, studied):
            verdict = f"outside their range in {', '.join(strange)}: for mechanism tests only"
        text += f"\n`{pool}` beside {', '.join(studied)}: {verdict}.\n"
    return text


def convention_text(results: Results, n_data_sets: int) -> str:
    """F1 of the same predictions under every convention."""
    rows = []
    for model in MODELS:
        place = (CONVENTION_POOL, CONVENTION_SIZE, model)
        chosen = [r for job, r in results.items() if (job.pool, job.size, job.model) == place]
        row = {"model": model, "published": percent(statistics.mean(r["f1"] for r in chosen))}
        columns = zip(*(r["by_convention"] for r in chosen), strict=True)
        means = [percent(statistics.mean(column)) for column in columns]
        rows.append(row | dict(zip(CONVENTIONS, means, strict=True)))
    return (
        "F1 in percent of the same predictions under every convention (matching, average): Russian,"
        f" {CONVENTION_SIZE:,} words without replacement, mean of {n_data_sets} data sets and"
        f" {len(SPLITS)} splits.\n\n{markdown_table(rows)}"
    )


def curve_plot(results: Results, pools: Sequence[str]) -> bytes:
    """Draws F1 of the 1-CRF (lines) and the 0-CRF (dashes) over the size of the data set."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    for i, pool in enumerate(pools):
        for model, style in zip(MODELS, ("--", "-"), strict=True):
            values = [
                percent(mean_of(results, "f1", pool=pool, size=size, model=model)) for size in SIZES
            ]
            marker, label = "o" if pool in STUDIED else "s", pool if style == "-" else None
            axes.plot(SIZES, values, style, marker=marker, color=f"C{i}", label=label)
    axes.set_xticks(SIZES)
    axes.set_xlabel("words of the data set")
    axes.set_ylabel("F1 in percent, as published")
    axes.legend(title="1-CRF lines, 0-CRF dashes", fontsize="small")
    return png(figure)


def figures(results: Results) -> dict[str, float]:
    """The mean F1 of every pool, size and model."""
    trained = dict.fromkeys((job.pool, job.size, job.model) for job in results)
    return {
        f"{pool}/{size}/{model}": mean_of(results, "f1", pool=pool, size=size, model=model)
        for pool, size, model in trained
    }


def show(results: Results, options: Options) -> list[Shown]:
    """Difficulty of every pool and, where Russian is there, F1 under every convention."""
    n, pools = options.data_sets, list(dict.fromkeys(job.pool for job in results))
    numbers, text = figures(results), difficulty_text(results, pools, n)
    shown = [Shown(text, numbers, lambda: curve_plot(results, pools))]
    if CONVENTION_POOL in pools:
        shown.append(Shown(convention_text(results, n), numbers, name="conventions"))
    return shown


STUDY = Study.of(
    __name__,
    metrics=("morpheme_segmentation", "split_characteristics"),
    options=(
        flag("pools", ALL_POOLS, POOLS, many="+", metavar="NAME"),
        RELEASED,
        flag("data-sets", "data sets per size; ten take about 6 minutes", 10, low=1),
    ),
)
