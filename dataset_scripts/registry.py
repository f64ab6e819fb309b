"""Finds the suites, their rows and their options: a folder of `builders` with a VERSION is a suite.

`datasets` is imported when a builder is asked for, so that workers, which import the modules of
studies, start without it. A field of a suite's config class that is made by `option` is an option
`--<field>` of `push.py build`.
"""

import argparse
import dataclasses
import importlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from builders.suites import suite_names as suite_names
from ground.command_line import add_option, default_of, option_fields
from metrics._shared.option_fields import Rule

if TYPE_CHECKING:
    from dataset_scripts.suite import SuiteBuilder


def suite_builder(name: str) -> "type[SuiteBuilder]":
    """Builder class of a suite; a ValueError for no such suite, or other than one builder in it."""
    from dataset_scripts.suite import SuiteBuilder

    if name not in suite_names():
        raise ValueError(f"suite, got {name!r}; expected one of {', '.join(suite_names())}")
    module = importlib.import_module(f"dataset_scripts.{name}")
    classes = [one for one in vars(module).values() if isinstance(one, type)]
    own = [one for one in classes if one.__module__ == module.__name__]
    builders = [one for one in own if issubclass(one, SuiteBuilder)]
    if len(builders) != 1:
        got = f"dataset_scripts/{name}.py: builders, got {len(builders)}"
        raise ValueError(f"{got}; expected one subclass of SuiteBuilder")
    return builders[0]


def builder_for(
    builder: "type[SuiteBuilder]", name: str, config: str, options: Mapping[str, Any], cache: str
) -> "SuiteBuilder":
    """Builder of a suite for one config and draw; a ValueError for no such option or value."""
    known = next(c for c in builder.BUILDER_CONFIGS if c.name == config)
    names = list(option_fields(known))
    if unknown := [option for option in options if option not in names]:
        raise ValueError(f"{name}: option, got {unknown[0]!r}; expected one of {', '.join(names)}")
    instance = builder(config_name=config, dataset_name=name, cache_dir=cache)
    instance.config = dataclasses.replace(known, **options)
    try:
        instance.config.check()
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return instance


def split_table(
    name: str,
    config: str,
    split: str,
    options: Mapping[str, Any] | None = None,
    columns: Sequence[str] | None = None,
) -> pa.Table:
    """Rows of one split straight from the builder, without files; studies and tests use it."""
    with tempfile.TemporaryDirectory() as cache:
        builder = builder_for(suite_builder(name), name, config, options or {}, cache)
        if columns is None:
            return builder.split_tables()[split]
        return pa.concat_tables(batch.select(columns) for batch in builder.split_batches()[split])


def system_and_config(suite: str, key: str) -> tuple[str, str]:
    """What a committed figure is about: its key is `SYSTEM`, or `SYSTEM/CONFIG` of the suite.

    A system's own name may have slashes.

    Example:
        >>> system_and_config("eras", "jieba/simplified"), system_and_config("eras", "chat:a/b")
        (('jieba', 'simplified'), ('chat:a/b', ''))
    """
    system, _, config = key.rpartition("/")
    names = [known.name for known in suite_builder(suite).BUILDER_CONFIGS]
    return (system, config) if config in names else (key, "")


def suite_stamp(
    name: str, options: Mapping[str, Any] | None = None, configs: Sequence[str] = ()
) -> dict[str, str]:
    """VERSION and content hash of rows, by default a draw's, with which studies stamp results."""
    from dataset_scripts.content import content_hash

    builder = suite_builder(name)
    hashes = {}
    with tempfile.TemporaryDirectory() as cache:
        for config in configs or builder.stamped_configs():
            instance = builder_for(builder, name, config, options or {}, cache)
            for split, table in instance.split_tables().items():
                hashes[f"{config}/{split}"] = content_hash(table, instance.config.features)
    return builder.stamp(hashes, configs)


def add_options(parser: argparse.ArgumentParser, named: Sequence[str] = ()) -> None:
    """Adds the options of all suites to a parser; `--help` shows those of `named` suites alone."""
    suites = set(named) & set(suite_names()) or set(suite_names())
    for name, (owners, field) in _options_of_all().items():
        rule: Rule = field.metadata["rule"]
        of = "" if suites <= set(owners) else f"{', '.join(owners)}: "
        text = of + rule.help if suites & set(owners) else argparse.SUPPRESS
        parse = int if rule.kind is int else rule.parse  # what no draw has the suite itself refuses
        rule = dataclasses.replace(rule, help=text, parse=parse)
        add_option(parser, name, rule, None, shown=default_of(field))


def given_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Options of a draw that a command line gave, by name."""
    values = {name: getattr(arguments, name, None) for name in _options_of_all()}
    return {name: value for name, value in values.items() if value is not None}


def other_than_default(builder: "type[SuiteBuilder]", options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are not what the suite draws anyway: what a build has to record of itself."""
    fields = option_fields(builder.BUILDER_CONFIG_CLASS).items()
    defaults = {name: default_of(field) for name, field in fields}
    return {name: value for name, value in options.items() if value != defaults.get(name)}


def _options_of_all() -> dict[str, tuple[list[str], dataclasses.Field[Any]]]:
    found: dict[str, tuple[list[str], dataclasses.Field[Any]]] = {}
    for suite in suite_names():
        for name, field in option_fields(suite_builder(suite).BUILDER_CONFIG_CLASS).items():
            owners, known = found.setdefault(name, ([], field))
            if dict(known.metadata) != dict(field.metadata):
                got = f"option {name}, got another text or type than in {owners[0]}"
                where = f"dataset_scripts/{suite}.py"
                raise ValueError(f"{where}: {got}; expected the same, or another name")
            owners.append(suite)
    return found
