"""What segmenters score in the settings of the published study, as far as they were measured.

The tables in `data` are our own measurements and hold no word of a language.
`research.studies.morphseg.score_files` writes them from a store and puts them back into one.

Source of the settings, metrics and characteristics: Liu & Prud'hommeaux (2022), 6.1, 6.2 and 7.3.
"""

from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from builders.morphseg.columns import FEATURES, SCORE_SCHEMA
from builders.morphseg.sampling import Method
from ground.tables import DataFileError, read_table

FOLDER = Path(__file__).parent / "data"
Letter = Literal["A", "B", "C", "D", "E"]


@dataclass(frozen=True)
class MeasuredSetting:
    """The keys of a setting: language, words of a data set, sampling, protocol, the plan's seed."""

    language: str
    size: int
    method: Method
    protocol: str
    seed: int


@dataclass(frozen=True)
class MeasuredModel(MeasuredSetting):
    """The keys of a model in a setting."""

    model: str


@dataclass(frozen=True)
class ScoreRow(MeasuredModel):
    """A model on a split: shares in [0, 1], more is better; `distance` in characters, less is."""

    data_set: int
    split: Letter
    accuracy: float
    precision: float
    recall: float
    f1: float
    distance: float


@dataclass(frozen=True)
class ScoreRun(MeasuredModel):
    """What made the scores of a model in a setting."""

    revision: int  # of everything between the plan and a score (`research.studies.morphseg.plan`)
    pool: str  # first 16 hex digits of the SHA-256 of the language's words and analyses
    library: str  # the package that trained it
    library_version: str
    n_steps: int | None  # training steps of a network; None for what is no network
    stack_size: int | None  # how many networks were trained together at most


@dataclass(frozen=True)
class SplitRow(MeasuredSetting):
    """The characteristics of a split: `metrics.split_characteristics`."""

    data_set: int
    split: Letter
    word_overlap: float
    morph_overlap: float
    ave_num_morph_ratio: float
    dist_ave_num_morph: float
    ave_morph_len_ratio: float


@dataclass(frozen=True)
class NewTestRow(MeasuredModel):
    """A model trained on a split, on new test sets of one size: F1, a share in [0, 1]."""

    data_set: int
    split: Letter
    test_size: int
    n_tests: int
    f1_mean: float
    f1_sd: float
    f1_lowest: float
    f1_highest: float


class Measured(NamedTuple):
    """The four tables: scores, what made them, characteristics of the splits, new test sets."""

    scores: list[ScoreRow]
    runs: list[ScoreRun]
    splits: list[SplitRow]
    new_tests: list[NewTestRow]


FILES = {
    "scores": ScoreRow,
    "score_runs": ScoreRun,
    "score_splits": SplitRow,
    "new_test_scores": NewTestRow,
}


def setting_of(row: MeasuredSetting) -> MeasuredSetting:
    """The keys of a row's setting alone."""
    return MeasuredSetting(row.language, row.size, row.method, row.protocol, row.seed)


def read_scores(folder: Path = FOLDER) -> Measured:
    """Reads the four tables where a folder has them; a DataFileError for scores without a run."""
    tables: list[Any] = [
        read_table(path, record) if (path := folder / f"{name}.tsv").exists() else []
        for name, record in FILES.items()
    ]
    measured = Measured(*tables)
    known = {(setting_of(run), run.model) for run in measured.runs}
    of_models: list[MeasuredModel] = [*measured.scores, *measured.new_tests]
    for row in of_models:
        if (setting_of(row), row.model) not in known:
            where, expected = folder / "score_runs.tsv", "a line for every model with scores"
            got = f"{row.model} in {row.language}, {row.size} words {row.method} replacement"
            raise DataFileError(f"{where}: run, got none of {got}; expected {expected}")
    return measured


def score_table(folder: Path = FOLDER) -> pa.Table:
    """The rows of `morphseg_scores`, sorted by setting, model, data set and split."""
    measured = read_scores(folder)
    runs = {(setting_of(run), run.model): run for run in measured.runs}
    splits = {(setting_of(row), row.data_set, row.split): row for row in measured.splits}
    rows = []
    for row in measured.scores:
        setting = setting_of(row)
        described = splits.get((setting, row.data_set, row.split))
        name = "-".join(map(str, astuple(setting)))
        found = {feature: getattr(described, feature, None) for feature in FEATURES}
        found |= asdict(runs[setting, row.model]) | asdict(row) | {"random_split": row.split}
        rows.append(found | {"id": f"{name}/{row.model}/{row.data_set}/{row.split}"})
    return pa.Table.from_pylist(rows, schema=SCORE_SCHEMA)
