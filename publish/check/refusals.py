"""What must not go out: rows without a licence, of somebody's own texts, or of a private draw."""

from collections.abc import Mapping
from typing import Any

from dataset_scripts.registry import suite_builder, suite_names
from dataset_scripts.suite import Config
from publish.build.commitment import PRIVATE


def local(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for each built config that shows rows of a text that the user alone has."""
    got = "got rows of a text that is not ours to pass on; expected a build without it"
    configs = _built_configs(name, provenance)
    return [f"{name}: {config.name}, {got}" for config in configs if config.kind == "local"]


def hidden(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for a private draw; none for any other build."""
    if PRIVATE not in provenance.get("options", {}):
        return []
    expected = "one that may be known: build it with its --seed once that is revealed"
    return [f"{name}: draw, got a private one; expected {expected}"]


def unlicensed(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for each built config of the authors' own rows, of a source that states no licence."""
    got = "got rows of a source without a licence; expected --accept-unlicensed to publish them"
    built = sorted(_built_configs(name, provenance), key=lambda config: config.name)
    bare = [config.name for config in built if config.has_files and not config.source_licence]
    return [f"{name}: {config}, {got}" for config in bare]


def _built_configs(name: str, provenance: Mapping[str, Any]) -> list[Config]:
    if name not in suite_names():
        return []
    configs = {config.name: config for config in suite_builder(name).CONFIGS}
    built = {key.split("/")[0] for key in provenance["rows"]}
    return [config for config in configs.values() if config.name in built]
