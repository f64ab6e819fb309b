"""The page of a metric: predictions in by file, by paste or by example.

Figures, tables, a plot and the result as a file out.

What differs between metrics stands in `space.toml`; the maths is the metric's own module beside
this file.
"""

import contextlib
import json
import os
import tempfile
import threading
import time
import tomllib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app_inputs import metric_inputs, read_roles  # type: ignore[import-not-found]  # beside it
from app_readers import (  # type: ignore[import-not-found]
    MAX_BYTES,
    MAX_ROWS,
    MEGABYTE,
    READERS,
    InputError,
    check_size,
    guess_format,
    read_upload,
)
from app_results import (  # type: ignore[import-not-found]
    failure_html,
    plot_spec,
    remarks_html,
    scores_html,
    table_html,
    title,
    verdict_html,
    write_result,
)
from app_scores import read_scores  # type: ignore[import-not-found]

HERE = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((HERE / "space.toml").read_text(encoding="utf-8"))
FONT = ("system-ui", "Noto Sans CJK SC", "sans-serif")  # nothing is fetched from elsewhere
LOOK_EVERY, KEPT = 600, 3600  # seconds: what was uploaded or written is deleted after an hour
ONE_AT_A_TIME = {"concurrency_id": "score", "concurrency_limit": 1}  # warnings are the process's
Files = str | list[str] | None
TO_THE_RESULT = """() => setTimeout(() => {
  const shown = ['failure', 'result'].map(id => document.getElementById(id));
  shown.find(part => part && part.offsetParent)?.scrollIntoView({block: 'start'});
}, 100)"""


def load_metric() -> Any:
    """Loads the metric from the file beside this one, as evaluate would from the Hub."""
    import evaluate

    return evaluate.load(str(HERE / f"{SETTINGS['metric']}.py"))


def score(
    file: Files, text: str | None, config: str, options: Mapping[str, Any], metric: Any
) -> dict[str, Any]:
    """Scores an uploaded file, else pasted text, of which an untouched page has none.

    A page of tables of scores takes several files. Gives the metric's result.
    """
    given = chosen_inputs(file, text or "")
    if SETTINGS.get("is_table"):
        options = {**options, "metric": options.get("metric") or None}
        options["columns"] = read_roles(options.get("columns") or "")
        inputs = {"data": read_scores(given, options["metric"], SETTINGS, metric)}
    else:
        inputs = metric_inputs(read_upload(*given[0], SETTINGS, metric), config, SETTINGS)
    result: dict[str, Any] = metric.compute(
        **inputs, **options, **SETTINGS.get("fixed_options", {})
    )
    return result


def chosen_inputs(files: Files, text: str) -> list[tuple[str, bytes]]:
    """Names and contents of what a person gave; sizes are asked for before anything is read."""
    paths = [Path(file) for file in ([files] if isinstance(files, str) else files or [])]
    if gone := [path for path in paths if not path.exists()]:
        raise InputError(
            f"{gone[0].name}: file, got none any more; expected an upload of the last hour:"
            " upload it again"
        )
    total = 0
    for path in paths:  # together they are no larger than one may be
        total += path.stat().st_size
        check_size(path.name, total)
    if paths:
        return [(path.name, path.read_bytes()) for path in paths]
    if text.strip():
        return [(guess_format(text), text.encode())]
    raise InputError(
        "predictions, got none; expected an uploaded file or pasted rows: try one of the examples"
    )


def card() -> str:
    """Metric's card without its front matter."""
    return (HERE / "README.md").read_text(encoding="utf-8").partition("\n---\n")[2]


def page() -> Any:
    """The page, ready to be launched."""
    import gradio as gr  # heavy: a test that asks for the functions above does not pay for it

    metric = load_metric()
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
        give = answer(gr, metric)
        run.click(give, inputs, outputs, **ONE_AT_A_TIME).then(None, js=TO_THE_RESULT)
        for button, example in zip(examples, SETTINGS.get("examples", []), strict=True):
            shown = button.click(show_example(gr, example["file"]), None, [file, text, tabs])
            shown.then(give, inputs, outputs, **ONE_AT_A_TIME).then(None, js=TO_THE_RESULT)
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
    return page().launch(css=css, theme=theme, **given)


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


def answer(gr: Any, metric: Any) -> Callable[..., list[Any]]:
    """What the button does: the result in its parts, or the reason why there is none."""

    def give(file: Files, text: str | None, config: str, *chosen: Any) -> list[Any]:
        names = [option["name"] for option in SETTINGS.get("options", [])]
        options = dict(zip(names, chosen, strict=True))
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", UserWarning)
                result = score(file, text, config, options, metric)
        except (ValueError, TypeError, OSError, MemoryError) as error:
            # what the file, the metric or the loading of the suite says
            reason = failure_html(error if str(error) else "It needs more memory than there is.")
            n_parts = len(SETTINGS["tables"]) + len(SETTINGS.get("written", []))
            hidden = [gr.skip() for _ in range(5 + n_parts)]
            return [gr.update(value=reason, visible=True), gr.update(visible=False), *hidden]
        shown = [verdict_html(result), remarks_html(said), *shown_result(gr, result, metric)]
        return [gr.update(visible=False), gr.update(visible=True), *shown]

    return give


def shown_result(gr: Any, result: Mapping[str, Any], metric: Any) -> list[Any]:
    """A result in the parts of the page."""
    from gradio.components.plot import PlotData

    spec = plot_spec(result, SETTINGS)
    plot = PlotData(type="altair", plot=json.dumps(spec)) if spec else None
    return [
        scores_html(result, SETTINGS),
        gr.update(value=plot, visible=bool(spec)),
        *(table_html(result, name) for name in SETTINGS["tables"]),
        *(metric.written(result, form.casefold()) for form in SETTINGS.get("written", [])),
        str(write_result(result, SETTINGS["metric"], results_folder(gr))),
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
    """Deletes files older than so many seconds, and folders that are empty then.

    Gradio's own `delete_cache` forgets what is left of an upload that it refused.
    """
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
