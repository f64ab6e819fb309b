"""What all suites share as `datasets` builders: the record of a config, from rows to splits.

A suite is a folder `builders/<suite>` and a module `dataset_scripts/<suite>.py` with one subclass
of `SuiteBuilder` that sets VERSION, CONFIGS and DEFAULT_CONFIG_NAME. Nothing is told from the
spelling of a name. The class works as any `datasets` builder does (`download_and_prepare`,
`as_dataset`); `push.py build` writes its batches into the Parquet files that go to the Hub.
"""

import inspect
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import datasets
import pyarrow as pa

from builders.views import View, view_tables
from dataset_scripts.content import combined_hash
from dataset_scripts.order import Order, mixed
from dataset_scripts.ratings import fill_ratings, of_question, read_ratings
from ground.command_line import check_options, file, folder
from ground.downloads import SourceFile
from ground.references import bibtex, homepage
from metrics._shared.option_fields import option

Drawn = TypeVar("Drawn")
Rows = Mapping[str, pa.Table | Iterable[pa.Table]]
"""Rows of each split: a table, or tables that come one after the other (`Redrawn`)."""
Kind = Literal["draw", "view", "training", "released", "local"]
"""What the rows of a config are.

    draw      a draw of the design, of whose configs one hash stamps figures
    view      the same in another form, or beside the published design: no part of that hash
    training  a view with `train`, `validation` and `test`, of the published draw alone
    released  the authors' own, read from the folder `released`
    local     of a text that the user has and nobody may pass on: built where the suite's
              `LOCAL_OPTION` is given, never published
"""


@dataclass(frozen=True)
class Config:
    """One config of a suite.

    Rows are `mixed` by a fixed permutation, or in the order in which they are `drawn`, such as a
    table that is read as a whole. Neighbours of one value of the column `together`, such as the
    members of a pair, move as one.
    """

    name: str
    text: str
    schema: pa.Schema  # of all splits
    # of the options of a draw, the suite's config class; one table is the split `test`
    rows: Callable[[Any], Rows | pa.Table]
    kind: Kind = "draw"
    problems: Callable[[pa.Table], Sequence[str]] = lambda table: ()  # a line each, with the id
    distinct: tuple[str, ...] = ("id",)  # columns without a repeated value, where it has them
    has_files: Callable[[Path], bool] | None = None  # whether a folder has those it is read from
    source_licence: str = ""  # that the authors state; without, it is published on request only
    order: Order = "mixed"
    together: str = ""
    version: str = ""  # VERSION that its rows came with; "" for the suite's `SINCE`


def natural_option() -> Any:
    """Field `natural`: the texts of the user from which a suite builds its local configs."""
    return option(
        (),
        "texts that you have: adds natural, never published (eras: gold-segmented files, or as,"
        " cityu, daily, msr, pku; pp_attachment: CoNLL-U files)",
        metavar="FILE",
        many="+",
    )


@dataclass
class SuiteConfig(datasets.BuilderConfig):
    """A config and the draw that is asked of it; fields made by `option` are its options.

    See `dataset_scripts.ratings` for the files of ratings.
    """

    features: datasets.Features | None = None
    kind: Kind = "draw"
    seed: int = option(0, "which draw of the design (default: 0, the published one)", low=0)
    size: int | None = option(
        None,
        "how large a draw, in the suite's own unit (default: the paper's size)",
        kind=int,
        low=1,
    )
    released: Path | None = option(
        None, "folder of the authors' files, or download: adds their configs", parse=folder
    )
    ratings: Path | None = option(
        None,
        "people's ratings of rows (CSV or JSON Lines: id, rater, question, value): fills "
        "rating_mean and n_raters",
        parse=file,
    )
    question: str | None = option(
        None, "which question's ratings fill them, where FILE has several"
    )
    raters: str | None = option(None, "who rated, a sentence for the card", metavar="TEXT")

    def released_folder(self) -> Path:
        """Folder of the authors' files; a ValueError where no folder was given."""
        if self.released is None:
            expected = "the folder of the authors' files (--released DIR)"
            raise ValueError(f"{self.name}: released, got None; expected {expected}")
        return Path(self.released)

    def check(self) -> None:
        """A ValueError that names the first option that no draw can have; suites add own rules."""
        check_options(self)
        if self.kind == "training" and (self.seed or self.size is not None):
            raise ValueError(f"{self.name}: draw, got another one; expected the published draw")
        if self.ratings is not None and not (self.raters or "").strip():
            raise ValueError("raters, got none; expected who rated, a sentence for the card")
        if self.ratings is None and (self.raters or self.question):
            raise ValueError("ratings, got none; expected the file that raters and question are of")


@dataclass(frozen=True)
class Redrawn(Generic[Drawn]):
    """Batches of rows that are drawn anew at each reading, so that no more than one is held."""

    draw: Callable[[], Iterator[Drawn]]

    def __iter__(self) -> Iterator[Drawn]:
        return self.draw()


class SuiteBuilder(datasets.ArrowBasedBuilder):
    """Base of the suites' builders; a suite has CONFIGS."""

    BUILDER_CONFIG_CLASS: type[SuiteConfig] = SuiteConfig
    CONFIGS: tuple[Config, ...] = ()
    CITATION = ""
    LOCAL_OPTION = ""  # the option that names the user's texts, where a suite has local configs
    # string columns with few values, which the Hub's viewer must show as histograms
    CLOSED_SETS: tuple[str, ...] = ()
    UNIT = ""  # column of rows that are checked together; "": all of a split
    SINCE = ""  # VERSION that all rows came with but those of configs with their own; "": VERSION

    config: SuiteConfig

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Makes of the records what `datasets` asks for."""
        super().__init_subclass__(**kwargs)
        cls.BUILDER_CONFIGS = [
            cls.BUILDER_CONFIG_CLASS(
                name=one.name,
                description=one.text,
                features=datasets.Features.from_arrow_schema(one.schema),
                kind=one.kind,
            )
            for one in cls.CONFIGS
        ]

    @property
    def record(self) -> Config:
        """What this config is."""
        return next(one for one in self.CONFIGS if one.name == self.config.name)

    @property
    def is_mixed(self) -> bool:
        """Whether rows are in a fixed permutation; those of others' files and texts never are."""
        return self.record.order == "mixed" and self.record.kind not in ("released", "local")

    def split_tables(self) -> Mapping[str, pa.Table]:
        """One Arrow table per split of this config, with the columns of the config's features."""
        return {split: pa.concat_tables(tables) for split, tables in self.split_batches().items()}

    def split_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """The same rows as tables that come one after the other, from the first at each reading."""
        found = self.record.rows(self.config)
        splits = {"test": found} if isinstance(found, pa.Table) else found
        batches: dict[str, Iterable[pa.Table]] = {
            split: (rows,) if isinstance(rows, pa.Table) else rows for split, rows in splits.items()
        }
        if not self.is_mixed:
            return batches
        suite, version = type(self).__module__.rpartition(".")[2], self.version_of(self.config.name)
        mix = partial(mixed, together=self.record.together)
        return {
            split: Redrawn(partial(mix, tables, f"{suite}|{version}|{split}"))
            for split, tables in batches.items()
        }

    def rated_batches(self) -> Mapping[str, Iterable[pa.Table]]:
        """`split_batches` with the ratings of the config's file, if there is one."""
        batches = self.split_batches()
        if self.config.ratings is None or self.config.kind == "training":
            return batches
        ratings = of_question(read_ratings(Path(self.config.ratings)), self.config.question)
        fill = partial(map, lambda table: fill_ratings(table, ratings))
        return {split: Redrawn(partial(fill, rows)) for split, rows in batches.items()}

    @classmethod
    def config_names(
        cls, released: Path | None = None, *, views: bool = False, local: bool = False
    ) -> list[str]:
        """Names of the configs to build; the authors' own only where `released` has their files."""

        wanted = {"draw", "view", "released", *["training"] * views, *["local"] * local}
        return [
            one.name
            for one in cls.CONFIGS
            if one.kind in wanted
            and (not one.has_files or (released is not None and one.has_files(Path(released))))
        ]

    @classmethod
    def stamped_configs(cls) -> list[str]:
        """Names of the configs that are the draw itself: neither released nor views of others."""
        return [record.name for record in cls.CONFIGS if record.kind == "draw"]

    @classmethod
    def version_of(cls, config: str) -> str:
        """VERSION that the rows of a config came with: those of one before it are other rows."""
        own = next((one.version for one in cls.CONFIGS if one.name == config), "")
        return own or cls.SINCE or str(cls.VERSION)

    @classmethod
    def newest(cls, configs: Sequence[str] = ()) -> str:
        """The newest VERSION that rows of these configs came with; of the draw's by default."""
        names = configs or cls.stamped_configs()
        return max((cls.version_of(name) for name in names), key=datasets.Version)

    @classmethod
    def stamp(cls, hashes: Mapping[str, str], configs: Sequence[str] = ()) -> dict[str, str]:
        """What a figure rests on: VERSION that its rows came with, and their hash."""
        names = configs or cls.stamped_configs()
        read = {key: text for key, text in hashes.items() if key.split("/")[0] in names}
        return {"version": cls.newest(configs), "content_hash": combined_hash(read)}

    @classmethod
    def released_sources(cls) -> Sequence[SourceFile]:
        """Files that `--released download` fetches: those with pinned addresses and checksums."""
        return ()

    def problems(self, table: pa.Table) -> Sequence[str]:
        """Rules of the suite that rows of this config break, a line each with the row's id."""
        return self.record.problems(table)

    def distinct_columns(self) -> Sequence[str]:
        """Columns in which no value comes twice in a split of this config."""
        return [name for name in self.record.distinct if name in self.record.schema.names]

    @classmethod
    def info_texts(cls, config: str) -> dict[str, str]:
        """What a config says of itself where it is loaded."""
        text = next((one.text for one in cls.CONFIGS if one.name == config), "")
        suite, _, _ = inspect.cleandoc(cls.__doc__ or "").partition("\n")
        return {
            "description": f"{suite} {text}",
            "citation": bibtex(cls.CITATION) if cls.CITATION else "",
            "homepage": homepage(cls.CITATION) if cls.CITATION else "",
            "license": "cc-by-4.0",
        }

    def _info(self) -> datasets.DatasetInfo:
        texts = self.info_texts(self.config.name)
        return datasets.DatasetInfo(features=self.config.features, **texts)

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


def view_configs(
    views: Iterable[View], has_files: Callable[[Path], bool] | None = None
) -> Iterator[Config]:
    """The configs of training views, some of which are read from the authors' files."""

    def rows(view: View, options: SuiteConfig) -> Rows:
        return view_tables(view, options.released_folder() if has_files else None)

    for view in views:
        one = Config(view.name, view.description, view.schema, partial(rows, view), "training")
        yield replace(one, has_files=has_files, version=view.version)


def config_canary(suite: str, config: SuiteConfig) -> str:
    """Canary of a config's files: training views of a suite have one of their own."""
    return canary(f"{suite}/training" if config.kind == "training" else suite)


def canary(suite: str) -> str:
    """Text that marks a suite's card and files, to find it in a training corpus that has them."""
    name = f"garden-path/{suite}"
    return f"{name} canary GUID {uuid.uuid5(uuid.NAMESPACE_URL, name)}"
