"""Pairs of the extended paradigms: 25 of each, in either script.

The order of a slot's words depends on the string and not on its number, so that a paradigm's pairs
stay the same whichever others there are.
"""

from collections.abc import Sequence

import pyarrow as pa

from builders.eras.assembly import Script, pair_table
from builders.eras.draw import ParadigmDraw, pick, seeded_order
from builders.eras.extended import WrittenParadigm
from builders.eras.extended_fillers import fillers

PAIRS = 25  # per paradigm


def draw_extended(
    paradigms: Sequence[WrittenParadigm], seed: int = 0, n_pairs: int = PAIRS
) -> list[ParadigmDraw]:
    """Pairs of each paradigm, balanced over the words of a slot as in `draw`.

    Raises:
        ValueError: The words of a paradigm cannot fill so many pairs.
    """
    drawn = []
    for paradigm in paradigms:
        lists = [
            seeded_order(seed, paradigm.name, place, words)
            for place, words in enumerate(fillers(paradigm))
        ]
        picks = pick(paradigm.templates, lists, n_pairs)
        drawn.append(ParadigmDraw(paradigm.templates, lists, picks))
    return drawn


def extended_table(
    paradigms: Sequence[WrittenParadigm], drawn: Sequence[ParadigmDraw], script: Script
) -> pa.Table:
    """Pairs of a draw as one table of the suite's pair schema.

    The words of the templates are written in traditional script as they were read, a filler is
    converted.
    """
    return pa.concat_tables(
        pair_table([part], script, paradigm.traditional if script == "traditional" else None)
        for paradigm, part in zip(paradigms, drawn, strict=True)
    )
