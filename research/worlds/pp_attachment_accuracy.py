"""Worlds of `pp_attachment_accuracy`: parsers whose skill differs between frames and items.

A frame is a choice of verb, nouns and preposition; its items fill it with other words. A frame's
log-odds are normal around the parser's, an item's around its frame's. Where intervals resample
items, the frames are the same in every study, and the truth is their own; where they resample
frames, these are drawn anew, and the truth is the mean over all such frames.
"""

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from metrics._shared.columns import FloatArray, IntArray
from metrics._shared.stratified import stratified_interval
from research.worlds.garden_path_accuracy import mean_share
from research.worlds.world import World

FRAMES_SEED = 0
HEADLINE = "beyond_order_pair_accuracy"


class FrameKind(NamedTuple):
    """Frames of one kind: items, and units (sentences, pairs) of each; a shift in log-odds."""

    n_items: tuple[int, ...]
    n_units: int
    shift: float = 0.0


class Size(NamedTuple):
    """How large a suite is: its score, and its kinds of frames, each of which counts the same."""

    score: str
    kinds: tuple[FrameKind, ...]


# as in the default draw: of the headline, pairs that differ in verb, noun and preposition
SIZES = {
    "257 frames of 3 to 10 items": Size(
        "accuracy", (FrameKind((3,) * 124 + (4,) * 39 + (5,) * 60 + (7,) * 11 + (9,) * 23, 6),)
    ),
    "143 frames of 2 items, 113 of 1": Size("accuracy", (FrameKind((2,) * 143 + (1,) * 113, 2),)),
    "22, 8 and 22 frames of 4 or 5 items": Size(
        HEADLINE,
        (
            FrameKind((4,) * 12 + (5,) * 10, 3, -2.0),
            FrameKind((4,) * 8, 4),
            FrameKind((5,) * 22, 3, -1.0),
        ),
    ),
    "22, 8 and 22 frames of 1 or 2 items": Size(
        HEADLINE,
        (
            FrameKind((2,) * 19 + (1,) * 3, 1, -2.0),
            FrameKind((2,) * 7 + (1,), 1),
            FrameKind((2,) * 21 + (1,), 1, -1.0),
        ),
    ),
}


class ParserWorld(NamedTuple):
    """How a parser does, in log-odds: mean, deviation between frames and within them over items."""

    centre: float
    between: float
    within: float


PARSERS = {
    "half right, frames near 0 or 1": ParserWorld(0.0, 3.0, 1.0),
    "most right, frames alike": ParserWorld(2.0, 0.5, 1.0),
    "near the ceiling": ParserWorld(5.0, 1.5, 1.0),
}


def worlds() -> list[World]:
    """Three parsers on each score of the whole suite and of lite, over items and over frames."""
    found = []
    cells = itertools.product(SIZES.items(), PARSERS.items(), ("items", "frames"))
    for (n, size), (name, parser), clusters in cells:
        truth = functools.partial(true_score, parser, size, clusters)
        simulate = functools.partial(draw_study, parser, size, clusters)
        found.append(World(f"{name}, over {clusters}", n, truth, simulate))
    return found


def frames_of(parser: ParserWorld, size: Size, generator: np.random.Generator) -> FloatArray:
    """Log-odds of each frame, the kinds one after the other; shape (n_frames,)."""
    shifts = np.repeat([kind.shift for kind in size.kinds], _n_frames(size))
    return generator.normal(parser.centre + shifts, parser.between)


def true_score(parser: ParserWorld, size: Size, clusters: str) -> dict[str, float]:
    """The score over the fixed frames, or over all frames that could be drawn."""
    if clusters == "frames":
        spread = float(np.hypot(parser.between, parser.within))
        means = [mean_share(parser.centre + kind.shift, spread) for kind in size.kinds]
        return {size.score: float(np.mean(means))}
    frames = frames_of(parser, size, np.random.default_rng(FRAMES_SEED))
    shares = np.array([mean_share(float(frame), parser.within) for frame in frames])
    items = np.concatenate([kind.n_items for kind in size.kinds])
    of_kind = np.repeat(np.arange(len(size.kinds)), _n_frames(size))
    by_kind = np.bincount(of_kind, items * shares) / np.bincount(of_kind, items)
    return {size.score: float(by_kind.mean())}


def draw_study(
    parser: ParserWorld, size: Size, clusters: str, generator: np.random.Generator
) -> dict[str, Any]:
    """A parser's score on one draw and its interval, as the metric states it."""
    source = generator if clusters == "frames" else np.random.default_rng(FRAMES_SEED)
    frames = frames_of(parser, size, source)
    of_item = np.repeat(np.arange(len(frames)), np.concatenate([k.n_items for k in size.kinds]))
    kinds = np.repeat(np.arange(len(size.kinds)), _n_frames(size))
    n_units = np.array([kind.n_units for kind in size.kinds])[kinds[of_item]]
    items = generator.normal(frames[of_item], parser.within)
    hits = generator.binomial(n_units, 1 / (1 + np.exp(-items))).astype(float)
    weights = _even_weights(n_units, kinds[of_item])
    over_frames = clusters == "frames"
    of_unit = of_item if over_frames else np.arange(len(items))
    hits, counts = np.bincount(of_unit, hits * weights), np.bincount(of_unit, n_units * weights)
    seed = int(generator.integers(2**31))
    strata = kinds if over_frames else of_item
    interval = stratified_interval(hits, counts, strata, seed=seed)
    return {size.score: hits.sum() / counts.sum()} | interval.as_fields(size.score)


def _n_frames(size: Size) -> list[int]:
    return [len(kind.n_items) for kind in size.kinds]


def _even_weights(n_units: IntArray, kinds: IntArray) -> FloatArray:
    """Weight of each item's units by which all kinds count the same, 1 on average."""
    sizes = np.bincount(kinds, n_units)
    return np.asarray(sizes.sum() / (len(sizes) * sizes[kinds]))
