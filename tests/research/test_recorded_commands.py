"""The command that a written result records, run again without the store, gives the same files.
Every study is made small by other defaults, so that it is run with `--write` and without further
options, as its record says. What takes over five seconds even so is marked slow."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from dataset_scripts.registry import split_table
from metrics._shared.option_fields import read_signature
from research.engine.loop import Loop, Stage
from research.studies import report
from research.studies.__main__ import main
from research.studies.catalogue import find_study, studies
from research.studies.coverage import ranking_bias
from research.studies.coverage.opening_level import OpeningCell
from research.studies.morphseg import results
from research.studies.study import Run, Study
from research.systems.classifiers.joint_models import SMALL_ENCODER
from research.systems.parsers.trained_parsers import TrainedParser
from research.systems.registry import load
from research.worlds.world import worlds_of
from tests.research.test_joint_training import TINY, texts
from tests.support.study_runs import STAMP

CHARACTERS = "python:tests.research.test_likelihood_study:by_characters"


def few_rows(
    suite: str, config: str, split: str, options: Any = None, columns: Any = None
) -> pa.Table:
    """The rows of a suite, but few: of the lite config, or of CenterBench a pair of each level."""
    if suite == "centerbench" and config.startswith(("questions", "stress")):
        return split_table(suite, config, split, {"size": 1})
    if suite == "morphseg" or config in ("pairs", "preference", "questions", "choice"):
        return split_table(suite, config, split).slice(0, 96)
    lite = config if config.endswith("_lite") else f"{config}_lite"
    table = split_table(suite, lite, split)
    if suite == "sorts":
        return table
    places = [i for i, pair in enumerate(table["id"].to_pylist()) if pair.endswith(("1", "2"))]
    return table.take(places)


@dataclass(frozen=True)
class Small:
    """How a study is made small.

    Attributes:
        systems: Systems that are named on the command line.
        options: Other defaults of its options.
        constants: Other values of names in its module, or of names with their module before them.
        is_slow: Whether it takes over five seconds even so.
    """

    systems: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    is_slow: bool = False


def slow(*given: Any, **named: Any) -> Small:
    """One that is slow."""
    return Small(*given, **named, is_slow=True)


def two_tosses(metric: str) -> Any:
    """The first world of a metric, drawn twice."""
    name, world = next(iter(worlds_of(metric).items()))
    return {name: replace(world, n_simulations=2)}


def seeds_of_a_reader(reader: str, **options: Any) -> Small:
    """A reader of cues for every parser that would have to be trained."""
    constants = {"research.studies.study.load": lambda kind, name, **settings: load(kind, reader)}
    return slow(options={"resamples": 100, **options}, constants=constants)


LIKELIHOODS = Small(
    (CHARACTERS, "uniform"), constants={"research.studies.likelihoods.split_table": few_rows}
)
PARSER = Small(
    constants={
        "trained": lambda recipe: TrainedParser("1", 0.5, 0.75, 2.0, Path("model")),
        "training_and_test": lambda treebanks: ([], ""),
    }
)
JOINT = {
    "split_table": few_rows,
    "read_texts": lambda reviews, segmented: texts(),
    "research.systems.classifiers.joint_models.SMALL_ENCODER": SMALL_ENCODER | TINY,
}
FEW_STEPS = {"seeds": 2, "pretraining-steps": 1, "sentiment-steps": 2, "batch-tokens": 60}
POWER = Small(options={"draws": 2})
SEGMENTED = {"research.studies.eras.segmentation.split_table": few_rows}
LITE = {"config": ["simplified_lite"]}
CHOICES = {"research.studies.embedders.split_table": few_rows}
ANSWERED = {"research.studies.centerbench.answers.split_table": few_rows}
BUDGETED = ANSWERED | {"research.studies.centerbench.budgets.takes_budget": lambda name, run: True}
BUDGETS = {"budgets": [0, 8]}
READERS = ("structure", "plausibility")
FIRST = ("subject-first",)
DRAWS = {"draws": 3}
CELLS = [
    replace(next(cell for cell in ranking_bias.cells() if cell.about == about), n_studies=2)
    for about in ("regret", "certainty")
]
OPENING = OpeningCell("gap of about 20 points from level 4", 30, 2)
SMALL = {
    "centerbench answer_readings": Small(),
    "centerbench answers": slow(constants=ANSWERED),
    "centerbench answers --variant stress": slow(READERS, constants=ANSWERED),
    "centerbench answers --variant lite": slow(READERS, {"limit": None}, ANSWERED),
    "centerbench budgets": slow(READERS, BUDGETS, BUDGETED),
    "centerbench budgets --variant scratchpad": slow(
        READERS, BUDGETS | {"limit": None, "middle": False}, BUDGETED
    ),
    "centerbench embedders": slow(("structure",), constants=CHOICES),
    "centerbench redraw": slow(options=DRAWS | {"size": 1}),
    "centerbench scorers": slow(constants={"split_table": few_rows}),
    "coverage": Small(
        constants={"metric_names": lambda: ["morpheme_segmentation"], "worlds_of": two_tosses}
    ),
    "coverage opening_level": Small(constants={"cells": lambda: [OPENING]}),
    "coverage ranking_bias": Small(constants={"cells": lambda: CELLS}),
    "eras embedders": slow(("unigram:zh",), constants=CHOICES),
    "eras joint_training": slow(options=FEW_STEPS, constants=JOINT),
    "eras nulls": Small(options={"draws": 1}),
    "eras occlusion_effect": Small(options={"draws": 1}),
    "eras polar": slow(("random",)),
    "eras polar --variant classifiers": slow(("random",)),
    "eras redraw": slow(("jieba", "maxmatch"), DRAWS | {"size": 5}),
    "eras redraw --variant sentiment": slow(("random", "constant"), {"draws": 2, "size": 1}),
    "eras segmentation": slow(("jieba", "maxmatch"), constants=SEGMENTED),
    "eras segmentation --variant encoder": Small(("jieba",), LITE, SEGMENTED),
    "eras segmentation --variant no_extra": slow(("jieba",), LITE, SEGMENTED),
    "eras segmentation --variant whole": slow(("jieba", "maxmatch"), constants=SEGMENTED),
    "eras sentiment": Small(
        ("random",), constants={"research.studies.eras.pairs.split_table": few_rows}
    ),
    # three that are not null, the least that are ranked
    "eras validity": slow(("jieba", "jieba-no-hmm", "cut-in-twos", "cut-nowhere")),
    "morphseg conclusions": slow(
        constants={"whole_settings": lambda: results.whole_settings()[:2]}
    ),
    "morphseg difficulty": slow(
        options={"pools": ["synthetic"], "data-sets": 1}, constants={"SIZES": (50, 80)}
    ),
    "morphseg generalizability": slow(
        options={"languages": ["synthetic:60"], "models": ["0-crf", "1-crf"], "data-sets": 3}
    ),
    "morphseg morfessor": slow(options={"language": "synthetic", "size": 60}),
    "morphseg redraw": slow(("0-crf", "cut-nowhere"), DRAWS | {"size": 60}),
    "morphseg splits": Small(
        options={"languages": ["synthetic"], "data-sets": 1},
        constants={"INVENTED_SIZES": (60,), "TRAINED": ("synthetic",)},
    ),
    "pp_attachment treebanks": slow(
        ("verb-always", "nearest-noun", "adjacent-noun"),
        {"resamples": 100},
        {"treebank_files": lambda language: []},
    ),
    "sorts redraw": slow(("subject-first", "animacy-first"), DRAWS),
    "sorts redraw --variant endless": slow(FIRST, DRAWS),
    "sorts seeds": seeds_of_a_reader("subject-first", gold=["conll/amb"]),
}
SMALL |= {
    f"sorts subject_object --variant {variant}": slow(
        FIRST, {"resamples": 100, "gold": ["dutch_lite/amb"]}
    )
    for variant in ("dutch", "authors", "authors_dutch")
}
SMALL |= {"eras likelihoods": LIKELIHOODS, "sorts likelihoods --variant questions": LIKELIHOODS}
SLOW = (
    "pp_attachment likelihoods",
    "sorts likelihoods",
    "centerbench likelihoods",
    "centerbench likelihoods --variant choice",
    "morphseg likelihoods",
)
SMALL |= dict.fromkeys(SLOW, replace(LIKELIHOODS, is_slow=True))
SMALL |= dict.fromkeys(("centerbench power", "eras power"), POWER)
SMALL["sorts power"] = replace(POWER, is_slow=True)
SMALL |= dict.fromkeys(("sorts train_parser", "sorts train_parser --variant biaffine"), PARSER)
WHOLE = slow()
"""A study that has no line above."""
STUDIES = {study.place: SMALL.get(study.place, WHOLE) for study in studies()}


def test_every_line_is_of_a_study():
    assert set(SMALL) <= set(STUDIES)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of what is written for cards; nothing runs in other processes."""
    fill = Loop.fill

    def fill_here(loop: Loop, stage: Stage) -> None:
        fill(loop, replace(stage, in_workers=False))

    monkeypatch.setattr(Loop, "fill", fill_here)
    monkeypatch.setattr("dataset_scripts.registry.split_table", few_rows)
    monkeypatch.setattr(report.registry, "suite_stamp", lambda suite, configs=(): STAMP)
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def make_small(study: Study, small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts other constants and defaults into a study's module."""
    for name, value in small.constants.items():
        monkeypatch.setattr(name if "." in name else f"{study.module}.{name}", value)
    options = tuple(
        replace(option, default=small.options.get(option.name, option.default))
        for option in study.options
    )
    assert set(small.options) <= {option.name for option in options}
    made = replace(study, options=options)
    monkeypatch.setattr(
        "research.studies.__main__.find_study", lambda given: (made, find_study(given)[1])
    )


def signed_whole(study: Study) -> Any:
    """The scores of a study, which fails where a result about a system does not say of which."""

    def score(rows: Any, run: Run) -> Any:
        scored = study.score(rows, run)
        for result in results_of(scored):
            if "system" in result:
                told = read_signature(result["signature"]).run
                assert {"suite", "config", "split", "draw", "system"} <= set(told)
                assert told["suite"] == study.suite
                # a rule that reads one cue has no version
                assert told.get("revision", "") == run.system(told["system"]).version
        return scored

    return score


def results_of(scored: Any) -> Iterator[Mapping[str, Any]]:
    """Everything with a signature in what a study scored."""
    values = scored.values() if isinstance(scored, Mapping) else scored
    if isinstance(scored, Mapping) and isinstance(scored.get("signature"), str):
        yield scored
    elif isinstance(scored, list | tuple | Mapping):
        for value in values:
            yield from results_of(value)


def forget_rows(study: Study) -> None:
    """Parts of a likelihood study keep their rows: the few ones are for here only."""
    rows = study.rows(study.parser().parse_args([])) if study.kind == "language_model" else {}
    for part in rows.values():
        for kept in ("rows", "compared", "texts"):
            vars(part).pop(kept, None)


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=pytest.mark.slow) if one.is_slow else x for x, one in STUDIES.items()],
)
def test_the_recorded_command_gives_the_same_files_again(name, written, monkeypatch, request):
    """Once more without the store: nothing depends on when or how fast it was made."""
    small = STUDIES[name]
    study, _ = find_study(name.split())
    make_small(replace(study, score=signed_whole(study)), small, monkeypatch)
    forget_rows(study)
    request.addfinalizer(lambda: forget_rows(study))
    chosen = ["--systems", *small.systems] if small.systems else []
    assert main([*name.split(), *chosen, "--write"]) == 0
    before = {path.name: path.read_bytes() for path in written.rglob("*") if path.is_file()}
    commands = {json.loads(text)["command"] for file, text in before.items() if ".json" in file}
    assert len(before) >= 2
    shutil.rmtree("store", ignore_errors=True)
    shutil.rmtree(written)
    for command in commands:
        assert main(command.removeprefix("python -m research ").split()) == 0
    assert {p.name: p.read_bytes() for p in written.rglob("*") if p.is_file()} == before
