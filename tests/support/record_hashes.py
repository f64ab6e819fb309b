"""Records the content hashes of the suites built in hub/. Run after a change of VERSION, or of a
training view's rows, which have no version of their own: `python -m tests.support.record_hashes
[NAME ...]`."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from dataset_scripts.registry import suite_builder, suite_names
from publish.build.manifest import read_provenance
from tests.conftest import ROOT


def build_hashes(name: str, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What is recorded of a build: versions, and the hashes of its configs and training views."""
    evaluation = suite_builder(name).config_names()
    since = {config: text for config, text in provenance["since"].items() if config in evaluation}
    found: dict[str, Any] = {"version": provenance["version"], "since": since}
    found |= {"content_hashes": {}, "training_views": {}}
    for key, value in provenance["content_hashes"].items():
        kind = "content_hashes" if key.split("/")[0] in evaluation else "training_views"
        found[kind][key] = value
    return found


def unversioned(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The splits whose rows changed under the VERSION that their config said it came with."""
    return [
        key
        for key, value in now["content_hashes"].items()
        if before["content_hashes"].get(key, value) != value
        and before["since"].get(config := key.split("/")[0]) == now["since"][config]
    ]


def main(names: list[str]) -> int:
    for name in names or suite_names():
        provenance = read_provenance(ROOT / "hub" / name)
        if not provenance or provenance["options"]:
            got = f"hub/{name}: build, got {provenance.get('options')}"
            print(f"{got}; expected the default draw: push.py build {name}")
            return 1
        recorded, builder = build_hashes(name, provenance), suite_builder(name)
        has_views = builder.config_names(views=True) != builder.config_names()
        if has_views and not recorded["training_views"]:
            print(f"hub/{name}: training views, got none; expected push.py build {name} --views")
            return 1
        path = ROOT / "tests" / "golden" / f"content_hashes_{name}.json"
        if path.is_file() and (changed := unversioned(json.loads(path.read_text()), recorded)):
            print(f"{name}: rows of {', '.join(changed)}, got others; expected a new VERSION, and")
            print(f"dataset_scripts/{name}.py to name it for the config, or as SINCE for all")
            return 1
        path.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
