"""Stages the page of a metric's Space: one Gradio app for all metrics, what differs in `metrics/<name>/space.toml`, and a static page.

The app is `publish/page/app.py` with `app_inputs.py`; the static page is the same card for
accounts that may not create Gradio Spaces.
"""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import jinja2
from markdown_it import MarkdownIt

from ground.paths import ROOT
from publish.cards import assemble_card, read_card, split_front_matter

TEMPLATE = ROOT / "publish" / "page"
PYTHON_VERSION = "3.11"  # the app reads its settings with tomllib
APP_FILES = ("app.py", "app_inputs.py")


def stage_space(name: str, folder: Path) -> None:
    """Adds the page to a staged metric whose README.md is rendered: index.html, and the app where the metric has a space.toml."""
    metric = ROOT / "metrics" / name
    if (metric / "space.toml").exists():
        for file in APP_FILES:
            shutil.copyfile(TEMPLATE / file, folder / file)
        (folder / "requirements.txt").write_text(requirements(name), encoding="utf-8")
        shutil.copyfile(metric / "space.toml", folder / "space.toml")
        shutil.copytree(metric / "examples", folder / "examples")
    sdk = "gradio" if (folder / "app.py").exists() else "static"
    card = card_with_sdk((folder / "README.md").read_text(encoding="utf-8"), sdk)
    (folder / "README.md").write_text(card, encoding="utf-8")
    (folder / "index.html").write_text(
        static_page(*read_card(folder / "README.md")), encoding="utf-8"
    )


def card_with_sdk(text: str, sdk: str) -> str:
    """Gives a Space's card with the front matter that the Hub needs to run it with the given SDK, `gradio` or `static`."""
    front, prose = split_front_matter(text)
    front = {
        key: value
        for key, value in front.items()
        if key not in ("sdk", "sdk_version", "python_version", "app_file")
    }
    front["sdk"] = sdk
    if sdk == "gradio":
        front |= {"sdk_version": gradio_version(), "python_version": PYTHON_VERSION}
    front["app_file"] = "app.py" if sdk == "gradio" else "index.html"
    return assemble_card(front, prose)


def requirements(name: str) -> str:
    """Gives the requirements of a Space: the app's and the metric's own, one line per package."""
    lines: dict[str, str] = {}
    for path in (TEMPLATE / "requirements.txt", ROOT / "metrics" / name / "requirements.txt"):
        for line in path.read_text(encoding="utf-8").split() if path.exists() else ():
            lines[re.split(r"[^\w-]", line)[0]] = line
    return "\n".join(lines[name] for name in sorted(lines)) + "\n"


def gradio_version() -> str:
    """Gives the version of Gradio that the app is tested with, from constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("gradio==") for line in lines if line.startswith("gradio=="))


def static_page(front: dict[str, Any], prose: str) -> str:
    """Gives a card as one HTML page that needs nothing else."""
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        (TEMPLATE / "index.html").read_text(encoding="utf-8")
    )
    return template.render(front=front, card=card_as_html(prose))


def card_as_html(prose: str) -> str:
    """Gives Markdown with tables as HTML; raw HTML in it is shown as text."""
    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(prose))


def space_settings(name: str) -> dict[str, Any]:
    """Gives the settings of a metric's page, or an empty dict where it has none."""
    path = ROOT / "metrics" / name / "space.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
