"""Built data sets on localhost as the Hub's viewer shows them: splits, rows, histograms, card.

What is shown is what lies in the folder: the splits are those of the card, the statistics those of
the viewer.
"""

import dataclasses
import functools
import html
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.columns import IntArray
from publish.cards import read_card
from publish.pages import card_as_html
from publish.parquet import read_groups, take_rows
from publish.statistics import ColumnStatistics, column_statistics
from publish.viewer import ViewedSplit, read_splits

ROWS_PER_PAGE = 100
LONGEST_CELL = 300  # characters shown
MOST_COUNTED = 1_000_000  # rows of which a column's statistics are shown
MOST_BARS = 12
TAG_FIELDS = (
    "language",
    "license",
    "task_categories",
    "size_categories",
    "annotations_creators",
    "tags",
)
CSS = """
.gradio-container { max-width: 100% !important; }
.rows { overflow: auto; max-height: 70vh; border: 1px solid #8884; border-radius: 8px; }
.rows table { border-collapse: collapse; font-size: 14px; margin: 0 !important;
  border: none !important;
  width: max-content; max-width: none; }
.rows td div { max-height: 6em; overflow: auto; }
.rows th { position: sticky; top: 0; background: var(--background-fill-secondary); text-align: left;
  vertical-align: top; min-width: 130px; }
.rows th, .rows td { padding: 6px 10px; border-bottom: 1px solid #8883;
  border-right: 1px solid #8882; }
.rows td { vertical-align: top; max-width: 420px; overflow-wrap: anywhere; }
.rows th small, .missing { color: #888; font-weight: normal; }
.bars { display: flex; align-items: flex-end; height: 36px; gap: 1px; margin: 4px 0; }
.bars span { flex: 1; background: #6366f1; min-height: 1px; }
.tag { display: inline-block; border: 1px solid #8886; border-radius: 1em; padding: 0 .7em;
  margin: 0 .3em .3em 0; font-size: 85%; }
.card { max-width: 60rem; overflow-wrap: anywhere; }
.card table { border-collapse: collapse; display: block; overflow-x: auto; overflow-wrap: normal;
  font-size: .875rem;
  border: none !important; }
.card th, .card td { border: 1px solid #8886; padding: .3em .6em; }
.card td:not([style]) { min-width: 7em; } /* numbers have a style, texts have none */
.card td:last-child:not([style]) { min-width: 12em; }
.card pre { overflow-x: auto; background: #8881; border-radius: 8px; padding: .6em .8em; }
.card img { max-width: 100%; }
.card summary { cursor: pointer; margin: 1em 0; }
"""
FONT = ("system-ui", "Noto Sans CJK SC", "sans-serif")  # nothing is fetched from elsewhere


def built_suites(out: Path) -> list[str]:
    """Names of the data sets built in a folder.

    Raises:
        ValueError: There is none.
    """
    folders = [path.parent for path in out.glob("[!.]*/README.md")]
    names = sorted(folder.name for folder in folders if any(folder.glob("*/*.parquet")))
    if not names:
        raise ValueError(f"{out}: data sets, got none; expected some made by push.py build")
    return names


@functools.lru_cache(maxsize=4)
def suite_splits(folder: Path) -> dict[tuple[str, str], ViewedSplit]:
    """Splits of a built data set by config and name, in the card's order."""
    front, _ = read_card(folder / "README.md")
    return {(split.config, split.name): split for split in read_splits(folder, front)}


def search(groups: Iterable[pa.Table], text: str) -> IntArray:
    """Places of the rows that contain a text, in some string or list of strings, in either case.

    Args:
        groups: All rows in order, in parts.
        text: What is looked for.

    Returns:
        0-based and ascending.
    """
    places, start = [np.empty(0, np.int64)], 0
    for group in groups:
        found = np.flatnonzero(_contains(group, text.strip()).to_numpy(zero_copy_only=False))
        places.append(start + found)
        start += group.num_rows
    return np.concatenate(places)


def _contains(table: pa.Table, text: str) -> Any:
    found = pa.array(np.zeros(table.num_rows, dtype=np.bool_))
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
            column = pc.binary_join(column, " ")
        if pa.types.is_string(column.type):
            found = pc.or_(
                found, pc.fill_null(pc.match_substring(column, text, ignore_case=True), False)
            )
    return found


@functools.lru_cache(maxsize=16)
def split_statistics(folder: Path, config: str, split: str) -> dict[str, ColumnStatistics]:
    """Statistics of every column of a split; where the viewer fails for one, none and why.

    They are of the first million rows where there are more, and say so.
    """
    shown = suite_splits(folder)[config, split]
    names = list(shown.features)
    found = {n: column_statistics(shown.head(MOST_COUNTED, [n])[n]) for n in names}
    for name in names:
        if reason := shown.count(name).failure:
            text = f"no statistics on the Hub: {name} has {reason}"
            return {n: dataclasses.replace(s, counts={}, summary=text) for n, s in found.items()}
    if shown.n_rows > MOST_COUNTED:
        of = f" (first {MOST_COUNTED:,} rows)"
        return {n: dataclasses.replace(s, summary=s.summary + of) for n, s in found.items()}
    return found


def rows_html(
    table: pa.Table, statistics: Mapping[str, ColumnStatistics], types: Mapping[str, str]
) -> str:
    """Rows of a page as an HTML table with statistics in its head; the data are escaped."""
    heads = "".join(
        f"<th>{header_html(name, types[name], found)}</th>" for name, found in statistics.items()
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td><div>{cell_html(value)}</div></td>" for value in row.values())
        + "</tr>"
        for row in table.to_pylist()
    )
    table_html = f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="rows"><table>{table_html}</table></div>'


def header_html(name: str, kind: str, found: ColumnStatistics) -> str:
    """Column's head: name, type, bars, and one line about the values."""
    counts = list(found.counts.items())[:MOST_BARS]
    most = max((count for _, count in counts), default=1) or 1
    bars = "".join(
        f'<span style="height:{100 * n / most:.0f}%" title="{html.escape(label)}: {n:,}"></span>'
        for label, n in counts
    )
    missing = f", {found.n_missing:,} missing" if found.n_missing else ""
    shown = f'<div class="bars">{bars}</div>' if bars else ""
    title = f"{html.escape(name)}<br><small>{html.escape(kind)} · {found.kind}</small>"
    return f"{title}{shown}<small>{html.escape(found.summary)}{missing}</small>"


def cell_html(value: Any) -> str:
    """Cell's text, lists and structs as JSON, cut after `LONGEST_CELL` characters."""
    if value is None:
        return '<span class="missing">null</span>'
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return html.escape(text[:LONGEST_CELL] + ("…" if len(text) > LONGEST_CELL else ""))


def card_html(folder: Path) -> str:
    """The card as the Hub shows it: tags of the front matter, the prose, the folder's plots."""
    front, prose = read_card(folder / "README.md")
    values = [(field, value) for field in TAG_FIELDS for value in _listed(front.get(field))]
    tags = "".join(
        f'<span class="tag">{html.escape(f"{field}: {value}")}</span>' for field, value in values
    )
    body = card_as_html(prose).replace(
        'src="plots/', f'src="/gradio_api/file={folder.resolve().as_posix()}/plots/'
    )
    return f'<div class="card">{tags}{body}</div>'


def show(folder: Path, config: str, split: str, text: str, page: int) -> tuple[str, str, int]:
    """What one view shows: the table, a line about it, the page's number within bounds."""
    chosen = suite_splits(folder)[config, split]
    is_search = bool(text.strip())
    places = search(read_groups(chosen.paths), text) if is_search else range(chosen.n_rows)
    n_pages = max(1, -(-len(places) // ROWS_PER_PAGE))
    page = min(max(int(page), 1), n_pages)
    of_page = places[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]
    rows = take_rows(chosen.paths, list(map(int, of_page)))
    types = {name: str(rows.schema.field(name).type) for name in rows.column_names}
    hits = f"{len(places):,} of {chosen.n_rows:,} rows" if is_search else f"{chosen.n_rows:,} rows"
    line = f"**{folder.name} / {config} / {split}**: {hits}, page {page:,} of {n_pages:,}"
    return rows_html(rows, split_statistics(folder, config, split), types), line, page


def preview_page(out: Path) -> Any:
    """Page for all data sets built in a folder."""
    import gradio as gr  # heavy: only for this command

    names = built_suites(out)
    with gr.Blocks(title="Preview of what was built", analytics_enabled=False) as blocks:
        with gr.Row():
            suite = gr.Dropdown(names, value=names[0], label="Data set", elem_id="suite")
            config = gr.Dropdown([], label="Config", elem_id="config")
            split = gr.Dropdown([], label="Split", elem_id="split")
        with gr.Tab("Rows"):
            with gr.Row():
                text = gr.Textbox(
                    label="Search", placeholder="a word, then Enter", elem_id="search", scale=3
                )
                page = gr.Number(1, label="Page", precision=0, minimum=1, elem_id="page")
                back, forth = (
                    gr.Button("Previous", elem_id="previous"),
                    gr.Button("Next", elem_id="next"),
                )
            line = gr.Markdown(elem_id="line")
            rows = gr.HTML(elem_id="rows")
        with gr.Tab("Card"):
            card = gr.HTML(elem_id="card")
        _wire(
            gr,
            blocks,
            out,
            (suite, config, split, text, page, back, forth),
            (rows, line, page),
            card,
        )
    return blocks


def _wire(
    gr: Any, blocks: Any, out: Path, inputs: tuple[Any, ...], outputs: tuple[Any, ...], card: Any
) -> None:
    """Connects what a person does with what is shown: configs, splits, pages."""
    suite, config, split, text, page, back, forth = inputs

    def choose_suite(name: str) -> tuple[Any, Any, str, str, str, int]:
        config_name, split_name = next(iter(suite_splits(out / name)))
        configs = list(dict.fromkeys(key[0] for key in suite_splits(out / name)))
        shown = show(out / name, config_name, split_name, "", 1)
        return (
            gr.Dropdown(configs, value=config_name),
            splits_of(name, config_name),
            card_html(out / name),
            *shown,
        )

    def splits_of(name: str, config_name: str) -> Any:
        found = [key[1] for key in suite_splits(out / name) if key[0] == config_name]
        return gr.Dropdown(found, value=found[0])

    def choose_config(name: str, config_name: str, searched: str) -> tuple[Any, str, str, int]:
        first = next(key[1] for key in suite_splits(out / name) if key[0] == config_name)
        return splits_of(name, config_name), *show(out / name, config_name, first, searched, 1)

    def turn(step: int) -> Any:
        return lambda name, config_name, split_name, searched, at: show(
            out / name, config_name, split_name, searched, at + step
        )

    where = [suite, config, split, text, page]
    everything = [config, split, card, *outputs]
    blocks.load(choose_suite, [suite], everything)
    suite.input(choose_suite, [suite], everything)
    config.input(choose_config, [suite, config, text], [split, *outputs])
    for event in (split.input, text.submit, page.submit):
        event(turn(0), where, list(outputs))
    back.click(turn(-1), where, list(outputs))
    forth.click(turn(1), where, list(outputs))


def launch(
    out: Path, port: int | None = None, *, opens_browser: bool = False, **options: Any
) -> Any:
    """Serves the page on localhost until interrupted, by default on the first free port."""
    import gradio as gr

    theme = gr.themes.Default(
        font=FONT, font_mono=("ui-monospace", "Noto Sans Mono CJK SC", "monospace")
    )
    plots = [str((out / name).resolve()) for name in built_suites(out)]
    served = preview_page(out)
    kept = {"css": CSS, "theme": theme, "allowed_paths": plots, "share": False, **options}
    return served.launch(server_name="127.0.0.1", server_port=port, inbrowser=opens_browser, **kept)


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]
