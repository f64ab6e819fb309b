"""The pages of the metrics.

Every one is started and used in a headless Chromium, by example, by upload and wrongly.
"""

import importlib.util
import json
import math
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from publish.build import build_suite, stage_metric
from publish.metrics import metric_names
from publish.pages import card_with_sdk, gradio_version, requirements, space_settings, static_page
from tests.browser import chromium, click, text_of, wait_for
from tests.publishing import clean

WITH_PAGE = [name for name in metric_names() if space_settings(name)]  # a page is optional
SCORES = {  # the first figure of the examples whose outcome is known without running anything
    ("subject_object_las", "subject_first.jsonl"): "0.5000",
    ("subject_object_las", "perfect.jsonl"): "1.0000",
    ("garden_path_accuracy", "perfect.csv"): "1.0000",
    ("matched_pair_accuracy", "perfect.jsonl"): "1.0000",
    (
        "morpheme_segmentation",
        "whole_words.csv",
    ): "0.0500",  # cat is the only one of 20 words that has one morpheme
    ("ranking_generalizability", "settled.csv"): "1.0000",
}


@pytest.fixture(scope="module", autouse=True)
def offline() -> Iterator[None]:
    """Gradio asks nobody for its newest version, the libraries nobody for a suite."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        patched.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every metric as staged for its Space, and a small suite beside them."""
    folder = tmp_path_factory.mktemp("spaces")
    build_suite("eras", folder, {"size": 390})
    for name in WITH_PAGE:
        stage_metric(name, folder)
    return folder


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
def test_a_page_scores_examples_and_uploads_and_explains_errors(
    spaces: Path, browser: Any, name: str, tmp_path: Path
) -> None:
    app = load_app(spaces / name)
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True)
    try:
        browser.get(url)
        wait_for(lambda: browser.find_elements("css selector", "#score"), "the page")
        wait_for(lambda: text_of(browser, "h1") == app.SETTINGS["title"], "the title")
        metric = app.load_metric()
        for example in app.SETTINGS["examples"]:
            text = (spaces / name / "examples" / example["file"]).read_text(encoding="utf-8")
            result = app.score(None, text, "", {}, metric)
            first, value, *_ = app.figures(result)[0]
            assert value == SCORES.get((name, example["file"]), value)
            press(browser, f"Example: {example['name']}")
            wait_for(
                lambda first=first, value=value: (
                    f"{first}\n{value}\n" in text_of(browser, "#scores") + "\n"
                ),
                f"{first} = {value}",
            )
        wait_for(
            lambda: browser.find_elements("css selector", "#result canvas, #result svg.marks"),
            "the plot",
        )
        downloaded = json.loads(Path(app.write_result(result)).read_text(encoding="utf-8"))
        assert downloaded[first] == pytest.approx(result[first])

        wrong = tmp_path / "wrong.jsonl"
        wrong.write_text('{"colour": "red"}\n', encoding="utf-8")
        upload(browser, wrong)
        press(browser, "Score")
        wait_for(
            lambda: text_of(browser, "#failure").startswith("This cannot be scored. "), "the reason"
        )
        wait_for(lambda: "colour" in text_of(browser, "#failure"), "the column's name")
        wait_for(lambda: text_of(browser, "#scores") == "", "no scores")
    finally:
        importlib.import_module("gradio").close_all(verbose=False)


@pytest.mark.parametrize("text", [None, "", " \n"])  # an untouched page sends None
def test_an_untouched_page_says_what_it_wants(spaces: Path, text: str | None) -> None:
    with pytest.raises(
        ValueError, match="predictions, got none; expected an uploaded file or pasted rows"
    ):
        load_app(spaces / "gper").score(None, text, "", {}, None)


def test_figures_are_shown_as_a_person_reads_them(spaces: Path) -> None:
    app = load_app(spaces / "ranking_generalizability")
    assert [app.number(value) for value in (0.5, 1.0, 1234, math.nan, "crf")] == [
        "0.5000",
        "1.0000",
        "1,234",
        "undefined",
        "crf",
    ]
    assert [app.count(value) for value in (12, 14855.0, math.nan, math.inf)] == [
        "12",
        "14,855",
        "undefined",
        "no end",
    ]
    shown = {
        row[0]: row[1:3]
        for row in app.figures(
            {
                "n_units_to_settle": 179.0,
                "n_units_to_settle_low": 6.0,
                "n_units_to_settle_high": math.inf,
            }
        )
    }
    assert shown == {"n_units_to_settle": ["179", "6 to no end"]}


@pytest.mark.parametrize("name", WITH_PAGE)
def test_every_choice_on_a_page_is_one_of_the_metrics(spaces: Path, name: str) -> None:
    app = load_app(spaces / name)
    metric, text = (
        app.load_metric(),
        (spaces / name / "examples" / app.SETTINGS["examples"][0]["file"]).read_text(
            encoding="utf-8"
        ),
    )
    refused = []
    for option in app.SETTINGS["options"]:
        for choice in option["choices"]:
            try:
                app.score(None, text, "", {option["name"]: choice}, metric)
            except ValueError as error:  # such as labels of another scheme, which is about the file
                refused += [str(error)] if f"{option['name']}, got" in str(error) else []
    assert refused == []


def press(browser: Any, text: str) -> None:
    def find() -> list[Any]:
        found = [
            button for button in browser.find_elements("tag name", "button") if button.text == text
        ]
        browser.execute_script(
            "if (arguments[0]) arguments[0].scrollIntoView()", *found[:1] or [None]
        )
        return found

    click(find, f"the button {text}")


def upload(browser: Any, path: Path) -> None:
    press_tab(browser, "Upload")
    field = wait_for(
        lambda: browser.find_elements("css selector", "input[type=file]"), "the upload field"
    )[0]
    field.send_keys(str(path))
    wait_for(
        lambda: path.name.split(".")[0] in browser.find_element("tag name", "body").text,
        "the uploaded file's name",
    )


def press_tab(browser: Any, text: str) -> None:
    tabs = wait_for(
        lambda: [
            tab
            for tab in browser.find_elements("css selector", "button[role=tab]")
            if tab.text == text
        ],
        f"the tab {text}",
    )
    browser.execute_script("arguments[0].scrollIntoView(); arguments[0].click()", tabs[0])


@pytest.mark.slow
def test_a_page_starts_as_the_hub_starts_it_and_scores_an_upload(
    spaces: Path, browser: Any, tmp_path: Path
) -> None:
    """`python app.py` in a copy of the Space, with the suite beside it.

    Columns that the file lacks come from there, by id.
    """
    name, n, port = "gper", 4, free_port()
    environment = clean(
        {
            "GRADIO_ANALYTICS_ENABLED": "False",
            "GRADIO_SERVER_PORT": str(port),
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(tmp_path / "home"),
        }
    )
    rows = [f"{pair:02d}-00000,0.2,0.6,0.5,0.6" for pair in range(1, n + 1)]
    table = tmp_path / "predictions.csv"
    table.write_text(
        "\n".join(["id,p_test,p_control,p_occluded_test,p_occluded_control", *rows]) + "\n",
        encoding="utf-8",
    )
    with subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=spaces / name,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            wait_for(lambda: answers(port), "the server")
            browser.get(f"http://127.0.0.1:{port}")
            wait_for(lambda: browser.find_elements("css selector", "#score"), "the page")
            upload(browser, table)
            press(browser, "Score")
            wait_for(lambda: f"n\n{n}\n" in text_of(browser, "#scores"), "the number of pairs")
            assert text_of(browser, "#scores").split("gper\n")[1].startswith("0.")
            download(browser, tmp_path)
        finally:
            server.terminate()


def answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def download(browser: Any, folder: Path) -> None:
    browser.execute_cdp_cmd(
        "Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    press(browser, "Download the whole result (JSON)")
    wait_for(lambda: (folder / "gper.json").exists(), "the download")
    result = json.loads((folder / "gper.json").read_text(encoding="utf-8"))
    assert result["n"] == 4
    assert len(result["by_paradigm"]) == 4


@pytest.fixture
def inputs(spaces: Path) -> ModuleType:
    """The page's module that reads uploads."""
    path = spaces / WITH_PAGE[0] / "app_inputs.py"
    spec = importlib.util.spec_from_file_location("app_inputs_of_a_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SETTINGS = {
    "formats": ["CSV", "TSV", "JSONL", "Parquet"],
    "suite": "eras",
    "inputs": [
        {
            "name": "predictions",
            "form": "matrix",
            "columns": ["a", "b"],
            "optional": ["b"],
            "numbers": ["a", "b"],
        },
        {
            "name": "references",
            "form": "rows",
            "columns": ["gold"],
            "rename": {"gold": "words"},
            "lists": ["gold"],
            "from_suite": True,
        },
    ],
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "x.csv",
            b"\xef\xbb\xbfa,b,gold\n1,2,x y\n",
        ),  # a byte order mark, as spreadsheets write it
        ("x.tsv", b"a\tb\tgold\n1\t2\tx y\n"),
        ("x.jsonl", b'{"a": 1, "b": 2, "gold": ["x", "y"]}\n\n'),
        ("x.json", b'[{"a": 1, "b": 2, "gold": ["x", "y"]}]'),
    ],
)
def test_every_format_gives_the_same_inputs(inputs: ModuleType, name: str, content: bytes) -> None:
    columns = inputs.read_upload(name, content, SETTINGS)
    assert inputs.metric_inputs(columns, "", SETTINGS) == {
        "predictions": [[1, 2]],
        "references": [{"words": ["x", "y"]}],
    }


def test_parquet_and_an_optional_column(inputs: ModuleType, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [0.5], "gold": [["x"]]}), tmp_path / "x.parquet")
    columns = inputs.read_upload("x.parquet", (tmp_path / "x.parquet").read_bytes(), SETTINGS)
    assert inputs.metric_inputs(columns, "", SETTINGS) == {
        "predictions": [[0.5]],
        "references": [{"words": ["x"]}],
    }


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.xlsx", b"", "x.xlsx: format, got .xlsx; expected CSV, TSV, JSONL, Parquet"),
        ("x", b"", "x: format, got no ending; expected CSV"),
        ("x.csv", b"a,b,gold\n", "x.csv: rows, got none; expected at least one"),
        ("x.csv", b"a\xff", "x.csv: not readable as CSV: "),
        ("x.jsonl", b"{]", "x.jsonl: not readable as JSONL: "),
        ("x.jsonl", b"{}\n3\n", "line 2: got int; expected an object in braces"),
        ("x.csv", b"a,gold\nhigh,x\n", "row 1: a, got 'high'; expected a number"),
        ("x.csv", b"b,gold\n1,x\n", "column 'a', got none among b, gold; expected a, b"),
        ("x.csv", b"a\n1\n", "suite eras, none: got "),
    ],
)
def test_errors_say_what_a_person_can_do(
    inputs: ModuleType, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(inputs.InputError) as error:
        inputs.metric_inputs(inputs.read_upload(name, content, SETTINGS), "none", SETTINGS)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1}', ".jsonl"),
        ("# sent_id = 1\n1\tDie", ".conllu"),
        ("1\tDie", ".conllu"),
        ("a\tb", ".tsv"),
        ("a,b", ".csv"),
    ],
)
def test_the_format_of_pasted_text_is_seen(inputs: ModuleType, text: str, name: str) -> None:
    assert inputs.guess_format(text) == f"pasted{name}"


def test_conll_is_read_with_the_metrics_own_reader(spaces: Path) -> None:
    app = load_app(spaces / "subject_object_las")
    text = (
        "# sent_id ="
        " 7\n1\tDie\tdie\tDET\t_\t_\t2\tdet\t_\t_\n2\tKatze\tKatze\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    )
    columns = app.read_upload("x.conllu", text.encode(), app.SETTINGS, app.load_metric())
    assert columns == {
        "tokens": [["Die", "Katze"]],
        "heads": [[2, 0]],
        "deprels": [["det", "root"]],
        "id": ["7"],
    }
    with pytest.raises(ValueError, match=r"x\.conllu: not readable as CoNLL: line:1: "):
        app.read_upload("x.conllu", b"1\tDie\n\n", app.SETTINGS, app.load_metric())


def test_every_metric_has_a_page_and_two_examples(spaces: Path) -> None:
    for name in WITH_PAGE:
        settings = space_settings(name)
        assert settings["metric"] == name
        assert len(settings["examples"]) == 2
        assert all(
            (spaces / name / "examples" / example["file"]).exists()
            for example in settings["examples"]
        )
        assert "evaluate>=0.4.6" in requirements(name)
        assert f"sdk: gradio\nsdk_version: {gradio_version()}\n" in (
            spaces / name / "README.md"
        ).read_text(encoding="utf-8")


def test_a_static_page_shows_the_card_and_no_foreign_markup() -> None:
    page = static_page(
        {"title": "A < B", "tags": ["evaluate"]},
        "# Karte\n\n| a | b |\n|---|---|\n| 词 | Bärte |\n\n<script>alert(1)</script>\n",
    )
    assert "<title>A &lt; B</title>" in page
    assert "<td>词</td>" in page
    assert "&lt;script&gt;" in page
    assert "\nsdk: static\napp_file: index.html\n---\n" in card_with_sdk(
        "---\ntitle: x\nsdk: gradio\nsdk_version: 6.0.0\n---\n", "static"
    )
