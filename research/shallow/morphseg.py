"""morphseg: blind cutters, cutters that know frequent endings, and the shifted pairs."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from builders.shallow import Kind
from metrics._shared.columns import BoolArray
from metrics.morpheme_segmentation.options import Options
from metrics.morpheme_segmentation.scoring import score
from research.shallow import cutters
from research.shallow.cues import sampled, text_cues, text_symbols
from research.shallow.decisions import OptionChoice, Problem, ShallowReading
from research.shallow.token_views import tag_view
from research.studies.study import Rows

POOL = 10000  # windows of characters read more from half of 10,000 words than from half of 2,000
REAL = frozenset({"pieces", "endings of words", "strings of characters"})
GOLD = "morphemes"  # for cutters alone, which are fitted on other words
Fit = Callable[[Sequence[Sequence[str]]], cutters.Cut]


def _shapes(fit: Fit, golds: Sequence[Sequence[str]]) -> cutters.Cut:
    """Cuts by vowels and consonants alone, of whichever letters."""
    cut = fit([[shape_of(piece) for piece in gold] for gold in golds])

    def cut_shapes(texts: Sequence[str]) -> list[list[str]]:
        found = cut([shape_of(text) for text in texts])
        return [
            cutters.cut_at(text, [*cutters.ends_of(cuts)])
            for text, cuts in zip(texts, found, strict=True)
        ]

    return cut_shapes


def shape_of(text: str) -> str:
    """A word with each letter as V or C."""
    return "".join("CV"[letter in cutters.VOWELS] for letter in text)


FITTED: tuple[tuple[str, Kind, Fit], ...] = (
    *(
        (f"{n} frequent endings", "shortcut", functools.partial(cutters.ending_cutter, n=n))
        for n in (10, 30, 100)
    ),
    ("cuts as words of this length mostly are", "null", cutters.length_cutter),
    *(
        (f"{says} characters to each side", "shortcut", functools.partial(fit, width=n))
        for says, fit, n in (
            ("three", cutters.window_cutter, 3),
            ("four", cutters.window_cutter, 4),
            ("boosted trees over four", cutters.boosted_cutter, 4),
        )
    ),
    ("pieces as often as they are, new ones by letters", "shortcut", cutters.piece_cutter),
    *(
        (
            f"{says} vowels or consonants to each side",
            "null",
            functools.partial(_shapes, functools.partial(fit, width=n)),
        )
        for says, fit, n in (
            ("six", cutters.window_cutter, 6),
            ("boosted trees over eight", cutters.boosted_cutter, 8),
        )
    ),
)
"""Cutters that learn from divided words: what they are called, what they know, how they learn."""


def pool(name: str, rows: Rows) -> Iterator[Problem]:
    """Words and their morphemes; the first gold counts."""
    chosen = sampled(rows, "id", POOL)
    golds = [row["morphemes"] for row in chosen]
    yield cut_problem(name, golds, "f1", ids=[row["id"] for row in chosen])


def target_view(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `text2text_*`."""
    yield cut_problem(name, [row["target"].split() for row in rows[:POOL]], "f1", "training")


def cut_problem(
    name: str,
    golds: Sequence[Sequence[str]],
    title: str,
    design: Any = "paper",
    ids: Sequence[str] | None = None,
) -> Problem:
    """The F1 of words, each a cluster."""
    words = ["".join(gold) for gold in golds]
    made = [
        OptionChoice((), 0, word, word, (), {GOLD: [gold]}, row=row)
        for word, gold, row in zip(words, golds, ids or words, strict=True)
    ]

    def credit(predictions: Sequence[Sequence[str]]) -> Any:
        inputs = {"predictions": predictions, "references": golds}
        rows = score(inputs, Options(per_item=True, confidence=None))["by_word"]
        return np.array([row["f1"] for row in rows])

    def readings(half: BoolArray, taught: Sequence[OptionChoice]) -> Iterator[ShallowReading]:
        n_cuts = sum(len(gold) - 1 for gold in golds)
        rate = n_cuts / max(sum(len(word) - 1 for word in words), 1)
        for says, cut in cutters.blind_cutters(rate):
            yield ShallowReading(says, credit(cut(words)), "null")
        lessons, texts = [one.symbols[GOLD][0] for one in taught], [[word] for word in words]
        for says, kind, fit in FITTED:

            def fitted(fold: BoolArray, fit: Fit = fit) -> cutters.Cut:
                return fit([gold for gold, is_in in zip(golds, fold, strict=True) if is_in])

            cuts = [one[0] for one in cutters.by_halves(half, texts, fitted)]
            yield ShallowReading(says, credit(cuts), kind)
            if lessons:
                yield ShallowReading(f"fitted on train: {says}", credit(fit(lessons)(words)), kind)

    return Problem(name, title, made, "share", design, cutters=readings)


def pairs(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `pairs`: boundaries in their place against shifted ones."""
    made = []
    for row in rows:
        options = sorted((row["segmented"], row["shifted"]))
        pieces = [text.split(row["separator"]) for text in options]
        cues = text_cues(options)
        for k, own in enumerate(pieces):
            cues[k] |= {
                "letters of the last piece": len(own[-1]),
                "letters of the first piece": len(own[0]),
                "letters of the shortest piece": min(map(len, own)),
                "letters of the longest piece": max(map(len, own)),
                "vowels before separators": sum(p[-1] in cutters.VOWELS for p in own[:-1]),
                "vowels behind separators": sum(p[0] in cutters.VOWELS for p in own[1:]),
            }
        symbols = text_symbols(options) | {"pieces": pieces}
        symbols["vowels and consonants of pieces"] = [_skeletons(own) for own in pieces]
        gold = options.index(row["segmented"])
        made.append(OptionChoice(options, gold, row["cluster"], row["id"], cues, symbols))
    yield Problem(name, "accuracy", made, real=REAL)


def _skeletons(pieces: Sequence[str]) -> list[str]:
    """Vowels and consonants of the first piece, the last one and those between."""
    shapes = [shape_of(piece) for piece in pieces]
    ends = [f"^{shapes[0]}", f"{shapes[-1]}$", f"^{shapes[0][:2]}", f"^{shapes[0][-2:]}|"]
    return [*ends, *shapes[1:-1], *(f"{a[-1:]}|{b[:1]}" for a, b in itertools.pairwise(shapes))]


CONFIGS = {
    "synthetic*": pool,
    "pairs": pairs,
    "text2text_*": target_view,
    "tags_*": tag_view("tags"),
}
