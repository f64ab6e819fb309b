"""lighteval 0.13.0 without network or beside huggingface_hub 2: `offline.py accelerate ...`.

It loads all tasks of its own before it runs any. One of them downloads a file (tinyBenchmarks);
others look for a judge on the Hub, by an argument that huggingface_hub 2 no longer has. Both are
answered here. xxhash has to be older than 4, which no longer takes texts.
"""

import runpy
from types import SimpleNamespace

import huggingface_hub
import requests

huggingface_hub.HfApi.list_models = lambda *_, **__: ["judge"]  # type: ignore[method-assign]
requests.get = lambda *_, **__: SimpleNamespace(status_code=404)

if __name__ == "__main__":
    runpy.run_module("lighteval", run_name="__main__")
