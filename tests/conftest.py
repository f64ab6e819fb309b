"""Fixtures that every test may use, and the rule that no test is skipped that could run."""

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from ground.paths import ROOT as ROOT
from tests.support.quick import is_quick, is_quick_module
from tests.support.skips import is_excused, released_folder, sources_folder, unexcused


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="only tests that build nothing and start no process"
    )
    parser.addoption(
        "--nightly", action="store_true", help="more kills, more generated inputs: takes an hour"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out, unimported, the modules of which no test is quick."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return (
        config.getoption("--quick") and is_test and not is_quick_module(collection_path)
    ) or None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Refuses cases in a set: two workers would collect them in two orders, and stop."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        if isinstance(mark.args[1], set | frozenset):
            raise pytest.UsageError(f"{metafunc.definition.nodeid}: cases in a set; sort them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the quick ones, where asked."""
    if config.getoption("--quick"):
        quick = [item for item in items if is_quick(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(quick)])
        items[:] = quick


SKIPS: list[tuple[str, str]] = []
"""Every skipped test or test module of this run with its reason, but those excused by a worker."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A worker knows what its own folder's conftest calls missing; who collects from it may not."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple):
        report.__dict__["is_excused"] = is_excused(report.longrepr[2])
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note_skip(report)


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if getattr(report, "is_excused", False):
        return
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        SKIPS.append((report.nodeid, report.longrepr[2]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that was skipped though this place could run it fails the run."""
    if unexcused(SKIPS) and session.exitstatus == 0 and "PYTEST_XDIST_WORKER" not in os.environ:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in unexcused(SKIPS):
        terminalreporter.write_line(f"FAILED {line}", red=True)


@pytest.fixture(scope="module")
def no_shallow_readers() -> Generator[None, None, None]:
    """As if no suite had been searched, so that a test's NULL is what its result says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builders.shallow.shallow_readers", lambda suite: ())
        yield


@pytest.fixture(scope="session")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def one_browser(downloads: Path) -> Generator[Any, None, None]:
    from tests.support.browser import chromium

    with chromium(downloads) as started:
        yield started


@pytest.fixture(scope="module")
def browser(one_browser: Any, downloads: Path) -> Any:
    """The one browser of this process; a module begins with an empty page of the usual size."""
    one_browser.get("about:blank")
    for command, given in (
        ("Emulation.clearDeviceMetricsOverride", {}),
        ("Emulation.setEmulatedMedia", {"features": []}),
        ("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}),
    ):
        one_browser.execute_cdp_cmd(command, given)
    one_browser.get_log("browser")
    return one_browser


@pytest.fixture(scope="session")
def released() -> Path:
    folder = released_folder()
    if not folder.is_dir():
        pytest.skip(
            f"the authors' files are not at hand: {folder} is no folder; set GARDENPATH_RELEASED"
        )
    return folder


@pytest.fixture(scope="session")
def sources() -> Path:
    """The folder of the further sources (languages, treebanks, lexicons)."""
    folder = sources_folder()
    if not folder.is_dir():
        pytest.skip(
            f"the further sources are not at hand: {folder} is no folder; set GARDENPATH_SOURCES"
        )
    return folder


@pytest.fixture(scope="session")
def staged_metrics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every metric as it is staged. `evaluate.load(str(folder / name))` loads from it
    alone."""
    from publish.build.build import stage_metric
    from publish.build.metrics import metric_names

    folder = tmp_path_factory.mktemp("staged_metrics")
    for name in metric_names():
        stage_metric(name, folder)
    return folder


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything built, on all cores: what `make hub` puts into hub/."""
    from dataset_scripts.registry import suite_names
    from publish.build.build import build_all
    from publish.build.metrics import LEADERBOARD, metric_names

    names = [*suite_names(), *metric_names(), LEADERBOARD]
    return _built_once(tmp_path_factory, "hub", lambda out: build_all(names, out, {}, views=True))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """390 pairs of ERAS and a metric; a test that changes it has a copy."""
    from tests.support.publishing import build_small

    return _built_once(tmp_path_factory, "small", build_small)


def _built_once(
    factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]
) -> Path:
    """A folder that whichever worker comes first builds. The other one waits for it."""
    from filelock import FileLock

    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with FileLock(str(shared / f"{name}.lock")):
        if not (shared / f"{name}.done").exists():
            build(shared / name)
            (shared / f"{name}.done").touch()
    return shared / name
