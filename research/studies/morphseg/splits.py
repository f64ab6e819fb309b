"""Splits that are not random: which data sets have them, how unlike, and what they do to F1.

    python -m research morphseg splits --released DIR

For every setting whose words are there: the share of 50 data sets that a threshold of morphemes per
word divides about 3 to 2; how many test words an adversarial split shares with a random one, and
with another adversarial one; and for three languages the F1 of a CRF of order 2 on random,
adversarial and divergent splits of the same data sets.

Source: Liu & Prud'hommeaux (2022), 7.4; their program made one adversarial split five times over.
"""

import itertools
import re
import statistics
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from builders.columns import IntArray
from builders.morphseg.divergent_splits import divergent_split
from builders.morphseg.draw import has_pool
from builders.morphseg.sampling import (
    METHODS,
    N_DATA_SETS,
    SPLITS,
    TEST_SHARE,
    Setting,
    Split,
    data_set_indices,
    derive_seed,
    split_indices,
)
from builders.morphseg.sources import Word, languages
from ground.markdown import markdown_table, percent
from metrics.morpheme_segmentation.matching import PRESETS, Segmentation, count_matches
from metrics.morpheme_segmentation.scoring import mean_scores
from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies.morphseg.plan import RELEASED, pool_hash, read_pool
from research.studies.morphseg.results import language_name, setting_title
from research.studies.options import flag
from research.studies.report import Shown, headings
from research.studies.study import Options, Run, Study
from research.systems.morphology.morphological_segmenters import describe_segmenter, train_segmenter

TOLERANCE = 0.02  # of the test share of a heuristic split
TOKEN = re.compile(r"\b\w\w+\b")  # what scikit-learn's CountVectorizer calls a token by default


class HeuristicSplit(NamedTuple):
    """Test positions by threshold: words of `threshold` morphemes or more, `test_share` of all."""

    threshold: int
    test_share: float
    is_splittable: bool
    test: IntArray


def divided(
    setting: Setting, data_set: int, split: str, strategy: str, pool: Sequence[Word]
) -> Split:
    """Divides a data set, counted from 1, at random or by another strategy.

    Whose parts are those of the published protocol, without one for development; a split, A to E,
    is the seed of the strategy. Indices point to the pool.
    """
    if strategy == "random":
        return split_indices(setting, data_set, split)
    drawn = data_set_indices(setting, data_set)
    keys = (setting.seed, setting.language, setting.pool_size, setting.size, setting.method)
    test = SPLITTERS[strategy](
        [pool[i].morphemes for i in drawn],
        int(TEST_SHARE * len(drawn)),
        derive_seed("morphseg", *keys, strategy, data_set, split),
    )
    is_test = np.isin(np.arange(len(drawn)), test)
    return Split(drawn[~is_test], drawn[:0], drawn[is_test])


def heuristic_split(n_morphemes: Sequence[int]) -> HeuristicSplit:
    """Threshold of morphemes per word that puts about 40 % of the words into the test part.

    The largest that more than 40 % of the words reach; splittable if their share is within 0.40 +-
    0.02. Source: Liu & Prud'hommeaux (2022), 7.4, whose script writes only the last word of each
    part; the rule is theirs.
    """
    counts = np.asarray(n_morphemes)
    for threshold in range(int(counts.max()), 0, -1):
        n_test = int((counts >= threshold).sum())
        if n_test > TEST_SHARE * len(counts):
            break
    share = n_test / len(counts)
    is_splittable = TEST_SHARE - TOLERANCE <= share <= TEST_SHARE + TOLERANCE
    return HeuristicSplit(threshold, share, is_splittable, np.flatnonzero(counts >= threshold))


def adversarial_split(segmentations: Sequence[Segmentation], n_test: int, seed: int) -> IntArray:
    """Test positions, sorted, of the published adversarial split, in its closed form.

    The neighbours of a random vector of counts are sought by the Wasserstein distance of values.
    For vectors u and v over V morphemes that is the sum over t >= 1 of |#(u >= t) - #(v >= t)| / V,
    so no vector is ever built; ties go to the earlier word. As published, morphemes are lower-cased
    and those of one character are dropped. The distance is blind to which morphemes differ, so that
    the study's "five" splits are near-copies of one split by length; `divergent_split` maximises
    what was meant.

    Source: Liu & Prud'hommeaux (2022), 7.4, their reading of Søgaard et al. (2021).
    """
    counts = [Counter(TOKEN.findall(" ".join(s).lower())) for s in segmentations]
    n_types = len(set().union(*counts))
    largest = max((n for c in counts for n in c.values()), default=0)
    centroid = np.random.PCG64(seed).random_raw(n_types) % np.uint64(largest + 1)
    distance = np.zeros(len(counts), np.int64)
    for level in range(1, largest + 1):
        distance += np.abs(
            np.array([sum(n >= level for n in c.values()) for c in counts])
            - int((centroid >= level).sum())
        )
    return np.sort(np.argsort(distance, kind="stable")[:n_test])


SPLITTERS = {"adversarial": adversarial_split, "divergent": divergent_split}


MODEL = "2-crf"
STRATEGIES = ("random", "adversarial", "divergent")
INVENTED_SIZES = (500,)
TRAINED = ("fas", "rus", "zul")  # of which adversarial scores are published
ADVERSARIAL_DATA_SETS = 2  # of each setting, five splits each
MEASURES = headings("morphseg splits")
SCHEMA = pa.schema(
    [
        *((name, pa.float64()) for name in MEASURES),
        *((name, pa.list_(pa.float64())) for name in STRATEGIES),
    ]
)
Measures = Mapping[Setting, Mapping[str, Any]]


def rows(options: Options) -> list[Setting]:
    """The settings of the languages whose words are there; the others are named on stderr."""
    folder = options.released
    codes = [code for code in options.languages if has_pool(code, folder)]
    if missing := [code for code in options.languages if code not in codes]:
        print(f"left out, no files in --released: {', '.join(missing)}", file=sys.stderr)
    return [
        Setting(code, len(read_pool(code, str(folder))), size, method)
        for code in codes
        for size in (languages()[code].sizes if code in languages() else INVENTED_SIZES)
        for method in METHODS
    ]


def stage(settings: Sequence[Setting], run: Run) -> Stage:
    """A task per setting."""
    folder, n_trained = str(run.options.released), run.options.data_sets
    tasks = []
    for setting in settings:
        key = make_key(
            setting=asdict(setting),
            pool=pool_hash(setting.language, folder),
            model=describe_segmenter(MODEL),
            data_sets=[N_DATA_SETS, ADVERSARIAL_DATA_SETS, n_trained],
        )
        given = (folder, n_trained if setting.language in TRAINED else 0)
        tasks.append(Task((key,), (setting,), given))
    store = run.store("scores", SCHEMA)
    return Stage("settings divided", store, lambda: tasks, measure, in_workers=True)


def measure(given: tuple[str, int], settings: Sequence[Setting]) -> Iterator[tuple[int, Row]]:
    """Divides data sets of settings, and scores a model on the first `given[1]` of them."""
    folder, n_trained = given
    for place, setting in enumerate(settings):
        pool = read_pool(setting.language, folder)
        row: Row = {"heuristic": heuristic_share(setting, pool)}
        row |= adversarial_overlaps(setting, pool)
        for strategy in STRATEGIES:
            row[strategy] = [f1(setting, n, strategy, pool) for n in range(1, n_trained + 1)]
        yield place, row


def heuristic_share(setting: Setting, pool: Sequence[Word]) -> float:
    """Share of the data sets that a threshold of morphemes per word divides."""
    n_morphemes = np.array([len(word.morphemes) for word in pool])
    found = [
        heuristic_split(n_morphemes[data_set_indices(setting, n)].tolist()).is_splittable
        for n in range(1, N_DATA_SETS + 1)
    ]
    return statistics.fmean(found)


def adversarial_overlaps(setting: Setting, pool: Sequence[Word]) -> dict[str, float]:
    """Shares of an adversarial split's test words that a random or another such one has."""
    overlaps, copies = [], []
    for data_set in range(1, ADVERSARIAL_DATA_SETS + 1):
        found = [divided(setting, data_set, split, "adversarial", pool).test for split in SPLITS]
        drawn = [split_indices(setting, data_set, split).test for split in SPLITS]
        overlaps += [_shared(one, other) for one, other in zip(found, drawn, strict=True)]
        copies += [_shared(one, other) for one, other in itertools.combinations(found, 2)]
    return {"overlap": statistics.fmean(overlaps), "copies": statistics.fmean(copies)}


def _shared(one: IntArray, other: IntArray) -> float:
    return float(np.isin(one, other).mean())


def f1(setting: Setting, data_set: int, strategy: str, pool: Sequence[Word]) -> float:
    """F1 of a model on split A of a data set, as published, in [0, 1]."""
    split = divided(setting, data_set, "A", strategy, pool)
    training, gold = ([pool[i].morphemes for i in part] for part in (split.train, split.test))
    predicted = train_segmenter(MODEL, training).segment(["".join(word) for word in gold])
    return mean_scores(count_matches(predicted, gold, PRESETS["paper"]), PRESETS["paper"]).f1


def lower(found: Measures) -> dict[str, dict[str, float]]:
    """By language the mean F1 in points that adversarial and divergent splits take from a model."""
    losses: dict[str, dict[str, float]] = {}
    for code in TRAINED:
        own = [row for setting, row in found.items() if setting.language == code]
        scores = {name: [x for row in own for x in row[name]] for name in STRATEGIES}
        if scores["random"]:
            mean = statistics.fmean(scores.pop("random"))
            losses[language_name(code)] = {
                name: percent(mean - statistics.fmean(values)) for name, values in scores.items()
            }
    return losses


def show(found: Measures, options: Options) -> list[Shown]:
    """The table of settings and what adversarial splits do to F1."""
    titles = {setting_title(setting): row for setting, row in found.items()}
    losses = lower(found)
    figures = {name: {title: row[name] for title, row in titles.items()} for name in MEASURES} | {
        "lower": {name: loss["adversarial"] for name, loss in losses.items()}
    }
    return [Shown(splits_text(titles, losses, options.data_sets), figures)]


def splits_text(
    titles: Mapping[str, Mapping[str, Any]], losses: Mapping[str, Mapping[str, float]], n: int
) -> str:
    """Tables of the settings and of the losses."""
    table = markdown_table(
        {"setting": title, **{column: percent(row[key]) for key, column in MEASURES.items()}}
        for title, row in titles.items()
    )
    every = f"<details><summary>All {len(titles)} settings</summary>\n\n{table}\n</details>\n"
    text = (
        f"Percent of {N_DATA_SETS} data sets that a threshold of morphemes per word divides about 3"
        " to 2; percent of an adversarial split's test words that are test words of a random split"
        f" (40 is chance) and of another adversarial split, {ADVERSARIAL_DATA_SETS} data sets of"
        f" five splits each.\n\n{markdown_table(over_settings(titles.values()))}\n{every}"
    )
    if not losses:
        return text
    rows = [{"language": name, **loss} for name, loss in losses.items()]
    return (
        f"{text}\nPoints of F1 that a {MODEL} loses where a data set is not divided at random but"
        f" adversarially, as published, or so that the parts' morphemes differ most; mean of all"
        f" settings of a language, {n} data sets each:\n\n{markdown_table(rows)}"
    )


def over_settings(rows: Collection[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A row per measure: its lowest, median and highest value in percent over the settings."""
    return [
        {
            "over all settings": column,
            "lowest": percent(min(row[key] for row in rows)),
            "median": percent(statistics.median(row[key] for row in rows)),
            "highest": percent(max(row[key] for row in rows)),
        }
        for key, column in MEASURES.items()
    ]


OPTIONS = (
    flag("languages", "codes of languages", [*languages()], many="+", metavar="NAME"),
    flag("data-sets", "data sets that a model is trained on", 3, low=1),
    RELEASED,
)
STUDY = Study.of(__name__, metrics=("morpheme_segmentation",), options=OPTIONS, has_workers=True)
