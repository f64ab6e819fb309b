"""What a page shows of a result, and that a staged page is whole."""

import json
import math
import re
import warnings
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from markdown_it import MarkdownIt

from publish.build.cards import render_metric_card, split_front_matter
from publish.build.metrics import metric_names, metric_version
from publish.build.pages import (
    APP_FILES,
    TEMPLATE,
    card_as_html,
    card_with_sdk,
    gradio_version,
    requirements,
    static_page,
)
from tests.support.staged_pages import WITH_PAGE, example_text, load_app, load_part, space_settings

SETTINGS = {
    "metric": "m",
    "figures": {"las": "share of tokens", "n": "clauses", "n_needed": "units"},
    "plot": {"table": "by_level", "x": "level", "y": "gap", "title": "Gap", "overall": "las"},
}
RESULT = {
    "las": 0.5,
    "las_low": 0.25,
    "las_high": 0.75,
    "las_interval": "Wilson over 9 clusters",
    "n": 1234,
    "n_needed": 179.0,
    "n_needed_low": 6.0,
    "n_needed_high": math.inf,
    "by_level": [
        {"level": 1, "gap": 0.25, "gap_low": 0.125, "gap_high": 0.375, "gap_interval": "BCa"},
        {"level": 2, "gap": -0.5, "gap_interval": "undefined: all resamples are equal"}
        | dict.fromkeys(("gap_low", "gap_high"), math.nan),
        {"level": 3, "gap": math.nan},
    ],
}


@pytest.fixture(scope="module")
def results() -> ModuleType:
    return load_part(TEMPLATE, "app_results")


@pytest.fixture
def spaces(staged_metrics: Path) -> Path:
    return staged_metrics


def scoring(spaces: Path, name: str) -> ModuleType:
    """The part of a page that scores, in this process."""
    return load_part(spaces / name, "app_scoring")


def words(html: str) -> str:
    """Text of a table, its cells apart by blanks."""
    return " ".join(re.sub("<[^>]+>", " ", html.replace("<wbr>", "")).split())


def test_numbers_are_shown_as_a_person_reads_them(results):
    values = (0.5, 1.0, 1234, math.nan, "crf", True, ["a", "b"])
    shown = ["0.5000", "1.0000", "1,234", "undefined", "crf", "yes", "a b"]
    assert [results.number(value) for value in values] == shown
    counts = (12, 14855.0, math.nan, math.inf)
    assert [results.count(value) for value in counts] == ["12", "14,855", "undefined", "no end"]


def test_scores_stand_with_their_intervals_and_how_they_were_found(results):
    assert words(results.scores_html(RESULT, SETTINGS)) == (
        "score value and 95 % interval"
        " las share of tokens 0.5000 0.2500 to 0.7500 Wilson over 9 clusters"
        " n clauses 1,234"
        " n_needed units 179 6 to no end"
    )


def test_a_table_shows_intervals_and_says_why_there_is_none(results):
    assert words(results.table_html(RESULT, "by_level")) == (
        "level 1 2 3 gap 0.2500 0.1250 to 0.3750 -0.5000 undefined"
        " Without an interval: undefined: all resamples are equal."
    )
    rows = [{"word": f"w{place}", "n": place} for place in range(5_000)]
    long = words(results.table_html({"by_word": rows}, "by_word"))
    assert long.startswith("word n w0 0 w1 1 ")
    assert long.endswith("w199 199 The first 200 of 5,000 rows; the result's file has all.")
    assert "has no such table" in words(results.table_html({}, "by_word"))


def test_what_came_from_a_file_is_shown_as_text(results):
    evil = "<img src=x onerror=alert(1)> {{ 7 * 7 }} ${7 * 7}"
    shown = "&lt;img src=x onerror=alert(1)&gt; {{ 7 * 7 }} ${7 * 7}"
    for html in (
        results.failure_html(f"got {evil!r}"),
        results.table_html({"by_system": [{evil: evil, "p": 0.5}]}, "by_system"),
        results.scores_html({"las": evil}, SETTINGS),
        results.remarks_html([warnings.WarningMessage(evil, UserWarning, "m.py", 1)] * 2),
    ):
        assert shown in html
        assert "<img" not in html
    assert len(results.failure_html("x" * 10**6)) < 3_000


def test_a_plot_has_points_and_their_intervals(results):
    spec = results.plot_spec(RESULT, SETTINGS)
    assert spec["data"]["values"] == [
        {"name": "1", "value": 0.25, "low": 0.125, "high": 0.375},
        {"name": "2", "value": -0.5, "low": None, "high": None},
    ]
    band, mean, zero, whiskers, points = spec["layer"]
    assert band["mark"]["type"] == "rect"
    assert band["data"]["values"] == [{"value": 0.5, "low": 0.25, "high": 0.75}]
    assert mean["encoding"]["x"]["field"] == "value"
    assert zero["data"]["values"] == [{"zero": 0}]
    assert whiskers["data"]["values"] == spec["data"]["values"][:1]
    assert [whiskers["encoding"][end]["field"] for end in ("x", "x2")] == ["low", "high"]
    assert points["encoding"]["x"]["field"] == "value"
    assert spec["description"] == "Gap: 1 0.25 (0.12 to 0.38); 2 -0.50"
    json.dumps(spec, allow_nan=False)
    assert results.plot_spec({"by_level": []}, SETTINGS) is None


def test_results_are_written_whole_and_equal_ones_once(results, tmp_path):
    first = results.write_result(RESULT, "m", tmp_path)
    assert results.write_result(RESULT, "m", tmp_path) == first
    other = results.write_result({"las": (1, math.inf)}, "m", tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([first, other])
    written = json.loads(first.read_text(encoding="utf-8"))
    assert written["n_needed_high"] is None
    assert written["by_level"][0]["gap_low"] == 0.125
    assert json.loads(other.read_text(encoding="utf-8")) == {"las": [1, None]}


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        *((None, text, "predictions, got none; expected an up") for text in (None, "", " \n")),
        ("large.csv", None, r"large.csv: size, got 1,048,576.0 MB; expected at most"),
        ("gone.csv", None, "gone.csv: file, got none any more; expected an upload"),
    ],
)
def test_what_cannot_be_read_is_refused_before_it_is(spaces, tmp_path, file, text, message):
    with (tmp_path / "large.csv").open("wb") as large:
        large.truncate(2**40)  # a hole: reading it would take a terabyte
    given = file and str(tmp_path / file)
    with pytest.raises(ValueError, match=message):
        scoring(spaces, "gper").score(given, text, "", {}, None)


def test_only_what_is_old_is_swept_away(spaces, tmp_path):
    app = load_app(spaces / "gper")
    (tmp_path / "upload").mkdir()
    (tmp_path / "upload" / "predictions.csv").touch()
    app.sweep(tmp_path, age=3600)
    assert len(list(tmp_path.rglob("*"))) == 2
    app.sweep(tmp_path, age=-1)
    assert list(tmp_path.iterdir()) == []
    app.sweep(tmp_path / "not there", age=1)


@pytest.mark.parametrize("name", WITH_PAGE)
def test_every_choice_and_every_name_on_a_page_is_one_of_the_metrics(spaces, name):
    app = scoring(spaces, name)
    metric = app.load_metric()
    text = example_text(spaces / name, app.SETTINGS["examples"][0]["file"])
    result = app.score(None, text, "", {}, metric)
    plot = app.SETTINGS["plot"]
    assert set(app.SETTINGS["figures"]) <= set(result)
    assert set(app.SETTINGS["tables"]) <= set(result)
    assert plot.get("overall", plot["y"]) in {*result, plot["y"]}
    assert app.plot_spec(result, app.SETTINGS) is not None
    refused = []
    for option in app.SETTINGS["options"]:
        for choice in option.get("choices", ()):
            try:
                app.score(None, text, "", {option["name"]: choice}, metric)
            except ValueError as error:  # such as labels of another scheme, which is about the file
                refused += [str(error)] if f"{option['name']}, got" in str(error) else []
    assert refused == []


@pytest.mark.parametrize("name", ["subject_object_las", "pp_attachment_accuracy"])
def test_conll_is_read_with_the_metrics_own_reader(spaces, name):
    app = scoring(spaces, name)
    lines = ["1\tDie\tdie\tDET\t_\t_\t2\tdet\t_\t_", "2\tKatze\tKatze\tNOUN\t_\t_\t0\troot\t_\t_"]
    text = "\n".join(["# sent_id = 7", *lines, "", ""])
    columns = app.read_upload("x.conllu", text.encode(), app.SETTINGS, app.load_metric())
    tree = {"tokens": [["Die", "Katze"]], "heads": [[2, 0]], "deprels": [["det", "root"]]}
    assert columns == tree | {"id": ["7"]}
    with pytest.raises(ValueError, match=r"x\.conllu: not readable as CoNLL: line:1: "):
        app.read_upload("x.conllu", b"1\tDie\n\n", app.SETTINGS, app.load_metric())


def test_a_page_of_tables_reads_any_columns(spaces, tmp_path):
    app = scoring(spaces, "ranking_generalizability")
    metric = app.load_metric()
    text = "who;wo;wert\na;x;1,5\nb;x;2,5\na;y;2,0\nb;y;1,0\na;z;2,5\nb;z;\n"
    chosen = {"columns": "system=who, unit=wo, score=wert", "missing": "model"}
    with pytest.raises(ValueError, match="higher_is_better, got none for `wert`; expected True"):
        app.score(None, text, "", chosen, metric)
    chosen["higher_is_better"] = "higher is better"
    result = app.score(None, text, "", chosen, metric)
    assert result["columns"]["unit"] == "wo"
    assert (result["n_blank"], result["n_units"], result["n_units_partial"]) == (1, 2, 1)
    assert "Read as system: who; unit: wo; score: wert" in app.verdict_html(result)
    shown = app.verdict_html({"verdict": "`<b>` is best, `c` is not.", "columns": {}})
    assert "<p><strong><code>&lt;b&gt;</code> is best, <code>c</code> is not.</strong></p>" in shown
    assert metric.written(result, "latex").startswith("% 2 systems on 3 units, 1 of them without")
    with pytest.raises(ValueError, match="columns, got 'who'; expected such as system=model"):
        app.score(None, text, "", {"columns": "who"}, metric)
    message = "columns of scores, got wert of who, wo, wert; expected one"
    with pytest.raises(ValueError, match=message):
        app.score(None, text, "", {"columns": ""}, metric)
    table = pa.table({"who": list("aabb"), "wo": list("xyxy"), "wert": [1.0, 2.0, 2.0, 3.0]})
    pq.write_table(table, tmp_path / "table.parquet")
    chosen = {"columns": "system=who, unit=wo", "higher_is_better": "lower is better"}
    assert app.score(str(tmp_path / "table.parquet"), "", "", chosen, metric)["n"] == 4


def test_every_page_is_staged_whole(spaces):
    for name in WITH_PAGE:
        settings = space_settings(name)
        assert settings["metric"] == name
        assert len(settings["examples"]) >= 2
        assert all((spaces / name / file).exists() for file in APP_FILES)
        assert all(example_text(spaces / name, shown["file"]) for shown in settings["examples"])
        assert "evaluate>=0.4.6" in requirements(name)
        readme = (spaces / name / "README.md").read_text(encoding="utf-8")
        assert f"sdk: gradio\nsdk_version: {gradio_version()}\n" in readme
    staged = {path.name for path in TEMPLATE.glob("app*")}
    assert staged == set(APP_FILES)


@pytest.mark.parametrize("name", WITH_PAGE)
def test_every_column_of_a_cards_tables_has_a_name(spaces, name):
    """A reader who hears the page hears the column's name before each cell."""
    assert "<th></th>" not in (spaces / name / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", metric_names())
def test_a_word_stands_before_every_table_of_a_card(name):
    """A reader who comes to a table knows what it is of; and what should be a table is one."""
    _, prose = split_front_matter(render_metric_card(name, metric_version(name)))
    tokens = MarkdownIt("commonmark").enable("table").parse(prose)
    opened = [place for place, token in enumerate(tokens) if token.type == "table_open"]
    before = [tokens[place - 1] for place in opened]
    words = ("paragraph_close", "bullet_list_close", "ordered_list_close")
    assert opened
    assert all(token.type in words or "<summary>" in token.content for token in before)
    assert [t.content for t in tokens if t.type == "inline" and "| ---" in t.content] == []


def test_a_static_page_shows_the_card_and_no_foreign_markup():
    page = static_page(
        {"title": "A < B", "tags": ["evaluate"]},
        "# Karte\n\n| a | b |\n|---|---|\n| 词 | Bärte |\n\n<script>alert(1)</script>\n",
    )
    assert "<title>A &lt; B</title>" in page
    assert "<td>词</td>" in page
    assert "&lt;script&gt;" in page
    folded = "<details><summary>All <b>2</b></summary>\n\n| a |\n|---|\n| 1 |\n\n</details>\n\nEnd"
    page = card_as_html(folded)
    assert "<details><summary>All &lt;b&gt;2&lt;/b&gt;</summary>\n<table>" in page
    assert "</table>\n</details>\n<p>End</p>" in page
    assert "\nsdk: static\napp_file: index.html\n---\n" in card_with_sdk(
        "---\ntitle: x\nsdk: gradio\nsdk_version: 6.0.0\n---\n", "static"
    )
