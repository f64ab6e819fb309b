"""Stages the page of a metric's Space: one Gradio app for all, and the card as a static page.

What differs between metrics is in `metrics/<name>/space.toml`.
"""

import importlib
import json
import re
from collections.abc import Mapping
from typing import Any

from markdown_it import MarkdownIt

from ground.paths import ROOT
from ground.tables import read_toml
from metrics._shared.plain_text import lines_of
from publish.build.cards import assemble_card, rendered_page, split_front_matter

TEMPLATE = ROOT / "publish" / "page"
PYTHON_VERSION = "3.11"  # the app reads its settings with tomllib
FOLDED = re.compile(
    r"<p>&lt;details&gt;&lt;summary&gt;(.*?)&lt;/summary&gt;</p>(.*?)<p>&lt;/details&gt;</p>",
    re.DOTALL,
)
APP_FILES = (
    *("app.py", "app.css", "app_inputs.py", "app_parquet.py", "app_readers.py"),
    *("app_results.py", "app_scores.py", "app_scoring.py", "app_tables.html"),
)
SPACE_FIELDS = ("sdk", "sdk_version", "python_version", "app_file")
TEXT = "plain_text.py"  # the contract of text, which the page reads by


def space_files(name: str, card: str) -> dict[str, bytes]:
    """Card and pages of a metric's Space: README.md, index.html, the app if it has one."""
    app = _app_files(name)
    card = card_with_sdk(card, "gradio" if app else "static")
    page = static_page(*split_front_matter(card))
    return {**app, "README.md": card.encode(), "index.html": page.encode()}


def _app_files(name: str) -> dict[str, bytes]:
    """Files of the Gradio app; none where the metric has no `space.toml`."""
    metric = ROOT / "metrics" / name
    if not (metric / "space.toml").exists():
        return {}
    settings = (metric / "space.toml").read_text(encoding="utf-8")
    examples = (path for path in sorted((metric / "examples").rglob("*")) if path.is_file())
    return {
        **{file: (TEMPLATE / file).read_bytes() for file in APP_FILES},
        TEXT: (ROOT / "metrics" / "_shared" / TEXT).read_bytes(),
        "requirements.txt": requirements(name).encode(),
        "space.toml": (settings + option_settings(name, read_toml(settings))).encode(),
        **{path.relative_to(metric).as_posix(): path.read_bytes() for path in examples},
    }


def option_settings(name: str, settings: Mapping[str, Any]) -> str:
    """TOML of the choices on a metric's page, with the texts of the options that it names.

    `shown_options` of its space.toml are names, or tables of a name and some `choices`.
    """
    tables = []
    for shown in settings.get("shown_options", ()):
        entry = {"name": shown} if isinstance(shown, str) else shown
        rules = importlib.import_module(f"metrics.{name}.options").Options
        rule = rules.rules().get(entry["name"])
        choices = list(rule.choices if rule else ())
        if rule and rule.kind is bool:
            choices = [False, True]
        if not choices:
            got = f"metrics/{name}/space.toml: shown_options, got {entry['name']!r}"
            raise ValueError(f"{got}; expected options with choices")
        default = rules.defaults()[entry["name"]]
        choices.sort(key=lambda choice: choice != default)
        values = {"name": entry["name"], "choices": choices, "info": rule.help, **entry}
        lines = [f"{key} = {json.dumps(v, ensure_ascii=False)}" for key, v in values.items()]
        tables += ["", "[[options]]", *lines]
    return "\n".join([*tables, ""]) if tables else ""


def card_with_sdk(text: str, sdk: str) -> str:
    """Card of a Space with the front matter that the Hub needs to run `gradio` or `static`."""
    front, prose = split_front_matter(text)
    needed = {"sdk": sdk}
    if sdk == "gradio":
        needed |= {"sdk_version": gradio_version(), "python_version": PYTHON_VERSION}
    needed["app_file"] = "app.py" if sdk == "gradio" else "index.html"
    kept = {key: value for key, value in front.items() if key not in SPACE_FIELDS}
    return assemble_card(kept | needed, prose)


def requirements(name: str) -> str:
    """Requirements of a Space: the app's and the metric's own, one line per package."""
    lines: dict[str, str] = {}
    for path in (TEMPLATE / "requirements.txt", ROOT / "metrics" / name / "requirements.txt"):
        for line in path.read_text(encoding="utf-8").split() if path.exists() else ():
            lines[re.split(r"[^\w-]", line)[0]] = line
    return "\n".join(lines[name] for name in sorted(lines)) + "\n"


def gradio_version() -> str:
    """Version of Gradio that the app is tested with, from constraints.txt."""
    lines = lines_of((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    return next(line.removeprefix("gradio==") for line in lines if line.startswith("gradio=="))


def static_page(front: dict[str, Any], prose: str) -> str:
    """A card as one HTML page that needs nothing else."""
    names = {"front": front, "card": card_as_html(prose)}
    return rendered_page(TEMPLATE / "index.html", names)


def card_as_html(prose: str) -> str:
    """Markdown with tables as HTML; raw HTML in it is shown as text, but for what folds a part."""
    shown = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(prose))
    return FOLDED.sub(r"<details><summary>\1</summary>\2</details>", shown)
