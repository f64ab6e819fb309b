"""ERAS as a `datasets` builder: pairs in two scripts, a fixed lite subset of each, and the table of paradigms."""

import functools
from collections.abc import Mapping

import datasets
import pyarrow as pa
from datasets import Features, List, Value

from builders.eras import VERSION
from builders.eras.assembly import pair_table
from builders.eras.draw import LITE_PAIRS, ParadigmDraw, draw
from builders.eras.overview import paradigm_table
from builders.eras.validity import pair_problems
from dataset_scripts.suite import SuiteBuilder, SuiteConfig

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
        "slots": List({"type": Value("string"), "word": Value("string"), "start": Value("int32"), "zipf": Value("float32")}),
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


class Eras(SuiteBuilder):
    """Chinese morphological garden paths: does a model resolve a local word-segmentation ambiguity from the sentence around it?

    `size` counts pairs in all; the default is the paper's 203,944.
    """

    VERSION = datasets.Version(VERSION)
    DEFAULT_CONFIG_NAME = "simplified"
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        SuiteConfig(name="simplified", description="All pairs, simplified script.", features=PAIR_FEATURES),
        SuiteConfig(name="traditional", description="The same pairs, traditional script.", features=PAIR_FEATURES),
        SuiteConfig(name="simplified_lite", description=f"The first {LITE_PAIRS} pairs of each paradigm.", features=PAIR_FEATURES),
        SuiteConfig(name="traditional_lite", description="The same, traditional script.", features=PAIR_FEATURES),
        SuiteConfig(name="paradigms", description="The 39 paradigms, with templates and flags.", features=PARADIGM_FEATURES),
    ]
    CITATION = """@inproceedings{li-hao-2025-eras,
  title = {{ERAS}: Evaluating the Robustness of Chinese NLP Models to Morphological Garden Path Errors},
  author = {Li, Qinchao and Hao, Sophie},
  booktitle = {Proceedings of NAACL 2025},
  year = {2025}
}"""

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives the split `test` of this config."""
        drawn = drawn_pairs(self.config.seed, self.config.size)
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
