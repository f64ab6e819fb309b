"""Where the words of the studied languages lie: the one option of the studies of morphseg."""

from ground.command_line import folder
from ground.sources import released_folder
from research.studies.options import flag

RELEASED = flag(
    "released",
    "folder of the studied languages' files",
    released_folder() / "segmentation",
    "machine",
    parse=folder,
)
