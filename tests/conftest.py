"""Fixtures that every test may use: the authors' own files, where they are at hand."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def released_folder() -> Path:
    """The folder of the authors' files: GARDENPATH_RELEASED, by default ../shared/data beside the checkout."""
    return Path(os.environ.get("GARDENPATH_RELEASED", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def released() -> Path:
    folder = released_folder()
    if not folder.is_dir():
        pytest.skip(f"the authors' files are not at hand: {folder} is no folder; set GARDENPATH_RELEASED")
    return folder
