"""A headless Chromium for tests of pages. No network but the loopback, a profile of its own, a
window that a person might have."""

import contextlib
import functools
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

WAIT = 90  # seconds; a busy machine may take long to draw a page
FLAGS = (
    *("--headless", "--no-sandbox", "--no-first-run", "--window-size=1200,1600"),
    *("--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--disable-dev-shm-usage"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


@contextlib.contextmanager
def chromium(downloads: Path) -> Iterator[Any]:
    """Starts Debian's Chromium; skips the test with the reason where there is none."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no browser here: install Debian's chromium and chromium-driver")
    selenium = pytest.importorskip(
        "selenium.webdriver", reason="selenium is not installed: pip install '.[test]'"
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = selenium.ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        started = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
        try:
            started.set_page_load_timeout(WAIT)
            yield started
        finally:
            started.quit()


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Waits until a condition gives something true, and gives it. Fails with what was waited
    for."""
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.support.ui import WebDriverWait

    def ask(_: object) -> Any:
        with contextlib.suppress(WebDriverException):
            return condition()
        return None

    return WebDriverWait(None, WAIT, poll_frequency=0.1).until(ask, f"waited {WAIT} s for {what}")


def click(find: Callable[[], list[Any]], what: str) -> None:
    """Clicks the first element found as soon as there is one that takes a click. One that was drawn
    anew meanwhile is looked for again."""

    def once() -> bool:
        found = find()
        if found:
            found[0].click()
        return bool(found)

    wait_for(once, what)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def served_folder(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serves the files of a folder; gives the address, and the paths that were asked for so far."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            asked.append(self.path)

    handler = functools.partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def text_of(browser: Any, selector: str) -> str:
    """The text that a person sees in the first element that a CSS selector finds. An empty string
    where there is none."""
    found = browser.find_elements("css selector", selector)
    return str(found[0].text) if found else ""


def set_width(browser: Any, width: int, height: int = 900) -> None:
    """Makes the window as wide as a screen in CSS pixels; under 500 it is a phone's."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def page_width(browser: Any) -> int:
    """How wide the drawn page is; wider than the window means that it scrolls sideways."""
    return int(browser.execute_script("return document.documentElement.scrollWidth"))


def violations(browser: Any) -> list[str]:
    """What axe-core finds wrong on the page: rule, element and reason, one line each. All its
    rules: labels, contrast, names, roles, order of headings. [] where it finds nothing."""
    axe = pytest.importorskip(
        "axe_playwright_python", reason="axe_playwright_python is not installed: extra test"
    )
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    browser.execute_script(script)
    found = browser.execute_async_script(
        "const done = arguments[0]; axe.run(document).then(found => done(found.violations.flatMap("
        "rule => rule.nodes.map(node => `${rule.id}: ${node.html}: ${node.failureSummary}`))))"
    )
    return [" ".join(line.split()) for line in found]
