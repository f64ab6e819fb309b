"""Fixtures that every test may use: the authors' own files, where they are at hand."""

import os
from pathlib import Path

import pytest

from ground.paths import ROOT


def released_folder() -> Path:
    """The folder of the authors' files: GARDENPATH_RELEASED, by default ../shared/data beside the checkout."""
    return Path(os.environ.get("GARDENPATH_RELEASED", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def released() -> Path:
    folder = released_folder()
    if not folder.is_dir():
        pytest.skip(
            f"the authors' files are not at hand: {folder} is no folder; set GARDENPATH_RELEASED"
        )
    return folder


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything built once per test run, by whichever worker comes first: what `make hub` puts into hub/."""
    from filelock import FileLock

    from dataset_scripts.registry import suite_names
    from publish.build import build_suite, stage_metric
    from publish.metrics import metric_names

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "hub"
    with FileLock(str(shared / "hub.lock")):
        if not (shared / "hub.done").exists():
            for name in suite_names():
                build_suite(name, folder, {})
            for name in metric_names():
                stage_metric(name, folder)
            (shared / "hub.done").touch()
    return folder
