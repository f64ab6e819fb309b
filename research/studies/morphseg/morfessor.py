"""What the published "supervised Morfessor" may have been: ways of training it, beside its score.

    python -m research morphseg morfessor --released DIR

The paper has 36.0 F1 on Russian data sets of 2,000 words drawn without replacement. Its program is
not public; each line is one way of training Morfessor Baseline on the same words, segmenting by
Viterbi as the program's users do, and as its own command line does, where a letter that the model
has not seen alone cannot be added.

Source: Liu & Prud'hommeaux (2022), section 5 and Table 2; Kohonen et al. (2010) on the weight.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pyarrow as pa

from builders.morphseg.draw import has_pool
from builders.morphseg.sampling import SPLITS, Setting, split_indices
from ground.markdown import markdown_table, percent
from metrics.morpheme_segmentation.matching import PRESETS, count_matches
from metrics.morpheme_segmentation.scoring import mean_scores
from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies.morphseg.plan import RELEASED, pool_hash, read_pool
from research.studies.morphseg.report import published_row
from research.studies.morphseg.results import setting_title
from research.studies.options import flag
from research.studies.report import Shown
from research.studies.study import Options, Run, Study
from research.systems.morphology.morphological_segmenters import (
    MorfessorSegmenter,
    describe_segmenter,
)

MODEL = "morfessor-annotations"
SCHEMA = pa.schema([("default", pa.float64()), ("unsmoothed", pa.float64())])


@dataclass(frozen=True)
class TrainingWay:
    """What Morfessor learns from, and the weight of annotations, None for its own."""

    learns_from: str
    weight: float | None = None

    @property
    def title(self) -> str:
        """As a line of the table."""
        return f"annotations, weight {self.weight}" if self.weight else self.learns_from


WAYS = (
    *(TrainingWay(name) for name in ("words", "annotations", "tokens", "log", "types")),
    *(TrainingWay("annotations", weight) for weight in (0.05, 0.1, 0.2, 0.5)),
)


def rows(options: Options) -> list[Setting]:
    """The one setting, where its words are there."""
    if not has_pool(options.language, options.released):
        return []
    n = len(read_pool(options.language, str(options.released)))
    return [Setting(options.language, n, options.size, "without")]


def stage(settings: Sequence[Setting], run: Run) -> Stage:
    """A task per way and split of data set 1."""
    folder = str(run.options.released)
    common = {"morfessor": describe_segmenter(MODEL)["version"]}
    tasks = []
    for setting, way in itertools.product(settings, WAYS):
        of_way = {
            **common,
            "pool": pool_hash(setting.language, folder),
            "setting": setting.__dict__,
            "way": [way.learns_from, way.weight],
        }
        keys = tuple(make_key(**of_way, split=split) for split in SPLITS)
        tasks.append(Task(keys, tuple((way, split) for split in SPLITS), (setting, folder)))
    store = run.store("scores", SCHEMA)
    return Stage("ways of training", store, lambda: tasks, score_ways, in_workers=True)


def score_ways(
    given: tuple[Setting, str], parts: Sequence[tuple[TrainingWay, str]]
) -> Iterator[tuple[int, Row]]:
    """F1 of ways on splits of the first data set, as published, in [0, 1]."""
    setting, folder = given
    pool = read_pool(setting.language, folder)
    for place, (way, letter) in enumerate(parts):
        split = split_indices(setting, 1, letter)
        training, gold = ([pool[i].morphemes for i in part] for part in (split.train, split.test))
        segmenter = MorfessorSegmenter(training, 0, way.learns_from, way.weight)
        row = {}
        for name, smoothing in (("default", 1.0), ("unsmoothed", 0.0)):
            predicted = [
                list(segmenter.model.viterbi_segment("".join(word), addcount=smoothing)[0])
                for word in gold
            ]
            counts = count_matches(predicted, gold, PRESETS["paper"])
            row[name] = mean_scores(counts, PRESETS["paper"]).f1
        yield place, row


def score(settings: Sequence[Setting], run: Run) -> tuple[Setting, Mapping[TrainingWay, Row]]:
    """The mean over splits of every way."""
    found = run.done(stage(settings, run))
    return settings[0], {
        way: {name: fmean(found[way, one][name] for one in SPLITS) for name in SCHEMA.names}
        for way in WAYS
    }


def show(scored: tuple[Setting, Mapping[TrainingWay, Row]], options: Options) -> list[Shown]:
    """The ways beside the published score."""
    setting, found = scored
    published = published_row(setting, MODEL)
    titles = {"default": "F1", "unsmoothed": "F1, no smoothing"}
    table = markdown_table(
        {"learns from": way.title} | {titles[name]: percent(row[name]) for name in titles}
        for way, row in found.items()
    )
    beside = f"; published: {published.first} on its first data set" if published else ""
    text = (
        f"Morfessor Baseline on data set 1 of {setting_title(setting)}, mean of five"
        f" splits{beside}. Learning from the words with their segmentations as annotations is"
        f" what the study's `{MODEL}` does, its weight being Morfessor's own; tokens, log and types"
        f" learn from the morphemes as if they were words.\n\n{table}"
    )
    figures: dict[str, Any] = {way.title: row["default"] for way, row in found.items()}
    return [Shown(text, figures)]


OPTIONS = (
    flag("language", "code of the language", "rus"),
    flag("size", "words of the data set", 2000, low=1),
    RELEASED,
)
STUDY = Study.of(__name__, metrics=("morpheme_segmentation",), options=OPTIONS, has_workers=True)
