"""ERAS as a `datasets` builder: pairs in two scripts, a fixed lite subset of each, and the table of paradigms."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
from datasets import Features, List, Value

from builders.eras import VERSION
from builders.eras.assembly import pair_table
from builders.eras.draw import LITE_PAIRS, ParadigmDraw, draw
from builders.eras.overview import paradigm_table
from builders.eras.validity import pair_problems
from dataset_scripts.suite import SuiteBuilder, SuiteConfig, option

FILLINGS = ("draw", "mlm", "mlm-mask")
PAIR_FEATURES = Features(
    {
        "id": Value("string"),
        "paradigm_id": Value("int32"),
        "branching": Value("string"),
        "true_sentiment": Value("string"),
        "canary_sentiment": Value("string"),
        "test": Value("string"),
        "control": Value("string"),
        "occluded_test": Value("string"),
        "occluded_control": Value("string"),
        "test_words": List(Value("string")),
        "control_words": List(Value("string")),
        "site_start": Value("int32"),
        "test_site": Value("string"),
        "control_site": Value("string"),
        "true_word": Value("string"),
        "canary_word": Value("string"),
        "slots": List(
            {
                "type": Value("string"),
                "word": Value("string"),
                "start": Value("int32"),
                "zipf": Value("float32"),
            }
        ),
        "n_chars": Value("int32"),
        "rating_mean": Value("float64"),
        "n_raters": Value("int32"),
    }
)
PARADIGM_FEATURES = Features(
    {
        "paradigm_id": Value("int32"),
        "source_index": Value("int32"),
        "test_template": Value("string"),
        "control_template": Value("string"),
        "test_template_traditional": Value("string"),
        "control_template_traditional": Value("string"),
        "branching": Value("string"),
        "true_word": Value("string"),
        "canary_word": Value("string"),
        "true_sentiment": Value("string"),
        "canary_sentiment": Value("string"),
        "test_site": Value("string"),
        "control_site": Value("string"),
        "site_start": Value("int32"),
        "family": Value("string"),
        "is_exact_pair": Value("bool"),
        "is_occlusion_degenerate": Value("bool"),
        "is_clause": Value("bool"),
        "allowed_overlaps": List(Value("string")),
        "n_pairs": Value("int32"),
        "capacity": Value("int64"),
    }
)


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
    """

    fill: str = option(
        "draw",
        "fill as published, by a masked language model (extra models)",
        str,
        choices=FILLINGS,
    )
    model: str | None = option(
        None, "name or path of that model, such as bert-base-chinese", str, metavar="NAME"
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

    def check(self) -> None:
        """Raises a ValueError for a filling without a model or with a size, and for a model without a filling."""
        super().check()
        if self.fill not in FILLINGS:
            raise ValueError(f"fill, got {self.fill!r}; expected {', '.join(FILLINGS)}")
        if self.fill == "draw":
            for name in ("model", "device", "dtype", "store"):
                if getattr(self, name) != getattr(ErasConfig, name):
                    raise ValueError(
                        f"{name}, got {getattr(self, name)}; expected none without --fill mlm or mlm-mask"
                    )
        elif self.model is None or self.size is not None:
            raise ValueError(
                f"fill {self.fill}, got model {self.model} and size {self.size}; expected --model NAME and no --size: the model decides"
            )


class Eras(SuiteBuilder):
    """Chinese morphological garden paths: does a model resolve a local word-segmentation ambiguity from the sentence around it?

    `size` counts pairs in all; the default is the paper's 203,944.
    """

    VERSION = datasets.Version(VERSION)
    BUILDER_CONFIG_CLASS = ErasConfig
    DEFAULT_CONFIG_NAME = "simplified"
    CLOSED_SETS = ("branching", "true_sentiment", "canary_sentiment")
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
    ]
    CITATION = """@inproceedings{li-hao-2025-eras,
  title = {{ERAS}: Evaluating the Robustness of Chinese NLP Models to Morphological Garden Path Errors},
  author = {Li, Qinchao and Hao, Sophie},
  booktitle = {Proceedings of NAACL 2025},
  year = {2025}
}"""

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives the split `test` of this config."""
        config: Any = self.config
        if config.fill == "draw":
            drawn = drawn_pairs(config.seed, config.size)
        else:
            drawn = filled_pairs(
                config.seed,
                config.size,
                config.fill,
                config.model,
                config.device,
                config.dtype,
                config.store,
            )
        if self.config.name == "paradigms":
            return {"test": paradigm_table(drawn)}
        script, _, lite = self.config.name.partition("_")
        kept = [part._replace(picks=part.picks[:LITE_PAIRS]) for part in drawn] if lite else drawn
        return {"test": pair_table(kept, "simplified" if script == "simplified" else "traditional")}

    def problems(self, table: pa.Table) -> list[str]:
        """Checks every pair."""
        return [] if self.config.name == "paradigms" else pair_problems(table)


@functools.lru_cache(maxsize=1)
def drawn_pairs(seed: int, size: int | None) -> list[ParadigmDraw]:
    """Gives the draw that all configs of one build share."""
    return draw(seed, size)


@functools.lru_cache(maxsize=1)
def filled_pairs(
    seed: int,
    size: int | None,
    method: str,
    model: str | None,
    device: str,
    dtype: str,
    store: Path,
) -> list[ParadigmDraw]:
    """Gives the pairs that a masked language model keeps.

    Raises:
        ValueError: The method is unknown, no model is named, or a size is asked for: the model
            decides how many pairs there are.
    """
    from builders.eras.masked_filling import fill
    from builders.eras.masked_model import CharacterModel
    from ground.store import Store

    if method not in ("mlm", "mlm-mask"):
        raise ValueError(f"eras: fill, got {method!r}; expected draw, mlm or mlm-mask")
    if model is None or size is not None:
        raise ValueError(
            f"eras: fill {method}, got model {model} and size {size}; expected --model NAME and no --size: the model decides"
        )
    schema = pa.schema([("kept", pa.list_(pa.int64()))])
    return fill(
        CharacterModel(model, device=device, dtype=dtype),
        "mlm" if method == "mlm" else "mlm-mask",
        Store(store, schema),
        seed=seed,
    )
