"""Are the invented languages as hard as real ones? CRFs of order 0 and 1 on data sets of equal size, and one score under every convention.

    python -m studies.segmentation_difficulty --released ../shared/data/segmentation --write

The answer is yes if at every size the F1 of both CRFs, the gap between them, and the growth from
the smallest to the largest size lie within the range of the studied languages. Results are stored
as they are made (`--store`); a run that was stopped goes on where it was.

Source: Liu & Prud'hommeaux (2022), section 6.1, for data sets, splits and the F1.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from tqdm import tqdm

from builders.morphseg.draw import draw, has_pool, pool_hash
from builders.morphseg.generator import profiles
from builders.morphseg.sampling import Setting, split_indices
from builders.morphseg.sources import Word
from dataset_scripts.registry import suite_stamp
from ground.markdown import markdown_table, percent
from ground.store import Store, make_key
from metrics.morpheme_segmentation.averages import mean_scores
from metrics.morpheme_segmentation.matching import (
    AVERAGES,
    MATCHINGS,
    PRESETS,
    Convention,
    count_matches,
)
from metrics.split_characteristics.scoring import characteristics
from studies.command_line import run_study
from studies.report import png, write_result
from systems.morphological_segmenters import train_segmenter

NAME = "segmentation_difficulty"
MODELS = ("0-crf", "1-crf")
STUDIED = ("eng", "fin", "rus")
SIZES = (500, 1000, 1500)
SPLITS = ("A", "B")
BATCH = 20  # trainings that are stored together
CONVENTIONS = {
    f"{matching}, {average}": Convention(matching, average)
    for matching in MATCHINGS
    for average in AVERAGES
}
CONVENTION_POOL, CONVENTION_SIZE = "rus", 2000
SCHEMA = pa.schema(
    [("f1", pa.float64()), ("overlap", pa.float64()), ("by_convention", pa.list_(pa.float64()))]
)


class Job(NamedTuple):
    """One model trained on one split of one data set."""

    pool: str
    size: int
    data_set: int
    split: str
    model: str

    def key(self, content: str) -> str:
        """Gives the key of its result: everything that it depends on, the hash of the pool included."""
        return make_key(
            study=NAME, content=content, crfsuite=version("python-crfsuite"), **self._asdict()
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code."""
    options = _parser().parse_args(arguments)
    pools = [
        pool
        for pool in options.pools
        if pool in profiles() or (options.released and has_pool(pool, options.released))
    ]
    if missing := sorted(set(options.pools) - set(pools)):
        print(f"left out, no files in --released: {', '.join(missing)}", file=sys.stderr)
    jobs = list(plan(pools, options.data_sets))
    results = run(jobs, options.released, Store(options.store, SCHEMA))
    tables = {NAME: difficulty_text(results, pools, options.data_sets)}
    if CONVENTION_POOL in pools:
        tables["segmentation_conventions"] = convention_text(results, options.data_sets)
    for name, text in tables.items():
        print(text)
        if options.write:
            command = (
                f"python -m studies.{NAME} --released DIR --data-sets {options.data_sets} --write"
            )
            stamp = suite_stamp("morphseg")
            write_result(
                "morphseg",
                name,
                text,
                version=stamp["version"],
                content_hash=stamp["content_hash"],
                command=command,
                figures=figures(results),
                plot=curve_plot(results, pools) if name == NAME else None,
            )
    return 0


def plan(pools: Sequence[str], n_data_sets: int) -> Iterator[Job]:
    """Gives the jobs: every pool at every size, and the pool of the conventions at its own."""
    settings = [(pool, size) for pool in pools for size in SIZES]
    settings += [(CONVENTION_POOL, CONVENTION_SIZE)] if CONVENTION_POOL in pools else []
    for pool, size in settings:
        for data_set in range(1, n_data_sets + 1):
            yield from (
                Job(pool, size, data_set, split, model) for split in SPLITS for model in MODELS
            )


def run(jobs: Sequence[Job], released: Path | None, store: Store) -> dict[Job, dict[str, Any]]:
    """Trains and scores what is not stored yet; gives all results."""
    words = {pool: draw(pool=pool, folder=released) for pool in {job.pool for job in jobs}}
    hashes = {pool: pool_hash(found) for pool, found in words.items()}
    keys = {job: job.key(hashes[job.pool]) for job in jobs}
    missing = set(store.missing(keys.values()))
    todo = [job for job in jobs if keys[job] in missing]
    print(
        f"{len(todo):,} of {len(jobs):,} trainings to do, about {0.5 * len(todo):.0f} s",
        file=sys.stderr,
    )
    for start in tqdm(range(0, len(todo), BATCH), desc=NAME, unit="batch", disable=None):
        batch = todo[start : start + BATCH]
        rows = [run_job(job, words[job.pool]) for job in batch]
        store.append(
            [keys[job] for job in batch],
            {name: [row[name] for row in rows] for name in SCHEMA.names},
        )
    found = store.rows(list(keys.values()))
    return {job: found[key] for job, key in keys.items()}


def run_job(job: Job, pool: Sequence[Word]) -> dict[str, Any]:
    """Trains a model on one split and scores it: F1 as published, morpheme overlap of the split, F1 under every convention."""
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


def mean_of(results: Mapping[Job, Mapping[str, Any]], field: str, **wanted: object) -> float:
    """Gives the mean of a field over the jobs with the wanted pool, size and model."""
    values = [
        float(row[field])
        for job, row in results.items()
        if all(getattr(job, name) == value for name, value in wanted.items())
    ]
    return statistics.mean(values)


def characteristics_of(results: Mapping[Job, Mapping[str, Any]], pool: str) -> dict[str, float]:
    """Gives what is compared between languages, in percent and points: F1 of both models and their gap at each size, and the growth."""
    found: dict[str, float] = {}
    for size in SIZES:
        low, high = (
            percent(mean_of(results, "f1", pool=pool, size=size, model=model)) for model in MODELS
        )
        found |= {f"0-CRF {size:,}": low, f"1-CRF {size:,}": high, f"gap {size:,}": high - low}
    return found | {"growth": found[f"1-CRF {SIZES[-1]:,}"] - found[f"1-CRF {SIZES[0]:,}"]}


def outside(
    results: Mapping[Job, Mapping[str, Any]], pool: str, studied: Sequence[str]
) -> list[str]:
    """Names the characteristics of a language that lie outside the range of the studied ones."""
    others = [characteristics_of(results, other) for other in studied]
    own = characteristics_of(results, pool)
    ranges = {
        name: (min(o[name] for o in others) - 1e-9, max(o[name] for o in others) + 1e-9)
        for name in own
    }
    return [name for name, value in own.items() if not ranges[name][0] <= value <= ranges[name][1]]


def difficulty_text(
    results: Mapping[Job, Mapping[str, Any]], pools: Sequence[str], n_data_sets: int
) -> str:
    """Gives the table of the languages and what it says of the invented ones."""
    rows = []
    for pool in pools:
        overlap = percent(mean_of(results, "overlap", pool=pool, size=SIZES[0]))
        rows.append(
            {"config": pool, f"overlap {SIZES[0]}": overlap, **characteristics_of(results, pool)}
        )
    text = (
        f"F1 in percent as published, mean of {n_data_sets} data sets without replacement and {len(SPLITS)} splits;"
        f" gap and growth (1-CRF, from {SIZES[0]:,} to {SIZES[-1]:,} words) in points;"
        f" overlap: test morphemes known from training.\n\n{markdown_table(rows)}"
    )
    studied = [pool for pool in pools if pool in STUDIED]
    if len(studied) < len(STUDIED):
        return text
    for pool in (pool for pool in pools if pool in profiles()):
        strange = outside(results, pool, studied)
        verdict = (
            f"outside their range in {', '.join(strange)}: for mechanism tests only"
            if strange
            else "within their range throughout"
        )
        text += f"\n`{pool}` beside {', '.join(studied)}: {verdict}.\n"
    return text


def convention_text(results: Mapping[Job, Mapping[str, Any]], n_data_sets: int) -> str:
    """Gives F1 of the same predictions under every convention."""
    rows = []
    for model in MODELS:
        chosen = [
            row
            for job, row in results.items()
            if (job.pool, job.size, job.model) == (CONVENTION_POOL, CONVENTION_SIZE, model)
        ]
        means = [
            percent(statistics.mean(column))
            for column in zip(*(row["by_convention"] for row in chosen), strict=True)
        ]
        rows.append(
            {
                "model": model,
                "published": percent(statistics.mean(row["f1"] for row in chosen)),
                **dict(zip(CONVENTIONS, means, strict=True)),
            }
        )
    return (
        f"F1 in percent of the same predictions under every convention (matching, average): Russian, {CONVENTION_SIZE:,} words without"
        f" replacement, mean of {n_data_sets} data sets and {len(SPLITS)} splits.\n\n{markdown_table(rows)}"
    )


def curve_plot(results: Mapping[Job, Mapping[str, Any]], pools: Sequence[str]) -> bytes:
    """Draws the learning curves: F1 of the 1-CRF (lines) and of the 0-CRF (dashes) over the size of the data set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for i, pool in enumerate(pools):
        for model, style in zip(MODELS, ("--", "-"), strict=True):
            values = [
                percent(mean_of(results, "f1", pool=pool, size=size, model=model)) for size in SIZES
            ]
            axes.plot(
                SIZES,
                values,
                style,
                marker="o" if pool in STUDIED else "s",
                color=f"C{i}",
                label=pool if style == "-" else None,
            )
    axes.set_xticks(SIZES)
    axes.set_xlabel("words of the data set")
    axes.set_ylabel("F1 in percent, as published")
    axes.legend(title="1-CRF lines, 0-CRF dashes", fontsize="small")
    return png(figure)


def figures(results: Mapping[Job, Mapping[str, Any]]) -> dict[str, float]:
    """Gives the mean F1 of every pool, size and model."""
    groups: dict[str, list[float]] = {}
    for job, row in results.items():
        groups.setdefault(f"{job.pool}/{job.size}/{job.model}", []).append(row["f1"])
    return {name: statistics.mean(values) for name, values in groups.items()}


def _parser() -> argparse.ArgumentParser:
    style = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(
        prog=f"python -m studies.{NAME}", description=__doc__, formatter_class=style
    )
    made.add_argument(
        "--pools",
        nargs="+",
        default=[*profiles(), *STUDIED],
        metavar="NAME",
        help="invented and studied languages",
    )
    made.add_argument(
        "--released", type=Path, metavar="DIR", help="folder of the studied languages' files"
    )
    made.add_argument(
        "--data-sets",
        type=int,
        default=10,
        metavar="N",
        help="data sets per size (default: 10, about 6 minutes)",
    )
    made.add_argument(
        "--store",
        type=Path,
        default=Path("store") / NAME,
        metavar="DIR",
        help="where finished results lie",
    )
    made.add_argument(
        "--write",
        action="store_true",
        help="write the tables to cards/results/morphseg/ for the cards",
    )
    return made


if __name__ == "__main__":
    sys.exit(run_study(main))
