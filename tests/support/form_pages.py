"""Answers forms in a browser as a person would, page by page, on a phone's width."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.browser import wait_for

PHONE = 390
STATE = """
const root = document.querySelector("#form"), names = new Set();
root.querySelectorAll("form input").forEach((field) => names.add(field.name));
return {
  heading: root.querySelector("h2")?.textContent ?? "",
  names: [...names],
  isEnd: Boolean(root.querySelector("#download")),
  isComment: Boolean(root.querySelector("#comment")),
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
};
"""
FILL = """
const [all] = arguments, root = document.querySelector("#form"), wide = [];
for (const values of all) {
  for (const [name, value] of Object.entries(values)) {
    const field = root.querySelector(`form [name="${CSS.escape(name)}"]`);
    const option = `form [name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`;
    if (field.type === "text") field.value = value;
    else root.querySelector(option).click();
  }
  wide.push(document.documentElement.scrollWidth);
  root.querySelector("form button").click();
}
return Math.max(...wide);
"""
Reply = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Values of a page's fields by name, from the page as the sheet has it."""


def as_phone(browser: Any) -> Any:
    """The browser, as wide as a phone."""
    size = {"width": PHONE, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    return browser


def state(browser: Any) -> dict[str, Any]:
    """What the open page asks."""
    found: dict[str, Any] = browser.execute_script(STATE)
    return found


def fill(browser: Any, values: Mapping[str, Any]) -> None:
    """Answers the open page and goes on."""
    browser.execute_script(FILL, [{name: str(value) for name, value in values.items()}])


def begin(browser: Any) -> None:
    """Agrees, and reads the instructions."""
    wait_for(lambda: state(browser)["names"] == ["agreed"], "the first page")
    fill(browser, {"agreed": "yes"})
    fill(browser, {})


def steps(page: Mapping[str, Any], reply: Reply) -> list[dict[str, str]]:
    """What a page of the sheet is given: its second half too, and a click on what it says then."""
    given = {name: str(value) for name, value in reply(page).items()}
    before: list[dict[str, str]] = [{}] if page["kind"] == "read" else []
    after: list[dict[str, str]] = [{}] if page["role"] in ("practice", "comprehension") else []
    return [*before, given, *after]


def answer_pages(browser: Any, pages: Sequence[Mapping[str, Any]], reply: Reply) -> int:
    """Answers some pages; gives the width of the widest."""
    given = [one for page in pages for one in steps(page, reply)]
    return int(browser.execute_script(FILL, given))


def answer_sheet(browser: Any, pages: Sequence[Mapping[str, Any]], reply: Reply) -> int:
    """Answers all pages and the comment, which is left empty; gives the width of the widest."""
    width = answer_pages(browser, pages, reply)
    assert state(browser)["isComment"]
    fill(browser, {})
    assert state(browser)["isEnd"]
    return width


def right(page: Mapping[str, Any]) -> dict[str, Any]:
    """The right answer where there is one, else the first that the page has; texts are told so."""
    expected, content = (page.get("expected") or [None])[0], page["content"]
    if page["kind"] == "rate":
        return {"value": expected or 4}
    if page["kind"] == "rank":
        return expected or {one["id"]: i + 1 for i, one in enumerate(content["sentences"])}
    if page["kind"] == "read":
        texts = {one["id"]: "an invented answer" for one in content["questions"]}
        return {name: accepted[0] for name, accepted in (expected or {}).items()} or texts
    sure = {"sureness": 3} if content.get("asks_sureness") else {}
    options = content["options"]
    return {"choice": expected or (options[0]["id"] if options != "shared" else "right"), **sure}


def downloaded(browser: Any, folder: Path) -> list[dict[str, Any]]:
    """The answers that the last page gives to download."""

    def whole() -> set[Path]:
        # the browser reserves the name with an empty file and renames the whole one onto it
        return {path for path in folder.glob("*.jsonl") if path.stat().st_size}

    before = whole()
    browser.find_element("css selector", "#download").click()
    new = wait_for(lambda: whole() - before, "the download")
    (path,) = new
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
