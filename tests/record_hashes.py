"""Records the content hashes of the suites built in hub/.

Run after a change of VERSION, `python -m tests.record_hashes [NAME ...]`.
"""

import json
import sys

from dataset_scripts.registry import suite_builder, suite_names
from publish.manifest import read_provenance
from tests.conftest import ROOT


def evaluation_hashes(name: str, hashes: dict[str, str]) -> dict[str, str]:
    """The hashes of a build without those of its training views."""
    kept = suite_builder(name).config_names()
    return {key: value for key, value in hashes.items() if key.split("/")[0] in kept}


def main(names: list[str]) -> int:
    for name in names or suite_names():
        provenance = read_provenance(ROOT / "hub" / name)
        if not provenance or provenance["options"]:
            print(
                f"hub/{name}: build, got {provenance.get('options')}; expected the default draw:"
                f" push.py build {name}"
            )
            return 1
        recorded = {
            "version": provenance["version"],
            "content_hashes": evaluation_hashes(name, provenance["content_hashes"]),
        }
        path = ROOT / "tests" / "golden" / f"content_hashes_{name}.json"
        path.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
