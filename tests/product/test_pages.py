"""The pages of the metrics in a headless Chromium, on a phone and on a desk. Each is used by
example, by upload and wrongly; axe-core reads what is then on the page."""

import importlib
import json
import math
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.browser import (
    click,
    free_port,
    page_width,
    set_width,
    text_of,
    violations,
    wait_for,
)
from tests.support.publishing import clean
from tests.support.staged_pages import WITH_PAGE, example_text, load_app, load_part

pytestmark = pytest.mark.clock

PHONE, DESK = 390, 1280
QUICK = {"subject_object_las"}  # of gper and of rankings, other tests here look at the page
SCORES = {  # the first score of the examples whose outcome is known without running anything
    ("subject_object_las", "subject_first.jsonl"): "0.0000",
    ("subject_object_las", "perfect.jsonl"): "1.0000",
    ("pp_attachment_accuracy", "verb_always.jsonl"): "0.0000",
    ("pp_attachment_accuracy", "perfect.jsonl"): "1.0000",
    ("garden_path_accuracy", "perfect.csv"): "1.0000",
    ("matched_pair_accuracy", "perfect.jsonl"): "1.0000",
    # F1 is 1 for cat, the only one of 20 words that has one morpheme, and 0 for the others
    ("morpheme_segmentation", "whole_words.csv"): "0.0500",
    ("ranking_generalizability", "settled.csv"): "1.0000",
}
EVIL = "<img src=x onerror=alert(1)>"
Open = Callable[..., ModuleType]


@pytest.fixture(scope="module", autouse=True)
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Gradio asks nobody for its newest version, the libraries nobody for a suite."""
    kept = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        patched.setenv("GRADIO_TEMP_DIR", str(kept))
        patched.setenv("HF_HUB_OFFLINE", "1")
        yield kept


@pytest.fixture(scope="module")
def open_page(staged_metrics: Path, browser: Any) -> Iterator[Open]:
    """Opens a metric's page in a window of a width; its server is started once."""
    served: dict[str, tuple[ModuleType, str]] = {}

    def open_at(name: str, width: int, query: str = "") -> ModuleType:
        if name not in served:
            app = load_app(staged_metrics / name)
            served[name] = (app, app.launch(prevent_thread_lock=True, quiet=True)[1])
        app, url = served[name]
        set_width(browser, width)
        browser.get(url + query)
        wait_for(lambda: browser.find_elements("css selector", "#score"), "the page")
        wait_for(lambda: text_of(browser, "h1") == app.SETTINGS["title"], "the title")
        wait_for(lambda: not browser.find_elements("css selector", ".loading"), "all of the page")
        return app

    yield open_at
    importlib.import_module("gradio").close_all(verbose=False)


@pytest.mark.parametrize("width", [PHONE, pytest.param(DESK, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)  # a page is started
        for name in WITH_PAGE
    ],
)
def test_a_page_scores_its_examples_and_fits_the_screen(
    staged_metrics, browser, open_page, name, width
):
    app = open_page(name, width)
    assert page_width(browser) <= width
    assert violations(browser) == []  # untouched, everybody can read it
    scoring = load_part(staged_metrics / name, "app_scoring")
    metric = scoring.load_metric()
    for example in app.SETTINGS["examples"]:
        text = example_text(staged_metrics / name, example["file"])
        first, shown = first_score(app, scoring.score(None, text, "", {}, metric))
        assert shown.split()[0] == SCORES.get((name, example["file"]), shown.split()[0])
        press(browser, f"Example: {example['name']}")

        def seen(wanted: tuple[str, str] = (first, shown)) -> bool:
            return tuple(text_of(browser, f"#scores tbody {t}") for t in ("code", "td")) == wanted

        wait_for(seen, f"{first} = {shown}")
    wait_for(lambda: browser.find_elements("css selector", "#result svg.marks"), "the plot")
    wait_for(lambda: drawn_width(browser) > width / 2, "a plot as wide as the page")
    assert page_width(browser) <= width
    assert violations(browser) == []


def first_score(app: ModuleType, result: dict[str, Any]) -> tuple[str, str]:
    """Name and text of the first score, as the page shows them."""
    name = next(iter(app.SETTINGS["figures"]))
    value, low, high = (result.get(name + side) for side in ("", "_low", "_high"))
    how = result.get(f"{name}_interval", "")
    bounds = f"{low:.4f} to {high:.4f}" if low is not None and not math.isnan(low) else ""
    shown = "undefined" if math.isnan(value) else f"{value:.4f}"
    return name, "\n".join(filter(None, [f"{shown} {bounds}".strip(), how]))


def drawn_width(browser: Any) -> int:
    """Width of the plot, 0 where there is none."""
    found = browser.find_elements("css selector", "#result svg.marks")
    return int(found[0].size["width"]) if found else 0


@pytest.mark.slow
def test_intervals_are_drawn(browser, open_page):
    app = open_page("matched_pair_accuracy", DESK)
    press(browser, f"Example: {app.SETTINGS['examples'][0]['name']}")
    lines = "#result svg g.mark-rule.layer_1_marks line"
    found = browser.find_elements
    whiskers = wait_for(lambda: found("css selector", lines), "the intervals of three levels")
    assert len(whiskers) == 3
    assert all(line.size["width"] > 50 for line in whiskers)
    drawn = browser.find_element("css selector", "#result [role=graphics-document]")
    words = "Plausible minus implausible, core questions, by level: 1 0.75 (0.15 to 0.98)"
    assert words in drawn.get_attribute("aria-label")


@pytest.mark.parametrize("query", ["", "?__theme=dark"])
def test_an_error_and_the_card_can_be_read_by_everybody(browser, open_page, query, tmp_path):
    """Contrast, in the dark too; the offending value is text, whatever it holds."""
    open_page("gper", PHONE, query)
    wrong = tmp_path / "wrong.csv"
    header = "paradigm_id,p_test,p_control,p_occluded_test,p_occluded_control"
    wrong.write_text(f"{header}\n1,{EVIL},0,0,0\n", "utf-8")
    upload(browser, wrong)
    press(browser, "Score")
    said = f"This cannot be scored. row 1: p_test, got '{EVIL}'; expected a number"
    wait_for(lambda: text_of(browser, "#failure") == said, "the reason, with the value as text")
    assert browser.find_elements("css selector", "#failure img") == []
    assert text_of(browser, "#scores") == ""
    click(lambda: browser.find_elements("css selector", "button.label-wrap"), "About this metric")
    wait_for(lambda: "Limitations" in text_of(browser, "main"), "the card")
    assert violations(browser) == []
    assert page_width(browser) <= PHONE


@pytest.mark.slow
def test_what_a_metric_warns_of_stands_on_the_page(browser, open_page):
    app = open_page("gper", DESK)
    press(browser, f"Example: {app.SETTINGS['examples'][0]['name']}")
    wait_for(lambda: text_of(browser, "#scores"), "the scores")
    assert text_of(browser, "#remarks") == ""
    click(lambda: browser.find_elements("css selector", "input[aria-label=scale]"), "the scale")

    def logit() -> list[Any]:
        choices = browser.find_elements("css selector", "ul[role=listbox] li")
        return [choice for choice in choices if choice.text.split()[-1:] == ["logit"]]

    click(logit, "logit")
    press(browser, "Score")
    said = "all in [0, 1] with scale='logit'"
    wait_for(lambda: said in text_of(browser, "#remarks"), "the warning")


@pytest.mark.slow
def test_a_file_that_is_too_large_is_refused(browser, open_page, tmp_path):
    open_page("gper", DESK)
    large = tmp_path / "large.csv"
    large.write_bytes(b"paradigm_id,p_test,p_control\n" + b"1,0.5,0.5\n" * 2_100_000)
    press_tab(browser, "Upload")
    browser.find_element("css selector", "input[type=file]").send_keys(str(large))
    said = "exceed the maximum allowed size of 20"
    wait_for(lambda: said in text_of(browser, "body"), "the refusal")


@pytest.mark.slow
def test_what_was_written_or_uploaded_is_deleted(staged_metrics, browser, monkeypatch, tmp_path):
    kept, folder = tmp_path / "kept", staged_metrics / "split_characteristics"
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(kept))
    app = load_app(folder)
    monkeypatch.setattr(app, "LOOK_EVERY", 1)
    monkeypatch.setattr(app, "KEPT", 40)  # longer than a process of the page needs to start
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True)
    browser.get(url)
    upload(browser, folder / "examples" / "random.csv")
    press(browser, "Score")
    wait_for(lambda: any(path.suffix == ".csv" for path in files_in(kept)), "the upload")
    wait_for(lambda: any(path.suffix == ".json" for path in files_in(kept)), "the result")
    wait_for(lambda: not files_in(kept), "nothing on disk")


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def named(browser: Any, selector: str, text: str) -> list[Any]:
    """Elements that show a text and no more."""
    return [one for one in browser.find_elements("css selector", selector) if one.text == text]


def press(browser: Any, text: str) -> None:
    def find() -> list[Any]:
        found = named(browser, "button", text)
        script = "if (arguments[0]) arguments[0].scrollIntoView({block: 'center'})"
        browser.execute_script(script, *found[:1] or [None])
        return found

    click(find, f"the button {text}")


def upload(browser: Any, *paths: Path) -> None:
    press_tab(browser, "Upload")
    found = browser.find_elements
    (field, *_) = wait_for(lambda: found("css selector", "input[type=file]"), "the upload field")
    field.send_keys("\n".join(map(str, paths)))
    for path in paths:
        shown = path.name.split(".")[0]
        wait_for(lambda shown=shown: shown in text_of(browser, "body"), "the uploaded file's name")


def press_tab(browser: Any, text: str) -> None:
    tabs = wait_for(lambda: named(browser, "button[role=tab]", text), f"the tab {text}")
    browser.execute_script("arguments[0].scrollIntoView(); arguments[0].click()", tabs[0])


@pytest.mark.slow
def test_result_files_of_two_models_are_ranked(browser, open_page, tmp_path):
    paths = []
    for model, values in {"one": (0.71, 0.70, 0.74), "two": (0.60, 0.61, 0.63)}.items():
        results = {task: {"acc,none": v} for task, v in zip("wxy", values, strict=True)}
        paths.append(tmp_path / f"results_{model}.json")
        paths[-1].write_text(json.dumps({"results": results, "model_name": model}))
    open_page("ranking_generalizability", DESK)
    upload(browser, *paths)
    press(browser, "Score")
    wait_for(lambda: "one is the best" in text_of(browser, "#verdict"), "the verdict")
    assert "system: model; unit: task" in text_of(browser, "#verdict")
    assert "Score: acc,none." in text_of(browser, "#verdict")


@pytest.mark.slow
def test_a_page_starts_as_the_hub_starts_it_and_scores_an_upload(
    staged_metrics, small, browser, tmp_path
):
    """`python app.py` in a copy of the Space, with the suite beside it. Columns that the file lacks
    come from there, by id."""
    n, port = 4, free_port()
    space = shutil.copytree(staged_metrics / "gper", tmp_path / "spaces" / "gper")
    (tmp_path / "spaces" / "eras").symlink_to(small / "eras")
    environment = {"GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_SERVER_PORT": str(port)}
    environment |= {"GRADIO_TEMP_DIR": str(tmp_path / "kept"), "HF_HUB_OFFLINE": "1"}
    environment = clean(environment | {"HF_HOME": str(tmp_path / "home")})
    rows = [f"{pair:02d}-00000,0.2,0.6,0.5,0.6" for pair in range(1, n + 1)]
    table = tmp_path / "predictions.csv"
    header = "id,p_test,p_control,p_occluded_test,p_occluded_control"
    table.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    silent = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    command = [sys.executable, "app.py"]
    with subprocess.Popen(command, cwd=space, env=environment, **silent) as server:
        try:
            wait_for(lambda: answers(port), "the server")
            browser.get(f"http://127.0.0.1:{port}")
            wait_for(lambda: browser.find_elements("css selector", "#score"), "the page")
            upload(browser, table)
            press(browser, "Score")
            wait_for(lambda: f"\nn\npairs\n{n}\n" in text_of(browser, "#scores"), "the pairs")
            assert "gper_excess" in text_of(browser, "#scores")
            download(browser, tmp_path)
        finally:
            server.terminate()


def answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def download(browser: Any, folder: Path) -> None:
    told = {"behavior": "allow", "downloadPath": str(folder)}
    browser.execute_cdp_cmd("Page.setDownloadBehavior", told)
    press(browser, "Download the whole result (JSON)")
    found = wait_for(lambda: list(folder.glob("gper-*.json")), "the download")
    result = json.loads(found[0].read_text(encoding="utf-8"))
    assert result["n"] == 4
    assert len(result["by_paradigm"]) == 4
