"""The occlusion effect of `gper` in worlds whose truth is known: false alarms, power, coverage.

    python -m research eras occlusion_effect
    python -m research eras occlusion_effect --draws 200 --out DIR

A world says how a sentiment model rates the sentences of 39 paradigms, 50 pairs each: how different
the wording of test and control is, what a mask leaves of that, and by how much the canary word
pulls. Every draw is scored by the metric itself. In a world without a pull p should be below .05 in
3 to 7 of 100 draws; where a mask shrinks what control words are more polar by, no rule of this kind
can tell that from a pull, and only the placebo (a mask elsewhere in the sentence) can.
"""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from ground.markdown import markdown_table, percent
from metrics._shared.columns import FloatArray
from metrics._shared.paradigms import N_PARADIGMS
from metrics.gper.scoring import VERSION
from research.studies.options import flag
from research.studies.report import Shown, headings
from research.studies.simulation import DrawnWorld, Simulation
from research.studies.study import Options, Study
from research.worlds.gper import PAIRS_PER_PARADIGM, WORLDS, score_draw

FIGURES = headings("eras occlusion_effect")


def rows(options: Options) -> list[DrawnWorld]:
    """Every world with its number of draws."""
    common = {"gper": str(VERSION), "pairs": PAIRS_PER_PARADIGM}
    return [
        DrawnWorld(world.name, world, options.draws, {"world": asdict(world), **common})
        for world in WORLDS
    ]


def result_text(scored: Mapping[str, Mapping[str, float]], n_draws: int) -> str:
    """The table and how to read it."""
    table = markdown_table(
        {"world": world}
        | {label: round(percent(found[name]), 1) + 0.0 for name, label in FIGURES.items()}
        for world, found in scored.items()
    )
    return f"""{table}
Percent of {n_draws:,} draws in which an effect is claimed (GPER excess: one draw in ten), and in
which the 95 % interval over families holds the true effect. Each draw: {N_PARADIGMS} paradigms of
{PAIRS_PER_PARADIGM} pairs, log-odds; standard deviation of wording over paradigms 1.0, of a single
rating 0.6. "More polar": control words lie .3 further out than the true words.
"""


def show(scored: Mapping[str, Mapping[str, FloatArray]], options: Options) -> list[Shown]:
    """Table and figures: the share of the draws of each world, for every figure."""
    rates = {
        world: {name: float(np.nanmean(values)) for name, values in draws.items()}
        for world, draws in scored.items()
    }
    return [Shown(result_text(rates, options.draws), rates)]


SIMULATION = Simulation(score_draw)
STUDY = Study.of(
    __name__,
    score=SIMULATION.score,
    work=SIMULATION.work,
    options=(flag("draws", "draws of each world; their seeds are 0, 1, 2, ...", 2000, low=1),),
)
