"""What must not go out: rows without a licence, of somebody's own texts, or of a private draw."""

from collections.abc import Mapping
from typing import Any

from dataset_scripts.registry import suite_builder, suite_names
from publish.build.commitment import PRIVATE


def local(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for each built config that shows rows of a text that the user alone has."""
    if name not in suite_names():
        return []
    built = {key.split("/")[0] for key in provenance["rows"]}
    return [
        f"{name}: {config.name}, got rows of a text that is not ours to pass on; expected a build"
        " without it"
        for config in suite_builder(name).CONFIGS
        if config.kind == "local" and config.name in built
    ]


def hidden(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for a private draw; none for any other build."""
    is_private = PRIVATE in provenance.get("options", {})
    got = (
        f"{name}: draw, got a private one; expected one that may be known: build it with its --seed"
    )
    return [f"{got} once that is revealed"] if is_private else []


def unlicensed(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for each built config that shows the authors' own rows.

    From a source that states no licence.
    """
    if name not in suite_names():
        return []
    configs = {config.name: config for config in suite_builder(name).CONFIGS}
    built = sorted({key.split("/")[0] for key in provenance["rows"]})
    bare = [
        config
        for config in built
        if configs[config].has_files and not configs[config].source_licence
    ]
    return [
        f"{name}: {config}, got rows of a source without a licence; expected --accept-unlicensed to"
        " publish them"
        for config in bare
    ]
