"""The occlusion effect of `gper` in worlds whose truth is known: false alarms, power, coverage.

    python -m studies eras occlusion_effect
    python -m studies eras occlusion_effect --draws 200 --out DIR

A world says how a sentiment model rates the sentences of 39 paradigms, 50 pairs each: how different
the wording of test and control is, what a mask leaves of that, and by how much the canary word
pulls. Every draw is scored by the metric itself. In a world without a pull p should be below .05 in
3 to 7 of 100 draws; where a mask shrinks what control words are more polar by, no rule of this kind
can tell that from a pull, and only the placebo (a mask elsewhere in the sentence) can.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ground.markdown import markdown_table, percent
from ground.store import make_key
from metrics.columns import FloatArray, IntArray
from metrics.gper import scoring
from metrics.gper.occlusion import SIGNS, mean_effect, paradigm_effects
from metrics.gper.options import Options as GperOptions
from metrics.gper.options import read_options
from metrics.gper.pairs import read_pairs
from metrics.paradigms import N_PARADIGMS, cluster_index
from studies.loop import Row, Stage, Task
from studies.options import Option, positive
from studies.study import Options, Run, Shown, Study

PAIRS_PER_PARADIGM = 50
LEVEL = 0.05
FIGURES = {
    "family": "p < .05, families",
    "paradigm": "p < .05, paradigms",
    "probability": "in probability",
    "all": "all 39 paradigms",
    "minus_placebo": "minus placebo",
    "excess": "GPER excess",
    "covers": "interval holds the truth",
}
DRAWS_PER_PIECE = 10


@dataclass(frozen=True)
class World:
    """How a model rates the sentences, in log-odds.

    Attributes:
        name: Row of the table.
        effect: How strongly the canary word pulls; the truth.
        wording: Standard deviation, over paradigms, of control minus test for other reasons.
        shared: Share of its variance that paradigms of one family have in common.
        polarity: By how much control words are more polar than the true words, on average.
        kept: What a mask leaves of a difference.
        shift: What a mask adds to any sentence's rating.
        noise: Standard deviation of one sentence's rating around all this.
    """

    name: str
    effect: float = 0.0
    wording: float = 1.0
    shared: float = 0.5
    polarity: float = 0.0
    kept: float = 1.0
    shift: float = 0.0
    noise: float = 0.6


WORLDS = (
    World("no effect, masks change nothing"),
    World("no effect, masks shift every rating", shift=-1.5),
    World("no effect, masks keep .8 of a difference", kept=0.8),
    World("no effect, masks keep .5 of a difference", kept=0.5),
    World("no effect, wording shared by families", kept=0.5, shared=0.9),
    World("no effect, masks keep .8, control words more polar", kept=0.8, polarity=0.3),
    World("no effect, masks keep .5, control words more polar", kept=0.5, polarity=0.3),
    World("effect .1, masks keep .8", effect=0.1, kept=0.8),
    World("effect .3, masks change nothing", effect=0.3),
    World("effect .3, masks keep .8", effect=0.3, kept=0.8),
    World("effect .3, masks keep .5", effect=0.3, kept=0.5),
)


def draw_ratings(world: World, generator: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Log-odds of the six sentences of every pair of a draw, and the pairs' paradigms.

    Returns:
        Shapes (n, 6), columns as `metrics.gper.pairs.SENTENCES`, and (n,).
    """
    ids = np.arange(1, N_PARADIGMS + 1)
    family = cluster_index(ids, "family")
    common = generator.normal(size=family.max() + 1)[family]
    own = generator.normal(size=N_PARADIGMS)
    weights = np.sqrt([world.shared, 1 - world.shared])
    signs = SIGNS[ids]
    wording = world.wording * (weights[0] * common + weights[1] * own) + world.polarity * signs
    pull = world.effect * signs
    paradigm = np.repeat(ids, PAIRS_PER_PARADIGM)
    ratings = generator.normal(0, world.noise, (len(paradigm), 6))
    ratings += generator.normal(size=(len(paradigm), 1))  # a sentence pair's own polarity
    ratings += SIGNS[paradigm][:, None]  # and what its true word adds
    differences = [wording + pull, world.kept * wording, world.kept * (wording + pull)]
    for place, difference in enumerate(differences):
        ratings[:, 2 * place] -= difference[paradigm - 1]
    ratings[:, 2:] += world.shift
    return ratings, paradigm


def score_draw(world: World, seed: int) -> dict[str, float]:
    """What the metric says of one draw: 1 where p is below .05, and where the interval holds."""
    generator = np.random.default_rng([seed, WORLDS.index(world)])
    ratings, ids = draw_ratings(world, generator)
    by_family = read_options(scale="logit", n_resamples=1000, seed=seed)
    by_paradigm = read_options(scale="logit", cluster="paradigm", confidence=None, seed=seed)
    effects = paradigm_effects(read_pairs(ratings, ids, by_family))
    usable, present = effects.is_usable, effects.paradigm_ids

    def alarm(values: FloatArray, chosen: Any, options: GperOptions) -> float:
        return float(mean_effect(values[chosen], present[chosen], options).p < LEVEL)

    plain = read_options(scale="logit", confidence=None, seed=seed)
    main = mean_effect(effects.effect[usable], present[usable], by_family)
    interval = main.interval
    everything = np.ones(len(present), bool)
    inputs = {"predictions": ratings[:, :4], "references": ids}
    excess = scoring.score(inputs, by_family) if seed % 10 == 0 else None
    return {
        "family": float(main.p < LEVEL),
        "paradigm": alarm(effects.effect, usable, by_paradigm),
        "probability": alarm(effects.effect_in_probability, usable, plain),
        "all": alarm(effects.effect, everything, plain),
        "minus_placebo": alarm(effects.minus_placebo, usable, plain),
        "excess": np.nan
        if excess is None
        else float(not excess["gper_excess_low"] <= 0 <= excess["gper_excess_high"]),
        "covers": float(interval is not None and interval.low <= world.effect <= interval.high),
    }


def tasks(draws: int) -> list[Task]:
    """A task per world and ten draws, with a piece per draw."""
    common = {"gper": str(scoring.VERSION), "pairs": PAIRS_PER_PARADIGM}
    found = []
    for world in WORLDS:
        for start in range(0, draws, DRAWS_PER_PIECE):
            seeds = range(start, min(draws, start + DRAWS_PER_PIECE))
            keys = tuple(make_key(world=asdict(world), seed=seed, **common) for seed in seeds)
            found.append(Task(keys, tuple(seeds), world))
    return found


def score_seeds(world: World, seeds: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """Scores draws of a world."""
    for place, seed in enumerate(seeds):
        yield place, score_draw(world, seed)


def stage(run: Run) -> Stage:
    """All draws of all worlds."""
    schema = pa.schema([(name, pa.float64()) for name in FIGURES])
    todo = tasks(run.options.draws)
    return Stage("worlds", run.store("draws", schema), lambda: todo, score_seeds)


def rates(run: Run) -> dict[str, dict[str, float]]:
    """Share of the draws of each world, for every figure."""
    done = stage(run)
    todo = list(done.tasks())
    found = done.store.rows([key for task in todo for key in task.keys])
    draws: dict[str, list[Mapping[str, Any]]] = {}
    for task in todo:
        draws.setdefault(task.given.name, []).extend(found[key] for key in task.keys)
    return {
        world: {name: float(np.nanmean([row[name] for row in rows])) for name in FIGURES}
        for world, rows in draws.items()
    }


def result_text(scored: Mapping[str, Mapping[str, float]], n_draws: int) -> str:
    """The table and how to read it."""
    table = markdown_table(
        [
            {"world": world}
            | {label: round(percent(found[name]), 1) + 0.0 for name, label in FIGURES.items()}
            for world, found in scored.items()
        ]
    )
    return f"""{table}
Percent of {n_draws:,} draws in which an effect is claimed (GPER excess: one draw in ten), and in
which the 95 % interval over families holds the true effect. Each draw: {N_PARADIGMS} paradigms of
{PAIRS_PER_PARADIGM} pairs, log-odds; standard deviation of wording over paradigms 1.0, of a single
rating 0.6. "More polar": control words lie .3 further out than the true words.
"""


def show(scored: Mapping[str, Mapping[str, float]], options: Options) -> list[Shown]:
    """Table and figures."""
    figures = {world: dict(found) for world, found in scored.items()}
    return [Shown("occlusion_effect", result_text(scored, options.draws), figures)]


def fill(rows: Sequence[World], run: Run) -> None:
    """Scores every draw of every world."""
    run.fill(stage(run))


STUDY = Study(
    suite="eras",
    name="occlusion_effect",
    about=__doc__,
    rows=lambda options: WORLDS,
    work=fill,
    score=lambda rows, run: rates(run),
    show=show,
    options=(
        Option(
            "draws",
            "draws of each world; their seeds are 0, 1, 2, ...",
            2000,
            argument={"type": positive, "metavar": "N"},
        ),
    ),
)
