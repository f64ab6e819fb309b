"""The leaderboard: its rows, ranks and chances against other computations, and how it looks."""

import functools
import json
import math
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from dataset_scripts.headlines import HEADLINES
from ground.paths import RESULTS
from publish.boards import board_page, committed_entries, is_of_a_part
from publish.results import hub_file, read_result, shared_record
from tests.browser import chromium, page_width, set_width, violations, wait_for
from tests.invented_results import WHEN, eras_result, signature

pytestmark = pytest.mark.clock

LONG = "transformers:some-organisation/a-model-whose-name-does-not-fit-on-a-telephone-v2.5"


def provenance(suite: str, study: str) -> dict[str, Any]:
    """A build of the draw on which a committed result was measured."""
    stamp = json.loads((RESULTS / suite / f"{study}.json").read_text(encoding="utf-8"))
    rows = {"conll/part_amb": 1, "conll/amb": 1} if suite == "sorts" else {"any/test": 1}
    return {name: stamp[name] for name in ("version", "content_hash")} | {
        "options": stamp["draw"],
        "rows": rows,
    }


def entry(system: str, value: float, low: float | None, high: float | None, **more: Any) -> Any:
    """A row of the page."""
    known = {"suite": "eras", "task": "simplified_lite", "confidence": 0.95, "null": 0.5}
    known |= {"is_above": low is not None and low > 0.5, "source": "by hand", "clusters": None}
    return {**known, "system": system, "value": value, "low": low, "high": high, **more}


ENTRIES = [
    entry("first", 0.8, 0.7, 0.9),
    entry(LONG, 0.75, 0.65, 0.85),
    entry("third", 0.3, 0.2, 0.4),
    entry("unsure", 0.6, None, None),
]


@pytest.mark.parametrize(
    ("suite", "study", "task", "system"),
    [
        ("eras", "segmentation", "traditional_lite", "crf:as"),
        ("centerbench", "answers", "questions", "linear-order"),
        ("sorts", "subject_object_part_amb", "conll_part_amb", "subject-first"),
    ],
)
def test_committed_results_are_the_first_rows(
    suite: str, study: str, task: str, system: str
) -> None:
    figures = json.loads((RESULTS / suite / f"{study}.json").read_text(encoding="utf-8"))["figures"]
    entries = committed_entries(suite, provenance(suite, study))
    (found,) = [e for e in entries if (e["task"], e["system"]) == (task, system)]
    result = figures.get(f"{system}/{task}") or figures[system]
    headline = HEADLINES[suite]
    low = result[f"{headline.score}_low"]
    assert found["value"] == result[headline.score]
    assert found["null"] == headline.null(result)
    assert found["low"] == (None if math.isnan(low) else low)
    assert found["source"].startswith(f"python -m studies {suite} ")
    other = provenance(suite, study) | {"options": {"seed": 7}}
    assert committed_entries(suite, other) == []


def test_results_of_a_part_of_the_rows_stand_on_no_board() -> None:
    record = RESULTS / "centerbench" / "answers_lite.json"
    signatures = json.loads(record.read_text(encoding="utf-8"))["signatures"]
    assert is_of_a_part(signatures, "gguf:gemma")
    assert not is_of_a_part(signatures, "another")
    entries = committed_entries("centerbench", provenance("centerbench", "answers"))
    assert entries
    assert not [entry for entry in entries if "answers_lite" in entry["source"]]


def test_what_a_result_is_called_does_not_end_the_script() -> None:
    page = board_page("eras", "ERAS & more", [entry("</script><b>", 0.5, 0.4, 0.6)])
    assert "</script><b>" not in page
    assert "ERAS &amp; more: leaderboard" in page


# --- in the browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("downloads")) as started:
        yield started


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with invented rows, opened from its folder."""
    path = tmp_path_factory.mktemp("board") / "leaderboard.html"
    path.write_text(board_page("eras", "ERAS", ENTRIES), encoding="utf-8")
    browser.get(path.as_uri())
    return path


def call(browser: Any, function: str, *given: Any) -> Any:
    """What a function of the page returns."""
    return browser.execute_script(f"return {function}(...arguments)", *given)


def shown(browser: Any) -> list[list[str]]:
    """Texts of the cells of the table, but for the plot's."""
    rows = browser.execute_script(
        "return [...document.querySelectorAll('tbody tr')].map(row => "
        "[...row.children].filter(cell => cell.className !== 'plot').map(c => c.innerText))"
    )
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def test_rows_have_ranks_intervals_and_nulls(browser: Any, page: Path) -> None:
    rows = shown(browser)
    assert [row[:4] for row in rows] == [
        ["1 to 3", "first", "80.0 [70.0, 90.0]", "50.0"],
        ["1 to 3", LONG, "75.0 [65.0, 85.0]", "50.0"],
        ["–", "unsure not above NULL", "60.0 (no interval)", "50.0"],
        ["3 to 4", "third not above NULL", "30.0 [20.0, 40.0]", "50.0"],
    ]
    assert rows[2][4] == "–"


def test_chances_from_intervals_are_those_of_normal_scores(browser: Any, page: Path) -> None:
    """Of two: the normal probability that the difference is positive; of two equal ones: a half."""
    reach = NormalDist().inv_cdf(0.975)
    pairs = [((0.8, 0.1), (0.75, 0.1)), ((0.5, 0.02), (0.5, 0.2)), ((0.6, 0.05), (0.5, 0.08))]
    for (one, a), (two, b) in pairs:
        entries = [entry("a", one, one - a, one + a), entry("b", two, two - b, two + b)]
        expected = NormalDist().cdf((one - two) / (math.hypot(a, b) / reach))
        assert call(browser, "bestByIntervals", entries)[0] == pytest.approx(expected, abs=1e-4)
    same = [entry(name, 0.5, 0.4, 0.7) for name in "abc"]
    assert call(browser, "bestByIntervals", same) == pytest.approx([1 / 3] * 3)


def test_a_system_that_leads_in_every_cluster_is_sure_though_intervals_overlap(
    browser: Any, page: Path
) -> None:
    def by_cluster(shift: float) -> dict[str, list[float]]:
        return {str(i): [10 * (0.1 * i % 1) * 0.8 + 10 * shift, 10] for i in range(10)}

    a, b = (entry(n, 0.4, 0.2, 0.6, clusters=by_cluster(s)) for n, s in (("a", 0.02), ("b", 0)))
    paired = call(browser, "ranked", [a, b])
    assert [row["best"] for row in paired["rows"]] == [1, 0]
    assert "10 clusters that all systems were scored on" in paired["how"]
    tied = call(browser, "ranked", [b, b | {"system": "c"}])
    assert [row["best"] for row in tied["rows"]] == [0.5, 0.5]
    b["clusters"] = {name: b["clusters"][name] for name in list(b["clusters"])[1:]}
    apart = call(browser, "ranked", [a, b])
    assert "from the intervals" in apart["how"]
    assert apart["rows"][0]["best"] == pytest.approx(0.5)


def test_files_that_push_result_wrote_are_read(browser: Any, page: Path, tmp_path: Path) -> None:
    path = tmp_path / "RESULT.json"
    path.write_text(json.dumps(eras_result()), encoding="utf-8")
    result = read_result(path)
    _, text = hub_file(result, "ns/eras", "2026-11-22T00:00:00Z")
    (yaml_entry,) = call(browser, "readResult", "a.yaml", text, "eras")
    _, record = shared_record(result, "org/model", "ns/eras", WHEN)
    (json_entry,) = call(browser, "readResult", "a.json", json.dumps(record), "eras")
    common = {"suite": "eras", "task": "simplified_lite", "low": 0.5, "high": 0.8, "null": 0.5}
    common |= {"is_above": True, "confidence": 0.95, "source": signature()}
    assert {name: yaml_entry[name] for name in common} == common
    assert {name: json_entry[name] for name in common} == common
    assert (yaml_entry["system"], yaml_entry["value"]) == ("jieba", 0.666667)
    assert (json_entry["system"], json_entry["value"]) == ("org/model", 2 / 3)
    assert json_entry["clusters"] == {"1": [1.5, 2], "2": [0.5, 1]}


REFUSED = [
    (
        "a.yaml",
        "- dataset:\n    id: ns/eras\n    task_id: a\n  value: 0.5\n",
        "notes, got none with",
    ),
    ("a.yaml", "- [1, 2]\n", "line, got - [1, 2]; expected what push.py result writes"),
    ("a.json", "{}", ""),
]


@pytest.mark.parametrize(("name", "text", "message"), REFUSED)
def test_other_files_are_refused_with_a_line(
    browser: Any, page: Path, name: str, text: str, message: str
) -> None:
    said = browser.execute_script(
        "try { readResult(...arguments); return null } catch (e) { return e.message }",
        name,
        text,
        "eras",
    )
    assert said is not None
    assert message in said


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_the_screen_and_axe_finds_nothing(
    browser: Any, page: Path, width: int
) -> None:
    set_width(browser, width)
    assert page_width(browser) == width
    assert violations(browser) == []


def test_listed_results_beside_the_page_are_read(browser: Any, page: Path, tmp_path: Path) -> None:
    """As a static Space serves them."""
    path = tmp_path / "RESULT.json"
    path.write_text(json.dumps(eras_result()), encoding="utf-8")
    folder = tmp_path / "space"
    (folder / "results").mkdir(parents=True)
    (folder / "leaderboard.html").write_bytes(page.read_bytes())
    _, text = hub_file(read_result(path), "ns/eras", "2026-11-22T00:00:00Z")
    (folder / "results" / "jieba.yaml").write_text(text, encoding="utf-8")
    (folder / "results" / "broken.yaml").write_text("x", encoding="utf-8")
    index = json.dumps(["jieba.yaml", "broken.yaml"])
    (folder / "results" / "index.json").write_text(index, encoding="utf-8")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.get(f"http://127.0.0.1:{server.server_address[1]}/leaderboard.html")
        wait_for(lambda: any(row[1] == "jieba" for row in shown(browser)), "the listed result")
        said = wait_for(lambda: browser.find_elements("css selector", ".wrong"), "the refusal")
        assert said[0].text.startswith("broken.yaml: line, got x; expected")
        server.shutdown()
