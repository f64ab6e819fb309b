"""Records the content hashes of the suites built in hub/.

Run after a change of VERSION, or of a training view's rows, which have no version of their own:
`python -m tests.support.record_hashes [NAME ...]`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from dataset_scripts.registry import suite_builder, suite_names
from publish.build.manifest import read_provenance
from tests.conftest import ROOT


def build_hashes(name: str, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What is recorded of a build: version, and the hashes of its configs and training views."""
    evaluation = suite_builder(name).config_names()
    found: dict[str, Any] = {"version": provenance["version"]}
    found |= {"content_hashes": {}, "training_views": {}}
    for key, value in provenance["content_hashes"].items():
        kind = "content_hashes" if key.split("/")[0] in evaluation else "training_views"
        found[kind][key] = value
    return found


def main(names: list[str]) -> int:
    for name in names or suite_names():
        provenance = read_provenance(ROOT / "hub" / name)
        if not provenance or provenance["options"]:
            print(
                f"hub/{name}: build, got {provenance.get('options')}; expected the default draw:"
                f" push.py build {name}"
            )
            return 1
        recorded = build_hashes(name, provenance)
        has_views = (
            suite_builder(name).config_names(views=True) != suite_builder(name).config_names()
        )
        if has_views and not recorded["training_views"]:
            print(f"hub/{name}: training views, got none; expected push.py build {name} --views")
            return 1
        path = ROOT / "tests" / "golden" / f"content_hashes_{name}.json"
        path.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
