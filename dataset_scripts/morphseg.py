"""morphseg as a `datasets` builder: words with gold segmentations, invented and the study's."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import datasets
import pyarrow as pa
from datasets import Features

from builders.morphseg import VERSION
from builders.morphseg.columns import LIKELIHOOD_SCHEMA, POOL_SCHEMA, SCORE_SCHEMA, pool_table
from builders.morphseg.draw import draw_batches, has_pool
from builders.morphseg.likelihoods import likelihood_table
from builders.morphseg.scores import score_table
from builders.morphseg.sources import language
from builders.morphseg.validity import problems
from builders.morphseg.views import VIEWS, studied_views, view_tables
from dataset_scripts.suite import Redrawn, SuiteBuilder, SuiteConfig, view_configs
from ground.downloads import SourceFile

FEATURES = Features.from_arrow_schema(POOL_SCHEMA)
SCORES = "morphseg_scores"
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
    """Morphological surface segmentation; `size` counts the words of an invented language.

    The default is 10,000 words; the study's languages have as many as their sources.
    """

    VERSION = datasets.Version(VERSION)
    DEFAULT_CONFIG_NAME = "synthetic"
    BUILDER_CONFIGS = [  # noqa: RUF012  # the name and form that datasets asks for
        *(
            SuiteConfig(name=name, description=text, features=FEATURES)
            for name, text in INVENTED.items()
        ),
        SuiteConfig(
            name="pairs",
            description="For language models: invented words, right and shifted boundaries.",
            features=Features.from_arrow_schema(LIKELIHOOD_SCHEMA),
            is_view=True,
        ),
        SuiteConfig(
            name=SCORES,
            description="What segmenters scored in the settings of the study, split by split.",
            features=Features.from_arrow_schema(SCORE_SCHEMA),
            is_view=True,
        ),
        *(
            SuiteConfig(name=name, description=text, features=FEATURES, is_released=True)
            for name, text in STUDIED.items()
        ),
        *view_configs(SuiteConfig, VIEWS),
        *(
            dataclasses.replace(config, is_released=True)
            for code in STUDIED
            for config in view_configs(SuiteConfig, studied_views(code))
        ),
    ]
    UNIT = "id"
    CITATION = "liu-prudhommeaux-2022-data"

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """Files of all languages, plain as their checksums are."""
        return [file for config in STUDIED for file in language(config).files]

    @classmethod
    def has_files(cls, config: str, released: Path) -> bool:
        """Whether a folder has all source files of a language."""
        return has_pool(config.rpartition("_")[2] if config not in STUDIED else config, released)

    def split_tables(self) -> Mapping[str, pa.Table]:
        """The split `pool`: all words of the language.

        It cannot be called `all`, which `datasets` keeps for the union of the splits; so
        `split="all"` loads the same rows.
        """
        return {split: pa.concat_tables(tables) for split, tables in self.split_batches().items()}

    def split_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """The same split as it is drawn; views as a whole."""
        config = self.config
        folder = self.released_folder() if config.is_released else None
        if config.is_training:
            return {part: (table,) for part, table in view_tables(config.name, folder).items()}
        if config.name == SCORES:
            return {"scores": (score_table(),)}
        if config.is_view:
            words = Redrawn(lambda: chain.from_iterable(draw_batches(config.seed, config.size)))
            return {"test": (likelihood_table("synthetic", words, config.seed),)}
        return {"pool": Redrawn(self.batches)}

    def batches(self) -> Iterator[pa.Table]:
        """Rows of a pool, in parts."""
        config, start = self.config, 0
        folder = self.released_folder() if config.is_released else None
        for words in draw_batches(config.seed, config.size, pool=config.name, folder=folder):
            yield pool_table(config.name, words, start)
            start += len(words)

    def distinct_columns(self) -> Sequence[str]:
        """Ids, and the words of a pool."""
        is_pool = self.config.features == FEATURES
        return ["id", "word"] if is_pool else super().distinct_columns()

    def problems(self, table: pa.Table) -> list[str]:
        """Rows whose morphemes, alternatives, tags or labels do not fit their word."""
        return problems(table)
