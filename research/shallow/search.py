"""The search: the best reader of each config that knows nothing, and the best of one real cue.

python -m research shallow SUITE [CONFIG ...]   searches and prints; --most 20: the best readers too
python -m research shallow --write          all suites, into builders/SUITE/data/shallow.tsv
"""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from builders.shallow import RESAMPLES, ClusterRow, Kind, Shallow
from metrics._shared.columns import BoolArray, FloatArray
from research.shallow.decisions import Problem, ShallowReading, chance_of, cluster_sums
from research.shallow.readers import halves, readings
from research.studies.study import Rows

ABOVE_CHANCE = 0.10
HEADLINE_BOUND = 0.40
KEY = "config score kind"
CLUSTER_KEY = "config score cluster"


class SearchResult(NamedTuple):
    """What a search found: the best readers, what the best but leaks has in each cluster, all."""

    best: list[Shallow]
    clusters: list[ClusterRow]
    ranked: list[tuple[str, float]]


def search(problem: Problem) -> SearchResult:
    """The best null of a problem, and the best of each other kind that is above what is shallow."""
    found = readings(problem)
    sums = [cluster_sums(problem.decisions, one.right, problem.measure) for one in found]
    values = np.array([top.sum() / n.sum() for top, n in sums])
    best: list[Shallow] = []
    clusters: list[ClusterRow] = []
    for kind in get_args(Kind):
        places = [i for i, one in enumerate(found) if one.kind == kind]
        place = max(places, key=lambda i: values[i], default=None)
        if place is None or any(values[place] <= one.value for one in best if one.is_shallow):
            continue
        own = [found[i] for i in places]
        best.append(
            _shallow(problem, kind, found[place].says, sums[place], _held_out(problem, own))
        )
        if kind in ("null", "shortcut"):
            names = dict.fromkeys(one.cluster for one in problem.decisions)
            rows = zip(names, *(part.tolist() for part in sums[place]), strict=True)
            clusters = [ClusterRow(problem.config, problem.score, *row) for row in rows]
    order = np.argsort(-values, kind="stable")
    return SearchResult(best, clusters, [(found[i].says, float(values[i])) for i in order])


def _shallow(
    problem: Problem, kind: Kind, says: str, sums: tuple[FloatArray, FloatArray], held_out: float
) -> Shallow:
    chance = chance_of(problem.decisions, problem.measure)
    value, ends = float(sums[0].sum() / sums[1].sum()), interval(*sums)
    of = (problem.config, problem.score, kind, says)
    bound, n = bound_of(problem, kind, chance), len(problem.decisions)
    return Shallow(*of, value, *ends, held_out, chance, bound, n)


def bound_of(problem: Problem, kind: Kind, chance: float) -> float | None:
    """What no shallow reader may exceed; None where its score is only said."""
    if kind not in ("null", "shortcut"):
        return None
    if problem.design == "headline":
        return HEADLINE_BOUND
    return chance + ABOVE_CHANCE if problem.design == "own" else None


def interval(sums: FloatArray, sizes: FloatArray, seed: int = 0) -> tuple[float, float]:
    """A 95 % interval of a mean over clusters, by resampling them."""
    drawn = np.random.default_rng(seed).integers(0, len(sums), (RESAMPLES, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def _held_out(problem: Problem, found: Sequence[ShallowReading]) -> float:
    """The score where each half is read by the reader that is best on the other."""

    def sums(one: ShallowReading, fold: BoolArray) -> tuple[FloatArray, FloatArray]:
        inside = [own for own, is_in in zip(problem.decisions, fold, strict=True) if is_in]
        return cluster_sums(inside, one.right[fold], problem.measure)

    half = halves(problem.decisions)
    if half.all() or not half.any():
        return float("nan")
    top = size = 0.0
    for fold in (half, ~half):
        outside = [sums(one, ~fold) for one in found]
        best = int(np.argmax([value.sum() / n.sum() for value, n in outside]))
        value, n = sums(found[best], fold)
        top, size = top + value.sum(), size + n.sum()
    return float(top / size)


def problems_of(suite: str, hub: Path, configs: Sequence[str] = ()) -> Iterator[Problem]:
    """The problems of a suite's built configs, of all or of some, one after the other."""
    module = importlib.import_module(f"research.shallow.{suite}")
    asked: Mapping[str, Callable[[str, Rows], Iterator[Problem]]] = module.CONFIGS
    for pattern, make in asked.items():
        for folder in sorted((hub / suite).glob(pattern)):
            if (not configs or folder.name in configs) and any(folder.glob("*.parquet")):
                beside = getattr(module, "BESIDE", {}).get(folder.name)
                more = read_splits(folder.parent / beside) if beside else {}
                splits = read_splits(folder)
                train = splits.pop("train", [])
                for split, rows in splits.items():
                    place = f"{folder.name}/{split}"
                    made = make(place, [*rows, *more.get(split, ())])
                    other = train or [row for one in splits if one != split for row in splits[one]]
                    if not other:
                        yield from made
                        continue
                    for problem, lesson in zip(made, make(place, other), strict=True):
                        told = lesson.decisions
                        yield replace(
                            problem, taught=told if train else (), answered=() if train else told
                        )


def read_splits(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of a built config by split; of a training view its test and what it trains on."""
    files = sorted(folder.glob("*.parquet"))
    splits = sorted({file.name.split("-")[0] for file in files})
    if "train" in splits:
        splits = ["test", "train"]
    tables = {
        split: pa.concat_tables(
            [pq.read_table(file) for file in files if file.name.split("-")[0] == split]
        )
        for split in splits
    }
    return {split: table.to_pylist() for split, table in tables.items()}
