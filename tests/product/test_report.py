"""The report of a model or a file: what it holds, what misled the system, and how it looks."""

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import garden_path
from garden_path.__main__ import main
from garden_path.report import write_report
from garden_path.report.given import ScoredTests, find_results
from garden_path.report.page import as_html, percent
from garden_path.report.sections import find_mistakes
from garden_path.report.text import as_markdown
from tests.conftest import ROOT
from tests.support.browser import page_width, served_folder, set_width, violations
from tests.support.cases import cases, golden

GOLDEN = ROOT / "tests" / "golden" / "report.md"
EVIL = '</style><script>document.title="x"</script><img src=x onerror="document.title=1">$style|`*'
PAIRS = [  # paradigm, test, control, site of each, where it starts, true and canary word
    (1, "大夫有信心机动的船只。", "大夫有自信机动的船只。", "信心机", "自信机", 3, "信心", "心机"),
    (1, "导游有信心机动的车。", "导游有自信机动的车。", "信心机", "自信机", 3, "信心", "心机"),
]
CUT = ["大夫 有 信 心机 动 的 船只 。", "大夫 有 自信 机动 的 船只 。"]
CUT += ["导游 有 信心 机动 的 车 。", "导游 有 自信 机动 的 车 。"]


def eras_rows() -> list[dict[str, Any]]:
    names = ("test", "control", "test_site", "control_site", "site_start", "true_word")
    return [
        {"id": f"01-{i:05}", "paradigm_id": paradigm, "branching": "left"}
        | dict(zip((*names, "canary_word"), rest, strict=True))
        | {f"occluded_{member}": f"[MASK]{i}" for member in ("test", "control")}
        for i, (paradigm, *rest) in enumerate(PAIRS)
    ]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub of one test with two pairs of sentences."""
    folder = tmp_path_factory.mktemp("hub")
    for config in ("simplified_lite", "traditional_lite"):
        (folder / "eras" / config).mkdir(parents=True)
    path = folder / "eras" / "simplified_lite" / "test-00000-of-00001.parquet"
    pq.write_table(pa.Table.from_pylist(eras_rows()), path)
    return folder


@pytest.fixture(scope="module")
def words(small: Path) -> Path:
    """A file that one garden path is in."""
    path = small / "words.txt"
    path.write_text("\n".join(CUT) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def evil(small: Path, words: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in which every text that is given from outside is hostile."""
    folder = tmp_path_factory.mktemp("evil")
    found = find_results([f"eras/simplified_lite={words}"], system=EVIL, hub=str(small))
    (scored,) = found.scored
    rows = [{**row, "control_site": EVIL} for row in scored.rows]
    rows[0]["test"] = EVIL[:3] + rows[0]["test_site"] + EVIL
    scored.rows = rows
    write_report(ScoredTests([scored], [EVIL]), folder, hub=str(small))
    return folder


def test_a_file_is_reported_on_the_tests_that_it_fits(small, words, tmp_path, capsys):
    assert main(["report", str(words), "--hub", str(small), "--out", str(tmp_path)]) == 0
    assert "words.txt on eras simplified_lite: pair accuracy 50.0 %" in capsys.readouterr().out
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    (section,) = report["sections"]
    assert (section["test"], section["score"], section["n_wrong"]) == ("simplified_lite", 0.5, 1)
    (mistake,) = section["mistakes"]
    assert mistake["right"] == "信心 | 机"
    assert mistake["read"] == "信 | 心机"
    assert mistake["misled"].endswith("With 自信机, where it cannot form, the system was right.")
    assert section["how"]["read"].startswith("words.txt: ")  # without the reader's folders


def test_the_page_shows_what_the_json_has(small, words, tmp_path):
    report_of: Any = garden_path.report
    report_of(f"eras/simplified_lite={words}", tmp_path, hub=str(small))
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    text = unescape(re.sub(r"<[^>]+>", "", page))
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    (section,) = report["sections"]
    drawn = re.findall(r'<svg x="([0-9.]+)%" y="50%"><g class="mark (\w+)"', page)
    lines = [line for line in section["lines"] if line["score"] is not None]
    assert {line["kind"] for line in section["lines"]} == {"own", "null", "shortcut", "system"}
    for line in lines:
        assert (f"{100 * line['score']:.2f}", line["kind"]) in drawn
        assert line["name"] in text
        assert percent(line["score"]) in markdown
    for published in section["published"]:
        for name, score in published["systems"].items():
            assert (f"{100 * score:.2f}", "published") in drawn
            assert name in text
    rows = [row for part in section["parts"] for row in part["rows"]]
    assert rows
    for row in rows:
        assert (f"{100 * row['score']:.2f}", "system") in drawn
        assert percent(row["score"]) in text
    n_other = sum(len(one["systems"]) + 1 for one in section["published"])
    n_keys = len({line["kind"] for line in section["lines"]})
    assert len(drawn) == len(lines) + len(rows) + n_other + n_keys
    assert as_html(report) == page
    assert as_markdown(report) == markdown


REPORT: Mapping[str, Any] = golden("report/report")


def test_the_markdown_is_the_golden_one():
    assert as_markdown(REPORT) == GOLDEN.read_text(encoding="utf-8")


def test_a_line_that_is_missing_leaves_no_hole():
    (section,) = REPORT["sections"]
    bare = {**section, "lines": section["lines"][:1], "bar": 0.0, "parts": [], "mistakes": []}
    page = as_html({**REPORT, "sections": [bare | {"null": None, "low": None, "score": None}]})
    assert "reached by a shortcut" not in page
    assert "Other scores" not in page
    assert "What misled it" not in page
    assert "None" not in page


ROWS = golden("report/told")  # those of a metric, two where they are twins
CLAUSE, WORD = ROWS["clause"], ROWS["word"]
SWAPPED = {"is_subject_right": False, "is_object_right": False, "is_swapped": True}


@pytest.mark.parametrize(*cases("report/what_misled"))
def test_what_misled_is_a_fact_of_the_row(metric, kind, changes, items, misled):
    rows = ROWS[kind] if kind == "twins" else [ROWS[kind] | changes]
    n_wrong, (mistake,) = find_mistakes(metric, rows, items, 10)
    assert n_wrong == 1
    assert mistake.misled.startswith(misled)


def test_undecided_clauses_are_no_mistakes_and_groups_take_turns():
    undecided = [{**CLAUSE, "resolved_by": "none"}]
    assert find_mistakes("subject_object_las", undecided, [SWAPPED], 9) == (0, [])
    words = [(str(i), f"{i}bcd", ["ab"] * (1 + i // 4)) for i in range(8)]
    rows = [{**WORD, **dict(zip(("id", "word", "morphemes"), one, strict=True))} for one in words]
    items = [{"is_correct": False, "prediction": ["a"]}] * 8
    n_wrong, shown = find_mistakes("morpheme_segmentation", rows, items, 4)
    assert (n_wrong, [one.id for one in shown]) == (8, ["0", "4", "1", "5"])
    assert find_mistakes("another_metric", rows, items, 4) == (0, [])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["no-such-model"], "report: given, got 'no-such-model'; expected a file that is there"),
        (["spacy:xx_sent_ud_sm"], "report: given, got 'spacy:xx_sent_ud_sm'"),
        (["eras/simplified_lite=WORDS", "WORDS"], "simplified_lite, got two results; expected"),
        ([f"{Path(__file__)}"], "predictions, got those of no test"),
    ],
)
def test_what_fits_nothing_is_said(small, words, given, message):
    named = [one.replace("WORDS", str(words)) for one in given]
    with pytest.raises(ValueError, match=re.escape(message)):
        find_results(named, hub=str(small))


def test_a_page_of_others_is_not_overwritten(small, words, tmp_path, capsys):
    command = ["report", str(words), "--hub", str(small), "--out"]
    for name in ("index.html", "report.md", "report.json"):
        place = tmp_path / name[:-3]
        place.mkdir()
        (place / name).write_text("mine", encoding="utf-8")
        assert main([*command, str(place)]) == 1
        told = capsys.readouterr().err
        assert f"--out, got {place}, whose {name} is not of a report; expected another" in told
        assert "scoring" not in told
        assert [one.read_text(encoding="utf-8") for one in place.iterdir()] == ["mine"]
    assert main([*command, str(words)]) == 1
    assert f"--out, got the file {words}; expected a folder" in capsys.readouterr().err
    for _ in range(2):  # its own it does
        assert main([*command, str(tmp_path / "own")]) == 0


def test_what_is_not_scored_is_said(small, words, tmp_path, capsys):
    two = [f"eras/{script}_lite={words}" for script in ("simplified", "traditional")]
    assert main(["report", *two, "--hub", str(small), "--out", str(tmp_path)]) == 0
    assert "not scored: eras traditional_lite: " in capsys.readouterr().err
    assert "Not scored" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert main(["report", two[1], "--hub", str(small), "--out", str(tmp_path)]) == 1


# --- in the browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.clock
def test_hostile_texts_run_nothing_and_everybody_can_read_the_page(browser, evil, width, scheme):
    feature = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", feature)
    set_width(browser, width)
    browser.get((evil / "index.html").as_uri())
    assert browser.title == f"{EVIL} · Garden Path report"
    assert browser.find_element("css selector", "h1").text == EVIL
    assert not browser.find_elements("css selector", "script, img, iframe, object, a[href^=http]")
    assert page_width(browser) <= width
    body = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    assert (sum(browser.execute_script(body)) < 300) == (scheme == "dark")
    assert violations(browser) == []


@pytest.mark.clock
def test_the_page_asks_for_nothing_else(browser, evil):
    with served_folder(evil) as (url, asked):
        browser.get(f"{url}/index.html")
        found = "return performance.getEntriesByType('resource').map(one => one.name)"
        assert browser.execute_script(found) == []
    assert asked == ["/index.html"]
    text = (evil / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<(script|img|/style)", text)
