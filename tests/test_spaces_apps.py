"""The pages of the metrics: every one is started and used in a headless Chromium, by example, by upload and wrongly."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from publish.spaces import space_settings
from publish.suites import metric_names
from tests.browser import chromium, text_of, wait_for

WITH_PAGE = [name for name in metric_names() if space_settings(name)]
SCORES = {  # the first figure that each example shows; the perfect and the worst are known without running anything
    "subject_object_las": ("0.5000", "1.0000"),
    "garden_path_accuracy": ("0.4231", "1.0000"),
    "matched_pair_accuracy": ("0.5000", "1.0000"),
    "morpheme_segmentation": ("0.7500", "0.0500"),
    "ranking_generalizability": ("1.0000", "0.0000"),
}


@pytest.fixture(scope="module", autouse=True)
def offline() -> Iterator[None]:
    """Gradio asks nobody for its newest version, the libraries nobody for a suite."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        patched.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("downloads")) as started:
        yield started


def load_app(folder: Path) -> ModuleType:
    """Imports the page's module of a staged Space as `python app.py` would."""
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location(f"page_of_{folder.name}", folder / "app.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("app_inputs", None)


@pytest.mark.parametrize("name", WITH_PAGE)
def test_a_page_scores_examples_and_uploads_and_explains_errors(hub: Path, browser: Any, name: str, tmp_path: Path) -> None:
    app = load_app(hub / name)
    server, url, _ = app.launch(prevent_thread_lock=True, quiet=True)
    try:
        browser.get(url)
        wait_for(lambda: browser.find_elements("css selector", "#score"), "the page")
        assert text_of(browser, "h1") == app.SETTINGS["title"]
        metric = app.load_metric()
        for place, example in enumerate(app.SETTINGS["examples"]):
            text = (hub / name / "examples" / example["file"]).read_text(encoding="utf-8")
            result = app.score(None, text, "", {}, metric)
            first, value, *_ = app.figures(result)[0]
            if name in SCORES:
                assert value == SCORES[name][place]
            press(browser, f"Example: {example['name']}")
            wait_for(lambda first=first, value=value: f"{first}\n{value}\n" in text_of(browser, "#scores") + "\n", f"{first} = {value}")
        wait_for(lambda: browser.find_elements("css selector", "#result canvas, #result svg.marks"), "the plot")
        downloaded = json.loads(Path(app.write_result(result)).read_text(encoding="utf-8"))
        assert downloaded[first] == pytest.approx(result[first])

        wrong = tmp_path / "wrong.csv"
        wrong.write_text("colour\nred\n", encoding="utf-8")
        upload(browser, wrong)
        press(browser, "Score")
        wait_for(lambda: text_of(browser, "#failure").startswith("This cannot be scored. "), "the reason")
        assert "colour" in text_of(browser, "#failure")
        assert not browser.find_element("css selector", "#scores").is_displayed()
    finally:
        server.should_exit = True


def press(browser: Any, text: str) -> None:
    button = wait_for(lambda: [b for b in browser.find_elements("tag name", "button") if b.text == text], f"the button {text}")[0]
    browser.execute_script("arguments[0].scrollIntoView()", button)
    button.click()


def upload(browser: Any, path: Path) -> None:
    browser.execute_script("window.scrollTo(0, 0)")
    press(browser, "Upload") if False else None
