"""Finds the suites and their rows: a module of this folder with one `SuiteBuilder` is a suite; there is no list to edit."""

import copy
import importlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from dataset_scripts.content import combined_hash, content_hash
from dataset_scripts.suite import SuiteBuilder

FOLDER = Path(__file__).resolve().parent
SHARED = ("__init__", "content", "registry", "suite")


def suite_names() -> list[str]:
    """Gives the names of the suites: the modules of this folder but those that all suites share."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in SHARED)


def suite_builder(name: str) -> type[SuiteBuilder]:
    """Gives the builder class of a suite.

    Raises:
        ValueError: There is no such suite, or its module does not hold exactly one builder.
    """
    if name not in suite_names():
        raise ValueError(f"suite, got {name!r}; expected one of {', '.join(suite_names())}")
    module = importlib.import_module(f"dataset_scripts.{name}")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, SuiteBuilder)
    ]
    builders = [value for value in found if value.__module__ == module.__name__]
    if len(builders) != 1:
        raise ValueError(
            f"dataset_scripts/{name}.py: builders, got {len(builders)}; expected one subclass of SuiteBuilder"
        )
    return builders[0]


def builder_for(
    builder: type[SuiteBuilder], name: str, config: str, options: Mapping[str, Any], cache: str
) -> SuiteBuilder:
    """Gives a suite's builder for one config with the options that the config knows.

    Raises:
        ValueError: No config of the suite knows an option.
    """
    known = vars(next(c for c in builder.BUILDER_CONFIGS if c.name == config))
    if unknown := [option for option in options if option not in known]:
        raise ValueError(
            f"{name}: option, got {unknown[0]!r}; expected one of {', '.join(sorted(known))}"
        )
    instance = builder(config_name=config, dataset_name=name, cache_dir=cache)
    instance.config = copy.copy(instance.config)  # `datasets` hands out the class's own
    for option, value in options.items():
        setattr(instance.config, option, value)
    return instance


def split_table(
    name: str, config: str, split: str, options: Mapping[str, Any] | None = None
) -> pa.Table:
    """Gives the rows of one split straight from the builder, without files; studies and tests use it."""
    with tempfile.TemporaryDirectory() as cache:
        return builder_for(suite_builder(name), name, config, options or {}, cache).split_tables()[
            split
        ]


def suite_stamp(name: str) -> dict[str, str]:
    """Gives VERSION and content hash of a suite's default draw, as its build records them; studies stamp their results with it."""
    builder = suite_builder(name)
    hashes = {}
    with tempfile.TemporaryDirectory() as cache:
        for config in builder.config_names():
            instance = builder_for(builder, name, config, {}, cache)
            for split, table in instance.split_tables().items():
                hashes[f"{config}/{split}"] = content_hash(table, instance.config.features)
    return {"version": str(builder.VERSION), "content_hash": combined_hash(hashes)}
