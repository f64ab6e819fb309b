"""ERAS as a `datasets` builder: pairs in two scripts, a lite subset of each, and the paradigms."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa

from builders.eras import SINCE, VERSION, columns
from builders.eras.assembly import Script, pair_batches, pair_table
from builders.eras.draw import LITE_PAIRS, ParadigmDraw, draw, lite
from builders.eras.extended import PAIRS, draw_extended, extended_table, read_extended
from builders.eras.likelihoods import likelihood_table
from builders.eras.natural_rows import LITE_SIZE, lite_table, natural_table
from builders.eras.overview import extended_paradigm_table, paradigm_table
from builders.eras.two_readings import PAIRS as PAIRS_OF_A_STRING
from builders.eras.two_readings import draw_two_readings, read_two_readings
from builders.eras.validity import problems
from builders.eras.views import VIEWS
from dataset_scripts.suite import (
    Config,
    Kind,
    Redrawn,
    Rows,
    SuiteBuilder,
    SuiteConfig,
    natural_option,
    view_configs,
)

Drawn = Sequence[ParadigmDraw]


@dataclass
class ErasConfig(SuiteConfig):
    """A config of ERAS."""

    natural: Sequence[str] = natural_option()


drawn_pairs = functools.lru_cache(maxsize=1)(draw)
"""Pairs of a draw, which all configs of one build share."""


@functools.lru_cache(maxsize=1)
def drawn_extended(seed: int) -> list[ParadigmDraw]:
    """Pairs of the extended paradigms, likewise."""
    return draw_extended(read_extended(), seed)


@functools.lru_cache(maxsize=1)
def natural_rows(texts: tuple[str, ...]) -> pa.Table:
    """Rows of `natural`, which both of its configs share; a ValueError where no text is named."""
    if not texts:
        raise ValueError("natural, got no text; expected files or names of corpora (--natural)")
    return natural_table(texts)


def pair_config(name: str, text: str, script: Script, shown: Callable[[Drawn], Drawn]) -> Config:
    """A config of pairs of the draw, a paradigm at a time."""

    def rows(options: ErasConfig) -> Rows:
        drawn = functools.partial(drawn_pairs, options.seed, options.size)
        return {"test": Redrawn(lambda: pair_batches(shown(drawn()), script))}

    return Config(name, text, columns.PAIR_SCHEMA, rows, problems=problems, distinct=("id", "test"))


def view_config(
    name: str,
    text: str,
    schema: pa.Schema,
    table: Callable[[ErasConfig], pa.Table],
    kind: Kind = "view",
    **more: Any,
) -> Config:
    """A config of one table, by default beside the pairs of the draw."""
    distinct = ("id", "test") if schema == columns.PAIR_SCHEMA else ("id",)
    return Config(name, text, schema, table, kind, problems, distinct=distinct, **more)


def extended_config(name: str, text: str, script: Script) -> Config:
    """A config of pairs of the extended paradigms."""

    def table(options: ErasConfig) -> pa.Table:
        return extended_table(read_extended(), drawn_extended(options.seed), script)

    return view_config(name, text, columns.PAIR_SCHEMA, table)


def two_readings_config(name: str, text: str, script: Script) -> Config:
    """A config of strings with two readings."""

    def table(options: ErasConfig) -> pa.Table:
        return pair_table(draw_two_readings(read_two_readings(), options.seed), script)

    return view_config(name, text, columns.PAIR_SCHEMA, table, version=VERSION)


class Eras(SuiteBuilder):
    """Chinese morphological garden paths: local ambiguities of word segmentation.

    `size` counts pairs in all; the default is the paper's 203,944.
    """

    VERSION = datasets.Version(VERSION)
    SINCE = SINCE
    BUILDER_CONFIG_CLASS = ErasConfig
    DEFAULT_CONFIG_NAME = "simplified"
    CLOSED_SETS = (
        *("branching", "true_sentiment", "canary_sentiment", "is_globally_ambiguous", "exclusion"),
    )
    CONFIGS = (
        pair_config("simplified", "All pairs, simplified script.", "simplified", list),
        pair_config("traditional", "The same pairs, traditional script.", "traditional", list),
        pair_config(
            "simplified_lite", f"The first {LITE_PAIRS} pairs of each paradigm.", "simplified", lite
        ),
        pair_config("traditional_lite", "The same, traditional script.", "traditional", lite),
        view_config(
            "paradigms",
            "The 39 paradigms, with templates and flags.",
            columns.PARADIGM_SCHEMA,
            lambda options: paradigm_table(drawn_pairs(options.seed, options.size)),
            "draw",
            order="drawn",
        ),
        *view_configs(VIEWS),
        view_config(
            "pairs",
            "For language models: the lite pairs, regions and occluded contexts.",
            columns.LIKELIHOOD_SCHEMA,
            lambda options: likelihood_table(
                pair_table(lite(drawn_pairs(options.seed, options.size)), "simplified")
            ),
        ),
        extended_config(
            "extended", f"{PAIRS} pairs of each extended paradigm, simplified script.", "simplified"
        ),
        extended_config(
            "extended_traditional", "The same pairs, traditional script.", "traditional"
        ),
        view_config(
            "extended_paradigms",
            "The extended paradigms: both parses, covariates of their words.",
            columns.EXTENDED_PARADIGM_SCHEMA,
            lambda options: extended_paradigm_table(read_extended(), drawn_extended(options.seed)),
            order="drawn",
        ),
        two_readings_config(
            "two_readings",
            f"{PAIRS_OF_A_STRING} pairs of each string with two readings, simplified script.",
            "simplified",
        ),
        two_readings_config(
            "two_readings_traditional", "The same pairs, traditional script.", "traditional"
        ),
        view_config(
            "natural",
            "Ambiguous strings that occur in texts that you have; built by --natural.",
            columns.NATURAL_SCHEMA,
            lambda options: natural_rows(tuple(options.natural)),
            "local",
        ),
        view_config(
            "natural_lite",
            f"At most {LITE_SIZE:,} of them, balanced and without a flag.",
            columns.NATURAL_SCHEMA,
            lambda options: lite_table(natural_rows(tuple(options.natural))),
            "local",
        ),
    )
    UNIT = "id"
    CITATION = "li-hao-2025-eras"
    LOCAL_OPTION = "natural"
