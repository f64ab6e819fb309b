"""morphseg as a `datasets` builder: word lists with gold segmentations, invented ones and, where their files are given, the study's."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import datasets
import pyarrow as pa
from datasets import Features, List, Value

from builders.morphseg.pools import VERSION, has_pool, pool_columns, pool_problems, read_pool
from builders.morphseg.sources import downloadable_files
from dataset_scripts.suite import SuiteBuilder, SuiteConfig
from ground.downloads import Source

FEATURES = Features(
    {
        "id": Value("string"),
        "word": Value("string"),
        "morphemes": List(Value("string")),
        "alternatives": List(List(Value("string"))),
        "tags": List(Value("string")),
        "bmes": Value("string"),
    }
)
INVENTED = {
    "synthetic": "An invented agglutinative language.",
    "synthetic_fusional": "An invented fusional language.",
    "synthetic_polysynthetic": "An invented polysynthetic language.",
}
STUDIED = {
    "deu": "German, CELEX.",
    "eng": "English, Morpho Challenge 2010.",
    "fas": "Persian, Persian Morphologically Segmented Lexicon 0.5.",
    "fin": "Finnish, Morpho Challenge 2010.",
    "hch": "Wixarika, MexSeg.",
    "ind": "Indonesian, chipmunk supplement.",
    "mfy": "Yorem Nokki, MexSeg.",
    "nah": "Nahuatl, MexSeg.",
    "rus": "Russian, Tikhonov's dictionary.",
    "tur": "Turkish, Morpho Challenge 2010.",
    "zul": "Zulu, Ukwabelana.",
}


class Morphseg(SuiteBuilder):
    """Morphological surface segmentation; `size` is the number of word types of an invented language, by default 10,000."""

    VERSION = datasets.Version(VERSION)
    DEFAULT_CONFIG_NAME = "synthetic"
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        *(
            SuiteConfig(name=name, description=text, features=FEATURES)
            for name, text in INVENTED.items()
        ),
        *(
            SuiteConfig(name=name, description=text, features=FEATURES, is_released=True)
            for name, text in STUDIED.items()
        ),
    ]
    CITATION = """@article{liu-prudhommeaux-2022-data,
  title = {Data-driven Model Generalizability in Crosslinguistic Low-resource Morphological Segmentation},
  author = {Liu, Zoey and Prud'hommeaux, Emily},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {10},
  year = {2022},
  pages = {393--413},
  doi = {10.1162/tacl_a_00467}
}"""

    @classmethod
    def released_sources(cls) -> Sequence[Source]:
        """Gives the files of the languages whose checksums are known."""
        return [file for config in STUDIED for file in downloadable_files(config)]

    @classmethod
    def has_files(cls, config: str, released: Path) -> bool:
        """Says whether a folder has all source files of a language."""
        return has_pool(config, released)

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives the split `pool`: all words of the language.

        It cannot be called `all`, which `datasets` keeps for the union of the splits; so
        `split="all"` gives the same rows.
        """
        folder = self.released_folder() if self.config.is_released else None
        words = read_pool(self.config.name, folder, self.config.size, self.config.seed)
        return {
            "pool": pa.table(pool_columns(self.config.name, words), schema=FEATURES.arrow_schema)
        }

    def problems(self, table: pa.Table) -> list[str]:
        """Checks that every row's morphemes, alternatives, tags and labels fit its word."""
        return pool_problems(table.to_pydict())
