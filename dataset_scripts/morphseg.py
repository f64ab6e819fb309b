"""morphseg as a `datasets` builder: words with gold segmentations, invented and the study's."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

import datasets
import pyarrow as pa

from builders.morphseg import DRAW, VERSION
from builders.morphseg.columns import LIKELIHOOD_SCHEMA, POOL_SCHEMA, SCORE_SCHEMA, pool_table
from builders.morphseg.draw import draw_batches, has_pool
from builders.morphseg.likelihoods import likelihood_table
from builders.morphseg.scores import score_table
from builders.morphseg.sources import language
from builders.morphseg.validity import problems
from builders.morphseg.views import VIEWS, studied_views
from dataset_scripts.suite import Config, Redrawn, Rows, SuiteBuilder, SuiteConfig, view_configs
from ground.downloads import SourceFile

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


def pool(code: str, options: SuiteConfig, *, is_studied: bool = False) -> Rows:
    """All words of a language, in parts.

    On the Hub the split `test` has the same files.
    """
    folder = options.released_folder() if is_studied else None

    def batches() -> Iterator[pa.Table]:
        start = 0
        for words in draw_batches(options.seed, options.size, pool=code, folder=folder):
            yield pool_table(code, words, start)
            start += len(words)

    return {"pool": Redrawn(batches)}


def pool_configs(languages: Mapping[str, str], *, is_studied: bool) -> Iterator[Config]:
    """The configs of languages: the invented ones, or those of the study's files."""
    for code, text in languages.items():
        yield Config(
            code,
            text,
            POOL_SCHEMA,
            partial(pool, code, is_studied=is_studied),
            "released" if is_studied else "draw",
            problems,
            distinct=("id", "word"),
            has_files=partial(has_pool, code) if is_studied else None,
            order="drawn",  # an id ends in the row's number, to which the plan points
        )


def pairs(options: SuiteConfig) -> pa.Table:
    """Invented words for language models."""
    words = Redrawn(lambda: chain.from_iterable(draw_batches(options.seed, options.size)))
    return likelihood_table("synthetic", words, options.seed)


class Morphseg(SuiteBuilder):
    """Morphological surface segmentation; `size` counts the words of an invented language.

    The default is 10,000 words; the study's languages have as many as their sources.
    """

    VERSION = datasets.Version(VERSION)
    SINCE = DRAW
    DEFAULT_CONFIG_NAME = "synthetic"
    CONFIGS = (
        *pool_configs(INVENTED, is_studied=False),
        Config(
            "pairs",
            "For language models: invented words, right and shifted boundaries.",
            LIKELIHOOD_SCHEMA,
            pairs,
            "view",
            problems,
            version="2.1.0",
        ),
        Config(
            "morphseg_scores",
            "What segmenters scored in the settings of the study, split by split.",
            SCORE_SCHEMA,
            lambda options: {"scores": score_table()},
            "view",
            problems,
            order="drawn",
        ),
        *pool_configs(STUDIED, is_studied=True),
        *view_configs(VIEWS),
        *chain.from_iterable(
            view_configs(studied_views(code), partial(has_pool, code)) for code in STUDIED
        ),
    )
    UNIT = "id"
    CITATION = "liu-prudhommeaux-2022-data"

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """Files of all languages, plain as their checksums are."""
        return [file for config in STUDIED for file in language(config).files]
