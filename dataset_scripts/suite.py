"""What the four suites share as `datasets` builders: one config class, one way from Arrow tables to splits.

A suite is a module `dataset_scripts/<suite>.py` with one subclass of `SuiteBuilder` that sets
VERSION, BUILDER_CONFIGS and DEFAULT_CONFIG_NAME and gives its rows as one Arrow table per split.
The class works as any `datasets` builder does (`download_and_prepare`, `as_dataset`); `push.py
build` takes its tables and writes the Parquet files that go to the Hub.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa

from ground.downloads import Source


@dataclass
class SuiteConfig(datasets.BuilderConfig):
    """One config of a suite and the draw it shows.

    Attributes:
        features: Columns and types; the same for all splits.
        seed: Which draw of the suite's design; 0 is the published one.
        size: How large a draw, in the suite's own unit; None is the paper's size.
        is_released: Whether the rows are the authors' own, read from `released`.
        released: Folder of the authors' files; needed by released configs only.
        source_licence: The licence that the authors' source states, "" if none: then it is
            published only on request.
    """

    features: datasets.Features | None = None
    seed: int = 0
    size: int | None = None
    is_released: bool = False
    released: Path | None = None
    source_licence: str = ""


class SuiteBuilder(datasets.ArrowBasedBuilder):
    """Base of the suites' builders; a suite implements `split_tables`."""

    BUILDER_CONFIG_CLASS = SuiteConfig
    CITATION = ""
    LICENCE = "cc-by-4.0"
    CLOSED_SETS: tuple[
        str, ...
    ] = ()  # string columns with few values, which the Hub's viewer must show as histograms

    config: SuiteConfig

    def split_tables(self) -> Mapping[str, pa.Table]:
        """Gives one Arrow table per split for this config; its columns are those of the config's features."""
        raise NotImplementedError

    @classmethod
    def config_names(cls, released: Path | None = None) -> list[str]:
        """Gives the names of the configs to build, the authors' own rows only where their files are in the folder `released`."""
        has_files = {
            c.name: released is not None and cls.has_files(c.name, Path(released))
            for c in cls.BUILDER_CONFIGS
            if c.is_released
        }
        return [config.name for config in cls.BUILDER_CONFIGS if has_files.get(config.name, True)]

    @classmethod
    def released_sources(cls) -> Sequence[Source]:
        """Gives the files that `--released download` fetches: those with pinned addresses and checksums."""
        return ()

    @classmethod
    def has_files(cls, config: str, released: Path) -> bool:
        """Says whether a folder has the files of a released config; a suite whose configs have files of their own says so itself."""
        return True

    def problems(self, table: pa.Table) -> list[str]:
        """Checks built rows of this config against the suite's own rules; gives one line per problem, naming the row."""
        return []

    def released_folder(self) -> Path:
        """Gives the folder of the authors' files.

        Raises:
            ValueError: The config shows the authors' rows, and no folder was given.
        """
        if self.config.released is None:
            raise ValueError(
                f"{self.config.name}: released, got None; expected the folder of the authors' files (--released DIR)"
            )
        return Path(self.config.released)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=self.config.description,
            features=self.config.features,
            citation=self.CITATION,
            license=self.LICENCE,
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        tables = self.split_tables()
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"table": table})
            for split, table in tables.items()
        ]

    def _generate_tables(self, table: pa.Table) -> Iterator[tuple[Any, pa.Table]]:
        yield 0, table.cast(self.config.features.arrow_schema)  # type: ignore[union-attr]  # _info has checked it


def canary(suite: str) -> str:
    """Gives the text that marks a suite's card and files, so that a training corpus that swallowed them can be found out."""
    return (
        f"garden-path/{suite} canary GUID {uuid.uuid5(uuid.NAMESPACE_URL, f'garden-path/{suite}')}"
    )
