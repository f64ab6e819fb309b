"""The options of a draw, as the suites' config classes declare them, on a command line.

A field made by `option` is an option `--<field>` of `push.py build`; a suite
that adds a field adds an option, and nothing else has to be edited.
"""

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from dataset_scripts.registry import suite_builder, suite_names
from dataset_scripts.suite import SuiteBuilder, SuiteConfig
from ground.command_line import add_option, default_of, option_fields
from metrics._shared.option_fields import Rule


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


def other_than_default(builder: type[SuiteBuilder], options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are not what the suite draws anyway: what a build has to record of itself."""
    defaults = {
        name: default_of(field) for name, field in option_fields(config_class(builder)).items()
    }
    return {name: value for name, value in options.items() if value != defaults.get(name)}


def config_class(builder: type[SuiteBuilder]) -> type[SuiteConfig]:
    """Config class of a suite."""
    found: type[SuiteConfig] = builder.BUILDER_CONFIG_CLASS
    return found


def _options_of_all() -> dict[str, tuple[list[str], dataclasses.Field[Any]]]:
    found: dict[str, tuple[list[str], dataclasses.Field[Any]]] = {}
    declared = (
        (suite, *declared)
        for suite in suite_names()
        for declared in option_fields(config_class(suite_builder(suite))).items()
    )
    for suite, name, field in declared:
        owners, known = found.setdefault(name, ([], field))
        if dict(known.metadata) != dict(field.metadata):
            raise ValueError(
                f"dataset_scripts/{suite}.py: option {name}, got another text or type than in "
                f"{owners[0]}; expected the same, or another name"
            )
        owners.append(suite)
    return found
