"""ERAS as a `datasets` builder: pairs in two scripts, a lite subset of each, and the paradigms."""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import datasets
import pyarrow as pa
from datasets import Features

from builders.eras import VERSION
from builders.eras.assembly import CONVERSIONS, Script, pair_batches, pair_table
from builders.eras.columns import (
    EXTENDED_PARADIGM_SCHEMA,
    LIKELIHOOD_SCHEMA,
    NATURAL_SCHEMA,
    PAIR_SCHEMA,
    PARADIGM_SCHEMA,
)
from builders.eras.draw import LITE_PAIRS, ParadigmDraw, draw, lite
from builders.eras.extended_draw import PAIRS, draw_extended, extended_table
from builders.eras.extended_readings import read_extended
from builders.eras.likelihoods import likelihood_table
from builders.eras.natural_rows import LITE_SIZE, lite_table, natural_table
from builders.eras.overview import extended_paradigm_table, paradigm_table
from builders.eras.validity import problems
from builders.eras.views import VIEWS, view_tables
from dataset_scripts.suite import (
    Redrawn,
    SuiteBuilder,
    SuiteConfig,
    natural_option,
    option,
    view_configs,
)

FILLINGS = ("draw", "mlm", "mlm-mask")
PAIR_FEATURES = Features.from_arrow_schema(PAIR_SCHEMA)
PARADIGM_FEATURES = Features.from_arrow_schema(PARADIGM_SCHEMA)


@dataclass
class ErasConfig(SuiteConfig):
    """A config of ERAS, filled by our draw or by the published masked language model.

    Attributes:
        fill: `draw`, or `mlm` or `mlm-mask` for the published filling (see
            `builders.eras.masked_filling`).
        model: Name or path of the masked language model of a filling.
        device: Where the model runs.
        dtype: Its number type, `float32` or `bfloat16`.
        store: Folder of finished pieces of a filling, so that an interrupted build goes on.
        natural: Gold-segmented texts: names of corpora or files; their ambiguous strings are the
            configs `natural` and `natural_lite`, which are never published.
    """

    fill: str = option(
        "draw",
        "fill by a masked language model, as the authors' code (mlm) or the paper's wording",
        str,
        choices=FILLINGS,
    )
    model: str | None = option(
        None,
        "NAME[@REVISION] or path of that model: bert-base-chinese",
        str,
        metavar="NAME",
    )
    device: str = option("cpu", "where that model runs (default: cpu)", str)
    dtype: str = option(
        "float32",
        "its number type; bfloat16 may turn close decisions",
        str,
        choices=("float32", "bfloat16"),
    )
    store: Path = option(
        Path("store") / "eras_filling",
        "finished pieces of a filling (default: store/eras_filling)",
        Path,
        metavar="DIR",
    )
    natural: Sequence[str] = natural_option()

    def check(self) -> None:
        """Refuses a filling without a model or with a size, and a model without a filling."""
        super().check()
        if self.fill not in FILLINGS:
            raise ValueError(f"fill, got {self.fill!r}; expected {', '.join(FILLINGS)}")
        if self.fill == "draw":
            for name in ("model", "device", "dtype", "store"):
                if getattr(self, name) != getattr(ErasConfig, name):
                    raise ValueError(
                        f"{name}, got {getattr(self, name)}; "
                        "expected none without --fill mlm or mlm-mask"
                    )
        elif self.model is None or self.size is not None:
            raise ValueError(
                f"fill {self.fill}, got model {self.model} and size {self.size}; "
                "expected --model NAME and no --size: the model decides"
            )


class Eras(SuiteBuilder):
    """Chinese morphological garden paths: local ambiguities of word segmentation.

    `size` counts pairs in all; the default is the paper's 203,944.
    """

    VERSION = datasets.Version(VERSION)
    BUILDER_CONFIG_CLASS = ErasConfig
    DEFAULT_CONFIG_NAME = "simplified"
    CLOSED_SETS = (
        "branching",
        "true_sentiment",
        "canary_sentiment",
        "is_globally_ambiguous",
        "exclusion",
    )
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        ErasConfig(
            name="simplified", description="All pairs, simplified script.", features=PAIR_FEATURES
        ),
        ErasConfig(
            name="traditional",
            description="The same pairs, traditional script.",
            features=PAIR_FEATURES,
        ),
        ErasConfig(
            name="simplified_lite",
            description=f"The first {LITE_PAIRS} pairs of each paradigm.",
            features=PAIR_FEATURES,
        ),
        ErasConfig(
            name="traditional_lite",
            description="The same, traditional script.",
            features=PAIR_FEATURES,
        ),
        ErasConfig(
            name="paradigms",
            description="The 39 paradigms, with templates and flags.",
            features=PARADIGM_FEATURES,
        ),
        *view_configs(ErasConfig, VIEWS),
        ErasConfig(
            name="pairs",
            description="For language models: the lite pairs, regions and occluded contexts.",
            features=Features.from_arrow_schema(LIKELIHOOD_SCHEMA),
            is_view=True,
        ),
        ErasConfig(
            name="extended",
            description=f"{PAIRS} pairs of each extended paradigm, simplified script.",
            features=PAIR_FEATURES,
            is_view=True,
        ),
        ErasConfig(
            name="extended_traditional",
            description="The same pairs, traditional script.",
            features=PAIR_FEATURES,
            is_view=True,
        ),
        ErasConfig(
            name="extended_paradigms",
            description="The extended paradigms: both parses, covariates of their words.",
            features=Features.from_arrow_schema(EXTENDED_PARADIGM_SCHEMA),
            is_view=True,
        ),
        ErasConfig(
            name="natural",
            description="Ambiguous strings that occur in texts that you have; built by --natural.",
            features=Features.from_arrow_schema(NATURAL_SCHEMA),
            is_local=True,
        ),
        ErasConfig(
            name="natural_lite",
            description=f"At most {LITE_SIZE:,} of them, balanced and without a flag.",
            features=Features.from_arrow_schema(NATURAL_SCHEMA),
            is_local=True,
        ),
    ]
    UNIT = "id"
    CITATION = "li-hao-2025-eras"
    LOCAL_OPTION = "natural"

    config: ErasConfig

    def split_tables(self) -> Mapping[str, pa.Table]:
        """The split `test` of this config."""
        if self.config.is_training:
            return view_tables(self.config.name)
        if self.config.is_local:
            found = natural_rows(tuple(self.config.natural))
            return {"test": found if self.config.name == "natural" else lite_table(found)}
        if self.config.name.startswith("extended"):
            return {"test": _extended(self.config.name, self.config.seed)}
        drawn = drawn_pairs(self.config)
        if self.config.name == "paradigms":
            return {"test": paradigm_table(drawn)}
        if self.config.name == "pairs":
            return {"test": likelihood_table(pair_table(lite(drawn), "simplified"))}
        return {"test": pa.concat_tables(self.batches())}

    def split_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """The split `test`, pairs of the draw a paradigm at a time."""
        is_drawn = self.config.name.partition("_")[0] in CONVERSIONS
        return {"test": Redrawn(self.batches)} if is_drawn else super().split_batches()

    def batches(self) -> Iterator[pa.Table]:
        """Pairs of a config of the draw, in either script."""
        name, _, subset = self.config.name.partition("_")
        script: Script = "simplified" if name == "simplified" else "traditional"
        drawn = drawn_pairs(self.config)
        return pair_batches(lite(drawn) if subset else drawn, script)

    def distinct_columns(self) -> Sequence[str]:
        """Ids, and the test sentences of pairs."""
        is_pairs = self.config.features == PAIR_FEATURES
        return ["id", "test"] if is_pairs else super().distinct_columns()

    def problems(self, table: pa.Table) -> list[str]:
        """Rules that pairs break."""
        return problems(table)


@functools.lru_cache(maxsize=1)
def natural_rows(texts: tuple[str, ...]) -> pa.Table:
    """Rows of `natural`, which both of its configs share; a ValueError where no text is named."""
    if not texts:
        raise ValueError("natural, got no text; expected files or names of corpora (--natural)")
    return natural_table(texts)


def _extended(name: str, seed: int) -> pa.Table:
    paradigms, drawn = read_extended(), _extended_draw(seed)
    if name == "extended_paradigms":
        return extended_paradigm_table(paradigms, drawn)
    return extended_table(paradigms, drawn, "simplified" if name == "extended" else "traditional")


@functools.lru_cache(maxsize=1)
def _extended_draw(seed: int) -> list[ParadigmDraw]:
    return draw_extended(read_extended(), seed)


def drawn_pairs(config: ErasConfig) -> list[ParadigmDraw]:
    """Pairs of a config's draw or filling, which all configs of one build share."""
    if config.fill == "draw":
        return _drawn(config.seed, config.size)
    return _filled(
        config.seed, config.fill, str(config.model), config.device, config.dtype, config.store
    )


@functools.lru_cache(maxsize=1)
def _drawn(seed: int, size: int | None) -> list[ParadigmDraw]:
    return draw(seed, size)


@functools.lru_cache(maxsize=1)
def _filled(
    seed: int, method: str, model: str, device: str, dtype: str, store: Path
) -> list[ParadigmDraw]:
    from builders.eras.masked_filling import fill
    from builders.eras.masked_model import CharacterModel
    from ground.store import Store

    schema = pa.schema([("kept", pa.list_(pa.int64()))])
    return fill(
        CharacterModel(model, device=device, dtype=dtype),
        "mlm" if method == "mlm" else "mlm-mask",
        Store(store, schema),
        seed=seed,
    )
