"""One reference page for every package of the product, so that no list is kept."""

import re
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("garden_path", "builders", "dataset_scripts", "metrics", "publish", "ground")
LEFT_OUT = {"__init__", "__main__"}
PAGES = (("publish", "page"), ("publish", "form", "app"))  # staged, import their siblings flat


class ExampleSections(griffe.Extension):
    """Shows our sections `Example:` as code: the parser knows them as `Examples:` only."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Renames the section of one docstring."""
        if obj.docstring:
            renamed = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
            obj.docstring.value = renamed


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists the generated pages in the navigation."""
    pages = [{package: page(package)} for package in packages()]
    config.nav = [{"Reference": pages}]  # the other hook puts it into its place
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages to those of the folder."""
    for package, modules in packages().items():
        text = f"# {package}\n\n" + "\n\n".join(f"::: {module}" for module in modules) + "\n"
        files.append(File.generated(config, page(package), content=text))
    return files


def page(package: str) -> str:
    """Where the page of a package lies."""
    return f"reference/{package}.md"


def packages() -> dict[str, list[str]]:
    """Modules of each package of the rooms, by dotted name; the evaluate wrappers are left out."""
    found: dict[str, list[str]] = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            is_wrapper = room == "metrics" and parts[-1] == parts[-2]
            is_page = any(parts[: len(prefix)] == prefix for prefix in PAGES)
            if parts[-1] not in LEFT_OUT and not is_wrapper and not is_page:
                found.setdefault(".".join(parts[:-1]), []).append(".".join(parts))
    return found
