"""The leaderboard: its rows, ranks and chances against other computations, and how it looks."""

import json
import math
import re
import shutil
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from builders.shallow import Shallow, difference, paired_difference
from builders.suites import reference_kind, settings_of
from dataset_scripts.headlines import HEADLINES
from dataset_scripts.registry import suite_builder
from ground.paths import RESULTS
from publish.build.boards import board_data, board_page, committed_entries
from publish.build.build import stage_metric
from publish.build.cards import read_card
from publish.build.manifest import write_manifest
from publish.build.metrics import LEADERBOARD
from publish.check.check import check_folder
from publish.hub.plan import local_repository
from publish.hub.results import hub_file, read_result, shared_record
from tests.support.browser import (
    page_width,
    served_folder,
    set_width,
    text_of,
    violations,
    wait_for,
)
from tests.support.cases import cases
from tests.support.invented_results import WHEN, eras_result, signature, spoilt_result

pytestmark = [pytest.mark.usefixtures("no_shallow_readers"), pytest.mark.clock]

LONG = "transformers:some-organisation/a-model-whose-name-does-not-fit-on-a-telephone-v2.5"


def entry(system: str, value: float, low: float | None, high: float | None, **more: Any) -> Any:
    """A row of the page."""
    known = {"suite": "eras", "task": "simplified_lite", "confidence": 0.95, "null": 0.5}
    known |= {"is_above": low is not None and low > 0.5, "source": "by hand", "clusters": None}
    known |= {"reference": "", "command": "", "measures": {}}
    return {**known, "system": system, "value": value, "low": low, "high": high, **more}


ENTRIES = [
    entry("first", 0.8, 0.7, 0.9),
    entry(LONG, 0.75, 0.65, 0.85),
    entry("third", 0.3, 0.2, 0.4),
    entry("unsure", 0.6, None, None),
]


def rows_are_of(monkeypatch: pytest.MonkeyPatch, suite: str, version: str) -> None:
    """As if the rows of all configs had come with this VERSION."""
    monkeypatch.setattr(suite_builder(suite), "newest", lambda configs=(): version)


def stamp_of_today(monkeypatch: pytest.MonkeyPatch, suite: str, study: str) -> dict[str, Any]:
    """A committed record, as if suite and metrics were still of the versions it was made with."""
    stamp: dict[str, Any] = json.loads((RESULTS / suite / f"{study}.json").read_text("utf-8"))
    rows_are_of(monkeypatch, suite, stamp["version"])
    monkeypatch.setattr("publish.build.boards.metric_version", stamp["metrics"].get)
    return stamp


@pytest.mark.parametrize(*cases("boards/committed_results_are_the_first_rows"))
def test_committed_results_are_the_first_rows(suite, study, task, system, monkeypatch):
    stamp = stamp_of_today(monkeypatch, suite, study)
    entries = committed_entries(suite)
    (found,) = [e for e in entries if (e["task"], e["system"]) == (task, system)]
    result = stamp["figures"].get(f"{system}/{task}") or stamp["figures"][system]
    headline = HEADLINES[suite]
    low = result[f"{headline.score}_low"]
    assert found["value"] == result[headline.score]
    assert found["null"] == headline.null(result)
    assert found["low"] == (None if math.isnan(low) else low)
    assert found["command"].startswith(f"python -m research {suite} ")
    assert found["source"] in stamp["signatures"]
    assert f"system:{system}|" in found["source"]
    measure = settings_of(suite)["report"]["measures"][0]
    assert found["measures"][measure][0] == result[measure]
    rows_are_of(monkeypatch, suite, "99.0.0")
    assert committed_entries(suite) == []


@pytest.mark.parametrize("record", ["answers_lite", "budgets_scratchpad"])
def test_results_of_a_part_of_the_rows_stand_on_no_board(record, monkeypatch, tmp_path):
    stamp_of_today(monkeypatch, "centerbench", record)
    shutil.copy(RESULTS / "centerbench" / f"{record}.json", tmp_path)
    monkeypatch.setattr("publish.build.boards.results_folder", lambda name: tmp_path)
    assert committed_entries("centerbench") == []


def test_references_are_lines_and_never_rows(monkeypatch):
    stamp_of_today(monkeypatch, "centerbench", "answers")
    data = board_data()
    assert data["entries"]
    for one in data["entries"]:
        assert reference_kind(one["suite"], one["system"]) == ""
    tasks = data["suites"]["centerbench"]["tasks"]
    lines = [(line["kind"], line["label"]) for line in tasks["questions"]["lines"]]
    assert lines == [("shortcut", "plausibility"), ("ceiling", "structure")]
    assert "18 answers" in tasks["questions_lite"]["people"]
    (printed,) = data["suites"]["eras"]["tasks"]["simplified_lite"]["lines"]
    assert printed["of"] == "accuracy on test sentences"
    assert "PKUSEG 75.4" in printed["label"]


def test_the_folder_is_a_static_space_that_check_makes_again(tmp_path):
    stage_metric(LEADERBOARD, tmp_path)
    folder = tmp_path / LEADERBOARD
    front, _ = read_card(folder / "README.md")
    assert (front["sdk"], front["app_file"]) == ("static", "index.html")
    repository = local_repository(folder, "ns", None)
    assert (repository.kind, repository.sdk) == ("space", "static")
    assert check_folder(LEADERBOARD, folder) == []
    page = (folder / "index.html").read_text(encoding="utf-8")
    (folder / "index.html").write_text(page.replace("0.", "1.", 1), encoding="utf-8")
    write_manifest(folder)
    (problem,) = check_folder(LEADERBOARD, folder)
    assert "index.html: bytes, got sha256" in problem


def test_what_a_result_is_called_does_not_end_the_script():
    assert "</script><b>" not in board_page(board_data([entry("</script><b>", 0.5, 0.4, 0.6)]))


# --- in the browser
@pytest.fixture
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with invented rows, opened from its folder."""
    path = tmp_path_factory.mktemp("board") / "index.html"
    path.write_text(board_page(board_data(ENTRIES)), encoding="utf-8")
    browser.get(path.as_uri())
    return path


def call(browser: Any, name: str, *given: Any) -> Any:
    """What a function of the page gives, with the page's data as its last argument."""
    return browser.execute_script(
        f"return {name}(...arguments, JSON.parse(document.getElementById('data').textContent))",
        *given,
    )


def shown(browser: Any) -> list[list[str]]:
    """Rank, system, score and P(best) of every row."""
    rows = browser.execute_script(
        "return [...document.querySelectorAll('summary')].map(row => "
        "['rank', 'system', 'number', 'best'].map(c => row.querySelector('.' + c).innerText))"
    )
    return [[" ".join(cell.replace("▸", "").split()) for cell in row] for row in rows]


def upload(browser: Any, path: Path) -> str:
    """Chooses a file on the page; gives the line about it."""
    browser.find_element("id", "files").send_keys(str(path))
    said = wait_for(lambda: text_of(browser, "#said p"), "a line about the file")
    browser.execute_script("document.getElementById('said').replaceChildren()")
    return str(said)


def test_systems_have_ranks_and_one_without_an_interval_widens_none(browser, page):
    rows = shown(browser)
    assert [row[:3] for row in rows] == [
        ["1 to 2", "first", "80.0 [70.0, 90.0]"],
        ["1 to 2", LONG, "75.0 [65.0, 85.0]"],
        ["–", "unsure not above", "60.0 (no interval)"],
        ["3", "third not above", "30.0 [20.0, 40.0]"],
    ]
    assert rows[2][3] == "–"
    exact = [entry("exact", 1.0, 0.979, 1.0), entry("without", 0.136, None, None)]
    found = call(browser, "ranked", [*exact, entry("next", 0.497, 0.4, 0.6)])["rows"]
    assert [(row["first"], row["last"]) for row in found] == [(1, 1), (2, 2), (None, None)]


def test_lines_are_drawn_in_every_row(browser, page, monkeypatch):
    stamp_of_today(monkeypatch, "centerbench", "answers")
    path = page.with_name("lines.html")
    path.write_text(board_page(board_data()), encoding="utf-8")
    browser.get(f"{path.as_uri()}#centerbench/questions")
    rows = len(shown(browser))
    assert rows == 2
    for kind in ("null", "shortcut", "ceiling"):
        assert len(browser.find_elements("css selector", f".plot line.{kind}")) == rows
    said = text_of(browser, ".lines")
    assert re.search(r"Shortcut \d\d\.\d: plausibility", said)
    assert "Ceiling 100.0: structure" in said
    assert "No result of the present version yet:" in text_of(browser, "#empty")
    names = [o.text for o in browser.find_elements("css selector", "#suite option")]
    assert "morphseg" not in names


def test_a_row_opens_by_key_and_has_its_signature(browser, page):
    summary = browser.find_element("css selector", "summary")
    summary.send_keys("\n")
    wait_for(lambda: "by hand" in text_of(browser, ".more"), "the break-down")
    assert text_of(browser, ".more").startswith("NULL\n50.0")


def test_families_are_a_filter_that_leaves_ranks_as_they_are(browser, page):
    family = browser.find_element("id", "family")
    assert family.text.split("\n")[0].strip() == "all"
    family.send_keys("transformers")
    assert [row[:2] for row in shown(browser)] == [["1 to 2", LONG]]


def test_chances_from_intervals_are_those_of_normal_scores(browser, page):
    """Of two: the normal probability that the difference is positive; of two equal ones: a half."""
    reach = NormalDist().inv_cdf(0.975)
    pairs = [((0.8, 0.1), (0.75, 0.1)), ((0.5, 0.02), (0.5, 0.2)), ((0.6, 0.05), (0.5, 0.08))]
    for (one, a), (two, b) in pairs:
        entries = [entry("a", one, one - a, one + a), entry("b", two, two - b, two + b)]
        expected = NormalDist().cdf((one - two) / (math.hypot(a, b) / reach))
        assert call(browser, "bestByIntervals", entries)[0] == pytest.approx(expected, abs=1e-4)
    same = [entry(name, 0.5, 0.4, 0.7) for name in "abc"]
    assert call(browser, "bestByIntervals", same) == pytest.approx([1 / 3] * 3)


def by_cluster(shift: float, wave: float = 0.08) -> dict[str, list[float]]:
    """Ten clusters of ten items."""
    return {f"c{i}": [10 * (wave * (3 * i % 10) + shift), 10] for i in range(10)}


def test_a_system_that_leads_in_every_cluster_is_sure_though_intervals_overlap(browser, page):
    a, b = (entry(n, 0.4, 0.2, 0.6, clusters=by_cluster(s)) for n, s in (("a", 0.02), ("b", 0)))
    paired = call(browser, "ranked", [a, b])
    found = [(row["first"], row["last"], row["best"]) for row in paired["rows"]]
    assert found == [(1, 1, 1), (2, 2, 0)]
    assert paired["isPaired"]
    tied = call(browser, "ranked", [b, b | {"system": "c"}])
    assert [(row["first"], row["last"], row["best"]) for row in tied["rows"]] == [(1, 2, 0.5)] * 2
    b["clusters"] = {name: b["clusters"][name] for name in list(b["clusters"])[1:]}
    apart = call(browser, "ranked", [a, b])
    assert not apart["isPaired"]
    assert [(row["first"], row["last"]) for row in apart["rows"]] == [(1, 2)] * 2
    assert apart["rows"][0]["best"] == pytest.approx(0.5)


def test_paired_ranks_are_those_of_the_paired_t_test(browser, page):
    scipy = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(0)
    shares = 0.5 + 0.15 * random.standard_normal(12) + 0.05 * random.standard_normal((40, 12))
    shares = shares.clip(0, 1)
    clusters = [{f"c{c}": [9 * x, 9] for c, x in enumerate(one)} for one in shares]
    rows = [
        entry(f"s{i:02}", float(one.mean()), 0, 1, clusters=clusters[i])
        for i, one in enumerate(shares)
    ]
    found = {row["system"]: row for row in call(browser, "ranked", rows)["rows"]}
    for i, one in enumerate(shares):
        tests = [scipy.ttest_rel(other, one) for other in shares if other is not one]
        better = sum(t.pvalue < 0.05 and t.statistic > 0 for t in tests)
        worse = sum(t.pvalue < 0.05 and t.statistic < 0 for t in tests)
        assert (found[f"s{i:02}"]["first"], found[f"s{i:02}"]["last"]) == (1 + better, 40 - worse)


RANK_AGAIN = """
const done = arguments[0];
let last = performance.now(), longest = 0;
const tick = () => {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
};
const clock = setInterval(tick, 10);
const rank = ranker(), data = JSON.parse(document.getElementById('data').textContent);
rank('again', data.entries, () => {}, found => {
  tick(); clearInterval(clock); done([longest, found.rows.length]);
})
"""


@pytest.mark.parametrize("is_paired", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_three_thousand_rows_are_ranked_beside_the_page(browser, page, is_paired):
    """The longest that the page does not answer is asked for with a clock that ticks meanwhile."""
    random = np.random.default_rng(0)
    rows = []
    for i, share in enumerate(random.random(3000)):
        right = random.binomial(10, share, 30)
        clusters = {f"c{c}": [int(n), 10] for c, n in enumerate(right)} if is_paired else None
        value = float(right.mean()) / 10
        ends = (max(0, value - 0.05), min(1, value + 0.05))
        rows.append(entry(f"s{i}", value, *ends, clusters=clusters))
    path = page.with_name("many.html")
    path.write_text(board_page(board_data(rows)), encoding="utf-8")
    browser.get(path.as_uri())
    wait_for(lambda: len(shown(browser)) == 100, "the ranks")
    longest, n = browser.execute_async_script(RANK_AGAIN)
    assert n == 3000
    assert longest < 1000
    assert "by name" in browser.find_element("id", "family").text  # ranks are kept, not made anew
    browser.find_element("css selector", "#board button").click()
    assert len(shown(browser)) == 3000


# --- files
@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A result in the three forms in which it may come."""
    paths = {name: tmp_path / f"a.{name}" for name in ("json", "yaml", "record.json")}
    paths["json"].write_text(json.dumps(eras_result()), encoding="utf-8")
    result = read_result(paths["json"])
    paths["yaml"].write_text(hub_file(result, "ns/eras", WHEN.isoformat())[1], encoding="utf-8")
    record = shared_record(result, "org/model", "ns/eras", WHEN)[1]
    paths["record.json"].write_text(json.dumps(record), encoding="utf-8")
    return paths


def test_files_that_push_result_takes_are_read(browser, page, files):
    common = {"suite": "eras", "task": "simplified_lite", "low": 0.5, "high": 0.8, "null": 0.5}
    common |= {"is_above": True, "confidence": 0.95, "source": signature()}
    for path in files.values():
        (found,) = call(browser, "readResult", path.name, path.read_text(encoding="utf-8"))
        assert {name: found[name] for name in common} == common
        is_record = path.name == "a.record.json"
        assert found["system"] == ("org/model" if is_record else "jieba")
        assert found["value"] == pytest.approx(2 / 3, abs=1e-6)
        if path.suffix == ".json":
            assert found["clusters"] == {"1": [1.5, 2], "2": [0.5, 1]}


def test_a_file_stands_among_the_rows_and_one_of_another_task_is_shown(
    browser, page, files, tmp_path
):
    assert upload(browser, files["json"]) == "a.json: jieba has 66.7 on eras simplified_lite."
    assert shown(browser)[2][:2] == ["1 to 3", "jieba your file"]
    other = tmp_path / "other.json"
    text = signature(config="traditional_lite", system="<img src=x onerror=window.ran=1>")
    other.write_text(json.dumps(eras_result(signature=text)), encoding="utf-8")
    said = upload(browser, other)
    assert said.endswith("has 66.7 on eras traditional_lite, which is shown now.")
    assert [row[1] for row in shown(browser)] == ["<img src=x onerror=window.ran=1> your file"]
    assert browser.execute_script("return window.ran === undefined")


@pytest.mark.parametrize(*cases("boards/what_push_result_refuses"))
def test_what_push_result_refuses_is_refused_with_a_line(
    browser, page, tmp_path, changes, run, edited, message
):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(spoilt_result(changes, run, edited)), encoding="utf-8")
    with pytest.raises(ValueError, match="expected"):
        read_result(path)
    assert message in upload(browser, path)
    assert len(shown(browser)) == len(ENTRIES)


def test_other_files_are_refused_with_a_line(browser, page, files, tmp_path):
    yaml = files["yaml"].read_text(encoding="utf-8")
    record = files["record.json"].read_text(encoding="utf-8")
    texts = [
        ("a.yaml", yaml.replace("null 0.5", "null 9.5"), "null, got 9.5; expected a share"),
        ("a.yaml", yaml.replace("95 %", "100 %"), "confidence, got 1; expected"),
        ("a.yaml", yaml.replace("task_id: simplified_lite", "task_id: x"), "task, got x; expected"),
        ("a.yaml", yaml.replace("|draw:0", "|draw:5"), "draw, got 5; expected 0"),
        ("a.yaml", "- dataset:\n    task_id: a\n  value: 0.5\n", "notes, got none with"),
        ("a.yaml", "- [1, 2]\n", "line, got - [1, 2]; expected what push.py result writes"),
        ("a.yaml", "", "file, got no entry"),
        ("a.json", record.replace('"null": "0.500000"', '"null": "9.5"'), "null, got 9.5"),
        ("a.json", "{}", "signature, got undefined"),
        ("a.json", "[]", "JSON, got a list"),
        ("a.json", "{", "a.json: "),
    ]
    for name, text, message in texts:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert message in upload(browser, path)
    assert len(shown(browser)) == len(ENTRIES)


def test_above_is_what_push_result_says(browser, page):
    """From two intervals, and on the same clusters."""
    bar = {"kind": "shortcut", "value": 0.5, "low": 0.45, "high": 0.55, "label": "x"}
    than = Shallow("c/test", "s", "shortcut", "", 0.5, 0.45, 0.55, 0.5, 0.5, None, 9)
    for value in (0.55, 0.58, 0.62):
        ends, place = (value, value - 0.05, value + 0.05), {"bar": bar, "clusters": {}}
        found = call(browser, "isAbove", entry("a", *ends), place, None)
        assert found == difference(*ends, than).is_above
    base = by_cluster(0, 0.05)
    for shift in (0.0, 0.03):
        clusters = by_cluster(shift, 0.05)
        row = entry("a", 0.4, 0.2, 0.6, clusters=clusters)
        sums = ({name: tuple(two) for name, two in one.items()} for one in (clusters, base))
        expected = paired_difference(*sums)
        assert expected is not None
        found = call(browser, "isAbove", row, {"bar": bar, "clusters": base}, None)
        assert found == expected.is_above == (shift > 0)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_the_page_fits_the_screen_and_axe_finds_nothing(browser, page, files, width, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    set_width(browser, width, 4000)
    browser.get(page.as_uri())
    browser.find_element("css selector", "summary").click()
    browser.find_element("id", "files").send_keys(str(files["json"]))
    wait_for(lambda: text_of(browser, "#said p"), "a line about the file")
    assert page_width(browser) == width
    assert violations(browser) == []
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_listed_results_beside_the_page_are_read(browser, page, files, tmp_path):
    """As a static Space serves them."""
    folder = tmp_path / "space"
    (folder / "results").mkdir(parents=True)
    (folder / "index.html").write_bytes(page.read_bytes())
    (folder / "results" / "jieba.yaml").write_bytes(files["yaml"].read_bytes())
    (folder / "results" / "broken.yaml").write_text("x", encoding="utf-8")
    index = json.dumps(["jieba.yaml", "broken.yaml"])
    (folder / "results" / "index.json").write_text(index, encoding="utf-8")
    with served_folder(folder) as (url, _):
        browser.get(f"{url}/index.html")
        wait_for(lambda: any(row[1] == "jieba" for row in shown(browser)), "the listed result")
        said = wait_for(lambda: browser.find_elements("css selector", ".wrong"), "the refusal")
        assert said[0].text.startswith("broken.yaml: line, got x; expected")
