"""The page of a metric: predictions in; figures, tables, a plot and the result as a file out.

What differs between metrics is in `space.toml`; the metric's own module beside this file scores, in
the processes of `app_scoring.py`.
"""

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app_readers import (  # type: ignore[import-not-found]  # beside it
    MAX_BYTES,
    MAX_ROWS,
    MEGABYTE,
    READERS,
)
from app_results import title  # type: ignore[import-not-found]
from app_scoring import (  # type: ignore[import-not-found]
    HERE,
    SETTINGS,
    Files,
    Scorers,
    n_at_once,
)

FONT = ("system-ui", "Noto Sans CJK SC", "sans-serif")  # nothing is fetched from elsewhere
LOOK_EVERY, KEPT = 600, 3600  # seconds: what was uploaded or written is deleted after an hour
MOST_WAITING = 100  # requests; one more is told that the page is busy
TO_THE_RESULT = """() => setTimeout(() => {
  const shown = ['failure', 'result'].map(id => document.getElementById(id));
  shown.find(part => part && part.offsetParent)?.scrollIntoView({block: 'start'});
}, 100)"""


def card() -> str:
    """Metric's card without its front matter."""
    return str((HERE / "README.md").read_text(encoding="utf-8").partition("\n---\n")[2])


def page() -> Any:
    """The page, ready to be launched."""
    import gradio as gr  # heavy: a test that asks for the functions above does not pay for it

    at_once = {"concurrency_id": "score", "concurrency_limit": n_at_once()}
    with gr.Blocks(title=SETTINGS["title"], analytics_enabled=False) as blocks:
        gr.Markdown(f"# {SETTINGS['title']}\n\n{SETTINGS['introduction']}")
        with gr.Row():
            examples = [
                gr.Button(f"Example: {example['name']}", variant="secondary")
                for example in SETTINGS.get("examples", [])
            ]
        with gr.Row(equal_height=False):
            with gr.Column():
                tabs, file, text = input_part(gr)
                inputs = [file, text, *choices_part(gr)]
            with gr.Column():
                gr.Markdown(columns_text(), elem_classes="columns")
        run = gr.Button("Score", variant="primary", elem_id="score")
        outputs = results_part(gr)
        give = answer(gr, Scorers(n_at_once()))
        run.click(give, inputs, outputs, **at_once).then(None, js=TO_THE_RESULT)
        for button, example in zip(examples, SETTINGS.get("examples", []), strict=True):
            shown = button.click(show_example(gr, example["file"]), None, [file, text, tabs])
            shown.then(give, inputs, outputs, **at_once).then(None, js=TO_THE_RESULT)
        with gr.Accordion("About this metric", open=False, elem_id="about"):
            gr.Markdown(card())
    return blocks


def input_part(gr: Any) -> tuple[Any, Any, Any]:
    """Where predictions go in: the tabs, the file and the text."""
    with gr.Tabs() as tabs:
        with gr.Tab("Upload", id="upload"):
            is_table = bool(SETTINGS.get("is_table"))
            what = "Scores" if is_table else "Predictions"
            file = gr.File(
                label=f"{what}: {', '.join(SETTINGS['formats'])}",
                file_types=_endings(),
                file_count="multiple" if is_table else "single",
            )
        with gr.Tab("Paste", id="paste"):
            text = gr.Textbox(
                label="Rows, with a header line", lines=9, max_lines=18, elem_id="pasted"
            )
    return tabs, file, text


def choices_part(gr: Any) -> list[Any]:
    """Config of the suite and the metric's options."""
    config = gr.Dropdown(
        SETTINGS["configs"],
        label=f"Suite: {SETTINGS['suite']}",
        visible=bool(SETTINGS["configs"]),
    )
    return [config, *(choice_part(gr, option) for option in SETTINGS.get("options", []))]


def choice_part(gr: Any, option: Mapping[str, Any]) -> Any:
    """Field of one option: a list of choices, a number or a text."""
    shown = {"label": option["name"], "info": option["info"]}
    if "choices" in option:
        return gr.Dropdown(option["choices"], **shown)
    field = gr.Number if "number" in option else gr.Textbox
    return field(value=option.get("number", option.get("text")), **shown)


def show_example(gr: Any, name: str) -> Any:
    """What a click on an example does: its text is pasted, and no file is chosen."""
    shown = (HERE / "examples" / name).read_text(encoding="utf-8")
    return lambda: (None, shown, gr.Tabs(selected="paste"))


def launch(**options: Any) -> Any:
    """Starts the page's server; options are Gradio's."""
    os.environ.setdefault("GRADIO_TEMP_DIR", str(Path(tempfile.gettempdir(), "garden-path-pages")))
    import gradio as gr

    sweeper = (results_folder(gr), LOOK_EVERY, KEPT)
    threading.Thread(target=keep_swept, args=sweeper, daemon=True).start()
    theme = gr.themes.Default(
        primary_hue="blue",
        font=FONT,
        font_mono=("ui-monospace", "Noto Sans Mono CJK SC", "monospace"),
    ).set(**CONTRAST)
    css = (HERE / "app.css").read_text(encoding="utf-8")
    given = {"max_file_size": MAX_BYTES, "footer_links": ["api", "gradio"], **options}
    return page().queue(max_size=MOST_WAITING).launch(css=css, theme=theme, **given)


CONTRAST = {  # Gradio's own greys and orange are too pale to be read by everybody
    "button_primary_background_fill": "*primary_600",
    "button_primary_background_fill_hover": "*primary_700",
    "button_primary_background_fill_dark": "*primary_600",
    "color_accent": "*primary_600",
    "body_text_color_subdued": "*neutral_600",
    "body_text_color_subdued_dark": "*neutral_300",
    "block_info_text_color": "*neutral_600",
    "block_info_text_color_dark": "*neutral_300",
}


def results_part(gr: Any) -> list[Any]:
    """Components that show an answer: why there is no result, or all its parts."""
    failure = gr.HTML(visible=False, elem_id="failure", apply_default_css=False, padding=False)
    with gr.Column(visible=False, elem_id="result") as part:
        verdict = gr.HTML(apply_default_css=False, padding=False, elem_id="verdict")
        remarks = gr.HTML(apply_default_css=False, padding=False, elem_id="remarks")
        scores = gr.HTML(apply_default_css=False, padding=False)
        gr.Markdown(f"**{SETTINGS['plot']['title']}**")
        plot = gr.Plot(show_label=False, container=False)
        tables = []
        for name in SETTINGS["tables"]:
            with gr.Tab(title(name)):
                tables.append(gr.HTML(apply_default_css=False, padding=False))
        texts = []
        for form in SETTINGS.get("written", []):
            with gr.Tab(form):
                texts.append(gr.Code(language="markdown", show_label=False, wrap_lines=True))
        download = gr.DownloadButton("Download the whole result (JSON)", elem_id="download")
    return [failure, part, verdict, remarks, scores, plot, *tables, *texts, download]


def answer(gr: Any, scorers: Scorers) -> Callable[..., list[Any]]:
    """What the button does: the result in its parts, or the reason why there is none."""

    def give(file: Files, text: str | None, config: str, *chosen: Any) -> list[Any]:
        names = [option["name"] for option in SETTINGS.get("options", [])]
        request = {"file": file, "text": text, "config": config, "folder": str(results_folder(gr))}
        found = scorers.ask({**request, "options": dict(zip(names, chosen, strict=True))})
        if reason := found.get("failure"):
            n_parts = len(SETTINGS["tables"]) + len(SETTINGS.get("written", []))
            hidden = [gr.skip() for _ in range(5 + n_parts)]
            return [gr.update(value=reason, visible=True), gr.update(visible=False), *hidden]
        return [gr.update(visible=False), gr.update(visible=True), *shown_parts(gr, found)]

    return give


def shown_parts(gr: Any, found: Mapping[str, Any]) -> list[Any]:
    """The parts of an answer as the page's components take them."""
    from gradio.components.plot import PlotData

    spec = found["plot"]
    plot = PlotData(type="altair", plot=json.dumps(spec)) if spec else None
    return [
        *(found["verdict"], found["remarks"], found["scores"]),
        gr.update(value=plot, visible=bool(spec)),
        *found["tables"],
        *found["written"],
        found["file"],
    ]


def results_folder(gr: Any) -> Path:
    """Folder of the page's results and of Gradio's own files, uploads among them."""
    return Path(gr.utils.get_upload_folder())


def keep_swept(folder: Path, every: float, age: float) -> None:
    """Sweeps a folder every so many seconds, for ever."""
    while True:
        sweep(folder, age)
        time.sleep(every)


def sweep(folder: Path, age: float) -> None:
    """Deletes old files and empty folders; Gradio forgets what is left of a refused upload."""
    now = time.time()
    for path in sorted(folder.rglob("*"), reverse=True):  # a folder after what is in it
        with contextlib.suppress(OSError):  # somebody else deleted it, or it is not empty
            if now - path.stat().st_ctime > age:
                path.rmdir() if path.is_dir() else path.unlink()


def columns_text() -> str:
    """Table of the columns that a file has, and what a file may be."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in SETTINGS["columns"].items()]
    limits = f"at most {MAX_BYTES // MEGABYTE} MB and {MAX_ROWS:,} rows."
    note = f"{SETTINGS.get('note', '')} {', '.join(SETTINGS['formats'])}, {limits}"
    return "\n".join(["| column | what it holds |", "|---|---|", *rows, "", note])


def _endings() -> list[str]:
    return [ending for ending, kind in READERS.items() if kind in SETTINGS["formats"]]


if __name__ == "__main__":
    launch()
