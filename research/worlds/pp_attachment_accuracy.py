"""Worlds of `pp_attachment_accuracy`: parsers whose skill differs between frames and items.

A frame is a choice of verb, nouns and preposition; its items fill it with other words. A frame's
log-odds of having a sentence right are normal around the parser's, an item's around its frame's;
sentences of an item are drawn alone. Where intervals resample items within frames, the frames are
the same in every study, and the truth is their own; where they resample frames, these are drawn
anew, and the truth is the mean over all such frames.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from metrics._shared.columns import FloatArray
from metrics._shared.stratified import stratified_interval
from research.worlds.garden_path_accuracy import mean_share
from research.worlds.world import World

FRAMES_SEED = 0


class Size(NamedTuple):
    """How large a suite is.

    Attributes:
        n_items: Of each frame.
        n_sentences: Of each item.
    """

    n_items: tuple[int, ...]
    n_sentences: int


# the default draw has 282 frames, 4.2 items a frame and 6.8 sentences an item; its lite 1.7 and 2.1
SIZES = {
    "282 frames of 4 items": Size((4,) * 282, 7),
    "185 frames of 2 items, 97 of 1": Size((2,) * 185 + (1,) * 97, 2),
}


class ParserWorld(NamedTuple):
    """How a parser does, in log-odds.

    Attributes:
        centre: Mean of having a sentence right.
        between: Standard deviation of the frames.
        within: Standard deviation of the items of a frame.
    """

    centre: float
    between: float
    within: float


PARSERS = {
    "half right, frames near 0 or 1": ParserWorld(0.0, 3.0, 1.0),
    "most right, frames alike": ParserWorld(2.0, 0.5, 1.0),
    "near the ceiling": ParserWorld(5.0, 1.5, 1.0),
}


def worlds() -> list[World]:
    """Three parsers on the sizes of the whole suite and of lite, over items and over frames."""
    found = []
    for n, size in SIZES.items():
        for name, parser in PARSERS.items():
            for clusters in ("items", "frames"):
                truth = functools.partial(true_accuracy, parser, len(size.n_items), clusters)
                simulate = functools.partial(draw_study, parser, size, clusters)
                found.append(World(f"{name}, over {clusters}", n, truth, simulate))
    return found


def frames_of(parser: ParserWorld, n_frames: int, generator: np.random.Generator) -> FloatArray:
    """Log-odds of each frame, shape (n_frames,)."""
    return generator.normal(parser.centre, parser.between, n_frames)


def true_accuracy(parser: ParserWorld, n_frames: int, clusters: str) -> dict[str, float]:
    """Accuracy over the fixed frames, or over all frames that could be drawn."""
    if clusters == "frames":
        spread = float(np.hypot(parser.between, parser.within))
        return {"accuracy": mean_share(parser.centre, spread)}
    frames = frames_of(parser, n_frames, np.random.default_rng(FRAMES_SEED))
    shares = [mean_share(float(frame), parser.within) for frame in frames]
    return {"accuracy": float(np.mean(shares))}


def draw_study(
    parser: ParserWorld, size: Size, clusters: str, generator: np.random.Generator
) -> dict[str, Any]:
    """Accuracy of a parser on one draw and its interval, as the metric states it."""
    source = generator if clusters == "frames" else np.random.default_rng(FRAMES_SEED)
    frames = frames_of(parser, len(size.n_items), source)
    strata = np.repeat(np.arange(len(frames)), size.n_items)
    items = generator.normal(frames[strata], parser.within)
    hits = generator.binomial(size.n_sentences, 1 / (1 + np.exp(-items))).astype(float)
    counts = np.full(hits.shape, float(size.n_sentences))
    if clusters == "frames":
        hits, counts = np.bincount(strata, hits), np.bincount(strata, counts)
        strata = np.zeros(len(frames), np.int64)
    seed = int(generator.integers(2**31))
    interval = stratified_interval(hits, counts, strata, seed=seed)
    return {"accuracy": hits.sum() / counts.sum()} | interval.as_fields("accuracy")
