"""What all suites share as `datasets` builders: a config class, a way from tables to splits.

A suite is a folder `builders/<suite>` and a module `dataset_scripts/<suite>.py` with one subclass
of `SuiteBuilder` that sets VERSION, BUILDER_CONFIGS and DEFAULT_CONFIG_NAME and returns its rows
as one Arrow table per split, or as batches of rows where a draw can be large. The class works as
any `datasets` builder does (`download_and_prepare`, `as_dataset`); `push.py build` takes its
batches as they come and writes the Parquet files that go to the Hub.
"""

import dataclasses
import functools
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import datasets
import pyarrow as pa

from builders.views import View
from dataset_scripts.ratings import Rating, fill_ratings, of_question, read_ratings
from ground.downloads import SourceFile
from ground.references import bibtex

Drawn = TypeVar("Drawn")


def option(
    default: Any,
    help: str,
    type: Callable[[str], Any],
    *,
    metavar: str | None = None,
    choices: Sequence[str] | None = None,
    nargs: str | None = None,
) -> Any:
    """Field of a config class that `push.py build` offers as `--<field>`.

    Args:
        default: Its value where the option is not given.
        help: One line for `--help`.
        type: Reads the text of the command line; `bool` makes a switch without a value.
        metavar: How `--help` writes the value.
        choices: The values it may have, where they are few.
        nargs: "+" for one or more values; `type` reads each.
    """
    metadata = {
        "help": help,
        "type": type,
        "metavar": metavar,
        "choices": choices,
        "nargs": nargs,
    }
    return dataclasses.field(default=default, metadata=metadata)


def natural_option() -> Any:
    """Field `natural`: the texts of the user from which a suite builds its local configs."""
    return option(
        (),
        "texts that you have: adds natural, never published (eras: gold-segmented files, or as,"
        " cityu, daily, msr, pku; pp_attachment: CoNLL-U files)",
        str,
        metavar="FILE",
        nargs="+",
    )


@dataclass
class SuiteConfig(datasets.BuilderConfig):
    """One config of a suite and the draw it shows; fields made by `option` are its options.

    Attributes:
        features: Columns and types; the same for all splits.
        seed: Which draw of the suite's design; 0 is the published one.
        size: How large a draw, in the suite's own unit; None is the paper's size.
        is_released: Whether the rows are the authors' own, read from `released`.
        is_local: Whether the rows are of a text that the user has and nobody may pass on: they are
            built where the suite's `LOCAL_OPTION` is given, are no part of the draw, and are never
            published.
        is_view: Whether the rows are other configs' in another form, or stand beside the published
            design, so that they are no part of the draw's one hash, with which figures are stamped.
        is_training: Whether it is a training view, see `builders.views`: it has the splits `train`,
            `validation` and `test` and belongs to the published draw.
        released: Folder of the authors' files; needed by released configs only.
        source_licence: The licence that the authors' source states, "" if none: then it is
            published only on request.
        ratings: File of people's ratings, see `dataset_scripts.ratings`.
        question: Which of its questions fills `rating_mean`; needed where it has several.
        raters: Who rated.
    """

    features: datasets.Features | None = None
    seed: int = option(0, "which draw of the design (default: 0, the published one)", int)
    size: int | None = option(
        None, "how large a draw, in the suite's own unit (default: the paper's size)", int
    )
    is_released: bool = False
    is_local: bool = False
    is_view: bool = False
    is_training: bool = False
    released: Path | None = option(
        None,
        "folder of the authors' files, or download: adds their configs",
        Path,
        metavar="DIR",
    )
    source_licence: str = ""
    ratings: Path | None = option(
        None,
        "people's ratings of rows (CSV or JSON Lines: id, rater, question, value): fills "
        "rating_mean and n_raters",
        Path,
        metavar="FILE",
    )
    question: str | None = option(
        None, "which question's ratings fill them, where FILE has several", str
    )
    raters: str | None = option(None, "who rated, a sentence for the card", str, metavar="TEXT")

    def check(self) -> None:
        """Refuses options that no draw can have, by name; suites add their own rules.

        Raises:
            ValueError: Names the first such option.
        """
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise ValueError(f"seed, got {self.seed!r}; expected a whole number from 0")
        if self.size is not None and (
            not isinstance(self.size, int) or isinstance(self.size, bool) or self.size < 1
        ):
            raise ValueError(f"size, got {self.size!r}; expected a whole number from 1")
        if self.is_training and (self.seed or self.size is not None):
            raise ValueError(f"{self.name}: draw, got another one; expected the published draw")
        if self.ratings is not None and not (self.raters or "").strip():
            raise ValueError("raters, got none; expected who rated, a sentence for the card")
        if self.ratings is None and (self.raters or self.question):
            raise ValueError("ratings, got none; expected the file that raters and question are of")


class Redrawn(Generic[Drawn]):
    """Batches of rows that are drawn anew at each reading, so that no more than one is held."""

    def __init__(self, draw: Callable[[], Iterator[Drawn]]) -> None:
        """Takes what draws them from the first."""
        self._draw = draw

    def __iter__(self) -> Iterator[Drawn]:
        return self._draw()


class SuiteBuilder(datasets.ArrowBasedBuilder):
    """Base of the suites' builders; a suite implements `split_tables` and `problems`."""

    BUILDER_CONFIG_CLASS = SuiteConfig
    CITATION = ""
    LOCAL_OPTION = ""  # the option that names the user's texts, where a suite has local configs
    LICENCE = "cc-by-4.0"
    CLOSED_SETS: tuple[
        str, ...
    ] = ()  # string columns with few values, which the Hub's viewer must show as histograms
    UNIT = ""  # column of rows that are checked together and stand together; "": all of a split

    config: SuiteConfig

    def split_tables(self) -> Mapping[str, pa.Table]:
        """One Arrow table per split of this config, with the columns of the config's features."""
        raise NotImplementedError

    def split_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """The same rows as tables that come one after the other, from the first at each reading.

        A suite whose draws can be larger than memory draws them as they are read (`Redrawn`).
        """
        return {split: (table,) for split, table in self.split_tables().items()}

    def rated_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """`split_batches` with the ratings of the config's file, if there is one."""
        batches = self.split_batches()
        if self.config.ratings is None or self.config.is_training:
            return batches
        ratings = of_question(read_ratings(Path(self.config.ratings)), self.config.question)
        return {
            split: Redrawn(functools.partial(_rated, tables, ratings))
            for split, tables in batches.items()
        }

    @classmethod
    def config_names(
        cls, released: Path | None = None, *, views: bool = False, local: bool = False
    ) -> list[str]:
        """Names of the configs to build.

        Args:
            released: Folder of the authors' files; released configs are built only where it has
                theirs.
            views: Whether the training views are built too.
            local: Whether those of the user's texts are built too.
        """
        has_files = {
            c.name: released is not None and cls.has_files(c.name, Path(released))
            for c in cls.BUILDER_CONFIGS
            if c.is_released
        }
        return [
            config.name
            for config in cls.BUILDER_CONFIGS
            if has_files.get(config.name, True)
            and (views or not config.is_training)
            and (local or not config.is_local)
        ]

    @classmethod
    def stamped_configs(cls) -> list[str]:
        """Names of the configs that are the draw itself: neither released nor views of others."""
        views = {config.name for config in cls.BUILDER_CONFIGS if config.is_view}
        return [name for name in cls.config_names() if name not in views]

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """Files that `--released download` fetches: those with pinned addresses and checksums."""
        return ()

    @classmethod
    def has_files(cls, config: str, released: Path) -> bool:
        """Whether a folder has the files of a released config; suites with files per config say."""
        return True

    def problems(self, table: pa.Table) -> list[str]:
        """Rules of the suite that rows of this config break, a line each with the row's id."""
        return []

    def distinct_columns(self) -> Sequence[str]:
        """Columns in which no value comes twice in a split of this config."""
        return ["id"] if "id" in (self.config.features or ()) else []

    def released_folder(self) -> Path:
        """Folder of the authors' files.

        Raises:
            ValueError: The config shows the authors' rows, and no folder was given.
        """
        if self.config.released is None:
            raise ValueError(
                f"{self.config.name}: released, got None; "
                "expected the folder of the authors' files (--released DIR)"
            )
        return Path(self.config.released)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=self.config.description,
            features=self.config.features,
            citation=bibtex(self.CITATION) if self.CITATION else "",
            license=self.LICENCE,
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        self.config.check()
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"batches": tables})
            for split, tables in self.rated_batches().items()
        ]

    def _generate_tables(self, batches: Iterable[pa.Table]) -> Iterator[tuple[Any, pa.Table]]:
        schema = self.config.features.arrow_schema  # type: ignore[union-attr]  # _info has checked it
        for number, table in enumerate(batches):
            yield number, table.cast(schema)


def _rated(batches: Iterable[pa.Table], ratings: Sequence[Rating]) -> Iterator[pa.Table]:
    return (fill_ratings(table, ratings) for table in batches)


def view_configs(config_class: type[SuiteConfig], views: Iterable[View]) -> list[SuiteConfig]:
    """The configs of training views."""
    return [
        config_class(
            name=view.name,
            description=view.description,
            features=datasets.Features.from_arrow_schema(view.schema),
            is_training=True,
        )
        for view in views
    ]


def config_canary(suite: str, config: SuiteConfig) -> str:
    """Canary of a config's files: training views of a suite have one of their own."""
    return canary(f"{suite}/training" if config.is_training else suite)


def canary(suite: str) -> str:
    """Text that marks a suite's card and files, to find it in a training corpus that has them."""
    return (
        f"garden-path/{suite} canary GUID {uuid.uuid5(uuid.NAMESPACE_URL, f'garden-path/{suite}')}"
    )
