"""Pages of the site that are made: suites, metrics, results, command lines; and the navigation.

A suite's page is its long text, a metric's likewise; figures of a build come from the folder that
GARDEN_PATH_HUB names (default: hub/) where it has them.
"""

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from dataset_scripts.registry import suite_builder, suite_names
from garden_path.__main__ import COMMANDS as USER_COMMANDS
from garden_path.__main__ import main as garden_path
from publish.build.boards import board_folder
from publish.build.cards import (
    dataset_functions,
    fill_card,
    metric_functions,
    read_card,
    result,
    split_files,
)
from publish.build.manifest import read_provenance
from publish.build.metrics import metric_names, metric_version
from publish.commands import command_parsers

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "cards" / "results"
HUB = Path(os.environ.get("GARDEN_PATH_HUB", ROOT / "hub"))
TITLES = {
    "tutorials": ["segmenter", "parser", "chat_model", "language_model", "winner"],
    "howto": [
        *("score_a_file", "offline", "compare", "report", "train", "harnesses", "share_a_result"),
        *("private_draw", "ratings", "extend", "scale"),
    ],
    "explanation": ["shortcuts", "pairs", "intervals", "ranking", "limits", "reliability", "text"],
}
MARK = re.compile(r"(<!--.*?-->|<[^>]*>|&#?\w+;)", re.DOTALL)
UNLINKED = {"a", "code", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "table", "summary"}
# Mostly plain English words, and the name of the project.
COMMON = {"Control", "Core", "Draw", "Garden path", "Item", "Pair", "Site", "View"}
LEADERBOARD = """\
# Leaderboard

[Open the leaderboard](../leaderboard/index.html): every suite on one page.

Systems are ranked among systems, as far as their intervals allow. NULL, shortcuts, published
figures and ceilings are lines. You can read in a result of your own; nothing is sent.
"""
HEADINGS = {"tutorials": "Tutorials", "howto": "How-to", "explanation": "Explanation"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation: written pages, results, and the reference with what the other hook found."""
    (reference,) = [one["Reference"] for one in config.nav or [] if "Reference" in one]
    written = [
        {HEADINGS[kind]: [f"{kind}/{name}.md" for name in names]} for kind, names in TITLES.items()
    ]
    made = [
        {"Suites": [f"suites/{name}.md" for name in suite_names()]},
        {"Metrics": [f"metrics/{name}.md" for name in metric_names()]},
        {"Command lines": "reference/command_lines.md"},
        {"Modules": reference},
        {"Benchmarks": "benchmarks.md"},
    ]
    results = [{"Leaderboard": "results/leaderboard.md"}, {"All systems": "results/overview.md"}]
    results += [{name: f"results/{name}.md"} for name in suite_names()]
    results += [{"Reports": "reports/README.md"}]
    config.nav = [{"Home": "index.md"}, *written, {"Results": results}, {"Claims": "claims.md"}]
    config.nav += [{"Reference": made}, {"Glossary": "glossary.md"}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what is made to the files of the folder."""
    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    board = board_folder()[0]["index.html"]
    files.append(File.generated(config, "leaderboard/index.html", content=board))
    for picture in RESULTS.rglob("*.png"):
        place = f"results/{picture.relative_to(RESULTS).as_posix()}"
        files.append(File.generated(config, place, content=picture.read_bytes()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Tables that a page folds away are Markdown too."""
    return markdown.replace("<details>", '<details markdown="1">')


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Links every term of the glossary at its first use on a written page."""
    kind = page.file.src_uri.partition("/")[0]
    if kind not in (*HEADINGS, "index.md", "suites", "metrics", "results"):
        return html
    glossary = "../" * page.url.count("/") + "glossary/"
    return linked_terms(html, glossary)


def linked_terms(html: str, glossary: str) -> str:
    """A page's HTML with a link to the glossary where a term stands in running text first."""
    left = [term for term in glossary_terms() if term not in COMMON]
    parts, inside = list[str](), list[str]()
    for piece in MARK.split(html):
        tag = re.match(r"<(/?)(\w+)", piece)
        if tag and not tag[1] and tag[2] in UNLINKED and not piece.endswith("/>"):
            inside.append(tag[2])
        elif tag and tag[1] and inside[-1:] == [tag[2]]:
            inside.pop()
        is_linked = not inside and not MARK.fullmatch(piece)
        parts.append(_linked(piece, left, glossary) if is_linked else piece)
    return "".join(parts)


def glossary_terms() -> list[str]:
    """The terms, as the headings of the glossary; the longest first."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    return sorted(re.findall(r"^## (.+)$", text, re.MULTILINE), key=len, reverse=True)


def _linked(text: str, left: list[str], glossary: str) -> str:
    """A text with links for terms that are left, which are taken off the list."""
    for term in list(left):
        flags = 0 if term.isupper() else re.IGNORECASE
        if found := re.search(rf"\b{re.escape(term)}s?\b(?![^<]*</a>)", text, flags):
            left.remove(term)
            link = f'<a href="{glossary}#{term.lower().replace(" ", "-")}">{found[0]}</a>'
            text = text[: found.start()] + link + text[found.end() :]
    return text


def pages() -> Iterator[tuple[str, str]]:
    """Path and Markdown of each page that is made."""
    for name in suite_names():
        yield f"suites/{name}.md", suite_text(name)
        yield f"results/{name}.md", results_text(name)
    for name in metric_names():
        yield f"metrics/{name}.md", metric_text(name)
    yield "claims.md", (RESULTS / "claims.md").read_text("utf-8")
    yield "results/leaderboard.md", LEADERBOARD
    yield "results/overview.md", (RESULTS / "overview.md").read_text("utf-8")
    yield "reference/command_lines.md", command_lines()


def suite_text(name: str) -> str:
    """The long text of a suite; without a build its counts are dashes."""
    folder = HUB / name
    told = read_provenance(folder) or {"version": suite_builder(name).VERSION, "options": {}}
    functions = dataset_functions(name, folder, split_files(folder), told)
    functions["plot"] = lambda study, text: plot(name, study, text)
    if not read_provenance(folder):
        none = {"rows": "–", "size_mb": "–", "examples": "", "training_views": "", "ratings": ""}
        functions |= {key: lambda *_, shown=text, **__: shown for key, text in none.items()}
        functions |= {"content_hash": "–", "seed": "–", "size": "–", "has_views": False}
        functions["result"] = lambda study: result(name, study)
    return fill_card(name, _prose("datasets", name), functions)


def metric_text(name: str) -> str:
    """The long text of a metric."""
    return fill_card(name, _prose("metrics", name), metric_functions(name, metric_version(name)))


def plot(name: str, study: str, text: str) -> str:
    """A study's plot, which lies beside the results; "" where there is none."""
    is_there = (RESULTS / name / f"{study}.png").exists()
    return f"![{text}](../results/{name}/{study}.png)" if is_there else ""


def _prose(kind: str, name: str) -> str:
    return read_card(ROOT / "cards" / kind / f"{name}.md")[1]


def results_text(name: str) -> str:
    """Every table and plot that a study of a suite wrote."""
    parts = [f"# Results: {name}"]
    for path in sorted((RESULTS / name).glob("*.md")):
        text = re.sub(r"\A#+ ", "## ", path.read_text("utf-8").strip())
        title = "" if text.startswith("#") else f"## {path.stem.replace('_', ' ').capitalize()}\n\n"
        plot = path.with_suffix(".png")
        shown = f"\n\n![{path.stem}]({name}/{plot.name})" if plot.exists() else ""
        parts.append(f"{title}{text}{shown}")
    return "\n\n".join(parts) + "\n"


def command_lines() -> str:
    """What `--help` says of every command, from the parsers themselves."""
    parser, commands = command_parsers("Build, check and publish suites and metrics.")
    shown = {f"garden-path {name}".strip(): user_help(name) for name in ("", *USER_COMMANDS)}
    shown |= {"push.py": parser.format_help()}
    shown |= {f"push.py {name}": one.format_help() for name, one in commands.items()}
    blocks = [f"## {name}\n\n```text\n{text.strip()}\n```" for name, text in shown.items()]
    return "# Command lines\n\n" + "\n\n".join(blocks) + "\n"


def user_help(command: str) -> str:
    """What `--help` of a command of `garden-path` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        garden_path([*filter(None, [command]), "--help"])
    return printed.getvalue()
