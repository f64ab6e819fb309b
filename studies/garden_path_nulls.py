"""What GPER gives to models that cannot be led down a garden path: the zero that the measure does not have.

Each null model draws P(positive) for the four sentences of every pair of the suite. Sentences may
be rated differently for any reason but
one: nothing distinguishes the direction in which a canary word would pull. Every model is drawn
many times over; `gper_excess` is 0 on average, and its interval should miss 0 in about one draw of
twenty.

    python -m studies.garden_path_nulls            about a minute
    python -m studies.garden_path_nulls --write    also writes
    cards/results/eras/garden_path_nulls.md
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from dataset_scripts.registry import split_table, suite_stamp
from ground.markdown import format_cell, markdown_table, percent
from metrics.gper.options import read_options
from metrics.gper.scoring import score
from metrics.paradigms import PARADIGMS
from studies.command_line import run_study
from studies.report import write_result

NAME = "garden_path_nulls"
SCORES = (
    "overall_accuracy",
    "necessity",
    "sufficiency",
    "gper",
    "gper_reverse",
    "gper_excess",
    "gper_without_degenerate",
)


class NullModel(NamedTuple):
    """A model without garden paths, on the scale of logits.

    Attributes:
        name: Row of the table.
        wording: Standard deviation, over paradigms, of a difference between the wording of test and
            control that masks leave in place.
        masking: Factor on what is left of every logit under a mask; the noise of a single sentence
            has standard deviation 1 without one.
    """

    name: str
    wording: float
    masking: float


MODELS = (
    NullModel("noise", 0, 1),
    NullModel("persistent difference in wording", 2, 1),
    NullModel("masks that shrink every score", 0, 0.3),
    NullModel("masks that shrink every score, and wording", 2, 0.3),
    NullModel("masks that blow up every score", 0, 3),
)


def draw_logits(
    model: NullModel, paradigm_ids: npt.NDArray[np.int64], generator: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Draws what a null model says of every pair.

    Args:
        model: The model.
        paradigm_ids: The pairs' paradigms, shape (n,).
        generator: Source of all randomness.

    Returns:
        Logits of P(positive) of test, control, occluded test, occluded control, shape (n, 4); the
        occluded sentences of a degenerate paradigm are one string and get one score.
    """
    logits = generator.normal(0, 1, (len(paradigm_ids), 4))
    wording = generator.normal(0, model.wording, len(PARADIGMS) + 1)[paradigm_ids]
    logits[:, 1] += wording
    logits[:, 3] += wording
    logits[:, 2:] *= model.masking
    is_degenerate = np.array(
        [False, *(paradigm.is_occlusion_degenerate for paradigm in PARADIGMS)]
    )[paradigm_ids]
    logits[is_degenerate, 3] = logits[is_degenerate, 2]
    return logits


def score_draws(
    model: NullModel, paradigm_ids: npt.NDArray[np.int64], seeds: Sequence[int]
) -> dict[str, npt.NDArray[np.float64]]:
    """Scores a null model once per seed; gives each score, and `holds_zero`, as an array over the draws."""
    draws: list[dict[str, float]] = []
    for seed in tqdm(seeds, desc=model.name, unit="draw", leave=False, disable=None):
        generator = np.random.default_rng([seed, MODELS.index(model)])
        inputs = {
            "predictions": draw_logits(model, paradigm_ids, generator),
            "references": paradigm_ids,
        }
        result = score(inputs, read_options(scale="logit"))
        draw = {name: result[name] for name in SCORES}
        draws.append(
            draw
            | {"holds_zero": float(result["gper_excess_low"] <= 0 <= result["gper_excess_high"])}
        )
    return {name: np.array([draw[name] for draw in draws]) for name in draws[0]}


def scores_table(scores: Mapping[str, Mapping[str, npt.NDArray[np.float64]]]) -> str:
    """Gives the scores of each model as a Markdown table in percent: means over the draws, and the range that 95 % of the draws fall in."""
    rows = []
    for model, draws in scores.items():
        means = {
            name: round(percent(float(values.mean())), 1) + 0.0 for name, values in draws.items()
        }  # no minus before a zero
        low, high = (
            format_cell(percent(float(end))) for end in np.quantile(draws["gper"], [0.025, 0.975])
        )
        row = {
            "null model": model,
            "accuracy": means["overall_accuracy"],
            "necessity": means["necessity"],
            "GPER": means["gper"],
        }
        row |= {
            "95 % of draws": f"{low} to {high}",
            "GPER reverse": means["gper_reverse"],
            "GPER excess": means["gper_excess"],
        }
        row |= {
            "intervals of the excess that hold 0": means["holds_zero"],
            "GPER without degenerate": means["gper_without_degenerate"],
        }
        rows.append(row)
    return markdown_table(rows)


def result_text(
    scores: Mapping[str, Mapping[str, npt.NDArray[np.float64]]], n_draws: int, n_pairs: int
) -> str:
    """Gives the table and what one has to know to read it."""
    return f"""{scores_table(scores)}
Percent; means over {n_draws} draws of each model, which scores the {n_pairs:,} pairs of `eras` without knowing of canary words.
The occluded sentences of the six degenerate paradigms are one string and get one score.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code."""
    options = _parser().parse_args(arguments)
    paradigm_ids = (
        split_table("eras", "simplified", "test")["paradigm_id"].to_numpy().astype(np.int64)
    )
    scores = {
        model.name: score_draws(model, paradigm_ids, range(options.draws)) for model in MODELS
    }
    text = result_text(scores, options.draws, len(paradigm_ids))
    print(text)
    if options.write:
        command = f"python -m studies.{NAME} --write" + (
            f" --draws {options.draws}" if options.draws != 200 else ""
        )
        figures = {
            model: {name: float(values.mean()) for name, values in draws.items()}
            for model, draws in scores.items()
        }
        stamp = suite_stamp("eras")
        path = write_result(
            "eras",
            NAME,
            text,
            version=stamp["version"],
            content_hash=stamp["content_hash"],
            command=command,
            figures=figures,
        )
        print(f"written: {path}", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m studies.{NAME}",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--draws",
        type=int,
        default=200,
        help="draws of each null model; their seeds are 0, 1, 2, ...",
    )
    parser.add_argument(
        "--write", action="store_true", help="write the table to cards/results/eras"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run_study(main))
