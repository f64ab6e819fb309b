"""Where the words of the studied languages lie: the one option of the studies of morphseg."""

import os
from pathlib import Path

from ground.paths import ROOT
from studies.options import Option, folder

FOLDER = Path(os.environ.get("GARDENPATH_RELEASED", ROOT.parent / "shared" / "data"))
RELEASED = Option(
    "released",
    "folder of the studied languages' files",
    FOLDER / "segmentation",
    "machine",
    type=folder,
)
