"""The page of a metric: predictions in by file, by paste or by example.

Figures, tables, a plot and the result as a file out.

What differs between metrics stands in `space.toml`; the maths is the metric's own module beside
this file.
"""

import json
import math
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app_inputs import READERS, InputError, guess_format, metric_inputs, read_upload  # type: ignore[import-not-found]  # beside it

HERE = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((HERE / "space.toml").read_text(encoding="utf-8"))
FONT = ("system-ui", "Noto Sans CJK SC", "sans-serif")  # nothing is fetched from elsewhere
WIDTHS = ["25%", "10%", "23%", "42%"]
CSS = """
.gradio-container { max-width: 1080px !important; margin: 0 auto !important; }
.failure { border-left: 4px solid #dc2626; padding: .2em 1em;
  background: #dc26260f; overflow-wrap: anywhere; }
"""


def load_metric() -> Any:
    """Loads the metric from the file beside this one, as evaluate would from the Hub."""
    import evaluate

    return evaluate.load(str(HERE / f"{SETTINGS['metric']}.py"))


def score(
    file: str | None, text: str | None, config: str, options: Mapping[str, Any], metric: Any
) -> dict[str, Any]:
    """Scores an uploaded file, else pasted text, of which an untouched page has none.

    Gives the metric's result.
    """
    text = text or ""
    if file is None and not text.strip():
        raise InputError(
            "predictions, got none; expected an uploaded file or pasted rows: try one of the"
            " examples"
        )
    name, content = (
        (Path(file).name, Path(file).read_bytes()) if file else (guess_format(text), text.encode())
    )
    columns = read_upload(name, content, SETTINGS, metric)
    result: dict[str, Any] = metric.compute(
        **metric_inputs(columns, config, SETTINGS), **options, **SETTINGS.get("fixed_options", {})
    )
    return result


def figures(result: Mapping[str, Any]) -> list[list[Any]]:
    """Rows of the table of scores: name, value, interval, what it is."""
    rows = []
    for name, meaning in SETTINGS["figures"].items():
        if name in result:
            low, high = result.get(f"{name}_low"), result.get(f"{name}_high")
            show = count if name.startswith("n_") else number
            interval = (
                f"{show(low)} to {show(high)}"
                if _is_number(low)
                else result.get(f"{name}_interval", "")
            )
            rows.append([name, show(result[name]), interval, meaning])
    return rows


def number(value: Any) -> str:
    """Value as a person reads it: four decimals, "undefined" for nan."""
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else f"{value:.4f}"
    return f"{value:,}" if type(value) is int else str(value)


def count(value: Any) -> str:
    """Number of things as a person reads it, whole.

    "undefined" for nan and "no end" for infinity.
    """
    return (
        f"{value:,.0f}"
        if math.isfinite(value)
        else number(value)
        if math.isnan(value)
        else "no end"
    )


def table(result: Mapping[str, Any], name: str) -> Any:
    """One of the result's tables as a data frame, rounded; empty where the result has none."""
    import pandas

    frame = pandas.DataFrame(result.get(name) or [])
    bounds = [
        column for column in frame if str(column).endswith(("_low", "_high", "_interval"))
    ]  # they are in the file
    return frame.drop(columns=bounds).round(4)


def plot_data(result: Mapping[str, Any]) -> Any:
    """Two columns of the plot, without undefined values.

    `figures` as its table are the scores themselves.
    """
    import pandas

    plot = SETTINGS["plot"]
    if plot["table"] == "figures":
        frame = pandas.DataFrame(
            [{plot["x"]: name, plot["y"]: result[name]} for name in plot["only"]]
        )
    else:
        frame = table(result, plot["table"])
    if not {plot["x"], plot["y"]} <= set(frame):
        return frame.iloc[:0]
    frame = frame[[plot["x"], plot["y"]]].dropna()
    return frame.assign(**{plot["x"]: frame[plot["x"]].astype(str)})


def plot(result: Mapping[str, Any]) -> dict[str, Any]:
    """Plot's data, its bars in the result's order, and an axis that has zero on it.

    A bar's length is its value.
    """
    bars = plot_data(result)
    if not len(bars):
        return {"value": bars}
    values = bars[SETTINGS["plot"]["y"]]
    return {
        "value": bars,
        "sort": bars[SETTINGS["plot"]["x"]].tolist(),
        "y_lim": [min(0.0, values.min()), max(0.0, values.max())],
    }


def write_result(result: Mapping[str, Any]) -> str:
    """Writes the whole result as JSON, nan as null; gives the file."""
    path = Path(tempfile.mkdtemp()) / f"{SETTINGS['metric']}.json"
    path.write_text(
        json.dumps(_plain(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        encoding="utf-8",
    )
    return str(path)


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
                tabs = gr.Tabs()
                with tabs, gr.Tab("Upload", id="upload"):
                    file = gr.File(
                        label=f"Predictions: {', '.join(SETTINGS['formats'])}",
                        file_types=_endings(),
                    )
                with tabs, gr.Tab("Paste", id="paste"):
                    text = gr.Textbox(
                        label="Rows, with a header line", lines=9, max_lines=18, elem_id="pasted"
                    )
            with gr.Column():
                gr.Markdown(columns_text())
                config = gr.Dropdown(
                    SETTINGS["configs"],
                    label=f"Suite: {SETTINGS['suite']}",
                    visible=bool(SETTINGS["configs"]),
                )
                choices = [
                    gr.Dropdown(option["choices"], label=option["name"], info=option["info"])
                    for option in SETTINGS.get("options", [])
                ]
        run = gr.Button("Score", variant="primary", elem_id="score")
        failure = gr.Markdown(visible=False, elem_classes="failure", elem_id="failure")
        outputs = [failure, *results_part(gr)]
        run.click(answer(gr, metric), [file, text, config, *choices], outputs)
        for button, example in zip(examples, SETTINGS.get("examples", []), strict=True):
            button.click(show_example(gr, example["file"]), None, [file, text, tabs]).then(
                answer(gr, metric), [file, text, config, *choices], outputs
            )
        with gr.Accordion("About this metric", open=False):
            gr.Markdown(card())
    return blocks


def show_example(gr: Any, name: str) -> Any:
    """What a click on an example does: its text is pasted, and no file is chosen."""
    shown = (HERE / "examples" / name).read_text(encoding="utf-8")
    return lambda: (None, shown, gr.Tabs(selected="paste"))


def launch(**options: Any) -> Any:
    """Starts the page's server; options are Gradio's."""
    import gradio as gr

    theme = gr.themes.Default(
        font=FONT, font_mono=("ui-monospace", "Noto Sans Mono CJK SC", "monospace")
    )
    return page().launch(css=CSS, theme=theme, **options)


def results_part(gr: Any) -> list[Any]:
    """Components that show a result: all of it in one part that is hidden until there is one."""
    plot = SETTINGS["plot"]
    with gr.Column(visible=False, elem_id="result") as part:
        scores = gr.Dataframe(
            headers=["score", "value", "95 % interval", "what it is"],
            label="Scores",
            wrap=True,
            column_widths=WIDTHS,
            elem_id="scores",
        )
        bars = gr.BarPlot(
            x=plot["x"], y=plot["y"], title=plot["title"], x_label_angle=-45, height=320
        )
        tables = []
        for name in SETTINGS["tables"]:
            with gr.Tab(name.removeprefix("by_").replace("_", " ")):
                tables.append(gr.Dataframe(label=name))
        download = gr.DownloadButton("Download the whole result (JSON)", elem_id="download")
    return [part, scores, bars, *tables, download]


def answer(gr: Any, metric: Any) -> Callable[..., list[Any]]:
    """What the button does: the result in its parts, or the reason why there is none."""

    def give(file: str | None, text: str | None, config: str, *chosen: Any) -> list[Any]:
        options = {
            option["name"]: value
            for option, value in zip(SETTINGS.get("options", []), chosen, strict=True)
        }
        try:
            result = score(file, text, config, options, metric)
        except (
            ValueError,
            TypeError,
            OSError,
        ) as error:  # what the file, the metric or the loading of the suite says
            hidden = [gr.skip() for _ in range(3 + len(SETTINGS["tables"]))]
            return [
                gr.update(value=f"**This cannot be scored.** {error}", visible=True),
                gr.update(visible=False),
                *hidden,
            ]
        tables = [table(result, name) for name in SETTINGS["tables"]]
        shown = [
            gr.update(visible=True),
            figures(result),
            gr.update(**plot(result)),
            *tables,
            write_result(result),
        ]
        return [gr.update(visible=False), *shown]

    return give


def columns_text() -> str:
    """Table of the columns that a file has."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in SETTINGS["columns"].items()]
    return "\n".join(
        ["| column | what it holds |", "|---|---|", *rows, "", SETTINGS.get("note", "")]
    )


def _endings() -> list[str]:
    return [ending for ending, kind in READERS.items() if kind in SETTINGS["formats"]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not math.isnan(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    launch()
