"""`push.py preview`: what a maintainer sees of a built data set.

In a headless Chromium and function by function.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import push
from publish.build import build_suite
from publish.metrics import metric_names
from publish.preview import built_suites, card_html, cell_html, header_html, launch, search, show
from publish.statistics import column_statistics
from tests.browser import chromium, click, page_width, set_width, text_of, wait_for
from tests.publishing import SUITE

pytestmark = pytest.mark.clock


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub")
    build_suite(SUITE, folder, {"size": 390})
    build_suite("centerbench", folder, {"size": 1})
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("downloads")) as started:
        yield started


def squeezed(browser: Any, within: str) -> list[str]:
    """What does not fit a phone: a page that is wider, cells of text too narrow for a word.

    What is folded is opened: a closed table has no widths.
    """
    set_width(browser, 390)
    folded = f"document.querySelectorAll('{within} details')"
    browser.execute_script(f"{folded}.forEach(part => part.setAttribute('open', ''))")
    cells = f"[...document.querySelectorAll('{within} td:not([style])')]"
    script = f"return {cells}.filter(cell => cell.clientWidth < 80).map(cell => cell.innerText)"
    found = [f"cell {text!r}" for text in browser.execute_script(script)]
    width = page_width(browser)
    return found if width == 390 else [*found, f"page: width, got {width}; expected 390"]


def choose(browser: Any, field: str, option: str) -> None:
    click(lambda: browser.find_elements("css selector", f"#{field} input"), field)
    click(
        lambda: [
            o
            for o in browser.find_elements("css selector", "ul[role=listbox] li")
            if o.text.split()[-1:] == [option]
        ],
        option,
    )


def test_a_maintainer_pages_searches_and_reads_the_card(
    small: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
    from gradio import close_all

    try:
        _, url, _ = launch(small, prevent_thread_lock=True, quiet=True)
        browser.get(url)
        wait_for(
            lambda: "centerbench / questions / test" in text_of(browser, "#line"),
            "the first data set",
        )
        choose(browser, "suite", SUITE)
        wait_for(
            lambda: "eras / simplified / test: 390 rows, page 1 of 4" in text_of(browser, "#line"),
            "the chosen data set",
        )
        wait_for(lambda: "01-00000" in text_of(browser, "#rows"), "its first row")
        wait_for(
            lambda: len(browser.find_elements("css selector", "#rows th .bars")) >= 10,
            "the histograms",
        )
        choose(browser, "config", "traditional")
        wait_for(
            lambda: "eras / traditional / test" in text_of(browser, "#line"), "the chosen config"
        )
        click(lambda: browser.find_elements("css selector", "#next"), "the next page")
        wait_for(lambda: "page 2 of 4" in text_of(browser, "#line"), "the second page")
        browser.find_element("css selector", "#search textarea, #search input").send_keys("醉心\n")
        wait_for(lambda: " of 390 rows, page 1 of 1" in text_of(browser, "#line"), "the rows found")
        wait_for(lambda: "醉心" in text_of(browser, "#rows"), "what was looked for")
        click(
            lambda: [
                tab
                for tab in browser.find_elements("css selector", "button[role=tab]")
                if tab.text == "Card"
            ],
            "the tab of the card",
        )
        wait_for(
            lambda: text_of(browser, "#card h1") == "ERAS: Chinese morphological garden paths",
            "the card",
        )
        assert "language: zh" in wait_for(lambda: text_of(browser, "#card"), "its text")
        assert squeezed(browser, "#card") == []
    finally:
        close_all(verbose=False)


def test_every_card_of_a_metric_fits_a_phone(staged_metrics: Path, browser: Any) -> None:
    pages = sorted(staged_metrics.glob("*/index.html"))
    assert len(pages) == len(metric_names())
    for page in pages:
        browser.get(page.as_uri())
        assert (page.parent.name, squeezed(browser, "body")) == (page.parent.name, [])


def test_pages_stay_within_bounds(small: Path) -> None:
    assert show(small / SUITE, "simplified", "test", "", 99)[1:] == (
        "**eras / simplified / test**: 390 rows, page 4 of 4",
        4,
    )
    table, line, page = show(small / SUITE, "simplified", "test", "no such word", 3)
    assert (line, page) == ("**eras / simplified / test**: 0 of 390 rows, page 1 of 1", 1)
    assert "<tbody></tbody>" in table


def test_search_looks_into_texts_and_lists() -> None:
    table = pa.table(
        {"a": ["Bärte", "x", None], "b": [["y"], ["z", "Ärger"], None], "n": [1, 2, 3]}
    )
    assert search([table], "bÄR").tolist() == [0]
    assert search([table.slice(0, 1), table.slice(1)], "ärg").tolist() == [1]
    assert search([table.slice(0, 0)], "x").tolist() == []


def test_what_is_in_the_data_is_text_not_markup() -> None:
    assert cell_html("<b>") == "&lt;b&gt;"
    assert cell_html(None) == '<span class="missing">null</span>'
    assert cell_html(["词", {"a": 1}]) == "[&quot;词&quot;, {&quot;a&quot;: 1}]"
    assert cell_html("x" * 301).endswith("…")
    statistics = column_statistics(pa.chunked_array([pa.array(["<i>"] * 6 + [None])]))
    head = header_html("a<b", "string", statistics)
    assert "a&lt;b" in head
    assert 'title="&lt;i&gt;: 6"' in head
    assert "1 missing" in head
    assert "<i>" not in head


def test_plots_are_served_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "---\nlicense: cc-by-4.0\ntags: [a]\n---\n![text](plots/x.png)\n", encoding="utf-8"
    )
    page = card_html(tmp_path)
    assert f'src="/gradio_api/file={tmp_path.as_posix()}/plots/x.png"' in page
    assert '<span class="tag">license: cc-by-4.0</span><span class="tag">tags: a</span>' in page


def test_nothing_built_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        ValueError, match=r"data sets, got none; expected some made by push\.py build"
    ):
        built_suites(tmp_path)
    assert push.main(["preview", "--out", str(tmp_path)]) == 1
    assert "expected some made by push.py build" in capsys.readouterr().err
